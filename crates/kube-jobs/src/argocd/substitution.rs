//! The build environment of an Application: nine variables that Argo CD substitutes in texts with Go's `os.Expand`.

use super::Application;

/// The length of `ARGOCD_APP_REVISION_SHORT` in characters.
const SHORT: usize = 7;
/// The length of `ARGOCD_APP_REVISION_SHORT_8` in characters.
const SHORT_8: usize = 8;

/// The names of the nine variables (`newEnv` in `reposerver/repository/repository.go`). A plugin also gets `KUBE_VERSION` and `KUBE_API_VERSIONS`,
/// which Argo CD does not substitute for Helm and kustomize.
pub const BUILD_VARIABLES: [&str; 9] = [
    "ARGOCD_APP_NAME",
    "ARGOCD_APP_NAMESPACE",
    "ARGOCD_APP_PROJECT_NAME",
    "ARGOCD_APP_REVISION",
    "ARGOCD_APP_REVISION_SHORT",
    "ARGOCD_APP_REVISION_SHORT_8",
    "ARGOCD_APP_SOURCE_REPO_URL",
    "ARGOCD_APP_SOURCE_PATH",
    "ARGOCD_APP_SOURCE_TARGET_REVISION",
];

impl Application {
    /// The nine variables with their values, in the order of [`BUILD_VARIABLES`]. Unknown values are empty.
    pub fn build_variables(&self) -> [(&'static str, String); 9] {
        let revision = self.revision.as_deref().unwrap_or_default();
        let short = |length| revision.chars().take(length).collect();
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let values = [
            text(&self.name),
            text(&self.namespace),
            text(&self.project),
            revision.to_owned(),
            short(SHORT),
            short(SHORT_8),
            text(&self.repo_url),
            text(&self.source_path),
            text(&self.target_revision),
        ];
        let mut values = values.into_iter();
        BUILD_VARIABLES.map(|name| (name, values.next().unwrap_or_default()))
    }

    /// Substitutes the nine variables in `text` as Argo CD does (`Env.Envsubst` in `pkg/apis/application/v1alpha1/types.go`): `$NAME` and `${NAME}`
    /// become the value, `$$` becomes `$`, any other name becomes an empty text.
    pub fn substitute(&self, text: &str) -> String {
        expand(text, &self.build_variables())
    }

    /// Substitutes in `text` the variables that Argo CD substitutes in the `env` of a plugin (`getPluginParamEnvs` in
    /// `reposerver/repository/repository.go`): the nine variables, `KUBE_VERSION` and `KUBE_API_VERSIONS`.
    pub fn substitute_for_plugin(&self, text: &str) -> String {
        let version = self.kube_version.clone().unwrap_or_default();
        let cluster = [("KUBE_VERSION", version), ("KUBE_API_VERSIONS", self.api_versions.join(","))];
        let variables: Vec<(&str, String)> = self.build_variables().into_iter().chain(cluster).collect();
        expand(text, &variables)
    }
}

/// Go's `os.Expand` with these variables. `$$` becomes `$`.
fn expand(text: &str, variables: &[(&str, String)]) -> String {
    if !text.contains('$') {
        return text.to_owned();
    }
    let value = |name: &str| match name {
        "$" => "$",
        _ => variables.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value),
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = match reference(after) {
            Some((name, end)) => {
                out.push_str(name.map_or("", value));
                &after[end..]
            }
            None => {
                out.push('$');
                after
            }
        };
    }
    out + rest
}

/// Parses the text after a `$`: the name of the variable and the length of the reference. The name is None for bad syntax, which Go removes.
/// Returns None if the `$` stays (`getShellName` in Go's `os/env.go`).
fn reference(text: &str) -> Option<(Option<&str>, usize)> {
    if let Some(braced) = text.strip_prefix('{') {
        return Some(match braced.find('}') {
            Some(0) => (None, 2),
            Some(end) => (Some(&braced[..end]), end + 2),
            None => (None, 1),
        });
    }
    if text.starts_with(is_special) {
        return Some((Some(&text[..1]), 1));
    }
    let end = text.find(|found: char| !found.is_ascii_alphanumeric() && found != '_').unwrap_or(text.len());
    (end > 0).then(|| (Some(&text[..end]), end))
}

/// Whether the character is one of the shell's names of one character.
fn is_special(found: char) -> bool {
    matches!(found, '*' | '#' | '$' | '@' | '!' | '?' | '-' | '0'..='9')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::tests::{Row, application, rows};
    use super::*;

    #[test]
    fn the_variables_are_those_of_argo_cd() {
        let table = include_str!("../../testdata/substitution.jsonl");
        let first: Vec<BTreeMap<String, String>> = serde_json::from_str(table.lines().next().unwrap()).unwrap();
        let theirs: Vec<(&str, &str)> = first.iter().map(|entry| (&*entry["name"], &*entry["value"])).collect();
        let ours = application().build_variables();
        assert_eq!(ours.each_ref().map(|(name, value)| (*name, &**value)).to_vec(), theirs);
        assert!(Application::default().build_variables().iter().all(|(_, value)| value.is_empty()));
    }

    #[test]
    fn substitutes_what_argo_cd_substitutes() {
        let table = include_str!("../../testdata/substitution.jsonl");
        for Row { r#in, out, .. } in rows(table, 1) {
            assert_eq!(application().substitute(&r#in), out, "{:?}", r#in);
        }
    }
}

//! The templates of a chart, read and not executed: what they ask for, and under which conditions they print a Job.

use std::collections::BTreeSet;
use std::path::Path;

use checkout::small_file_in;
use goyaml::Value;
use system::PathText;
use text::LineColumn;
use walkdir::WalkDir;

use crate::chart::conditions::{self, JobTemplate};
use crate::fickle::{Action, actions};

/// The maximum number of files and folders in `templates` that are looked at.
const MAX_ENTRIES: usize = 5_000;

/// The maximum size of the templates of a chart together, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The maximum number of API versions, and of required values, that are named.
const MAX_NAMED: usize = 30;

/// The templates of a chart.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    /// The path of each below the chart, with its text.
    files: Vec<(String, String)>,
}

/// A value that a template cannot do without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// The path of the value, such as `image.tag`.
    pub value: String,
    /// The path of the template below the chart.
    pub file: String,
    /// The line of the template.
    pub line: usize,
}

impl Templates {
    /// Reads the templates of the chart in the folder `chart`. `root` is the root of its repository; both must be absolute and without
    /// symlinks. What cannot be read is left out.
    pub fn read(chart: &Path, root: &Path) -> Self {
        let mut left = MAX_BYTES;
        let walk = WalkDir::new(chart.join("templates"))
            .follow_root_links(false)
            .sort_by_file_name()
            .into_iter()
            .take(MAX_ENTRIES)
            .flatten();
        let is_template = |path: &Path| {
            path.extension().is_some_and(|extension| ["yaml", "yml", "tpl"].iter().any(|known| extension == *known))
        };
        let mut files = Vec::new();
        for entry in walk.filter(|entry| !entry.file_type().is_dir() && is_template(entry.path())) {
            let below = |from| entry.path().strip_prefix(from).ok();
            let (Some(name), Some(path)) = (below(chart), below(root)) else { continue };
            let Ok(Some(text)) = small_file_in(root, path, left) else { continue };
            left = left.saturating_sub(text.len() as u64);
            files.push((name.in_slashes().into_owned(), text));
        }
        Self { files }
    }

    /// The API versions that templates ask for with a literal (`.Capabilities.APIVersions.Has "…"`) and that Kubernetes itself does not have,
    /// sorted.
    pub fn api_versions(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (_, text) in &self.files {
            for action in actions(text) {
                let literals = action.literals(text);
                let asked =
                    literals.filter(|literal| literal.before.trim_end().ends_with(".Capabilities.APIVersions.Has"));
                let versions =
                    asked.map(|literal| literal.string).filter(|version| is_version(version) && !is_built_in(version));
                found.extend(versions.map(str::to_owned));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(MAX_NAMED);
        found
    }

    /// The values that templates require (`required "…" .Values.x.y`) and that are in none of `values`: the values of the chart, and those of
    /// the value set. That a template is not rendered at all is unknown here.
    pub fn required(&self, values: &[Value]) -> Vec<Required> {
        let is_given = |path: &str| {
            let path: Vec<&str> = path.split('.').collect();
            let found = values.iter().rev().find_map(|values| values.at(&path));
            found.is_some_and(|value| *value != Value::Null && value.as_text() != Some(""))
        };
        let mut all: Vec<Required> = Vec::new();
        for (file, text) in &self.files {
            for action in actions(text) {
                for (value, at) in required_in(&action, text) {
                    if all.len() < MAX_NAMED && !is_given(value) && all.iter().all(|known| known.value != value) {
                        let line = LineColumn::of(text.as_bytes(), at).line;
                        all.push(Required { value: value.to_owned(), file: file.clone(), line });
                    }
                }
            }
        }
        all
    }

    /// The names at the top of the values that templates ask for: `be` for `.Values.be.env`. That a template takes all values at once says nothing.
    pub fn values(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (_, text) in &self.files {
            for action in actions(text) {
                let action = action.span().of(text);
                let asked = action.match_indices(".Values.").map(|(at, found)| &action[at + found.len()..]);
                let name =
                    |rest: &str| rest.split(|found: char| !is_of_path(found) || found == '.').next().map(str::to_owned);
                names.extend(asked.filter_map(name).filter(|name| !name.is_empty()));
            }
        }
        names
    }

    /// The templates of Jobs and hooks, without partials, named templates and tests.
    pub fn jobs(&self) -> Vec<JobTemplate> {
        let is_whole =
            |file: &str| !file.rsplit('/').next().unwrap_or(file).starts_with('_') && !file.ends_with(".tpl");
        let files = self.files.iter().filter(|(file, _)| is_whole(file));
        let mut all: Vec<JobTemplate> = files.flat_map(|(file, text)| conditions::jobs(file, text)).collect();
        all.dedup_by(|one, other| one.file == other.file && one.conditions == other.conditions);
        all
    }
}

/// The paths of the values that an action requires, with their offsets.
fn required_in<'t>(action: &Action, text: &'t str) -> impl Iterator<Item = (&'t str, usize)> {
    action.literals(text).filter_map(move |literal| {
        let before = literal.before.trim_end().strip_suffix("required")?;
        if before.ends_with(|last: char| last.is_ascii_alphanumeric() || ['.', '$', '_'].contains(&last)) {
            return None;
        }
        let piped = before.trim_end().strip_suffix('|').map(|before| before.trim_end());
        let value = match piped {
            Some(before) => &before[before.rfind(|found: char| !is_of_path(found)).map_or(0, |at| at + 1)..],
            None => literal.after.trim_start().split(|found: char| !is_of_path(found)).next()?,
        };
        let path = value.strip_prefix('$').unwrap_or(value).strip_prefix(".Values.")?;
        Some((path, literal.at)).filter(|(path, _)| !path.is_empty())
    })
}

fn is_of_path(found: char) -> bool {
    found.is_ascii_alphanumeric() || ['.', '$', '_'].contains(&found)
}

/// Whether a text can be passed to helm as an API version: `group/version`, `group/version/Kind`.
fn is_version(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"./-".contains(&byte);
    text.contains('/') && text.len() < 200 && text.bytes().all(is_plain)
}

/// The groups of Kubernetes with a dot that helm knows: those of client-go (`kubernetes/scheme`), and `apiextensions.k8s.io`.
const GROUPS: [&str; 17] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Whether helm knows the version without `--api-versions`, or never did: a group without a dot is one of Kubernetes.
fn is_built_in(version: &str) -> bool {
    let group = version.split('/').next().unwrap_or(version);
    !group.contains('.') || GROUPS.contains(&group)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates(text: &str) -> Templates {
        Templates { files: vec![("templates/a.yaml".to_owned(), text.to_owned())] }
    }

    #[test]
    fn only_what_kubernetes_does_not_have_is_asked_for() {
        let text = "{{ if .Capabilities.APIVersions.Has \"b.io/v1\" }}{{ end }}{{ if and ($.Capabilities.APIVersions.Has \"a.io/v1/X\") .b }}{{ end }}\
             {{ if .Capabilities.APIVersions.Has \"networking.k8s.io/v1\" }}{{ end }}{{ if .Capabilities.APIVersions.Has \"batch/v1\" }}{{ end }}\
             {{ if .Capabilities.APIVersions.Has .version }}{{ end }}{{/* .Capabilities.APIVersions.Has \"c.io/v1\" */}}\
             {{ if .Capabilities.APIVersions.Has \"--kube-insecure x/v1.\" }}{{ end }}{{ print \"d.io/v1\" }}\
             {{ if .Capabilities.APIVersions.Has \"b.io/v1\" }}{{ end }}{{ if .Capabilities.APIVersions.Has \"snapshot.storage.k8s.io/v1\" }}{{ end }}";
        assert_eq!(templates(text).api_versions(), ["a.io/v1/X", "b.io/v1", "snapshot.storage.k8s.io/v1"]);
    }

    #[test]
    fn what_is_required_and_not_given_is_named_with_its_line() {
        let text = "a: {{ required \"a\" .Values.a.b | quote }}\nb: {{ .Values.c | required \"c\" }}\n\
             c: {{ required `d` $.Values.d }}{{ required \"e\" .Values.given }}{{ required \"f\" .Values.empty }}\n\
             {{ .Values.required \"g\" .Values.g }}{{ required (printf \"%s\" .x) .Values.h }}{{ required \"i\" $x.i }}{{/* required \"j\" .Values.j */}}\n\
             {{ required \"a\" .Values.a.b }}{{ notrequired \"k\" .Values.k }}{{ required \"l\" .Values.none }}";
        let values =
            [Value::read("given: 1\nempty: ''\nnone: 1\nover: 1\n").unwrap(), Value::read("none: null\n").unwrap()];
        let required = templates(text).required(&values);
        let found: Vec<String> = required.iter().map(|one| format!("{}:{}", one.value, one.line)).collect();
        assert_eq!(found, ["a.b:1", "c:2", "d:3", "empty:3", "none:5"]);
    }
}

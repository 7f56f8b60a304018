//! What the ConfigMap `argocd-cm` says of health checks, where it stands in a repository (`util/settings/settings.go`, Argo CD 3.5).

use super::manifests::each_object;
use crate::argocd::CustomChecks;
use crate::yaml::{Node, Value};

/// The keys of health checks: each in a key of its own, or all in one.
const CUSTOMIZATIONS: &str = "resource.customizations";

/// True for a text in which such a ConfigMap can be. Looks for words only.
pub fn may_be_argocd_cm(text: &str) -> bool {
    text.contains("argocd-cm") && text.contains("ConfigMap")
}

/// Those of a text from the file `path`. What is not YAML, such as a template, is passed over, and so is a patch that says nothing of all this.
pub fn argocd_cms(path: &str, text: &str) -> Vec<CustomChecks> {
    let mut found = Vec::new();
    each_object(text, may_be_argocd_cm, |node| found.extend(of_object(path, node)));
    found
}

fn of_object(path: &str, object: Node<'_>) -> Option<CustomChecks> {
    let is_it =
        object.text_at(&["kind"]) == Some("ConfigMap") && object.text_at(&["metadata", "name"]) == Some("argocd-cm");
    let is_whole = object.text_at(&["metadata", "labels", "app.kubernetes.io/part-of"]) == Some("argocd");
    let data = object.get("data").filter(|_| is_it);
    let kinds = data.map_or(Some(Vec::new()), |data| {
        kinds(data.value().ok()?.as_map()?.iter().map(|(key, value)| (&**key, value)))
    });
    let says_something = is_whole || kinds != Some(Vec::new());
    (is_it && says_something).then(|| CustomChecks { place: path.to_owned(), kinds })
}

/// The globs of `group/Kind` with a health check. None where Argo CD cannot read the customizations (`GetResourceOverrides`).
fn kinds<'v>(data: impl Iterator<Item = (&'v str, &'v Value)>) -> Option<Vec<String>> {
    let mut kinds = Vec::new();
    for (key, value) in data.filter(|(key, _)| key.starts_with(CUSTOMIZATIONS)) {
        let text = value.as_text()?;
        if key == CUSTOMIZATIONS && !text.is_empty() {
            let block = Value::read(text).ok()?;
            let has_check = |kind: &&Value| kind.text_at(&["health.lua"]).is_some_and(|script| !script.is_empty());
            kinds.extend(block.as_map()?.iter().filter(|(_, kind)| has_check(kind)).map(|(key, _)| key.to_string()));
        } else if let Some(kind) = key.strip_prefix("resource.customizations.health.").filter(|_| !text.is_empty()) {
            kinds.push(match kind.split('_').collect::<Vec<_>>().as_slice() {
                ["all"] => "*/*".to_owned(),
                [kind] if !kind.is_empty() => (*kind).to_owned(),
                [group, kind] => format!("{group}/{kind}"),
                _ => return None,
            });
        }
    }
    Some(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argocd::{Version, Waits};

    /// What a sync does with a `TaskRun` of Tekton where `argocd-cm` has this data, a flow map.
    fn waits(data: &str) -> Waits {
        let labels = "{app.kubernetes.io/part-of: argocd}";
        let text = format!("kind: ConfigMap\nmetadata: {{name: argocd-cm, labels: {labels}}}\ndata: {data}\n");
        Waits::of("tekton.dev", "TaskRun", Version::new(3, 5, 0), &argocd_cms("cm.yaml", &text))
    }

    #[test]
    fn health_checks_are_read_as_argo_cd_reads_them() {
        let unreadable = Waits::OnlyWith("`cm.yaml`, which cannot be read".to_owned());
        for (data, expected) in [
            ("{}", Waits::No),
            ("{resource.customizations.health.tekton.dev_TaskRun: x}", Waits::Yes),
            ("{resource.customizations.health.tekton.dev_TaskRun: ''}", Waits::No),
            ("{resource.customizations.health.tekton.dev_*: x}", Waits::Yes),
            ("{resource.customizations.health.all: x}", Waits::Yes),
            ("{resource.customizations.health.TaskRun: x}", Waits::No),
            ("{resource.customizations.actions.tekton.dev_TaskRun: x}", Waits::No),
            ("{resource.customizations.health.a_b_c: x}", unreadable.clone()),
            ("{resource.customizations: '{tekton.dev/TaskRun: {health.lua: x}}'}", Waits::Yes),
            ("{resource.customizations: '{tekton.dev/TaskRun: {actions: x}}'}", Waits::No),
            ("{resource.customizations: '{'}", unreadable.clone()),
            ("{resource.customizations: 1}", unreadable),
        ] {
            assert_eq!(waits(data), expected, "{data}");
        }
    }

    #[test]
    fn a_patch_that_says_nothing_of_it_does_not_count() {
        let patch = |data: &str| {
            argocd_cms("p.yaml", &format!("kind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata: {data}\n"))
        };
        assert!(patch("{url: x}").is_empty());
        assert_eq!(patch("{resource.customizations.health.all: x}").len(), 1);
        assert!(argocd_cms("p.yaml", "kind: ConfigMap\nmetadata: {name: other} # argocd-cm\n").is_empty());
    }
}

//! What a repository says of the health checks of Argo CD, and of the fields that it does not compare (`util/settings/settings.go`, Argo CD 3.5): in
//! the ConfigMap `argocd-cm`, in the values of the chart `argo-cd` (`configs.cm`), or in the object `ArgoCD` of its operator.

use goyaml::Value;
use goyaml::value::Map;
use kube_jobs::argocd::{CustomChecks, IgnoredDifferences};
use kube_jobs::kubernetes::list::each_object;

/// The keys of health checks: each in a key of its own, or all in one.
const CUSTOMIZATIONS: &str = "resource.customizations";

/// The fields of `spec` of an `ArgoCD` that have health checks or ignored fields.
const OF_OPERATOR: [&str; 3] = ["resourceCustomizations", "resourceHealthChecks", "resourceIgnoreDifferences"];

/// Where the values of the chart `argo-cd` have `argocd-cm`: since 5.0, and before.
const OF_CHART: [[&str; 2]; 2] = [["configs", "cm"], ["server", "config"]];

/// The key of the options for `kustomize build` in `argocd-cm`, and the field of `spec` of an `ArgoCD`.
const BUILD_OPTIONS: &str = "kustomize.buildOptions";
const BUILD_OPTIONS_OF_OPERATOR: &str = "kustomizeBuildOptions";

/// What an object says of Argo CD's settings.
enum Settings<'v> {
    /// The data of an `argocd-cm`; if it is not complete, of a patch or in values of the chart.
    ConfigMap { data: Option<&'v Value>, is_complete: bool },
    /// The `spec` of an `ArgoCD`.
    Operator(&'v Value),
}

impl<'v> Settings<'v> {
    /// The settings in an object, or in values of the chart or of one that has it as a dependency. None if there are none.
    fn of(object: &'v Value) -> Option<Self> {
        match object.text_at(&["kind"]) {
            Some("ArgoCD") => object.at(&["spec"]).map(Self::Operator),
            Some("ConfigMap") if object.text_at(&["metadata", "name"]) == Some("argocd-cm") => {
                let is_complete =
                    object.text_at(&["metadata", "labels", "app.kubernetes.io/part-of"]) == Some("argocd");
                Some(Self::ConfigMap { data: object.at(&["data"]), is_complete })
            }
            Some(_) => None,
            None => {
                let in_chart = |values: &'v Value| OF_CHART.iter().find_map(|path| values.at(path));
                let below = || object.as_map()?.iter().find_map(|(_, values)| in_chart(values));
                let data = in_chart(object).or_else(below).filter(|data| data.as_map().is_some())?;
                Some(Self::ConfigMap { data: Some(data), is_complete: false })
            }
        }
    }

    /// What `read` finds in the settings of all objects of a text. Text that is not YAML, such as a template, is skipped.
    fn each<T>(text: &str, may_be: fn(&str) -> bool, read: impl Fn(Settings<'_>) -> Option<T>) -> Vec<T> {
        let mut found = Vec::new();
        each_object(text, may_be, |node| {
            let object = node.value().ok();
            found.extend(object.as_ref().and_then(Settings::of).and_then(&read));
        });
        found
    }
}

/// Whether there may be health checks or ignored fields in a text. If not, it need not be read.
pub fn may_be_argocd_cm(text: &str) -> bool {
    let has = |word: &str| goyaml::may_contain(text, word);
    has("argocd-cm") && has("ConfigMap") || has(CUSTOMIZATIONS) || OF_OPERATOR.iter().any(|word| has(word))
}

/// Whether there may be options for `kustomize build` in a text. If not, it need not be read.
pub(crate) fn may_have_build_options(text: &str) -> bool {
    [BUILD_OPTIONS, BUILD_OPTIONS_OF_OPERATOR].iter().any(|word| goyaml::may_contain(text, word))
}

/// The options for `kustomize build` in a text.
pub(crate) fn build_options(text: &str) -> Vec<String> {
    Settings::each(text, may_have_build_options, |settings| {
        let value = match settings {
            Settings::ConfigMap { data, .. } => data?.at(&[BUILD_OPTIONS]),
            Settings::Operator(spec) => spec.at(&[BUILD_OPTIONS_OF_OPERATOR]),
        };
        value.and_then(Value::as_text).map(ToOwned::to_owned)
    })
}

/// The health checks in a text from the file `path`. A patch without health checks is skipped.
pub fn argocd_cms(path: &str, text: &str) -> Vec<CustomChecks> {
    Settings::each(text, may_be_argocd_cm, |settings| {
        let (kinds, is_complete) = match settings {
            Settings::ConfigMap { data, is_complete } => {
                (data.map_or(Some(Vec::new()), |data| kinds(pairs(data.as_map()?))), is_complete)
            }
            Settings::Operator(spec) => (kinds_of_operator(spec), false),
        };
        // A complete one without checks counts too: there are none.
        let says_something = is_complete || kinds != Some(Vec::new());
        says_something.then(|| CustomChecks { place: path.to_owned(), kinds })
    })
}

fn kinds_of_operator(spec: &Value) -> Option<Vec<String>> {
    let [block, checks, _] = OF_OPERATOR.map(|key| spec.at(&[key]));
    let mut all = kinds(block.map(|block| (CUSTOMIZATIONS, block)).into_iter());
    for check in checks.and_then(Value::as_list).unwrap_or_default() {
        let group = check.text_at(&["group"]).filter(|group| !group.is_empty()).map(|group| format!("{group}/"));
        let kind = check.text_at(&["kind"]).unwrap_or("");
        all.iter_mut().for_each(|all| all.push(format!("{}{kind}", group.as_deref().unwrap_or(""))));
    }
    all
}

fn pairs(map: &Map) -> impl Iterator<Item = (&str, &Value)> {
    map.iter().map(|(key, value)| (&**key, value))
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
            kinds.push(override_key(kind)?);
        }
    }
    Some(kinds)
}

/// The glob of `group/Kind` that a key ends with (`convertToOverrideKey`).
fn override_key(kind: &str) -> Option<String> {
    Some(match kind.split('_').collect::<Vec<_>>().as_slice() {
        ["all"] => "*/*".to_owned(),
        [kind] if !kind.is_empty() => (*kind).to_owned(),
        [group, kind] => format!("{group}/{kind}"),
        _ => return None,
    })
}

/// The fields that Argo CD does not compare in any Application, one list for each `argocd-cm` in a text. A patch that says nothing of it is skipped.
pub fn ignored(text: &str) -> Vec<Vec<IgnoredDifferences>> {
    Settings::each(text, may_be_argocd_cm, |settings| match settings {
        Settings::ConfigMap { data, is_complete } => {
            of_keys(pairs(data?.as_map()?)).filter(|ignored| is_complete || !ignored.is_empty())
        }
        Settings::Operator(spec) => of_operators_spec(spec).filter(|ignored| !ignored.is_empty()),
    })
}

/// `resourceIgnoreDifferences` and `resourceCustomizations` of the operator.
fn of_operators_spec(spec: &Value) -> Option<Vec<IgnoredDifferences>> {
    let mut all = of_keys(spec.at(&["resourceCustomizations"]).map(|block| (CUSTOMIZATIONS, block)).into_iter())?;
    let rules = spec.at(&["resourceIgnoreDifferences"]);
    let of_all = rules.and_then(|rules| rules.at(&["all"]));
    all.extend(of_all.and_then(|rule| of_override("*/*", rule)));
    for rule in rules.map_or(&[][..], |rules| rules.items_at(&["resourceIdentifiers"])) {
        let [group, kind] = ["group", "kind"].map(|key| rule.text_at(&[key]).unwrap_or_default());
        all.extend(rule.at(&["customization"]).and_then(|rule| of_override(&format!("{group}/{kind}"), rule)));
    }
    Some(all)
}

/// The ignored fields of all keys. None where Argo CD cannot read them.
fn of_keys<'v>(data: impl Iterator<Item = (&'v str, &'v Value)>) -> Option<Vec<IgnoredDifferences>> {
    let mut all = Vec::new();
    for (key, value) in data.filter(|(key, _)| key.starts_with(CUSTOMIZATIONS)) {
        let text = value.as_text()?;
        if key == CUSTOMIZATIONS && !text.is_empty() {
            for (kind, rule) in Value::read(text).ok()?.as_map()?.iter() {
                let Some(rule) = rule.text_at(&["ignoreDifferences"]) else { continue };
                all.extend(of_override(kind, &Value::read(rule).ok()?));
            }
        } else if let Some(kind) = key.strip_prefix("resource.customizations.ignoreDifferences.") {
            all.extend(of_override(&override_key(kind)?, &Value::read(text).ok()?));
        }
    }
    Some(all)
}

/// The ignored fields of a glob of `group/Kind`; none if there are none. Without a slash the group is that of the core.
fn of_override(key: &str, rule: &Value) -> Option<IgnoredDifferences> {
    let (group, kind) = key.split_once('/').unwrap_or(("", key));
    let found = IgnoredDifferences::fields_of(rule);
    let is_any = !(found.pointers.is_empty() && found.expressions.is_empty() && found.managers.is_empty());
    is_any.then(|| IgnoredDifferences { group: group.to_owned(), kind: kind.to_owned(), is_of_argocd: true, ..found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_jobs::argocd::{Version, Waits};

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
    fn build_options_are_found_where_argo_cd_has_them() {
        for (text, expected) in [
            (
                "kind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {kustomize.buildOptions: --enable-helm}\n",
                &["--enable-helm"][..],
            ),
            ("kind: ConfigMap\nmetadata: {name: other}\ndata: {kustomize.buildOptions: --enable-helm}\n", &[]),
            ("kind: ArgoCD\nspec: {kustomizeBuildOptions: --enable-helm}\n", &["--enable-helm"]),
            ("argo-cd: {configs: {cm: {kustomize.buildOptions: --enable-helm}}}\n", &["--enable-helm"]),
            ("server: {config: {kustomize.buildOptions: --enable-helm}}\n", &["--enable-helm"]),
            ("kind: ArgoCD\nspec: {\"kustomizeBuild\\u004fptions\": --enable-helm}\n", &["--enable-helm"]),
            ("kind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {kustomize.buildOptions: 1}\n", &[]),
            ("kustomize.buildOptions: {{ .Values.x }}\n", &[]),
        ] {
            assert_eq!(build_options(text), expected, "{text}");
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

    #[test]
    fn ignored_fields_are_read_as_argo_cd_reads_them() {
        let labels = "{app.kubernetes.io/part-of: argocd}";
        let rule = "{jsonPointers: [/spec/replicas], jqPathExpressions: [.a]}";
        let customization = format!("resource.customizations.ignoreDifferences.apps_Deployment: '{rule}'");
        for (text, wanted) in [
            (
                format!(
                    "kind: ConfigMap\nmetadata: {{name: argocd-cm, labels: {labels}}}\ndata: {{{customization}}}\n"
                ),
                "apps/Deployment",
            ),
            (
                format!(
                    "kind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata: {{resource.customizations.ignoreDifferences.all: '{rule}'}}\n"
                ),
                "*/*",
            ),
            (
                format!(
                    "kind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata:\n  resource.customizations: |\n    a/B: {{ignoreDifferences: '{rule}'}}\n"
                ),
                "a/B",
            ),
            (format!("configs: {{cm: {{{customization}}}}}\n"), "apps/Deployment"),
            (
                format!(
                    "kind: ArgoCD\nspec: {{resourceIgnoreDifferences: {{resourceIdentifiers: [{{group: a, kind: B, customization: {rule}}}]}}}}\n"
                ),
                "a/B",
            ),
            (format!("kind: ArgoCD\nspec: {{resourceIgnoreDifferences: {{all: {rule}}}}}\n"), "*/*"),
        ] {
            let found = ignored(&text).concat();
            let [one] = found.as_slice() else { panic!("{text}: {found:?}") };
            assert_eq!(format!("{}/{}", one.group, one.kind), wanted, "{text}");
            assert_eq!(
                (&one.pointers[..], &one.expressions[..]),
                (&["/spec/replicas".to_owned()][..], &[".a".to_owned()][..])
            );
        }
        let none = format!("kind: ConfigMap\nmetadata: {{name: argocd-cm, labels: {labels}}}\n");
        assert!(ignored(&none).concat().is_empty());
        assert!(ignored("kind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {url: x}\n").is_empty());
    }

    #[test]
    fn the_chart_and_the_operator_have_them_in_other_places() {
        let (key, block) = ("resource.customizations.health.a.b_C", "{a.b/C: {health.lua: x}}");
        for (text, expected) in [
            (format!("configs: {{cm: {{{key}: x}}}}\n"), 1),
            (format!("argo-cd: {{configs: {{cm: {{resource.customizations: '{block}'}}}}}}\n"), 1),
            (format!("configs: {{params: {{{key}: x}}}}\n"), 0),
            ("configs: {cm: {resource.customizations.ignoreDifferences.all: x}}\n".to_owned(), 0),
            (format!("kind: ArgoCD\nspec: {{resourceCustomizations: '{block}'}}\n"), 1),
            ("kind: ArgoCD\nspec: {resourceHealthChecks: [{group: a.b, kind: C, check: x}]}\n".to_owned(), 1),
            ("kind: ArgoCD\nspec: {resourceCustomizations: ''}\n".to_owned(), 0),
        ] {
            let found = argocd_cms("p.yaml", &text);
            assert_eq!(found.len(), expected, "{text}");
            assert!(found.iter().all(|checks| checks.kinds.as_deref() == Some(&["a.b/C".to_owned()])), "{found:?}");
        }
    }
}

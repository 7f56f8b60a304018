//! A pasted block and the typed parameters mean the same; what Argo CD's API does not take is refused where it is.

use crate::settings::{
    ApplicationSettings, CONFIG_FILE, CliParameter, ConfigText, Id, Layers, PARAMETERS, RawLayers, Scope, SourceKind,
    ValueType,
};

const EVERY_HELM_FIELD: &str = r#"
releaseName: rel
namespace: other
valueFiles: [values-prod.yaml, /env/a.yaml]
ignoreMissingValueFiles: true
values: "a: 1"
parameters:
- {name: str, value: "a,b"}
- {name: num, value: "1", forceString: true}
- {name: str, value: "last"}
fileParameters:
- {name: file, path: msg.txt}
kubeVersion: v1.33.1
apiVersions: [monitoring.coreos.com/v1]
skipCrds: yes
skipTests: on
skipSchemaValidation: true
version: v3
passCredentials: false
"#;

const EVERY_KUSTOMIZE_FIELD: &str = r#"
namePrefix: pre-
nameSuffix: -suf
namespace: kns
images: [busybox=alpine:3]
replicas: [{name: web, count: 3}, {name: api, count: "2"}]
commonLabels: {a: "1", b: x}
forceCommonLabels: true
labelWithoutSelector: true
labelIncludeTemplates: true
commonAnnotations: {note: $ARGOCD_APP_NAME}
forceCommonAnnotations: true
commonAnnotationsEnvsubst: true
patches: [{target: {kind: Job}, patch: "- {op: remove, path: /x}"}]
components: [../comp]
ignoreMissingComponents: true
kubeVersion: "1.30"
apiVersions: [apps/v1]
version: v5.8.1
"#;

/// `ARGOCD_APP_PARAMETERS` with one parameter.
fn application(parameters: &serde_json::Value) -> Result<ApplicationSettings, String> {
    let text = parameters.to_string();
    let texts = RawLayers { application_parameters: Some(&text), ..RawLayers::default() };
    Layers::read(&texts).map(|layers| layers.application()).map_err(|error| error.to_string())
}

fn block(tool: &str, text: &str) -> Result<ApplicationSettings, String> {
    application(&serde_json::json!([{ "name": tool, "string": text }]))
}

fn file(text: &str) -> Result<ApplicationSettings, String> {
    let config_file = ConfigText { path: CONFIG_FILE.into(), text: text.to_owned() };
    let texts = RawLayers { config_file: Some(&config_file), ..RawLayers::default() };
    Layers::read(&texts).map(|layers| layers.application()).map_err(|error| error.to_string())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[test]
fn a_block_means_the_same_as_its_parameters() {
    let typed = serde_json::json!([
        { "name": "helm-release-name", "string": "rel" },
        { "name": "helm.namespace", "string": "other" },
        { "name": "helm.valueFiles", "array": ["values-prod.yaml", "/env/a.yaml"] },
        { "name": "helm-ignore-missing-value-files", "string": "true" },
        { "name": "helm-values", "string": "a: 1" },
        { "name": "helm-parameters", "map": { "str": "last" } },
        { "name": "helm-string-parameters", "map": { "num": "1" } },
        { "name": "helm-file-parameters", "map": { "file": "msg.txt" } },
        { "name": "helm-kube-version", "string": "v1.33.1" },
        { "name": "helm-api-versions", "array": ["monitoring.coreos.com/v1"] },
        { "name": "helm-skip-crds", "string": "true" },
        { "name": "helm-skip-tests", "string": "true" },
        { "name": "helm.skipSchemaValidation", "string": "true" },
    ]);
    let typed = application(&typed).unwrap();
    assert_eq!(typed.source, SourceKind::Helm);
    assert_eq!(block("helm", EVERY_HELM_FIELD).unwrap(), typed);
    // The config file says itself that `yes` is no boolean: there the block is read as an Application, too.
    assert_eq!(file(&format!("helm:\n{}", indented(EVERY_HELM_FIELD))).unwrap(), typed);
    assert_eq!(file(&format!("helm: |\n{}", indented(EVERY_HELM_FIELD))).unwrap(), typed);

    let typed = serde_json::json!([
        { "name": "kustomize-name-prefix", "string": "pre-" },
        { "name": "kustomize-name-suffix", "string": "-suf" },
        { "name": "kustomize-namespace", "string": "kns" },
        { "name": "kustomize-images", "array": ["busybox=alpine:3"] },
        { "name": "kustomize-common-labels", "map": { "a": "1", "b": "x" } },
        { "name": "kustomize-force-common-labels", "string": "true" },
        { "name": "kustomize-label-without-selector", "string": "true" },
        { "name": "kustomize-label-include-templates", "string": "true" },
        { "name": "kustomize-common-annotations", "map": { "note": "$ARGOCD_APP_NAME" } },
        { "name": "kustomize-force-common-annotations", "string": "true" },
        { "name": "kustomize-common-annotations-envsubst", "string": "true" },
        { "name": "kustomize-patches", "array": ["target: {kind: Job}\npatch: '- {op: remove, path: /x}'"] },
        { "name": "kustomize-components", "array": ["../comp"] },
        { "name": "kustomize-ignore-missing-components", "string": "true" },
        { "name": "kustomize-kube-version", "string": "1.30" },
        { "name": "kustomize-api-versions", "array": ["apps/v1"] },
        { "name": "kustomize-version", "string": "v5.8.1" },
        { "name": "kustomize-replicas", "map": { "web": "3", "api": "2" } },
    ]);
    let typed = application(&typed).unwrap();
    let pasted = block("kustomize", EVERY_KUSTOMIZE_FIELD).unwrap();
    assert_eq!(pasted.source, SourceKind::Kustomize);
    // A list has an order, and a map has none.
    assert_eq!(pasted.kustomize.replicas, [("web".to_owned(), "3".to_owned()), ("api".to_owned(), "2".to_owned())]);
    let sorted = |mut settings: ApplicationSettings| {
        settings.kustomize.replicas.sort();
        settings
    };
    assert_eq!(sorted(pasted.clone()), typed);
    assert_eq!(file(&format!("kustomize:\n{}", indented(EVERY_KUSTOMIZE_FIELD))).unwrap(), pasted);
}

#[test]
fn the_values_object_wins_over_the_values() {
    let values = |text: &str| block("helm", text).unwrap().helm.values;
    assert_eq!(
        values("valuesObject: {b: [1, yes, 0755, null]}\nvalues: x").as_deref(),
        Some(r#"{"b":[1,true,493,null]}"#)
    );
    assert_eq!(values("valuesObject: null\nvalues: x").as_deref(), Some("x"));
    assert_eq!(values("valuesObject: {}\nvalues: x").as_deref(), Some("{}"));
    assert_eq!(values("values: ''"), None);
}

#[test]
fn an_empty_block_names_the_source() {
    assert_eq!(block("helm", "{}").unwrap().source, SourceKind::Helm);
    assert_eq!(file("kustomize: {}").unwrap().source, SourceKind::Kustomize);
    // Argo CD's UI sends an empty text for what is not set.
    assert_eq!(block("helm", "").unwrap().source, SourceKind::Auto);
}

#[test]
fn what_the_api_does_not_take_is_refused_where_it_is() {
    let message = |tool: &str, text: &str| block(tool, text).unwrap_err();
    let unknown = "parameter `helm`, line 2: unknown key `valueFile`\nhelp: did you mean `valueFiles`?";
    assert_eq!(message("helm", "skipCrds: true\nvalueFile: [a]"), unknown);
    let number = "parameter `helm`, line 2: `parameters[0].value` is a number, expected a string\n\
                  help: put the value in quotes; Argo CD's API requires it too";
    assert_eq!(message("helm", "parameters:\n- {name: a, value: 1}"), number);
    for (tool, text, expected) in [
        ("helm", "parameters:\n- {nam: a}", "line 2: unknown key `nam`"),
        ("helm", "valueFiles: a.yaml", "`valueFiles` is a string, expected a list"),
        ("helm", "skipCrds: 'true'", "`skipCrds` is a string, expected a boolean"),
        ("helm", "[a]", "the value is a list, expected a map"),
        ("helm", "valuesObject: []", "`valuesObject` is a list, expected a map"),
        ("helm", "version: v2", "Helm `v2` is not supported"),
        ("helm", "passCredentials: true", "`passCredentials` has no effect in a plugin"),
        ("helm", "values: a\nvalues: b", "line 2: the key `values` is set twice"),
        ("helm", "values: a\n---\nvalues: b", "the block has a second YAML document here, expected one"),
        ("helm", "values: [", "line 1: "),
        ("helm", "a: &a [x]\nb: *c", "line 2: "),
        ("kustomize", "replicas: [{name: a, count: x}]", "invalid value `x`"),
        ("kustomize", "replicas: [{name: a, count: 1.5}]", "`replicas[0].count` is a number, expected a whole number"),
        ("kustomize", "patches: [{targets: {}}]", "unknown key `targets`"),
        ("kustomize", "patches: [{target: {knd: Job}}]", "unknown key `knd`"),
        ("kustomize", "patches: [{options: {allowNameChange: 1}}]", "`patches[0].options.allowNameChange` is a number"),
        ("kustomize", "commonLabels: {a: 1}", "`commonLabels.a` is a number, expected a string"),
    ] {
        let message = message(tool, text);
        assert!(message.contains(expected), "{text}\n{message}");
    }
    let in_file = file("ttl: 1\nhelm:\n  valueFiles: [a]\n  skipCrd: true\n").unwrap_err();
    assert_eq!(in_file, ".argocd-jobs.yaml:4:3: key `helm`: unknown key `skipCrd`\nhelp: did you mean `skipCrds`?");
}

#[test]
fn two_ways_in_one_layer_are_an_error_and_a_higher_layer_wins() {
    let both = serde_json::json!([
        { "name": "helm", "string": "valueFiles: [a]" }, { "name": "helm-value-files", "array": ["b"] },
    ]);
    let error =
        "`helm-value-files` is set twice: under its own name and in the block `helm`\nhelp: keep one of the two";
    assert_eq!(application(&both).unwrap_err(), error);
    // What the UI sends for a parameter that nobody has set says nothing.
    let silent = serde_json::json!([
        { "name": "helm", "string": "valueFiles: [a]\nskipCrds: true" },
        { "name": "helm-value-files", "array": [] },
        { "name": "helm-skip-crds", "string": "false" },
        { "name": "helm-values", "string": "" },
    ]);
    let helm = application(&silent).unwrap().helm;
    assert_eq!((helm.value_files, helm.skip_crds), (vec!["a".to_owned()], true));
    let config_file =
        ConfigText { path: CONFIG_FILE.into(), text: "helm: {valueFiles: [a], skipCrds: true}".to_owned() };
    let parameters = serde_json::json!([{ "name": "helm-value-files", "array": ["b"] }]).to_string();
    let texts = RawLayers {
        config_file: Some(&config_file),
        application_parameters: Some(&parameters),
        ..RawLayers::default()
    };
    let helm = Layers::read(&texts).unwrap().application().helm;
    assert_eq!((helm.value_files, helm.skip_crds), (vec!["b".to_owned()], true));
}

#[test]
fn parameters_are_for_one_kind_of_source() {
    let refused = |json: serde_json::Value| application(&json).unwrap_err();
    let helm = serde_json::json!({ "name": "helm-values", "string": "a: 1" });
    let kustomize = serde_json::json!({ "name": "kustomize-namespace", "string": "a" });
    let help = "\nhelp: remove the parameters for the other tool, or change `source`";
    let both = "parameter `kustomize-namespace` is for kustomize, but parameter `helm-values` is for Helm".to_owned();
    assert_eq!(refused(serde_json::json!([helm, kustomize])), both + help);
    let named = serde_json::json!({ "name": "source", "string": "directory" });
    let other = "parameter `helm-values` is for Helm, but `source` is `directory`".to_owned();
    assert_eq!(refused(serde_json::json!([helm, named])), other + help);
    // What the platform owner sets for all Applications says nothing about one.
    let environment = [("ARGOCD_JOBS_HELM_SKIP_TESTS".to_owned(), "true".to_owned())].into();
    let texts = RawLayers { environment: &environment, ..RawLayers::default() };
    let settings = Layers::read(&texts).unwrap().application();
    assert_eq!((settings.source, settings.helm.skip_tests), (SourceKind::Auto, true));
}

#[test]
fn only_the_platform_owner_says_what_the_tools_may_do() {
    let platform: Vec<_> = PARAMETERS.iter().filter(|parameter| parameter.scope == Scope::Platform).collect();
    assert!(platform.len() >= 10);
    for parameter in platform {
        let (name, variable) = (parameter.name, parameter.variable());
        let json = serde_json::json!([{ "name": name, "string": "1" }]);
        let help = format!(
            "only the platform owner can set `{name}`: with the variable `ARGOCD_JOBS_{variable}` of the sidecar"
        );
        assert!(application(&json).unwrap_err().contains(&help), "{name}");
        assert!(file(&format!("{name}: 1")).unwrap_err().contains(&help), "{name}");
        let environment = [(format!("ARGOCD_ENV_ARGOCD_JOBS_{variable}"), "1".to_owned())].into();
        let from_plugin_env = Layers::read(&RawLayers { environment: &environment, ..RawLayers::default() });
        assert!(from_plugin_env.unwrap_err().to_string().contains(&help), "{name}");
        let typed = CliParameter { name: name.to_owned(), written: format!("--{name}"), value: "1".into() };
        let in_a_case = RawLayers { command_line: &[typed], in_a_case: true, ..RawLayers::default() };
        assert!(Layers::read(&in_a_case).unwrap_err().to_string().contains(&help), "{name}");
    }
}

#[test]
fn a_lock_on_a_block_locks_its_fields() {
    let parameters = serde_json::json!([{ "name": "helm", "string": "{values: 'a: 1', skipTests: true}" }]).to_string();
    let environment = [("LOCK", "helm"), ("HELM_VALUES", "b: 2")];
    let environment =
        environment.map(|(name, value)| (format!("ARGOCD_JOBS_{name}"), value.to_owned())).into_iter().collect();
    let texts =
        RawLayers { environment: &environment, application_parameters: Some(&parameters), ..RawLayers::default() };
    let settings = Layers::read(&texts).unwrap().application();
    assert_eq!((settings.helm.values.as_deref(), settings.helm.skip_tests), (Some("b: 2"), false));
    assert_eq!(settings.source, SourceKind::Auto);
}

#[test]
fn every_parameter_about_rendering_is_resolved() {
    for parameter in PARAMETERS.iter().filter(|row| row.tool().is_some() || row.scope == Scope::Platform) {
        let value = match parameter.value_type {
            ValueType::Block(_) => continue,
            ValueType::Choice(words) => words[1],
            ValueType::Number(_) => "99",
            ValueType::Switch => "true",
            ValueType::Map | ValueType::Counts if parameter.id == Id::KustomizeVersions => "v1=/bin/kustomize",
            ValueType::Map => "a=b",
            ValueType::Counts => "a=1",
            ValueType::Texts if parameter.id == Id::KustomizePatches => "{patch: x}",
            _ if parameter.id == Id::KustomizeBuildOptions => "--enable-helm",
            _ => "/a",
        };
        let mut environment: std::collections::BTreeMap<String, String> =
            [(format!("ARGOCD_JOBS_{}", parameter.variable()), value.to_owned())].into();
        environment.insert("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS".to_owned(), "a".to_owned());
        let resolved = |environment: &std::collections::BTreeMap<String, String>| {
            let texts = RawLayers { environment, ..RawLayers::default() };
            Layers::read(&texts).unwrap_or_else(|error| panic!("{error}")).application()
        };
        if parameter.id == Id::HelmCredentialsProjects {
            assert_eq!(resolved(&environment).platform.credentials_projects, ["a"]);
            continue;
        }
        let without = [("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS".to_owned(), "a".to_owned())].into();
        assert_ne!(resolved(&environment), resolved(&without), "`{}` changes nothing", parameter.name);
    }
}

#[test]
fn mounted_credentials_are_for_listed_projects_and_confined_kustomizations() {
    let read = |variables: &[(&str, &str)]| {
        let environment =
            variables.iter().map(|(name, value)| (format!("ARGOCD_JOBS_{name}"), (*value).to_owned())).collect();
        Layers::read(&RawLayers { environment: &environment, ..RawLayers::default() })
            .map_err(|error| error.to_string())
    };
    let config = ("HELM_REGISTRY_CONFIG", "/etc/registry/config.json");
    let projects = ("HELM_CREDENTIALS_PROJECTS", "team-a");
    assert!(read(&[config]).unwrap_err().contains("no AppProject may use the credentials"));
    assert!(read(&[config, projects]).is_ok());
    let open = ("KUSTOMIZE_BUILD_OPTIONS", "--load-restrictor LoadRestrictionsNone");
    assert!(read(&[config, projects, open]).unwrap_err().contains("every kustomization could read the credentials"));
}

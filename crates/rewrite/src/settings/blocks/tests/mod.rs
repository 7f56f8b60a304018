//! A pasted block means the same as the single parameters. An error is placed where Argo CD's API would refuse the
//! value.

mod locks;

use std::collections::BTreeMap;

use goyaml::Value;

use crate::settings::{
    ApplicationSettings, CONFIG_FILE, CliParameter, ConfigText, HelmSettings, Id, KustomizeSettings, Layers,
    PARAMETERS, RawLayers, Scope, SourceKind, ValueType,
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
fn every_field_reaches_the_tool_from_every_layer() {
    let text = |text: &str| Some(text.to_owned());
    let map =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let helm = HelmSettings {
        release_name: text("rel"),
        namespace: text("other"),
        value_files: vec!["values-prod.yaml".to_owned(), "/env/a.yaml".to_owned()],
        ignore_missing_value_files: true,
        values: text("a: 1"),
        parameters: map(&[("str", "last")]),
        string_parameters: map(&[("num", "1")]),
        file_parameters: map(&[("file", "msg.txt")]),
        kube_version: text("v1.33.1"),
        api_versions: vec!["monitoring.coreos.com/v1".to_owned()],
        skip_crds: true,
        skip_tests: true,
        skip_schema_validation: true,
    };
    let kustomize = KustomizeSettings {
        name_prefix: text("pre-"),
        name_suffix: text("-suf"),
        namespace: text("kns"),
        images: vec!["busybox=alpine:3".to_owned()],
        replicas: vec![("web".to_owned(), 3), ("api".to_owned(), 2)],
        common_labels: map(&[("a", "1"), ("b", "x")]),
        force_common_labels: true,
        label_without_selector: true,
        label_include_templates: true,
        common_annotations: map(&[("note", "$ARGOCD_APP_NAME")]),
        force_common_annotations: true,
        common_annotations_envsubst: true,
        patches: vec![Value::read("{target: {kind: Job}, patch: '- {op: remove, path: /x}'}").unwrap()],
        components: vec!["../comp".to_owned()],
        ignore_missing_components: true,
        kube_version: text("1.30"),
        api_versions: vec!["apps/v1".to_owned()],
        version: text("v5.8.1"),
    };
    for (tool, block_text) in [("helm", EVERY_HELM_FIELD), ("kustomize", EVERY_KUSTOMIZE_FIELD)] {
        let environment = |prefix: &str| {
            let environment = [(format!("{prefix}ARGOCD_JOBS_{}", tool.to_uppercase()), block_text.to_owned())].into();
            Layers::read(&RawLayers { environment: &environment, ..RawLayers::default() }).unwrap().application()
        };
        let all = [
            block(tool, block_text).unwrap(),
            file(&format!("{tool}:\n{}", indented(block_text))).unwrap(),
            file(&format!("{tool}: |\n{}", indented(block_text))).unwrap(),
            environment(""),
            environment("ARGOCD_ENV_"),
        ];
        for found in all {
            if tool == "helm" { assert_eq!(found.helm, helm) } else { assert_eq!(found.kustomize, kustomize) }
        }
    }
}

#[test]
fn four_fields_have_a_parameter_of_their_own() {
    let typed = serde_json::json!([
        { "name": "helm.valueFiles", "array": ["a.yaml", "b.yaml"] },
        { "name": "helm-values", "string": "a: 1" },
        { "name": "helm-parameters", "map": { "a": "b" } },
    ]);
    let as_block = "{valueFiles: [a.yaml, b.yaml], values: 'a: 1', parameters: [{name: a, value: b}]}";
    assert_eq!(application(&typed).unwrap(), block("helm", as_block).unwrap());
    let images = serde_json::json!([{ "name": "kustomize-images", "array": ["a:1"] }]);
    assert_eq!(application(&images).unwrap(), block("kustomize", "images: ['a:1']").unwrap());
    // Image Updater writes one variable per image, and the value of a variable is split at commas.
    let environment = [("ARGOCD_ENV_ARGOCD_JOBS_KUSTOMIZE_IMAGES".to_owned(), "a:1,b=c:2".to_owned())].into();
    let layers = Layers::read(&RawLayers { environment: &environment, ..RawLayers::default() }).unwrap();
    assert_eq!(layers.application().kustomize.images, ["a:1", "b=c:2"]);
    for name in ["helm-kube-version", "helm.kubeVersion", "kustomize-namespace"] {
        let error = application(&serde_json::json!([{ "name": name, "string": "1" }])).unwrap_err();
        let help = format!("help: did you mean `{}`?", &name[..name.find(['-', '.']).unwrap()]);
        assert_eq!(error, format!("unknown parameter `{name}`\n{help}"));
    }
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
    // Argo CD's UI sends an empty text for a parameter that is not set.
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
fn a_higher_layer_wins_field_by_field() {
    // Within a layer, a parameter wins over the same field of the block, unless its value is empty, as Argo CD's UI
    // sends it back.
    let both = serde_json::json!([
        { "name": "helm-value-files", "array": ["b"] },
        { "name": "helm", "string": "valueFiles: [a]\nvalues: x\nparameters: [{name: a, value: b, forceString: true}]" },
        { "name": "helm-values", "string": "" },
        { "name": "helm-parameters", "map": {} },
    ]);
    let helm = application(&both).unwrap().helm;
    assert_eq!((helm.value_files, helm.values), (vec!["b".to_owned()], Some("x".to_owned())));
    assert_eq!(helm.string_parameters, [("a".to_owned(), "b".to_owned())].into());
    let config_file = ConfigText {
        path: CONFIG_FILE.into(),
        text: "helm: {valueFiles: [a], skipCrds: true, valuesObject: {a: 1}}".to_owned(),
    };
    let environment =
        [("ARGOCD_JOBS_HELM".to_owned(), "{skipCrds: false, skipTests: true, namespace: ns}".to_owned())].into();
    let parameters =
        serde_json::json!([{ "name": "helm-value-files", "array": ["b"] }, { "name": "helm", "string": "values: b" }]);
    let parameters = parameters.to_string();
    let texts = RawLayers {
        environment: &environment,
        config_file: Some(&config_file),
        application_parameters: Some(&parameters),
        ..RawLayers::default()
    };
    let helm = Layers::read(&texts).unwrap().application().helm;
    assert_eq!((helm.value_files, helm.values.as_deref()), (vec!["b".to_owned()], Some("b")));
    assert_eq!((helm.skip_crds, helm.skip_tests, helm.namespace.as_deref()), (true, true, Some("ns")));
}

#[test]
fn parameters_are_for_one_kind_of_source() {
    let refused = |json: serde_json::Value| application(&json).unwrap_err();
    let helm = serde_json::json!({ "name": "helm-values", "string": "a: 1" });
    let kustomize = serde_json::json!({ "name": "kustomize-images", "array": ["a"] });
    let help = "\nhelp: remove the parameters for the other tool, or change `source`";
    let both = "parameter `kustomize-images` is for kustomize, but parameter `helm-values` is for Helm".to_owned();
    assert_eq!(refused(serde_json::json!([helm, kustomize])), both + help);
    let named = serde_json::json!({ "name": "source", "string": "directory" });
    let other = "parameter `helm-values` is for Helm, but `source` is `directory`".to_owned();
    assert_eq!(refused(serde_json::json!([helm, named])), other + help);
    // A setting of the platform owner applies to all Applications, so it does not show which tool this one uses.
    let environment = [("ARGOCD_JOBS_HELM".to_owned(), "skipTests: true".to_owned())].into();
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
fn every_parameter_about_rendering_is_resolved() {
    for parameter in PARAMETERS.iter().filter(|row| row.tool().is_some() || row.scope == Scope::Platform) {
        let value = match parameter.value_type {
            ValueType::Block(_) => continue,
            ValueType::Choice(words) => words[1],
            ValueType::Number(_) => "99",
            ValueType::Switch => "true",
            ValueType::Map if parameter.id == Id::KustomizeVersions => "v1=/bin/kustomize",
            ValueType::Map => "a=b",
            _ if parameter.id == Id::KustomizeBuildOptions => "--enable-helm",
            _ => "/a",
        };
        let mut environment: BTreeMap<String, String> =
            [(format!("ARGOCD_JOBS_{}", parameter.variable()), value.to_owned())].into();
        environment.insert("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS".to_owned(), "a".to_owned());
        let resolved = |environment: &BTreeMap<String, String>| {
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

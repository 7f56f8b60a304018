//! `ARGOCD_JOBS_LOCK` with the name of a block, and with paths of its fields.

use std::collections::BTreeMap;

use goyaml::Value;
use kube_jobs::kubernetes::Job;

use crate::settings::{
    ApplicationSettings, CONFIG_FILE, CliParameter, ConfigText, Layers, RawLayers, Settings, SourceKind, WithPlugin,
};

/// The settings of the Application under a lock, and the names of the values that the lock overrules.
fn locked(
    lock: &str,
    sidecar: (&str, &str),
    layer: &str,
    tool: &str,
    text: &str,
) -> (ApplicationSettings, Vec<String>) {
    let mut environment: BTreeMap<String, String> =
        [("ARGOCD_JOBS_LOCK".to_owned(), lock.to_owned()), (sidecar.0.to_owned(), sidecar.1.to_owned())].into();
    let mut texts = RawLayers::default();
    let config_file = ConfigText { path: CONFIG_FILE.into(), text: format!("{tool}: {text}\n") };
    let parameters = match tool {
        "helm-value-files" => serde_json::json!([{ "name": tool, "array": [text] }]),
        _ => serde_json::json!([{ "name": tool, "string": text }]),
    };
    let parameters = parameters.to_string();
    let typed = [CliParameter { name: tool.to_owned(), written: format!("--{tool}"), value: text.into() }];
    let native = Settings::of_source(SourceKind::Helm, Value::read(text).unwrap());
    match layer {
        "file" => texts.config_file = Some(&config_file),
        "parameters" => texts.application_parameters = Some(&parameters),
        "command line" => texts.command_line = &typed,
        "Application" => (texts.native, texts.with_plugin) = (native.as_ref().ok(), WithPlugin::No),
        _ => drop(
            environment
                .insert(format!("ARGOCD_ENV_ARGOCD_JOBS_{}", tool.to_uppercase().replace('-', "_")), text.to_owned()),
        ),
    }
    let layers = Layers::read(&RawLayers { environment: &environment, ..texts }).unwrap();
    let job = Job::read("{metadata: {name: migrate}, spec: {}}").unwrap();
    let overruled = layers.for_job(&job, None).unwrap().overruled;
    (layers.application(), overruled.iter().map(|overruled| overruled.name().into_owned()).collect())
}

#[test]
fn a_lock_on_a_block_locks_its_fields() {
    for layer in ["file", "parameters", "command line", "plugin.env"] {
        let block = "{values: 'a: 1', skipTests: true, parameters: [{name: a, value: b, forceString: true}]}";
        let (found, overruled) = locked("helm", ("ARGOCD_JOBS_HELM_VALUES", "b: 2"), layer, "helm", block);
        assert_eq!((found.helm.values.as_deref(), found.helm.skip_tests), (Some("b: 2"), false), "{layer}");
        assert!(found.helm.string_parameters.is_empty(), "{layer}");
        assert_eq!(found.source, SourceKind::Auto, "{layer}");
        let names = ["helm.parameters", "helm.parameters with forceString", "helm.skipTests", "helm.values"];
        assert_eq!(overruled, names, "{layer}");
        // Naming the block does not choose the source, either.
        let (found, overruled) = locked("helm", ("X", ""), layer, "helm", "{}");
        assert_eq!((found.source, overruled), (SourceKind::Auto, vec!["helm".to_owned()]), "{layer}");
    }
}

#[test]
fn a_lock_on_a_field_leaves_the_others_free() {
    let block = "{values: 'a: 1', kubeVersion: '1.30', skipTests: true}";
    for layer in ["file", "parameters", "command line", "plugin.env"] {
        let sidecar = ("ARGOCD_JOBS_HELM", "{kubeVersion: '1.34', skipCrds: true, values: s}");
        let (found, overruled) = locked("helm.kubeVersion", sidecar, layer, "helm", block);
        assert_eq!(found.helm.kube_version.as_deref(), Some("1.34"), "{layer}");
        assert_eq!((found.helm.values.as_deref(), found.helm.skip_tests), (Some("a: 1"), true), "{layer}");
        assert_eq!((found.helm.skip_crds, found.source), (true, SourceKind::Helm), "{layer}");
        assert_eq!(overruled, ["helm.kubeVersion"], "{layer}");
        // Without a value in the sidecar's environment the default applies.
        let (found, _) = locked("helm.kubeVersion,helm.values", ("X", ""), layer, "helm", block);
        assert_eq!((found.helm.kube_version, found.helm.values, found.helm.skip_tests), (None, None, true), "{layer}");
        // The name of the parameter and the path of the field mean the same, in the lock and in the setting.
        for lock in ["helm.values", "helm-values", "helm.valuesObject"] {
            for sidecar in [("ARGOCD_JOBS_HELM", "values: s"), ("ARGOCD_JOBS_HELM_VALUES", "s")] {
                for (name, text) in [("helm", "{values: x}"), ("helm-values", "x"), ("helm", "{valuesObject: {a: 1}}")]
                {
                    let (found, overruled) = locked(lock, sidecar, layer, name, text);
                    assert_eq!(found.helm.values.as_deref(), Some("s"), "{layer} {lock} {name}");
                    assert_eq!(overruled, ["helm.values"], "{layer} {lock} {name}");
                }
            }
        }
        for lock in ["helm.parameters", "helm-parameters"] {
            let block = "{parameters: [{name: a, value: b, forceString: true}, {name: c, value: d}]}";
            let (found, _) = locked(lock, ("ARGOCD_JOBS_HELM_PARAMETERS", "e=f"), layer, "helm", block);
            assert_eq!(found.helm.parameters, [("e".to_owned(), "f".to_owned())].into(), "{layer} {lock}");
            assert!(found.helm.string_parameters.is_empty(), "{layer} {lock}");
        }
        // A lock on the whole block wins over a lock on a field, in any order.
        for lock in ["helm,helm.values", "helm.values,helm"] {
            let (found, _) = locked(lock, ("X", ""), layer, "helm", block);
            assert_eq!((found.helm.values, found.helm.skip_tests), (None, false), "{layer} {lock}");
        }
    }
    // When Argo CD renders the Application itself, the plugin's variables have no effect.
    let (found, _) = locked("helm", ("ARGOCD_JOBS_HELM", "kubeVersion: '1.34'"), "Application", "helm", block);
    assert_eq!((found.helm.kube_version.as_deref(), found.helm.skip_tests), (Some("1.30"), true));
}

#[test]
fn a_lock_on_what_there_is_not_is_an_error() {
    let read = |lock: &str| {
        let environment = [("ARGOCD_JOBS_LOCK".to_owned(), lock.to_owned())].into();
        Layers::read(&RawLayers { environment: &environment, ..RawLayers::default() }).map(|_| ())
    };
    for lock in ["ttl", "helm", "helm.apiVersions", "kustomize.images,kustomize-images", "kustomize"] {
        assert_eq!(read(lock), Ok(()), "{lock}");
    }
    for (lock, nearest) in [
        ("helm.kubeVersions", "`helm.kubeVersion`"),
        ("helm-kube-version", "`helm.kubeVersion`"),
        ("kustomize.namPrefix", "`kustomize.namePrefix`"),
        ("helm.", ""),
        ("helm.parameters.image", ""),
        ("helm.version", ""),
        ("helm.passCredentials", ""),
        ("ttl.seconds", ""),
        (".helm", ""),
        ("helm.parameters with forceString", ""),
    ] {
        let error = read(lock).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("environment variable `ARGOCD_JOBS_LOCK`: invalid value `{lock}`")),
            "{error}"
        );
        assert!(error.ends_with(&format!("did you mean {nearest}?")) || nearest.is_empty(), "{error}");
    }
}

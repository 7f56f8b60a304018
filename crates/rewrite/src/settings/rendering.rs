//! The settings for helm and kustomize, with defaults filled in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use goyaml::Value;

use super::Settings;
use super::blocks::{Block, STRING_PARAMETERS};
use super::value::{Slot, value};
use super::words::{HelmDependencies, Network};

/// Declares the settings for a tool: each field, and how it is read from the block.
macro_rules! fields_of {
    ($(#[$about:meta])* $name:ident($block:ident) { $($(#[$meta:meta])* $field:ident: $type:ty = $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[expect(missing_docs, reason = "Argo CD's API says what they are")]
        pub struct $name { $($(#[$meta])* pub $field: $type,)* }

        impl $name {
            /// Reads the fields of the block; without a block every field has its default.
            pub(super) fn of(slot: &Slot<Block>) -> Self {
                let $block = value(slot).cloned().unwrap_or_default();
                Self { $($field: $value,)* }
            }
        }
    };
}

fields_of! {
    /// How a chart is rendered: the fields of `spec.source.helm` (`ApplicationSourceHelm` in
    /// `pkg/apis/application/v1alpha1/types.go`). Variables in the texts are not yet replaced.
    HelmSettings(block) {
        release_name: Option<String> = block.text("releaseName"),
        namespace: Option<String> = block.text("namespace"),
        value_files: Vec<String> = block.texts("valueFiles"),
        ignore_missing_value_files: bool = block.is_on("ignoreMissingValueFiles"),
        values: Option<String> = block.text("values"),
        parameters: BTreeMap<String, String> = block.map("parameters"),
        string_parameters: BTreeMap<String, String> = block.map(STRING_PARAMETERS),
        file_parameters: BTreeMap<String, String> = block.list("fileParameters").iter().map(file).collect(),
        kube_version: Option<String> = block.text("kubeVersion"),
        api_versions: Vec<String> = block.texts("apiVersions"),
        skip_crds: bool = block.is_on("skipCrds"),
        skip_tests: bool = block.is_on("skipTests"),
        skip_schema_validation: bool = block.is_on("skipSchemaValidation"),
    }
}

fields_of! {
    /// How a kustomization is changed and built: the fields of `spec.source.kustomize` (`ApplicationSourceKustomize`,
    /// same file). Variables in the texts are not yet replaced.
    KustomizeSettings(block) {
        name_prefix: Option<String> = block.text("namePrefix"),
        name_suffix: Option<String> = block.text("nameSuffix"),
        namespace: Option<String> = block.text("namespace"),
        images: Vec<String> = block.texts("images"),
        /// Names and counts, in the order in which they were written.
        replicas: Vec<(String, i64)> = block.list("replicas").iter().map(replicas).collect(),
        common_labels: BTreeMap<String, String> = block.map("commonLabels"),
        force_common_labels: bool = block.is_on("forceCommonLabels"),
        label_without_selector: bool = block.is_on("labelWithoutSelector"),
        label_include_templates: bool = block.is_on("labelIncludeTemplates"),
        common_annotations: BTreeMap<String, String> = block.map("commonAnnotations"),
        force_common_annotations: bool = block.is_on("forceCommonAnnotations"),
        common_annotations_envsubst: bool = block.is_on("commonAnnotationsEnvsubst"),
        /// Each patch is a map.
        patches: Vec<Value> = block.list("patches").to_vec(),
        components: Vec<String> = block.texts("components"),
        ignore_missing_components: bool = block.is_on("ignoreMissingComponents"),
        kube_version: Option<String> = block.text("kubeVersion"),
        api_versions: Vec<String> = block.texts("apiVersions"),
        version: Option<String> = block.text("version"),
    }
}

impl Settings {
    /// The settings for helm and kustomize that this layer has.
    pub fn rendering(&self) -> (HelmSettings, KustomizeSettings) {
        (HelmSettings::of(&self.helm), KustomizeSettings::of(&self.kustomize))
    }
}

fn text(item: &Value, key: &str) -> String {
    item.text_at(&[key]).unwrap_or_default().to_owned()
}

fn file(item: &Value) -> (String, String) {
    (text(item, "name"), text(item, "path"))
}

/// The name of a workload and its `count`, which is a number or a string with one.
fn replicas(item: &Value) -> (String, i64) {
    let count = match item.at(&["count"]) {
        Some(Value::Int(count)) => *count,
        Some(Value::String(text)) => text.parse().unwrap_or_default(),
        _ => 0,
    };
    (text(item, "name"), count)
}

/// What the platform owner allows helm and kustomize to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformSettings {
    /// `helm-dependencies`
    pub helm_dependencies: HelmDependencies,
    /// `helm-values-file-schemes`
    pub values_file_schemes: Vec<String>,
    /// `helm-repository-config`
    pub repository_config: Option<PathBuf>,
    /// `helm-registry-config`
    pub registry_config: Option<PathBuf>,
    /// `helm-credentials-projects`
    pub credentials_projects: Vec<String>,
    /// `kustomize-build-options`
    pub build_options: String,
    /// `kustomize-versions`
    pub kustomize_versions: BTreeMap<String, String>,
    /// `network`; `None` when the platform owner does not set it.
    pub network: Option<Network>,
    /// `render-timeout`: the time for one Application, all processes together.
    pub time: Duration,
    /// `render-memory`, in bytes, for each process.
    pub memory: u64,
}

impl Default for PlatformSettings {
    fn default() -> Self {
        Self {
            helm_dependencies: HelmDependencies::default(),
            values_file_schemes: vec!["https".to_owned(), "http".to_owned()],
            repository_config: None,
            registry_config: None,
            credentials_projects: Vec::new(),
            build_options: String::new(),
            kustomize_versions: BTreeMap::new(),
            network: None,
            time: Duration::from_secs(50),
            memory: 1 << 30,
        }
    }
}

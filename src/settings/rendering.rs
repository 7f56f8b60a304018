//! The settings of helm and kustomize, with the defaults filled in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::yaml::Value;

/// How a chart is rendered: the fields of `spec.source.helm` (`ApplicationSourceHelm` in `pkg/apis/application/v1alpha1/types.go`).
/// Texts are as they were written: variables in them are not replaced yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "Argo CD's API says what they are")]
pub struct HelmSettings {
    pub release_name: Option<String>,
    pub namespace: Option<String>,
    pub value_files: Vec<String>,
    pub ignore_missing_value_files: bool,
    pub values: Option<String>,
    pub parameters: BTreeMap<String, String>,
    pub string_parameters: BTreeMap<String, String>,
    pub file_parameters: BTreeMap<String, String>,
    pub kube_version: Option<String>,
    pub api_versions: Vec<String>,
    pub skip_crds: bool,
    pub skip_tests: bool,
    pub skip_schema_validation: bool,
}

/// How a kustomization is changed and built: the fields of `spec.source.kustomize` (`ApplicationSourceKustomize`, same file). Texts are
/// as they were written.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "Argo CD's API says what they are")]
pub struct KustomizeSettings {
    pub name_prefix: Option<String>,
    pub name_suffix: Option<String>,
    pub namespace: Option<String>,
    pub images: Vec<String>,
    /// In the order in which they were written.
    pub replicas: Vec<(String, i64)>,
    pub common_labels: BTreeMap<String, String>,
    pub force_common_labels: bool,
    pub label_without_selector: bool,
    pub label_include_templates: bool,
    pub common_annotations: BTreeMap<String, String>,
    pub force_common_annotations: bool,
    pub common_annotations_envsubst: bool,
    /// Each a map.
    pub patches: Vec<Value>,
    pub components: Vec<String>,
    pub ignore_missing_components: bool,
    pub kube_version: Option<String>,
    pub api_versions: Vec<String>,
    pub version: Option<String>,
}

/// What the platform owner allows helm and kustomize.
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
    /// `network`; none when nothing is said.
    pub network: Option<Network>,
    /// `render-timeout`: for one Application, all processes together.
    pub time: Duration,
    /// `render-memory`, in bytes: for each process.
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

/// What happens when a chart lacks dependencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HelmDependencies {
    /// `helm dependency build` gets them, as in Argo CD.
    #[default]
    Build,
    /// It is an error.
    Vendored,
}

impl HelmDependencies {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Build, Self::Vendored];

    /// What users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Vendored => "vendored",
        }
    }
}

/// Whether helm and kustomize may use the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// They may, as in Argo CD.
    #[default]
    Allow,
    /// They may not.
    Never,
}

impl Network {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Allow, Self::Never];

    /// What users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Never => "never",
        }
    }
}

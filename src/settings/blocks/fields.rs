//! The fields of the two blocks, as Argo CD spells them (`pkg/apis/application/v1alpha1/types.go`, 3.6).

use crate::settings::parameter::BlockType;

/// A field of the block `helm` or `kustomize` of an Application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, as Argo CD spells it.
    pub key: &'static str,
    /// What it takes.
    pub takes: FieldType,
}

/// What a field of a block takes, with the name of the parameter that it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A string.
    Text(&'static str),
    /// `true` or `false`.
    Switch(&'static str),
    /// A list of strings.
    Texts(&'static str),
    /// A map of strings.
    Map(&'static str),
    /// `helm.parameters`: a list of `name`, `value` and `forceString`.
    Parameters,
    /// `helm.fileParameters`: a list of `name` and `path`.
    FileParameters,
    /// `helm.valuesObject`: a map of anything.
    ValuesObject,
    /// `helm.version`, which chooses nothing any more.
    HelmVersion,
    /// `helm.passCredentials`, which a plugin cannot do.
    PassCredentials,
    /// `kustomize.replicas`: a list of `name` and `count`.
    Replicas,
    /// `kustomize.patches`: a list of maps.
    Patches,
}

impl BlockType {
    /// The fields of the block.
    pub fn fields(self) -> &'static [Field] {
        match self {
            Self::Helm => HELM,
            Self::Kustomize => KUSTOMIZE,
        }
    }
}

const fn field(key: &'static str, takes: FieldType) -> Field {
    Field { key, takes }
}

/// `ApplicationSourceHelm`. `valuesObject` is behind `values`, because it wins.
const HELM: &[Field] = &[
    field("releaseName", FieldType::Text("helm-release-name")),
    field("namespace", FieldType::Text("helm-namespace")),
    field("valueFiles", FieldType::Texts("helm-value-files")),
    field("ignoreMissingValueFiles", FieldType::Switch("helm-ignore-missing-value-files")),
    field("values", FieldType::Text("helm-values")),
    field("valuesObject", FieldType::ValuesObject),
    field("parameters", FieldType::Parameters),
    field("fileParameters", FieldType::FileParameters),
    field("kubeVersion", FieldType::Text("helm-kube-version")),
    field("apiVersions", FieldType::Texts("helm-api-versions")),
    field("skipCrds", FieldType::Switch("helm-skip-crds")),
    field("skipTests", FieldType::Switch("helm-skip-tests")),
    field("skipSchemaValidation", FieldType::Switch("helm-skip-schema-validation")),
    field("version", FieldType::HelmVersion),
    field("passCredentials", FieldType::PassCredentials),
];

/// `ApplicationSourceKustomize`.
const KUSTOMIZE: &[Field] = &[
    field("namePrefix", FieldType::Text("kustomize-name-prefix")),
    field("nameSuffix", FieldType::Text("kustomize-name-suffix")),
    field("namespace", FieldType::Text("kustomize-namespace")),
    field("images", FieldType::Texts("kustomize-images")),
    field("replicas", FieldType::Replicas),
    field("commonLabels", FieldType::Map("kustomize-common-labels")),
    field("forceCommonLabels", FieldType::Switch("kustomize-force-common-labels")),
    field("labelWithoutSelector", FieldType::Switch("kustomize-label-without-selector")),
    field("labelIncludeTemplates", FieldType::Switch("kustomize-label-include-templates")),
    field("commonAnnotations", FieldType::Map("kustomize-common-annotations")),
    field("forceCommonAnnotations", FieldType::Switch("kustomize-force-common-annotations")),
    field("commonAnnotationsEnvsubst", FieldType::Switch("kustomize-common-annotations-envsubst")),
    field("patches", FieldType::Patches),
    field("components", FieldType::Texts("kustomize-components")),
    field("ignoreMissingComponents", FieldType::Switch("kustomize-ignore-missing-components")),
    field("kubeVersion", FieldType::Text("kustomize-kube-version")),
    field("apiVersions", FieldType::Texts("kustomize-api-versions")),
    field("version", FieldType::Text("kustomize-version")),
];

//! The types of fields in Argo CD's API (`pkg/apis/application/v1alpha1/types.go`, 3.6), and the fields of the two
//! blocks.

use super::BlockType;

/// The type of a field. A `null` counts as a field that is not set.
#[derive(Debug, PartialEq)]
pub enum Type {
    /// A string.
    Text,
    /// `true` or `false`.
    Switch,
    /// A whole number, or a string with one (`IntOrString`).
    Count,
    /// A map with any keys and values.
    AnyMap,
    /// A list with items of one type.
    List(&'static Type),
    /// A map with any keys and with values of one type.
    MapOf(&'static Type),
    /// A map with these keys only.
    Fields(&'static [(&'static str, Type)]),
    /// `helm.version`. It has had no effect since Argo CD dropped Helm 2.
    HelmVersion,
    /// `helm.passCredentials`. A plugin cannot support it: only Argo CD has the credentials.
    PassCredentials,
}

use Type::{AnyMap, Count, Fields, HelmVersion, List, MapOf, PassCredentials, Switch, Text};

/// A list of strings.
pub const TEXTS: Type = List(&Text);
/// A map of strings.
pub const TEXT_MAP: Type = MapOf(&Text);

impl BlockType {
    /// The block as a type: a map with its fields.
    pub const fn of(self) -> Type {
        match self {
            Self::Helm => Fields(HELM),
            Self::Kustomize => Fields(KUSTOMIZE),
        }
    }

    /// The names of the fields of the block, with their types.
    pub fn fields(self) -> &'static [(&'static str, Type)] {
        match self {
            Self::Helm => HELM,
            Self::Kustomize => KUSTOMIZE,
        }
    }
}

/// The fields of `ApplicationSourceHelm`. `valuesObject` is read after `values` and replaces it.
const HELM: &[(&str, Type)] = &[
    ("releaseName", Text),
    ("namespace", Text),
    ("valueFiles", TEXTS),
    ("ignoreMissingValueFiles", Switch),
    ("values", Text),
    ("valuesObject", AnyMap),
    ("parameters", List(&Fields(&[("name", Text), ("value", Text), ("forceString", Switch)]))),
    ("fileParameters", List(&Fields(&[("name", Text), ("path", Text)]))),
    ("kubeVersion", Text),
    ("apiVersions", TEXTS),
    ("skipCrds", Switch),
    ("skipTests", Switch),
    ("skipSchemaValidation", Switch),
    ("version", HelmVersion),
    ("passCredentials", PassCredentials),
];

/// `ApplicationSourceKustomize`
const KUSTOMIZE: &[(&str, Type)] = &[
    ("namePrefix", Text),
    ("nameSuffix", Text),
    ("namespace", Text),
    ("images", TEXTS),
    ("replicas", List(&Fields(&[("name", Text), ("count", Count)]))),
    ("commonLabels", TEXT_MAP),
    ("forceCommonLabels", Switch),
    ("labelWithoutSelector", Switch),
    ("labelIncludeTemplates", Switch),
    ("commonAnnotations", TEXT_MAP),
    ("forceCommonAnnotations", Switch),
    ("commonAnnotationsEnvsubst", Switch),
    ("patches", List(&PATCH)),
    ("components", TEXTS),
    ("ignoreMissingComponents", Switch),
    ("kubeVersion", Text),
    ("apiVersions", TEXTS),
    ("version", Text),
];

/// `KustomizePatch`
const PATCH: Type = Fields(&[
    ("path", Text),
    ("patch", Text),
    (
        "target",
        Fields(&[
            ("group", Text),
            ("version", Text),
            ("kind", Text),
            ("name", Text),
            ("namespace", Text),
            ("annotationSelector", Text),
            ("labelSelector", Text),
        ]),
    ),
    ("options", MapOf(&Switch)),
]);

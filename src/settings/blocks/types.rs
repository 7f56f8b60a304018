//! The types of fields in Argo CD's API (`pkg/apis/application/v1alpha1/types.go`, 3.6), and the two blocks with theirs.

use super::BlockType;

/// The type of a field. `null` is as if the field were not there.
#[derive(Debug, PartialEq)]
pub enum Type {
    /// A string.
    Text,
    /// `true` or `false`.
    Switch,
    /// A whole number, also as a string (`IntOrString`).
    Count,
    /// A map of anything.
    AnyMap,
    /// A list.
    List(&'static Type),
    /// A map with any keys.
    MapOf(&'static Type),
    /// A map with these keys.
    Fields(&'static [(&'static str, Type)]),
    /// `helm.version`, which chooses nothing since Helm 2 is gone.
    HelmVersion,
    /// `helm.passCredentials`, which a plugin cannot do.
    PassCredentials,
}

use Type::{AnyMap, Count, Fields, HelmVersion, List, MapOf, PassCredentials, Switch, Text};

/// A list of strings.
pub const TEXTS: Type = List(&Text);
/// A map of strings.
pub const TEXT_MAP: Type = MapOf(&Text);

impl BlockType {
    /// The type of the block.
    pub const fn of(self) -> Type {
        match self {
            Self::Helm => Fields(HELM),
            Self::Kustomize => Fields(KUSTOMIZE),
        }
    }

    /// The names of its fields with their types.
    pub fn fields(self) -> &'static [(&'static str, Type)] {
        match self {
            Self::Helm => HELM,
            Self::Kustomize => KUSTOMIZE,
        }
    }
}

/// `ApplicationSourceHelm`. `valuesObject` follows `values`, because it wins.
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

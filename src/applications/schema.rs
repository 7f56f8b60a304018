//! The fields of an Application that say how it is rendered and synced, with their types, as the API server knows them
//! (`pkg/apis/application/v1alpha1/types.go`, Argo CD 3.5). What is not in it is dropped, as the API server does.

/// The type of a field.
#[derive(Debug)]
pub(super) enum Type {
    Text,
    Switch,
    /// A whole number, also as a text (`IntOrString`).
    Count,
    /// A map in which everything is allowed.
    AnyMap,
    List(&'static Type),
    /// A map from any key.
    MapOf(&'static Type),
    /// A map with these keys.
    Fields(&'static [(&'static str, Type)]),
}

use Type::{AnyMap, Count, Fields, List, MapOf, Switch, Text};

const TEXTS: Type = List(&Text);
const TEXT_MAP: Type = MapOf(&Text);

/// An Application.
pub(super) const APPLICATION: Type = Fields(&[
    ("metadata", Fields(&[("name", Text), ("namespace", Text), ("annotations", AnyMap)])),
    (
        "spec",
        Fields(&[
            ("source", SOURCE),
            ("sources", List(&SOURCE)),
            ("sourceHydrator", Fields(&[("drySource", DRY_SOURCE)])),
            ("destination", Fields(&[("namespace", Text)])),
            ("project", Text),
            ("syncPolicy", Fields(&[("automated", AUTOMATED), ("syncOptions", TEXTS)])),
            ("ignoreDifferences", List(&IGNORED)),
        ]),
    ),
]);

/// `ResourceIgnoreDifferences`
const IGNORED: Type = Fields(&[
    ("group", Text),
    ("kind", Text),
    ("name", Text),
    ("namespace", Text),
    ("jsonPointers", TEXTS),
    ("jqPathExpressions", TEXTS),
    ("managedFieldsManagers", TEXTS),
]);

/// `SyncPolicyAutomated`
const AUTOMATED: Type = Fields(&[("prune", Switch), ("selfHeal", Switch), ("allowEmpty", Switch), ("enabled", Switch)]);

/// `ApplicationSource`
pub(super) const SOURCE: Type = Fields(&[
    ("repoURL", Text),
    ("path", Text),
    ("targetRevision", Text),
    ("chart", Text),
    ("ref", Text),
    ("helm", HELM),
    ("kustomize", KUSTOMIZE),
    ("directory", DIRECTORY),
    ("plugin", PLUGIN),
]);

/// `DrySource`, which has blocks since Argo CD 3.3.
const DRY_SOURCE: Type = Fields(&[
    ("repoURL", Text),
    ("path", Text),
    ("targetRevision", Text),
    ("helm", HELM),
    ("kustomize", KUSTOMIZE),
    ("directory", DIRECTORY),
    ("plugin", PLUGIN),
]);

/// `ApplicationSourceDirectory`
const DIRECTORY: Type = Fields(&[
    ("recurse", Switch),
    ("jsonnet", AnyMap),
    ("exclude", Text),
    ("include", Text),
    ("disableExtensionFilter", Switch),
]);

/// `ApplicationSourcePlugin`
const PLUGIN: Type = Fields(&[
    ("name", Text),
    ("env", List(&Fields(&[("name", Text), ("value", Text)]))),
    ("parameters", List(&Fields(&[("name", Text), ("string", Text), ("array", TEXTS), ("map", TEXT_MAP)]))),
]);

/// `ApplicationSourceHelm`
const HELM: Type = Fields(&[
    ("valueFiles", TEXTS),
    ("parameters", List(&Fields(&[("name", Text), ("value", Text), ("forceString", Switch)]))),
    ("releaseName", Text),
    ("values", Text),
    ("fileParameters", List(&Fields(&[("name", Text), ("path", Text)]))),
    ("version", Text),
    ("passCredentials", Switch),
    ("ignoreMissingValueFiles", Switch),
    ("skipCrds", Switch),
    ("valuesObject", AnyMap),
    ("namespace", Text),
    ("kubeVersion", Text),
    ("apiVersions", TEXTS),
    ("skipTests", Switch),
    ("skipSchemaValidation", Switch),
]);

/// `ApplicationSourceKustomize`
const KUSTOMIZE: Type = Fields(&[
    ("namePrefix", Text),
    ("nameSuffix", Text),
    ("images", TEXTS),
    ("commonLabels", TEXT_MAP),
    ("version", Text),
    ("commonAnnotations", TEXT_MAP),
    ("forceCommonLabels", Switch),
    ("forceCommonAnnotations", Switch),
    ("namespace", Text),
    ("commonAnnotationsEnvsubst", Switch),
    ("replicas", List(&Fields(&[("name", Text), ("count", Count)]))),
    ("patches", List(&PATCH)),
    ("components", TEXTS),
    ("ignoreMissingComponents", Switch),
    ("labelWithoutSelector", Switch),
    ("kubeVersion", Text),
    ("apiVersions", TEXTS),
    ("labelIncludeTemplates", Switch),
]);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{BlockType, Field};

    #[test]
    fn the_blocks_have_the_fields_of_the_parameters() {
        for (block, of) in [(BlockType::Helm, HELM), (BlockType::Kustomize, KUSTOMIZE)] {
            let Fields(fields) = of else { panic!() };
            let mut ours: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            let mut theirs: Vec<&str> = block.fields().iter().map(|field: &Field| field.key).collect();
            ours.sort_unstable();
            theirs.sort_unstable();
            assert_eq!(ours, theirs);
        }
    }
}

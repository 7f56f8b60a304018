//! The fields of an Application that decide how it is rendered and synced, with their types in Argo CD's API
//! (`pkg/apis/application/v1alpha1/types.go`, Argo CD 3.5). Other fields are dropped, as the API server does.

use rewrite::settings::BlockType::{Helm, Kustomize};
use rewrite::settings::Type::{self, AnyMap, Fields, List, Switch, Text};
use rewrite::settings::{TEXT_MAP, TEXTS};

/// The type of an Application's manifest.
pub(super) const APPLICATION: Type = Fields(&[
    ("metadata", Fields(&[("name", Text), ("namespace", Text), ("annotations", AnyMap)])),
    (
        "spec",
        Fields(&[
            ("source", SOURCE),
            ("sources", List(&SOURCE)),
            ("sourceHydrator", Fields(&[("drySource", DRY_SOURCE)])),
            ("destination", Fields(&[("namespace", Text), ("name", Text), ("server", Text)])),
            ("project", Text),
            ("syncPolicy", Fields(&[("automated", AUTOMATED), ("retry", AnyMap), ("syncOptions", TEXTS)])),
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
    ("helm", Helm.of()),
    ("kustomize", Kustomize.of()),
    ("directory", DIRECTORY),
    ("plugin", PLUGIN),
]);

/// `DrySource`. It has blocks only since Argo CD 3.3.
const DRY_SOURCE: Type = Fields(&[
    ("repoURL", Text),
    ("path", Text),
    ("targetRevision", Text),
    ("helm", Helm.of()),
    ("kustomize", Kustomize.of()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use goyaml::Value;
    use rewrite::settings::{Unknown, typed};

    #[test]
    fn what_the_api_does_not_know_is_dropped() {
        let text = "{repoURL: a, new: 1, path: null, helm: {x: 1, parameters: [{name: a, y: 2}], valuesObject: {b: {c: null}}}}";
        let wanted = "{repoURL: a, helm: {parameters: [{name: a}], valuesObject: {b: {c: null}}}}";
        let found = typed(Value::read(text).unwrap(), &SOURCE, Unknown::Dropped).unwrap();
        assert_eq!(found, Value::read(wanted).unwrap());
    }

    #[test]
    fn a_wrong_type_has_a_place() {
        for (text, wanted) in [
            ("[]", "the value is a list, expected a map"),
            ("{spec: {source: {path: 1}}}", "`spec.source.path` is a number, expected a string"),
            (
                "{spec: {sources: [{}, {helm: {parameters: [{value: true}]}}]}}",
                "`spec.sources[1].helm.parameters[0].value` is a boolean, expected a string",
            ),
            (
                "{spec: {source: {directory: {recurse: 'yes'}}}}",
                "`spec.source.directory.recurse` is a string, expected a boolean",
            ),
            ("{spec: {source: {helm: {valueFiles: x}}}}", "`spec.source.helm.valueFiles` is a string, expected a list"),
            (
                "{spec: {source: {helm: {valueFiles: [null]}}}}",
                "`spec.source.helm.valueFiles[0]` is null, expected a string",
            ),
            (
                "{spec: {source: {helm: {valuesObject: x}}}}",
                "`spec.source.helm.valuesObject` is a string, expected a map",
            ),
            ("{spec: {syncPolicy: {automated: true}}}", "`spec.syncPolicy.automated` is a boolean, expected a map"),
            (
                "{spec: {source: {kustomize: {commonLabels: {a: 1}}}}}",
                "`spec.source.kustomize.commonLabels.a` is a number, expected a string",
            ),
        ] {
            let error = typed(Value::read(text).unwrap(), &APPLICATION, Unknown::Dropped).unwrap_err();
            assert_eq!(error.text(), wanted, "{text}");
        }
    }
}

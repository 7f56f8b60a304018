//! `non-string-annotation`

use goyaml::{Value, path};
use kube_jobs::kubernetes::Object;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "non-string-annotation",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "an annotation or label whose value is not a string",
    why: "To mark the resources of an Application, Argo CD reads all annotations of each object as strings. One \
          number, boolean or null among them ends in `accessor error: contains non-string value in the map`, and no \
          manifest of the whole Application is generated (`util/kube/kube.go`; argo-cd #13730). A label that is not \
          a string is rejected by the API server, and with label tracking by Argo CD in the same way.",
    fix: "Put the value in quotes.",
    link: "https://github.com/argoproj/argo-cd/issues/13730",
    example: super::example!("non-string-annotation"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.objects().flat_map(|(index, object)| of_object(index, object)).take(context.most).collect()
}

/// The message does not show the value, which may be secret.
fn of_object(index: usize, object: &Object) -> impl Iterator<Item = Diagnostic> {
    let entries = |map: &'static str| {
        let found = object.value().at(&["metadata", map]).and_then(Value::as_map);
        found.into_iter().flatten().filter(|(_, value)| value.as_text().is_none()).map(move |entry| (map, entry))
    };
    // The API server stores a null label as an empty text.
    let labels = entries("labels").filter(|(_, (_, value))| **value != Value::Null);
    entries("annotations").chain(labels).map(move |(map, (key, value))| {
        let (noun, outcome) = match map {
            "annotations" => ("annotation", "Argo CD cannot generate any manifest of an Application that has it"),
            _ => ("label", "the API server rejects the resource"),
        };
        let message = format!("the {noun} `{key}` is {}, not a string: {outcome}", value.kind());
        let help = match value {
            Value::Null => format!("remove the {noun} `{key}`, or set it to `\"\"`"),
            _ => format!("put the value of the {noun} `{key}` in quotes"),
        };
        Diagnostic::at(index, path!["metadata", map, key], message, help)
    })
}

//! `non-string-annotation`

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Object;
use crate::path;
use crate::yaml::Value;

pub(super) const ROW: Row = Row {
    id: "non-string-annotation",
    level: Level::Error,
    summary: "an annotation or label whose value is no string",
    why: "To mark what belongs to the Application, Argo CD reads all annotations of each object as strings. One \
          number, boolean or null among them ends in `accessor error: contains non-string value in the map`, and \
          nothing of the Application is generated at all (`util/kube/kube.go`; argo-cd #13730). A label that is no \
          string is refused by the API server, and with label tracking by Argo CD in the same way.",
    fix: "Put the value in quotes.",
    link: "https://github.com/argoproj/argo-cd/issues/13730",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    look.objects().flat_map(|(index, object)| of_object(index, object)).collect()
}

/// Without the value, which may be a Secret's.
fn of_object(index: usize, object: &Object) -> Vec<Remark> {
    let entries = |map: &'static str| {
        let found = object.value().at(&["metadata", map]).and_then(Value::as_map);
        found.into_iter().flatten().filter(|(_, value)| value.as_text().is_none()).map(move |entry| (map, entry))
    };
    // A null label is stored as an empty one.
    let labels = entries("labels").filter(|(_, (_, value))| **value != Value::Null);
    entries("annotations")
        .chain(labels)
        .map(|(map, (key, value))| {
            let (noun, outcome) = match map {
                "annotations" => ("annotation", "Argo CD generates nothing of the whole Application"),
                _ => ("label", "the API server refuses the object"),
            };
            let message = format!("the {noun} `{key}` is {}, not a string: {outcome}", value.kind());
            let help = if *value == Value::Null { "remove it, or write `\"\"`" } else { "put the value in quotes" };
            Remark::at(index, path!["metadata", map, key], message, help)
        })
        .collect()
}

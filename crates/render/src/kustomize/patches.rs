//! `patches`: an Application's patches are written into the kustomization file, because `kustomize edit` has no
//! command for them.

use goyaml::json::{Form, print};
use goyaml::value::List;
use goyaml::{SyntaxError, Value};
use text::Message;

/// Why patches cannot be added.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PatchError {
    /// The kustomization file is not valid YAML.
    Syntax(SyntaxError),
    /// The kustomization file is not a map, but this type.
    NoMap(&'static str),
    /// Its `patches` are not a list, but this type.
    NoList(&'static str),
}

/// The text of a kustomization file with `patches` added after its own. It is JSON, which kustomize reads as YAML. As
/// in Argo CD (`Build` in `util/kustomize/kustomize.go`), comments and the order of keys are lost, and only the first
/// document is kept. Unlike in Argo CD, integers above 2^53 keep their digits.
pub(crate) fn append(text: &str, patches: Vec<Value>) -> Result<String, PatchError> {
    let mut map = match Value::read(text).map_err(PatchError::Syntax)? {
        Value::Map(map) => map,
        other => return Err(PatchError::NoMap(other.kind())),
    };
    let mut all = match map.remove("patches") {
        None => List::default(),
        Some(Value::List(items)) => items,
        Some(other) => return Err(PatchError::NoList(other.kind())),
    };
    all.extend(patches);
    map.insert("patches".into(), Value::List(all));
    Ok(print(&Value::Map(map), Form::Stream) + "\n")
}

impl PatchError {
    /// The message, with its `help:` line.
    pub(super) fn message(&self) -> Message {
        match self {
            Self::Syntax(error) => {
                let message = Message::new(format!("the kustomization file cannot be read: {error}"));
                error.help.map_or(message.clone(), |help| message.help(help))
            }
            Self::NoMap(kind) => Message::new(format!("the kustomization file is {kind}, expected a map"))
                .help("write `resources:` with the list of files"),
            Self::NoList(kind) => {
                Message::new(format!("`patches` of the kustomization file is {kind}, expected a list"))
                    .help("remove the field, or make it a list of patches")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value as Json;

    use super::*;

    /// A row of the table.
    #[derive(Deserialize)]
    struct Row {
        text: String,
        patches: Json,
        result: Option<Json>,
        error: Option<String>,
    }

    #[test]
    fn the_file_holds_what_it_holds_after_argo_cd() {
        let table = include_str!("../../testdata/patches.jsonl");
        let mut wrong = Vec::new();
        for line in table.lines() {
            let row: Row = serde_json::from_str(line).unwrap();
            let Value::List(patches) = Value::read(&row.patches.to_string()).unwrap() else { panic!("{line}") };
            let ours = append(&row.text, patches.to_vec());
            let read = ours.as_ref().map(|text| serde_json::from_str::<Json>(text).unwrap());
            if read.ok() != row.result {
                wrong.push(format!("{line}\n  ours {ours:?} {:?}", row.error));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

//! Gives a value the types of the API: what the API server would refuse is an error, what it does not know is dropped.

use super::schema::Type;
use crate::yaml::value::{List, Map};
use crate::yaml::{Path, Step, Value};

/// Something has another type than in the API.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrongType {
    /// Where, from the outside in.
    pub(super) path: Path,
    pub(super) found: &'static str,
    pub(super) expected: &'static str,
}

impl WrongType {
    /// For a message.
    pub(super) fn text(&self) -> String {
        format!("`{}` is {}, expected {}", self.path, self.found, self.expected)
    }

    fn below(mut self, step: impl Into<Step>) -> Self {
        self.path = Path::from_iter([step]).join(&self.path);
        self
    }
}

/// `value` with the type `of`: without nulls and without the keys that the type does not have.
pub(super) fn typed(value: Value, of: &Type) -> Result<Value, WrongType> {
    let wrong = |value: &Value, expected| WrongType { path: Path::default(), found: value.kind(), expected };
    match (of, value) {
        (Type::Text, value @ Value::String(_)) => Ok(value),
        (Type::Text, value) => Err(wrong(&value, "a string")),
        (Type::Switch, value @ Value::Bool(_)) => Ok(value),
        (Type::Switch, value) => Err(wrong(&value, "a boolean")),
        (Type::Count, value @ (Value::Int(_) | Value::String(_))) => Ok(value),
        (Type::Count, value) => Err(wrong(&value, "a whole number")),
        (Type::AnyMap, value @ Value::Map(_)) => Ok(value),
        (Type::List(of), Value::List(items)) => items_of(items, of),
        (Type::List(_), value) => Err(wrong(&value, "a list")),
        (Type::MapOf(of), Value::Map(map)) => entries_of(map, |_| Some(of)),
        (Type::Fields(fields), Value::Map(map)) => {
            entries_of(map, |key| fields.iter().find(|(known, _)| *known == key).map(|(_, of)| of))
        }
        (Type::AnyMap | Type::MapOf(_) | Type::Fields(_), value) => Err(wrong(&value, "a map")),
    }
}

fn items_of(items: List, of: &Type) -> Result<Value, WrongType> {
    let items = items.into_iter().enumerate();
    let typed = items.map(|(index, item)| typed(item, of).map_err(|error| error.below(index)));
    typed.collect::<Result<_, _>>().map(Value::List)
}

/// The entries with the types that `of` has for their keys; those for which it has none are dropped, as those that are null.
fn entries_of<'t>(map: Map, of: impl Fn(&str) -> Option<&'t Type>) -> Result<Value, WrongType> {
    let mut kept = Map::default();
    for (key, value) in map {
        if let Some(of) = of(&key).filter(|_| value != Value::Null) {
            let value = typed(value, of).map_err(|error| error.below(&key))?;
            // The keys come sorted.
            drop(kept.try_append(key, value));
        }
    }
    Ok(Value::Map(kept))
}

#[cfg(test)]
mod tests {
    use super::super::schema::{APPLICATION, SOURCE};
    use super::*;

    #[test]
    fn what_the_api_does_not_know_is_dropped() {
        let text = "{repoURL: a, new: 1, path: null, helm: {x: 1, parameters: [{name: a, y: 2}], valuesObject: {b: {c: null}}}}";
        let wanted = "{repoURL: a, helm: {parameters: [{name: a}], valuesObject: {b: {c: null}}}}";
        let found = typed(Value::read(text).unwrap(), &SOURCE).unwrap();
        assert_eq!(found, Value::read(wanted).unwrap());
    }

    #[test]
    fn a_wrong_type_has_a_place() {
        for (text, wanted) in [
            ("[]", "`` is a list, expected a map"),
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
            let error = typed(Value::read(text).unwrap(), &APPLICATION).unwrap_err();
            assert_eq!(error.text(), wanted, "{text}");
        }
    }
}

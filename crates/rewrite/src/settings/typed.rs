//! Checks that a value has the type that Argo CD's API gives it; an error has the path of the wrong value.

use goyaml::shared::Text;
use goyaml::value::{List, Map};
use goyaml::{Path, Step, Value};
use text::LineColumn;
use text::spelling::nearest;

use super::types::Type;

/// How keys are treated that the type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// They are dropped, as the API server does. Values that only this plugin refuses are accepted.
    Dropped,
    /// They are an error.
    Refused,
}

/// A type error in a value, with the path to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError {
    /// The path from the block to the wrong value or key.
    pub path: Path,
    /// Line and column in the text of the block; `None` for a value in the config file, which has places of its own.
    pub at: Option<LineColumn>,
    why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Why {
    Type { found: &'static str, expected: &'static str },
    UnknownKey { nearest: Option<String> },
    Count(String),
    HelmVersion(String),
    PassCredentials,
    Syntax(String),
}

/// The help for a user who pasted more than the block.
const ONLY_THE_BLOCK: &str = "write only the block: what is inside `spec.source.helm:` or `spec.source.kustomize:`";

impl TypeError {
    fn new(why: Why) -> Self {
        Self { path: Path::default(), at: None, why }
    }

    /// The error for text that is not valid YAML.
    pub(super) fn syntax(message: String) -> Self {
        Self::new(Why::Syntax(message))
    }

    /// True when the last key of the path is wrong, false when its value is.
    pub fn is_key(&self) -> bool {
        matches!(self.why, Why::UnknownKey { .. })
    }

    fn below(mut self, step: impl Into<Step>) -> Self {
        self.path = Path::from_iter([step]).join(&self.path);
        self
    }

    /// The message, without line and column.
    pub fn text(&self) -> String {
        let path = &self.path;
        match &self.why {
            Why::Type { found, expected } if path.steps().is_empty() => {
                format!("the value is {found}, expected {expected}")
            }
            Why::Type { found, expected } => format!("`{path}` is {found}, expected {expected}"),
            Why::UnknownKey { .. } => format!("unknown key `{}`", self.key()),
            Why::Count(value) => format!("`{path}`: invalid value `{value}`, expected a whole number"),
            Why::HelmVersion(version) => format!("Helm `{version}` is not supported"),
            Why::PassCredentials => "`passCredentials` has no effect in a plugin".to_owned(),
            Why::Syntax(message) => message.clone(),
        }
    }

    /// The `help:` line: how to correct the value or the key.
    pub fn help(&self) -> Option<String> {
        let help = match &self.why {
            Why::UnknownKey { nearest } => {
                return match (self.path.steps().len(), self.key()) {
                    (1, key @ ("helm" | "kustomize")) => Some(format!("write only what is inside `{key}:`")),
                    (1, "apiVersion" | "kind" | "metadata" | "spec" | "source") => Some(ONLY_THE_BLOCK.to_owned()),
                    _ => nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?")),
                };
            }
            Why::Type { found: "a string", .. } if self.path.steps().is_empty() => {
                "write the YAML itself, not the name of a file; on the command line, `@FILE` reads a file"
            }
            Why::Type { found: "a map", expected: "a string" } if self.path.is_below("images") => {
                "in an Application an image is one string: `name:tag`, `name=new-name:tag` or `name@digest`"
            }
            Why::Type { found: "a boolean" | "a number", expected: "a string" } => {
                "put the value in quotes; Argo CD's API requires it too"
            }
            Why::HelmVersion(_) => "leave out `version`: the plugin runs the Helm of its image",
            Why::PassCredentials => "remove it: Argo CD does not pass repository credentials to plugins",
            Why::Type { .. } | Why::Count(_) | Why::Syntax(_) => return None,
        };
        Some(help.to_owned())
    }

    fn key(&self) -> &str {
        match self.path.steps().last() {
            Some(Step::Key(key)) => key,
            _ => "",
        }
    }
}

/// Checks `value` against the type and returns it without nulls. Unknown keys are an error or are dropped, as
/// `unknown` says.
pub fn typed(value: Value, of: &Type, unknown: Unknown) -> Result<Value, TypeError> {
    let is_strict = unknown == Unknown::Refused;
    let expected = match (of, &value) {
        (Type::Count, Value::String(text)) if is_strict && text.parse::<i64>().is_err() => {
            // `ParseInt(count, 10, 64)` in `pkg/apis/application/v1alpha1/types.go`.
            return Err(TypeError::new(Why::Count(text.to_string())));
        }
        (Type::HelmVersion, Value::String(version)) if is_strict && !["", "v3", "v4"].contains(&version.as_str()) => {
            return Err(TypeError::new(Why::HelmVersion(version.to_string())));
        }
        (Type::PassCredentials, Value::Bool(true)) if is_strict => return Err(TypeError::new(Why::PassCredentials)),
        (Type::Text | Type::HelmVersion, Value::String(_))
        | (Type::Switch | Type::PassCredentials, Value::Bool(_))
        | (Type::Count, Value::Int(_) | Value::String(_))
        | (Type::AnyMap, Value::Map(_)) => return Ok(value),
        (Type::List(of), Value::List(_)) => return items(value, of, unknown),
        (Type::MapOf(_) | Type::Fields(_), Value::Map(_)) => return entries(value, of, unknown),
        (Type::Text | Type::HelmVersion, _) => "a string",
        (Type::Switch | Type::PassCredentials, _) => "a boolean",
        (Type::Count, _) => "a whole number",
        (Type::List(_), _) => "a list",
        (Type::AnyMap | Type::MapOf(_) | Type::Fields(_), _) => "a map",
    };
    Err(TypeError::new(Why::Type { found: value.kind(), expected }))
}

fn items(list: Value, of: &Type, unknown: Unknown) -> Result<Value, TypeError> {
    let Value::List(list) = list else { return Ok(list) };
    let items = list.into_iter().enumerate();
    let typed = items.map(|(index, item)| typed(item, of, unknown).map_err(|error| error.below(index)));
    typed.collect::<Result<List, _>>().map(Value::List)
}

fn entries(map: Value, of: &Type, unknown: Unknown) -> Result<Value, TypeError> {
    let Value::Map(map) = map else { return Ok(map) };
    let (is_strict, is_map) = (unknown == Unknown::Refused, matches!(of, Type::MapOf(_)));
    let entry = |(key, value): (Text, Value)| {
        let of = match of {
            Type::MapOf(of) => *of,
            Type::Fields(fields) => match fields.iter().find(|(known, _)| *known == key.as_str()) {
                Some((_, of)) => of,
                None if is_strict => return Some(Err(unknown_key(&key, fields))),
                None => return None,
            },
            _ => return None,
        };
        let value = match value {
            // For a map of strings, Go reads null as an empty string and keeps the key.
            Value::Null if is_strict && is_map && *of == Type::Text => Value::String("".into()),
            Value::Null => return None,
            value => value,
        };
        Some(typed(value, of, unknown).map(|value| (key.clone(), value)).map_err(|error| error.below(&key)))
    };
    map.into_iter().filter_map(entry).collect::<Result<Map, _>>().map(Value::Map)
}

fn unknown_key(key: &Text, fields: &[(&'static str, Type)]) -> TypeError {
    let nearest = nearest(key, fields.iter().map(|(known, _)| *known));
    TypeError::new(Why::UnknownKey { nearest }).below(key)
}

//! The functions of Argo CD's templates: those of Go, of sprig, and of Argo CD itself.

mod argocd;
mod builtins;
mod dicts;
mod encoding;
mod lists;
mod logic;
mod numbers;
mod paths;
mod printf;
mod regex;
mod strings;
mod versions;

use std::rc::Rc;

use super::error::{Result, Work, failed, unknown};
use super::value::{Map, Value};
pub(super) use numbers::{alike, integer};
pub(super) use versions::method;

/// The type of a parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Any,
    Text,
    Int,
    Bool,
    Float,
    /// `map[string]interface{}`.
    Map,
}

impl Parameter {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::Text => "string",
            Self::Int => "int",
            Self::Bool => "bool",
            Self::Float => "float64",
            Self::Map => "map[string]interface {}",
        }
    }

    /// Converts `value` to this type as Go does for an argument; fails when Go would.
    pub(super) fn take(self, value: Value) -> Result<Value> {
        match (self, &value) {
            (Self::Any, Value::Absent) => Ok(Value::Nil),
            (Self::Map, Value::Absent) => Ok(Value::nil_map()),
            (_, Value::Absent) => failed(format!("invalid value; expected {}", self.name())),
            (Self::Any, _)
            | (Self::Text, Value::Text(_))
            | (Self::Int, Value::Int(_))
            | (Self::Bool, Value::Bool(_))
            | (Self::Float, Value::Float(_)) => Ok(value),
            (Self::Map, Value::Map(map)) if value.type_name() == self.name() => Ok(Value::Map(map.clone())),
            (_, Value::Nil) => failed(format!("wrong type for value; expected {}; got interface {{}}", self.name())),
            _ => failed(format!("wrong type for value; expected {}; got {}", self.name(), value.type_name())),
        }
    }
}

/// A call of a function. The arguments have the types of its parameters.
pub(super) struct Call<'c> {
    pub(super) name: &'c str,
    pub(super) arguments: &'c [Value],
    pub(super) work: &'c Work,
}

impl Call<'_> {
    fn any(&self, at: usize) -> &Value {
        self.arguments.get(at).unwrap_or(&Value::Nil)
    }

    fn text(&self, at: usize) -> &str {
        if let Value::Text(text) = self.any(at) { text } else { "" }
    }

    fn int(&self, at: usize) -> i64 {
        if let Value::Int(int) = self.any(at) { *int } else { 0 }
    }

    fn bool(&self, at: usize) -> bool {
        matches!(self.any(at), Value::Bool(true))
    }

    fn map(&self, at: usize) -> Result<&Rc<Map>> {
        if let Value::Map(map) = self.any(at) { Ok(map) } else { failed("not a map") }
    }

    /// Counts the work of comparing each of `values` with `count` others.
    fn compare(&self, values: &[Value], count: usize) -> Result<()> {
        let before = self.work.left();
        values.iter().try_for_each(|value| value.measure(self.work, 0))?;
        self.work.text(usize::try_from(before - self.work.left()).unwrap_or(usize::MAX) / 32, count)
    }

    fn rest(&self, from: usize) -> &[Value] {
        self.arguments.get(from..).unwrap_or_default()
    }
}

/// A function: its name, the types of its parameters, and its implementation.
#[derive(Clone, Copy)]
pub(super) struct Function {
    name: &'static str,
    /// A letter for each parameter: `a` any, `s` text, `i` int, `b` bool, `f` float, `m` map. A `*` repeats the last
    /// one. The function may walk through all of such an argument, so that much is counted before it runs. Of an `A`
    /// or `M` it looks only at the type, the length, or the entry of a key.
    takes: &'static str,
    run: fn(&Call<'_>) -> Result<Value>,
}

const fn function(name: &'static str, takes: &'static str, run: fn(&Call<'_>) -> Result<Value>) -> Function {
    Function { name, takes, run }
}

const TABLES: [&[Function]; 12] = [
    argocd::TABLE,
    builtins::TABLE,
    dicts::TABLE,
    encoding::TABLE,
    lists::TABLE,
    logic::TABLE,
    numbers::TABLE,
    paths::TABLE,
    regex::TABLE,
    strings::TABLE,
    strings::CASES,
    versions::TABLE,
];

/// Functions that are not implemented: they need a clock, random numbers, certificates or a key derivation, or are
/// too rare.
const UNKNOWN: &[&str] = &[
    "add1f",
    "addf",
    "ago",
    "b32dec",
    "b32enc",
    "bcrypt",
    "buildCustomCert",
    "camelcase",
    "date",
    "dateInZone",
    "dateModify",
    "date_in_zone",
    "date_modify",
    "decryptAES",
    "derivePassword",
    "divf",
    "duration",
    "durationRound",
    "encryptAES",
    "genCA",
    "genCAWithKey",
    "genPrivateKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
    "htmlDate",
    "htmlDateInZone",
    "htpasswd",
    "kebabcase",
    "mulf",
    "mustDateModify",
    "mustToDate",
    "must_date_modify",
    "now",
    "randAlpha",
    "randAlphaNum",
    "randAscii",
    "randBytes",
    "randInt",
    "randNumeric",
    "sha1sum",
    "shuffle",
    "snakecase",
    "subf",
    "toDate",
    "unixEpoch",
    "urlJoin",
    "urlParse",
    "uuidv4",
];

/// A function of Argo CD's templates by its name, whether it is implemented or not.
pub(super) fn find(name: &str) -> Option<Function> {
    let refuse = |name: &&'static str| function(name, "a*", |_| unknown(""));
    let known = TABLES.iter().flat_map(|table| table.iter()).find(|function| function.name == name).copied();
    known.or_else(|| UNKNOWN.iter().find(|found| **found == name).map(refuse))
}

/// The name of every function that is implemented, and the letters of its parameters.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLES.into_iter().flatten().map(|function| (function.name, function.takes))
}

pub(super) fn exists(name: &str) -> bool {
    find(name).is_some()
}

impl Function {
    fn letters(&self) -> &'static str {
        self.takes.trim_end_matches('*')
    }

    pub(super) fn check_count(&self, count: usize) -> Result<()> {
        let (wanted, repeats) = (self.letters().len(), self.takes.ends_with('*'));
        if repeats && count + 1 >= wanted || count == wanted {
            return Ok(());
        }
        let (least, wanted) = if repeats { (" at least", wanted - 1) } else { ("", wanted) };
        failed(format!("wrong number of args for {}: want{least} {wanted} got {count}", self.name))
    }

    pub(super) fn parameter(&self, at: usize) -> Parameter {
        let letters = self.letters().as_bytes();
        match letters.get(at).or(letters.last()) {
            Some(b's') => Parameter::Text,
            Some(b'i') => Parameter::Int,
            Some(b'b') => Parameter::Bool,
            Some(b'f') => Parameter::Float,
            Some(b'm' | b'M') => Parameter::Map,
            _ => Parameter::Any,
        }
    }

    /// Whether the function may read all of the argument with this number.
    pub(super) fn walks(&self, at: usize) -> bool {
        let letters = self.letters().as_bytes();
        !letters.get(at).or(letters.last()).is_some_and(u8::is_ascii_uppercase)
    }

    pub(super) fn call(&self, call: &Call<'_>) -> Result<Value> {
        (self.run)(call)
    }
}

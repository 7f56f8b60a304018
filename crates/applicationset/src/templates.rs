//! Renders the texts of a set, as plain or as Go templates, and limits the size of the result.

use std::cell::Cell;

use serde_json::{Map, Number, Value};

use super::{Parameters, Problem, plain_template};

/// The maximum size of all texts and elements of a set together, in bytes. No real set reaches a tenth of it.
const MAX_BYTES: usize = 64 << 20;

/// How the texts of a set are rendered.
pub(super) struct Templates {
    /// The options of Go templates; `None` for plain templates.
    options: Option<Vec<String>>,
    /// The minor version of Argo CD 3.
    minor: u16,
    /// The work that Go templates may still do.
    work: Cell<u64>,
    left: Cell<usize>,
}

impl Templates {
    /// The templates of a set with this `spec`, for Argo CD 3.`minor`.
    pub(super) fn new(spec: &Value, minor: u16) -> Self {
        let texts = |items: &Vec<Value>| items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let options = spec["goTemplateOptions"].as_array().map(texts).unwrap_or_default();
        let is_go = spec["goTemplate"].as_bool().unwrap_or_default();
        Self {
            options: is_go.then_some(options),
            minor,
            work: Cell::new(gotemplate::WORK_OF_A_SET),
            left: Cell::new(MAX_BYTES),
        }
    }

    /// Whether the texts are Go templates.
    pub(super) fn is_go(&self) -> bool {
        self.options.is_some()
    }

    /// The bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    /// Subtracts bytes from the size that is left.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), Problem> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(Problem::TooLarge(format!("makes more than {} MiB of text", MAX_BYTES >> 20))),
        }
    }

    /// Renders a text.
    pub(super) fn text(&self, text: &str, parameters: &Parameters) -> Result<String, Problem> {
        self.rendered(text, parameters, self.options.as_deref())
    }

    /// Renders a text; `None` when it uses a key that does not exist. Plain templates leave such a key as it is.
    pub(super) fn text_if_known(&self, text: &str, parameters: &Parameters) -> Result<Option<String>, Problem> {
        let strict = self.options.as_ref().map(|options| {
            let kept = options.iter().filter(|option| !option.starts_with("missingkey=")).cloned();
            kept.chain(["missingkey=error".to_owned()]).collect::<Vec<_>>()
        });
        let is_missing =
            |message: &str| message.contains("map has no entry for key") || message.contains("can't evaluate field");
        match self.rendered(text, parameters, strict.as_deref()) {
            Err(Problem::Failed(message)) if is_missing(&message) => Ok(None),
            other => other.map(Some),
        }
    }

    fn rendered(&self, text: &str, parameters: &Parameters, options: Option<&[String]>) -> Result<String, Problem> {
        self.spend(text.len())?;
        let made = match options {
            _ if !text.contains("{{") => text.to_owned(),
            Some(options) => {
                gotemplate::render(text, parameters, options, self.minor, &self.work).map_err(|error| match error {
                    gotemplate::Error::Function(name) => Problem::Function(name),
                    gotemplate::Error::Failed(message) => Problem::Failed(message),
                    gotemplate::Error::TooLarge(limit) => Problem::TooLarge(limit),
                })?
            }
            None => match plain_template::render(text, parameters, self.left.get()) {
                Ok(made) => made,
                Err(plain_template::Error::NotClosed) => {
                    return Err(Problem::Failed(format!("invalid template: cannot find `}}}}` in `{text}`")));
                }
                Err(plain_template::Error::TooLong) => self.spend(usize::MAX).map(|()| String::new())?,
            },
        };
        self.spend(made.len())?;
        Ok(made)
    }

    /// Renders all texts and all keys of maps in a value. Removes entries of maps that are null.
    pub(super) fn value(&self, value: &Value, parameters: &Parameters) -> Result<Value, Problem> {
        self.spend(size_of::<Value>())?;
        Ok(match value {
            Value::String(text) => Value::String(self.text(text, parameters)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.value(item, parameters)).collect::<Result<_, _>>()?)
            }
            Value::Object(map) => Value::Object(self.map(map, parameters)?),
            Value::Number(number) => Value::Number(as_float(number)),
            Value::Null | Value::Bool(_) => value.clone(),
        })
    }

    fn map(&self, map: &Map<String, Value>, parameters: &Parameters) -> Result<Map<String, Value>, Problem> {
        let entries = map.iter().filter(|(_, value)| !value.is_null());
        entries.map(|(key, value)| Ok((self.text(key, parameters)?, self.value(value, parameters)?))).collect()
    }
}

/// A number as Go's `any` holds it: an integer that no float can represent is rounded.
fn as_float(number: &Number) -> Number {
    let is_exact = number.as_i64().is_some_and(|found| found.unsigned_abs() <= 1 << 53);
    let float = number.as_f64().filter(|_| !is_exact).and_then(Number::from_f64);
    float.unwrap_or_else(|| number.clone())
}

//! Label selectors, matched against the parameters of an element or the labels of a cluster
//! (`LabelSelectorAsSelector` in `applicationset/utils/selector.go` and in `k8s.io/apimachinery/pkg/apis/meta/v1`).

use std::collections::BTreeMap;

use serde_json::Value;

pub(super) struct Selector {
    requirements: Vec<Requirement>,
}

struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

/// The values that a selector may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Any text: the selector is for parameters.
    Any,
    /// Only valid values of labels: the selector is for a cluster.
    OfLabels,
}

impl Selector {
    /// Reads a LabelSelector. The error is the message with which Kubernetes refuses it.
    pub(super) fn read(written: &Value, values: Values) -> Result<Self, String> {
        let mut requirements = Vec::new();
        for (key, value) in written["matchLabels"].as_object().into_iter().flatten() {
            let values = vec![value.as_str().unwrap_or_default().to_owned()];
            requirements.push(Requirement { key: key.clone(), operator: Operator::In, values });
        }
        for expression in written["matchExpressions"].as_array().into_iter().flatten() {
            let operator = match expression["operator"].as_str().unwrap_or_default() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => return Err(format!("`{other}` is not a valid label selector operator")),
            };
            let texts = expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let key = expression["key"].as_str().unwrap_or_default().to_owned();
            requirements.push(Requirement { key, operator, values: texts.map(str::to_owned).collect() });
        }
        requirements.iter().try_for_each(|requirement| requirement.validate(values))?;
        Ok(Self { requirements })
    }

    /// Whether the selector has no requirements.
    pub(super) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether the labels meet all requirements.
    pub(super) fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(labels.get(&requirement.key)))
    }

    /// Whether the labels could meet all requirements: a label that is missing, or whose value is a placeholder such
    /// as `<name>`, is unknown.
    pub(super) fn may_match(&self, labels: &BTreeMap<String, String>) -> bool {
        let is_known = |value: &&String| !(value.starts_with('<') && value.ends_with('>'));
        self.requirements.iter().all(|requirement| {
            labels.get(&requirement.key).filter(is_known).is_none_or(|value| requirement.matches(Some(value)))
        })
    }
}

impl Requirement {
    fn matches(&self, value: Option<&String>) -> bool {
        match self.operator {
            Operator::In => value.is_some_and(|value| self.values.contains(value)),
            Operator::NotIn => value.is_none_or(|value| !self.values.contains(value)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }

    fn validate(&self, values: Values) -> Result<(), String> {
        let key = &self.key;
        if !is_label_key(key) {
            return Err(format!("`{key}` is not a valid label key"));
        }
        let needs_values = matches!(self.operator, Operator::In | Operator::NotIn);
        if needs_values == self.values.is_empty() {
            let problem = if needs_values { "needs values" } else { "takes no values" };
            return Err(format!("the operator for `{key}` {problem}"));
        }
        match self.values.iter().find(|value| values == Values::OfLabels && !value.is_empty() && !is_label(value)) {
            Some(value) => Err(format!("`{value}` is not a valid value of a label")),
            None => Ok(()),
        }
    }
}

/// `IsQualifiedName`.
fn is_label_key(key: &str) -> bool {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let is_part = |part: &str| is_label(part) && !part.contains(|char: char| char == '_' || char.is_ascii_uppercase());
    prefix.is_none_or(|prefix| prefix.len() <= 253 && prefix.split('.').all(is_part)) && is_label(name)
}

/// Whether a text is valid as the name or value of a label: at most 63 characters, with a letter or digit at both
/// ends.
fn is_label(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    bytes.len() <= 63 && is_end(bytes.first()) && is_end(bytes.last()) && bytes.iter().all(allowed)
}

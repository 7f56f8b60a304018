//! `non-string-annotation`: puts the value in quotes.

use goyaml::{Change, Step, Value};

use super::{Fix, Proposal, Safety, Subject};

pub(super) const FIX: Fix = Fix {
    rule: "non-string-annotation",
    safe: "puts the number or boolean in quotes, as it is written",
    not_safe: "",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let [Step::Key(_), Step::Key(map), Step::Key(key)] = subject.path.steps() else { return None };
    let text = subject.unquoted()?;
    let noun = if map == "labels" { "label" } else { "annotation" };
    let change = Change::set(subject.path.clone(), Value::String(text.into()));
    Some(Proposal::new(Safety::Safe, format!("put the value of the {noun} `{key}` in quotes"), vec![change]))
}

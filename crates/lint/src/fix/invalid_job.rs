//! `invalid-job`: spells the restart policy as Kubernetes does, and puts the values of variables in quotes.

use goyaml::{Change, Step, Value, path};

use super::{Fix, Proposal, Safety, Subject, spelling};

pub(super) const FIX: Fix = Fix {
    rule: "invalid-job",
    safe: "spells `restartPolicy: Never` or `OnFailure` as Kubernetes does, if only the case of letters or white space differs; puts the value of a variable in quotes if it is a number or a boolean, and does not change its characters",
    not_safe: "",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    if let [.., Step::Key(list), Step::Item(_), Step::Key(key)] = subject.path.steps()
        && (list == "env" && key == "value")
    {
        let change = Change::set(subject.path.clone(), Value::String(subject.unquoted()?.into()));
        return Some(Proposal::new(Safety::Safe, "put the value of the variable in quotes".to_owned(), vec![change]));
    }
    if *subject.path != path!["spec", "template", "spec", "restartPolicy"] {
        return None;
    }
    let written = subject.object.value().at_path(subject.path)?.as_text()?;
    let meant = ["Never", "OnFailure"]
        .into_iter()
        .find(|policy| spelling::is_same(policy, written))
        .filter(|meant| *meant != written)?;
    let change = Change::set(subject.path.clone(), Value::String(meant.into()));
    Some(Proposal::new(Safety::Safe, format!("replace `{written}` with `{meant}`"), vec![change]))
}

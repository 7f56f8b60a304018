//! `restart-policy`: the policy as Kubernetes spells it.

use super::{Fix, Proposal, Safety, Subject, spelling};
use crate::yaml::{Change, Value};

pub(super) const FIX: Fix = Fix {
    rule: "restart-policy",
    safe: "spells `Never` or `OnFailure` as Kubernetes does, if only the case of letters or white space differs",
    not_safe: "",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let written = subject.object.value().at_path(subject.path)?.as_text()?;
    let meant = ["Never", "OnFailure"].into_iter().find(|policy| spelling::is_same(policy, written))?;
    let change = Change::set(subject.path.clone(), Value::String(meant.into()));
    Some(Proposal::new(Safety::Safe, format!("replace `{written}` with `{meant}`"), vec![change]))
}

//! `hook-not-recreated`: adds the delete policy that deletes the old Job before the hook runs again.

use kube_jobs::argocd;
use rewrite::strategy::gate::is_gate;

use super::{Fix, Proposal, Safety, Subject, comma_list};
use crate::diagnostic::annotation;

pub(super) const FIX: Fix = Fix {
    rule: "hook-not-recreated",
    safe: "",
    not_safe: "adds `BeforeHookCreation` to the delete policies: the old Job is deleted before the hook runs again",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    // `BeforeHookCreation` would make a gate run at every sync.
    let key = subject.annotation().filter(|_| !is_gate(subject.object))?;
    let item = match key {
        argocd::HOOK_DELETE_POLICY => "BeforeHookCreation",
        argocd::HELM_HOOK_DELETE_POLICY => "before-hook-creation",
        _ => return None,
    };
    let text = subject.object.annotation(key)?;
    let change = annotation(key, comma_list::with(text, item));
    Some(Proposal::new(Safety::Unsafe, format!("add `{item}` to `{key}`"), vec![change]))
}

//! `unknown-delete-policy`: writes the delete policy that was meant.

use kube_jobs::argocd::{self, HELM_DELETE_POLICIES, HookDeletePolicy};

use super::{Fix, Proposal, Subject, side_effects, spelling};

pub(super) const FIX: Fix = Fix {
    rule: "unknown-delete-policy",
    safe: "corrects the case of letters and removes white space, if the hook is still deleted before it runs again",
    not_safe: "corrects other misspellings, if exactly one policy is spelled similarly, even if the hook is then not deleted before it runs again",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let key = subject.annotation()?;
    let text = subject.object.annotation(key)?;
    let own = HookDeletePolicy::ALL.map(HookDeletePolicy::as_str);
    let known = match key {
        argocd::HOOK_DELETE_POLICY => own,
        argocd::HELM_HOOK_DELETE_POLICY => HELM_DELETE_POLICIES,
        _ => return None,
    };
    let unknown = argocd::comma_list(text).into_iter().filter(|item| !known.contains(item));
    let proposal = spelling::corrected(key, text, unknown, |item| spelling::meant(item, &known))?;
    Some(side_effects::judged(subject.object, proposal))
}

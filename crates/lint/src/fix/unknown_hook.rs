//! `unknown-hook`: writes the hook type that was meant.

use kube_jobs::argocd::{self, Deletion, HookType};

use super::{Fix, Proposal, Subject, side_effects, spelling};
use crate::rules::{HELM_HOOKS, HOOKS};

pub(super) const FIX: Fix = Fix {
    rule: "unknown-hook",
    safe: "corrects the case of letters and removes white space",
    not_safe: "corrects other misspellings, if exactly one hook type is spelled similarly",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let key = subject.annotation()?;
    let text = subject.object.annotation(key)?;
    let is_known = |item: &&str| match key {
        argocd::HOOK => {
            HookType::parse(item).is_some() || Deletion::ALL.iter().any(|deletion| deletion.as_str() == *item)
        }
        _ => HELM_HOOKS.contains(item),
    };
    let known: &[&str] = match key {
        argocd::HOOK => &HOOKS,
        argocd::HELM_HOOK => &HELM_HOOKS,
        _ => return None,
    };
    let unknown = argocd::comma_list(text).into_iter().filter(|item| !is_known(item));
    let proposal = spelling::corrected(key, text, unknown, |item| spelling::meant(item, known))?;
    Some(side_effects::judged(subject.object, proposal))
}

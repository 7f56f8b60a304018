//! `replace-without-force`: removes the sync option that makes every sync fail.

use goyaml::Change;
use kube_jobs::argocd;

use super::{Fix, Proposal, Safety, Subject, comma_list};
use crate::diagnostic::annotation;

pub(super) const FIX: Fix =
    Fix { rule: "replace-without-force", safe: "", not_safe: "removes `Replace=true` from the Job", propose };

const OPTION: &str = "Replace=true";

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    // A sync option of the Application is not in this file.
    let key = subject.annotation().filter(|key| *key == argocd::SYNC_OPTIONS)?;
    let change = match comma_list::without(subject.object.annotation(key)?, OPTION) {
        Some(rest) => annotation(key, rest),
        None => Change::remove(subject.removal(vec![subject.path.clone()]).pop()?),
    };
    Some(Proposal::new(Safety::Unsafe, format!("remove `{OPTION}` from `{key}`"), vec![change]))
}

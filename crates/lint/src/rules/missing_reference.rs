//! `missing-reference`

use std::collections::BTreeSet;

use kube_jobs::kubernetes::Job;
use kube_jobs::kubernetes::pod::{self, Needed};
use rewrite::settings::HashReferences;

use crate::object_index::ObjectIndex;
use crate::survey::Side;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "missing-reference",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Info,
    summary: "a ConfigMap or Secret that is not in the output, so `hash-references` cannot see its changes",
    why: "With `hash-references: true`, a Job runs again when the data of a ConfigMap or Secret that its pod \
          template references changes. One that is not in the same output and namespace, such as a Secret that a \
          controller creates, cannot be seen, and a change to it does not run the Job again.",
    fix: "If such a change must run the Job again, change `argocd-jobs/rerun` to another text at the same time.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/",
    example: super::example!("missing-reference").config(&["hash-references: true"], &["hash-references: true"]),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_hashed = |index| context.survey.source(index).output.hash_references == HashReferences::Yes;
    let may_be_there = context.survey.application.may_have_more;
    if context.side == Side::Written || may_be_there || !context.jobs().any(|(index, _)| is_hashed(index)) {
        return Vec::new();
    }
    let known = ObjectIndex::of(context);
    let has_hash = |index: usize| context.survey.job(index).is_some_and(|plan| plan.outcome.hash.is_some());
    context
        .jobs()
        .filter(|(index, _)| is_hashed(*index) && has_hash(*index))
        .flat_map(|(index, job)| of_job(index, job, &known))
        .take(context.most)
        .collect()
}

/// One diagnostic for each missing object, at its first reference.
fn of_job(index: usize, job: &Job, known: &ObjectIndex<'_>) -> Vec<Diagnostic> {
    let namespace = known.context().survey.namespace(job);
    let mut reported = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for reference in pod::references(job).into_iter().filter(|reference| reference.is_content) {
        let (kind, name) = (reference.needed.kind(), reference.name);
        let is_given = (reference.needed, name) == (Needed::ConfigMap, "kube-root-ca.crt");
        let is_here = !known.find(("", kind, namespace, name)).is_empty();
        if is_given || is_here || !reported.insert((kind, name)) {
            continue;
        }
        let message = format!("{kind} `{name}` is not in the output, so `hash-references` cannot see changes to it");
        let help = format!(
            "if a change to {kind} `{name}` must run the Job again, change its annotation `argocd-jobs/rerun` as well"
        );
        diagnostics.push(Diagnostic::at(index, reference.path.clone(), message, help));
    }
    diagnostics
}

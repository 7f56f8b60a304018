//! `missing-reference`

use std::collections::BTreeSet;

use crate::finding::object_index::ObjectIndex;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::kubernetes::pod::{self, Needed};
use crate::path;
use crate::settings::HashReferences;
use crate::survey::Side;

pub(super) const RULE: Rule = Rule {
    id: "missing-reference",
    level: Level::Info,
    summary: "`hash-references` cannot see a ConfigMap or Secret that is not in the output",
    why: "With `hash-references: true` a Job runs again when the data of a ConfigMap or Secret changes that its pod template names. \
          What is not in the same output and namespace, such as a Secret that a controller makes, cannot be seen, and a change of it \
          runs nothing.",
    fix: "Where such a change has to run the Job again, set `argocd-jobs/rerun` to another text together with it.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.output.hash_references == HashReferences::No || context.side == Side::Written {
        return Vec::new();
    }
    let known = ObjectIndex::of(context);
    let has_hash = |index: usize| context.survey.job(index).is_some_and(|plan| plan.outcome.hash.is_some());
    context.jobs().filter(|(index, _)| has_hash(*index)).flat_map(|(index, job)| of_job(index, job, &known)).collect()
}

/// One diagnostic for each missing object, at its first reference.
fn of_job(index: usize, job: &Job, known: &ObjectIndex<'_>) -> Vec<Diagnostic> {
    let namespace = known.context().survey.namespace(job);
    let mut told = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for reference in pod::references(job).into_iter().filter(|reference| reference.is_content) {
        let (kind, name) = (reference.needed.kind(), reference.name);
        let is_given = (reference.needed, name) == (Needed::ConfigMap, "kube-root-ca.crt");
        let is_here = !known.find(("", kind, namespace, name)).is_empty();
        if is_given || is_here || !told.insert((kind, name)) {
            continue;
        }
        let message = format!("{kind} `{name}` is not in the output: `hash-references` does not see a change of it");
        let help = "set `argocd-jobs/rerun` to another text where a change of it has to run the Job again";
        diagnostics.push(Diagnostic { path: reference.path.clone(), ..Diagnostic::at(index, path![], message, help) });
    }
    diagnostics
}

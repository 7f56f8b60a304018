//! `missing-reference`

use std::collections::BTreeSet;

use crate::finding::known::Known;
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Job;
use crate::kubernetes::pod::{self, Needed};
use crate::path;
use crate::settings::HashReferences;
use crate::survey::Side;

pub(super) const ROW: Row = Row {
    id: "missing-reference",
    level: Level::Info,
    summary: "`hash-references` cannot see a ConfigMap or Secret that is not in the output",
    why: "With `hash-references: true` a Job runs again when the data of a ConfigMap or Secret changes that its pod template names. \
          What is not in the same output and namespace, such as a Secret that a controller makes, cannot be seen, and a change of it \
          runs nothing.",
    fix: "Where such a change has to run the Job again, set `argocd-jobs/rerun` to another text together with it.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    if look.output.hash_references == HashReferences::No || look.side == Side::Written {
        return Vec::new();
    }
    let known = Known::of(look);
    let has_hash = |index: usize| look.survey.job(index).is_some_and(|plan| plan.outcome.hash.is_some());
    look.jobs().filter(|(index, _)| has_hash(*index)).flat_map(|(index, job)| of_job(index, job, &known)).collect()
}

/// One remark for each, where it is named first.
fn of_job(index: usize, job: &Job, known: &Known<'_>) -> Vec<Remark> {
    let namespace = known.look().survey.namespace(job);
    let mut told = BTreeSet::new();
    let mut remarks = Vec::new();
    for reference in pod::references(job).into_iter().filter(|reference| reference.is_content) {
        let (kind, name) = (reference.needed.kind(), reference.name);
        let is_given = (reference.needed, name) == (Needed::ConfigMap, "kube-root-ca.crt");
        let is_here = !known.find(("", kind, namespace, name)).is_empty();
        if is_given || is_here || !told.insert((kind, name)) {
            continue;
        }
        let message = format!("{kind} `{name}` is not in the output: `hash-references` does not see a change of it");
        let help = "set `argocd-jobs/rerun` to another text where a change of it has to run the Job again";
        remarks.push(Remark { path: reference.path.clone(), ..Remark::at(index, path![], message, help) });
    }
    remarks
}

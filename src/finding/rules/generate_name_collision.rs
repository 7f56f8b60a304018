//! `generate-name-collision`

use std::collections::BTreeMap;

use crate::argocd::Phase;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::path;
use crate::plan::ProblemKind;

pub(super) const RULE: Rule = Rule {
    id: "generate-name-collision",
    level: Level::Error,
    summary: "two hooks of one phase with one `generateName` get one name",
    why: "Argo CD makes the name of a hook itself: the `generateName`, the revision, the phase, and the second in which the operation \
          began (`gitops-engine/pkg/sync/sync_context.go`). Two hooks with one prefix in one phase get the same name: the second is \
          applied onto the first, which ends in `field is immutable`, or, when they are alike, in one Job instead of two \
          (argo-cd #9184).",
    fix: "Give each its own `generateName`. The strategy `generate-name` puts a content hash into it, which tells Jobs with different \
          content apart.",
    link: "https://github.com/argoproj/argo-cd/issues/9184",
    check: Check::ObjectsOrProblem(check, &[ProblemKind::GenerateNameCollision]),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<(&str, &str, Phase), usize> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for (index, job) in context.jobs() {
        let Some(prefix) = job.generate_name().filter(|_| job.name().is_none() && job.is_hook()) else { continue };
        let namespace = context.survey.namespace(job);
        let phases = job.phases();
        let meet = |phase: &Phase| seen.get(&(namespace, prefix, *phase)).copied();
        if let Some(other) = phases.iter().find_map(meet) {
            diagnostics.push(diagnostic(index, other, job, prefix, context));
        }
        for phase in phases {
            seen.entry((namespace, prefix, phase)).or_insert(index);
        }
    }
    diagnostics
}

fn diagnostic(index: usize, other: usize, job: &Job, prefix: &str, context: &Context<'_>) -> Diagnostic {
    let path = path!["metadata", "generateName"];
    let place = context.place(other, &path).map(|place| format!(": {place}")).unwrap_or_default();
    let phase = job.phases().first().map_or("", |phase| phase.as_str());
    let message = format!("another {phase} hook has the generateName `{prefix}` too: both get one name{place}");
    Diagnostic::at(index, path.clone(), message, "give it another `generateName`").with(other, path)
}

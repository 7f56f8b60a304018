//! `generate-name-collision`

use std::collections::BTreeMap;

use crate::argocd::Phase;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::path;
use crate::plan::ProblemKind;

pub(super) const RULE: Rule = Rule {
    id: "generate-name-collision",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "two hooks of the same phase with the same `generateName` get the same name",
    why: "Argo CD itself generates the name of such a hook, from the `generateName`, the revision, the phase, and \
          the second at which the operation started (`gitops-engine/pkg/sync/sync_context.go`). Two hooks with the \
          same prefix in the same phase get the same name. The second one is applied onto the first: if they differ, \
          this fails with `field is immutable`; if not, there is one Job instead of two (argo-cd #9184).",
    fix: "Give each hook its own `generateName`. With the plugin, the strategy `generate-name` adds a content hash, \
          so that Jobs with different content get different names.",
    link: "https://github.com/argoproj/argo-cd/issues/9184",
    example: super::example!("generate-name-collision"),
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
    let place = context.place(other, &path).map(|place| format!("; the other one is at {place}")).unwrap_or_default();
    let phase = job.phases().first().map_or("", |phase| phase.as_str());
    let message = format!("two {phase} hooks have `generateName: {prefix}` and get the same name{place}");
    Diagnostic::at(index, path.clone(), message, "give one of the two hooks another `generateName`").with(other, path)
}

//! `generate-name-collision`

use std::collections::BTreeMap;

use goyaml::path;
use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Object;
use rewrite::plan::ProblemKind;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "generate-name-collision",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "two hooks of the same phase with the same `generateName` get the same name",
    why: "Argo CD itself generates the name of such a hook, from the `generateName`, the revision, the phase, and \
          the second at which the operation started (`gitops-engine/pkg/sync/sync_context.go`). Two hooks with the \
          same prefix in the same phase get the same name. The second one is applied onto the first: if they differ, \
          this fails with `field is immutable`, or one overwrites the other; if not, there is one object instead of two (argo-cd \
          #9184).",
    fix: "Give each hook its own `generateName`. With the plugin, the strategy `generate-name` adds a content hash to those of Jobs, \
          so that Jobs with different content get different names.",
    link: "https://github.com/argoproj/argo-cd/issues/9184",
    example: super::example!("generate-name-collision"),
    check: Check::ObjectsOrProblem(check, &[ProblemKind::GenerateNameCollision]),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<([&str; 4], Phase), usize> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for (index, object) in context.objects() {
        let is_generated = object.name().is_none() && object.is_hook();
        let Some(prefix) = object.generate_name().filter(|_| is_generated) else { continue };
        let key = [object.group(), object.kind(), context.survey.namespace(object), prefix];
        let phases = object.phases();
        let meet = |phase: &Phase| seen.get(&(key, *phase)).copied();
        if let Some(other) = phases.iter().find_map(meet) {
            diagnostics.push(diagnostic(index, other, object, prefix, context));
        }
        for phase in phases {
            seen.entry((key, phase)).or_insert(index);
        }
    }
    diagnostics
}

fn diagnostic(index: usize, other: usize, object: &Object, prefix: &str, context: &Context<'_>) -> Diagnostic {
    let path = path!["metadata", "generateName"];
    let place = context.place(other, &path).map(|place| format!("; the other one is at {place}")).unwrap_or_default();
    let phase = object.phases().first().map_or("", |phase| phase.as_str());
    let message = format!("two {phase} hooks have `generateName: {prefix}` and get the same name{place}");
    Diagnostic::at(index, path.clone(), message, "give one of the two hooks another `generateName`").with(other, path)
}

//! `hook-needs-later-object`

use std::collections::BTreeSet;

use crate::argocd::Phase;
use crate::finding::dependencies::{Dependencies, Dependency};
use crate::finding::object_index::AppliedLater;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::path;
use crate::survey::sync_order::{self, Moment};
use crate::yaml::Path;

pub(super) const RULE: Rule = Rule {
    id: "hook-needs-later-object",
    level: Level::Error,
    summary: "a Job runs before what it needs is applied: the first sync hangs",
    why: "Argo CD applies phase by phase and wave by wave, and goes on only when the hooks and Jobs of a wave are done \
          (`gitops-engine/pkg/sync/sync_context.go`). A PreSync hook whose ServiceAccount, ConfigMap, Secret or volume claim is an \
          ordinary object of the same output waits for what comes only after it. There is no pod and no log, only `waiting for \
          completion of hook`. Where the Application is live already nothing is noticed, until somebody installs it anew \
          (argo-cd #9891, #13429, #20119). Of a role or a binding the Job does not wait, but fails without the right.\n\n\
          An ordinary Job in a wave before the one of what it needs hangs the sync as well: the next wave begins when it is healthy.",
    fix: "Let the Job run in the Sync phase, in the wave of what it needs or a later one, and give what must come after it a later \
          wave still. All of a wave is created together, in the order of kinds, so that the same wave is enough.\n\n\
          What a hook needs can be made a PreSync hook too, in the same wave or a lower one. It is then deleted and created anew at \
          every sync: tokens of a ServiceAccount become invalid, the data of a volume claim is lost.",
    link: "https://github.com/argoproj/argo-cd/issues/9891",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_one_moment() {
        return Vec::new();
    }
    let dependencies = Dependencies::of(context);
    context.jobs().flat_map(|(index, job)| of_job(index, job, &dependencies, context)).collect()
}

/// One diagnostic for each object that is applied too late, at its first reference.
fn of_job(index: usize, job: &Job, dependencies: &Dependencies<'_>, context: &Context<'_>) -> Vec<Diagnostic> {
    // A suspended Job needs nothing.
    let Some(begins) = sync_order::first(job).filter(|_| !job.is_suspended()) else { return Vec::new() };
    let mut told = BTreeSet::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for need in dependencies.needs(job, begins) {
        if !told.insert(need.late.index) {
            continue;
        }
        // Report only the first dependency at a path: a ServiceAccount comes before its rights.
        match diagnostics.iter_mut().find(|diagnostic| diagnostic.path == need.path) {
            Some(first) => first.related.push((need.late.index, name_path())),
            None => diagnostics.push(diagnostic(index, job, begins, &need, context)),
        }
    }
    diagnostics
}

fn name_path() -> Path {
    path!["metadata", "name"]
}

fn diagnostic(index: usize, job: &Job, begins: Moment, need: &Dependency<'_>, context: &Context<'_>) -> Diagnostic {
    let AppliedLater { object, index: other, moment } = need.late;
    let who = if job.is_hook() { format!("the {} hook", begins.phase.as_str()) } else { "the Job".to_owned() };
    let when = if moment.phase == begins.phase { format!(" in wave {}", begins.wave) } else { String::new() };
    let place = context.place(other, &path!["metadata", "name"]).map(|place| format!(": {place}")).unwrap_or_default();
    let message = format!("{who}{when} {}, which is applied only in {moment}{place}", need.what);
    let help = help(job, begins, need, object.name().unwrap_or(""));
    Diagnostic { path: need.path.clone(), ..Diagnostic::at(index, path![], message, help) }
        .with(other, path!["metadata", "name"])
}

/// The help line: a change that removes the finding.
fn help(job: &Job, begins: Moment, need: &Dependency<'_>, name: &str) -> String {
    let moment = need.late.moment;
    let what = format!("{} `{name}`", need.late.object.kind());
    let wave = |wave: i64| format!("`argocd.argoproj.io/sync-wave: \"{wave}\"`");
    if moment.phase == begins.phase {
        let (earlier, later) = (wave(begins.wave), wave(moment.wave));
        return format!("give the Job {later} or a higher one, or {what} {earlier} or a lower one");
    }
    if moment.phase != Phase::Sync {
        return format!("{what} is a {} hook: let it be applied with the Job or earlier", moment.phase.as_str());
    }
    let later = if job.wave() < moment.wave { format!(", and {}", wave(moment.wave)) } else { String::new() };
    let own = "run it in the Sync phase, with the annotation `argocd-jobs/strategy: hash-name` (once per change) or \
               `argocd-jobs/hook: Sync` (at every sync)";
    let other = match need.late.object.kind() {
        "ServiceAccount" | "ConfigMap" | "Secret" | "Role" | "RoleBinding" | "SecretProviderClass" => {
            let phase = begins.phase.as_str();
            let earlier =
                if moment.wave > begins.wave { format!(" with {}", wave(begins.wave)) } else { String::new() };
            format!("; or make {what} a {phase} hook{earlier}, which is deleted and created anew at every sync")
        }
        _ => String::new(),
    };
    format!("{own}{later}{other}")
}

//! `hook-needs-later-object`

use std::collections::BTreeSet;

use crate::argocd::Phase;
use crate::finding::known::Late;
use crate::finding::need::{Need, Stock};
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Job;
use crate::order::{self, Moment};
use crate::path;
use crate::yaml::Path;

pub(super) const ROW: Row = Row {
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
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    let stock = Stock::of(look);
    look.jobs().flat_map(|(index, job)| of_job(index, job, &stock, look)).collect()
}

/// One remark for each thing that comes too late, where it is named first.
fn of_job(index: usize, job: &Job, stock: &Stock<'_>, look: &Look<'_>) -> Vec<Remark> {
    // A suspended Job needs nothing.
    let Some(begins) = order::first(job).filter(|_| !job.is_suspended()) else { return Vec::new() };
    let mut told = BTreeSet::new();
    let mut remarks: Vec<Remark> = Vec::new();
    for need in stock.needs(job, begins) {
        if !told.insert(need.late.index) {
            continue;
        }
        // Of what is needed for one thing only the first is told; the ServiceAccount comes before its rights.
        match remarks.iter_mut().find(|remark| remark.path == need.path) {
            Some(first) => first.related.push((need.late.index, name_path())),
            None => remarks.push(remark(index, job, begins, &need, look)),
        }
    }
    remarks
}

fn name_path() -> Path {
    path!["metadata", "name"]
}

fn remark(index: usize, job: &Job, begins: Moment, need: &Need<'_>, look: &Look<'_>) -> Remark {
    let Late { object, index: other, moment } = need.late;
    let who = if job.is_hook() { format!("the {} hook", begins.phase.as_str()) } else { "the Job".to_owned() };
    let when = if moment.phase == begins.phase { format!(" in wave {}", begins.wave) } else { String::new() };
    let place = look.place(other, &path!["metadata", "name"]).map(|place| format!(": {place}")).unwrap_or_default();
    let message = format!("{who}{when} {}, which is applied only in {moment}{place}", need.what);
    let help = help(job, begins, need, object.name().unwrap_or(""));
    Remark { path: need.path.clone(), ..Remark::at(index, path![], message, help) }
        .with(other, path!["metadata", "name"])
}

/// A way out that ends the finding.
fn help(job: &Job, begins: Moment, need: &Need<'_>, name: &str) -> String {
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

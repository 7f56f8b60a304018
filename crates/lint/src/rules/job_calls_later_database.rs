//! `job-calls-later-database`

use std::collections::{BTreeMap, HashMap};

use kube_jobs::argocd::{HELM_HOOK, HOOK, Phase, SYNC_WAVE};
use kube_jobs::kubernetes::Object;

use crate::services::{Services, calls, first_labels, host, is_in_a_variable};
use crate::survey::sync_order::{self, Moment};
use crate::workloads::{self, Workload};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "job-calls-later-database",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job that calls a database which the sync applies only after the Job",
    why: "A PreSync hook runs before everything in the Sync phase, whatever the waves (`gitops-engine/pkg/sync/sync_tasks.go`). So in the first sync \
          the database of the same Application does not exist yet: the Job waits for it, or fails, and the sync never gets to the database. \
          The same holds for a Job in an earlier wave than the database. Where the database exists, syncs succeed: the mistake shows up when the \
          Application is installed from scratch (chatwoot #207, litellm #7110, airflow #18172).\n\n\
          For Argo CD, the weight of a Helm hook is its wave, and orders it only within its phase: a `pre-install` hook with a high weight still runs \
          before the Sync phase.\n\n\
          The finding is only about databases and their proxies, known by their image or their port. A Job that calls another server of the \
          Application may be meant for an upgrade, when that server exists.",
    fix: "Run the Job in the Sync phase, in a later wave than the database: `argocd.argoproj.io/hook: Sync` and \
          `argocd.argoproj.io/sync-wave` on the Job. Put the workloads that need the result of the Job into a later wave than the Job.",
    link: "https://github.com/chatwoot/charts/pull/207",
    example: super::example!("job-calls-later-database"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_one_moment() {
        return Vec::new();
    }
    let databases = databases(context);
    let jobs = context.jobs().filter(|(_, job)| !job.is_suspended());
    jobs.filter_map(|(index, job)| of_job(index, job, &databases, context)).collect()
}

/// The databases of a side, by the first label of their hosts. Of those with the same name that start at one moment, only the first counts.
type Databases<'l> = HashMap<&'l str, BTreeMap<Place<'l>, Workload<'l>>>;

/// The moment at which a database is applied, its namespace, and the name by which pods reach it.
type Place<'l> = (Moment, &'l str, &'l str);

fn databases<'l>(context: &'l Context<'l>) -> Databases<'l> {
    let services = Services::of(context);
    let mut databases = Databases::new();
    for workload in workloads::workloads(context) {
        let namespace = context.survey.namespace(workload.object);
        let served = services.serving(workload.object, namespace);
        let names = if workload.is_server() || served.is_database { served.names } else { Vec::new() };
        for name in names {
            let first = name.split('.').next().unwrap_or(name);
            databases.entry(first).or_default().entry((workload.moment, namespace, name)).or_insert(workload);
        }
    }
    databases
}

/// The first database that a Job calls and that is applied after it.
fn of_job(index: usize, job: &Object, databases: &Databases<'_>, context: &Context<'_>) -> Option<Diagnostic> {
    let begins = sync_order::first(job)?;
    let from = context.survey.namespace(job);
    let named = first_labels(job).into_iter().filter_map(|label| databases.get(label)).flatten();
    let called = |((moment, namespace, name), _): &(&Place<'_>, &Workload<'_>)| {
        let hosts = [host(name, namespace, from)];
        *moment > begins && (calls(job, &hosts) || is_in_a_variable(job, &hosts))
    };
    let (_, found) = named.filter(called).min_by_key(|(_, workload)| (workload.moment, workload.index))?;
    let who = if job.is_hook() { format!("the {} hook", begins.phase.as_str()) } else { "the Job".to_owned() };
    let message = format!(
        "{who} calls {}, which is not applied until {}{}: in the first sync nothing answers, and the sync waits for the Job",
        found.object.described(),
        found.moment,
        context.in_brackets(found.index)
    );
    let found = Diagnostic::on_name(index, message, help(job, begins, found)).with_name_of(found.index);
    Some(found.solved_by("the parameter `wave` or `hook`"))
}

fn help(job: &Object, begins: Moment, called: &Workload<'_>) -> String {
    let wave = format!("`{SYNC_WAVE}: \"{}\"`", called.moment.wave.saturating_add(1));
    if begins.phase == Phase::Sync || called.moment.phase != Phase::Sync {
        return format!("set {wave} or higher on the Job");
    }
    let is_weighted = job.annotation(HOOK).is_none() && job.annotation(HELM_HOOK).is_some() && job.wave() > 0;
    let weight = if is_weighted { "; its weight orders it only among PreSync hooks" } else { "" };
    format!(
        "run the Job in the Sync phase, after {}: set `{HOOK}: Sync` and {wave} on it{weight}",
        called.object.described()
    )
}

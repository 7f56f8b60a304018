//! `rollout-does-not-wait`

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap};

use kube_jobs::argocd::{self, Phase};
use kube_jobs::kubernetes::{Job, Object};
use text::Help;

use crate::claims::Claims;
use crate::dependencies::Dependencies;
use crate::diagnostic::annotation;
use crate::services::{self, Served, Services};
use crate::survey::sync_order::{self, Moment};
use crate::workloads::{self, Workload};
use crate::{Check, Context, Diagnostic, Level, Rule, migration};

pub(super) const RULE: Rule = Rule {
    id: "rollout-does-not-wait",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a workload that is rolled out before the migration Job of the same application has finished",
    why: "Argo CD applies all resources of a sync wave together, and waits for their health only before the next \
          wave (`gitops-engine/pkg/sync/sync_context.go`). Without a wave, the new pods of a Deployment start while \
          the migration is still running, and they stay if it fails.\n\n\
          The finding is about a Job whose name or command speaks of a migration, a schema or the setup of a \
          database, and about a Deployment, StatefulSet, DaemonSet or Rollout in its namespace that runs an image \
          from the same repository, or has the same database Secret in its environment. PreSync hooks run \
          before the workload and PostSync hooks are meant to run after it: they do not give the finding, and \
          neither does a workload with an init container that waits for the Job or for migrations, one whose pods \
          need a key of a Secret that the Job writes, or one that serves the Job: a database, by its image or the port at which it \
          listens, or what the Job calls by a Service that selects it.",
    fix: "Put the Job into an earlier sync wave than the workload: `argocd.argoproj.io/sync-wave: \"-1\"` on the Job, \
          or, with the plugin, the parameter `wave`. If the Job needs something from the workload's wave, such as \
          its ConfigMap or a database, put the workload into a later wave instead, together with the volume claims that only \
          it uses: a claim can wait for its first pod, and the sync for the claim. If old and new pods both work \
          before, during and after the migration, ignore the finding.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
    example: super::example!("rollout-does-not-wait"),
    check: Check::Objects(check),
};

/// Something that a Job and a workload share, which shows that they belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shared<'l> {
    /// The repository of an image.
    Image(&'l str),
    /// The name of a Secret with the credentials of a database.
    Secret(&'l str),
}

/// The workloads and Services of a side.
struct Workloads<'w, 'l> {
    all: &'w [Workload<'l>],
    /// The workloads of the Sync phase, by namespace and by what they may share with a Job.
    by_shared: HashMap<(&'w str, Shared<'l>), Vec<&'w Workload<'l>>>,
    /// What pods can reach each workload by. The keys are the indices of the objects.
    served: HashMap<usize, Served<'w>>,
}

/// What has to be applied in another wave.
enum Order {
    /// The Job, unless it calls this workload, whose host is in a variable of it: then it would wait for a workload that comes after it.
    JobEarlier { unless: Option<String> },
    /// The workloads, because the Job needs an object that their wave has; with the volume claims that wait for their pods.
    WorkloadsLater { needed: String, has_claims: bool },
}

/// A workload that does not wait for a Job, and what both share.
type Early<'w, 'l> = (&'w Workload<'l>, Shared<'l>);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let jobs: Vec<(usize, &Job, Moment)> = context.applied_jobs().filter_map(candidate).collect();
    if jobs.is_empty() {
        return Vec::new();
    }
    let all = workloads::workloads(context);
    let workloads = Workloads::of(&all, context);
    let dependencies = LazyCell::new(|| Dependencies::of(context));
    let claims = LazyCell::new(|| Claims::of(context));
    let found = jobs.into_iter().filter_map(|(index, job, moment)| {
        let early = workloads.early(job, moment, context);
        let first = early.iter().map(|(workload, _)| workload.moment).min()?;
        let before = Moment { wave: first.wave - 1, ..first };
        let needed = dependencies.needs(job, before).first().map(|need| need.late.object.described());
        let server = || workloads.server(job, before, &early, context);
        let needed = needed.or_else(|| server().map(|server| server.object.described()));
        let needed = needed.or_else(|| operated(job, before, context));
        let has_claims = |(workload, _): &Early<'_, '_>| !claims.pins(workload.index, workload.object).is_empty();
        let order = match needed {
            Some(needed) => Order::WorkloadsLater { needed, has_claims: early.iter().any(has_claims) },
            None => Order::JobEarlier { unless: workloads.named(job, &early, context) },
        };
        let message = message(moment, &early, context);
        let is_certain = matches!(order, Order::JobEarlier { unless: None });
        let own = is_certain.then(|| annotation(argocd::SYNC_WAVE, before.wave.to_string()));
        let found = Diagnostic::on_name(index, message, help(moment, &early, before.wave, order)).fixed_by(own);
        let found = early.iter().fold(found, |found, (workload, _)| found.with_name_of(workload.index));
        Some(found.solved_by("the parameter `wave` or `hook`"))
    });
    found.collect()
}

/// A database in the namespace of the Job that an operator makes of a resource that is applied after `moment`.
fn operated(job: &Job, moment: Moment, context: &Context<'_>) -> Option<String> {
    let namespace = context.survey.namespace(job);
    let is_one = |object: &Object| {
        workloads::is_operated_database(object)
            && context.survey.namespace(object) == namespace
            && sync_order::first(object).is_some_and(|first| first > moment)
    };
    context.objects().find(|(_, object)| is_one(object)).map(|(_, object)| object.described())
}

/// The Job, if it runs in the Sync phase and prepares a database.
fn candidate((index, job): (usize, &Job)) -> Option<(usize, &Job, Moment)> {
    let moment = sync_order::first(job).filter(|moment| moment.phase == Phase::Sync && !job.is_suspended())?;
    migration::prepares_database(job).then_some((index, job, moment))
}

impl<'w, 'l> Workloads<'w, 'l> {
    fn of(all: &'w [Workload<'l>], context: &'w Context<'l>) -> Self {
        let mut by_shared: HashMap<_, Vec<_>> = HashMap::new();
        let services = Services::of(context);
        let serving = |workload: &Workload<'l>| {
            (workload.index, services.serving(workload.object, context.survey.namespace(workload.object)))
        };
        let served: HashMap<usize, Served<'_>> = all.iter().map(serving).collect();
        let is_application = |workload: &&Workload<'l>| {
            !workload.is_about_a_database() && !served.get(&workload.index).is_some_and(|found| found.is_database)
        };
        let in_sync = all.iter().filter(|workload| workload.moment.phase == Phase::Sync);
        for workload in in_sync.filter(is_application) {
            let images = workloads::applications(workload.object).into_iter().map(Shared::Image);
            let secrets = workloads::secrets(workload.object).into_iter();
            let secrets = secrets.filter(|(_, taken)| taken.is_database || taken.is_whole);
            let namespace = context.survey.namespace(workload.object);
            for shared in images.chain(secrets.map(|(secret, _)| Shared::Secret(secret))) {
                by_shared.entry((namespace, shared)).or_default().push(workload);
            }
        }
        Self { all, by_shared, served }
    }

    /// The workloads that belong to the Job's application and are not applied after the Job, in the order of their names.
    fn early(&self, job: &'l Job, moment: Moment, context: &Context<'_>) -> Vec<Early<'w, 'l>> {
        let namespace = context.survey.namespace(job);
        let images = workloads::applications(job).into_iter().map(Shared::Image);
        let secrets = workloads::secrets(job).into_iter().filter(|(_, taken)| taken.is_database);
        let mut found: BTreeMap<(&str, usize), Early<'_, '_>> = BTreeMap::new();
        for shared in images.chain(secrets.map(|(secret, _)| Shared::Secret(secret))) {
            for workload in self.by_shared.get(&(namespace, shared)).into_iter().flatten() {
                let name = workload.object.name().unwrap_or("");
                let needs_it = || {
                    let hosts = self.hosts(workload, namespace);
                    // An application has its own host in its variables, too, and does not call it. What has the same Secret only is what
                    // the Secret is for.
                    let is_served = || matches!(shared, Shared::Secret(_)) && services::is_in_a_variable(job, &hosts);
                    services::calls(job, &hosts) || is_served()
                };
                if workload.moment <= moment
                    && !workload.waits_itself(job)
                    && !workload.starts_after(job)
                    && !needs_it()
                {
                    found.entry((name, workload.index)).or_insert((workload, shared));
                }
            }
        }
        found.into_values().collect()
    }

    /// The names by which pods of the namespace `from` reach a workload.
    fn hosts(&self, workload: &Workload<'_>, from: &str) -> Vec<String> {
        self.served.get(&workload.index).map(|served| served.hosts(from)).unwrap_or_default()
    }

    /// What the Job may need of what is applied after `moment`, without those that shall wait for it: a database in its namespace, or a workload whose
    /// host is in a command line or a variable of the Job.
    fn server(
        &self,
        job: &Job,
        moment: Moment,
        early: &[Early<'_, '_>],
        context: &Context<'_>,
    ) -> Option<&'w Workload<'l>> {
        let from = context.survey.namespace(job);
        let is_needed = |found: &Workload<'l>| {
            let hosts = self.hosts(found, from);
            let is_database =
                || found.is_server() || self.served.get(&found.index).is_some_and(|found| found.is_database);
            context.survey.namespace(found.object) == from && is_database()
                || services::calls(job, &hosts)
                || services::is_in_a_variable(job, &hosts)
        };
        let is_early = |found: &Workload<'l>| early.iter().any(|(workload, _)| workload.index == found.index);
        self.all.iter().find(|found| found.moment > moment && !is_early(found) && is_needed(found))
    }

    /// The first of the workloads whose host is in a variable of the Job.
    fn named(&self, job: &Job, early: &[Early<'_, '_>], context: &Context<'_>) -> Option<String> {
        let namespace = context.survey.namespace(job);
        let is_named =
            |(workload, _): &&Early<'_, '_>| services::is_in_a_variable(job, &self.hosts(workload, namespace));
        early.iter().find(is_named).map(|(workload, _)| workload.object.described())
    }
}

fn message(moment: Moment, early: &[Early<'_, '_>], context: &Context<'_>) -> String {
    let Some((first, shared)) = early.first() else { return String::new() };
    let place = context.in_brackets(first.index);
    let (more, does) = match early.len() - 1 {
        0 => (String::new(), "does"),
        1 => (" and one more workload".to_owned(), "do"),
        count => (format!(" and {count} more workloads"), "do"),
    };
    let name = first.object.name().unwrap_or("");
    let when = if first.moment == moment {
        format!("`{name}` and the Job are in {moment}")
    } else {
        format!("`{name}` is in {}, the Job in wave {}", first.moment, moment.wave)
    };
    let shared = match shared {
        Shared::Image(image) => format!("run the image `{image}`"),
        Shared::Secret(secret) => format!("use the database Secret `{secret}`"),
    };
    format!("{}{place}{more} {does} not wait for this Job: {when}, and they {shared}", first.object.described())
}

/// The help line: a wave in which the Job finishes before the workloads start.
fn help(moment: Moment, early: &[Early<'_, '_>], before: i64, order: Order) -> Help {
    let wave = |wave: i64| format!("`{}: \"{wave}\"`", argocd::SYNC_WAVE);
    let own = |rest: &str| {
        let own = format!("set {} on the Job, so that the sync waits for it{rest}", wave(before));
        Help::from(own).with_plugin("the parameter `wave` sets it")
    };
    let (needed, has_claims) = match order {
        Order::JobEarlier { unless: None } => return own(""),
        Order::JobEarlier { unless: Some(called) } => {
            return own(&format!(", unless it calls {called}, whose host is in its variables: it would wait for ever"));
        }
        Order::WorkloadsLater { needed, has_claims } => (needed, has_claims),
    };
    let others = match early {
        [(only, _)] => only.object.described(),
        _ => "these workloads".to_owned(),
    };
    let later = wave(moment.wave + 1);
    let with = if has_claims { " and on the volume claims that wait for its pods" } else { "" };
    format!(
        "set {later} on {others}{with}, so that the sync waits for the Job; the Job itself needs {needed}, which is not applied earlier"
    )
    .into()
}

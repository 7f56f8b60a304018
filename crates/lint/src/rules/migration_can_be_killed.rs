//! `migration-can-be-killed`

use kube_jobs::argocd::{self, Phase, Pruning};
use kube_jobs::kubernetes::Job;
use text::Help;

use crate::migration_tool::{self, Tool};
use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "migration-can-be-killed",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a migration that the next commit, or the termination of a sync, kills while it runs",
    why: "Liquibase, Prisma, golang-migrate and Knex mark in the database that a migration runs. If it is killed, the mark stays, and \
          no later run works until somebody removes it (liquibase #1311). With other tools, a killed migration may stop half-way.\n\n\
          Which form protects from what (seen with Argo CD 3.2, 3.5 and 3.6):\n\n\
          - `hash-name` or `Force=true,Replace=true` in the last wave: the sync ends without waiting for the Job, and the next commit \
          that changes it deletes it with its pods and starts the next one. With `Force=true,Replace=true`, any commit does.\n\
          - `hash-name` in a wave before something else: the sync waits for the Job, the next commit waits for the sync, and the \
          termination of a sync does not touch the Job.\n\
          - A hook: the next commit waits for it, and the termination of a sync deletes it while it runs.\n\n\
          The finding is about Jobs that run Liquibase, golang-migrate, Prisma, Knex, Flyway, Alembic, Django, Rails, goose or Atlas. It \
          is a warning if a commit kills the Job and a mark stays, and an info otherwise. Hooks are reported only if a mark stays. \
          It does not say that a deadline or a drained node can kill every Job.",
    fix: "Put the Job into an earlier wave than something that has to wait for it, such as the Deployment: \
          `argocd.argoproj.io/sync-wave: \"-1\"` on the Job, or, with the plugin, the parameter `wave`.",
    link: "https://github.com/liquibase/liquibase/issues/1311",
    example: super::example!("migration-can-be-killed"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let jobs: Vec<(usize, &Job, Tool)> = context
        .applied_jobs()
        .filter(|(_, job)| !job.is_suspended())
        .filter_map(|(index, job)| Some((index, job, migration_tool::of(job)?)))
        .collect();
    if jobs.is_empty() {
        return Vec::new();
    }
    let last = last_moment(context);
    jobs.into_iter().filter_map(|(index, job, tool)| of_job(context, (index, job), tool, last)).collect()
}

fn of_job(context: &Context<'_>, (index, job): (usize, &Job), tool: Tool, last: Last) -> Option<Diagnostic> {
    let Tool { name, leaves, .. } = tool;
    let (message, help, level) = if job.is_hook() {
        let leaves = leaves.filter(|_| !job.phases().is_empty())?;
        let message = format!("if somebody terminates the sync while this hook runs `{name}`, it is killed: {leaves}");
        let help = Help::from("let it finish, or make it an ordinary Job in a wave before the rollout, which goes on")
            .with_plugin("set the strategy `hash-name` and the parameter `wave`");
        (message, help, Level::Info)
    } else {
        let commit = commit_that_kills(context, index, job)?;
        if last.is_hook || last.moment != Some(Moment { phase: Phase::Sync, wave: job.wave() }) {
            return None;
        }
        let then = leaves.unwrap_or("it may stop half-way, and the next one starts beside its pods");
        let message = format!("no sync waits for this Job, so {commit} while it runs `{name}` kills it: {then}");
        let help = Help::from(
            "give it an earlier wave than the rollout, or make it a PreSync hook: then the sync waits for it, and the next commit for the sync",
        )
        .with_plugin("the parameter `wave` gives it such a wave");
        (message, help, if leaves.is_some() { Level::Warning } else { Level::Info })
    };
    Some(Diagnostic::on_name(index, message, help).at_level(level))
}

/// Which commit deletes an ordinary Job while it runs; none if a changed one makes the sync fail, or leaves it.
fn commit_that_kills(context: &Context<'_>, index: usize, job: &Job) -> Option<&'static str> {
    let has = |option| job.has_sync_option(option) || context.has_application_option(option);
    if job.has_sync_option("Force=true") && has("Replace=true") {
        let skips = context.has_application_option("ApplyOutOfSyncOnly=true");
        return Some(if skips { "a commit that changes it" } else { "any commit" });
    }
    let sync = context.survey.application.sync.as_deref();
    let prunes = sync.and_then(|sync| sync.automated).is_none_or(|automated| automated.prune);
    let pruning = Pruning::of(&job.items(argocd::SYNC_OPTIONS), sync, context.output.argocd_version);
    (context.is_renamed(index) && prunes && pruning == Pruning::On).then_some("a commit that changes it")
}

/// The last moment of a sync that does not fail.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    moment: Option<Moment>,
    /// Whether a hook is applied in it: the sync waits for that hook.
    is_hook: bool,
}

fn last_moment(context: &Context<'_>) -> Last {
    let mut last = Last::default();
    for (_, object) in context.objects() {
        let phases =
            sync_order::phases(object).unwrap_or_default().into_iter().filter(|phase| *phase != Phase::SyncFail);
        let Some(phase) = phases.max() else { continue };
        let moment = Some(Moment { phase, wave: object.wave() });
        if moment > last.moment {
            last = Last { moment, is_hook: object.is_hook() };
        } else if moment == last.moment {
            last.is_hook |= object.is_hook();
        }
    }
    last
}

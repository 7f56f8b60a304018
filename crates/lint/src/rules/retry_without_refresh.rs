//! `retry-without-refresh`

use kube_jobs::argocd::{Phase, Retry, Version};
use kube_jobs::kubernetes::Object;

use crate::survey::{Side, sync_order};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "retry-without-refresh",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "retries of a sync without `refresh`: the commit that fixes the hook waits until they are over",
    why: "A retry of a failed sync takes the commit of the failed one. The operation keeps running until the last retry, and Argo CD \
          starts no other meanwhile, so the commit that fixes the hook waits (`processRequestedAppOperation` and `autoSync` in \
          `controller/appcontroller.go`; argo-cd #11494). With `limit: -1` it waits until somebody terminates the operation, or `controller.sync.timeout.seconds` does (off by default). Since \
          Argo CD 3.2, a retry takes the newest commit where `syncPolicy.retry` of the Application has `refresh: true`.\n\n\
          An automated sync has five retries if its policy has no `retry`. They take five minutes, and the time of the hooks. The level is \
          info if all pauses together are shorter than half an hour.\n\n\
          The finding is reported once for each source, at its first hook, and only if the manifest of the Application is known.",
    fix: "Add `refresh: true` to `syncPolicy.retry` of the Application, beside a `limit`: a `retry` without a `limit` turns the five default \
          retries off. An `activeDeadlineSeconds` on the hooks makes sure that each try \
          ends.",
    link: "https://github.com/argoproj/argo-cd/issues/11494",
    example: super::example!("retry-without-refresh").retry("{limit: -1}", "{limit: -1, refresh: true}"),
    check: Check::Objects(check),
};

/// From this time on, in seconds, the finding is a warning.
const LONG: u64 = 30 * 60;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let retry = context.survey.application.sync.as_ref().and_then(|sync| sync.retry);
    let Some(retry) = retry.filter(|retry| !retry.refresh) else { return Vec::new() };
    if context.output.argocd_version < Version::new(3, 2, 0) {
        return Vec::new();
    }
    // A hook that is written is the first on both sides, so that a strategy that makes other hooks changes nothing.
    let written = Context { side: Side::Written, ..*context };
    let Some((index, hook)) = first_hook(&written).or_else(|| first_hook(context)) else { return Vec::new() };
    let kind = hook.kind();
    let message = match retry.limit {
        None => format!(
            "if this {kind} fails, the sync is tried again forever (`limit: -1` in the Application), and never with the commit that fixes it"
        ),
        Some(limit) => format!(
            "if this {kind} fails, the commit that fixes it waits for {} of the old commit: {} and the time of the hooks",
            retries(limit),
            in_words(retry.pauses)
        ),
    };
    let beside = match Some(retry) == Retry::by_default() {
        true => ": `retry: {limit: 5, refresh: true}`",
        false => "",
    };
    let help = format!("add `refresh: true` to `syncPolicy.retry` of the Application{beside}");
    let level = if retry.limit.is_none() || retry.pauses >= LONG { Level::Warning } else { Level::Info };
    vec![Diagnostic::on_name(index, message, help).at_level(level)]
}

fn retries(limit: u32) -> String {
    if limit == 1 { "a retry".to_owned() } else { format!("{limit} retries") }
}

/// The hook that a sync runs first, of those that run and then finish.
fn first_hook<'l>(context: &Context<'l>) -> Option<(usize, &'l Object)> {
    let hooks = context.finishing_hooks().filter_map(|(index, hook)| Some((sync_order::first(hook)?, index, hook)));
    let of_a_sync = hooks.filter(|(moment, ..)| moment.phase != Phase::SyncFail);
    let first = of_a_sync.min_by_key(|(moment, index, hook)| (*moment, hook.shown_name(), *index));
    first.map(|(_, index, hook)| (index, hook))
}

/// A time in the unit in which people say it.
fn in_words(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} seconds"),
        120..=7199 => format!("{} minutes", seconds / 60),
        _ => format!("{} hours", seconds / 3600),
    }
}

//! What the Application says about its syncs, as sentences: whether one starts by itself, and whether the plugin has a part in it.

use kube_jobs::argocd::{Automated, SyncPolicy};
use preview::{Plugin, Report};

/// The sentences about the Application of a report; none of what is unknown.
pub fn lines(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if report.plugin == Plugin::Imagined {
        lines.push("The Application does not use the plugin: this is what the plugin would do.".to_owned());
    }
    lines.extend(report.sync.as_deref().map(starts));
    lines.extend(report.sync.as_ref().and_then(|sync| sync.windows.as_ref()).map(|windows| windows.text.clone()));
    let may_start = match &report.sync {
        Some(sync) => sync.automated.is_some(),
        None => report.plugin == Plugin::AsWritten,
    };
    if report.is_without_the_plugin() && report.trigger.is_some() && may_start {
        lines.push("Changing only a hook does not trigger auto-sync: Argo CD does not compare hooks.".to_owned());
    }
    lines.extend(report.sync.as_deref().filter(|sync| !sync.options.is_empty()).map(options));
    lines
}

/// The most characters of sync options that are shown.
const MAX_OPTIONS: usize = 300;

fn options(sync: &SyncPolicy) -> String {
    let line = format!("Sync options of the Application: `{}`", sync.options.join("`, `"));
    match line.char_indices().nth(MAX_OPTIONS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Whether a sync starts by itself (`autoSync` in `controller/appcontroller.go`).
fn starts(sync: &SyncPolicy) -> String {
    let Some(Automated { prune, self_heal, .. }) = sync.automated else { return NOT_AUTOMATED.to_owned() };
    if let Some(why) = sync.windows.as_ref().and_then(|windows| windows.never.as_ref()) {
        return format!("Auto-sync will not start: {why}.");
    }
    let heals =
        if self_heal { " or the cluster changes" } else { " changes, not when the cluster does (`selfHeal` is off)" };
    let prunes = if prune { "are deleted" } else { "stay (`prune` is off)" };
    format!("Auto-sync starts when the source{heals}; resources that were removed from the source {prunes}.")
}

/// The sentence about an Application without an automated policy.
const NOT_AUTOMATED: &str = "Auto-sync will not start: the Application has no automated sync policy.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_that_of_the_policy() {
        let answer = |automated| starts(&SyncPolicy { automated, ..SyncPolicy::default() });
        assert_eq!(answer(None), NOT_AUTOMATED);
        let off = Automated { prune: false, self_heal: false, allow_empty: false };
        assert_eq!(
            answer(Some(off)),
            "Auto-sync starts when the source changes, not when the cluster does (`selfHeal` is off); resources that were removed from the source stay (`prune` is off)."
        );
        let on = Automated { prune: true, self_heal: true, ..off };
        assert_eq!(
            answer(Some(on)),
            "Auto-sync starts when the source or the cluster changes; resources that were removed from the source are deleted."
        );
    }

    #[test]
    fn of_many_options_only_some_are_shown() {
        let many = SyncPolicy { options: vec!["é=true".to_owned(); 10_000], ..SyncPolicy::default() };
        assert_eq!(options(&many).chars().count(), MAX_OPTIONS + 1);
        let one = SyncPolicy { options: vec!["Replace=true".to_owned()], ..SyncPolicy::default() };
        assert_eq!(options(&one), "Sync options of the Application: `Replace=true`");
    }
}

//! What the Application says about its syncs, as sentences: whether one starts by itself, and whether the plugin has a part in it.

use crate::argocd::{Automated, SyncPolicy};
use crate::preview::{Plugin, Report};

/// The sentences about the Application of a report; none of what is not known.
pub fn lines(report: &Report) -> Vec<String> {
    let plugin = match report.plugin {
        Plugin::Used => None,
        Plugin::Unused => Some(
            "the Application does not use the plugin: its Jobs stay as they are; `--strategy auto` shows what the plugin would do",
        ),
        Plugin::Imagined => Some("the Application does not use the plugin: this is what the plugin would do"),
    };
    let mut lines: Vec<String> = plugin.into_iter().map(ToOwned::to_owned).collect();
    if let Some(sync) = &report.sync {
        lines.push(starts(sync));
        if report.plugin == Plugin::Unused && report.trigger.is_some() && sync.automated.is_some() {
            lines.push("a change of a hook alone starts no sync: Argo CD does not compare hooks".to_owned());
        }
        if !sync.options.is_empty() {
            lines.push(options(sync));
        }
    }
    lines
}

/// The most characters of sync options that are shown.
const MAX_OPTIONS: usize = 300;

fn options(sync: &SyncPolicy) -> String {
    let line = format!("sync options of the Application: `{}`", sync.options.join("`, `"));
    match line.char_indices().nth(MAX_OPTIONS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Whether a sync starts by itself (`autoSync` in `controller/appcontroller.go`).
fn starts(sync: &SyncPolicy) -> String {
    let Some(Automated { prune, self_heal, .. }) = sync.automated else { return NOT_AUTOMATED.to_owned() };
    let heals =
        if self_heal { "and when the cluster changes" } else { "not when the cluster changes (`selfHeal` is off)" };
    let prunes = if prune { "is deleted" } else { "stays (`prune` is off)" };
    format!("a sync starts by itself when the source changes, {heals}; what is gone from the source {prunes}")
}

/// Of an Application without an automated policy.
pub const NOT_AUTOMATED: &str = "no sync starts by itself: the Application has no automated sync policy";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_that_of_the_policy() {
        let answer = |automated| starts(&SyncPolicy { automated, options: Vec::new() });
        assert_eq!(answer(None), NOT_AUTOMATED);
        let off = Automated { prune: false, self_heal: false, allow_empty: false };
        assert_eq!(
            answer(Some(off)),
            "a sync starts by itself when the source changes, not when the cluster changes (`selfHeal` is off); \
             what is gone from the source stays (`prune` is off)"
        );
        let on = Automated { prune: true, self_heal: true, ..off };
        assert_eq!(
            answer(Some(on)),
            "a sync starts by itself when the source changes, and when the cluster changes; what is gone from the source is deleted"
        );
    }

    #[test]
    fn of_many_options_only_some_are_shown() {
        let many = SyncPolicy { automated: None, options: vec!["é=true".to_owned(); 10_000] };
        assert_eq!(options(&many).chars().count(), MAX_OPTIONS + 1);
        let one = SyncPolicy { automated: None, options: vec!["Replace=true".to_owned()] };
        assert_eq!(options(&one), "sync options of the Application: `Replace=true`");
    }
}

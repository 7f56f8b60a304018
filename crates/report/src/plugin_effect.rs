//! The last line of a report on Jobs as they are written: what the plugin would change.

use lint::{Analysis, Finding, Known, Level, compared_with};
use preview::{Comparison, compare};
use rewrite::settings::PluginUse;
use text::plural;

use crate::show::Show;

/// The flag that shows it.
const FLAG: &str = "`--plugin`";

/// The line where no error goes away.
const OTHERWISE: &str = "`--plugin` shows what the plugin would do";

/// What the plugin would change for Jobs that are as they are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct PluginEffect {
    /// Whether there are such Jobs.
    has_jobs: bool,
    /// How many errors there are, or with a version to compare with how many Jobs make the sync fail.
    errors: usize,
    /// How many of these go away with the plugin.
    gone: usize,
}

impl PluginEffect {
    /// The effect on all of several sources.
    pub fn sum(effects: impl Iterator<Item = Self>) -> Self {
        effects.fold(Self::default(), |sum, one| Self {
            has_jobs: sum.has_jobs || one.has_jobs,
            errors: sum.errors + one.errors,
            gone: sum.gone + one.gone,
        })
    }

    /// The effect on a source alone. `errors` is the number of its open errors.
    pub fn of_findings(analysis: &Analysis<'_>, findings: &[Finding], errors: usize) -> Self {
        let has_jobs = analysis.survey.plugin() != PluginUse::Used && !analysis.survey.plan.jobs.is_empty();
        let is_gone = |finding: &&Finding| finding.goes_with_the_plugin && finding.level == Level::Error;
        Self { has_jobs, errors, gone: findings.iter().filter(is_gone).count() }
    }

    /// The effect on a sync that brings `new` in place of `base`.
    pub fn of_comparison(base: &Analysis<'_>, new: &Analysis<'_>, comparison: &Comparison) -> Self {
        let errors = comparison.failing_jobs();
        let with_plugin = if errors > 0 { failing_with_the_plugin(base, new) } else { None };
        let gone = with_plugin.map_or(0, |with_plugin| errors.saturating_sub(with_plugin));
        Self { has_jobs: false, errors, gone }
    }

    /// The last line, after an empty one; empty if there is nothing to say.
    pub fn line(self, show: Show) -> String {
        let line = match show.only_new {
            true => of_failing_jobs(self.errors, self.gone),
            false => of_errors(self.errors, self.gone).or_else(|| self.has_jobs.then(|| OTHERWISE.to_owned())),
        };
        line.map(|line| format!("\n{}", show.line(&line))).unwrap_or_default()
    }
}

/// How many Jobs make the sync fail if both versions are with the plugin; `None` if one of them is already, and if it cannot be.
fn failing_with_the_plugin(base: &Analysis<'_>, new: &Analysis<'_>) -> Option<usize> {
    let versions = (base.version.with_plugin()?, new.version.with_plugin()?);
    let compared = compared_with(&versions.1);
    let base = Analysis::planned(Some(base), &versions.0, compared);
    let mut new = Analysis::planned(Some(&base), &versions.1, compared);
    if !new.problems.is_empty() {
        return None;
    }
    Some(compare(&mut new, &base, Known::default()).ok()?.failing_jobs())
}

/// How many of the errors go away with the plugin; `None` if none does.
pub fn of_errors(errors: usize, gone: usize) -> Option<String> {
    line(errors, gone, "error", ["goes away", "go away"])
}

/// How many of the Jobs that make a sync fail do not with the plugin; `None` if none is.
fn of_failing_jobs(failing: usize, gone: usize) -> Option<String> {
    line(failing, gone, "failing Job", ["would not fail", "would not fail"])
}

fn line(all: usize, gone: usize, noun: &str, [one, several]: [&str; 2]) -> Option<String> {
    let subject = if all == 1 { format!("the {noun}") } else { format!("{gone} of {}", plural(all, noun)) };
    let verb = if gone == 1 { one } else { several };
    (gone > 0).then(|| format!("{subject} {verb} with the argocd-jobs plugin: {FLAG} shows it"))
}

#[cfg(test)]
mod tests {
    use super::{of_errors, of_failing_jobs};

    #[test]
    fn the_line_counts_what_goes_away() {
        assert_eq!(of_errors(3, 0), None);
        assert_eq!(
            of_errors(1, 1).as_deref(),
            Some("the error goes away with the argocd-jobs plugin: `--plugin` shows it")
        );
        assert_eq!(
            of_errors(3, 1).as_deref(),
            Some("1 of 3 errors goes away with the argocd-jobs plugin: `--plugin` shows it")
        );
        assert_eq!(
            of_failing_jobs(2, 2).as_deref(),
            Some("2 of 2 failing Jobs would not fail with the argocd-jobs plugin: `--plugin` shows it")
        );
    }
}

//! What the plugin fixes: a line for each rule and strategy, or with `--all` for each finding.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use lint::{Level, State};
use text::{plural, visible};

use super::lines::{REST, place};
use super::{Distinct, subject};
use crate::paint::Ink;
use crate::show::Show;

/// The findings that the plugin fixes, the most severe first.
pub(super) fn print(distinct: &[Distinct<'_>], show: Show) -> String {
    type Key<'d> = (Reverse<Level>, &'d str, &'d str);
    let mut groups: BTreeMap<Key<'_>, Vec<&Distinct<'_>>> = BTreeMap::new();
    for one in distinct {
        if let State::Solved(by) = &one.finding.state {
            let key = (Reverse(one.finding.level), one.finding.rule.id, by.as_str());
            groups.entry(key).or_default().push(one);
        }
    }
    let mut out = String::new();
    for ((_, id, by), group) in groups {
        let fixed = show.paint.ink(Ink::Good, fixed_by(by));
        if show.all {
            for one in group {
                let _ = writeln!(out, "{}{fixed}: {} [{id}]", place(one), visible(&one.finding.message));
            }
        } else {
            let text = format!("{} [{id}], {}", group[0].finding.rule.summary, objects(&group));
            let _ = writeln!(out, "{}", show.wrapped(&text, &format!("{fixed}: "), REST));
        }
    }
    out.push_str(&refused(distinct, show));
    out
}

/// A line that says that nothing is fixed yet in a source that the plugin refuses.
fn refused(distinct: &[Distinct<'_>], show: Show) -> String {
    let is_fixed = |one: &&Distinct<'_>| matches!(one.finding.state, State::Solved(_));
    let refused = distinct.iter().filter(is_fixed).filter(|one| one.sheet.is_refused);
    let refused: BTreeSet<usize> = refused.map(|one| one.index).collect();
    let note = show.paint.ink(Ink::Warning, "note");
    let sources = match refused.len() {
        0 => return String::new(),
        1 if distinct.iter().all(|one| one.index == 0) => "the source".to_owned(),
        count => plural(count, "source"),
    };
    format!(
        "{note}: the plugin refuses {sources} because of the errors above, and fixes nothing until they are fixed\n"
    )
}

/// What fixes it, after the words of [`State::Solved`].
fn fixed_by(by: &str) -> String {
    match by.strip_prefix("strategy ").unwrap_or(by) {
        "`generate`" => "fixed by the plugin".to_owned(),
        by => format!("fixed by the plugin ({by})"),
    }
}

/// `14 Jobs`, or the name of the only one.
fn objects(group: &[&Distinct<'_>]) -> String {
    let objects: BTreeSet<_> = group.iter().map(|one| (one.index, one.finding.object)).collect();
    let is_job =
        |one: &&Distinct<'_>| one.finding.object.is_some_and(|object| one.sheet.survey.objects[object].job.is_some());
    match objects.len() {
        1 => subject(group[0].finding, group[0].sheet.survey)
            .map_or_else(|| "1 resource".to_owned(), |name| visible(&name).into_owned()),
        count if group.iter().all(is_job) => format!("{count} Jobs"),
        count => format!("{count} resources"),
    }
}

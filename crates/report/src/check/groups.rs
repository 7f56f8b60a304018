//! Findings that say the same, as one block: the sentence and the help once, and the first few places.

use std::collections::BTreeMap;
use std::fmt::Write;

use lint::Level;
use text::{Place, visible};

use super::lines::{REST, also_in, help, in_value_sets, level, source_of, value_sets};
use super::{Distinct, subject};
use crate::grouped::grouped;
use crate::paint::Ink;
use crate::show::Show;

/// More findings of one rule than this are one group, whatever they say.
const FEW: usize = 3;

/// The most places, or different messages, of a group that are printed.
const SHOWN: usize = 4;

/// The groups of findings in their order: all findings of a rule that has many, otherwise the findings of a rule with the same message. With `all`
/// each finding is on its own.
pub(super) fn of<'d>(findings: &[&'d Distinct<'d>], all: bool) -> Vec<Vec<&'d Distinct<'d>>> {
    let rule_of = |one: &Distinct<'d>| (one.finding.rule.id, one.finding.level);
    let mut counts: BTreeMap<(&str, Level), usize> = BTreeMap::new();
    for one in findings {
        *counts.entry(rule_of(one)).or_default() += 1;
    }
    let indexed = grouped(findings.iter().enumerate(), |(index, one)| {
        let rule = rule_of(one);
        let message = (counts[&rule] <= FEW).then_some(one.finding.message.as_str());
        (all.then_some(*index), rule, message)
    });
    indexed.into_iter().map(|group| group.into_iter().map(|(_, one)| *one).collect()).collect()
}

/// Prints a group of at least two findings of one rule.
pub(super) fn print(out: &mut String, group: &[&Distinct<'_>], show: Show) {
    let paint = show.paint;
    let (first, count) = (group[0], group.len());
    let is_one_message = group.iter().all(|one| one.finding.message == first.finding.message);
    let said = if is_one_message { first.finding.message.as_str() } else { first.finding.rule.summary };
    let header = format!("{}, {count} times: ", level(first.finding, paint));
    let _ = writeln!(out, "{}", show.wrapped(&paint.ink(Ink::Strong, visible(said)), &header, REST));
    // Messages that differ only in the name of the object say no more than the name.
    let is_listed = is_one_message || group.iter().all(|one| template(one) == template(first));
    let entries = if is_listed { group.iter().map(|one| (*one, 1)).collect() } else { by_message(group) };
    let is_in_the_same = group.iter().all(|one| one.finding.value_sets == first.finding.value_sets);
    for (index, (one, times)) in entries.iter().take(SHOWN).enumerate() {
        entry(out, one, (!is_listed).then_some(*times), !is_in_the_same, show);
        if index == 0 {
            source_of(out, one, show);
        }
    }
    let shown: usize = entries.iter().take(SHOWN).map(|(_, times)| times).sum();
    if count > shown {
        let more = format!("… and {} more (`--all` lists them)", count - shown);
        let _ = writeln!(out, "{}", paint.ink(Ink::Faint, more));
    }
    let is_one_help = group.iter().all(|one| one.finding.help == first.finding.help);
    let advice = if is_one_help { first.finding.help.to_string() } else { first.finding.rule.fix.to_owned() };
    help(out, advice.split("\n\n").next().unwrap_or_default(), show);
    let mut others: Vec<&str> = Vec::new();
    for other in group.iter().flat_map(|one| &one.others) {
        if !others.contains(other) {
            others.push(other);
        }
    }
    also_in(out, &others, show);
    if is_in_the_same {
        in_value_sets(out, first.finding, show);
    }
}

/// The message without the name of the object that it is about.
fn template(one: &Distinct<'_>) -> String {
    let object = subject(one.finding, one.sheet.survey).unwrap_or_default();
    let name = object.rsplit([' ', '/']).next().unwrap_or_default();
    one.finding.message.replace(&format!("`{name}`"), "``")
}

/// The first finding with each message, and how many have it.
fn by_message<'d>(group: &[&'d Distinct<'d>]) -> Vec<(&'d Distinct<'d>, usize)> {
    let alike = grouped(group, |one| one.finding.message.as_str());
    alike.into_iter().map(|alike| (*alike[0], alike.len())).collect()
}

/// One line of a group: the place, which begins it so that one can click on it, and the object; with `times` also the message, and how many
/// findings have it.
fn entry(out: &mut String, one: &Distinct<'_>, times: Option<usize>, names_sets: bool, show: Show) {
    let place = one.finding.place.as_ref().map(Place::to_string);
    let place = place.unwrap_or_else(|| one.sheet.source_of(one.finding).to_owned());
    let message = times.map(|_| one.finding.message.as_str());
    let object =
        subject(one.finding, one.sheet.survey).filter(|object| !message.is_some_and(|said| names(said, object)));
    let parts = [Some(place.as_str()), object.as_deref(), message];
    let line = parts.into_iter().flatten().collect::<Vec<_>>().join(": ");
    let sets =
        value_sets(one.finding, show).filter(|_| names_sets).map(|sets| format!(" (in {sets})")).unwrap_or_default();
    let times = times.filter(|times| *times > 1).map(|times| format!(" ({times} times)")).unwrap_or_default();
    let _ = writeln!(out, "{}", show.wrapped(&format!("{}{times}{sets}", visible(&line)), "", REST));
}

/// Whether a message says which object it is about.
fn names(message: &str, object: &str) -> bool {
    let name = object.rsplit([' ', '/']).next().unwrap_or(object);
    message.contains(&format!("`{name}`"))
}

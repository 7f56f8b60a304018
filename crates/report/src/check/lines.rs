//! The lines that a finding has in a text: its place, its line of source, its help, the other sources that have it.

use std::fmt::Write;

use lint::Finding;
use rewrite::manifest::Manifest;
use text::{Origin, Place, Precision, Span, few, visible};

use super::{Distinct, subject};
use crate::paint::{Ink, Paint};
use crate::show::Show;

/// The most characters of a line that are shown.
const WIDTH: usize = 110;

/// The characters between the number of a line and the line.
const MARGIN: usize = 3;

/// The indentation of the second and later lines of a sentence.
pub(super) const REST: &str = "  ";

/// The most sources that are named after the first one that has a finding.
const SOURCES: usize = 3;

/// The most value sets that are named.
const SETS: usize = 6;

/// `warning[mutable-image]`
pub(super) fn level(finding: &Finding, paint: Paint) -> String {
    paint.ink(Ink::of(finding.level), format!("{}[{}]", finding.level, finding.rule.id))
}

/// The line `help: …`; nothing without a help.
pub(super) fn help(out: &mut String, help: &str, show: Show) {
    if !help.is_empty() {
        *out += &show.labelled(Ink::Info, "help", help);
    }
}

/// The other sources that have the same finding.
pub(super) fn also_in(out: &mut String, others: &[&str], show: Show) {
    if !others.is_empty() {
        let named: Vec<_> = others.iter().map(|other| visible(other)).collect();
        let _ = writeln!(out, "{}: {}", show.paint.ink(Ink::Info, "also in"), few(&named, show.at_most(SOURCES)));
    }
}

/// The value sets of a chart in which a finding is true; nothing if it is true in all.
pub(super) fn in_value_sets(out: &mut String, finding: &Finding, show: Show) {
    if let Some(sets) = value_sets(finding, show) {
        *out += &show.labelled(Ink::Info, "in value sets", &sets);
    }
}

/// Their names, harmless to print; none if it is true in all.
pub(super) fn value_sets(finding: &Finding, show: Show) -> Option<String> {
    let names = &finding.value_sets;
    (!names.is_empty()).then(|| visible(&few(names, show.at_most(SETS))).into_owned())
}

/// The line of source of a finding, when it may be shown.
pub(super) fn source_of(out: &mut String, one: &Distinct<'_>, show: Show) {
    let finding = one.finding;
    let shown = finding.span.filter(|_| finding.shows_source).zip(finding.place.as_ref());
    if let Some(((manifest, span), place)) = shown {
        let ink = Ink::of(finding.level);
        source(out, &one.sheet.survey.manifests[manifest], (span, place), (ink, show));
    }
}

/// The line of source with carets under the span. One that a tool printed, and that is not the same in the file, has the number and the
/// name of what was printed.
fn source(out: &mut String, manifest: &Manifest, (span, place): (Span, &Place), (ink, show): (Ink, Show)) {
    let (text, line) = (&manifest.text, manifest.line_around(span.start));
    let (before, after) = (&text[line.start..span.start], &text[span.start..line.end]);
    let at = place.printed.as_ref().map_or(place.at, |printed| printed.at);
    let number = at.line.to_string();
    let room = show.width.map_or(WIDTH, |width| width.saturating_sub(number.len() + MARGIN).min(WIDTH));
    let (shown, column) = window(before, after, room);
    let paint = show.paint;
    if shown.is_empty() {
        return;
    }
    let room = shown.chars().count().saturating_sub(column - 1).max(1);
    let carets = "^".repeat(span.of(text).chars().count().clamp(1, room));
    let margin = paint.ink(Ink::Faint, format!("{} |", " ".repeat(number.len())));
    let under = paint.ink(ink, carets);
    // If only the file is known, the place already names it.
    if let Some(printed) = place.printed.as_ref().filter(|_| place.precision != Precision::File) {
        let arrow = format!("{}--> {printed}", " ".repeat(number.len()));
        let _ = writeln!(out, "{}", paint.ink(Ink::Faint, arrow));
    }
    let _ = writeln!(out, "{margin}\n{} {shown}", paint.ink(Ink::Faint, format!("{number} |")));
    let _ = writeln!(out, "{margin} {}{under}", " ".repeat(column - 1));
}

/// The part of a line around a place that fits, without control characters, and the column of the place in it. Only a part of a line of
/// megabytes is read.
fn window(before: &str, after: &str, room: usize) -> (String, usize) {
    let left: Vec<char> = before.chars().rev().take(room).collect();
    let right: Vec<char> = after.trim_end().chars().take(room).collect();
    let (left_width, right_width) = if left.len() + right.len() <= room {
        (left.len(), right.len())
    } else {
        let width = left.len().min(room / 2 - 1).max(room.saturating_sub(right.len()));
        (width, room - width)
    };
    let shown = left[..left_width].iter().rev().chain(right.iter().take(right_width));
    let shown: String = shown
        .map(|found| match found {
            found if visible(found.encode_utf8(&mut [0; 4])).len() == found.len_utf8() => *found,
            found if found.is_whitespace() => ' ',
            // A blank at the end of the line would be lost, and the carets would be under nothing.
            _ => char::REPLACEMENT_CHARACTER,
        })
        .collect();
    let shown = shown.trim_end();
    // A finding about the end of a text can come after the blanks there, which are not shown.
    (shown.to_owned(), (left_width + 1).min(shown.chars().count() + 1))
}

/// The place of a finding and a colon; in what is not a file, with the object, which is easier to find. Empty without a place.
pub(super) fn place(one: &Distinct<'_>) -> String {
    let Some(place) = &one.finding.place else { return String::new() };
    let object = subject(one.finding, one.sheet.survey).filter(|_| !is_in_a_file(place));
    let object = object.map(|object| format!(" ({})", visible(&object))).unwrap_or_default();
    format!("{}{object}: ", visible(&place.to_string()))
}

/// Whether one can go to the line.
fn is_in_a_file(place: &Place) -> bool {
    matches!(place.origin, Origin::File(_)) && place.precision != Precision::File
}

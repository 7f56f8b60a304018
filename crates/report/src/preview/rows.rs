//! The rows of a forecast as they are shown: those that say something, and alike ones together.

use preview::{AutoSync, Forecast, ForecastRow};

/// Fewer rows than this that are alike have a line each.
const ALIKE: usize = 4;

/// The most objects that a row names.
const NAMED: usize = 4;

/// Rows that differ only in their objects: one, or at least [`ALIKE`].
#[derive(Clone, Debug)]
pub(super) struct Line<'f> {
    /// The first of them.
    pub(super) row: &'f ForecastRow,
    /// The others.
    pub(super) others: Vec<&'f ForecastRow>,
}

/// The lines of a table; with `all` a line for each row. Without a version to compare with, each row says something; with one, not the rows of what runs
/// without the change, if the change starts no sync.
pub(super) fn lines(forecast: &Forecast, all: bool) -> Vec<Line<'_>> {
    let is_started = forecast.start.as_ref().is_none_or(|start| start.may_start() || *start == AutoSync::Gone);
    let is_idle = |row: &ForecastRow| row.runs() && !row.is_changed() && !row.is_treated_differently() && !is_started;
    let is_shown = |row: &&ForecastRow| all || forecast.start.is_none() || row.is_shown() && !is_idle(row);
    let mut groups: Vec<Vec<&ForecastRow>> = Vec::new();
    for row in forecast.rows.iter().filter(is_shown) {
        match groups.iter_mut().find(|group| !all && is_like(group[0], row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let mut lines = Vec::new();
    for group in groups {
        match group.as_slice() {
            [first, others @ ..] if group.len() >= ALIKE => lines.push(Line { row: first, others: others.to_vec() }),
            group => lines.extend(group.iter().map(|row| Line { row, others: Vec::new() })),
        }
    }
    lines
}

/// Whether two rows differ only in their objects and their new names.
fn is_like(one: &ForecastRow, other: &ForecastRow) -> bool {
    (&one.object.kind, one.is_hook, one.change, one.moment)
        == (&other.object.kind, other.is_hook, other.change, other.moment)
        && (&one.outcome, &one.held, &one.chosen) == (&other.outcome, &other.held, &other.chosen)
        && one.why.len() == other.why.len()
        && one.why.iter().zip(&other.why).all(|(one, other)| one.is_like(other))
}

impl Line<'_> {
    /// The names of its objects, and how many more there are. `is_qualified` says whether with their namespaces.
    pub(super) fn names(&self, is_qualified: bool) -> (Vec<String>, usize) {
        let all = std::iter::once(&self.row).chain(&self.others);
        let name = |row: &&ForecastRow| {
            let object = &row.object;
            object.kind.named(object.namespace.as_deref().filter(|_| is_qualified), &object.name)
        };
        (all.take(NAMED).map(name).collect(), self.others.len().saturating_sub(NAMED - 1))
    }

    /// The name under which its object runs, if that is another one, and if it is one object.
    pub(super) fn emitted(&self) -> Option<&str> {
        self.row.emitted.as_deref().filter(|_| self.others.is_empty())
    }
}

/// Whether the namespaces of objects have to be named: there are several.
pub(super) fn has_several_namespaces(forecast: &Forecast) -> bool {
    let first = forecast.rows.first().map(|row| &row.object.namespace);
    forecast.rows.iter().any(|row| Some(&row.object.namespace) != first)
}

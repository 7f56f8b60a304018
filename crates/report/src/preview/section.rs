//! What is shown of one of several sources, and which say the same.

use deployment::Owner;
use deployment::row::Row;
use lint::Level;
use preview::{AutoSync, Forecast, Outcome, Start};
use text::visible;

use super::words::start::start;

/// The preview of one source.
#[derive(Clone, Debug)]
pub struct Section {
    /// The index of its row in the table of sources.
    pub row: usize,
    /// What its sync does.
    pub forecast: Forecast,
    /// Who syncs it.
    pub owner: Owner,
    /// The text below its heading, in the wanted format.
    pub text: String,
    /// Whether there is nothing in it to read: it has no Jobs, or nothing changes.
    pub is_quiet: bool,
    /// What it has in common with sections that say the same; none if it is never merged with others.
    pub same: Option<Same>,
}

/// A section without what only names its Application.
#[derive(Clone, Debug, PartialEq)]
pub struct Same {
    /// See [`Forecast::masked`].
    pub forecast: Forecast,
    /// The rules and the levels of its findings.
    pub findings: Vec<(&'static str, Level)>,
}

impl Section {
    /// The sort key of the section: first what fails or waits, then what starts a sync.
    fn rank(&self) -> usize {
        match &self.forecast.start {
            None => 0,
            _ if self.forecast.is_bad() => 0,
            Some(start) if start.may_start() || self.forecast.is_changed() => 1,
            Some(_) => 2,
        }
    }

    /// Whether the change has to do with it.
    pub(super) fn is_changed(&self) -> bool {
        let is_synced_by_hand = self.forecast.start == Some(AutoSync::Manual);
        let differs = || self.forecast.causes.iter().any(Start::is_of_the_change);
        let starts = self.forecast.start.as_ref().is_some_and(AutoSync::may_start);
        !self.is_quiet || starts || is_synced_by_hand && differs()
    }

    /// How the sync ends, and when it starts: `fails; starts on merge`. Empty without a version to compare with.
    pub(super) fn status(&self, all: bool) -> String {
        let has = |outcome: &Outcome| self.forecast.rows.iter().any(|row| row.outcome == *outcome);
        let end = match () {
            () if self.forecast.is_untouched || self.forecast.start.is_none() => None,
            () if has(&Outcome::Fails) => Some("fails".to_owned()),
            () if has(&Outcome::Waits) => Some("waits".to_owned()),
            () => None,
        };
        let start = start(&self.forecast, Some(self.owner), all);
        end.into_iter().chain(Some(start).filter(|start| !start.is_empty())).collect::<Vec<_>>().join("; ")
    }
}

/// The sections in which there is something to read, in groups that say the same. The first of a group stands for all.
pub(super) fn alike(sections: &[Section]) -> Vec<Vec<&Section>> {
    let mut shown: Vec<&Section> = sections.iter().filter(|section| !section.is_quiet).collect();
    shown.sort_by_key(|section| section.rank());
    let mut groups: Vec<Vec<&Section>> = Vec::new();
    for section in shown {
        let is_like = |group: &&mut Vec<&Section>| {
            let first = group[0];
            section.same.is_some() && (first.owner, &first.same) == (section.owner, &section.same)
        };
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(section),
            None => groups.push(vec![section]),
        }
    }
    groups
}

/// The Application of a row, or else its path.
pub(super) fn name(row: &Row) -> &String {
    row.application.as_ref().unwrap_or(&row.path)
}

/// What a source is called, and what is in brackets behind that: `shop`, `root → shop: apps/shop, helm`.
pub(super) fn heading(row: &Row) -> [String; 2] {
    let assumed = if row.is_assumed { ", assumed" } else { "" };
    let kinds = format!("{}{assumed}", row.kinds());
    let [name, detail] = match &row.application {
        Some(application) if row.from.is_empty() => [application.clone(), format!("{}, {kinds}", row.paths())],
        Some(application) => {
            let way: String = row.from.iter().map(|above| format!("{above} → ")).collect();
            [application.clone(), format!("{way}{application}: {}, {kinds}", row.paths())]
        }
        None => [row.with_value_set(), kinds],
    };
    [name, detail].map(|text| visible(&text).into_owned())
}

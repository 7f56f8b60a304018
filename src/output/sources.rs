//! The table of the sources that were looked at, when there are several: where each is, how many Jobs it has, what is wrong.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::check::{Count, levels};
use super::paint::{Ink, Paint};
use super::table::{Cell, table};
use crate::text::{plural, visible};

/// The most names of a group, and the most mistakes, that are printed.
const NAMES: usize = 10;

/// The most different helps that are printed.
const HELPS: usize = 5;

/// The most characters of a reason in the table.
const REASON: usize = 90;

/// One source.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its path, as messages call it.
    pub path: String,
    /// The Application that names it.
    pub application: Option<String>,
    /// What renders it: `helm`, `kustomize` or `directory`.
    pub kind: &'static str,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a source.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It was read.
    Read {
        /// How many Jobs it has.
        jobs: usize,
        /// Its findings.
        count: Count,
    },
    /// It was not, for this reason.
    NotChecked(String),
}

impl Row {
    /// Whether there is nothing to say about it.
    fn is_quiet(&self) -> bool {
        matches!(&self.outcome, Outcome::Read { jobs: 0, count } if count.open == [0; 3])
    }
}

/// What was passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// Bases, components, libraries and dependencies of other folders.
    pub parts: usize,
    /// Folders with templates and without a chart.
    pub templates: usize,
    /// YAML and JSON files that are not manifests.
    pub files: usize,
    /// The names of Applications that are not rendered here, by what they are.
    pub groups: BTreeMap<&'static str, Vec<String>>,
    /// What is wrong with other Applications, a line for each.
    pub broken: Vec<String>,
}

/// A row as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Json<'r> {
    path: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<&'r str>,
    kind: &'r str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
}

/// The row for JSON.
pub(super) fn json(row: &Row) -> Json<'_> {
    let Row { path, application, kind, outcome } = row;
    let application = application.as_deref();
    match outcome {
        Outcome::Read { jobs, count } => {
            let open = Some(count.open.iter().sum());
            Json { path, application, kind, state: "checked", jobs: Some(*jobs), open, reason: None }
        }
        Outcome::NotChecked(reason) => {
            Json { path, application, kind, state: "not-checked", jobs: None, open: None, reason: Some(reason) }
        }
    }
}

/// The sources that have Jobs, findings, or were not checked; then how many others there are.
pub fn print(rows: &[Row], passed_over: &PassedOver, paint: Paint) -> String {
    let shown: Vec<Vec<Cell>> = rows.iter().filter(|row| !row.is_quiet()).map(cells).collect();
    let mut out = String::new();
    if !shown.is_empty() {
        out.push_str(&table(&["SOURCE", "APPLICATION", "KIND", "JOBS", "FINDINGS"], &shown, paint));
    }
    out.push_str(&counts(rows, passed_over));
    out.push_str(&skipped(passed_over));
    let not_checked = rows.iter().filter(|row| matches!(row.outcome, Outcome::NotChecked(_))).count();
    if not_checked > 0 {
        let (subject, object) = if not_checked == 1 { ("was", "its") } else { ("were", "their") };
        let level = paint.ink(Ink::Warning, "warning[not-rendered]".to_owned());
        let sources = plural(not_checked, "source");
        let _ = writeln!(out, "{level}: {sources} {subject} not checked: nothing is known about {object} Jobs");
    }
    for (help, path, count) in helps(rows) {
        let whose = if count > 1 { plural(count, "source") } else { visible(path).into_owned() };
        let _ = writeln!(out, "{}: {whose}: {}", paint.ink(Ink::Info, "help"), visible(help));
    }
    out
}

/// The Applications that are not rendered: a line for each group, with some of their names, and one for each mistake.
fn skipped(passed_over: &PassedOver) -> String {
    let mut out = String::new();
    for (group, names) in &passed_over.groups {
        let shown = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if names.len() > NAMES { format!(" and {} more", names.len() - NAMES) } else { String::new() };
        let _ = writeln!(out, "not rendered, {group}: {shown}{more}");
    }
    for line in passed_over.broken.iter().take(NAMES) {
        let _ = writeln!(out, "not rendered: {}", visible(line));
    }
    if passed_over.broken.len() > NAMES {
        let _ = writeln!(out, "and {} more", passed_over.broken.len() - NAMES);
    }
    out
}

/// What to do about the sources that were not checked: the help, the first of them, and how many there are; the most frequent first.
fn helps(rows: &[Row]) -> Vec<(&str, &str, usize)> {
    let mut helps: Vec<(&str, &str, usize)> = Vec::new();
    for row in rows {
        let Outcome::NotChecked(reason) = &row.outcome else { continue };
        let Some((_, help)) = reason.split_once("\nhelp: ") else { continue };
        match helps.iter_mut().find(|(known, ..)| *known == help) {
            Some((.., count)) => *count += 1,
            None => helps.push((help, &row.path, 1)),
        }
    }
    helps.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    helps.truncate(HELPS);
    helps
}

fn cells(row: &Row) -> Vec<Cell> {
    let path = (row.path.clone(), Some(Ink::Strong));
    let application = (row.application.clone().unwrap_or_default(), None);
    let kind = (row.kind.to_owned(), None);
    match &row.outcome {
        Outcome::Read { jobs, count } => {
            let ink = if count.open[0] > 0 { Ink::Bad } else { Ink::Warning };
            vec![path, application, kind, (jobs.to_string(), None), (levels(count.open), Some(ink))]
        }
        Outcome::NotChecked(reason) => {
            let reason = match reason.split_once("\nhelp: ") {
                // Tools have many ways to say it.
                Some((_, help)) if help.contains("--network allow") => "needs the network",
                _ => reason.lines().next().unwrap_or_default(),
            };
            let cut = match reason.char_indices().nth(REASON) {
                Some((end, _)) => format!("{}…", &reason[..end]),
                None => reason.to_owned(),
            };
            vec![path, application, kind, ("?".to_owned(), None), (format!("not checked: {cut}"), Some(Ink::Bad))]
        }
    }
}

/// One line without any name: `84 sources: 12 with Jobs, 70 without, 2 not checked; passed over: …`
pub fn counts(rows: &[Row], passed_over: &PassedOver) -> String {
    let without_jobs = rows.iter().filter(|row| matches!(row.outcome, Outcome::Read { jobs: 0, .. })).count();
    let not_checked = rows.iter().filter(|row| matches!(row.outcome, Outcome::NotChecked(_))).count();
    let with_jobs = rows.iter().filter(|row| matches!(row.outcome, Outcome::Read { jobs: 1.., .. })).count();
    let mut parts = vec![format!("{with_jobs} with Jobs")];
    if without_jobs > 0 {
        parts.push(format!("{without_jobs} without"));
    }
    if not_checked > 0 {
        parts.push(format!("{not_checked} not checked"));
    }
    let mut text = format!("{}: {}", plural(rows.len(), "source"), parts.join(", "));
    let PassedOver { parts, templates, files, .. } = *passed_over;
    let passed: Vec<String> = [
        (parts, "base, component or library", "bases, components and libraries"),
        (templates, "folder of templates without a chart", "folders of templates without a chart"),
        (files, "file that is not a manifest", "files that are not manifests"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
    .collect();
    if !passed.is_empty() {
        let _ = write!(text, "; passed over: {}", passed.join(", "));
    }
    text + "\n"
}

//! Text for terminals: what runs, the errors, the Jobs, the order of the sync, the warnings, the diff.

use std::fmt::Write;

use lint::count::levels;
use lint::survey::sync_order::Absence;
use lint::{Finding, Level, State};
use preview::{Absent, Report, Runnable, Trigger, When, counted};
use text::{diff, plural, visible};

use super::answer::{Answer, depends_on_changes};
use super::changes::Changes;
use super::findings::block;
use super::order::order;
use super::policy;
use super::remarks::remarks;
use crate::paint::Ink;
use crate::show::Show;
use crate::table::{Cell, Column, Narrow, fitted, whole_width};

/// When the diff is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowDiff {
    /// When it has at most [`SHORT`] lines.
    #[default]
    Short,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The most lines of a short diff.
pub const SHORT: usize = 40;

/// The table of Jobs. What chose the strategy is asked least.
const COLUMNS: [Column; 6] = [
    Column { heading: "JOB", narrow: Narrow::CutEnd },
    Column { heading: "NEW NAME", narrow: Narrow::CutStart },
    Column { heading: "STRATEGY", narrow: Narrow::Drop(1) },
    Column { heading: "CHOSEN BY", narrow: Narrow::Drop(0) },
    Column { heading: "RUNS", narrow: Narrow::CutEnd },
    Column { heading: "FINDINGS", narrow: Narrow::Drop(2) },
];

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub struct View<'v> {
    /// The report.
    pub report: &'v Report,
    /// The findings that the report refers to.
    pub findings: &'v [Finding],
    /// What the rewrite changes.
    pub changes: &'v [Changes],
    /// Whether the diff is wanted.
    pub diff: ShowDiff,
    /// How it looks.
    pub show: Show,
}

impl View<'_> {
    /// Prints all of it.
    pub fn print(&self) -> String {
        let mut out = self.summary();
        if self.report.jobs.is_empty() {
            return out;
        }
        let errors = self.findings(Level::Error);
        let warnings = self.findings(Level::Warning);
        let gap = |text: String| if text.is_empty() { text } else { format!("\n{text}") };
        out.push_str(&gap(errors));
        out.push_str(&gap(self.jobs()));
        out.push_str(&remarks(self.report, self.show));
        out.push_str(&gap(self.order()));
        out.push_str(&gap(warnings));
        out.push_str(&self.trigger());
        out.push_str(&self.policy());
        out.push_str(&self.diff());
        out
    }

    /// The answer, and what there is.
    fn summary(&self) -> String {
        let report = self.report;
        if report.jobs.is_empty() {
            return format!("no Jobs among {}: `generate` changes nothing\n", plural(report.others, "resource"));
        }
        let mut about = counted(report.jobs.iter().map(|job| (&job.kind, job.is_hook)), "");
        if let Some(namespace) = self.only_namespace() {
            let _ = write!(about, " in namespace `{namespace}`");
        }
        if report.others > 0 {
            let _ = write!(about, ", {}", plural(report.others, "other resource"));
        }
        if report.jobs.iter().any(depends_on_changes) {
            about.push_str("; `--base REV` shows which Jobs changed");
        }
        let answer = Answer::of_report(report).text(1);
        self.show.inked(Ink::Strong, &answer) + &self.show.inked(Ink::Faint, &about)
    }

    /// The namespace of all Jobs, when it is the same for all and known.
    fn only_namespace(&self) -> Option<&str> {
        let mut namespaces = self.report.jobs.iter().map(|job| job.namespace.as_deref());
        let first = namespaces.next()??;
        namespaces.all(|other| other == Some(first)).then_some(first)
    }

    /// The whole new names where there is room for them, otherwise what is added to the old ones: the order of the sync has all of it.
    fn jobs(&self) -> String {
        let rows = |short| -> Vec<Vec<Cell>> { self.report.jobs.iter().map(|job| self.row(job, short)).collect() };
        let whole = rows(false);
        let is_narrow = self.show.width.is_some_and(|width| whole_width(&COLUMNS, &whole) > width);
        let rows = if is_narrow && !self.show.all { rows(true) } else { whole };
        fitted(&COLUMNS, &rows, self.show.width.filter(|_| !self.show.all), self.show.paint)
    }

    fn row(&self, job: &Runnable, is_short: bool) -> Vec<Cell> {
        let plain = |text: String| (text, None);
        let namespace = job.namespace.as_deref().filter(|_| self.only_namespace().is_none());
        let name = job.kind.named(namespace, &job.written);
        let emitted = if job.emitted == job.written {
            ("unchanged".to_owned(), Some(Ink::Faint))
        } else {
            let suffix = job.emitted.strip_prefix(job.written.trim_end_matches('…').trim_end_matches('-'));
            let shown = suffix.filter(|_| is_short).map(|suffix| format!("…{suffix}"));
            (shown.unwrap_or_else(|| job.emitted.clone()), Some(Ink::Good))
        };
        let ink = match job.when {
            When::EveryFullSync(_) | When::EverySync => Some(Ink::Warning),
            When::EveryRendering(_) => Some(Ink::Bad),
            When::Never(Absence::NoValidType) | When::Rejected(_) | When::FailsUnchanged(_) => Some(Ink::Bad),
            When::Never(_) | When::Suspended(_) | When::Baseline | When::FailedSync => Some(Ink::Faint),
            _ => None,
        };
        vec![
            (name, Some(Ink::Strong)),
            emitted,
            plain(job.strategy.to_string()),
            plain(job.chosen.clone()),
            (job.runs(), ink),
            self.levels(job),
        ]
    }

    /// `1 error, 2 warnings`; information is not counted.
    fn levels(&self, job: &Runnable) -> Cell {
        let count = |level| job.findings.iter().filter(|index| self.findings[**index].level == level).count();
        let (errors, warnings) = (count(Level::Error), count(Level::Warning));
        (levels([errors, warnings, 0]), Some(if errors > 0 { Ink::Bad } else { Ink::Warning }))
    }

    fn findings(&self, level: Level) -> String {
        block(self.findings.iter().filter(|finding| finding.state == State::Open), level, self.show)
    }

    fn order(&self) -> String {
        let (mut out, head) = order(&self.report.steps, self.report.stop, "SYNC ORDER", self.show);
        for Absent { kind, name, why, .. } in &self.report.absent {
            let why = match why {
                Absence::Deletion => "runs when the Application is deleted",
                Absence::Skip => "is never applied: `Skip`",
                Absence::NoValidType => "is never applied: Argo CD does not know the hook type",
                Absence::HelmTest => "is never applied: only `helm test` runs it",
                Absence::Repeated => "is never applied: another Job with its name comes later",
            };
            let line = format!("{kind} {name} {why}");
            let first = format!("{:<head$}", "in no sync");
            let _ = writeln!(out, "{}", self.show.wrapped(&visible(&line), &first, &" ".repeat(head)));
        }
        out
    }

    fn trigger(&self) -> String {
        let Some(trigger) = self.report.trigger.as_ref().filter(|_| self.report.asks_for_a_trigger()) else {
            return String::new();
        };
        let sentence = match trigger {
            Trigger::ConfigMap(name) => {
                format!("Changing only a hook also triggers auto-sync: the plugin changes the ConfigMap `{name}`.")
            }
            Trigger::Unnamed => {
                "Changing only a hook also triggers auto-sync: in Argo CD the plugin adds a small ConfigMap that \
                                 changes whenever a hook changes."
                    .to_owned()
            }
            Trigger::Off => "Changing only a hook does not trigger auto-sync: `trigger` is `false`.".to_owned(),
        };
        format!("\n{}", self.show.line(&sentence))
    }

    /// What the Application says, a line each.
    fn policy(&self) -> String {
        let lines: String = policy::lines(self.report).iter().map(|line| self.show.line(line)).collect();
        if lines.is_empty() { lines } else { format!("\n{lines}") }
    }

    fn diff(&self) -> String {
        let lines: usize = self.changes.iter().map(|changes| changes.lines.len()).sum();
        if lines == 0 || self.diff == ShowDiff::Never {
            return String::new();
        }
        if self.diff == ShowDiff::Short && lines > SHORT {
            let files = plural(self.changes.len(), "file");
            return format!("\nDiff hidden ({lines} lines in {files}): `--diff always` shows it\n");
        }
        let mut out = "\n".to_owned();
        for line in self.changes.iter().flat_map(|changes| changes.lines.iter()) {
            out.push_str(&self.line(line));
        }
        out
    }

    fn line(&self, line: &str) -> String {
        let line = diff::shown(line);
        let ink = match line.as_bytes() {
            [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Ink::Strong,
            [b'-', ..] => Ink::Bad,
            [b'+', ..] => Ink::Good,
            [b'@', ..] => Ink::Info,
            _ => Ink::Plain,
        };
        format!("{}\n", self.show.paint.ink(ink, line))
    }
}

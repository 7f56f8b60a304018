//! Text for terminals: the table of one version, the findings, the settings, and the diff of the rewrite.

use lint::{Finding, Level, State};
use preview::{Forecast, Report, Trigger};
use text::{diff, plural};

use super::changes::Changes;
use super::findings::{block, warnings};
use super::order::order;
use super::policy;
use super::remarks::remarks;
use super::table::table;
use super::words::alone::alone;
use super::words::end::end;
use crate::paint::Ink;
use crate::show::Show;

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

/// Everything that is printed.
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
    /// The colours, the width and how much is shown.
    pub show: Show,
}

impl View<'_> {
    /// Prints all of it. A section has its first line above.
    pub fn print(&self, forecast: &Forecast, is_alone: bool) -> String {
        let report = self.report;
        let gap = |text: String| if text.is_empty() { text } else { format!("\n{text}") };
        if report.jobs.is_empty() {
            let found = gap(self.findings());
            return format!("no Jobs among {}: `generate` changes nothing\n{found}", plural(report.others, "resource"));
        }
        let mut out = if is_alone { self.show.inked(Ink::Strong, &alone([forecast])) + "\n" } else { String::new() };
        out.push_str(&table(forecast, is_alone, self.show));
        let end = forecast.end.as_ref().map(|end| self.show.inked(Ink::Bad, &self::end(end)));
        out.push_str(&gap(end.unwrap_or_default()));
        out.push_str(&gap(self.findings()));
        out.push_str(&remarks(report, self.show));
        if self.show.all {
            out.push_str(&gap(order(&report.steps, "SYNC ORDER", self.show)));
        }
        out.push_str(&self.trigger());
        out.push_str(&self.policy());
        out.push_str(&self.diff());
        out
    }

    fn findings(&self) -> String {
        let open = || self.findings.iter().filter(|finding| finding.state == State::Open);
        block(open(), Level::Error, self.show) + &warnings(open(), "", self.show)
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

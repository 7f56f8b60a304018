//! Text for terminals: a summary, the Jobs, the order of the sync, the diff.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::changes::Changes;
use super::policy;
use super::remarks::remarks;
use crate::finding::{Finding, Level, State};
use crate::output::paint::{Ink, Paint};
use crate::output::table::{Cell, table};
use crate::preview::{Entry, JobReport, Report, Step, Trigger, When};
use crate::survey::sync_order::Absence;
use crate::survey::{Side, Survey};
use crate::text::{plural, visible};

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

/// The most characters for the names of the objects of a wave; when there are more, they are only counted.
const NAMES: usize = 90;

/// The most kinds of objects that are counted one by one.
const KINDS: usize = 6;

/// The most findings that are printed.
const FINDINGS: usize = 8;

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub struct View<'v> {
    /// The plan and the objects.
    pub survey: &'v Survey<'v>,
    /// The report on it.
    pub report: &'v Report,
    /// The findings that the report refers to.
    pub findings: &'v [Finding],
    /// What the rewrite changes.
    pub changes: &'v [Changes],
    /// Whether the diff is wanted.
    pub diff: ShowDiff,
    /// Colours.
    pub paint: Paint,
}

impl View<'_> {
    /// Prints all of it.
    pub fn print(&self) -> String {
        let mut out = self.summary();
        if !self.report.jobs.is_empty() {
            out.push('\n');
            out.push_str(&self.jobs());
            out.push_str(&remarks(self.report));
            out.push_str(&self.findings());
            out.push('\n');
            out.push_str(&self.order());
            out.push_str(&self.diff());
        }
        out
    }

    fn summary(&self) -> String {
        let jobs = &self.report.jobs;
        let others = plural(self.report.others, "other object");
        if jobs.is_empty() {
            return format!("no Jobs among {}: `generate` changes nothing\n", plural(self.report.others, "object"));
        }
        let mut kinds: Vec<(usize, [&str; 2])> = Vec::new();
        for job in jobs {
            let kind = short(&job.when);
            match kinds.iter_mut().find(|(_, known)| *known == kind) {
                Some((count, _)) => *count += 1,
                None => kinds.push((1, kind)),
            }
        }
        let describe = |(count, kind): &(usize, [&str; 2])| format!("{count} {}", kind[usize::from(*count > 1)]);
        let jobs = match kinds.as_slice() {
            [(count, kind)] => format!("{} {}", plural(*count, "Job"), kind[usize::from(*count > 1)]),
            kinds => {
                let described: Vec<String> = kinds.iter().map(describe).collect();
                format!("{}: {}", plural(jobs.len(), "Job"), described.join(", "))
            }
        };
        let others = if self.report.others > 0 { format!("; {others}") } else { String::new() };
        format!("{}{others}\n", self.paint.ink(Ink::Strong, jobs))
    }

    fn jobs(&self) -> String {
        let rows: Vec<Vec<Cell>> = self.report.jobs.iter().map(|job| self.row(job)).collect();
        table(&["JOB", "NEW NAME", "STRATEGY", "CHOSEN BY", "RUNS", "FINDINGS"], &rows, self.paint)
    }

    fn row(&self, job: &JobReport) -> Vec<Cell> {
        let plain = |text: String| (text, None);
        let qualified = |name: &str| match &job.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        };
        let emitted = if job.emitted == job.written {
            ("the same".to_owned(), Some(Ink::Faint))
        } else {
            // The whole name is in the order of the sync.
            let whole = || job.emitted.clone();
            let suffix = job.emitted.strip_prefix(job.written.trim_end_matches('…').trim_end_matches('-'));
            (suffix.map_or_else(whole, |suffix| format!("…{suffix}")), Some(Ink::Good))
        };
        let ink = match job.when {
            When::EveryFullSync(_) | When::EverySync => Some(Ink::Warning),
            When::Never(_) | When::Suspended(_) | When::Baseline | When::FailedSync => Some(Ink::Faint),
            _ => None,
        };
        vec![
            (qualified(&job.written), Some(Ink::Strong)),
            emitted,
            plain(job.strategy.to_string()),
            plain(job.chosen.clone()),
            (job.when.to_string(), ink),
            self.levels(job),
        ]
    }

    /// `1 error, 2 warnings`; information is not counted.
    fn levels(&self, job: &JobReport) -> Cell {
        let count = |level| job.findings.iter().filter(|index| self.findings[**index].rule.level == level).count();
        let unless_zero = |count: usize, noun| (count > 0).then(|| plural(count, noun));
        let (errors, warnings) = (count(Level::Error), count(Level::Warning));
        let text: Vec<String> =
            unless_zero(errors, "error").into_iter().chain(unless_zero(warnings, "warning")).collect();
        (text.join(", "), Some(if errors > 0 { Ink::Bad } else { Ink::Warning }))
    }

    /// Errors and warnings, a line each.
    fn findings(&self) -> String {
        let is_shown = |finding: &&Finding| finding.state == State::Open && finding.rule.level > Level::Info;
        let mut shown: Vec<&Finding> = self.findings.iter().filter(is_shown).collect();
        if shown.is_empty() {
            return String::new();
        }
        shown.sort_by_key(|finding| std::cmp::Reverse(finding.rule.level));
        let mut out = format!("\n{}\n", self.paint.ink(Ink::Faint, "FINDINGS (`argocd-jobs check` says more)"));
        for finding in shown.iter().take(FINDINGS) {
            let ink = if finding.rule.level == Level::Error { Ink::Bad } else { Ink::Warning };
            let level = self.paint.ink(ink, format!("{}[{}]", finding.rule.level, finding.rule.id));
            let place = finding.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
            let _ = writeln!(out, "{}{level}: {}", visible(&place), visible(&finding.message));
        }
        if shown.len() > FINDINGS {
            let _ = writeln!(out, "and {} more", shown.len() - FINDINGS);
        }
        out
    }

    fn order(&self) -> String {
        let mut out = format!("{}\n", self.paint.ink(Ink::Faint, "ORDER OF THE SYNC"));
        let width = self.report.steps.iter().map(|step| format!("wave {}", step.wave).len()).fold(8, usize::max);
        let mut phase = None;
        for step in &self.report.steps {
            let name = if phase == Some(step.phase) { "" } else { step.phase.as_str() };
            phase = Some(step.phase);
            let head = format!("{name:<9} {:<width$} ", format!("wave {}", step.wave));
            let lines = self.step(step);
            for (index, line) in lines.iter().enumerate() {
                let head = if index == 0 { &head } else { &" ".repeat(head.len()) };
                let _ = writeln!(out, "{head}{line}");
            }
        }
        for (object, why) in &self.report.absent {
            let Some(resource) = self.survey.objects[*object].on(Side::Emitted) else { continue };
            let object = resource.object();
            let why = match why {
                Absence::Deletion => "runs when the Application is deleted",
                Absence::Skip => "is never applied: `Skip`",
                Absence::NoValidType => "is never applied: Argo CD does not know its hook type",
            };
            let name = object.name().or(object.generate_name()).unwrap_or("");
            let line = format!("{} {name} {why}", object.kind());
            let _ = writeln!(out, "{:<1$} {2}", "not in it", width + 10, visible(&line));
        }
        out.push_str(&self.trigger());
        out.push_str(&self.policy());
        out
    }

    /// Jobs have lines of their own, in the order of the wave; neighbours of other kinds share one.
    fn step(&self, step: &Step) -> Vec<String> {
        let together = |a: &Entry, b: &Entry| !a.is_job && !b.is_job && a.is_hook == b.is_hook;
        let lines = step.entries.chunk_by(together).map(|entries| {
            let hook = match entries {
                [one] if one.is_job && one.is_hook => "  (hook, the sync waits)",
                [one] if one.is_hook => "  (hook)",
                [one, ..] if one.is_hook => "  (hooks)",
                _ => "",
            };
            let ink = if entries[0].is_job { Ink::Strong } else { Ink::Plain };
            format!("{}{}", self.paint.ink(ink, visible(&group(entries))), self.paint.ink(Ink::Faint, hook))
        });
        lines.collect()
    }

    fn trigger(&self) -> String {
        let Some(trigger) = self.report.trigger.as_ref().filter(|_| self.report.asks_for_a_trigger()) else {
            return String::new();
        };
        let sentence = match trigger {
            Trigger::ConfigMap(name) => {
                format!("a change of a hook alone starts an auto-sync: it changes the ConfigMap {name}")
            }
            Trigger::Unnamed => {
                "a change of a hook alone starts an auto-sync: in Argo CD, where the Application's name is known, a \
                 ConfigMap is added that changes with the hooks"
                    .to_owned()
            }
            Trigger::Off => "a change of a hook alone starts no auto-sync: `trigger` is `false`".to_owned(),
        };
        format!("\n{}\n", visible(&sentence))
    }

    /// What the Application says, a line each.
    fn policy(&self) -> String {
        let lines: String = policy::lines(self.report).iter().map(|line| format!("{}\n", visible(line))).collect();
        if lines.is_empty() { lines } else { format!("\n{lines}") }
    }

    fn diff(&self) -> String {
        let lines: usize = self.changes.iter().map(|changes| changes.lines.len()).sum();
        if lines == 0 || self.diff == ShowDiff::Never {
            return String::new();
        }
        if self.diff == ShowDiff::Short && lines > SHORT {
            let files = plural(self.changes.len(), "file");
            return format!("\n`--diff always` shows the changes: {lines} lines in {files}\n");
        }
        let mut out = "\n".to_owned();
        for line in self.changes.iter().flat_map(|changes| &changes.lines) {
            out.push_str(&self.line(line));
        }
        out
    }

    fn line(&self, line: &str) -> String {
        let line = &change_line(line);
        let ink = match line.as_bytes() {
            [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Ink::Strong,
            [b'-', ..] => Ink::Bad,
            [b'+', ..] => Ink::Good,
            [b'@', ..] => Ink::Info,
            _ => return line.to_owned(),
        };
        format!("{}\n", self.paint.ink(ink, line.trim_end_matches('\n')))
    }
}

/// A line of a diff with its control characters escaped, except tabulators.
pub(super) fn change_line(line: &str) -> String {
    let text = line.strip_suffix('\n').unwrap_or(line);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let parts: Vec<_> = text.split('\t').map(visible).collect();
    format!("{}\n", parts.join("\t"))
}

/// In the summary, of one Job and of several: `2 run once per content`.
fn short(when: &When) -> [&'static str; 2] {
    match when {
        When::OncePerContent => ["runs once per content", "run once per content"],
        When::Baseline => ["does not run again (baseline)", "do not run again (baseline)"],
        When::EveryFullSync(_) => ["runs at every full sync", "run at every full sync"],
        When::FailedSync => ["runs when a sync has failed", "run when a sync has failed"],
        When::EverySync => ["runs at every sync", "run at every sync"],
        When::OnceForAll | When::WhenRefused => ["runs once", "run once"],
        When::Never(Absence::Deletion) => {
            ["runs when the Application is deleted", "run when the Application is deleted"]
        }
        When::Never(_) => ["never runs", "never run"],
        When::Suspended(_) => ["is suspended", "are suspended"],
    }
}

/// `Namespace shop, 3 ConfigMaps, Deployment api`
fn group(entries: &[Entry]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in entries {
        if !kinds.contains(&entry.kind.as_str()) {
            kinds.push(&entry.kind);
        }
        names.entry(&entry.kind).or_default().push(&entry.name);
    }
    let named: Vec<String> = kinds.iter().map(|kind| format!("{kind} {}", names[kind].join(", "))).collect();
    let named = named.join(", ").trim_end().to_owned();
    if named.chars().count() <= NAMES {
        return named;
    }
    let hidden: usize = kinds.iter().skip(KINDS).map(|kind| names[kind].len()).sum();
    let counts = kinds.into_iter().take(KINDS).map(|kind| match names[kind].len() {
        1 => kind.to_owned(),
        count => format!("{count} {kind}"),
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    if hidden > 0 { format!("{counts} and {hidden} more") } else { counts }
}

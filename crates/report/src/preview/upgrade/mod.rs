//! What another version of Argo CD changes for the Jobs of all sources, as a list to work off.

mod json;
mod lines;

use std::fmt::Write;

use deployment::row::PassedOver;
use kube_jobs::argocd::Version;
use preview::Upgrade;
use serde::Serialize;
use text::{agreed, capitalized, few, on_one_line, plural, visible};

use super::markdown::MAX_BYTES;
use crate::markdown::{At, code, sentence};
use crate::paint::Ink;
use crate::show::Show;
use crate::sources::skipped;
pub use json::json;
use lines::{Line, Totals, lines};

/// All that is printed.
#[derive(Clone, Debug)]
pub struct Report {
    /// The old version of Argo CD, and the new one.
    pub versions: [Version; 2],
    /// The sources for which something changes, or whose objects gain or lose nulls.
    pub changed: Vec<(Named, Upgrade)>,
    /// How many sources are the same with both versions.
    pub unchanged: usize,
    /// The sources that are not compared.
    pub not_compared: Vec<NotCompared>,
    /// What is not rendered at all.
    pub passed_over: PassedOver,
}

/// A source that is not compared.
#[derive(Clone, Debug, Serialize)]
pub struct NotCompared {
    /// What it is called.
    #[serde(flatten)]
    pub named: Named,
    /// Why it is not compared.
    pub reason: String,
}

/// What a source is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Named {
    /// Its path, as messages call it.
    pub path: String,
    /// The Application that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// What renders that Application, from the root down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
}

impl Named {
    /// The Application, or else the path.
    fn short(&self) -> &str {
        self.application.as_deref().unwrap_or(&self.path)
    }
}

/// Sources with the same lines.
struct Section<'r> {
    first: &'r Named,
    others: Vec<&'r Named>,
    lines: Vec<Line>,
}

/// The most names in a list that is for reading.
const NAMED: usize = 8;

impl Report {
    /// Whether something is harmful: a Job is blocked by the new version, or a sync fails that does not fail now.
    pub fn is_harmful(&self) -> bool {
        self.changed.iter().any(|(_, upgrade)| upgrade.is_harmful())
    }

    fn sections(&self, all: bool) -> Vec<Section<'_>> {
        let mut sections: Vec<Section<'_>> = Vec::new();
        for (named, upgrade) in self.changed.iter().filter(|(_, upgrade)| upgrade.is_a_change()) {
            let lines = lines(upgrade, all);
            match sections.iter_mut().find(|known| !all && known.lines == lines) {
                Some(known) => known.others.push(named),
                None => sections.push(Section { first: named, others: Vec::new(), lines }),
            }
        }
        sections.sort_by_key(|section| !section.lines.iter().any(|line| line.is_harmful));
        sections
    }

    /// The sources whose objects only gain or lose nulls.
    fn with_nulls(&self) -> impl Iterator<Item = &(Named, Upgrade)> {
        self.changed.iter().filter(|(_, upgrade)| !upgrade.is_a_change())
    }

    /// What changes, in a sentence.
    fn answer(&self) -> String {
        let [old, new] = self.versions;
        let totals = Totals::of(self.changed.iter().map(|(_, upgrade)| upgrade));
        let what = match (totals.parts(), self.not_compared.is_empty()) {
            (parts, true) if parts.is_empty() => "nothing changes for Jobs and hooks".to_owned(),
            (parts, false) if parts.is_empty() => {
                "nothing changes for the Jobs and hooks that could be compared".to_owned()
            }
            (parts, _) => parts.join("; "),
        };
        format!("Argo CD {old} → {new}: {what}.")
    }

    /// How many sources are in no section.
    fn counts(&self, show: Show) -> Vec<String> {
        let mut counts = Vec::new();
        let nulls: Vec<String> = self.with_nulls().map(|(named, _)| format!("`{}`", named.short())).collect();
        if !nulls.is_empty() {
            let sources = agreed(nulls.len(), "source", "only gains or loses", "only gain or lose");
            counts.push(format!("{sources} nulls, which runs nothing: {}", few(&nulls, show.at_most(NAMED))));
        }
        if self.unchanged > 0 {
            counts.push(agreed(self.unchanged, "source", "is", "are") + " the same with both versions");
        }
        counts
    }
}

/// `apps/shop`, with the Application and how many others there are.
fn heading(section: &Section<'_>, path: impl Fn(&str) -> String, show: Show) -> String {
    let application = section.first.application.as_ref().map(|name| format!(" (Application {})", path(name)));
    let application = application.unwrap_or_default();
    let others: Vec<String> = section.others.iter().map(|named| path(named.short())).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!(", and the same in {}", few(&others, show.at_most(NAMED)))
    };
    format!("{}{application}{others}", path(&section.first.path))
}

/// For terminals.
pub fn text(report: &Report, show: Show) -> String {
    let paint = show.paint;
    let wrapped = |text: &str, first: &str| show.wrapped(&visible(text), first, "    ");
    let mut out = format!("{}\n", paint.ink(Ink::Strong, wrapped(&report.answer(), "")));
    for section in report.sections(show.all) {
        let heading = heading(&section, |name| visible(name).into_owned(), show);
        let _ = writeln!(out, "\n{}", paint.ink(Ink::Info, format!("== {heading}")));
        for line in &section.lines {
            let text = wrapped(&line.text, "  ");
            let _ = writeln!(out, "{}", if line.is_harmful { paint.ink(Ink::Bad, text) } else { text });
        }
    }
    out.push('\n');
    report.counts(show).iter().for_each(|line| _ = writeln!(out, "{}", wrapped(line, "")));
    for one in &report.not_compared {
        let level = paint.ink(Ink::Warning, "not compared");
        let _ = writeln!(out, "{}", wrapped(&not_compared(one), &format!("{level}: ")));
    }
    out + &skipped(&report.passed_over.skipped, show)
}

fn not_compared(NotCompared { named, reason }: &NotCompared) -> String {
    let application = named.application.as_ref().map_or_else(String::new, |name| format!(" (Application `{name}`)"));
    format!("`{}`{application}: {}", named.path, on_one_line(reason))
}

/// For a comment or a ticket.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("**{}**\n", sentence(&report.answer(), At::Line));
    let mut left_out = 0;
    for section in report.sections(false) {
        let mut text = format!("\n#### {}\n\n", heading(&section, |name| code(name, At::Line), Show::default()));
        for line in &section.lines {
            let mark = if line.is_harmful { "**blocked**: " } else { "" };
            let _ = writeln!(text, "- {mark}{}", sentence(&line.text, At::Line));
        }
        match out.len() + text.len() < MAX_BYTES {
            true => out.push_str(&text),
            false => left_out += 1,
        }
    }
    if left_out > 0 {
        let _ = writeln!(
            out,
            "\n{} more that change, which `--format text` lists",
            capitalized(&plural(left_out, "source"))
        );
    }
    let unread = report.not_compared.iter().map(|one| format!("Not compared: {}", not_compared(one)));
    let lines: Vec<String> = report.counts(Show::default()).into_iter().chain(unread).collect();
    let skipped = report.passed_over.skipped.len();
    let skipped = (skipped > 0).then(|| format!("{} not rendered", plural(skipped, "Application")));
    for line in lines.iter().take(NAMED * NAMED).chain(&skipped) {
        let _ = write!(out, "\n{}\n", sentence(line, At::Line));
    }
    let more = lines.len().saturating_sub(NAMED * NAMED);
    if more > 0 {
        let _ = write!(out, "\nNot compared: {} more\n", plural(more, "source"));
    }
    out
}

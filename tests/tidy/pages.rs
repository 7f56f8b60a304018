//! The page of all findings, and what the page of strategies says about each of them, in Markdown.

use std::fmt::Write;

use lint::examples::{Case, Example};
use lint::fix::Fix;
use lint::{Level, RULES, Rule, Theme};
use report::explain::finding::{ignoring, settings};
use rewrite::strategy::STRATEGIES;

/// The page of findings below its first lines.
pub(super) fn page() -> String {
    let mut out = String::from("\n| level | what it means | exit status of `check` |\n|---|---|---|\n");
    for level in Level::ALL.into_iter().rev() {
        let _ = writeln!(out, "| {level} | {} | {} |", level.meaning(), level.exit_status());
    }
    for theme in Theme::ALL {
        let _ =
            write!(out, "\n**[{}]({})**\n\n| finding | level | what |\n|---|---|---|\n", theme.title(), anchor(theme));
        for row in of(theme) {
            let _ = writeln!(out, "| [`{0}`](#{0}) | {1} | {2} |", row.id, row.level, row.summary);
        }
    }
    for theme in Theme::ALL {
        let _ = write!(out, "\n## {}\n\n{}\n", theme.title(), theme.about());
        of(theme).for_each(|row| finding(&mut out, row));
    }
    out
}

/// What to know about each strategy, with a heading of the third level. What it writes is in a table of the page.
pub(super) fn strategies() -> String {
    let mut out = String::new();
    for row in STRATEGIES.iter().filter(|row| !row.limits.is_empty()) {
        let _ = write!(out, "\n### {}\n\n", row.id);
        row.limits.iter().for_each(|limit| out.push_str(&format!("- {limit}\n")));
    }
    out
}

fn of(theme: Theme) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |row| row.theme == theme)
}

/// The anchor that GitHub gives a heading of words.
fn anchor(theme: Theme) -> String {
    format!("#{}", theme.title().to_lowercase().replace(' ', "-"))
}

fn finding(out: &mut String, row: &Rule) {
    let Rule { id, level, since, summary, why, fix, link, example: Example { wrong, right, note }, .. } = row;
    let _ = write!(out, "\n### {id}\n\n*{level} · since {since}*: {summary}.\n\n{why}\n");
    example(out, "Wrong", wrong);
    example(out, "Right", right);
    if !note.is_empty() {
        let _ = write!(out, "\n{note}\n");
    }
    let ways = ignoring(row);
    let (comment, annotation, config) = match ways.as_slice() {
        [(_, comment), (_, annotation), (_, config)] => (format!("the comment `{comment}`, "), annotation, config),
        [(_, annotation), (_, config)] => (String::new(), annotation, config),
        other => panic!("{id}: {} ways to ignore it", other.len()),
    };
    let _ = write!(out, "\n**What to do:** {fix}\n");
    if let Some(fix) = Fix::find(id) {
        let _ = write!(out, "\n**[Automatic fix](check.md#fix):** {}\n", fix.sentences());
    }
    let _ = write!(
        out,
        "\n**To ignore it:** {comment}the annotation `{annotation}`, or `{config}` in \
         `.argocd-jobs.yaml`.\n\n[Read more]({link})\n"
    );
}

fn example(out: &mut String, word: &str, case: &Case) {
    let _ = write!(out, "\n{word}{}:\n\n```yaml\n{}```\n", settings(case), case.manifest);
}

#[test]
fn every_finding_is_on_the_page_once() {
    let page = page();
    for row in RULES {
        assert_eq!(page.matches(&format!("\n### {}\n", row.id)).count(), 1, "{}", row.id);
        assert_eq!(page.matches(&format!("(#{}) |", row.id)).count(), 1, "{}", row.id);
    }
}

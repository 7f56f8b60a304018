//! The conditions around the lines of a template that make it a Job or a hook.

use std::collections::BTreeSet;

use kube_jobs::argocd::{HELM_HOOK, HOOK};
use text::Span;

use super::about_values::is_about_values;
use crate::fickle::actions;

/// The most conditions around a line that are shown.
const MOST: usize = 4;

/// The most characters of a condition.
const WIDTH: usize = 80;

/// The most lines of a template that are shown.
const MOST_LINES: usize = 20;

/// A template of a Job or a hook.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobTemplate {
    /// The path of the template below the chart.
    pub file: String,
    /// The line that makes it one: `kind: Job`, or the annotation of the hook.
    pub line: usize,
    /// True for `kind: Job`.
    pub is_job: bool,
    /// The conditions around this line as they are written, from the outermost in; empty if there are none.
    pub conditions: Vec<String>,
    /// Whether the values of the chart alone decide the conditions.
    pub is_about_values: bool,
}

/// The templates that printed something in the output of `helm template`, by their paths below the chart, and whether it was a Job. Those that
/// printed neither a Job nor a hook are left out.
pub fn rendered(printed: &str) -> BTreeSet<(String, bool)> {
    let mut found = BTreeSet::new();
    let mut file = None;
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix("# Source: ") {
            file = name.split_once('/').map(|(_, below)| below);
        }
        let is_job = is_job_line(line);
        let Some(file) = file.filter(|_| is_job || is_hook(line)) else { continue };
        found.insert((file.to_owned(), is_job));
    }
    found
}

/// Whether a line makes an object, or an item of a list, a Job.
fn is_job_line(line: &str) -> bool {
    let plain = line.trim().trim_start_matches("- ").replace(['"', '\''], "");
    plain == "kind: Job" || plain.starts_with("kind: Job #")
}

/// Whether a line has an annotation of a hook, its delete policy and weight included.
fn is_hook(line: &str) -> bool {
    let plain = line.trim_start().trim_start_matches(['"', '\'']);
    [HOOK, HELM_HOOK].iter().any(|hook| plain.starts_with(hook))
}

/// Whether a line makes an object a hook that Argo CD applies.
fn is_hook_line(line: &str) -> bool {
    let plain = line.trim().replace(['"', '\''], "");
    let is_key = |hook: &str| plain.strip_prefix(hook).is_some_and(|rest| rest.starts_with(':'));
    [HOOK, HELM_HOOK].into_iter().any(is_key) && !plain.contains("test")
}

/// A block that is open.
struct Block {
    keyword: Keyword,
    /// What follows its keyword.
    condition: Span,
    /// Whether the part behind `else` is open.
    is_else: bool,
    /// Whether the values of the chart alone decide it, with the conditions before an `else if`.
    is_about_values: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    If,
    Range,
    With,
    Define,
}

/// The lines of the template `file` that make it a Job, or else a hook, each with its conditions; without those in named templates, and
/// without tests, which Argo CD does not apply.
pub(super) fn jobs(file: &str, text: &str) -> Vec<JobTemplate> {
    let lines = lines(text);
    let mut found = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    let (actions, mut next) = (actions(text), 0);
    for (line, at, is_job) in lines {
        while let Some(action) = actions.get(next).filter(|action| action.span().start <= at) {
            step(&mut open, text, action.span());
            next += 1;
        }
        if open.iter().any(|block| block.keyword == Keyword::Define) {
            continue;
        }
        let conditions = open.iter().take(MOST).map(|block| told(block, text)).collect();
        let is_about_values = open.iter().all(|block| block.is_about_values);
        found.push(JobTemplate { file: file.to_owned(), line, is_job, conditions, is_about_values });
    }
    found
}

/// The lines `kind: Job`, or without any those of hooks: number, offset, and whether it is that of a Job.
fn lines(text: &str) -> Vec<(usize, usize, bool)> {
    let (mut jobs, mut hooks) = (Vec::new(), Vec::new());
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if is_job_line(line) {
            jobs.push((index + 1, at, true));
        } else if is_hook_line(line) {
            hooks.push((index + 1, at, false));
        }
        at += line.len();
    }
    let mut found = if jobs.is_empty() { hooks } else { jobs };
    found.truncate(MOST_LINES);
    found
}

/// Opens, changes or closes a block.
fn step(open: &mut Vec<Block>, text: &str, action: Span) {
    let whole = action.of(text);
    let inner = whole.trim_start_matches('-').trim_start();
    let word = inner.split(|found: char| !found.is_ascii_alphabetic()).next().unwrap_or_default();
    let rest = |after: &str| Span::new(action.end - after.len(), action.end);
    let after = &inner[word.len()..];
    let keyword = match word {
        "if" => Keyword::If,
        "range" => Keyword::Range,
        "with" => Keyword::With,
        "define" | "block" => Keyword::Define,
        "end" => {
            open.pop();
            return;
        }
        "else" => {
            if let Some(block) = open.last_mut() {
                let after = after.trim_start();
                match after.strip_prefix("if").or_else(|| after.strip_prefix("with")) {
                    Some(condition) => {
                        (block.condition, block.is_else) = (rest(condition), false);
                        block.is_about_values &= is_about_values(condition);
                    }
                    None => block.is_else = true,
                }
            }
            return;
        }
        _ => return,
    };
    open.push(Block { keyword, condition: rest(after), is_else: false, is_about_values: is_about_values(after) });
}

/// A condition as it is written, without `.Values.`, on one line.
fn told(block: &Block, text: &str) -> String {
    let written = block.condition.of(text);
    let written: String = written.chars().take(4 * WIDTH).collect();
    let written = written.trim().trim_end_matches('-');
    let plain = written.replace("$.Values.", "").replace(".Values.", "");
    let mut short = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = short.char_indices().nth(WIDTH) {
        short.truncate(at);
        short.push('…');
    }
    let list = || short.rsplit_once(":=").map_or(short.as_str(), |(_, list)| list.trim());
    match (block.keyword, block.is_else) {
        (Keyword::Range, false) => format!("`{}` has items", list()),
        (Keyword::Range, true) => format!("`{}` has no items", list()),
        (_, true) => format!("not `{short}`"),
        (_, false) => format!("`{short}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let one = |job: JobTemplate| format!("{} {}", job.line, job.conditions.join(" and "));
        jobs("templates/a.yaml", text).into_iter().map(one).collect()
    }

    #[test]
    fn the_conditions_around_a_job_are_those_that_are_open() {
        for (text, expected) in [
            ("{{- if .Values.enableMigrateHelmHook }}\nkind: Job\n{{- end }}", vec!["2 `enableMigrateHelmHook`"]),
            ("{{ if .Values.a }}{{ end }}\nkind: Job\n", vec!["2 "]),
            (
                "{{ if and .Values.a $.Values.b -}}\n{{- with .Values.c }}\nkind: \"Job\" # x\n{{ end }}{{ end }}",
                vec!["3 `and a b` and `c`"],
            ),
            ("{{ if .Values.a }}\nkind: CronJob\n{{ else }}\nkind: Job\n{{ end }}", vec!["4 not `a`"]),
            ("{{ if .Values.a }}\n{{ else if eq .Values.b \"x\" }}\nkind: Job\n{{ end }}", vec!["3 `eq b \"x\"`"]),
            ("{{ range $name, $job := .Values.jobs }}\nkind: Job\n{{ end }}", vec!["2 `jobs` has items"]),
            ("{{ define \"x\" }}\nkind: Job\n{{ end }}\n", vec![]),
            ("{{/* if .Values.a */}}\nkind: Job\n", vec!["2 "]),
            ("{{ if .Values.a }}\n  annotations:\n    \"helm.sh/hook\": pre-install\n{{ end }}", vec!["3 `a`"]),
            ("    helm.sh/hook: test\n", vec![]),
            ("kind: JobSet\n", vec![]),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn megabytes_of_blocks_take_no_time() {
        let text =
            "{{ if .Values.a }}".repeat(100_000) + "\nkind: Job\n" + &"{{ end }}".repeat(200_000) + "\nkind: Job\n";
        assert_eq!(told(&text), ["2 `a` and `a` and `a` and `a`", "4 "]);
        let long = format!("{{{{ if {} }}}}\nkind: Job\n", "é ".repeat(400_000));
        assert_eq!(told(&long)[0].chars().count(), "2 ``".len() + WIDTH + 1);
    }
}

//! A stranger's text in Markdown and in a log: it stays text, and its words stay the same.

use markdown::mdast::Node;
use markdown::{ParseOptions, to_mdast};
use report::markdown::{At, code, fenced, folded_code, sentence};
use text::{harmless_in_a_log, visible, visible_lines};

#[path = "../../tests/slow/breakout/tree.rs"]
#[allow(dead_code, reason = "the suite asks for more")]
mod tree;

/// The first law that a text breaks.
pub fn broken(text: &str) -> Option<String> {
    let (line, lines) = (sentence(text, At::Line), visible_lines(text));
    let cell = format!("| a |\n|---|\n| {} {} |\n", sentence(text, At::Cell), code(text, At::Cell));
    let documents = [
        line.clone(),
        code(text, At::Line),
        cell,
        format!("{}\n\n</details>\n", folded_code(text)),
        fenced("diff", &lines),
    ];
    let complaint = documents.iter().find_map(|document| Some((document, tree::complaint(document)?)));
    if let Some((document, complaint)) = complaint {
        return Some(format!("{text:?} is {document:?}: {complaint}"));
    }
    changed(text, &line, &lines).or_else(|| obeyed(text))
}

/// Where a reader of the comment sees other words.
fn changed(text: &str, line: &str, lines: &str) -> Option<String> {
    let seen = read(line);
    if words(&seen) != words(&visible(text)) {
        return Some(format!("{text:?} is read as {seen:?} in a sentence"));
    }
    let shown = visible(text);
    let wanted = if shown.is_empty() { "\"\"" } else { &shown };
    let (in_code, in_fence) = (read(&code(text, At::Line)), read(&fenced("diff", lines)));
    if in_code != wanted {
        return Some(format!("{text:?} is read as {in_code:?} in a code span"));
    }
    (in_fence.trim_end_matches('\n') != lines.trim_end_matches('\n'))
        .then(|| format!("{text:?} is read as {in_fence:?} in a fence"))
}

/// All text of a document.
fn read(document: &str) -> String {
    to_mdast(document, &ParseOptions::gfm()).map(|tree| text_of(&tree)).unwrap_or_default()
}

fn text_of(node: &Node) -> String {
    match node {
        Node::Text(text) => text.value.clone(),
        Node::InlineCode(code) => code.value.clone(),
        Node::Code(code) => code.value.clone(),
        other => other.children().into_iter().flatten().map(text_of).collect(),
    }
}

/// A text without what a sentence may lose: backticks, which mark what is code, and spaces.
fn words(text: &str) -> String {
    text.chars().filter(|found| !found.is_whitespace() && *found != '`').collect()
}

/// Where the runner that keeps a log would find a command.
fn obeyed(text: &str) -> Option<String> {
    let printed = harmless_in_a_log(text);
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    if let Some(line) = printed.split('\n').find(|line| is_command(line)) {
        return Some(format!("{text:?} has the command {line:?} in a log"));
    }
    let was_harmless = !text.split('\n').any(is_command);
    (was_harmless && printed != text || harmless_in_a_log(&printed) != printed)
        .then(|| format!("{text:?} is {printed:?} in a log"))
}

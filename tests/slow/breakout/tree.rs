//! Parses a comment's Markdown as GitHub does.

use markdown::mdast::Node;
use markdown::{ParseOptions, to_mdast};

/// The HTML that this program writes itself.
const HTML: [&str; 2] = ["<br>", "</details>"];

/// The first element of a comment that a stranger's text has made.
pub(super) fn complaint(text: &str) -> Option<String> {
    let tree = match to_mdast(text, &ParseOptions::gfm()) {
        Ok(tree) => tree,
        Err(message) => return Some(message.to_string()),
    };
    wrong_in(&tree)
}

fn wrong_in(node: &Node) -> Option<String> {
    let wrong = match node {
        Node::Root(_) | Node::Paragraph(_) | Node::TableCell(_) | Node::TableRow(_) | Node::InlineCode(_) => None,
        Node::Html(html) => (!is_own_html(&html.value)).then(|| "HTML".to_owned()),
        Node::Text(text) => made_of(&text.value).map(ToOwned::to_owned),
        Node::Heading(_) => (!is_own_heading(node)).then(|| "a heading".to_owned()),
        Node::Strong(_) => (!is_own_strong(node)).then(|| "a strong text".to_owned()),
        Node::Table(table) => {
            let columns = table.align.len();
            let is_odd = |row: &Node| row.children().is_some_and(|cells| cells.len() != columns);
            table.children.iter().any(is_odd).then(|| "a row with other columns".to_owned())
        }
        Node::List(list) => list.ordered.then(|| "a numbered list".to_owned()),
        Node::ListItem(item) => item.checked.is_some().then(|| "a task".to_owned()),
        Node::Code(code) => {
            let is_own = code.lang.as_deref().is_some_and(|lang| ["diff", "text"].contains(&lang));
            (!is_own).then(|| "a block of code".to_owned())
        }
        other => Some(format!("{:?}", std::mem::discriminant(other))),
    };
    match wrong {
        Some(wrong) => Some(format!("{wrong}: {node:?}")),
        None => node.children().into_iter().flatten().find_map(wrong_in),
    }
}

/// What GitHub makes of a text outside of code, in addition to Markdown.
fn made_of(text: &str) -> Option<&'static str> {
    let characters: Vec<char> = text.chars().collect();
    let is_name = |found: &char| found.is_alphanumeric() || *found == '_';
    let follows = |sign: char, is_it: &dyn Fn(&char) -> bool| {
        characters.windows(2).any(|pair| pair[0] == sign && is_it(&pair[1]))
    };
    let lower = text.to_lowercase();
    if follows('@', &is_name) {
        Some("a mention")
    } else if follows('#', &char::is_ascii_digit)
        || lower.split("gh-").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        Some("an issue")
    } else if lower.contains("://") || lower.contains("www.") {
        Some("a link")
    } else if text.contains('<') || text.contains('`') || text.contains('$') {
        Some("a sign that begins something")
    } else if text.split(':').skip(1).any(|word| {
        !word.is_empty()
            && word.chars().all(|found| is_name(&found) || "+-".contains(found))
            && text.contains(&format!(":{word}:"))
    }) {
        Some("an emoji")
    } else {
        None
    }
}

fn is_own_html(html: &str) -> bool {
    let summary = html.strip_prefix("<details><summary>").and_then(|rest| rest.strip_suffix("</summary>"));
    let words = ["", "compared with ", "all sources, compared with "];
    let is_words = |text: &str| words.contains(&text) || text.ends_with(" · compared with ");
    let inside = summary.map(|text| match text.split_once("<code>") {
        Some((before, name)) if is_words(before) => name.strip_suffix("</code>").unwrap_or(text),
        _ => text,
    });
    // A mention in HTML is a mention, unless it is in `<code>`.
    let is_known = |text: &str| {
        text.ends_with(" syncs run no Job")
            || text.ends_with(" new warnings")
            || ["1 new warning", "Order of the sync", "all sources"].contains(&text)
    };
    let is_sentence = |text: &str| is_known(text) && made_of(text).is_none();
    HTML.contains(&html)
        || inside.is_some_and(|text| !text.contains(['<', '>', '\n']) && (html.contains("<code>") || is_sentence(text)))
}

fn is_own_heading(node: &Node) -> bool {
    let is_one_code = node.children().is_some_and(|all| matches!(all.as_slice(), [Node::InlineCode(_)]));
    let text = node.to_string();
    let is_count = text.split_once(' ').is_some_and(|(count, what)| {
        count.bytes().all(|byte| byte.is_ascii_digit())
            && ["error", "warning", "info"].contains(&what.trim_end_matches('s'))
    });
    let known = [
        "❌ ",
        "Next ",
        "No Jobs",
        "No Job or hook runs",
        "No Application changes",
        "No source changes",
        "Nothing runs because of the change",
        "No source could be read",
        "Argo CD can no longer render ",
        "The sync",
        "The next sync",
        "The comparison",
    ];
    let says = [" runs", " run", " resume", " does not run", " cannot start", " deleted", " change", " applied"];
    let is_said = says.iter().any(|known| text.contains(known));
    is_one_code || is_count || is_said || known.iter().any(|known| text.starts_with(known))
}

fn is_own_strong(node: &Node) -> bool {
    let text = node.to_string();
    let is_count = text.split_once(' ').is_some_and(|(count, _)| count.bytes().all(|byte| byte.is_ascii_digit()));
    let is_one_code = node.children().is_some_and(|all| matches!(all.as_slice(), [Node::InlineCode(_)]));
    let has_code = node
        .children()
        .is_some_and(|all| matches!(all.as_slice(), [Node::Text(text), Node::InlineCode(_)] if text.value == "Job "));
    is_count || has_code || is_one_code || ["error", "warning", "info"].contains(&text.as_str())
}

#[test]
fn what_breaks_out_is_seen() {
    for text in [
        "a @octocat",
        "@octocat",
        "see #1",
        "o/r#12",
        "GH-3",
        "https://example.com",
        "www.example.com",
        "a@b.io",
        "[a](b)",
        "![a](b)",
        "<b>x</b>",
        "<!-- x -->",
        "</details><p>",
        "a *b* c",
        "__b__",
        "~~a~~",
        "# a",
        "> a",
        "1. a",
        "- [ ] a",
        "    a",
        "```\na\n```",
        "a\n---\n",
        "[^1]\n\n[^1]: b",
        "[a]\n\n[a]: b",
        "| a | b |\n|---|---|\n| c | d | e |\n",
        "a :smile: b",
        "$a$",
        "<details><summary>@octocat</summary>",
    ] {
        assert!(complaint(text).is_some(), "{text}");
    }
    for text in [
        "### Next sync: 1 Job runs",
        "- **error** `x`: `@octocat` a<br>help: b",
        "<details><summary><code>@a</code></summary>\n\n```diff\n@a\n```\n\n</details>",
    ] {
        assert_eq!(complaint(text), None, "{text}");
    }
}

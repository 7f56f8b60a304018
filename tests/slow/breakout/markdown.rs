//! No text in a manifest becomes anything but text in a comment on a pull request.

use std::path::Path;

use lint::Analysis;
use report::preview::changes::changes;
use report::preview::markdown;
use rewrite::manifest::{Manifest, Reader};
use rewrite::version::Version;
use text::Origin;

use super::{PLACES, objects, tree};
use crate::support::inputs::hold_for_all;

/// Texts with a meaning in Markdown, in HTML or for GitHub.
const HOSTILE: [&str; 48] = [
    "@octocat",
    "a @octocat b",
    "a` @octocat ![x](https://evil.example/p.png) <b>ok</b> [y](https://evil.example) `",
    "`@octocat`",
    "``@octocat``",
    "`` ` @octocat",
    "`@octocat",
    "@octocat`",
    "a``` @octocat ``` b",
    "`x``@octocat",
    "` `` ``` @octocat",
    "a`b`c @octocat d`e`f",
    "x`<br>`@octocat",
    "![x](https://evil.example/p.png)",
    "[x](https://evil.example)",
    "[x][y] [y]: https://evil.example",
    "a\n\n[y]: https://evil.example\n",
    "](https://evil.example)",
    "<img src=https://evil.example/p.png>",
    "<b>x</b>",
    "</details>",
    "</code></summary></details>@octocat",
    "<!-- x",
    "-->",
    "&lt;b&gt; &#64;octocat &commat;octocat",
    "a|b",
    "a\\|b",
    "a\\\\|b|",
    "| a | b |\n|---|---|\n",
    "\\",
    "\\`@octocat\\`",
    "*x* **x** _x_ __x__ ~~x~~",
    "# x\n## x",
    "> x",
    "- x",
    "1. x",
    "- [ ] x",
    "---",
    "    x",
    "  ",
    "```\nx\n```\n@octocat",
    "https://evil.example www.evil.example octocat@evil.example",
    "#1 GH-1 owner/repo#1 owner@1234567",
    "a[^1]\n\n[^1]: x",
    ":smile: :100: $x$ $`x`$",
    "a\u{1b}[31m\u{202e}\u{200b}@octocat\u{61c}",
    "a\r\n\r\n# x\u{85}\u{2028}@octocat",
    "",
];

fn manifest(text: String, path: &str) -> Vec<Manifest> {
    vec![Manifest::new(Origin::File(Path::new(path).into()), text, Reader::Stream)]
}

/// All comments about the manifest: alone, and compared with the other version.
fn comments(old: &[Manifest], new: &[Manifest]) -> Vec<String> {
    let (base, version) = (Version::of(old.to_vec()), Version::of(new.to_vec()));
    let mut comments = Vec::new();
    let alone = Analysis::of(&version);
    if alone.problems.is_empty() {
        let report = preview::report(&alone);
        let (findings, changes) = (alone.findings().unwrap(), changes(&alone.survey));
        comments.push(markdown::print(&report, &report.forecast(), findings, &changes, true));
        let (base, known) = Analysis::as_base(&base, &version);
        let comparison = preview::compare(&mut Analysis::to_compare(&version), &base, known).unwrap();
        comments.push(markdown::print_against(&comparison, &comparison.forecast(), "a` @octocat|<b>"));
    }
    comments
}

#[test]
fn no_text_is_more_than_text_in_a_comment() {
    let long = "`@octocat ".repeat(1_000);
    let texts: Vec<&str> = HOSTILE.into_iter().chain([long.as_str()]).collect();
    let all: Vec<(usize, &str, &str)> = texts
        .iter()
        .flat_map(|text| PLACES.map(|place| (*text, place)))
        .enumerate()
        .map(|(number, (text, place))| (number, text, place))
        .collect();
    hold_for_all(&all, |(number, text, place)| {
        let path = format!("{text}.yaml");
        let (hostile, plain) = (objects(place, text), objects(place, "b"));
        // A Job in each place, and in turn another object, a new one, and a removed one.
        let others = number % 4 == 0;
        let other = (1 + number / 4 % 3, number / 12 % 4);
        for (kind, turn) in std::iter::once((0, number % 2)).chain(others.then_some(other)) {
            let (new, old) = (manifest(hostile[kind].clone(), &path), manifest(plain[kind].clone(), &path));
            let (old, new) =
                [(old.clone(), new.clone()), (new.clone(), old), (vec![], new.clone()), (new, vec![])][turn].clone();
            let comments = comments(&old, &new).into_iter();
            let found = comments.filter_map(|comment| Some((tree::complaint(&comment)?, comment))).next();
            if let Some((complaint, comment)) = found {
                return Some(format!("{text:?} in {place}: {complaint}\n{comment}"));
            }
        }
        None
    });
}

//! The order of a sync as a Mermaid diagram, for the Markdown of a comment, where it stands for the table and the order: GitHub and GitLab draw it.
//!
//! A wave is a box, and what happens to its Jobs stands in it. An arrow leads from each wave to the next one, dotted if the sync does not wait in
//! between, and crossed out where the sync ends.

mod diagram;

use std::collections::BTreeSet;
use std::fmt::Write;

use kube_jobs::argocd::Phase;
use preview::{Comparison, Report};
use text::visible;

use crate::markdown::fenced;
use diagram::{Diagram, Look, Node, Wave};

/// What Mermaid draws by default (`maxTextSize` and `maxEdges` in its configuration). GitLab draws more than 2,000 characters only after a click
/// (`render_sandboxed_mermaid.js`), so that the text is short: no class that is not used, no name that is not needed.
const MAX_CHARACTERS: usize = 50_000;
const MAX_EDGES: usize = 500;

/// The sync of a report, in a code block; empty if there is nothing to draw, and none if Mermaid would not draw it.
pub fn of_report(report: &Report) -> Option<String> {
    drawn(&Diagram::of_report(report))
}

/// The sync of a comparison, likewise.
pub fn of_comparison(comparison: &Comparison) -> Option<String> {
    drawn(&Diagram::of_comparison(comparison))
}

fn drawn(diagram: &Diagram) -> Option<String> {
    if diagram.waves.is_empty() && diagram.outside.is_empty() {
        return Some(String::new());
    }
    let drawing = Drawing::of(diagram);
    let is_drawn = drawing.edges <= MAX_EDGES && drawing.text.len() <= MAX_CHARACTERS;
    is_drawn.then(|| format!("\n{}", fenced("mermaid", &drawing.text)))
}

/// The direction, with less room between the nodes than Mermaid leaves.
const HEAD: &str = "%%{init: {\"flowchart\": {\"nodeSpacing\": 15, \"rankSpacing\": 25, \"wrappingWidth\": 240, \"subGraphTitleMargin\": {\"bottom\": 8}}}}%%\nflowchart TB\n";

/// The most nodes that stand side by side in a wave: more of them are smaller than the text of a comment.
const SIDE_BY_SIDE: usize = 3;

/// How each kind of node looks; its text is dark, because readers have dark pages too.
const LOOKS: [(Look, &str, &str); 5] = [
    (Look::Runs, "runs", "fill:#dafbe1,stroke:#1a7f37"),
    (Look::Every, "every", "fill:#ddf4ff,stroke:#0969da"),
    (Look::Fails, "fails", "fill:#ffebe9,stroke:#cf222e"),
    (Look::Waits, "waits", "fill:#fff8c5,stroke:#9a6700"),
    (Look::Rest, "rest", "fill:#f6f8fa,stroke:#818b98"),
];

/// A diagram that is being written.
#[derive(Default)]
struct Drawing {
    text: String,
    nodes: usize,
    edges: usize,
    frames: Vec<String>,
    looks: BTreeSet<Look>,
    /// What the arrow to the next wave begins at, and how it looks.
    last: Option<(String, &'static str)>,
}

/// The name of the node where the sync ends or waits.
const END: &str = "stop";

impl Drawing {
    fn of(diagram: &Diagram) -> Self {
        let mut drawing = Self { text: HEAD.to_owned(), ..Self::default() };
        let reached = diagram.reached();
        for (index, wave) in diagram.waves.iter().enumerate() {
            if reached == Some(index) {
                drawing.end(diagram);
            }
            drawing.wave(format!("w{index}"), wave, diagram.runs_hooks_for(wave.moment));
        }
        if reached == Some(diagram.waves.len()) {
            drawing.end(diagram);
        }
        if !diagram.outside.is_empty() {
            drawing.frame("no", "in no wave", &diagram.outside);
            // Without an invisible arrow, it stands next to the first wave.
            if let Some((last, _)) = drawing.last.take() {
                drawing.arrow(last, "~~~", "no");
            }
        }
        _ = writeln!(drawing.text, "classDef wave fill:none,stroke:#818b98\nclass {} wave", drawing.frames.join(","));
        for (_, name, style) in LOOKS.iter().filter(|(look, ..)| drawing.looks.contains(look)) {
            _ = writeln!(drawing.text, "classDef {name} {style},color:#1f2328");
        }
        drawing
    }

    /// A wave, and the arrow to it; `is_after_end` says that the sync comes to it because it has failed.
    fn wave(&mut self, id: String, wave: &Wave, is_after_end: bool) {
        self.frame(&id, &wave.moment.to_string(), &wave.nodes);
        match &self.last {
            _ if is_after_end => self.arrow(END.to_owned(), "-->", &id),
            Some((from, _)) if wave.moment.phase == Phase::SyncFail && from != END => {
                self.arrow(from.clone(), "-. if the sync fails .->", &id);
            }
            Some((from, arrow)) => self.arrow(from.clone(), arrow, &id),
            None => {}
        }
        self.last = Some((id, if wave.is_awaited { "-->" } else { "-. does not wait .->" }));
    }

    fn arrow(&mut self, from: String, arrow: &str, to: &str) {
        _ = writeln!(self.text, "{from} {arrow} {to}");
        self.edges += 1;
    }

    /// The node where the sync ends or waits.
    fn end(&mut self, diagram: &Diagram) {
        let Some((sentence, look)) = diagram.end() else { return };
        self.node(END, &[sentence], look);
        if let Some((from, _)) = self.last.take() {
            self.arrow(from, "-->", END);
        }
        self.last = Some((END.to_owned(), "--x"));
    }

    /// A box with nodes. Nodes without arrows stand in a row across the direction.
    fn frame(&mut self, id: &str, heading: &str, nodes: &[Node]) {
        let direction = match nodes.len() {
            1 => "",
            count if count > SIDE_BY_SIDE => "\ndirection LR",
            _ => "\ndirection TB",
        };
        _ = writeln!(self.text, "subgraph {id}[\"{heading}\"]{direction}");
        self.frames.push(id.to_owned());
        for node in nodes {
            let id = format!("n{}", self.nodes);
            self.nodes += 1;
            let lines: Vec<String> = node.names.iter().chain(&node.what).cloned().collect();
            self.node(&id, &lines, node.look);
        }
        _ = writeln!(self.text, "end");
    }

    fn node(&mut self, id: &str, lines: &[String], look: Look) {
        let class = LOOKS.iter().find(|(known, ..)| *known == look).map_or("", |(_, name, _)| name);
        _ = writeln!(self.text, "{id}[{}]:::{class}", label(lines));
        self.looks.insert(look);
    }
}

/// The most characters of a line of a label.
const WIDTH: usize = 200;

/// A line of a label, in which everything that Mermaid, HTML or Markdown could treat specially is an entity of Mermaid, `#34;`: quotes, backticks,
/// `#`, `<`, and what begins a list. Without the backticks of our messages, and cut at the end where it is too long.
fn line(text: &str) -> String {
    let text = visible(text).replace('`', "");
    let is_cut = text.chars().count() > WIDTH;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().take(if is_cut { WIDTH - 1 } else { WIDTH }).peekable();
    while let Some(one) = rest.next() {
        let is_plain = match (one, rest.peek()) {
            // With a `#` later in the word, the colon of `style:` makes a colour (`encodeEntities` in mermaid/src/utils.ts).
            (':', next) => next == Some(&' '),
            ('.', next) => next != Some(&' '),
            ('-', _) => !out.is_empty(),
            (' ' | ',' | ';' | '/' | '_' | '(' | ')' | '…' | '→', _) => true,
            (one, _) => one.is_alphanumeric(),
        };
        match is_plain {
            true => out.push(one),
            false => _ = write!(out, "#{};", u32::from(one)),
        }
    }
    if is_cut { out + "…" } else { out }
}

/// The label of a node with these lines, in which a stranger's words stay words.
fn label(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().filter(|text| !text.is_empty()).map(|text| line(text)).collect();
    format!("\"{}\"", lines.join("<br>"))
}

//! The YAML stream that Argo CD applies.
//!
//! Manifests are emitted unchanged except for the pieces that change. A `---` line is written
//!
//! - between two manifests, after a newline when the first ends without one;
//! - between adjacent JSON values, in place of white space, unless they are the whole output: after the first separator Argo CD's reader reads
//!   everything as YAML;
//! - between a first JSON value and YAML that is printed as JSON: after two JSON values the reader takes no `---`;
//! - before YAML that becomes JSON at the beginning of the output, where what follows would mean something else;
//! - at the end of an output whose last line is empty, or is one that the reader would lose: it trims the last newline.

use std::io::{self, Write};

use goyaml::last_line::LastLine;
use goyaml::split::{is_separator, split};
use text::Span;

use crate::manifest::Manifest;
use crate::plan::{Plan, Rewrite};

/// Writes the plan of `manifests`.
pub fn write(manifests: &[Manifest], plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    let mut rewrites = plan.rewrites.iter().peekable();
    let all = manifests.iter().enumerate().filter(|(index, _)| !plan.ignored[*index]);
    let several = !plan.appended.is_empty() || all.clone().nth(1).is_some();
    let mut out = Tail { out, last: [b'\n'; 2], any: false, line: LastLine::new(), is_lost: false };
    let mut ends_in_json = false;
    for (index, manifest) in all {
        if out.any {
            out.separator()?;
        }
        let pieces = &plan.pieces[index];
        let mut done = if several && pieces.json > 0 { pieces.span(0).start } else { 0 };
        for place in 0..pieces.len() {
            let span = pieces.span(place);
            let changed = rewrites.next_if(|rewrite: &&Rewrite| rewrite.place == (index, span));
            if let Some(rewrite) = changed {
                let mut between = &manifest.text[done..span.start];
                if !out.any && place == 0 && pieces.json == 0 && needs_a_separator(&manifest.text, span, rewrite) {
                    out.separator()?;
                    // Argo CD's reader skips all white space before JSON. In YAML, U+00A0 is text and a tab is an error.
                    between = if between.trim_matches([' ', '\n']).is_empty() { between } else { "" };
                }
                out.write(between.as_bytes())?;
                if place == 1 && pieces.json == 1 && !several && split(&rewrite.text).json > 0 {
                    out.separator()?;
                }
                out.write(rewrite.text.as_bytes())?;
                done = span.end;
            }
            if several && place < pieces.json {
                out.write(&manifest.text.as_bytes()[done..span.end])?;
                out.write(b"\n")?;
                let next = (place + 1 < pieces.len()).then(|| pieces.span(place + 1).start);
                done = next.unwrap_or(manifest.text.len());
                if next.is_some_and(|next| !is_separator(&manifest.text[next..])) {
                    out.write(b"---\n")?;
                }
            }
        }
        out.write(&manifest.text.as_bytes()[done..])?;
        out.any = true;
        ends_in_json = !pieces.is_empty() && pieces.json == pieces.len();
    }
    for document in &plan.appended {
        if out.any {
            out.separator()?;
        }
        out.any = true;
        ends_in_json = false;
        out.write(document.as_bytes())?;
    }
    let is_only_json = ends_in_json && !several;
    if out.any && (out.last == *b"\n\n" && !ends_in_json || out.is_lost && !is_only_json) {
        out.separator()?;
    }
    Ok(())
}

/// Whether the output would begin with JSON that was YAML, and mean something else then: after JSON Argo CD's reader goes on where a YAML
/// document would have ended, and a byte order mark is not the first character of a document, but a letter of its first key.
fn needs_a_separator(text: &str, first: Span, rewrite: &Rewrite) -> bool {
    let rewritten = &rewrite.text;
    if !rewritten.trim_start().starts_with('{') || !text[..first.start].trim().is_empty() {
        return false;
    }
    let pieces = split(rewritten);
    pieces.json > 0 && (pieces.len() > 1 || text[first.end..].contains('\u{feff}'))
}

/// A writer that remembers the end of the output.
struct Tail<'w, W> {
    out: &'w mut W,
    /// The last two bytes.
    last: [u8; 2],
    any: bool,
    line: LastLine,
    /// Whether Argo CD loses the last line when it trims the newline after it.
    is_lost: bool,
}

impl<W: Write> Tail<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let line = bytes.strip_suffix(b"\n");
        self.line.take(line.unwrap_or(bytes));
        self.is_lost = self.line.is_lost();
        if line.is_some() {
            self.line = LastLine::new();
        }
        match bytes {
            [] => {}
            [one] => self.last = [self.last[1], *one],
            [.., before, last] => self.last = [*before, *last],
        }
        self.out.write_all(bytes)
    }

    /// Writes a `---` line.
    fn separator(&mut self) -> io::Result<()> {
        self.line_end()?;
        self.write(b"---\n")
    }

    fn line_end(&mut self) -> io::Result<()> {
        if self.last[1] == b'\n' { Ok(()) } else { self.write(b"\n") }
    }
}

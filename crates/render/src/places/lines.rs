//! The lines of a text that looks like YAML, and the keys above a line. A chart's template is not valid YAML, and
//! need not be: lines and their indentation suffice to compare it with its output.

use text::Span;

/// A line that may contain a key or an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The line without the white space around it.
    pub(super) span: Span,
    /// The number of bytes of white space before it.
    pub(super) indent: usize,
    /// The number of the line, from 1.
    pub(super) number: usize,
}

/// A step from a line up to the start of its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above<'t> {
    /// A key.
    Key(&'t str),
    /// An item of a list.
    Item,
}

/// The lines of a text that can be YAML, as decided by `is_kept`. Comments and empty lines are left out.
pub(super) fn lines(text: &str, is_kept: impl Fn(&str) -> bool) -> Vec<Line> {
    let mut start = 0;
    let mut found = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let inside = line.trim();
        let indent = line.len() - line.trim_start().len();
        if !inside.is_empty() && !inside.starts_with('#') && is_kept(inside) {
            let first = start + indent;
            found.push(Line { span: Span::new(first, first + inside.len()), indent, number: index + 1 });
        }
        start += line.len();
    }
    found
}

/// Whether a line separates documents.
pub(super) fn is_separator(line: &str, indent: usize) -> bool {
    indent == 0 && line.starts_with("---")
}

/// The key of a line and the steps above it, innermost first; `None` when the indentation is not consistent. An item
/// that is not a map has an empty key.
pub(super) fn above<'t>(text: &'t str, lines: &[Line], index: usize) -> Option<Vec<Above<'t>>> {
    let line = lines.get(index)?;
    let own = Parts::of(line, text);
    let mut steps = vec![Above::Key(own.key)];
    // Lines with less indentation are above. An item may have the same indentation as the key of its list.
    let (mut limit, mut in_list) = own.enter(line.indent, &mut steps);
    for line in lines[..index].iter().rev() {
        if limit == 0 && !in_list {
            break;
        }
        if is_separator(line.span.of(text), line.indent) {
            break;
        }
        let parts = Parts::of(line, text);
        let is_sibling = parts.dashes > 0 && line.indent == limit && in_list;
        if line.indent > limit || (line.indent == limit && !in_list) || is_sibling {
            continue;
        }
        let column = line.indent + parts.before_key;
        match column.cmp(&limit) {
            // This is the first key of the map that contains the last step.
            std::cmp::Ordering::Equal if parts.dashes > 0 && !in_list => {}
            std::cmp::Ordering::Greater if parts.dashes > 0 => return None,
            _ => steps.push(Above::Key(parts.key)),
        }
        (limit, in_list) = parts.enter(line.indent, &mut steps);
    }
    Some(steps)
}

/// The parts of a line such as `- - key: …`.
struct Parts<'t> {
    dashes: usize,
    /// The number of bytes of the dashes and the spaces after them.
    before_key: usize,
    key: &'t str,
}

impl<'t> Parts<'t> {
    fn of(line: &Line, text: &'t str) -> Self {
        let whole = line.span.of(text);
        let mut rest = whole;
        let mut dashes = 0;
        while let Some(after) = rest.strip_prefix("- ") {
            rest = after.trim_start();
            dashes += 1;
        }
        Self { dashes, before_key: whole.len() - rest.len(), key: key(rest) }
    }

    /// Adds the steps for items that begin in this line. Returns the indentation below which outer lines are, and
    /// whether the outer step is a list.
    fn enter(&self, indent: usize, steps: &mut Vec<Above<'t>>) -> (usize, bool) {
        steps.extend(std::iter::repeat_n(Above::Item, self.dashes));
        (indent, self.dashes > 0)
    }
}

/// The key of a line without dashes; empty when the line has none.
pub(super) fn key(line: &str) -> &str {
    let end = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1));
    line[..end.unwrap_or(0)].trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str, wanted: &str) -> Option<String> {
        let lines = lines(text, |_| true);
        let index = lines.iter().position(|line| line.span.of(text) == wanted).unwrap();
        let steps = above(text, &lines, index)?;
        let word = |step: &Above<'_>| match step {
            Above::Key(key) => (*key).to_owned(),
            Above::Item => "-".to_owned(),
        };
        Some(steps.iter().rev().map(word).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn the_keys_above_a_line_are_found_by_indentation() {
        for text in [
            "kind: Job\nspec:\n  a: |\n    x: y\n  containers:\n    - name: a\n      env:\n        - name: b\n          value: c\n      image: d\n",
            "kind: Job\nspec:\n  containers:\n  - name: a\n    env:\n    - name: b\n      value: c\n    image: d\n",
            "---\nother:\n  spec:\n---\nspec:\n  containers:\n  # x\n  - args:\n    - --x\n    env:\n    -   name: b\n        value: c\n    image: d\n",
        ] {
            assert_eq!(path(text, "image: d").as_deref(), Some("spec containers - image"), "{text}");
            assert_eq!(path(text, "value: c").as_deref(), Some("spec containers - env - value"), "{text}");
        }
        assert_eq!(path("a:\n- - b\n  - c\n", "- - b").as_deref(), Some("a - - "));
        assert_eq!(path("a:\n- b\n- c\nd: e\n", "- c").as_deref(), Some("a - "));
        assert_eq!(path("a:\n- b\nd: e\n", "d: e").as_deref(), Some("d"));
    }
}

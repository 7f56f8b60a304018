//! Messages to the user: what is wrong, and what to do about it.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{visible, without_passwords};

/// A message with its help. Displays as the text, the further lines, and a line `help: …` if there is help.
///
/// Every error makes its message in a single `match`, so that a text and its help are written next to each other, and `help: ` is written only here.
/// Each part is displayed on one line, even if the user's words contain a line break. No URL has its password.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// What is wrong: lower case, without a full stop, the user's words in backticks.
    pub text: String,
    /// Further lines after the first: the output of another program, or several errors.
    pub lines: Vec<String>,
    /// What to do about it, in the same style.
    pub help: Option<String>,
}

impl Message {
    /// A message without help.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: without_passwords(&text.into()).into_owned(), ..Self::default() }
    }

    /// A message that has all lines of a text. The text is the output of another program, or a displayed error of this one.
    pub fn of_lines(text: &str) -> Self {
        let text = without_passwords(text);
        let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned());
        Self { text: lines.next().unwrap_or_default(), lines: lines.collect(), help: None }
    }

    /// Splits the displayed text of an error into message and help. Only a `help:` line at the end becomes the help; a text of several
    /// errors has more of them.
    pub fn of_error(text: &str) -> Self {
        match text.rsplit_once(HELP) {
            Some((text, help)) if !help.contains('\n') => Self::of_lines(text).help(help),
            _ => Self::of_lines(text),
        }
    }

    /// The same message, with `help` in front of its own help.
    #[must_use]
    pub fn help_first(self, help: impl Into<String>) -> Self {
        let help = help.into();
        match &self.help {
            Some(own) => {
                let both = format!("{help}; {own}");
                self.help(both)
            }
            None => self.help(help),
        }
    }

    /// The same message with this help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(without_passwords(&help.into()).into_owned()), ..self }
    }

    /// The same message about `subject`, such as a path: `subject: text`.
    #[must_use]
    pub fn about(self, subject: impl fmt::Display) -> Self {
        Self { text: format!("{subject}: {}", self.text), ..self }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.text))?;
        self.lines.iter().try_for_each(|line| write!(f, "\n{}", visible(line)))?;
        match &self.help {
            Some(help) => write!(f, "{HELP}{}", visible(help)),
            None => Ok(()),
        }
    }
}

/// Separates the text of a message from its help.
const HELP: &str = "\nhelp: ";

/// An error and its help on one line, for a table or a note.
pub fn on_one_line(error: &str) -> String {
    error.replace(HELP, "; ")
}

/// The text of an error before its first help, and that help, which is one line. In a text of several errors more follows.
pub fn split_help(error: &str) -> (&str, Option<&str>) {
    match error.split_once(HELP) {
        Some((said, rest)) => (said, rest.lines().next()),
        None => (error, None),
    }
}

/// A count with its noun, in the plural unless the count is 1: `1 error`, `2 errors`, `3 NetworkPolicies`, `4 Ingresses`.
pub fn plural(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ if noun.ends_with(['s', 'x']) => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// A count with its noun and the words that agree with it: `1 source is`, `2 sources are`.
pub fn agreed(count: usize, noun: &str, one: &str, several: &str) -> String {
    format!("{} {}", plural(count, noun), if count == 1 { one } else { several })
}

/// A list of names, followed by the number of names that are left out: `` `a`, `b` and 2 more``.
pub fn listed(names: &[impl Borrow<str>], more: usize) -> String {
    let names = names.join(", ");
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// The first `most` names of a list, followed by the number of the others.
pub fn few(names: &[impl Borrow<str>], most: usize) -> String {
    let shown = names.len().min(most);
    listed(&names[..shown], names.len() - shown)
}

/// The text with a capital first letter, to begin a sentence.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_a_line_of_its_own() {
        let message = Message::new("not a directory").about("a/b.yaml");
        assert_eq!(message.to_string(), "a/b.yaml: not a directory");
        assert_eq!(message.help("give one").to_string(), "a/b.yaml: not a directory\nhelp: give one");
    }

    #[test]
    fn an_error_is_read_as_it_is_displayed() {
        let one = "a: no\nmore\nhelp: give one";
        assert_eq!(Message::of_error(one).to_string(), one);
        assert_eq!(
            Message::of_error(one).help_first("look at b").to_string(),
            "a: no\nmore\nhelp: look at b; give one"
        );
        assert_eq!(Message::of_error("no").help_first("look at b").to_string(), "no\nhelp: look at b");
        let two = "a: no\nhelp: give one\nb: no";
        assert_eq!(Message::of_error(two).help_first("look at c").to_string(), format!("{two}\nhelp: look at c"));
        assert_eq!(
            [split_help(one), split_help(two), split_help("no")],
            [("a: no\nmore", Some("give one")), ("a: no", Some("give one")), ("no", None)]
        );
    }

    #[test]
    fn each_part_is_one_line_whatever_is_in_it() {
        let message = Message::new("invalid value `x\n::error::y\u{1b}`").help("write `a\nhelp: b`").about("a\nb");
        assert_eq!(message.to_string(), "a\\nb: invalid value `x\\n::error::y\\u{1b}`\nhelp: write `a\\nhelp: b`");
        let message = Message::of_lines("no chart\r\n\tat x\u{1b}");
        assert_eq!(message.about("a").to_string(), "a: no chart\n\\tat x\\u{1b}");
    }

    #[test]
    fn a_sentence_begins_with_a_capital() {
        assert_eq!(
            (capitalized("also read"), capitalized("`a` b"), capitalized("")),
            ("Also read".into(), "`a` b".into(), String::new())
        );
    }

    #[test]
    fn one_has_no_plural() {
        let of = |count, noun| plural(count, noun);
        assert_eq!([of(1, "Job"), of(0, "Job")], ["1 Job", "0 Jobs"]);
        assert_eq!(
            [of(2, "NetworkPolicy"), of(2, "Gateway"), of(2, "Ingress")],
            ["2 NetworkPolicies", "2 Gateways", "2 Ingresses"]
        );
    }
}

//! A message to the user: what is wrong, and what to do about it.

use std::fmt;

/// A message, with the help that belongs to it. Displays as the text, and then a line `help: …` when there is help.
///
/// Errors make one of these in a single `match`, so that a text and its help are written beside each other, and `help: ` is
/// written nowhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What is wrong: lower case, without a full stop, the user's words in backticks.
    pub text: String,
    /// What to do about it, in the same style.
    pub help: Option<String>,
}

impl Message {
    /// A message without help.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), help: None }
    }

    /// The same message with this help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same message about `subject`, such as a path: `subject: text`.
    #[must_use]
    pub fn about(self, subject: impl fmt::Display) -> Self {
        Self { text: format!("{subject}: {}", self.text), ..self }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

/// A count with its noun, in the plural unless there is one: `1 error`, `2 errors`, `3 NetworkPolicies`, `4 Ingresses`.
pub fn plural(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ if noun.ends_with(['s', 'x']) => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// A text that begins a sentence: its first letter is a capital.
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

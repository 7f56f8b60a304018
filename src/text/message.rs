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

/// A count with its noun, which takes an `s` unless there is one: `1 error`, `2 errors`.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
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
    fn one_has_no_plural() {
        assert_eq!((plural(1, "Job"), plural(0, "Job")), ("1 Job".to_owned(), "0 Jobs".to_owned()));
    }
}

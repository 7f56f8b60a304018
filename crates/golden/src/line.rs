//! Parses the lines of a `case` file.
//!
//! ```text
//! # what this shows
//! ARGOCD_APP_NAMESPACE=shop
//! generate --strategy hook --include '{a,b} c.yaml'
//! < in/stream.yaml
//! ```
//!
//! A `!` before the arguments says that they are wrong on purpose: `! generate --strategy hok`.

use rewrite::settings;
use text::{LineColumn, Message};

/// The parsed lines of a `case` file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// The environment variables of the program, except `PATH`.
    pub(super) environment: Vec<Variable>,
    /// The arguments of the program.
    pub(super) arguments: Vec<Word>,
    /// The path of the file for standard input.
    pub(super) input: Option<Word>,
    /// The place of the `!` that marks the arguments or variables as wrong on purpose.
    pub(super) on_purpose: Option<LineColumn>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: String,
    /// The number of the line that sets it, from 1.
    pub(super) line: usize,
}

/// A word of a line, without its quotes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// The place where it begins, including the quote.
    pub(super) at: LineColumn,
}

/// Parses a `case` file; the error has the place of the first mistake.
pub(super) fn read(text: &[u8]) -> Result<Lines, (LineColumn, Message)> {
    let mut lines = Lines::default();
    let mut start = 0;
    for (index, bytes) in text.split(|byte| *byte == b'\n').enumerate() {
        let not_utf8 = |error: std::str::Utf8Error| {
            (
                LineColumn::of(text, start + error.valid_up_to()),
                Message::new("not UTF-8").help("save the file as UTF-8"),
            )
        };
        let line = std::str::from_utf8(bytes).map_err(not_utf8)?;
        start += bytes.len() + 1;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !line.starts_with('#') && !line.trim().is_empty() {
            lines.take(index + 1, line)?;
        }
    }
    Ok(lines)
}

impl Lines {
    fn take(&mut self, number: usize, line: &str) -> Result<(), (LineColumn, Message)> {
        let begin = LineColumn { line: number, column: 1 };
        if let Some(file) = line.strip_prefix('<') {
            let column = line.chars().count() - file.trim_start().chars().count() + 1;
            let word = Word { text: file.trim().to_owned(), at: LineColumn { line: number, column } };
            let earlier = self.input.replace(word);
            let second = Message::new("a second line `<`");
            let second = second.help("a case has one standard input; remove one of the two lines");
            return earlier.map_or(Ok(()), |_| Err((begin, second)));
        }
        if let Some((name, value)) = variable(line) {
            self.set(Variable { name: name.to_owned(), value: value.to_owned(), line: number })
                .map_err(|why| (begin, why))?;
            return Ok(());
        }
        let mut words = line;
        if let Some(rest) = line.strip_prefix('!').filter(|_| self.arguments.is_empty() && self.on_purpose.is_none()) {
            self.on_purpose = Some(begin);
            words = rest;
        }
        let column = line.len() - words.len() + 1;
        self.arguments.extend(split(words, LineColumn { line: number, column })?);
        Ok(())
    }

    fn set(&mut self, variable: Variable) -> Result<(), Message> {
        let wrong = |why: &str| Message::new(format!("the variable `{}` {why}", variable.name));
        if !self.arguments.is_empty() || self.on_purpose.is_some() {
            return Err(wrong("is below the arguments").help("put it above them"));
        }
        if self.environment.iter().any(|earlier| earlier.name == variable.name) {
            return Err(wrong("is set twice").help("remove one of the two lines"));
        }
        if !settings::is_for_cases(&variable.name) {
            return Err(
                wrong("cannot be set in a case").help(format!("a case can set {}", settings::variables_of_cases()))
            );
        }
        self.environment.push(variable);
        Ok(())
    }
}

/// Splits `KEY=VALUE`, with a key in capitals; the value is everything after the `=`.
fn variable(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let is_key = key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_key && !key.is_empty()).then_some((key, value))
}

/// Splits a text that begins at `start` into words. `'…'` and `"…"` keep their content together and unchanged: there
/// are no escapes.
fn split(text: &str, start: LineColumn) -> Result<Vec<Word>, (LineColumn, Message)> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote: Option<(char, LineColumn)> = None;
    for (index, c) in text.chars().enumerate() {
        let at = LineColumn { column: start.column + index, ..start };
        let begun = |word: &mut Option<Word>| word.take().unwrap_or(Word { text: String::new(), at });
        match quote {
            Some((open, _)) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some((c, at));
                word = Some(begun(&mut word));
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => {
                let mut longer = begun(&mut word);
                longer.text.push(c);
                word = Some(longer);
            }
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), |(quote, at)| {
        let message = Message::new(format!("the quote `{quote}` is not closed"));
        Err((at, message.help("text in one kind of quotes can contain the other kind; there are no escapes")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> LineColumn {
        LineColumn { line, column }
    }

    #[test]
    fn a_line_is_split_at_white_space_outside_quotes() {
        let words = split("generate  --include '{a, b}' ü x\" y\"z ''", at(3, 2)).unwrap();
        let words: Vec<_> = words.iter().map(|word| (word.text.as_str(), word.at.column)).collect();
        assert_eq!(words, [("generate", 2), ("--include", 12), ("{a, b}", 22), ("ü", 31), ("x yz", 33), ("", 40)]);
    }

    #[test]
    fn a_variable_has_a_key_in_capitals() {
        assert_eq!(variable("ARGOCD_ENV_A=b=c"), Some(("ARGOCD_ENV_A", "b=c")));
        assert_eq!(variable("generate --set a=b"), None);
        assert_eq!(variable("=b"), None);
    }

    #[test]
    fn a_file_is_read_line_by_line() {
        let text = b"# shows\r\nTERM=1\n\nNO_COLOR= x \ngenerate -\n  --ttl 5\n<  in/a b.yaml\n";
        let lines = read(text).unwrap();
        let variable =
            |name: &str, value: &str, line| Variable { name: name.to_owned(), value: value.to_owned(), line };
        assert_eq!(lines.environment, [variable("TERM", "1", 2), variable("NO_COLOR", " x ", 4)]);
        let word = |text: &str, at| Word { text: text.to_owned(), at };
        assert_eq!(
            lines.arguments,
            [word("generate", at(5, 1)), word("-", at(5, 10)), word("--ttl", at(6, 3)), word("5", at(6, 9))]
        );
        assert_eq!((lines.input, lines.on_purpose), (Some(word("in/a b.yaml", at(7, 4))), None));
    }

    #[test]
    fn a_mark_before_the_arguments_says_that_they_are_wrong_on_purpose() {
        let lines = read(b"TERM=1\n! generat\n!\n").unwrap();
        assert_eq!(lines.on_purpose, Some(at(2, 1)));
        let words: Vec<_> = lines.arguments.iter().map(|word| (word.text.as_str(), word.at)).collect();
        assert_eq!(words, [("generat", at(2, 3)), ("!", at(3, 1))]);
        assert_eq!(read(b"!\n").unwrap(), Lines { on_purpose: Some(at(1, 1)), ..Lines::default() });
        assert!(read(b"generate\n").unwrap().on_purpose.is_none());
    }

    #[test]
    fn a_mistake_has_a_place() {
        for (text, place, message) in [
            (
                &b"generate\nTERM=1\n"[..],
                at(2, 1),
                "the variable `TERM` is below the arguments\nhelp: put it above them",
            ),
            (b"TERM=1\nTERM=2\n", at(2, 1), "the variable `TERM` is set twice\nhelp: remove one of the two lines"),
            (
                b"< a\n\n< b\n",
                at(3, 1),
                "a second line `<`\nhelp: a case has one standard input; remove one of the two lines",
            ),
            (b"\n# \xc3\xbc \xff\n", at(2, 5), "not UTF-8\nhelp: save the file as UTF-8"),
        ] {
            let (found, wrong) = read(text).unwrap_err();
            assert_eq!((found, wrong.to_string().as_str()), (place, message));
        }
        let (found, wrong) = read(b"generate 'a\n").unwrap_err();
        assert!(found == at(1, 10) && wrong.to_string().starts_with("the quote `'` is not closed\nhelp: "), "{wrong}");
    }
}

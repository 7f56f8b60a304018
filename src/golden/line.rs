//! The lines of a `case` file.
//!
//! ```text
//! # what this shows
//! ARGOCD_APP_NAMESPACE=shop
//! generate --strategy hook --include '{a,b} c.yaml'
//! < in/stream.yaml
//! ```

use super::error::LineError;
use crate::settings;

/// What a `case` file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// The environment of the program, except `PATH`.
    pub(super) environment: Vec<(String, String)>,
    /// The program's arguments, each with its line.
    pub(super) arguments: Vec<(usize, String)>,
    /// The file that is standard input, and its line.
    pub(super) input: Option<(usize, String)>,
}

/// Reads a `case` file, or says in which line it cannot be understood.
pub(super) fn read(text: &[u8]) -> Result<Lines, (usize, LineError)> {
    let mut lines = Lines::default();
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let at = index + 1;
        let line = std::str::from_utf8(line).map_err(|_| (at, LineError::NotUtf8))?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !line.starts_with('#') && !line.trim().is_empty() {
            lines.take(at, line).map_err(|wrong| (at, wrong))?;
        }
    }
    Ok(lines)
}

impl Lines {
    fn take(&mut self, at: usize, line: &str) -> Result<(), LineError> {
        if let Some(file) = line.strip_prefix('<') {
            let earlier = self.input.replace((at, file.trim().to_owned()));
            return earlier.map_or(Ok(()), |_| Err(LineError::SecondInput));
        }
        if let Some((key, value)) = variable(line) {
            if !self.arguments.is_empty() {
                return Err(LineError::LateVariable(key.to_owned()));
            }
            if self.environment.iter().any(|(earlier, _)| earlier == key) {
                return Err(LineError::SecondValue(key.to_owned()));
            }
            if !settings::is_for_cases(key) {
                return Err(LineError::ForbiddenVariable(key.to_owned()));
            }
            self.environment.push((key.to_owned(), value.to_owned()));
            return Ok(());
        }
        self.arguments.extend(words(line)?.into_iter().map(|word| (at, word)));
        Ok(())
    }
}

/// `KEY=VALUE` with a key in capitals; the value is everything behind the sign.
fn variable(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let is_key = key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_key && !key.is_empty()).then_some((key, value))
}

/// The words of a line. `'…'` and `"…"` keep their content together and unchanged: there are no escapes.
fn words(line: &str) -> Result<Vec<String>, LineError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), |quote| Err(LineError::OpenQuote(quote)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_at_white_space_outside_quotes() {
        let split = words("generate  --include '{a, b}' x\" y\"z ''").unwrap();
        assert_eq!(split, ["generate", "--include", "{a, b}", "x yz", ""]);
    }

    #[test]
    fn a_variable_has_a_key_in_capitals() {
        assert_eq!(variable("ARGOCD_ENV_A=b=c"), Some(("ARGOCD_ENV_A", "b=c")));
        assert_eq!(variable("generate --set a=b"), None);
        assert_eq!(variable("=b"), None);
    }

    #[test]
    fn a_file_is_read_line_by_line() {
        let text = b"# shows\r\nTERM=1\n\nNO_COLOR= x \ngenerate -\n  --ttl 5\n< in/a b.yaml\n";
        let lines = read(text).unwrap();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(lines.environment, [pair("TERM", "1"), pair("NO_COLOR", " x ")]);
        let words = [(5, "generate"), (5, "-"), (6, "--ttl"), (6, "5")].map(|(line, word)| (line, word.to_owned()));
        assert_eq!((lines.arguments, lines.input), (words.into(), Some((7, "in/a b.yaml".to_owned()))));
    }

    #[test]
    fn a_mistake_has_a_line() {
        for (text, line, message) in [
            (&b"generate\nA=1\n"[..], 2, "the variable `A` stands behind the arguments\nhelp: put it above them"),
            (b"TERM=1\nTERM=2\n", 2, "the variable `TERM` is there twice"),
            (b"< a\n\n< b\n", 3, "a second `<`, where there is one standard input"),
            (b"# \xff\n", 1, "not UTF-8"),
        ] {
            let (at, wrong) = read(text).unwrap_err();
            assert_eq!((at, wrong.to_string().as_str()), (line, message));
        }
        let (at, wrong) = read(b"generate 'a\n").unwrap_err();
        assert!(at == 1 && wrong.to_string().starts_with("the quote `'` has no end\nhelp: "), "{wrong}");
    }
}

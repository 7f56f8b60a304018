//! A case that is itself broken: its arguments or variables are wrong, whatever the manifests are.
//!
//! Only the command line knows that. So `test` starts the program with the flag [`IN_A_CASE`](super::IN_A_CASE) and the
//! value [`JUDGED`]. For a broken case the program then ends with the status [`BROKEN`] and writes a [`Mistake`] as
//! JSON to standard error. Wrong settings in `.argocd-jobs.yaml` or in an annotation are no mistakes of the case,
//! because users want to test that they are refused. A case that is wrong on purpose has the mark `!`, and runs with
//! the value [`ON_PURPOSE`].

use std::fmt;

use confined::Output;
use serde::{Deserialize, Serialize};
use text::{LineColumn, Message};

use super::case::Case;
use super::error::Error;

/// The value of the flag with which the program reports mistakes of the case apart from refusals.
pub const JUDGED: &str = "judged";

/// The value with which the program treats mistakes of the case as refusals.
pub const ON_PURPOSE: &str = "on-purpose";

/// The exit status of the program for a broken case. It is used for nothing else.
pub const BROKEN: u8 = 3;

/// The help for a user who wants to test the message about a wrong command line.
const MEANT: &str = "fix the case; if it is wrong on purpose, put `! ` before its command";

/// The exit status of the program for a refusal.
const REFUSED: i32 = 2;

/// A mistake in the arguments or variables of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistake {
    /// The argument or variable that is wrong.
    pub subject: Subject,
    /// The message about the wrong argument or variable.
    pub message: Message,
}

/// The argument or variable that a mistake is about, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// An environment variable.
    Variable {
        /// The name of the variable.
        name: String,
        /// True when the value is wrong, false when the name is.
        is_value: bool,
    },
    /// A flag, or a name after `--set`.
    Flag {
        /// The flag with its dashes, or the name after `--set` without dashes.
        name: String,
        /// When the value is wrong: the value, or the wrong item of it.
        value: Option<String>,
    },
    /// An argument as a whole.
    Argument(String),
    /// The machine: a program that the case needs is missing, so the output says nothing about the manifests.
    Machine,
    /// An argument that the message names in backticks, or all arguments.
    Any,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for Mistake {}

/// The error when the output shows that the case is broken, or that a case with the mark `!` is not wrong.
pub(super) fn of(case: &Case, output: &Output) -> Option<Error> {
    let (at, why) = match case.on_purpose {
        Some(at) if output.status != Some(REFUSED) => {
            let message = Message::new("`!` before a command that is not wrong");
            (at, message.help("remove the `!`; it is for a command or a variable that is wrong on purpose"))
        }
        Some(_) => return None,
        None if output.status == Some(BROKEN.into()) => {
            let mistake: Mistake = serde_json::from_slice(&output.stderr).ok()?;
            if mistake.subject == Subject::Machine {
                return Some(Error::about(&case.dir, mistake.message));
            }
            let help = mistake.message.help.clone().unwrap_or_else(|| MEANT.to_owned());
            (place(case, &mistake), mistake.message.help(help))
        }
        None => return None,
    };
    Some(Error::in_case_file(&case.dir, at, why))
}

/// The place of the mistake in the file `case`; the place of the first argument when it cannot be found.
fn place(case: &Case, mistake: &Mistake) -> LineColumn {
    let arguments = || case.arguments.iter().map(String::as_str).zip(case.arguments_at.iter().copied());
    let found = match &mistake.subject {
        Subject::Variable { name, is_value } => variable(case, name, *is_value),
        Subject::Flag { name, value } => flag(case, name, value.as_deref()),
        Subject::Argument(text) => arguments().find(|(word, _)| word == text).map(|(_, at)| at),
        Subject::Machine => None,
        Subject::Any => arguments().skip(1).find(|(word, _)| is_named(word, &mistake.message)).map(|(_, at)| at),
    };
    found.or_else(|| case.arguments_at.first().copied()).unwrap_or(LineColumn { line: 1, column: 1 })
}

fn variable(case: &Case, name: &str, is_value: bool) -> Option<LineColumn> {
    let index = case.environment.iter().position(|(known, _)| known == name)?;
    let column = if is_value { name.chars().count() + 2 } else { 1 };
    Some(LineColumn { line: *case.variables_at.get(index)?, column })
}

/// The place of a flag: of its value when the value is wrong and an argument of its own, otherwise of the argument
/// with the flag. If the flag is given several times, the first one with that value.
fn flag(case: &Case, name: &str, value: Option<&str>) -> Option<LineColumn> {
    let mut without_value = None;
    for (index, word) in case.arguments.iter().enumerate() {
        let at = *case.arguments_at.get(index)?;
        let behind_sign = word.strip_prefix("--set=").unwrap_or(word).strip_prefix(name);
        let (written, value_at) = match behind_sign.map(|rest| (rest, rest.strip_prefix('='))) {
            Some((_, Some(written))) => (Some(written), Some(at)),
            Some(("", None)) => {
                (case.arguments.get(index + 1).map(String::as_str), case.arguments_at.get(index + 1).copied())
            }
            _ => continue,
        };
        match value {
            Some(value) if written.is_some_and(|written| written.contains(value)) => return value_at,
            _ => without_value = without_value.or(Some(at)),
        }
    }
    without_value
}

/// Whether a message names the argument in backticks, alone or followed by more words.
fn is_named(word: &str, message: &Message) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let has_it = |line: &String| line.contains(&format!("`{name}`")) || line.contains(&format!("`{name} "));
    name.len() > 1 && std::iter::once(&message.text).chain(&message.lines).any(has_it)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::line;
    use super::*;

    fn case(text: &str) -> Case {
        let lines = line::read(text.as_bytes()).unwrap();
        Case::new(PathBuf::from("a"), "a".to_owned(), lines)
    }

    fn output(status: i32, stderr: &str) -> Output {
        Output { status: Some(status), stdout: Vec::new(), stderr: stderr.into() }
    }

    #[test]
    fn a_mistake_has_the_place_of_the_word_that_is_wrong() {
        let text = "ARGOCD_ENV_X=1\nARGOCD_ENV_ÜBER=1\nTERM=dumb\ngenerate --ttl 5 --hook='a, b' --ttl 1h\n  --set hoo=x dir\n";
        let case = case(&text.replace("ARGOCD_ENV_ÜBER=1\n", "ARGOCD_ENV_Y=1\n"));
        let flag =
            |name: &str, value: Option<&str>| Subject::Flag { name: name.to_owned(), value: value.map(str::to_owned) };
        let variable = |is_value| Subject::Variable { name: "ARGOCD_ENV_Y".to_owned(), is_value };
        for (subject, message, line, column) in [
            (variable(true), "", 2, 14),
            (variable(false), "", 2, 1),
            (flag("--ttl", Some("1h")), "", 4, 38),
            (flag("--ttl", Some("gone")), "", 4, 10),
            (flag("--hook", Some("b")), "", 4, 18),
            (flag("hoo", None), "", 5, 9),
            (flag("--no", None), "", 4, 1),
            (Subject::Argument("dir".to_owned()), "", 5, 15),
            (Subject::Any, "`--set x` is wrong", 5, 3),
            (Subject::Any, "all is wrong", 4, 1),
        ] {
            let found = place(&case, &Mistake { subject: subject.clone(), message: Message::new(message) });
            assert_eq!(found, LineColumn { line, column }, "{subject:?}");
        }
    }

    #[test]
    fn only_the_own_status_with_a_mistake_is_one() {
        let mistake = Mistake { subject: Subject::Any, message: Message::new("wrong").help("fix it") };
        let json = serde_json::to_string(&mistake).unwrap();
        let told =
            |text: &str, status, stderr: &str| of(&case(text), &output(status, stderr)).map(|error| error.to_string());
        assert_eq!(told("generate\n", 3, &json).unwrap(), "a/case:1:1: wrong\nhelp: fix it");
        assert_eq!(told("generate\n", 2, &json), None);
        assert_eq!(told("generate\n", 3, "wrong"), None);
        assert_eq!(told("! generate\n", 2, "wrong"), None);
        assert!(told("TERM=1\n! generate\n", 0, "").unwrap().starts_with("a/case:2:1: "));
    }
}

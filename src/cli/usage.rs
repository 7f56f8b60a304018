//! What is wrong with a command line, in the words of all other messages. Argo CD shows standard error to users, so the usage as a whole is
//! not printed.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rewrite::settings::Parameter;
use text::Message;
use text::spelling::nearest;

/// The message for an error of clap.
pub(crate) fn message(error: &Error) -> Message {
    let (name, value) = (first(error, ContextKind::InvalidArg), first(error, ContextKind::InvalidValue));
    match (error.kind(), name, value) {
        (ErrorKind::UnknownArgument, Some(flag), _) if flag.starts_with('-') => {
            let message = Message::new(format!("unknown flag `{flag}`"));
            let lists = match Parameter::find(flag.trim_start_matches('-')) {
                Some(parameter) => format!("`--set {}=VALUE` sets it", parameter.name),
                None => format!("`{} --help` lists all flags", called(error)),
            };
            message.help(meant(&flag, &all(error, ContextKind::SuggestedArg)).unwrap_or(lists))
        }
        (ErrorKind::UnknownArgument, Some(argument), _) => {
            Message::new(format!("unexpected argument `{argument}`")).help(usage(error))
        }
        (ErrorKind::InvalidSubcommand, _, _) => {
            let named = first(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            let suggested = meant(&named, &all(error, ContextKind::SuggestedSubcommand));
            let lists = "`argocd-jobs --help` lists all commands".to_owned();
            Message::new(format!("unknown command `{named}`")).help(suggested.unwrap_or(lists))
        }
        (ErrorKind::InvalidValue, Some(flag), value) => invalid_value(error, word(&flag), &value.unwrap_or_default()),
        (ErrorKind::NoEquals, Some(flag), _) => {
            Message::new(format!("the value of `{0}` needs an equals sign: `{0}=VALUE`", word(&flag)))
        }
        (ErrorKind::ArgumentConflict, Some(flag), _) => match first(error, ContextKind::PriorArg) {
            Some(prior) if word(&prior) != word(&flag) => {
                let (flag, prior) = (word(&flag), word(&prior));
                Message::new(format!("`{flag}` and `{prior}` cannot be used together")).help("leave out one of the two")
            }
            _ => Message::new(format!("`{}` is given more than once", word(&flag))).help("keep one of them"),
        },
        (ErrorKind::MissingRequiredArgument, Some(argument), _) => {
            Message::new(format!("`{}` is missing", word(&argument))).help(usage(error))
        }
        _ => others(error),
    }
}

fn invalid_value(error: &Error, flag: &str, value: &str) -> Message {
    let noun = if flag.starts_with('-') { "flag" } else { "argument" };
    let known = all(error, ContextKind::ValidValue);
    let expected = one_of(&known);
    if value.is_empty() {
        let takes = if known.is_empty() { String::new() } else { format!(": {expected}") };
        return Message::new(format!("{noun} `{flag}` needs a value{takes}"));
    }
    let message = Message::new(format!("{noun} `{flag}`: invalid value `{value}`, expected {expected}"));
    match nearest(value, known.iter().map(String::as_str)) {
        Some(near) => message.help(did_you_mean(&near)),
        None => message,
    }
}

/// The message for any other error: clap's own, without its usage and tips.
fn others(error: &Error) -> Message {
    let text = error.render().to_string();
    let ends = ["\n\nUsage:", "\n\nFor more information"];
    let text = ends.iter().fold(text.as_str(), |text, end| text.split(end).next().unwrap_or(text));
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    match text.split_once("\n\n  tip: ") {
        Some((text, tip)) => Message::new(text).help(tip),
        None => Message::new(text),
    }
}

/// What clap suggests, when it is near.
fn meant(word: &str, suggested: &[String]) -> Option<String> {
    nearest(word, suggested.iter().map(String::as_str)).map(|near| did_you_mean(&near))
}

fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// How the subcommand is called.
fn usage(error: &Error) -> String {
    format!("usage: `{}`", usage_line(error))
}

fn usage_line(error: &Error) -> String {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    usage.trim_start_matches("Usage: ").trim().to_owned()
}

/// The program with the subcommand.
fn called(error: &Error) -> String {
    let usage = usage_line(error);
    let is_name = |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    usage.split_whitespace().take(2).take_while(is_name).collect::<Vec<_>>().join(" ")
}

/// A flag or an argument without what stands for its value: `--format <FORMAT>`, `<SHELL>`, `[PATH]...`.
fn word(argument: &str) -> &str {
    let first = argument.split([' ', '=']).next().unwrap_or(argument);
    first.trim_end_matches(['.', '[']).trim_matches(['<', '>', '[', ']'])
}

/// `` `a`, `b` or `c` ``
fn one_of(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

/// The first text that clap says of this kind.
pub(super) fn first(error: &Error, kind: ContextKind) -> Option<String> {
    all(error, kind).into_iter().next()
}

fn all(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::message;
    use crate::cli::command;

    #[test]
    fn a_wrong_command_line_is_told_in_the_words_of_other_messages() {
        for (line, wanted) in [
            (
                "generate --frobnicate",
                "unknown flag `--frobnicate`\nhelp: `argocd-jobs generate --help` lists all flags",
            ),
            ("generate --trigger-name x", "unknown flag `--trigger-name`\nhelp: `--set trigger-name=VALUE` sets it"),
            ("generate --strateg hook", "unknown flag `--strateg`\nhelp: did you mean `--strategy`?"),
            ("generate a b", "unexpected argument `b`\nhelp: usage: `argocd-jobs generate [OPTIONS] [DIR]`"),
            ("chek .", "unknown command `chek`\nhelp: did you mean `check`?"),
            ("frobnicate", "unknown command `frobnicate`\nhelp: `argocd-jobs --help` lists all commands"),
            ("--frobnicate", "unknown flag `--frobnicate`\nhelp: `argocd-jobs --help` lists all flags"),
            ("preview --format yaml", "flag `--format`: invalid value `yaml`, expected `text`, `json` or `markdown`"),
            (
                "preview --format jsn",
                "flag `--format`: invalid value `jsn`, expected `text`, `json` or `markdown`\nhelp: did you mean `json`?",
            ),
            ("preview --format", "flag `--format` needs a value: `text`, `json` or `markdown`"),
            ("generate --ttl", "flag `--ttl` needs a value"),
            (
                "preview --live x --base y",
                "`--live` and `--base` cannot be used together\nhelp: leave out one of the two",
            ),
            ("preview --base a --base b", "`--base` is given more than once\nhelp: keep one of them"),
            (
                "preview --exit-code",
                "`--base` is missing\nhelp: usage: `argocd-jobs preview --base <DIR|REV|FILE> --exit-code [PATH]...`",
            ),
            ("completions", "`SHELL` is missing\nhelp: usage: `argocd-jobs completions <SHELL>`"),
            (
                "completions tcsh",
                "argument `SHELL`: invalid value `tcsh`, expected `bash`, `elvish`, `fish`, `powershell` or `zsh`",
            ),
        ] {
            let words = std::iter::once("argocd-jobs").chain(line.split(' '));
            let error = command().try_get_matches_from(words).expect_err(line);
            assert_eq!(message(&error).to_string(), wanted, "{line}");
        }
    }
}

//! Errors about settings. Each has a place, says what is wrong, and what to do about it.

use std::fmt;
use std::path::Path;

use text::{Message, Origin, Place};

use super::parameter::{ANNOTATION_PREFIX, Scope};
use super::parameters::Id;
use super::typed::TypeError;
use super::{Provenance, SourceKind};

/// An error about one setting. Displays as `PLACE: what is wrong`, followed by a line `help: …` when there is advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The layer and the name of the wrong setting.
    pub by: Provenance,
    /// The mistake, with the values that the message shows.
    pub kind: ErrorKind,
    /// The path of the config file that messages show, for an error in it.
    config_file: Option<Box<Path>>,
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no such parameter.
    UnknownName {
        /// The most similar name that exists, spelled as in this layer.
        nearest: Option<String>,
    },
    /// The parameter exists, but cannot be set in this layer.
    Misplaced(Id),
    /// The name has Argo CD's prefix `ARGOCD_ENV_` twice: the user wrote it, and Argo CD added it again.
    PrefixedTwice {
        /// The name that the user has to write in the Application.
        meant: String,
    },
    /// The Application sets `ARGOCD_JOBS_LOCK`, which only the platform owner may set.
    LockFromTheApplication,
    /// The parameter does not accept this value.
    Value {
        /// The value, or the wrong item of a list.
        value: String,
        /// The values that the parameter accepts, in words.
        expected: &'static str,
        /// The most similar value that is accepted.
        nearest: Option<String>,
    },
    /// The value has the wrong type.
    Type {
        /// The type of the value, in words.
        found: &'static str,
        /// The type that the parameter accepts, in words.
        expected: &'static str,
    },
    /// The entry has no value.
    NoValue,
    /// The entry has more than one value.
    TwoValues,
    /// The name is set twice.
    Twice,
    /// YAML 1.1 reads the value otherwise than YAML 1.2: `0600` is 384 or 600, `yes` is true or a text.
    Ambiguous {
        /// The value as written.
        written: String,
        /// What YAML 1.1 makes of it, as every reader understands it.
        meant: String,
    },
    /// Something inside the value of `helm` or `kustomize` is wrong.
    InBlock(Box<TypeError>),
    /// The parameter is for one tool, but the source is rendered by another tool or by none.
    OtherSource {
        /// The tool that the parameter is for.
        tool: SourceKind,
        /// The setting, in words, that makes it a source of another kind.
        but: String,
    },
    /// Mounted credentials are set together with a setting that would let every Application read them.
    Credentials {
        /// The rest of the message, after the name of the parameter.
        what: &'static str,
        /// The `help:` line.
        help: &'static str,
    },
    /// The rule has no condition, so it does not say which Jobs it is for.
    NoMatch,
    /// The config file has more rules than allowed.
    TooManyRules {
        /// The number of rules that are allowed.
        most: usize,
    },
    /// The text cannot be parsed, for this reason.
    Malformed(String),
}

impl Error {
    /// An error about the setting with this provenance.
    pub fn new(by: Provenance, kind: ErrorKind) -> Self {
        Self { by, kind, config_file: None }
    }

    /// The same error, for a config file that messages call `path`.
    #[must_use]
    pub fn in_config_file(self, path: &Path) -> Self {
        Self { config_file: Some(path.into()), ..self }
    }

    /// Line and column in the config file; `None` for a setting of another layer.
    pub fn place(&self) -> Option<Place> {
        let place = self.by.place()?;
        Some(match &self.config_file {
            Some(path) => Place { origin: Origin::File(path.as_ref().into()), ..place },
            None => place,
        })
    }

    /// The message with its place and its `help:` line.
    pub fn message(&self) -> Message {
        let message = self.without_place();
        match self.place() {
            Some(place) => message.about(place),
            None => message,
        }
    }

    /// The message without its place, with its `help:` line.
    pub fn without_place(&self) -> Message {
        let (noun, name) = (self.by.noun(), self.by.name());
        let about_it = |text: String| Message::new(format!("{noun} `{name}`{text}"));
        match &self.kind {
            ErrorKind::UnknownName { nearest } => {
                let help = self.names_help(nearest.as_deref());
                Message { help, ..Message::new(format!("unknown {noun} `{name}`")) }
            }
            ErrorKind::Misplaced(id) => about_it(" cannot be set here".to_owned()).help(scope_help(*id)),
            ErrorKind::PrefixedTwice { meant } => Message::new(format!("unknown {noun} `{name}`"))
                .help(format!("Argo CD adds `ARGOCD_ENV_` to every name in `plugin.env`; write `{meant}` there")),
            ErrorKind::LockFromTheApplication => about_it(": an Application cannot lock parameters".to_owned()).help(
                "only the platform owner can lock parameters: with the variable `ARGOCD_JOBS_LOCK` of the sidecar",
            ),
            ErrorKind::Value { value, expected, nearest } => {
                let message = match value.as_str() {
                    "" => about_it(format!(": the value is empty, expected {expected}")),
                    value => about_it(format!(": invalid value `{value}`, expected {expected}")),
                };
                did_you_mean(message, nearest.as_deref())
            }
            ErrorKind::Type { found, expected } => {
                let help = self.type_help(found, expected).map(ToOwned::to_owned);
                Message { help, ..about_it(format!(" is {found}, expected {expected}")) }
            }
            ErrorKind::NoValue => {
                about_it(" has no value".to_owned()).help("give the parameter a `string`, an `array` or a `map`")
            }
            ErrorKind::TwoValues => {
                about_it(" has more than one value".to_owned()).help("keep one of `string`, `array` and `map`")
            }
            ErrorKind::Twice => {
                about_it(" is set twice".to_owned()).help("merge the two entries, or remove one of them")
            }
            ErrorKind::Ambiguous { written, meant } => {
                about_it(format!(": readers of YAML disagree about `{written}`: for some it is `{meant}`"))
                    .help(ambiguous_help(written, meant))
            }
            ErrorKind::InBlock(inside) => {
                let line = inside.at.map_or(String::new(), |at| format!(", line {}", at.line));
                Message { help: inside.help(), ..about_it(format!("{line}: {}", inside.text())) }
            }
            ErrorKind::OtherSource { tool, but } => {
                let tool = match tool {
                    SourceKind::Helm => "Helm",
                    _ => "kustomize",
                };
                about_it(format!(" is for {tool}, but {but}"))
                    .help("remove the parameters for the other tool, or change `source`")
            }
            ErrorKind::Credentials { what, help } => about_it(format!(": {what}")).help(*help),
            ErrorKind::NoMatch => Message::new("the rule has no `match`")
                .help("add `match` to choose the Jobs of the rule; `match: {}` chooses every Job"),
            ErrorKind::TooManyRules { most } => Message::new(format!("more than {most} rules"))
                .help("use a glob in `match` instead of a rule for each Job, or annotations on the Jobs"),
            ErrorKind::Malformed(why) if self.by.place().is_some() => Message::new(why),
            ErrorKind::Malformed(why) => about_it(format!(": {why}")),
        }
    }

    /// The `help:` line for an unknown name; `nearest` is the most similar name that exists.
    fn names_help(&self, nearest: Option<&str>) -> Option<String> {
        if let Some(nearest) = nearest {
            return Some(format!("did you mean `{nearest}`?"));
        }
        let help = match self.by {
            Provenance::CommandLine(_) => {
                "`--set` sets a parameter of argocd-jobs; `--set-value NAME=VALUE` sets a value of a Helm chart"
            }
            Provenance::ConfigFile { .. } => "`argocd-jobs schema` prints all keys",
            Provenance::Annotation(_) => return None,
            _ => "`argocd-jobs generate --help` shows all parameters",
        };
        Some(help.to_owned())
    }

    fn type_help(&self, found: &str, expected: &str) -> Option<&'static str> {
        let is_scalar = ["a number", "a boolean"].contains(&found);
        match self.by {
            Provenance::Annotation(_) => Some("put the value in quotes: the value of an annotation is a string"),
            Provenance::ConfigFile { .. } if expected == "a string" && is_scalar => Some("put the value in quotes"),
            _ => None,
        }
    }
}

/// How else to write a value about which readers of YAML disagree.
fn ambiguous_help(written: &str, meant: &str) -> String {
    let decimal = written.trim_start_matches('0').replace('_', "");
    let is_decimal = decimal != meant && !decimal.is_empty() && decimal.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal { format!("write `{decimal}` or `{meant}`") } else { format!("write `{meant}`") }
}

fn did_you_mean(message: Message, nearest: Option<&str>) -> Message {
    match nearest {
        Some(nearest) => message.help(format!("did you mean `{nearest}`?")),
        None => message,
    }
}

/// The `help:` line for a parameter in the wrong layer: where it can be set.
fn scope_help(id: Id) -> String {
    let name = id.parameter().name;
    match id.parameter().scope {
        Scope::Platform => {
            let variable = id.parameter().variable();
            format!(
                "only the platform owner can set `{name}`: with the variable `ARGOCD_JOBS_{variable}` of the sidecar, or with `--{name}` on \
                 the command line"
            )
        }
        Scope::Application => {
            format!(
                "`{name}` is for a whole Application: set it at the top of `.argocd-jobs.yaml`, as a parameter of the Application, or \
                 with `--{name}` on the command line"
            )
        }
        Scope::Jobs => {
            format!("set `{name}` for the whole Application, or for some of its Jobs in a rule of `.argocd-jobs.yaml`")
        }
        Scope::JobsAndOne | Scope::OneJob => format!(
            "`{name}` is for single Jobs: set it in a rule of `.argocd-jobs.yaml`, or as the annotation `{ANNOTATION_PREFIX}{name}`"
        ),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use text::LineColumn;

    #[test]
    fn a_number_where_a_string_is_expected_gets_quotes() {
        let help = |by, found, expected| Error::new(by, ErrorKind::Type { found, expected }).message().help;
        let annotation = || Provenance::Annotation("argocd-jobs/ttl".to_owned());
        let file = || Provenance::ConfigFile { at: LineColumn { line: 1, column: 1 }, key: "rerun".to_owned() };
        let quotes = Some("put the value in quotes: the value of an annotation is a string".to_owned());
        assert_eq!(help(annotation(), "a number", "a string"), quotes);
        assert_eq!(help(annotation(), "a map", "a string"), quotes);
        assert_eq!(help(file(), "a number", "a string").as_deref(), Some("put the value in quotes"));
        assert_eq!(help(file(), "a map", "a string"), None);
        assert_eq!(help(file(), "a number", "a boolean"), None);
    }
}

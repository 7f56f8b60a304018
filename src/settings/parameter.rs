//! The one table of parameters: names, what they take, and how a text becomes a value.

use super::{Error, SetBy, Setting, Settings, nearest};
use crate::argocd::{self, HookDeletePolicy, Phase};
use crate::hash;
use crate::strategy::{KeepName, STRATEGIES, Wanted};

/// The prefix of annotations that set a parameter for one Job.
pub const ANNOTATION_PREFIX: &str = "argocd-jobs/";

/// Where a parameter can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For the Application only.
    Application,
    /// For the Application, and on a Job as an annotation.
    Both,
    /// Only on a Job.
    Job,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// What users write.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// What it takes, for a message.
    pub expected: &'static str,
    /// Where it can stand.
    pub scope: Scope,
    set: fn(&mut Settings, &str, SetBy) -> Result<(), BadValue>,
}

/// The value, or the item of a list, that was not understood.
struct BadValue {
    value: String,
    nearest: Option<String>,
}

/// All parameters that decide what becomes of a Job.
pub const PARAMETERS: [Parameter; 8] = [
    Parameter {
        name: "strategy",
        summary: "how Jobs are made re-appliable",
        expected: "`auto`, `hash-name`, `hook`, `generate-name`, `replace` or `keep`",
        scope: Scope::Both,
        set: strategy,
    },
    Parameter {
        name: "hook",
        summary: "the phases of the hooks that are made, as a comma list",
        expected: "a comma list of `PreSync`, `Sync`, `PostSync`, `SyncFail`",
        scope: Scope::Both,
        set: hook,
    },
    Parameter {
        name: "keep-name",
        summary: "a Sync hook keeps the name of the Job it is made of; for Applications that were never live",
        expected: "`true` or `false`",
        scope: Scope::Application,
        set: keep_name,
    },
    Parameter {
        name: "delete-policy",
        summary: "delete policies of the hooks that are made, as a comma list; BeforeHookCreation is always among them",
        expected: "a comma list of `HookSucceeded`, `HookFailed`, `BeforeHookCreation`",
        scope: Scope::Both,
        set: delete_policy,
    },
    Parameter {
        name: "ttl",
        summary: "seconds after which a finished hook Job is deleted",
        expected: "a whole number of seconds from 0 to 2147483647",
        scope: Scope::Both,
        set: ttl,
    },
    Parameter {
        name: "rerun",
        summary: "any text; another one runs the Jobs with a hash in their name once more",
        expected: "any text",
        scope: Scope::Both,
        set: rerun,
    },
    Parameter {
        name: "base-name",
        summary: "the name to which the hash is appended, for a name that carries a revision or a date",
        expected: "a name with a letter or digit in it",
        scope: Scope::Job,
        set: base_name,
    },
    Parameter {
        name: "baseline",
        summary: "the hash of a Job that has run already: while its content has that hash it is left as it is",
        expected: "a content hash: ten of the characters `2456789bcdfghkmt`",
        scope: Scope::Job,
        set: baseline,
    },
];

/// Sets the parameter `name` for the Application; `written` is how the user named it.
pub fn set_for_application(
    settings: &mut Settings,
    name: &str,
    written: &str,
    value: &str,
    by: SetBy,
) -> Result<(), Error> {
    set(settings, name, written, value, by, Scope::Job)
}

/// Sets the parameter `name` for one Job, from its annotation.
pub fn set_for_job(settings: &mut Settings, name: &str, written: &str, value: &str) -> Result<(), Error> {
    set(settings, name, written, value, SetBy::Annotation, Scope::Application)
}

fn set(
    settings: &mut Settings,
    name: &str,
    written: &str,
    value: &str,
    by: SetBy,
    other_scope: Scope,
) -> Result<(), Error> {
    let mut known = PARAMETERS.iter().filter(|parameter| parameter.scope != other_scope);
    let Some(parameter) = known.clone().find(|parameter| parameter.name == name) else {
        let prefix = written.strip_suffix(name).unwrap_or("");
        let nearest = nearest(name, known.by_ref().map(|parameter| parameter.name));
        let nearest = nearest.map(|nearest| format!("{prefix}{nearest}"));
        return Err(Error::UnknownName { name: written.to_owned(), nearest });
    };
    (parameter.set)(settings, value, by).map_err(|bad| Error::UnknownValue {
        name: written.to_owned(),
        value: bad.value,
        expected: parameter.expected,
        nearest: bad.nearest,
    })
}

impl BadValue {
    fn new(value: &str) -> Self {
        Self { value: value.to_owned(), nearest: None }
    }
}

fn strategy(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    let value = Wanted::parse(text).ok_or_else(|| BadValue {
        value: text.to_owned(),
        nearest: nearest(text, STRATEGIES.iter().map(|row| row.id)),
    })?;
    settings.strategy = Some(Setting { value, by });
    Ok(())
}

fn hook(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    let value = list(text, Phase::parse, &Phase::ALL.map(Phase::as_str))?;
    settings.hook = Some(Setting { value, by });
    Ok(())
}

fn delete_policy(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    let value = list(text, HookDeletePolicy::parse, &HookDeletePolicy::ALL.map(HookDeletePolicy::as_str))?;
    settings.delete_policy = Some(Setting { value, by });
    Ok(())
}

fn keep_name(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    let value = match text {
        "true" => KeepName::Yes,
        "false" => KeepName::No,
        _ => return Err(BadValue { value: text.to_owned(), nearest: nearest(text, ["true", "false"]) }),
    };
    settings.keep_name = Some(Setting { value, by });
    Ok(())
}

fn ttl(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse::<i32>().ok().filter(|_| digits).ok_or_else(|| BadValue::new(text))?;
    settings.ttl = Some(Setting { value: i64::from(value), by });
    Ok(())
}

fn rerun(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    settings.rerun = Some(Setting { value: text.to_owned(), by });
    Ok(())
}

fn base_name(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    if !text.contains(|found: char| found.is_ascii_alphanumeric()) {
        return Err(BadValue::new(text));
    }
    settings.base_name = Some(Setting { value: text.to_owned(), by });
    Ok(())
}

fn baseline(settings: &mut Settings, text: &str, by: SetBy) -> Result<(), BadValue> {
    if text.len() != hash::LENGTH || !text.bytes().all(|byte| hash::ALPHABET.contains(&byte)) {
        return Err(BadValue::new(text));
    }
    settings.baseline = Some(Setting { value: text.to_owned(), by });
    Ok(())
}

/// A comma list with at least one item, each of which is known.
fn list<T>(text: &str, parse: impl Fn(&str) -> Option<T>, known: &[&'static str]) -> Result<Vec<T>, BadValue> {
    let items = argocd::comma_list(text);
    if items.is_empty() {
        return Err(BadValue::new(text));
    }
    let unknown = |item: &str| BadValue { value: item.to_owned(), nearest: nearest(item, known.iter().copied()) };
    items.into_iter().map(|item| parse(item).ok_or_else(|| unknown(item))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(name: &str, value: &str) -> Result<Settings, Error> {
        let mut settings = Settings::default();
        set_for_application(&mut settings, name, name, value, SetBy::CommandLine).map(|()| settings)
    }

    #[test]
    fn names_are_unique_kebab_case() {
        for (index, parameter) in PARAMETERS.iter().enumerate() {
            assert!(parameter.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
            assert!(PARAMETERS[..index].iter().all(|other| other.name != parameter.name));
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for (name, value) in [
            ("strategy", "Hook"),
            ("strategy", ""),
            ("hook", "presync"),
            ("hook", "PreSync,Skip"),
            ("hook", ","),
            ("delete-policy", "hook-succeeded"),
            ("keep-name", "yes"),
            ("ttl", "-1"),
            ("ttl", "+1"),
            ("ttl", "1h"),
            ("ttl", "2147483648"),
        ] {
            assert!(matches!(value_of(name, value), Err(Error::UnknownValue { .. })), "{name}={value}");
        }
        for name in ["stratgy", "baseline", "base-name"] {
            assert!(matches!(value_of(name, "x"), Err(Error::UnknownName { .. })), "{name}");
        }
    }
}

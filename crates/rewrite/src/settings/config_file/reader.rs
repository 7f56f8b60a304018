//! Parses the config file into settings, rules and ignored findings.

use std::collections::BTreeSet;

use goyaml::Tree;
use kube_jobs::argocd::{Glob, Phase};
use text::spelling::nearest;

use super::located::{Document, Entry, Located};
use super::rule::{IGNORED, MATCH, Matcher, Matches, Rule};
use super::{ConfigFile, Ignore};
use crate::settings::parameter::{Position, ValueType};
use crate::settings::parameters::Parameter;
use crate::settings::parse::{CommaList, ParameterType, ParseError, start};
use crate::settings::set::{error_kind, set};
use crate::settings::value::RawValue;
use crate::settings::{Error, ErrorKind, Provenance, Settings};

/// The maximum number of rules: every rule is matched against every Job.
const MAX_RULES: usize = 1_000;

/// The maximum length of a glob in a rule, in bytes: enough for many names in braces.
const MAX_GLOB: usize = 4096;

const RULES: &str = "rules";

/// Names the JSON schema, for editors. It has no effect.
const SCHEMA: &str = "$schema";

impl ConfigFile {
    /// Parses the text of the file, which must not begin with a byte order mark.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut tree = Tree::default();
        let document = Document::parse(text, &mut tree)?;
        let mut file = Self::default();
        let Some(root) = document.root()? else { return Ok(file) };
        for entry in root.entries()?.unwrap_or_default() {
            match entry.key {
                RULES => file.rules = rules(entry)?,
                IGNORED => file.ignore = ignored(entry)?,
                SCHEMA if entry.value.as_str().is_some() => {}
                SCHEMA => return Err(entry.wrong_type("a string")),
                _ => parameter(&mut file.top, entry, Position::Application)?,
            }
        }
        file.top = file.top.with_fields();
        Ok(file)
    }
}

fn rules(entry: Entry<'_>) -> Result<Vec<Rule>, Error> {
    if entry.value.raw() == RawValue::Other("null") {
        return Ok(Vec::new());
    }
    let rules = entry.value.items().ok_or_else(|| entry.wrong_type("a list of rules"))?;
    if let Some(first) = rules.get(MAX_RULES) {
        return Err(first.error(RULES, ErrorKind::TooManyRules { most: MAX_RULES }));
    }
    rules.into_iter().map(rule).collect()
}

fn rule(value: Located<'_>) -> Result<Rule, Error> {
    let not_a_map = || value.error(RULES, ErrorKind::Type { found: value.kind(), expected: "a map for each rule" });
    let mut settings = Settings::default();
    let (mut matches, mut ignore) = (None, Vec::new());
    for entry in value.entries()?.ok_or_else(not_a_map)? {
        match entry.key {
            MATCH => matches = Some(matchers(entry)?),
            IGNORED => ignore = ignored(entry)?,
            _ => parameter(&mut settings, entry, Position::Rule)?,
        }
    }
    let matches = matches.ok_or_else(|| value.error(MATCH, ErrorKind::NoMatch))?;
    Ok(Rule { matches, settings, ignore })
}

/// Sets one parameter. An error is placed at the key, the value or the item that is wrong.
fn parameter(settings: &mut Settings, entry: Entry<'_>, position: Position) -> Result<(), Error> {
    let by = Provenance::ConfigFile { at: entry.value.at(), key: entry.key.to_owned() };
    let spell = |known: &Parameter| known.name.to_owned();
    let value_type = Parameter::find(entry.key).map(|parameter| parameter.value_type);
    let raw = match value_type {
        Some(ValueType::Block(_)) => entry.yaml()?,
        _ => {
            entry.value.refuse_ambiguous(entry.key)?;
            entry.value.raw()
        }
    };
    set(settings, entry.key, position, &raw, by, spell).map_err(|error| match error.kind {
        ErrorKind::UnknownName { .. } => {
            let own = [if position == Position::Rule { MATCH } else { RULES }, IGNORED];
            let known = Parameter::at(position).map(|known| known.name).chain(own);
            unknown_key(entry, known)
        }
        kind @ ErrorKind::Misplaced(_) => at_key(entry, kind),
        ErrorKind::InBlock(ref inside) if inside.at.is_none() => {
            let at = entry.place_at(&inside.path, inside.is_key());
            Error::new(Provenance::ConfigFile { at, key: entry.key.to_owned() }, error.kind)
        }
        ErrorKind::Value { ref value, .. } => match entry.value.place_inside(value) {
            Some(at) => Error::new(Provenance::ConfigFile { at, key: entry.key.to_owned() }, error.kind),
            None => error,
        },
        _ => error,
    })
}

fn at_key(entry: Entry<'_>, kind: ErrorKind) -> Error {
    Error::new(Provenance::ConfigFile { at: entry.key_at(), key: entry.key.to_owned() }, kind)
}

fn unknown_key<'k>(entry: Entry<'_>, known: impl Iterator<Item = &'k str>) -> Error {
    at_key(entry, ErrorKind::UnknownName { nearest: nearest(entry.key, known) })
}

fn ignored(entry: Entry<'_>) -> Result<Vec<Ignore>, Error> {
    let ids = match entry.value.raw() {
        RawValue::List(ids) => ids,
        RawValue::Other("null") => return Ok(Vec::new()),
        other => {
            return Err(entry.error(ErrorKind::Type { found: other.kind(), expected: "a list of ids of findings" }));
        }
    };
    let places = entry.value.items().unwrap_or_default();
    let mut known = BTreeSet::new();
    let ignored = ids.into_iter().zip(places).map(|(id, item)| Ignore { id, at: item.at() });
    // Drop repeated ids: for each finding the whole list is searched.
    Ok(ignored.filter(|ignore| known.insert(ignore.id.clone())).collect())
}

fn matchers(entry: Entry<'_>) -> Result<Matches, Error> {
    let mut matches = Matches::default();
    for entry in entry.value.entries()?.ok_or_else(|| entry.wrong_type("a map"))? {
        match Matcher::find(entry.key) {
            Some(Matcher::Name) => matches.name = Some(glob(entry)?),
            Some(Matcher::Namespace) => matches.namespace = Some(glob(entry)?),
            Some(Matcher::Labels) => matches.labels = pairs(entry)?,
            Some(Matcher::Annotations) => matches.annotations = pairs(entry)?,
            Some(Matcher::Hook) => matches.hook = phases(entry)?,
            None => return Err(unknown_key(entry, Matcher::ALL.into_iter().map(Matcher::key))),
        }
    }
    Ok(matches)
}

fn glob(entry: Entry<'_>) -> Result<Glob, Error> {
    let pattern = entry.value.as_str().ok_or_else(|| entry.wrong_type("a string"))?;
    if pattern.len() > MAX_GLOB {
        let value = start(pattern);
        let expected = "a glob of at most 4096 bytes";
        return Err(entry.error(ErrorKind::Value { value, expected, nearest: None }));
    }
    let glob = Glob::new(pattern);
    if glob.is_understood() && !pattern.is_empty() {
        return Ok(glob);
    }
    Err(entry.error(ErrorKind::Value { value: pattern.to_owned(), expected: "a valid glob", nearest: None }))
}

fn pairs(entry: Entry<'_>) -> Result<Vec<(String, String)>, Error> {
    match entry.value.raw() {
        RawValue::Map(map) => Ok(map.into_iter().collect()),
        other => Err(entry.error(ErrorKind::Type { found: other.kind(), expected: "a map of strings" })),
    }
}

fn phases(entry: Entry<'_>) -> Result<Vec<Phase>, Error> {
    let raw = entry.value.raw();
    CommaList::<Phase>::parse(&raw).map_err(|error| match error {
        ParseError::Type(expected) => entry.wrong_type(expected),
        error => {
            entry.error(error_kind(error, &raw, "a comma-separated list of `PreSync`, `Sync`, `PostSync`, `SyncFail`"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glob_of_a_rule_has_a_largest_length() {
        let read = |length: usize| {
            let name = "x".repeat(length);
            ConfigFile::parse(&format!("rules:\n- match: {{name: \"{name}\"}}\n  ttl: 1\n"))
        };
        assert!(read(1).is_ok() && read(4096).is_ok());
        for length in [0, 4097, 10_000] {
            let error = read(length).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::Value { .. }), "{length}: {error}");
            assert!(error.to_string().len() < 300, "{error}");
        }
    }
}

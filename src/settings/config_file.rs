//! `.argocd-jobs.yaml` in the source directory: parameters at the top, and rules for some Jobs.
//!
//! ```yaml
//! strategy: hash-name
//! rules:
//!   - match: {name: "*-seed", labels: {tier: demo}}
//!     strategy: keep
//! ```
//! Types count here: `ttl: "60"` is wrong, `ttl: 60` is right.

use std::collections::BTreeMap;

use serde_yaml::{Mapping, Value as Yaml};

use super::parameter::{Parameter, Position};
use super::places::{Places, Step, at};
use super::rule::{self, Rule};
use super::set::set;
use super::value::{RawValue, Switch};
use super::{Error, Ignore, SetBy, Settings, Wrong, ignore};
use crate::text::LineColumn;
use crate::text::spelling::nearest;
use crate::yaml::Tree;
use crate::yaml::expansion::expansion;

/// Its name.
pub const CONFIG_FILE: &str = ".argocd-jobs.yaml";

/// So many bytes it has at most.
pub const MAX_CONFIG_FILE: u64 = 1 << 18;

/// How many bytes of memory its aliases may expand to; an ordinary config file stays far below.
const MAX_EXPANSION: u64 = 1 << 20;

/// The key of the rules.
const RULES: &str = "rules";

/// What the config file says.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    /// For all Jobs.
    pub(super) top: Settings,
    /// For some; of those that match, the first that sets a value counts.
    pub(super) rules: Vec<Rule>,
    /// Ids of findings, for all objects.
    pub(super) ignore: Vec<Ignore>,
}

impl ConfigFile {
    /// Reads the text of the file, which has no byte order mark any more.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let key = || CONFIG_FILE.to_owned();
        let malformed = |at, message| Error::new(SetBy::ConfigFile { at, key: key() }, Wrong::Malformed(message));
        // The other reader takes very long for brackets in brackets; this one refuses them.
        let tree = Tree::parse(text).map_err(|error| malformed(at(text, error.offset), error.message))?;
        if let Some(offset) = expansion(&tree, text, MAX_EXPANSION).excess {
            let most = MAX_EXPANSION >> 20;
            let message = format!(
                "with this alias, the aliases of the config file expand to more than {most} MiB; write the value itself in its place"
            );
            return Err(malformed(at(text, offset), message));
        }
        let places = Places { text, tree };
        if let Some((at, key)) = places.second_of_a_key() {
            return Err(Error::new(SetBy::ConfigFile { at, key }, Wrong::Twice));
        }
        if let Some(place) = places.second_document() {
            return Err(malformed(place, "a second document, where the config file has one".to_owned()));
        }
        let value: Yaml = serde_yaml::from_str(text).map_err(|error| {
            let place = error.location().map(|at| LineColumn { line: at.line(), column: at.column() });
            malformed(place.unwrap_or_else(|| at(text, 0)), without_place(&error.to_string()))
        })?;
        let reader = Reader { places };
        match value {
            Yaml::Null => Ok(Self::default()),
            Yaml::Mapping(map) => reader.file(&map),
            other => {
                let message = format!("the config file is {}, expected a map", kind(&other));
                Err(malformed(reader.places.find(&[]), message))
            }
        }
    }
}

/// What the parser says, less the place, which stands before it already.
fn without_place(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

/// Makes settings of values, and knows their places.
pub(super) struct Reader<'t> {
    places: Places<'t>,
}

impl Reader<'_> {
    fn file(&self, map: &Mapping) -> Result<ConfigFile, Error> {
        let mut file = ConfigFile::default();
        for (key, value) in self.entries(map, &[])? {
            let path = [Step::Key(key)];
            match key {
                RULES => file.rules = self.rules(value)?,
                ignore::KEY => file.ignore = self.ignore(value, &path)?,
                _ => self.set(&mut file.top, key, value, &path, Position::Application)?,
            }
        }
        Ok(file)
    }

    fn rules(&self, value: &Yaml) -> Result<Vec<Rule>, Error> {
        let rules = match value {
            Yaml::Null => return Ok(Vec::new()),
            Yaml::Sequence(rules) => rules,
            other => return Err(self.wrong_type(RULES, other, "a list of rules", &[Step::Key(RULES)])),
        };
        let numbered = rules.iter().enumerate();
        numbered.map(|(index, rule)| self.rule(rule, &[Step::Key(RULES), Step::Item(index)])).collect()
    }

    fn rule(&self, value: &Yaml, path: &[Step<'_>]) -> Result<Rule, Error> {
        let Yaml::Mapping(map) = value else { return Err(self.wrong_type(RULES, value, "a map for each rule", path)) };
        let mut settings = Settings::default();
        let (mut matches, mut ignore) = (None, Vec::new());
        for (key, value) in self.entries(map, path)? {
            let path = [path, &[Step::Key(key)]].concat();
            match key {
                rule::MATCH => matches = Some(self.matches(value, &path)?),
                ignore::KEY => ignore = self.ignore(value, &path)?,
                _ => self.set(&mut settings, key, value, &path, Position::Rule)?,
            }
        }
        let matches = matches.ok_or_else(|| self.error(rule::MATCH, path, Wrong::NoMatch))?;
        Ok(Rule { matches, settings, ignore })
    }

    fn set(
        &self,
        settings: &mut Settings,
        key: &str,
        value: &Yaml,
        path: &[Step<'_>],
        position: Position,
    ) -> Result<(), Error> {
        let by = SetBy::ConfigFile { at: self.places.find(path), key: key.to_owned() };
        let spell = |known: &Parameter| known.name.to_owned();
        set(settings, key, position, &written(value), by, spell).map_err(|mut error| {
            if matches!(error.wrong, Wrong::UnknownName { .. } | Wrong::Misplaced(_))
                && let SetBy::ConfigFile { at, .. } = &mut error.by
            {
                *at = self.place_of_key(key, path);
            }
            if let Wrong::UnknownName { nearest: found } = &mut error.wrong {
                let own = [if position == Position::Rule { rule::MATCH } else { RULES }, ignore::KEY];
                *found = nearest(key, Parameter::at(position).map(|known| known.name).chain(own));
            }
            self.near(error, value, path)
        })
    }

    /// Puts the error of one item of a list or map where that item stands.
    fn near(&self, mut error: Error, value: &Yaml, path: &[Step<'_>]) -> Error {
        let Wrong::Value { value: found, .. } = &error.wrong else { return error };
        let inner = match value {
            Yaml::Sequence(items) => items.iter().position(|item| item.as_str() == Some(found)).map(Step::Item),
            Yaml::Mapping(map) => map.iter().find_map(|(key, value)| match (key.as_str()?, value.as_str()) {
                (key, _) if key == found => Some(Step::Name(key)),
                (key, Some(value)) if value == found => Some(Step::Key(key)),
                _ => None,
            }),
            _ => None,
        };
        if let (Some(inner), SetBy::ConfigFile { at, .. }) = (inner, &mut error.by) {
            *at = self.places.find(&[path, &[inner]].concat());
        }
        error
    }

    /// The keys and values of a map whose keys are all strings.
    pub(super) fn entries<'m>(&self, map: &'m Mapping, path: &[Step<'_>]) -> Result<Vec<(&'m str, &'m Yaml)>, Error> {
        let entry = |(key, value): (&'m Yaml, &'m Yaml)| match key.as_str() {
            Some(key) => Ok((key, value)),
            None => {
                let message = format!("a key is {}, expected a string", kind(key));
                Err(self.error("", path, Wrong::Malformed(message)))
            }
        };
        map.iter().map(entry).collect()
    }

    pub(super) fn wrong_type(&self, key: &str, found: &Yaml, expected: &'static str, path: &[Step<'_>]) -> Error {
        self.error(key, path, Wrong::Type { found: kind(found), expected })
    }

    pub(super) fn error(&self, key: &str, path: &[Step<'_>], wrong: Wrong) -> Error {
        Error::new(SetBy::ConfigFile { at: self.places.find(path), key: key.to_owned() }, wrong)
    }

    /// The place of the value at the end of the path.
    pub(super) fn place(&self, path: &[Step<'_>]) -> LineColumn {
        self.places.find(path)
    }

    /// The place of the key at the end of the path.
    pub(super) fn place_of_key(&self, key: &str, path: &[Step<'_>]) -> LineColumn {
        let above = &path[..path.len().saturating_sub(1)];
        self.places.find(&[above, &[Step::Name(key)]].concat())
    }
}

/// What stands there, in words.
fn kind(value: &Yaml) -> &'static str {
    match value {
        Yaml::Sequence(_) => "a list",
        Yaml::Mapping(_) => "a map",
        other => written(other).kind(),
    }
}

/// What stands there, as parameters take it.
pub(super) fn written(value: &Yaml) -> RawValue {
    match value {
        Yaml::Null => RawValue::Other("null"),
        Yaml::Bool(true) => RawValue::Bool(Switch::On),
        Yaml::Bool(false) => RawValue::Bool(Switch::Off),
        Yaml::Number(number) => number.as_i64().map_or(RawValue::Other("a number"), RawValue::Number),
        Yaml::String(text) => RawValue::String(text.clone()),
        Yaml::Sequence(items) => {
            let texts: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(ToOwned::to_owned)).collect();
            texts.map_or(RawValue::Other("a list of other things than strings"), RawValue::List)
        }
        Yaml::Mapping(map) => {
            let entry = |(key, value): (&Yaml, &Yaml)| Some((key.as_str()?.to_owned(), value.as_str()?.to_owned()));
            let texts: Option<BTreeMap<String, String>> = map.iter().map(entry).collect();
            texts.map_or(RawValue::Other("a map to other things than strings"), RawValue::Map)
        }
        Yaml::Tagged(_) => RawValue::Other("a value with a tag"),
    }
}

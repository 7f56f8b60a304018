//! Types the value of a block: from its fields to raw values of parameters. A key or a type that Argo CD's API does not have is an
//! error; `null` is as if the field were not there.

use std::collections::BTreeMap;

use super::fields::{Field, FieldType};
use crate::settings::block_error::BlockError;
use crate::settings::value::RawValue;
use crate::settings::words::Switch;
use crate::text::spelling::nearest;
use crate::yaml::json::{self, Form};
use crate::yaml::value::Map;
use crate::yaml::{Path, Step, Value};

/// What the fields of a block set, in the order of the table `known`.
pub(super) fn fields(block: &Value, known: &[Field]) -> Result<Vec<(&'static str, RawValue)>, BlockError> {
    let root = At::root(block);
    let map = root.map(known.iter().map(|field| field.key))?;
    let mut set = Vec::new();
    for field in known {
        if let Some(value) = root.entry(map, field.key) {
            decode(field.takes, &value, &mut set)?;
        }
    }
    Ok(set)
}

fn decode(takes: FieldType, value: &At<'_>, set: &mut Vec<(&'static str, RawValue)>) -> Result<(), BlockError> {
    match takes {
        FieldType::Text(id) => set.push((id, RawValue::String(value.text()?))),
        FieldType::Switch(id) => set.push((id, RawValue::Bool(value.switch()?))),
        FieldType::Texts(id) => {
            let texts = value.items()?.iter().map(At::text).collect::<Result<_, _>>()?;
            set.push((id, RawValue::List(texts)));
        }
        FieldType::Map(id) => set.push((id, RawValue::Map(value.texts()?))),
        FieldType::Parameters => parameters(value, set)?,
        FieldType::FileParameters => {
            let mut files = BTreeMap::new();
            for item in value.items()? {
                let map = item.map(["name", "path"])?;
                files.insert(item.text_at(map, "name")?, item.text_at(map, "path")?);
            }
            set.push(("helm-file-parameters", RawValue::Map(files)));
        }
        FieldType::ValuesObject => match value.value {
            Value::Map(_) => set.push(("helm-values", RawValue::String(json::print(value.value, Form::Stream)))),
            _ => return Err(value.wrong_type("a map")),
        },
        FieldType::HelmVersion => {
            let version = value.text()?;
            if !["", "v3", "v4"].contains(&version.as_str()) {
                let error = value.error(format!("Helm `{version}` is not supported"));
                return Err(error.help("leave out `version`: the plugin runs the Helm of its image"));
            }
        }
        FieldType::PassCredentials => {
            if value.switch()? == Switch::On {
                let error = value.error("`passCredentials` has no effect in a plugin".to_owned());
                return Err(error.help("remove it: Argo CD does not pass repository credentials to plugins"));
            }
        }
        FieldType::Replicas => {
            let mut replicas = Vec::new();
            for item in value.items()? {
                let map = item.map(["name", "count"])?;
                replicas.push((item.text_at(map, "name")?, item.count(map)?));
            }
            set.push(("kustomize-replicas", RawValue::Pairs(replicas)));
        }
        FieldType::Patches => {
            let patches = value.items()?.iter().map(typed_patch).collect::<Result<_, _>>()?;
            set.push(("kustomize-patches", RawValue::List(patches)));
        }
    }
    Ok(())
}

/// `helm.parameters`, which sets two parameters: Argo CD keeps those with `forceString` apart, too (`helmTemplate` in
/// `reposerver/repository/repository.go`). Of several with one name the last one counts.
fn parameters(value: &At<'_>, set: &mut Vec<(&'static str, RawValue)>) -> Result<(), BlockError> {
    let (mut plain, mut strings) = (BTreeMap::new(), BTreeMap::new());
    for item in value.items()? {
        let map = item.map(["name", "value", "forceString"])?;
        let is_string = item.entry(map, "forceString").map_or(Ok(Switch::Off), |found| found.switch())? == Switch::On;
        let into = if is_string { &mut strings } else { &mut plain };
        into.insert(item.text_at(map, "name")?, item.text_at(map, "value")?);
    }
    set.push(("helm-parameters", RawValue::Map(plain)));
    set.push(("helm-string-parameters", RawValue::Map(strings)));
    Ok(())
}

/// Checks one patch (`KustomizePatch`, `KustomizeSelector`), and prints it as JSON.
pub(in crate::settings) fn patch(value: &Value) -> Result<String, BlockError> {
    typed_patch(&At::root(value))
}

fn typed_patch(patch: &At<'_>) -> Result<String, BlockError> {
    let map = patch.map(["path", "patch", "target", "options"])?;
    for key in ["path", "patch"] {
        patch.text_at(map, key)?;
    }
    if let Some(target) = patch.entry(map, "target") {
        let known = ["group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector"];
        let keys = target.map(known)?;
        for key in known {
            target.text_at(keys, key)?;
        }
    }
    if let Some(options) = patch.entry(map, "options") {
        let Value::Map(found) = options.value else { return Err(options.wrong_type("a map")) };
        for key in found.iter().map(|(key, _)| key) {
            options.entry(found, key).map_or(Ok(Switch::Off), |value| value.switch())?;
        }
    }
    Ok(json::print(patch.value, Form::Stream))
}

/// A value in the block, and where it is.
struct At<'v> {
    value: &'v Value,
    path: Path,
}

impl<'v> At<'v> {
    fn root(value: &'v Value) -> Self {
        Self { value, path: Path::default() }
    }

    fn error(&self, what: String) -> BlockError {
        BlockError { path: self.path.clone(), is_key: false, what, help: None, at: None }
    }

    fn wrong_type(&self, expected: &str) -> BlockError {
        let found = self.value.kind();
        let name = if self.path == Path::default() { "the value".to_owned() } else { format!("`{}`", self.path) };
        let error = self.error(format!("{name} is {found}, expected {expected}"));
        match self.value {
            Value::String(_) if self.path == Path::default() => {
                error.help("write the YAML itself, not the name of a file; on the command line, `@FILE` reads a file")
            }
            Value::Map(_)
                if expected == "a string" && self.path.steps().first() == Some(&Step::Key("images".into())) =>
            {
                error.help("in an Application an image is one string: `name:tag`, `name=new-name:tag` or `name@digest`")
            }
            Value::Bool(_) | Value::Int(_) | Value::Float(_) if expected == "a string" => {
                error.help("put the value in quotes; Argo CD's API requires it too")
            }
            _ => error,
        }
    }

    /// The map, which may have these keys and no other.
    fn map<'k>(&self, known: impl IntoIterator<Item = &'k str> + Clone) -> Result<&'v Map, BlockError> {
        let Value::Map(map) = self.value else { return Err(self.wrong_type("a map")) };
        let is_known = |key: &str| known.clone().into_iter().any(|known| known == key);
        let Some(unknown) = map.iter().map(|(key, _)| key).find(|key| !is_known(key)) else { return Ok(map) };
        let path = self.path.with(unknown);
        let error = BlockError { is_key: true, path, ..self.error(format!("unknown key `{unknown}`")) };
        if self.path == Path::default() {
            match unknown.as_str() {
                "helm" | "kustomize" => return Err(error.help(format!("write only what is inside `{unknown}:`"))),
                "apiVersion" | "kind" | "metadata" | "spec" | "source" => {
                    return Err(error
                        .help("write only the block: what is inside `spec.source.helm:` or `spec.source.kustomize:`"));
                }
                _ => {}
            }
        }
        Err(match nearest(unknown, known) {
            Some(nearest) => error.help(format!("did you mean `{nearest}`?")),
            None => error,
        })
    }

    /// The value of a key, unless it is null.
    fn entry(&self, map: &'v Map, key: &str) -> Option<Self> {
        let value = map.get(key).filter(|value| **value != Value::Null)?;
        Some(Self { value, path: self.path.with(key) })
    }

    fn text(&self) -> Result<String, BlockError> {
        self.value.as_text().map(ToOwned::to_owned).ok_or_else(|| self.wrong_type("a string"))
    }

    /// The text of a key; empty when there is none.
    fn text_at(&self, map: &'v Map, key: &str) -> Result<String, BlockError> {
        self.entry(map, key).map_or(Ok(String::new()), |value| value.text())
    }

    fn switch(&self) -> Result<Switch, BlockError> {
        match self.value {
            Value::Bool(true) => Ok(Switch::On),
            Value::Bool(false) => Ok(Switch::Off),
            _ => Err(self.wrong_type("a boolean")),
        }
    }

    fn items(&self) -> Result<Vec<Self>, BlockError> {
        let items = self.value.as_list().ok_or_else(|| self.wrong_type("a list"))?;
        Ok(items.iter().enumerate().map(|(index, value)| Self { value, path: self.path.with(index) }).collect())
    }

    fn texts(&self) -> Result<BTreeMap<String, String>, BlockError> {
        let Value::Map(map) = self.value else { return Err(self.wrong_type("a map")) };
        let keys = map.iter().map(|(key, _)| key);
        keys.map(|key| Ok((key.to_string(), self.text_at(map, key)?))).collect()
    }

    /// The `count` of replicas: a whole number, also as a text (`IntOrString`).
    fn count(&self, map: &'v Map) -> Result<String, BlockError> {
        match self.entry(map, "count") {
            None => Ok("0".to_owned()),
            Some(Self { value: Value::Int(count), .. }) => Ok(count.to_string()),
            Some(Self { value: Value::String(count), .. }) => Ok(count.to_string()),
            Some(other) => Err(other.wrong_type("a whole number")),
        }
    }
}

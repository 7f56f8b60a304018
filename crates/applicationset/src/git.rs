//! The generator `git`: an element for each directory or each file of a repository
//! (`applicationset/generators/git.go`).

use std::collections::BTreeSet;
use std::sync::Arc;

use gopath::{Steps, matches};
use serde_json::{Map, Value, json};

use super::element::Element;
use super::names::{base, folder, normalized};
use super::parameters::{flat, size};
use super::pathspec::Pathspec;
use super::{Context, Parameters, Problem};

/// The elements of a git generator. If it has `directories`, its `files` are ignored.
pub(super) fn elements(spec: &Value, context: &Context<'_>) -> Result<Vec<Element>, Problem> {
    let items = |field: &str| spec[field].as_array().filter(|items| !items.is_empty());
    let found = match (items("directories"), items("files")) {
        (Some(directories), _) => of_directories(directories, spec, context)?,
        (None, Some(files)) => of_files(files, spec, context)?,
        (None, None) => {
            return Err(Problem::Failed("the generator `git` has neither `directories` nor `files`".to_owned()));
        }
    };
    let mut elements = Vec::new();
    for mut parameters in found {
        context.append_values(spec, &mut parameters)?;
        context.templates.spend(size(&parameters))?;
        elements.push(Element::known(parameters));
    }
    Ok(elements)
}

/// The URL of the repository, and the revision.
fn repository(spec: &Value) -> (&str, &str) {
    (spec["repoURL"].as_str().unwrap_or_default(), spec["revision"].as_str().unwrap_or_default())
}

/// The files of the repository.
fn tracked(spec: &Value, context: &Context<'_>) -> Result<Arc<[String]>, Problem> {
    let (url, revision) = repository(spec);
    let files = context.world.repositories.files(url, revision);
    files.ok_or_else(|| Problem::Repository(url.to_owned(), revision.to_owned()))
}

/// How many steps of matching count as a byte of the texts that a set may make.
const STEPS_OF_A_BYTE: usize = 4;

/// Runs `find`, which matches patterns, and counts the steps that it takes.
fn counted<T>(context: &Context<'_>, find: impl FnOnce(&Steps) -> T) -> Result<T, Problem> {
    let most = context.templates.left().saturating_mul(STEPS_OF_A_BYTE);
    let steps = Steps::new(most);
    let found = find(&steps);
    if steps.left() == 0 {
        return Err(Problem::TooLarge("has patterns of paths that take too much work".to_owned()));
    }
    context.templates.spend((most - steps.left()) / STEPS_OF_A_BYTE)?;
    Ok(found)
}

/// The patterns in a list, each with true if it excludes the paths that it matches.
fn patterns(items: &[Value]) -> impl Iterator<Item = (&str, bool)> + Clone {
    items.iter().map(|item| (item["path"].as_str().unwrap_or_default(), item["exclude"].as_bool().unwrap_or_default()))
}

fn of_directories(items: &[Value], spec: &Value, context: &Context<'_>) -> Result<Vec<Parameters>, Problem> {
    let files = tracked(spec, context)?;
    let taken: Vec<&str> = counted(context, |steps| {
        let mut directories = BTreeSet::new();
        for file in files.iter() {
            let ends = file.match_indices('/').map(|(at, _)| &file[..at]);
            directories
                .extend(ends.take_while(|directory| steps.take(directory.len()) && !base(directory).starts_with('.')));
        }
        let is_taken = |directory: &&str| {
            let is_matched = |(pattern, _): &(&str, bool)| matches(pattern, directory, steps);
            let mut matching = patterns(items).filter(is_matched).peekable();
            matching.peek().is_some() && matching.all(|(_, takes_away)| !takes_away)
        };
        directories.into_iter().filter(is_taken).collect()
    })?;
    Ok(taken.into_iter().map(|directory| with_path(Map::new(), directory, None, spec, context)).collect())
}

fn of_files(items: &[Value], spec: &Value, context: &Context<'_>) -> Result<Vec<Parameters>, Problem> {
    let (url, revision) = repository(spec);
    let files = tracked(spec, context)?;
    let taken = counted(context, |steps| -> Result<_, Problem> {
        let mut taken = BTreeSet::new();
        let [included, excluded] =
            [false, true].map(|wanted| patterns(items).filter(move |(_, takes_away)| *takes_away == wanted));
        for (pattern, _) in included {
            let pathspec = Pathspec::read(pattern)?;
            taken.extend(files.iter().filter(|file| pathspec.matches(file, steps)));
        }
        for (pattern, _) in excluded {
            let pathspec = Pathspec::read(pattern)?;
            taken.retain(|file| !pathspec.matches(file, steps));
        }
        Ok(taken)
    })??;
    let mut found = Vec::new();
    for file in taken {
        let refused = format!("unable to process file `{file}` from repository `{url}`");
        let not_known = || format!("`{file}` of its generator `git`");
        let value = context.world.repositories.value(url, revision, file);
        let value = value.map_err(|unread| unread.of(&refused, &not_known()))?;
        let objects = match value {
            Value::Array(items) => items,
            other => vec![other],
        };
        for object in objects {
            let object = match object {
                Value::Object(map) => map,
                Value::Null => Map::new(),
                _ => {
                    return Err(Problem::Failed(format!("{refused}: it has neither a map nor a list of maps")));
                }
            };
            let whole = if context.templates.is_go() {
                object
            } else {
                flat(&object, &|_, _| false).into_iter().map(|(key, value)| (key, value.into())).collect()
            };
            found.push(with_path(whole, folder(file), Some(base(file)), spec, context));
        }
    }
    Ok(found)
}

/// Adds the parameters about the path to those of the file: below `path`, or below `PREFIX.path` when
/// `pathParamPrefix` is set.
fn with_path(
    content: Map<String, Value>,
    folder: &str,
    file: Option<&str>,
    spec: &Value,
    context: &Context<'_>,
) -> Parameters {
    let mut parameters = Parameters::from(content);
    let prefix = spec["pathParamPrefix"].as_str().filter(|prefix| !prefix.is_empty());
    let mut path = json!({"path": folder, "basename": base(folder), "basenameNormalized": normalized(base(folder))});
    if let Some(file) = file {
        path["filename"] = file.into();
        path["filenameNormalized"] = normalized(file).into();
    }
    let segments = folder.split('/');
    if context.templates.is_go() {
        path["segments"] = segments.collect();
        let (key, value) = prefix.map_or(("path", path.clone()), |prefix| (prefix, json!({"path": path})));
        parameters.insert(key.to_owned(), value);
        parameters.set_typed(format!("{}path.segments", prefix.map(|prefix| format!("{prefix}.")).unwrap_or_default()));
        return parameters;
    }
    let name = prefix.map_or_else(|| "path".to_owned(), |prefix| format!("{prefix}.path"));
    for (key, value) in path.as_object().into_iter().flatten() {
        let key = if key == "path" { name.clone() } else { format!("{name}.{key}") };
        parameters.insert(key, value.clone());
    }
    let indexed = segments.enumerate().filter(|(_, segment)| !segment.is_empty());
    parameters.extend(indexed.map(|(index, segment)| (format!("{name}[{index}]"), segment.into())));
    parameters
}

//! Flags for one source that are more natural than its parameters: `--values FILE` and `--set-value NAME=VALUE` for a chart, as helm has them,
//! and `@FILE` for a pasted block.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use argocd_jobs::settings::{CliParameter, CliValue, MAX_CONFIG_FILE};
use argocd_jobs::source;
use argocd_jobs::text::Message;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};

use super::help;

/// The flag for value files.
const VALUES: &str = "values";
/// The flag for single values.
const SET_VALUE: &str = "set-value";
/// The names of both.
pub(super) const NAMES: [&str; 2] = [VALUES, SET_VALUE];

/// The flags.
pub(super) fn flags() -> [Arg; 2] {
    let values = Arg::new(VALUES)
        .long(VALUES)
        .value_name("FILE")
        .help("A value file, as with `helm --values`; may be repeated")
        .long_help(
            "A value file, as with `helm --values`: a path from the working directory into the repository, or a URL. May be repeated; the \
             last file wins. Sets the parameter `helm-value-files`, whose paths are relative to the chart.",
        )
        .value_hint(ValueHint::FilePath)
        .conflicts_with("helm-value-files");
    let set_value = Arg::new(SET_VALUE)
        .long(SET_VALUE)
        .value_name("NAME=VALUE")
        .help("A single value, as with `helm --set`; may be repeated")
        .long_help(
            "A single value, as with `helm --set`; may be repeated. Sets the parameter `helm-parameters`. A comma in VALUE is part of the \
             value, as in an Application.",
        )
        .conflicts_with("helm-parameters");
    [values, set_value].map(|flag| flag.allow_hyphen_values(true).action(ArgAction::Append).help_heading(help::HELM))
}

/// The parameters that these flags stand for. `dir` is the source directory; none for standard input.
pub(super) fn typed(matches: &ArgMatches, dir: Option<&Path>) -> Result<Vec<CliParameter>> {
    let all = |id| matches.get_many::<String>(id).into_iter().flatten();
    let parameter =
        |name: &str, flag: &str, value| CliParameter { name: name.to_owned(), written: format!("--{flag}"), value };
    let mut typed = Vec::new();
    let files = all(VALUES).map(|file| value_file(file, dir.unwrap_or(Path::new(".")))).collect::<Result<Vec<_>>>()?;
    if !files.is_empty() {
        typed.push(parameter("helm-value-files", VALUES, CliValue::List(files)));
    }
    let values = all(SET_VALUE).map(|pair| single_value(pair)).collect::<Result<BTreeMap<_, _>>>()?;
    if !values.is_empty() {
        typed.push(parameter("helm-parameters", SET_VALUE, CliValue::Map(values)));
    }
    Ok(typed)
}

fn single_value(pair: &str) -> Result<(String, String)> {
    let split = pair.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = split.ok_or_else(|| {
        let message = Message::new(format!("flag `--{SET_VALUE}`: invalid value `{pair}`, expected `NAME=VALUE`"));
        anyhow!(message)
    })?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The entry of `helm-value-files` for a file that is named from the working directory: its path from the root of the repository, which is
/// the same in every version of the repository. The file itself is looked at where the chart is rendered.
fn value_file(file: &str, dir: &Path) -> Result<String> {
    if file.contains("://") {
        return Ok(file.to_owned());
    }
    let refused = |text: &str, help: &str| anyhow!(Message::new(text).about(format!("`--{VALUES} {file}`")).help(help));
    let path = Path::new(file);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !path.is_file() {
        return Err(refused(
            "no such file",
            "paths are relative to the working directory; those of `--helm-value-files` are relative to the chart",
        ));
    }
    let found = || -> io::Result<(PathBuf, PathBuf)> { Ok((fs::canonicalize(folder)?, source::repository_root(dir)?)) };
    let (folder, root) = found().map_err(|error| {
        refused(&format!("cannot be read: {error}"), "check the permissions of the file and its folders")
    })?;
    let below = folder.strip_prefix(&root).ok().zip(path.file_name()).map(|(below, name)| below.join(name));
    let Some(below) = below else {
        let help =
            format!("put the file into the repository `{}`: a chart cannot read files outside it", root.display());
        return Err(refused("is outside the repository", &help));
    };
    match below.to_str().filter(|below| !below.contains(['*', '?', '[', '$', '{'])) {
        Some(below) => Ok(format!("/{below}")),
        None => Err(refused(
            "has a character in its path that Argo CD does not accept in the path of a value file",
            "rename the file or folder",
        )),
    }
}

/// The text of a block that is typed, and how messages call it: the value itself, or what is in the file behind an `@`. No YAML begins with
/// that character.
pub(super) fn block(flag: &str, value: &str) -> Result<(String, String)> {
    let Some(file) = value.strip_prefix('@') else { return Ok((value.to_owned(), flag.to_owned())) };
    let written = format!("{flag} {value}");
    let wrong = |text: String| Message::new(text).about(format!("`{written}`"));
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(MAX_CONFIG_FILE + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        let message = wrong(format!("cannot be read: {error}"));
        return Err(anyhow!(message.help("the path is relative to the working directory")));
    }
    if bytes.len() as u64 > MAX_CONFIG_FILE {
        return Err(anyhow!(wrong(format!("the file is larger than {} KiB", MAX_CONFIG_FILE >> 10))));
    }
    let text = String::from_utf8(bytes).map_err(|_| anyhow!(wrong("the file is not UTF-8".to_owned())))?;
    Ok((text.strip_prefix('\u{feff}').map(ToOwned::to_owned).unwrap_or(text), written))
}

//! Flags for one source that are more natural than its parameters: `--values FILE` and `--set-value NAME=VALUE` for a chart, as helm has them,
//! and `@FILE` for a pasted block.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use rewrite::settings::{CliParameter, CliValue, MAX_CONFIG_FILE};
use system::{PathText, canonical};
use text::Message;

use crate::paths::or_here;

/// The flag for value files.
pub const VALUES: &str = "values";
/// The flag for single values.
pub const SET_VALUE: &str = "set-value";

/// The values that were typed for a chart.
#[derive(Clone, Debug, Default)]
pub struct TypedValues {
    /// The files, in the order in which they were typed.
    pub files: Vec<String>,
    /// The single values, by their names.
    pub values: BTreeMap<String, String>,
}

impl TypedValues {
    /// The first of these flags that was typed.
    pub(crate) fn first_flag(&self) -> Option<&'static str> {
        match (self.files.is_empty(), self.values.is_empty()) {
            (false, _) => Some(VALUES),
            (true, false) => Some(SET_VALUE),
            (true, true) => None,
        }
    }

    /// The parameters that the flags stand for. `dir` is the source directory; none for the working directory.
    pub(crate) fn parameters(&self, dir: Option<&Path>) -> Result<Vec<CliParameter>> {
        let mut parameters = Vec::new();
        let dir = dir.unwrap_or(Path::new("."));
        if !self.files.is_empty() {
            let files = self.files.iter().map(|file| value_file(VALUES, file, dir)).collect::<Result<_>>()?;
            parameters.push(CliParameter::by_flag(VALUES, "helm-value-files", CliValue::List(files)));
        }
        if !self.values.is_empty() {
            parameters.push(CliParameter::by_flag(SET_VALUE, "helm-parameters", CliValue::Map(self.values.clone())));
        }
        Ok(parameters)
    }
}

/// The entry of `helm-value-files` for a file that is named from the working directory: its path from the root of the repository, which is
/// the same in every version of the repository. The file itself is looked at where the chart is rendered. `flag` is the flag that names it.
pub(crate) fn value_file(flag: &str, file: &str, dir: &Path) -> Result<String> {
    if file.contains("://") {
        return Ok(file.to_owned());
    }
    let refused = |text: &str, help: &str| anyhow!(Message::new(text).about(format!("`--{flag} {file}`")).help(help));
    let path = Path::new(file);
    let folder = path.parent().map_or(Path::new("."), or_here);
    if !path.is_file() {
        return Err(refused(
            "no such file",
            "paths are relative to the working directory; those of `--helm-value-files` are relative to the chart",
        ));
    }
    let found = || -> io::Result<(PathBuf, PathBuf)> { Ok((canonical(folder)?, checkout::repository_root(dir)?)) };
    let (folder, root) = found().map_err(|error| {
        refused(&format!("cannot be read: {error}"), "check the permissions of the file and its folders")
    })?;
    let below = folder.strip_prefix(&root).ok().zip(path.file_name()).map(|(below, name)| below.join(name));
    let Some(below) = below else {
        let help = format!("put the file into the repository `{}`: a chart cannot read files outside it", root.shown());
        return Err(refused("is outside the repository", &help));
    };
    match below.to_str().map(|_| below.in_slashes()).filter(|below| !below.contains(['*', '?', '[', '$', '{'])) {
        Some(below) => Ok(format!("/{below}")),
        None => Err(refused(
            "has a character in its path that Argo CD does not accept in the path of a value file",
            "rename the file or folder",
        )),
    }
}

/// The text of a block that is typed, and how messages call it: the value itself, or the text of the file after an `@`. No YAML begins with
/// that character.
pub fn block(flag: &str, value: &str) -> Result<(String, String)> {
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

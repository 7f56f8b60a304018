//! A case: a folder `testdata/<subcommand>/<behaviour>/`, and how its `case` file is read.
//!
//! ```text
//! # what this shows
//! ARGOCD_APP_NAMESPACE=shop
//! generate --strategy hook --include '{a,b} c.yaml'
//! < in/stream.yaml
//! ```

#![allow(dead_code, reason = "each test program uses its part")]

use std::fs;
use std::path::{Path, PathBuf};

/// One case, read from its folder.
#[derive(Debug)]
pub(crate) struct Case {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// `<subcommand>/<behaviour>`, as messages name it.
    pub(crate) name: String,
    /// The whole environment of the program.
    pub(crate) environment: Vec<(String, String)>,
    /// What stands behind the program's name.
    pub(crate) arguments: Vec<String>,
    /// The file that is standard input; otherwise it is empty.
    pub(crate) input: Option<PathBuf>,
}

/// Every case under `testdata/`, in the order of their names.
pub(crate) fn all() -> Vec<Case> {
    let root = root();
    let mut dirs: Vec<PathBuf> =
        folders(&root).iter().flat_map(|group| folders(group)).filter(|dir| dir.join("case").exists()).collect();
    dirs.sort();
    dirs.iter().map(|dir| Case::read(&root, dir)).collect()
}

/// `testdata/`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// The folders of `dir`.
fn folders(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

impl Case {
    /// Reads the `case` file of `dir`.
    fn read(root: &Path, dir: &Path) -> Self {
        let name = dir.strip_prefix(root).unwrap().display().to_string();
        let text = fs::read_to_string(dir.join("case")).unwrap();
        assert!(text.starts_with("# "), "{name}/case begins with a line `# what this shows`");
        let mut case = Self { dir: dir.to_owned(), name, environment: Vec::new(), arguments: Vec::new(), input: None };
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            if let Some(file) = line.strip_prefix("< ") {
                case.input = Some(dir.join(file));
            } else if case.arguments.is_empty()
                && let Some((key, value)) = variable(line)
            {
                case.environment.push((key.to_owned(), value.to_owned()));
            } else {
                case.arguments.extend(words(line));
            }
        }
        case
    }

    /// The files of `in/`, at any depth, that Argo CD could take for manifests, and the file of standard input.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let mut found = manifests_under(&self.dir.join("in"));
        found.extend(self.input.clone().filter(|input| !found.contains(input)));
        found
    }
}

/// The `.yaml`, `.yml` and `.json` files under `dir`, sorted; nothing when there is no such folder. Links are not followed.
pub(crate) fn manifests_under(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = walkdir::WalkDir::new(dir)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|ext| ["yaml", "yml", "json"].iter().any(|known| ext == *known)))
        .collect();
    found.sort();
    found
}

/// `KEY=VALUE` with a key in capitals; the value is everything behind the sign.
fn variable(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let is_key = key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_key && !key.is_empty()).then_some((key, value))
}

/// The words of a line. `'…'` and `"…"` keep what is inside together, as it stands: there are no escapes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote is left open in `{line}`");
    words.extend(word);
    words
}

#[test]
fn a_line_is_split_at_white_space_outside_quotes() {
    assert_eq!(words("generate  --include '{a, b}' x\" y\"z ''"), ["generate", "--include", "{a, b}", "x yz", ""]);
}

#[test]
fn a_variable_has_a_key_in_capitals() {
    assert_eq!(variable("ARGOCD_ENV_A=b=c"), Some(("ARGOCD_ENV_A", "b=c")));
    assert_eq!(variable("generate --set a=b"), None);
}

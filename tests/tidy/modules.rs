//! Every file is a module of some target, and every module of the tests is in their page. Only a reader of `mod` knows the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod};
use system::{PathText, canonical};

use super::dependencies::cargo;
use super::{root, rust_files};

/// Follows `mod`, from the file of a target on.
struct Reader {
    /// The files of all modules.
    files: BTreeSet<PathBuf>,
    /// The file that is read.
    file: PathBuf,
    /// The folder in which the modules that the current module declares are.
    folder: PathBuf,
}

impl Reader {
    /// The files of a target. Panics at a file that cannot be read or parsed.
    fn of(target: &Path) -> BTreeSet<PathBuf> {
        let folder = target.parent().unwrap().to_owned();
        let mut reader = Self { files: BTreeSet::new(), file: target.to_owned(), folder };
        reader.read();
        reader.files
    }

    fn read(&mut self) {
        self.files.insert(canonical(&self.file).unwrap());
        let text = fs::read_to_string(&self.file).unwrap();
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", self.file.shown()));
        self.visit_file(&parsed);
    }

    /// The file of a module that the current module declares.
    fn declared(&self, item: &ItemMod) -> PathBuf {
        if let Some(path) = item.attrs.iter().find_map(path_attribute) {
            return self.file.parent().unwrap().join(path);
        }
        let file = self.folder.join(format!("{}.rs", item.ident));
        if file.exists() { file } else { self.folder.join(item.ident.to_string()).join("mod.rs") }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let (file, folder) = (self.file.clone(), self.folder.clone());
        if item.content.is_some() {
            self.folder.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
        } else {
            self.file = self.declared(item);
            let is_named = self.file.file_stem().is_some_and(|stem| stem != "mod");
            self.folder = if is_named { self.file.with_extension("") } else { self.file.parent().unwrap().to_owned() };
            self.read();
        }
        (self.file, self.folder) = (file, folder);
    }
}

/// The file in `#[path = "file"]`.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    let value = &attribute.meta.require_name_value().ok().filter(|value| value.path.is_ident("path"))?.value;
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(file), .. }) = value else { return None };
    Some(file.value())
}

#[test]
fn every_file_is_compiled() {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().unwrap());
    let compiled: BTreeSet<PathBuf> =
        targets.flat_map(|target| Reader::of(Path::new(target["src_path"].as_str().unwrap()))).collect();
    assert!(compiled.len() > 500, "only {} files are read", compiled.len());
    let files = ["src", "crates", "tests", "benches", "release", "interop"].into_iter().flat_map(rust_files);
    let missing: Vec<PathBuf> = files.filter(|file| !compiled.contains(&canonical(file).unwrap())).collect();
    assert!(missing.is_empty(), "no target compiles these files: {missing:?}");
}

#[test]
fn every_module_of_the_tests_is_in_their_readme() {
    let root = root();
    let readme = fs::read_to_string(root.join("tests/README.md")).unwrap();
    let is_there = |name: &str| [".rs", "/"].iter().any(|end| readme.contains(&format!("`{name}{end}`")));
    let mut missing = Vec::new();
    for main in ["tests/suite/main.rs", "tests/slow/main.rs"] {
        let text = fs::read_to_string(root.join(main)).unwrap();
        let names = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        missing.extend(names.filter(|name| !is_there(name)).map(str::to_owned));
    }
    assert!(missing.is_empty(), "tests/README.md does not say what these modules test: {missing:?}");
}

//! The modules as the compiler sees them, read with a syntax tree: imports point downwards and never run in a circle, and every file is a module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::Value;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, ItemMod, ItemUse, Macro, UseTree, Visibility};

use super::dependencies::cargo;
use super::rust_files;
use system::{PathText, canonical};

/// Modules of the library, ground floor first. Modules on one line do not import each other.
const FLOORS: &[&[&str]] = &[
    &["system"],
    &["text", "semver", "argocd", "process", "threads"],
    &["manifest", "yaml"],
    &["kubernetes", "applicationset"],
    &["hash"],
    &["strategy"],
    &["settings"],
    &["plan"],
    &["survey"],
    &["finding"],
    &["preview"],
    &["source", "output", "plugin"],
    &["folders", "version", "golden", "applications"],
    &["tidy"],
];

/// The names of a path, as `crate::a::b`, or of a module from the top one down. Those of other targets than the library begin with the file of the target.
type Names = Vec<String>;

/// The modules of all targets.
type Modules = BTreeMap<Names, Module>;

/// The file of a module, and what it names.
struct Module {
    file: PathBuf,
    is_test: bool,
    /// The names that `use` and `pub use` declare, each with its path.
    imports: Vec<(String, Names)>,
    /// The paths in its code.
    paths: Vec<Names>,
}

/// Reads modules, from the file of a target on.
struct Reader {
    modules: Modules,
    target: PathBuf,
    /// The module that is read, and its file.
    at: Names,
    file: PathBuf,
    is_test: bool,
}

impl Reader {
    /// The modules of a target. Panics at a file that cannot be read or parsed.
    fn of(target: &Path) -> Modules {
        let name = target.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().shown().to_string();
        let is_test = !name.starts_with("src/");
        let at = if name == "src/lib.rs" { Vec::new() } else { vec![name] };
        let (target, file) = (target.to_owned(), target.to_owned());
        let mut reader = Self { modules: Modules::new(), target, at, file, is_test };
        reader.read();
        reader.modules
    }

    fn read(&mut self) {
        let text = fs::read_to_string(&self.file).unwrap_or_else(|error| panic!("{}: {error}", self.file.shown()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", self.file.shown()));
        self.items(&parsed.items);
    }

    fn items(&mut self, items: &[Item]) {
        let module = Module { file: self.file.clone(), is_test: self.is_test, imports: Vec::new(), paths: Vec::new() };
        self.modules.insert(self.at.clone(), module);
        items.iter().for_each(|item| self.visit_item(item));
    }

    fn module(&mut self) -> &mut Module {
        self.modules.get_mut(&self.at).unwrap()
    }

    /// The file of a module that the current file declares.
    fn declared(&self, item: &ItemMod) -> PathBuf {
        let folder = self.file.parent().unwrap();
        if let Some(path) = item.attrs.iter().find_map(path_attribute) {
            return folder.join(path);
        }
        let is_first = self.file == self.target || self.file.ends_with("mod.rs");
        let folder = if is_first { folder.to_owned() } else { self.file.with_extension("") };
        let file = folder.join(format!("{}.rs", item.ident));
        if file.exists() { file } else { folder.join(item.ident.to_string()).join("mod.rs") }
    }

    /// Adds all names of one `use`.
    fn add(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &Ident| [before, &[name.to_string()]].concat();
        let (name, of) = match tree {
            UseTree::Path(path) => return self.add(&with(&path.ident), &path.tree),
            UseTree::Group(group) => return group.items.iter().for_each(|tree| self.add(before, tree)),
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.rename, &rename.ident),
            UseTree::Glob(_) => {
                // `use Enum::*` is clear: it imports the variants.
                let is_enum = before.last().is_some_and(|name| name.starts_with(char::is_uppercase));
                assert!(self.is_test || is_enum, "{}: `*` does not say what is imported", self.file.shown());
                return self.module().paths.push(before.to_vec());
            }
        };
        let path = if of == "self" { before.to_vec() } else { with(of) };
        let name = if name == "self" { path.last().unwrap().clone() } else { name.to_string() };
        self.module().imports.push((name, path));
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let (file, is_test) = (self.file.clone(), self.is_test);
        self.at.push(item.ident.to_string());
        self.is_test |= item.attrs.iter().any(is_cfg_test);
        match &item.content {
            Some((_, items)) => self.items(items),
            None => {
                self.file = self.declared(item);
                self.read();
            }
        }
        self.at.pop();
        (self.file, self.is_test) = (file, is_test);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.module().paths.push(names);
        visit::visit_path(self, path);
    }

    /// The content of a macro has no syntax tree, only tokens: in their text, `a::b` is `a :: b`.
    fn visit_macro(&mut self, found: &'ast Macro) {
        static PATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+(?: :: \w+)+").unwrap());
        let text = found.tokens.to_string();
        let paths = PATH.find_iter(&text).map(|path| path.as_str().split(" :: ").map(str::to_owned).collect());
        self.module().paths.extend(paths);
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn is_cfg_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
}

/// The file in `#[path = "file"]`.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    let value = &attribute.meta.require_name_value().ok().filter(|value| value.path.is_ident("path"))?.value;
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(file), .. }) = value else { return None };
    Some(file.value())
}

static MODULES: LazyLock<Modules> = LazyLock::new(|| {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let targets = metadata["packages"][0]["targets"].as_array().unwrap();
    targets.iter().flat_map(|target| Reader::of(Path::new(target["src_path"].as_str().unwrap()))).collect()
});

/// The module that defines the item that a path in the module `at` names; `None` for an item of another crate and for a local one.
fn definition(at: &[String], path: &[String]) -> Option<Names> {
    let (first, mut rest) = path.split_first()?;
    let mut module = match first.as_str() {
        "crate" => at.iter().take(1).filter(|name| name.ends_with(".rs")).cloned().collect(),
        "argocd_jobs" => Vec::new(),
        "self" => at.to_vec(),
        "super" => at.split_last()?.1.to_vec(),
        _ => {
            rest = path;
            at.to_vec()
        }
    };
    while let Some((name, after)) = rest.split_first() {
        let child = [&module[..], std::slice::from_ref(name)].concat();
        let import = || MODULES[&module].imports.iter().find(|(known, _)| known == name);
        if name == "super" {
            module.pop();
        } else if MODULES.contains_key(&child) {
            module = child;
        } else if let Some((_, path)) = import() {
            // `use anyhow::anyhow`: a crate.
            return if path[0] == *name { None } else { definition(&module, &[path, after].concat()) };
        } else {
            return (rest.len() < path.len()).then_some(module);
        }
        rest = after;
    }
    Some(module)
}

/// An import from one child of a module to another: the module, and the two children.
type Arrow = (Names, String, String);

/// All imports, each with a sentence for the message. Those of tests are left out unless `with_tests` is set.
fn arrows(with_tests: bool) -> BTreeMap<Arrow, String> {
    let mut found = BTreeMap::new();
    for (from, module) in MODULES.iter().filter(|(_, module)| with_tests || !module.is_test) {
        for path in module.imports.iter().map(|(_, path)| path).chain(&module.paths) {
            let Some(to) = definition(from, path) else { continue };
            let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (from.get(same), to.get(same)) {
                let says = format!("{} names {}", from.join("/"), path.join("::"));
                found.entry((to[..same].to_vec(), one.clone(), other.clone())).or_insert(says);
            }
        }
    }
    found
}

/// Whether one child of a module imports another, directly or through others.
fn leads(arrows: &BTreeMap<Arrow, String>, (module, from, to): (&Names, &String, &String)) -> bool {
    let mut reached = BTreeSet::from([from]);
    loop {
        let next = arrows.keys().filter(|(level, one, _)| level == module && reached.contains(one));
        let next: Vec<&String> = next.map(|(_, _, other)| other).filter(|other| !reached.contains(other)).collect();
        if next.is_empty() {
            return reached.contains(to);
        }
        reached.extend(next);
    }
}

#[test]
fn imports_never_run_in_a_circle() {
    assert!(MODULES.len() > 500, "only {} modules are read", MODULES.len());
    let arrows = arrows(false);
    let is_in_one = |(module, from, to): &Arrow| leads(&arrows, (module, to, from));
    let found: Vec<&str> = arrows.iter().filter(|(arrow, _)| is_in_one(arrow)).map(|(_, says)| &**says).collect();
    assert!(found.is_empty(), "imports run in a circle:\n{}", found.join("\n"));
}

#[test]
fn modules_import_only_from_lower_floors() {
    let floor = |module: &str| {
        let floor = FLOORS.iter().position(|modules| modules.contains(&module));
        floor.unwrap_or_else(|| panic!("{module} is on no floor"))
    };
    // The other targets are above all floors.
    let is_upwards = |(level, from, to): &Arrow| level.is_empty() && !from.ends_with(".rs") && floor(from) <= floor(to);
    let wrong: Vec<String> =
        arrows(true).into_iter().filter(|(arrow, _)| is_upwards(arrow)).map(|(_, says)| says).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_is_compiled() {
    let compiled: BTreeSet<PathBuf> = MODULES.values().map(|module| canonical(&module.file).unwrap()).collect();
    let files = ["src", "tests", "benches", "release", "interop"].into_iter().flat_map(rust_files);
    let missing: Vec<PathBuf> = files.filter(|file| !compiled.contains(&canonical(file).unwrap())).collect();
    assert!(missing.is_empty(), "no target compiles these files: {missing:?}");
}

#[test]
fn every_module_of_the_tests_is_in_their_readme() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/README.md")).unwrap();
    let is_there = |name: &str| [".rs", "/"].iter().any(|end| readme.contains(&format!("`{name}{end}`")));
    let modules = MODULES
        .keys()
        .filter(|names| names.len() == 2 && ["tests/suite/main.rs", "tests/slow/main.rs"].contains(&names[0].as_str()));
    let missing: Vec<&Names> = modules.filter(|names| !is_there(&names[1])).collect();
    assert!(missing.is_empty(), "tests/README.md does not say what these modules test: {missing:?}");
}

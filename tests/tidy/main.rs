//! Every table against its files, and the rules of the house that no other tool knows.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "cargo and git are asked, and paths are those of Linux and macOS")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use kube_jobs::argocd::{FACTS, FactRow, Version};
use lint::fix::FIXES;
use lint::{RULES, Rule};
use report::plugin::announcement::plugin_yaml;
use rewrite::settings::{PARAMETERS, Parameter, Scope, SourceKind};
use rewrite::strategy::{self, AUTO_RULES, AutoRule, STRATEGIES};
use system::PathText;

mod argocd_tools;
mod contributing;
mod coordinates;
mod dependencies;
mod licences;
mod modules;
mod pages;
mod paths;
mod readmes;
mod versions;

/// A file with more lines holds two ideas.
const MAX_LINES: usize = 400;

#[test]
fn files_hold_one_idea_and_say_which() {
    for path in ["src", "crates", "tests", "benches"].into_iter().flat_map(rust_files) {
        let text = fs::read_to_string(&path).unwrap();
        let says = ["//! ", "#![doc = include_str!(\"../README.md\")]"].iter().any(|begin| text.starts_with(begin));
        assert!(says, "{} does not say what it is for", path.shown());
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines", path.shown());
    }
}

/// What a system is called in the standard library, in conditions and by the crates that exist on some systems only.
const SYSTEMS: [&str; 8] =
    ["cfg(", "cfg!(", "os::unix", "os::linux", "os::windows", "rustix::", "libc::", "landlock::"];

/// No lint knows `cfg`.
#[test]
fn few_crates_know_on_which_system_they_run() {
    let knows = |text: &str| {
        text.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| {
            let asks = |name: &&str| line.contains(*name) && !line.contains("cfg(test)");
            SYSTEMS.iter().any(asks)
        })
    };
    let code = |path: &Path| fs::read_to_string(path).unwrap().split("#[cfg(test)]").next().map(knows);
    let is_elsewhere = |path: &Path| {
        let below = path.strip_prefix(root()).unwrap();
        let is_test = below.iter().any(|part| ["tests", "tests.rs", "scratch"].iter().any(|name| part == *name));
        let known = ["crates/system", "crates/confined/src/linux", "crates/confined/src/lib.rs"];
        !is_test && !known.iter().any(|known| below.starts_with(known))
    };
    let files = source_files();
    let wrong: Vec<_> = files.iter().filter(|path| is_elsewhere(path) && code(path) == Some(true)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_strategy_has_a_file_and_a_case() {
    let root = root();
    let cases = files_of_cases("generate", "case");
    let is_named = |id: &str| cases.iter().any(|(case, _)| case.contains(id));
    for row in STRATEGIES {
        let is_written = !matches!(row.id, "auto" | "keep");
        let file = root.join(format!("crates/rewrite/src/strategy/{}.rs", row.id.replace('-', "_")));
        assert_eq!(file.exists(), is_written, "{}", file.shown());
        assert!(is_named(row.id), "no case for {}", row.id);
    }
    // What helm and kustomize are called with is in cases of its own.
    let is_for_tools = |row: &&Parameter| row.tool().is_some() || row.scope == Scope::Platform;
    for parameter in PARAMETERS.iter().filter(is_for_tools) {
        let names = [format!("{{name: {},", parameter.name), format!("ARGOCD_JOBS_{}: ", parameter.variable())];
        let is_shown = ["helm", "kustomize"].iter().any(|tool| {
            let cases = fs::read_to_string(root.join(format!("testdata/render/{tool}.yaml"))).unwrap();
            names.iter().any(|name| cases.contains(name))
        });
        assert!(is_shown, "no case for {}", parameter.name);
    }
    for parameter in PARAMETERS.iter().filter(|row| !is_for_tools(row)) {
        let flag = format!("--{}", parameter.name);
        let is_shown = is_named(parameter.name) || cases.iter().any(|(_, text)| text.contains(&flag));
        assert!(is_shown, "no case for {}", parameter.name);
    }
}

/// The files called `file` of the cases of a sub-command, which are two folders below it: the name of the case, and the text.
fn files_of_cases(command: &str, file: &str) -> Vec<(String, String)> {
    let folder = root().join("testdata").join(command);
    let found =
        walkdir::WalkDir::new(folder).min_depth(3).max_depth(3).into_iter().map(|entry| entry.unwrap().into_path());
    let found = found.filter(|path| path.ends_with(file));
    let name = |path: &Path| path.parent()?.file_name()?.to_str().map(str::to_owned);
    found.map(|path| (name(&path).unwrap(), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn every_finding_has_a_file_and_a_case() {
    let root = root();
    let entries = fs::read_dir(root.join("crates/lint/src/rules")).unwrap();
    let mut files: BTreeSet<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.remove("mod.rs");
    let wanted: BTreeSet<String> = RULES.iter().map(|row| format!("{}.rs", row.id.replace('-', "_"))).collect();
    assert_eq!(files, wanted);
    assert!(RULES.is_sorted_by_key(|row| row.id), "the table is not sorted by id");
    let outputs = files_of_cases("check", "stdout.txt");
    let fires = |id: &str| outputs.iter().any(|(_, out)| out.contains(&format!("[{id}]")));
    // A case has no helm: tests/slow/render/ shows these.
    let is_rendered = |row: &&Rule| row.example.wrong.template.is_some() || row.id == "random-value";
    let rules = RULES.iter().filter(|row| !is_rendered(row));
    let silent: Vec<&str> = rules.map(|row| row.id).filter(|id| !fires(id)).collect();
    assert!(silent.is_empty(), "no case under testdata/check shows {silent:?}");
}

#[test]
fn every_format_is_searched_for_secrets() {
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let searched = read(&root().join("tests/laws/seen.rs"));
    let files = ["check", "preview"].into_iter().flat_map(|folder| rust_files(&format!("crates/report/src/{folder}")));
    let is_format = |path: &PathBuf| {
        let is_of_folder = path.parent().is_some_and(|folder| folder.ends_with("check") || folder.ends_with("preview"));
        is_of_folder && read(path).contains("pub fn print")
    };
    let formats: Vec<PathBuf> = files.filter(is_format).collect();
    assert!(formats.len() >= 8, "{formats:?}");
    for path in formats {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        // The text of a preview is a method of `View`, and its JSON is a module.
        let is_searched = searched.contains(&format!("(\"{folder} {name}\", "));
        assert!(is_searched || name == "compared", "tests/laws/seen.rs does not print {folder} {name}");
    }
}

#[test]
fn the_documents_have_the_tables_of_strategies() {
    let row = |row: &strategy::Row| format!("| `{}` | {} | {} | {} |\n", row.id, row.writes, row.runs, row.serves);
    let rows: String = STRATEGIES.iter().map(row).collect();
    let head = "| strategy | what it writes | when the Job runs | for |\n|---|---|---|---|\n";
    keep("docs/strategies.md", head, "\n", &rows);
    keep(
        "docs/strategies.md",
        "<!-- Made of the table of strategies by `UPDATE=1 cargo test`. -->\n",
        "\0",
        &pages::strategies(),
    );
}

#[test]
fn the_page_of_strategies_has_the_rules_of_auto() {
    let row =
        |(number, row): (usize, &AutoRule)| format!("| {number} | {} | {} | {} |\n", row.job, row.becomes, row.runs);
    let rows: String = (1..).zip(&AUTO_RULES).map(row).collect();
    keep("docs/strategies.md", "| | your Job | with the plugin it | and runs |\n|---|---|---|---|\n", "\n", &rows);
}

#[test]
fn the_page_of_versions_has_the_table_of_facts() {
    let since = |row: &FactRow| row.since.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let row = |row: &FactRow| format!("| {} | {} | {} | {} |\n", since(row), row.before, row.now, row.source);
    let rows: String = FACTS.iter().map(row).collect();
    keep("docs/versions.md", "| since | before | from then on | source |\n|---|---|---|---|\n", "\n", &rows);
    let text = fs::read_to_string(root().join("docs/versions.md")).unwrap();
    assert!(text.contains(&format!("is {},", Version::NEWEST)), "docs/versions.md does not name the newest version");
    let default = Parameter::find("argocd-version").map(|row| row.default);
    assert_eq!(default, Some(Version::NEWEST.to_string().as_str()));
}

#[test]
fn the_page_of_findings_is_up_to_date() {
    keep(
        "docs/findings.md",
        "<!-- Made of the table of findings by `UPDATE=1 cargo test`. -->\n",
        "\0",
        &pages::page(),
    );
}

#[test]
fn the_documents_have_the_table_of_fixes() {
    let rows: String = FIXES.iter().map(|fix| fix.markdown() + "\n").collect();
    keep("docs/check.md", "| finding | `--fix` | `--fix=all` also |\n|---|---|---|\n", "\n", &rows);
}

#[test]
fn what_is_made_of_the_table_of_parameters_is_up_to_date() {
    let groups = [
        ("## Parameters\n\n", (None, false)),
        ("## Helm\n\n", (Some(SourceKind::Helm), false)),
        ("## kustomize\n\n", (Some(SourceKind::Kustomize), false)),
        ("## What helm and kustomize may do\n\n", (None, true)),
    ];
    for (heading, group) in groups {
        let is_in = |row: &&Parameter| (row.tool(), row.scope == Scope::Platform) == group;
        let rows: String = PARAMETERS.iter().filter(is_in).map(|row| row.markdown() + "\n").collect();
        let table =
            format!("| parameter | what it does | what it takes | default | where |\n|---|---|---|---|---|\n{rows}");
        keep("docs/configuration.md", heading, "\n", &table);
    }
    keep("plugin.yaml", "  # Made of the table of parameters by `UPDATE=1 cargo test`.\n", "\0", &plugin_yaml());
}

/// Editors take the schema from its address, which docs/configuration.md has.
#[test]
fn the_schema_of_the_config_file_is_up_to_date() {
    let begin = "\n  \"additionalProperties\"";
    let schema = report::plugin::schema();
    let (_, rest) = schema.split_once(begin).unwrap();
    keep("schema/config.v1.json", begin, "\0", &format!("{rest}\n"));
    let page = fs::read_to_string(root().join("docs/configuration.md")).unwrap();
    assert!(page.contains("/raw/main/schema/config.v1.json\n"), "docs/configuration.md lacks the address");
}

/// True when texts are written instead of compared.
fn is_update() -> bool {
    std::env::var_os("UPDATE").is_some()
}

/// Tests run at the same time, and more than one writes to a file.
fn only_writer() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Compares the part of a file from `begin` to the first `end` with what it has to be, or writes it there.
fn keep(file: &str, begin: &str, end: &str, wanted: &str) {
    let _guard = only_writer();
    let path = root().join(file);
    let text = fs::read_to_string(&path).unwrap();
    let start = text.find(begin).unwrap_or_else(|| panic!("{file} lacks {begin:?}")) + begin.len();
    let is_line = |at: &usize| *at == start || text.as_bytes()[*at - 1] == b'\n';
    let stop = text[start..].match_indices(end).map(|(at, _)| start + at).find(is_line).unwrap_or(text.len());
    if is_update() {
        fs::write(&path, format!("{}{wanted}{}", &text[..start], &text[stop..])).unwrap();
    } else {
        assert!(&text[start..stop] == wanted, "{file} is not up to date; `UPDATE=1 cargo test` writes\n{wanted}");
    }
}

/// The root of this repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of the program and of its libraries.
fn source_files() -> Vec<PathBuf> {
    ["src", "crates"].into_iter().flat_map(rust_files).collect()
}

/// The Rust files in a folder of the project and below it.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

//! The switches of the tests in the environment. No other module of the tests reads it.
//!
//! `.ci/run` sets [`TOOLS`](tool) and [`STATIC_PROGRAM`](static_program); `cargo test` alone prints which tests it
//! skips.

#![allow(clippy::disallowed_methods, reason = "the environment says what the tests do")]

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use checkout::Tools;

/// `UPDATE=1`: expectations are written instead of compared.
pub(crate) fn update() -> bool {
    is_set("UPDATE")
}

/// `LONG=1`: larger inputs. `.ci/run` runs the module `hostile` with it, on the released program, which needs a tenth
/// of the time.
pub(crate) fn long() -> bool {
    is_set("LONG")
}

/// `SHOW=1`: prints lines with measurements, for example how close the memory is to its limit.
pub(crate) fn show(line: &str) {
    if is_set("SHOW") {
        io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// `PROGRAM`: the program under test, instead of the program that cargo has built.
pub(crate) fn program() -> PathBuf {
    value("PROGRAM").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_argocd-jobs")), |path| absolute(path.into()))
}

/// The value of a variable with a text or a path; `None` when it is missing or empty.
fn value(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// `CASE=text`: only the golden cases whose name contains the text.
pub(crate) fn case() -> String {
    env::var("CASE").unwrap_or_default()
}

/// `UPDATES=file`: pairs of Jobs and Kubernetes' verdicts on them, in another file than the committed one.
pub(crate) fn updates() -> Option<PathBuf> {
    value("UPDATES").map(PathBuf::from)
}

/// `KUBERNETES=1.36`: the version that gave the verdicts in that file.
pub(crate) fn updates_kubernetes() -> Option<String> {
    value("KUBERNETES").and_then(|version| version.into_string().ok())
}

/// The developer's `PATH`, for tests that run git.
pub(crate) fn path() -> OsString {
    env::var_os("PATH").unwrap()
}

/// The programs on the developer's `PATH`.
pub(crate) fn programs() -> Tools {
    Tools::of(&env::vars().collect())
}

/// A value for a helper, which is a test in the same test program; `None` in an ordinary run.
pub(crate) fn helper(name: &str) -> Option<String> {
    value(name).map(|value| value.into_string().expect(name))
}

/// A whole number; `otherwise` when the variable is missing.
pub(crate) fn number(name: &str, otherwise: usize) -> usize {
    value(name).map_or(otherwise, |value| value.to_str().and_then(|text| text.parse().ok()).expect(name))
}

/// `STATIC_PROGRAM`: the released form of the program, built by `cargo static`.
pub(crate) fn static_program() -> Option<PathBuf> {
    let program = value("STATIC_PROGRAM").map(PathBuf::from);
    if program.is_none() {
        not_run(
            "the tests of the static program: STATIC_PROGRAM does not name it (cargo static; STATIC_PROGRAM=target/release-lto/argocd-jobs)",
        );
    }
    program.map(absolute)
}

/// The path of a tool in the directory `TOOLS`, where `interop/tools/build` puts it.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let tools = value("TOOLS").map(PathBuf::from);
    if tools.is_none() {
        not_run(&format!(
            "a test with {name}: TOOLS does not name the directory that holds it (interop/tools/build; TOOLS=target/tools)"
        ));
    }
    tools.map(|tools| absolute(tools.join(name)))
}

/// Prints that a test is skipped. Writes to standard error directly, because the harness hides the output of
/// `eprintln!` in a passing test.
pub(crate) fn not_run(what: &str) {
    let line = format!("not run: {what}\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
}

fn is_set(name: &str) -> bool {
    value(name).is_some()
}

/// The path from the root of the repository, where cargo runs the tests.
fn absolute(path: PathBuf) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

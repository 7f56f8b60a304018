//! Stand-ins for missing parts of a chart, so that the rest of it can be rendered: an empty chart for a dependency, and no check of
//! the values for a schema that refers to a file or address outside of itself.
//!
//! Only where a chart is looked at ([`Rendering::stubs`]), and never where its output is applied, which would be wrong.
//!
//! [`Rendering::stubs`]: crate::Rendering::stubs

use std::fs;
use std::path::{Path, PathBuf};

use checkout::clean;
use confined::{Ended, Wall};
use rewrite::manifest::LeftOut;
use system::{canonical, symlink};

use crate::helm::dependencies::{self, Dependency};
use crate::helm::{CHART, schemas};
use crate::tool::{RenderError, Session};

/// Helm's words before the names of the missing dependencies (`CheckDependencies` in `pkg/action/install.go`).
const MISSING: &str = "missing in charts/ directory: ";

/// Checks the schemas of a chart. Returns false when the values must not be checked, because a schema refers to something outside of itself.
pub(super) fn check_schemas(session: &mut Session<'_>) -> Result<bool, RenderError> {
    match schemas::check(&session.tree.dir, session.deadline()) {
        Ok(()) => Ok(true),
        Err(error) if session.may_stub() && error.is_about_a_reference() => {
            add(session, LeftOut::Schema);
            Ok(false)
        }
        Err(error) => Err(RenderError::refused(error.message())),
    }
}

/// Builds the dependencies that `ended` reports as missing, or puts empty charts in their place.
pub(super) fn build(session: &mut Session<'_>, helm: &Path, ended: &Ended) -> Result<(), RenderError> {
    match dependencies::build(session, helm) {
        Err(error @ (RenderError::Dependency { .. } | RenderError::Refused { .. })) if session.may_stub() => {
            let said = String::from_utf8_lossy(&ended.stderr);
            let names = said.split_once(MISSING).map(|(_, names)| names.lines().next().unwrap_or_default());
            let names: Vec<&str> = names.unwrap_or_default().split(", ").map(str::trim).collect();
            if replace(session, &names)? { Ok(()) } else { Err(error) }
        }
        outcome => outcome,
    }
}

/// Puts charts in the place of the missing dependencies of these names: the chart itself for one in the repository, an empty one for any other.
/// Returns false where that is not possible.
fn replace(session: &mut Session<'_>, names: &[&str]) -> Result<bool, RenderError> {
    let root = session.tree.root.clone();
    let all = dependencies::named(&session.tree.dir, Wall::Reading)?;
    session.make_writable(Some(vec![session.tree.dir.clone()]), &|chart| dependencies::local(chart, &root))?;
    if !session.tree.is_private() {
        return Ok(false);
    }
    let charts = session.tree.dir.join("charts");
    for name in names {
        let is_plain =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if !is_plain || name.starts_with('.') {
            return Ok(false);
        }
        let folder = charts.join(name);
        if folder.exists() {
            // Helm lists a dependency once for each of its aliases.
            continue;
        }
        if let Some(beside) = all.iter().find(|one| one.name == *name).and_then(|one| beside(session, one)) {
            fs::create_dir_all(&charts)
                .and_then(|()| symlink(&beside, &folder))
                .map_err(RenderError::PrivateDirectory)?;
            continue;
        }
        let version = all.iter().find(|one| one.name == *name).map_or("", |one| &one.version);
        let text = format!("apiVersion: v2\nname: {name}\nversion: {}\n", plain_version(version));
        let write = || fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(CHART), text));
        write().map_err(RenderError::PrivateDirectory)?;
        add(session, LeftOut::Dependency((*name).to_owned()));
    }
    Ok(true)
}

/// The folder of a dependency that is in the repository.
fn beside(session: &Session<'_>, dependency: &Dependency) -> Option<PathBuf> {
    let path = dependency.repository.strip_prefix("file://")?;
    let folder = canonical(clean(&session.tree.dir.join(path))).ok()?;
    // A folder around the chart would contain itself.
    let is_around = session.tree.dir.starts_with(&folder);
    (!is_around && folder.starts_with(&session.tree.root) && folder.join(CHART).is_file()).then_some(folder)
}

/// A version in a range, as well as it can be known: `12.x.x` is 12.0.0. Helm skips a condition for a dependency of another version.
fn plain_version(range: &str) -> String {
    let start = range.find(|first: char| first.is_ascii_digit()).unwrap_or(range.len());
    let end = range[start..].find(|other: char| !other.is_ascii_digit() && other != '.').unwrap_or(range.len() - start);
    let numbers = range[start..start + end].split('.').map(|number| number.parse().unwrap_or(0)).chain([0; 3]);
    let numbers: Vec<String> = numbers.take(3).map(|number: u64| number.to_string()).collect();
    numbers.join(".")
}

/// The error of a rendering; that a dependency is needed, if a stub is the reason: for a template that only the dependency has, or for a
/// value below its name that its own values would have.
pub(super) fn explained<'s>(error: RenderError, session: &'s Session<'_>) -> RenderError {
    let RenderError::Failed { said, .. } = &error else { return error };
    let name = |stub: &'s LeftOut| match stub {
        LeftOut::Dependency(name) => Some(name.as_str()),
        LeftOut::Copies { .. } | LeftOut::Generator { .. } | LeftOut::Schema => None,
    };
    let names: Vec<&str> = session.stubs.iter().filter_map(name).collect();
    let Some((needed, what)) = reason(said, &names) else { return error };
    RenderError::NeedsDependency { names: needed.into_iter().map(ToOwned::to_owned).collect(), what }
}

/// The stubs that may be the reason for helm's error, and the template or value that helm misses.
fn reason<'n>(said: &str, names: &[&'n str]) -> Option<(Vec<&'n str>, String)> {
    let word = |after: &str, end: char| said.split_once(after).and_then(|(_, rest)| rest.split(end).next());
    let undefined = || Some(said.split_once("\" not defined")?.0.rsplit_once("template \"")?.1);
    if let Some(template) = word("no template \"", '"').or_else(undefined) {
        let is_of = |name: &&&str| template.strip_prefix(**name).is_some_and(|rest| rest.starts_with('.'));
        let needed = names.iter().find(is_of).map_or_else(|| names.to_vec(), |name| vec![*name]);
        return (!needed.is_empty()).then(|| (needed, format!("the template `{template}`")));
    }
    let (_, rest) = said.rsplit_once(".Values.").filter(|_| said.contains("nil pointer evaluating"))?;
    let value = rest.split('>').next()?;
    let needed = names.iter().find(|name| value.split('.').next() == Some(**name))?;
    Some((vec![*needed], format!("the value `{value}`")))
}

fn add(session: &mut Session<'_>, stub: LeftOut) {
    if !session.stubs.contains(&stub) {
        session.stubs.push(stub);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_is_blamed_only_for_what_it_would_have() {
        let names = ["common", "kafka", "a"];
        let blamed = |said: &str| reason(said, &names).map(|(names, what)| format!("{} {what}", names.join(" ")));
        let template = |name: &str| {
            format!("error calling include: template: no template \"{name}\" associated with template \"gotpl\"")
        };
        assert_eq!(blamed(&template("common.names.fullname")).unwrap(), "common the template `common.names.fullname`");
        assert_eq!(blamed(&template("fullname")).unwrap(), "common kafka a the template `fullname`");
        let called = "at <{{template \"common.name\" .}}>: template \"common.name\" not defined";
        assert_eq!(blamed(called).unwrap(), "common the template `common.name`");
        let value = |name: &str| {
            format!(
                "at <.Values.x>: error calling include: at <.Values.{name}>: nil pointer evaluating interface {{}}.ports"
            )
        };
        assert_eq!(blamed(&value("kafka.service.ports")).unwrap(), "kafka the value `kafka.service.ports`");
        assert_eq!(blamed(&value("other.service")), None);
        assert_eq!(blamed("execution error at (a.yaml:1:4): kafka is required"), None);
        assert_eq!(reason(&template("x"), &[]), None);
    }

    #[test]
    fn a_range_has_a_version() {
        for (range, version) in [
            ("1.2.3", "1.2.3"),
            ("^12.1", "12.1.0"),
            ("~1.2.3-rc.1", "1.2.3"),
            ("12.x.x", "12.0.0"),
            (">= 1.0 < 2.0", "1.0.0"),
            ("*", "0.0.0"),
            ("", "0.0.0"),
            ("v3", "3.0.0"),
            ("99999999999999999999.1", "0.1.0"),
        ] {
            assert_eq!(plain_version(range), version, "{range}");
        }
    }
}

//! Leaves out the generators of a kustomization that cannot run here, where its output is only looked at: programs and containers, such as ksops. What
//! they would print is missing then, and that is said.
//!
//! A generator is an object in a file that `generators` names (`configureExternalGenerators` in `api/internal/target/kusttarget.go` of kustomize 5.8.1).
//! kustomize itself has those of the group and version `builtin` (`isBuiltinPlugin` in `api/internal/plugins/loader/loader.go`). A transformer or a
//! validator stays: without it, all others would be printed as nobody applies them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use checkout::follow::{AbsoluteLinks, follow};
use checkout::{clean, read_small};
use goyaml::Value;
use goyaml::split::split;
use goyaml::value::folded;
use rewrite::manifest::LeftOut;
use system::PathText;

use crate::kustomize::search::{MARKS, OBJECTS};
use crate::kustomize::{KUSTOMIZATIONS, MAX_FILE};
use crate::tool::{RenderError, Session, in_time};

/// The group and version of what kustomize has itself.
const BUILTIN: &str = "builtin";

/// Leaves them out, in a copy of the repository, and says so in `session.stubs`. `runs_plugins` says that programs can be run that need no container.
pub(super) fn leave_out(session: &mut Session<'_>, runs_plugins: bool) -> Result<(), RenderError> {
    if !session.may_stub() {
        return Ok(());
    }
    let found = found(session, runs_plugins)?;
    if found.is_empty() {
        return Ok(());
    }
    let root = session.tree.root.clone();
    session.make_writable(None, &|_| None)?;
    if !session.tree.is_private() {
        return Ok(());
    }
    for (path, Kept { text, left_out }) in found {
        let below = path.strip_prefix(&root).unwrap_or(&path);
        fs::write(session.tree.root.join(below), text).map_err(RenderError::PrivateDirectory)?;
        let file = below.in_slashes();
        session.stubs.extend(left_out.into_iter().map(|kind| LeftOut::Generator { kind, file: file.to_string() }));
    }
    Ok(())
}

/// What is left of a file with generators, and the kinds of those that are left out.
struct Kept {
    text: String,
    left_out: Vec<String>,
}

/// The files with such generators that the session's kustomization uses, or one that it uses.
fn found(session: &Session<'_>, runs_plugins: bool) -> Result<Vec<(PathBuf, Kept)>, RenderError> {
    let root = &session.tree.root;
    let (mut todo, mut seen, mut found) = (vec![(session.tree.dir.clone(), false)], BTreeSet::new(), Vec::new());
    while let Some((place, generates)) = todo.pop() {
        in_time(session.deadline())?;
        if !seen.insert((place.clone(), generates)) {
            continue;
        }
        if !place.is_dir() {
            let kept = generates.then(|| kept(&place, runs_plugins)).flatten();
            found.extend(kept.map(|kept| (place, kept)));
            continue;
        }
        for (path, generates) in KUSTOMIZATIONS.iter().flat_map(|name| named(&place.join(name), generates)) {
            in_time(session.deadline())?;
            // What is not found here is for kustomize to report.
            todo.extend(
                follow(root, &clean(&place.join(path)), AbsoluteLinks::Follow).ok().map(|at| (at.place, generates)),
            );
        }
    }
    Ok(found)
}

/// The paths that a kustomization file names; true for generators. All are that if the kustomization is one of generators.
fn named(file: &Path, generates: bool) -> Vec<(String, bool)> {
    let value = read_small(file, MAX_FILE).ok().and_then(|text| Value::read(&text).ok());
    let Some(Value::Map(map)) = value else { return Vec::new() };
    let lists = map.iter().filter_map(|(key, value)| {
        let key = folded(key);
        let is_generators = key == "generators";
        (is_generators || OBJECTS.contains(&key.as_str())).then_some((value, is_generators || generates))
    });
    let items = lists
        .flat_map(|(value, generates)| value.as_list().unwrap_or_default().iter().map(move |item| (item, generates)));
    items.filter_map(|(item, generates)| Some((item.as_text()?.to_owned(), generates))).collect()
}

/// A file without the generators that cannot run; `None` if all can, and if it cannot be read.
fn kept(file: &Path, runs_plugins: bool) -> Option<Kept> {
    let text = read_small(file, MAX_FILE).ok()?;
    let pieces = split(&text);
    let mut kept = Kept { text: String::new(), left_out: Vec::new() };
    for index in 0..pieces.len() {
        let piece = pieces.span(index).of(&text);
        let value = Value::read(piece).ok()?;
        let is_builtin = value.text_at(&["apiVersion"]) == Some(BUILTIN);
        let is_function = MARKS.iter().any(|mark| piece.contains(mark));
        if value.as_map().is_none() || is_builtin || (runs_plugins && !is_function) {
            kept.text += "---\n";
            kept.text += piece.trim_start_matches("---");
            kept.text.push('\n');
        } else {
            kept.left_out.push(value.text_at(&["kind"]).unwrap_or_default().to_owned());
        }
    }
    (!kept.left_out.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;

    #[test]
    fn what_kustomize_has_itself_stays_and_programs_go() {
        let builtin = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\n";
        let ksops = "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: s}\nfiles: [./secret.yaml]\n";
        let function = "apiVersion: x/v1\nkind: Fn\nmetadata:\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./x}\n";
        let left = |text: &str, runs_plugins: bool| {
            let scratch = Scratch::new().file("g.yaml", text);
            kept(&scratch.0.join("g.yaml"), runs_plugins)
                .map(|kept| (kept.text.contains("ConfigMapGenerator"), kept.left_out))
        };
        assert_eq!(left(builtin, false), None);
        assert_eq!(left(ksops, false), Some((false, vec!["ksops".to_owned()])));
        assert_eq!(left(ksops, true), None);
        assert_eq!(left(function, true), Some((false, vec!["Fn".to_owned()])));
        let both = format!("{ksops}---\n{builtin}---\n{function}");
        assert_eq!(left(&both, false), Some((true, vec!["ksops".to_owned(), "Fn".to_owned()])));
        assert_eq!(left("{{ no yaml", false), None);
    }
}

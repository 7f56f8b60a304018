//! `check` and `preview` agree about a version: they have the same findings, and a Job that never runs according to
//! the preview is an error for `check`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value as Json;
use system::PathText;

use crate::support::inputs::hold_for_all;
use crate::support::scratch::{Scratch, copy};
use crate::support::{case, program};

/// The JSON output of a command for the folder; `None` when there is none.
fn said(command: &str, dir: &Path) -> Option<Json> {
    let mut program = program::program(dir);
    program.args([command, ".", "--format", "json"]);
    serde_json::from_slice(&program::run(program, b"").stdout).ok()
}

/// The fields that identify a finding.
fn identity(finding: &Json) -> String {
    let of = |key: &str| finding[key].to_string();
    ["id", "level", "path", "line", "column", "message"].map(of).join(" ")
}

/// The previews in an output, one for each source, and the paths of the sources that could not be read.
fn previews(whole: &Json) -> (Vec<&Json>, Vec<&str>) {
    let all = |key: &str| whole[key].as_array().unwrap();
    (all("applications").iter().collect(), all("notChecked").iter().filter_map(|one| one["path"].as_str()).collect())
}

/// The first contradiction between preview and check.
fn differs(check: &Json, preview: &Json) -> Option<String> {
    let (previews, unread) = previews(preview);
    let is_unread = |path: &Json| {
        let path = path.as_str().unwrap_or_default();
        unread
            .iter()
            .any(|source| *source == "." || path.strip_prefix(source).is_some_and(|rest| rest.starts_with('/')))
    };
    let all = check["findings"].as_array()?;
    // A preview contains only open findings.
    let is_open = |finding: &&Json| finding["state"] == "open" && !is_unread(&finding["path"]);
    let of_check: BTreeSet<String> = all.iter().filter(is_open).map(identity).collect();
    let of_preview: BTreeSet<String> =
        previews.iter().flat_map(|source| source["findings"].as_array().unwrap()).map(identity).collect();
    let rows = previews.iter().flat_map(|source| source["rows"].as_array().unwrap());
    let unexplained = rows.into_iter().find(|row| {
        let has = |reason: &str| row["why"].as_array().unwrap().iter().any(|why| why["reason"] == reason);
        let never = row["outcome"] == "never" || row["outcome"] == "fails" && has("rejected");
        let is_wanted = row["cadence"]["suspended"] == true || has("skip") || has("helm-test");
        let is_about = |finding: &Json| {
            [&finding["object"]["name"], &finding["object"]["generateName"]].iter().any(|name| {
                name.as_str().is_some_and(|name| row["name"].as_str().unwrap().trim_end_matches('…') == name)
            })
        };
        never && !is_wanted && !all.iter().any(is_about)
    });
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).next().cloned();
    unexplained
        .map(|row| format!("{} {}, and the check says nothing of it", row["name"], row["text"]))
        .or_else(|| only(&of_check, &of_preview).map(|finding| format!("only the check says {finding}")))
        .or_else(|| only(&of_preview, &of_check).map(|finding| format!("only the preview says {finding}")))
}

/// Cases for which the preview says what no finding says: two hooks of another kind than Job with one name, and a Job without any name.
const UNSAID: [&str; 2] = ["preview/base-hooks/a-hook-that-moves", "preview/live-input/no-metadata"];

#[test]
fn a_check_and_a_preview_never_contradict_each_other() {
    let folders: Vec<PathBuf> = case::all()
        .into_iter()
        .filter(|case| ["check/", "preview/"].iter().any(|command| case.name.starts_with(command)))
        .filter(|case| !UNSAID.contains(&case.name.as_str()))
        .map(|case| case.dir.join("in"))
        .filter(|dir| dir.is_dir())
        .collect();
    let compared = AtomicUsize::new(0);
    hold_for_all(&folders, |dir| {
        // If a folder has several versions, use the new one.
        let new = ["new", "repo"].iter().map(|name| dir.join(name)).find(|dir| dir.is_dir());
        let new = new.as_ref().unwrap_or(dir);
        // Elsewhere than in this repository, in which all Applications would be searched for each folder.
        let scratch = Scratch::new();
        copy(new, &scratch.source(), &[]);
        let (check, preview) = (said("check", &scratch.source())?, said("preview", &scratch.source())?);
        compared.fetch_add(1, Ordering::Relaxed);
        differs(&check, &preview).map(|found| format!("{}: {found}", new.shown()))
    });
    let compared = compared.into_inner();
    assert!(compared > 450, "{compared}");
}

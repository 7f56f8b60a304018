//! Finds dependencies that `charts/` has more than once, as a folder and as a package or as two packages. Helm reads them in the order of a Go map,
//! which is another one each time, and takes the first (`LoadFiles` in `pkg/chart/loader/load.go`, `getAliasDependency` in
//! `pkg/chartutil/dependencies.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use checkout::read_small;
use confined::Wall;
use goyaml::Value;
use rewrite::manifest::LeftOut;

use super::sources::{CHARTS, is_package};
use crate::again;
use crate::helm::{CHART, dependencies};
use crate::tool::{RenderError, Session, Walk};

/// The maximum size of the `Chart.yaml` of a sub-chart, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The files of a chart by their paths in it.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Notes in a session which dependencies its chart has in several copies that differ.
pub(super) fn note(session: &mut Session<'_>) -> Result<(), RenderError> {
    if !session.may_stub() {
        return Ok(());
    }
    let charts = session.tree.dir.join(CHARTS);
    let mut names: Vec<String> = fs::read_dir(&charts)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        // Helm skips these.
        .filter(|name| !name.starts_with(['_', '.']))
        .collect();
    names.sort_unstable();
    // What is wrong with the chart's own files, Helm has said.
    let declared = dependencies::named(&session.tree.dir, Wall::Reading).unwrap_or_default();
    let declared_names: Vec<&str> = declared.iter().map(|one| one.name.as_str()).collect();
    for (name, copies) in copies(&charts, &names, &declared_names) {
        // Two versions under two aliases are both needed.
        let is_once = declared.iter().filter(|one| one.is_wanted() && one.name == name).count() < 2;
        if is_once && !are_alike(session, &copies)? {
            let copies = copies.iter().filter_map(|path| Some(format!("{CHARTS}/{}", path.file_name()?.to_str()?)));
            session.stubs.push(LeftOut::Copies { of: name, all: copies.collect() });
        }
    }
    Ok(())
}

/// The folders and packages of each chart that is there more than once. `names` are the names of what is in `charts`.
fn copies(charts: &Path, names: &[String], declared: &[&str]) -> BTreeMap<String, Vec<PathBuf>> {
    let folders = names.iter().filter_map(|folder| Some((chart_name(&charts.join(folder))?, charts.join(folder))));
    let folders: Vec<(String, PathBuf)> = folders.collect();
    let known: BTreeSet<&str> = folders.iter().map(|(name, _)| name.as_str()).chain(declared.iter().copied()).collect();
    let mut copies = BTreeMap::<String, Vec<PathBuf>>::new();
    for (name, folder) in &folders {
        copies.entry(name.clone()).or_default().push(folder.clone());
    }
    for file in names {
        // `shop-2-1.0.0.tgz` is `shop-2`, if there is such a chart.
        let name = known.iter().filter(|name| is_package(file, name)).max_by_key(|name| name.len());
        if let Some(name) = name {
            copies.entry((*name).to_owned()).or_default().push(charts.join(file));
        }
    }
    copies.retain(|_, copies| copies.len() > 1);
    copies
}

/// The name of the chart in a folder; none if it is not a chart.
fn chart_name(folder: &Path) -> Option<String> {
    let text = read_small(&folder.join(CHART), MAX_FILE).ok()?;
    Some(Value::read(&text).ok()?.text_at(&["name"])?.to_owned())
}

/// Whether copies render the same. `helm package` writes `Chart.yaml` and the locks anew.
fn are_alike(session: &Session<'_>, copies: &[PathBuf]) -> Result<bool, RenderError> {
    let mut all = Vec::new();
    for copy in copies {
        let files = if copy.is_dir() { in_folder(session, copy)? } else { in_package(copy) };
        let Some(mut files) = files else { return Ok(false) };
        files.retain(|path, _| path.components().count() > 1 || path.starts_with("values.yaml"));
        all.push(files);
    }
    Ok(all.windows(2).all(|pair| pair[0] == pair[1]))
}

fn in_folder(session: &Session<'_>, folder: &Path) -> Result<Option<Files>, RenderError> {
    let mut files = Some(Files::new());
    Walk::new(&session.tree.root, session.deadline()).visit(folder, |entry| {
        let (path, all) = (entry.path(), &mut files);
        if path.is_file() {
            let below = path.strip_prefix(folder).unwrap_or(path).to_owned();
            match (again::read(path), all.as_mut()) {
                (Some(bytes), Some(all)) => drop(all.insert(below, bytes)),
                _ => *all = None,
            }
        }
        Ok(())
    })?;
    Ok(files)
}

/// The files in a package; none if it cannot be read.
fn in_package(package: &Path) -> Option<Files> {
    let (unpacked, mut files) = (again::read(package)?, Files::new());
    for entry in tar::Archive::new(unpacked.as_slice()).entries().ok()? {
        let mut entry = entry.ok()?;
        let path: PathBuf = entry.path().ok()?.components().filter(|part| *part != Component::CurDir).skip(1).collect();
        if entry.header().entry_type().is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).ok()?;
            files.insert(path, bytes);
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;

    #[test]
    fn a_chart_with_two_copies_is_found() {
        let scratch = Scratch::new()
            .file("charts/sub/Chart.yaml", "name: sub\n")
            .file("charts/other/Chart.yaml", "name: named\n")
            .file("charts/sub-2/Chart.yaml", "name: sub-2\n");
        let names = [
            "sub",
            "other",
            "sub-2",
            "sub-1.0.0.tgz",
            "sub-2-1.0.0.tgz",
            "named-v1.tgz",
            "x-1.tgz",
            "x-2.tgz",
            "y-1.tgz",
        ];
        let names = names.map(ToOwned::to_owned);
        let charts = scratch.0.join("charts");
        let found = copies(&charts, &names, &["x", "y"]);
        let shown = found.iter().map(|(name, copies)| {
            let copies: Vec<_> = copies.iter().map(|copy| copy.file_name().unwrap().to_str().unwrap()).collect();
            format!("{name}: {}", copies.join(" "))
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "named: other named-v1.tgz",
                "sub: sub sub-1.0.0.tgz",
                "sub-2: sub-2 sub-2-1.0.0.tgz",
                "x: x-1.tgz x-2.tgz"
            ]
        );
    }
}

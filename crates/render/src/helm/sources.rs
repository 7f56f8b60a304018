//! Finds the file of each document in the output of `helm template`, from the comment `# Source:
//! shop/templates/job.yaml` above it.
//!
//! The first part of this path is the name of the chart, and each `charts/<name>` after it is a sub-chart
//! (`ChartFullPath` in `pkg/chart/chart.go`). helm splits the output of a template at `---` and puts a comment above
//! each part, so that a template cannot name another file. A file in `crds/` has one comment for all its documents
//! (`cmd/helm/template.go`).

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use checkout::clean;
use goyaml::Tree;

use crate::helm::CHART;
use crate::places::{Document, Places, Reader, Search};

/// The lines above each document.
const HEAD: &str = "---\n# Source: ";

/// The folder of sub-charts.
pub(super) const CHARTS: &str = "charts";

/// The maximum depth of sub-charts.
const MAX_DEPTH: usize = 16;

/// The places in the output of `helm template` for the chart in the directory of `reader`.
pub(crate) fn places(text: &str, mut reader: Reader<'_>) -> Places {
    let mut known: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    let mut documents = Vec::new();
    for (start, _) in text.match_indices(HEAD) {
        if start > 0 && text.as_bytes()[start - 1] != b'\n' {
            continue;
        }
        let name = text[start + HEAD.len()..].lines().next().unwrap_or_default();
        let file = *known.entry(name).or_insert_with(|| file(name, &mut reader));
        let copy = file.and_then(|file| copy(text, start + HEAD.len() + name.len(), reader.text(file)?));
        documents.push(Document { start, file, copy });
    }
    Places::new(documents, reader, Search::Lines)
}

/// The offset of a file's text in the output, if helm has printed it unchanged, as it does for files in `crds/`.
/// `after` is the end of the comment.
fn copy(text: &str, after: usize, content: &str) -> Option<usize> {
    let from = after + 1;
    let rest = text.get(from..)?.strip_prefix(content)?;
    (rest.is_empty() || rest.starts_with('\n') || rest.starts_with("---\n")).then_some(from)
}

/// The number of the file that a comment names.
fn file(name: &str, reader: &mut Reader<'_>) -> Option<usize> {
    let (_, below) = name.split_once('/')?;
    if !Path::new(below).components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut chart = reader.dir().to_owned();
    let mut rest = below;
    for _ in 0..MAX_DEPTH {
        let Some((name, below)) = rest.strip_prefix("charts/").and_then(|rest| rest.split_once('/')) else {
            return reader.file(&chart.join(rest));
        };
        match sub_chart(&chart, name, reader) {
            SubChart::Folder(folder) => chart = folder,
            SubChart::File(file) => return reader.file(&file),
        }
        rest = below;
    }
    None
}

/// The place of a sub-chart.
enum SubChart {
    Folder(PathBuf),
    /// A package, or the file that declares the dependency.
    File(PathBuf),
}

/// Finds the sub-chart with this name or alias. As for helm, `charts/` comes first, then the declared dependencies.
fn sub_chart(chart: &Path, name: &str, reader: &mut Reader<'_>) -> SubChart {
    let charts = chart.join(CHARTS);
    let dependency = dependency(chart, name, reader);
    let real = dependency.as_ref().map_or(name, |dependency| &dependency.name);
    let folder = charts.join(real);
    if reader.is_folder(&folder) {
        return SubChart::Folder(folder);
    }
    let names = reader.names(&charts);
    if let Some(package) = names.iter().find(|file| is_package(file, real)) {
        return SubChart::File(charts.join(package));
    }
    let is_named = |folder: &PathBuf, reader: &mut Reader<'_>| chart_name(folder, reader).as_deref() == Some(real);
    for folder in names.iter().map(|name| charts.join(name)) {
        if reader.is_folder(&folder) && is_named(&folder, reader) {
            return SubChart::Folder(folder);
        }
    }
    let beside =
        dependency.and_then(|dependency| Some(clean(&chart.join(dependency.repository.strip_prefix("file://")?))));
    match beside.filter(|folder| reader.is_folder(folder)) {
        Some(folder) => SubChart::Folder(folder),
        None => SubChart::File(chart.join(CHART)),
    }
}

/// Whether a file in `charts/` is a package of the chart with this name: `name-1.2.3.tgz`.
pub(super) fn is_package(file: &str, name: &str) -> bool {
    let version =
        file.strip_suffix(".tgz").and_then(|file| file.strip_prefix(name)).and_then(|end| end.strip_prefix('-'));
    version.is_some_and(|version| version.trim_start_matches('v').starts_with(|first: char| first.is_ascii_digit()))
}

/// A dependency that a chart declares.
struct Dependency {
    name: String,
    repository: String,
}

/// The dependency with this alias, or with this name.
fn dependency(chart: &Path, name: &str, reader: &mut Reader<'_>) -> Option<Dependency> {
    [CHART, "requirements.yaml"].into_iter().find_map(|file| {
        let number = reader.file(&chart.join(file))?;
        let mut tree = Tree::default();
        let list = tree.read(reader.text(number)?).ok()?.root()?.at(&["dependencies"])?;
        let called = |key| list.items().find(|one| one.text_at(&[key]) == Some(name));
        let found = called("alias").or_else(|| called("name"))?;
        let text = |key| found.text_at(&[key]).unwrap_or_default().to_owned();
        let is_one_name = |name: &String| !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
        Some(Dependency { name: Some(text("name")).filter(is_one_name)?, repository: text("repository") })
    })
}

/// The name in the `Chart.yaml` of a folder.
fn chart_name(folder: &Path, reader: &mut Reader<'_>) -> Option<String> {
    let number = reader.file(&folder.join(CHART))?;
    Tree::default().read(reader.text(number)?).ok()?.root()?.text_at(&["name"]).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Shown;
    use rewrite::manifest::Files;
    use scratch::Scratch;
    use system::{PathText, canonical};

    /// The files of documents whose comments have these names.
    fn files(scratch: &Scratch, names: &[&str]) -> Vec<String> {
        let root = canonical(scratch.0.join("repo")).unwrap();
        let dir = root.join("shop");
        let shown = Shown { prefix: Path::new("shop"), written: &dir };
        let text: String = names.iter().map(|name| format!("---\n# Source: {name}\nkind: Job\n")).collect();
        let places = places(&text, Reader::new(&dir, &root, shown));
        let starts = text.match_indices("kind").map(|(start, _)| start);
        let file = |found: Option<rewrite::manifest::Found>| {
            found.map_or("?".to_owned(), |found| found.file.shown().to_string())
        };
        starts.map(|start| file(places.find(&text, start))).collect()
    }

    #[test]
    fn a_sub_chart_is_a_folder_a_package_or_beside_the_chart() {
        let dependencies = "dependencies:\n- {name: base, alias: one, repository: 'file://../base'}\n- {name: far, repository: 'https://example.com'}\n- {name: out, repository: 'file://../../outside'}\n- {name: ../../x, alias: odd, repository: 'file:///etc'}\n";
        let scratch = Scratch::new()
            .file("repo/shop/Chart.yaml", format!("name: shop\n{dependencies}"))
            .file("repo/shop/templates/job.yaml", "kind: Job\n")
            .file("repo/shop/crds/crd.yaml", "")
            .file("repo/shop/charts/sub/templates/a.yaml", "")
            .file("repo/shop/charts/sub/charts/deep/templates/b.yaml", "")
            .file("repo/shop/charts/folder/Chart.yaml", "name: named\n")
            .file("repo/shop/charts/folder/templates/c.yaml", "")
            .file("repo/shop/charts/packed-1.2.3.tgz", "")
            .file("repo/shop/charts/packed-other-1.2.3.tgz", "")
            .file("repo/base/templates/d.yaml", "")
            .file("outside/templates/e.yaml", "");
        let names = [
            ("shop/templates/job.yaml", "shop/templates/job.yaml"),
            ("shop/crds/crd.yaml", "shop/crds/crd.yaml"),
            ("shop/charts/sub/templates/a.yaml", "shop/charts/sub/templates/a.yaml"),
            ("shop/charts/sub/charts/deep/templates/b.yaml", "shop/charts/sub/charts/deep/templates/b.yaml"),
            ("shop/charts/named/templates/c.yaml", "shop/charts/folder/templates/c.yaml"),
            ("shop/charts/packed/templates/x.yaml", "shop/charts/packed-1.2.3.tgz"),
            ("shop/charts/one/templates/d.yaml", "base/templates/d.yaml"),
            ("shop/charts/far/templates/x.yaml", "shop/Chart.yaml"),
            ("shop/charts/out/templates/e.yaml", "shop/Chart.yaml"),
            ("shop/charts/odd/templates/e.yaml", "shop/Chart.yaml"),
        ];
        assert_eq!(files(&scratch, &names.map(|(name, _)| name)), names.map(|(_, file)| file));
    }

    #[test]
    fn a_file_that_is_printed_as_it_is_has_its_own_lines() {
        let crds = "# two\nkind: A\nx: 1\n---\nkind: A\nx: 1\n";
        let scratch = Scratch::new().file("repo/shop/crds/a.yaml", crds);
        let root = canonical(scratch.0.join("repo")).unwrap();
        let dir = root.join("shop");
        for (text, place) in [
            (format!("---\n# Source: shop/crds/a.yaml\n{crds}\n---\n# Source: shop/b.yaml\nkind: B\n"), "6:1 line"),
            (format!("---\n# Source: shop/crds/a.yaml\n{crds}"), "6:1 line"),
            (format!("---\n# Source: shop/crds/a.yaml\n{crds}y: 1\n"), "1:1 file"),
        ] {
            let places = places(&text, Reader::new(&dir, &root, Shown { prefix: Path::new(""), written: &dir }));
            let found = places.find(&text, text.rfind("x: 1").unwrap()).unwrap();
            assert_eq!(format!("{} {}", found.at, found.precision.as_str()), place, "{text}");
        }
    }

    #[test]
    fn no_comment_leads_out_of_the_repository() {
        let scratch = Scratch::with(&["repo/.git/config", "repo/shop/Chart.yaml", "outside/x.yaml"])
            .link("repo/shop/templates", "../../outside");
        let names = [
            "shop/../../outside/x.yaml",
            "shop/../.git/config",
            "shop//etc/passwd",
            "/etc/passwd",
            "shop/templates/x.yaml",
            "shop/charts/../../../outside/x.yaml",
            "shop",
            "",
            "shop/\u{1b}[2J",
        ];
        assert_eq!(files(&scratch, &names), names.map(|_| "?"));
        let deep = format!("shop/{}x.yaml", "charts/a/".repeat(1000));
        assert_eq!(files(&scratch, &[&deep]), ["shop/Chart.yaml"]);
    }
}

//! The annotation `argocd.argoproj.io/manifest-generate-paths` of an Application. A commit that changes no file below its paths is not rendered: Argo CD
//! takes the manifests of the revision before (`UpdateRevisionForPaths` in `reposerver/repository/repository.go`).

use gopath::{Steps, clean, join, matches};
use goyaml::Value;
use text::Place;

use super::Version;

/// `argocd.argoproj.io/manifest-generate-paths`
pub const MANIFEST_GENERATE_PATHS: &str = "argocd.argoproj.io/manifest-generate-paths";

/// The annotation of an Application, for one of its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratePaths {
    /// Its paths, as written between `;`.
    pub written: Vec<String>,
    /// The paths of all sources of the Application.
    pub folders: Vec<String>,
    /// The number of this source.
    pub own: usize,
    /// Where the annotation is. None if that is unknown.
    pub at: Option<Place>,
}

/// What a source reads and the annotation does not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// Files and folders, relative to the folder of the source.
    pub paths: Vec<String>,
    /// What the annotation has to be to cover them, too.
    pub wanted: String,
    /// Where the annotation is. None if that is unknown.
    pub at: Option<Place>,
}

impl GeneratePaths {
    /// The annotation of an Application with these sources, for the first one.
    pub fn of(annotation: &str, sources: &[Value]) -> Self {
        let folder = |source: &Value| source.text_at(&["path"]).unwrap_or_default().to_owned();
        let written = annotation.split(';').map(ToOwned::to_owned).collect();
        Self { written, folders: sources.iter().map(folder).collect(), own: 0, at: None }
    }
}

/// The paths of the annotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefreshPaths(Vec<RefreshPath>);

/// A path that is absolute, where `/` is the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RefreshPath {
    /// A pattern, and a path: Argo CD takes it for both.
    written: String,
    /// The path without `.` and `..`.
    folder: String,
}

impl RefreshPaths {
    /// What the annotation says about the source (`GetSourceRefreshPaths` in `util/app/path/path.go`). Empty if every commit is rendered. Argo CD 3.2
    /// takes a path to be below each source, and only 3.4 and later trim it.
    pub fn of(GeneratePaths { written, folders, own, .. }: &GeneratePaths, version: Version) -> Self {
        let (is_own_only, trims) = (version >= Version::new(3, 3, 0), version >= Version::new(3, 4, 0));
        let mut paths = Vec::new();
        for item in written {
            let item = if trims { item.trim() } else { item };
            match item.strip_prefix('/') {
                Some(below) => paths.push(RefreshPath::below_root(below)),
                None if item.is_empty() => {}
                None => {
                    let meant = folders.iter().enumerate().filter(|(number, _)| !is_own_only || number == own);
                    paths.extend(meant.map(|(_, folder)| RefreshPath::below_root(&join(folder, item))));
                }
            }
        }
        Self(paths)
    }

    /// Whether every commit is rendered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The paths below which all files are that [`Self::covers`], from the root of the repository. Empty for the root.
    pub fn places(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|RefreshPath { folder, .. }| {
            let fixed = folder
                .find(['*', '?', '[', '\\'])
                .map_or(folder.as_str(), |special| folder[..special].rsplit_once('/').map_or("", |(above, _)| above));
            fixed.trim_start_matches('/').to_owned()
        })
    }

    /// Whether a commit that changes this file, a path from the root of the repository, is rendered (`AppFilesHaveChanged`). True without any steps left.
    pub fn covers(&self, file: &str, steps: &Steps) -> bool {
        let file = absolute(file);
        self.0.iter().any(|path| path.covers(&file, steps)) || steps.left() == 0
    }
}

impl RefreshPath {
    fn below_root(path: &str) -> Self {
        let written = absolute(path);
        Self { folder: clean(&written), written }
    }

    fn covers(&self, file: &str, steps: &Steps) -> bool {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_below = self.folder == "/"
            || folder.strip_prefix(&self.folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        file == self.written || is_below || matches(&self.written, file, steps)
    }
}

fn absolute(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of the table: an annotation, the folder of the source, the changed files, and whether Argo CD renders the commit.
    #[derive(serde::Deserialize)]
    struct Row {
        annotation: String,
        folder: String,
        files: Vec<String>,
        changed: bool,
    }

    #[test]
    fn a_commit_is_rendered_as_argo_cd_decides() {
        let table = include_str!("../../testdata/refresh-paths.jsonl");
        let rows: Vec<Row> = table.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
        assert!(rows.iter().filter(|row| row.changed).count() > 200 && rows.len() > 1000);
        for Row { annotation, folder, files, changed } in rows {
            let written = GeneratePaths { folders: vec![folder.clone()], ..GeneratePaths::of(&annotation, &[]) };
            let paths = RefreshPaths::of(&written, Version::NEWEST);
            let steps = Steps::new(1_000_000);
            let found = paths.is_empty() || files.iter().any(|file| paths.covers(file, &steps));
            assert_eq!(found, changed, "{annotation:?} of {folder:?}: {files:?}");
            // What is not looked at is not covered.
            for file in files.iter().filter(|file| paths.covers(file, &steps)) {
                let is_there = |place: String| place.is_empty() || std::path::Path::new(file).starts_with(place);
                assert!(paths.places().any(is_there), "{annotation:?} of {folder:?}: {file}");
            }
        }
    }

    #[test]
    fn a_version_decides_which_source_is_meant() {
        let folders = ["apps/shop", "apps/cart"].map(ToOwned::to_owned).to_vec();
        let written = GeneratePaths { folders, own: 1, ..GeneratePaths::of(".; ../base", &[]) };
        let of = |text| {
            let paths = RefreshPaths::of(&written, Version::parse(text).unwrap()).0;
            paths.into_iter().map(|path| path.written).collect::<Vec<_>>()
        };
        assert_eq!(of("3.2"), ["/apps/shop", "/apps/cart", "/apps/shop/ ../base", "/apps/cart/ ../base"]);
        assert_eq!(of("3.3"), ["/apps/cart", "/apps/cart/ ../base"]);
        assert_eq!(of("3.6"), ["/apps/cart", "/apps/base"]);
    }
}

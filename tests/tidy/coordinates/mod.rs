//! Where the program is published: one line of `Cargo.toml`, `repository`. Every text that names the repository, the image or the version is
//! filled from it.
//!
//! `UPDATE=1 cargo test --test tidy` fills, and without `UPDATE` a text that disagrees is a failure. While the line names a reserved domain, nothing is
//! published: the texts say so, and how to build it oneself.

mod addresses;
mod blocks;

use std::fs;
use std::path::{Path, PathBuf};

use system::PathText;

use super::{is_update, only_writer, root};

/// Where the program is, and as which version.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Coordinates {
    /// The URL of the repository, without a slash at its end.
    repository: String,
    /// The name of the image, without a tag.
    image: Option<String>,
    /// The version, without a `v`.
    version: String,
}

/// Hosts on which nothing can ever be published (RFC 2606, RFC 6761).
const RESERVED: [&str; 5] = ["example.com", "example.org", "example.net", "example", "invalid"];

/// Forges with a registry of their own: the host, and that of the images.
const REGISTRIES: [(&str, &str); 3] =
    [("github.com", "ghcr.io"), ("gitlab.com", "registry.gitlab.com"), ("codeberg.org", "codeberg.org")];

impl Coordinates {
    /// The coordinates of a manifest of cargo, of which `image` below `[package.metadata.coordinates]` is the name of the image for
    /// forges that are unknown.
    fn of(repository: &str, version: &str, image: Option<&str>) -> Self {
        let repository = repository.trim_end_matches('/').trim_end_matches(".git").to_owned();
        let path = |host: &str| Some(repository.split_once("://")?.1.strip_prefix(host)?.to_lowercase());
        let known = REGISTRIES.iter().find_map(|(host, registry)| Some(format!("{registry}{}", path(host)?)));
        let image = image.map(str::to_owned).or(known);
        Self { repository, version: version.to_owned(), image }
    }

    /// Those in `Cargo.toml`.
    fn here() -> Self {
        let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let section = manifest.split("\n[").find_map(|section| section.strip_prefix("package.metadata.coordinates]\n"));
        let image = section.into_iter().flat_map(str::lines).find_map(|line| line.strip_prefix("image = "));
        let image = image.map(|image| image.trim_matches('"'));
        Self::of(env!("CARGO_PKG_REPOSITORY"), env!("CARGO_PKG_VERSION"), image)
    }

    /// False while the repository is on a reserved host.
    fn is_published(&self) -> bool {
        let host = self.repository.split('/').nth(2).unwrap_or_default();
        !RESERVED.iter().any(|reserved| host == *reserved || host.ends_with(&format!(".{reserved}")))
    }

    /// `owner/argocd-jobs`, as an action is called.
    fn slug(&self) -> &str {
        self.repository.splitn(4, '/').nth(3).unwrap_or_default()
    }

    /// The image that readers pull: before it is published, one in a registry of their own.
    fn pulled(&self) -> &str {
        let published = self.image.as_deref().filter(|_| self.is_published());
        published.unwrap_or("registry.example.com/argocd-jobs")
    }

    /// The name of the image in the manifests of `deploy/`: before it is published, the name that readers give to what they build.
    fn deployed(&self) -> &str {
        self.image.as_deref().filter(|_| self.is_published()).unwrap_or("argocd-jobs")
    }
}

/// A text with everything in it that depends on the coordinates; `path` is that of its file, below the root of the repository.
fn fill(path: &Path, text: &str, coordinates: &Coordinates) -> String {
    let text = addresses::fill(path, text, coordinates);
    let text = if path.starts_with("schema") { identified(path, &text, coordinates) } else { text };
    let text = blocks::with_marks(path, text, coordinates);
    blocks::fill(path, &text, coordinates)
}

/// A JSON schema with the address by which others refer to it, once it has one.
fn identified(path: &Path, schema: &str, coordinates: &Coordinates) -> String {
    let id = "\n  \"$id\": ";
    let known =
        coordinates.is_published().then(|| format!("{id}\"{}/raw/main/{}\",", coordinates.repository, path.shown()));
    let lines = schema.split_inclusive('\n').filter(|line| !line.starts_with(id.trim_start_matches('\n')));
    let (first, rest) = (lines.clone().take(2).collect::<String>(), lines.skip(2).collect::<String>());
    format!("{}{}\n{rest}", first.trim_end_matches('\n'), known.unwrap_or_default())
}

/// Folders and files that are not filled: code, data, other people's texts, and what was true of an earlier version.
const LEFT_OUT: [&str; 19] = [
    ".git",
    ".ci",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "action",
    "benches",
    "crates",
    "docs/findings.md",
    "docs/pictures",
    "examples",
    "fuzz",
    "interop",
    "release",
    "src",
    "target",
    "testdata",
    "tests",
];

/// Files in these folders that are filled nevertheless: a kustomization that uses `deploy/kustomize`, which has to name its image, the page of the
/// wheel on PyPI, what MegaLinter reads from its address (`release/channels.py` fills the other recipes, which also have checksums), and what the pull
/// requests that people look at name.
const FILLED: [&str; 5] = [
    "testdata/deploy/kustomization.yaml",
    "release/pypi.md",
    "release/channels/mega-linter-plugin-argocd-jobs/jobs.megalinter-descriptor.yml",
    "examples/pull-requests/README.md",
    "examples/pull-requests/repository/.github/workflows/argocd-jobs.yml",
];

/// The files that are filled, by their paths below the root.
fn files() -> Vec<PathBuf> {
    let below = |path: &Path| path.strip_prefix(root()).unwrap().to_owned();
    let is_taken = |entry: &walkdir::DirEntry| {
        let is_hidden_tool = ["node_modules", ".venv", "__pycache__"].iter().any(|name| entry.file_name() == *name);
        !is_hidden_tool && !LEFT_OUT.iter().any(|left_out| below(entry.path()) == Path::new(left_out))
    };
    let entries = walkdir::WalkDir::new(root()).sort_by_file_name().into_iter().filter_entry(is_taken);
    let files = entries.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    files.map(|entry| below(entry.path())).chain(FILLED.map(PathBuf::from)).collect()
}

#[test]
fn every_text_has_the_coordinates_of_the_manifest() {
    let _guard = only_writer();
    let coordinates = Coordinates::here();
    assert!(
        !coordinates.is_published() || coordinates.image.is_some(),
        "Cargo.toml: say where the images are, as `image = \"registry/name\"` below `[package.metadata.coordinates]`"
    );
    let mut wrong = Vec::new();
    for path in files() {
        // What is not text names nothing.
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        let filled = fill(&path, &text, &coordinates);
        if is_update() && filled != text {
            fs::write(root().join(&path), filled).unwrap();
        } else if filled != text {
            wrong.push(format!("{}:\n{}", path.shown(), text::diff::unified(&text, &filled, "is", "has to be", 0)));
        }
    }
    assert!(wrong.is_empty(), "`UPDATE=1 cargo test --test tidy` writes\n{}", wrong.join("\n"));
}

/// Words that no text may have once the program is published.
const PLACEHOLDERS: [&str; 8] = [
    "example.com/argocd-jobs",
    "example.com/platform",
    "platform/argocd-jobs",
    "published yet",
    "nothing is published",
    "copy of this repository",
    "name of your image",
    "docker push",
];

/// The owner changes one line and runs `UPDATE=1 cargo test`: then no text may name a place that is not the published one, or say
/// that nothing is published. And changed back, each is what it was.
#[test]
fn one_line_publishes_every_text() {
    let _guard = only_writer();
    let unpublished = example(false);
    let published = example(true);
    let mut named = 0;
    for path in files() {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        let before = fill(&path, &text, &unpublished);
        let after = fill(&path, &before, &published);
        named += after.matches(&published.repository).count() + after.matches(published.pulled()).count();
        let small = after.to_lowercase();
        let left: Vec<&str> = PLACEHOLDERS.into_iter().filter(|word| small.contains(word)).collect();
        assert!(
            left.is_empty(),
            "{} has {left:?} when it is published: put it between marks (tests/tidy/coordinates/blocks.rs)",
            path.shown()
        );
        assert_eq!(fill(&path, &after, &published), after, "{} is filled a second time", path.shown());
        assert_eq!(fill(&path, &after, &unpublished), before, "{} does not come back", path.shown());
    }
    assert!(named > 5, "only {named} places name the repository or the image");
}

/// PyPI shows the page without the repository, so every link needs a full address, with the tag, and the file has to exist.
#[test]
fn the_page_of_the_wheels_leads_to_files_of_the_tag() {
    let coordinates = Coordinates::here();
    let page = fs::read_to_string(root().join("release/pypi.md")).unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let picture = readme.split(" alt=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert!(page.contains(&format!("![{picture}](")), "README.md says of the picture: {picture}");
    let links = page.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
    let mut files = 0;
    for link in links {
        assert!(link.starts_with("https://"), "{link} has no address");
        let Some(path) = link.strip_prefix(&format!("{}/", coordinates.repository)).filter(|path| !path.is_empty())
        else {
            continue;
        };
        let tag = format!("/v{}/", coordinates.version);
        let (kind, file) = path.split_once(&tag).unwrap_or_else(|| panic!("{link} is not at the tag"));
        assert!(["blob", "raw"].contains(&kind) && root().join(file).is_file(), "{link}");
        files += 1;
    }
    assert!(files > 4, "the page has only {files} links");
}

/// Coordinates of a repository that is published, or is not.
fn example(is_published: bool) -> Coordinates {
    let repository = if is_published {
        "https://github.com/Acme/argocd-jobs"
    } else {
        "https://git.example.com/platform/argocd-jobs"
    };
    Coordinates::of(repository, "1.2.3", None)
}

#[test]
fn the_image_follows_from_the_repository() {
    let image = |repository: &str, image| Coordinates::of(repository, "1.2.3", image).pulled().to_owned();
    assert_eq!(image("https://github.com/Acme/argocd-jobs/", None), "ghcr.io/acme/argocd-jobs");
    assert_eq!(
        image("https://gitlab.com/acme/tools/argocd-jobs.git", None),
        "registry.gitlab.com/acme/tools/argocd-jobs"
    );
    assert_eq!(image("https://github.com/Acme/argocd-jobs", Some("quay.io/acme/jobs")), "quay.io/acme/jobs");
    assert_eq!(image("https://git.example.com/platform/argocd-jobs", None), "registry.example.com/argocd-jobs");
    assert_eq!(Coordinates::of("https://git.acme.dev/argocd-jobs", "1.2.3", None).image, None);
}

#[test]
fn a_reserved_host_is_not_published() {
    let is_published = |repository: &str| Coordinates::of(repository, "1.2.3", None).is_published();
    for host in ["example.com", "git.example.com", "git.example", "x.invalid"] {
        assert!(!is_published(&format!("https://{host}/argocd-jobs")), "{host}");
    }
    assert!(is_published("https://github.com/example/argocd-jobs"));
    assert!(is_published("https://notexample.com/argocd-jobs"));
}

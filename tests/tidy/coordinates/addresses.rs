//! Addresses of the repository and the image in a text, and versions next to them, found by their shape: any address that ends in
//! `/argocd-jobs` is one. So a text needs no marks, and an address that nobody has updated is found too.

use std::ops::Range;
use std::path::Path;

use regex_lite::Regex;

use super::Coordinates;

/// Hosts of pages about a package, which are not the repository.
const INDEXES: [&str; 5] = ["pypi.org", "crates.io", "docs.rs", "artifacthub.io", "img.shields.io"];

/// A version, in a group of its own.
const VERSION: &str = r"(\d+\.\d+\.\d+)";

/// Fills addresses and versions. Only lines with the name of the program are searched, and the line after each: the rest of the documents is
/// long, and has none.
pub(super) fn fill(path: &Path, text: &str, coordinates: &Coordinates) -> String {
    let text = alone(path, text, coordinates);
    let (mut out, mut passage, mut follows) = (String::new(), String::new(), false);
    for line in text.split_inclusive('\n') {
        let has_name = line.contains("argocd-jobs");
        if has_name || follows {
            passage.push_str(line);
        } else {
            out.push_str(&fill_passage(path, &std::mem::take(&mut passage), coordinates));
            out.push_str(line);
        }
        follows = has_name;
    }
    out + &fill_passage(path, &passage, coordinates)
}

fn fill_passage(path: &Path, text: &str, coordinates: &Coordinates) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = repositories(text, coordinates);
    let text = actions(&text, coordinates);
    let text = images(&text, coordinates);
    let text = if is_deployed(path) { deployed(&text, coordinates) } else { text };
    let text = overridden(&text, coordinates);
    versions(&text, coordinates)
}

/// `https://host/owner/argocd-jobs`
fn repositories(text: &str, coordinates: &Coordinates) -> String {
    let address = Regex::new(r"https?://([A-Za-z0-9.-]+)(/[A-Za-z0-9._-]+)*/argocd-jobs").unwrap();
    let found = address.captures_iter(text).filter_map(|found| {
        let mut whole = found.get(0)?.range();
        // `skills/argocd-jobs` is a folder of it.
        let file = text[whole.clone()].find("/argocd-jobs/raw/");
        whole.end = file.map_or(whole.end, |at| whole.start + at + "/argocd-jobs".len());
        let is_repository = ends_a_name(text, whole.end) && !INDEXES.contains(&found.get(1)?.as_str());
        is_repository.then_some((whole, coordinates.repository.clone()))
    });
    replaced(text, found)
}

/// `uses: owner/argocd-jobs@v1`
fn actions(text: &str, coordinates: &Coordinates) -> String {
    named(text, r"uses: ([A-Za-z0-9_-]+/argocd-jobs)[@/]", coordinates.slug())
}

/// `registry/argocd-jobs`: the image that readers pull, or build as long as none is published.
fn images(text: &str, coordinates: &Coordinates) -> String {
    let image = Regex::new(r"([a-z0-9-]+\.)+[a-z]{2,}(/[a-z0-9._-]+)*/argocd-jobs").unwrap();
    let found = image.find_iter(text).filter_map(|found| {
        let is_image = begins_a_name(text, found.start())
            && ends_a_name(text, found.end())
            && !text[found.end()..].starts_with('/');
        is_image.then(|| (found.range(), coordinates.pulled().to_owned()))
    });
    replaced(text, found)
}

fn is_deployed(path: &Path) -> bool {
    path.starts_with("deploy") && path.extension().is_some_and(|end| end == "yaml")
}

/// `argocd-jobs:0.1.0` in a manifest: the name that `images` of a kustomization replaces.
fn deployed(text: &str, coordinates: &Coordinates) -> String {
    named(text, r"[: (]([a-z0-9./-]*argocd-jobs):\d", coordinates.deployed())
}

/// An item of `images`: the name in the manifests, and the image that readers have built or the tag that they choose.
fn overridden(text: &str, coordinates: &Coordinates) -> String {
    let text = named(text, r"- name: ([a-z0-9./-]*argocd-jobs)\n[# ]*new(?:Name|Tag): ", coordinates.deployed());
    let chosen = if coordinates.is_published() {
        format!("newTag: {}-argocd3.6", coordinates.version)
    } else {
        format!("newName: {}", coordinates.pulled())
    };
    named(&text, r"- name: [a-z0-9./-]*argocd-jobs\n[# ]*(new(?:Name|Tag): \S+)", &chosen)
}

/// The text with `name` in the place of the first group of each match of `pattern`.
fn named(text: &str, pattern: &str, name: &str) -> String {
    let found = Regex::new(pattern).unwrap();
    replaced(text, found.captures_iter(text).filter_map(|found| Some((found.get(1)?.range(), name.to_owned()))))
}

/// Versions that are written next to the name of the program.
fn versions(text: &str, coordinates: &Coordinates) -> String {
    let shapes = [
        format!("argocd-jobs(?::|==|@v|@|-){VERSION}"),
        format!("argocd-jobs[^\\s\"'`<>]*[?&]ref=v{VERSION}"),
        format!("argocd-jobs/[^\\s\"'`<>]*?/v{VERSION}"),
        format!("repo: \\S*/argocd-jobs\\n *rev: v{VERSION}"),
        format!("project: \\S*/argocd-jobs\\n *ref: v{VERSION}"),
        format!("argocd-jobs\\nversion={VERSION}"),
        format!("argocd-jobs --tag v{VERSION}"),
    ];
    shapes.iter().fold(text.to_owned(), |text, shape| versioned(&text, shape, coordinates))
}

/// Versions without an address: the file, and what is around them.
const ALONE: [(&str, &str, &str); 2] =
    [("deploy/helm-plugin/plugin.yaml", "\nversion: ", "\n"), ("pre-commit-mirror/README.md", "`v", "`")];

fn alone(path: &Path, text: &str, coordinates: &Coordinates) -> String {
    let here = ALONE.iter().filter(|(file, ..)| path == Path::new(file));
    here.fold(text.to_owned(), |text, (_, before, after)| {
        versioned(&text, &format!("{before}{VERSION}{after}"), coordinates)
    })
}

/// The text with the version in every match of `shape`, which has a group for it.
fn versioned(text: &str, shape: &str, coordinates: &Coordinates) -> String {
    let shape = Regex::new(shape).unwrap();
    let version = &coordinates.version;
    replaced(text, shape.captures_iter(text).filter_map(|found| Some((found.get(1)?.range(), version.clone()))))
}

/// True when no longer name begins before `at`: it is neither in an address nor in a path.
fn begins_a_name(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let is_inside = |char: char| char.is_alphanumeric() || matches!(char, '/' | '.' | '-' | '_' | '@');
    before.ends_with("oci://") || before.ends_with("docker://") || !before.ends_with(is_inside)
}

/// True when the name of the repository ends at `at`: `argocd-jobs-examples` is another one.
fn ends_a_name(text: &str, at: usize) -> bool {
    let is_inside = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
    !text[at..].starts_with(is_inside)
}

/// The text with each range, in their order, replaced.
fn replaced(text: &str, changes: impl Iterator<Item = (Range<usize>, String)>) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (range, new) in changes {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    /// A text before the program is published, and after: file, before, after.
    const BOTH: [(&str, &str, &str); 15] = [
        (
            "docs/a.md",
            "git clone https://git.example.com/platform/argocd-jobs.git",
            "git clone https://github.com/Acme/argocd-jobs.git",
        ),
        (
            "docs/a.md",
            "- https://git.example.com/platform/argocd-jobs//deploy/kustomize?ref=v1.2.3",
            "- https://github.com/Acme/argocd-jobs//deploy/kustomize?ref=v1.2.3",
        ),
        (
            "docs/a.md",
            "  - repo: https://git.example.com/platform/argocd-jobs\n    rev: v1.2.3\n",
            "  - repo: https://github.com/Acme/argocd-jobs\n    rev: v1.2.3\n",
        ),
        (
            "docs/a.md",
            "docker run registry.example.com/argocd-jobs:1.2.3 check",
            "docker run ghcr.io/acme/argocd-jobs:1.2.3 check",
        ),
        (
            "docs/a.md",
            "COPY --from=registry.example.com/argocd-jobs:1.2.3-argocd3.6 / /",
            "COPY --from=ghcr.io/acme/argocd-jobs:1.2.3-argocd3.6 / /",
        ),
        ("docs/a.md", "- uses: platform/argocd-jobs@v1.2.3", "- uses: Acme/argocd-jobs@v1.2.3"),
        ("deploy/a.yaml", "image: argocd-jobs:1.2.3\n", "image: ghcr.io/acme/argocd-jobs:1.2.3\n"),
        (
            "deploy/a.yaml",
            "#   images:\n#   - name: argocd-jobs\n#     newName: registry.example.com/argocd-jobs\n",
            "#   images:\n#   - name: ghcr.io/acme/argocd-jobs\n#     newTag: 1.2.3-argocd3.6\n",
        ),
        (
            "deploy/README.md",
            "images:\n- name: argocd-jobs\n  newName: registry.example.com/argocd-jobs\n",
            "images:\n- name: ghcr.io/acme/argocd-jobs\n  newTag: 1.2.3-argocd3.6\n",
        ),
        (
            "deploy/a.yaml",
            "# Helm Applications need argocd-jobs:1.2.3-argocd3.6.\n",
            "# Helm Applications need ghcr.io/acme/argocd-jobs:1.2.3-argocd3.6.\n",
        ),
        (
            "docs/a.md",
            "repository=https://git.example.com/platform/argocd-jobs\nimage=registry.example.com/argocd-jobs\nversion=1.2.3\n",
            "repository=https://github.com/Acme/argocd-jobs\nimage=ghcr.io/acme/argocd-jobs\nversion=1.2.3\n",
        ),
        (
            "llms.txt",
            "https://git.example.com/platform/argocd-jobs/raw/main/skills/argocd-jobs/SKILL.md",
            "https://github.com/Acme/argocd-jobs/raw/main/skills/argocd-jobs/SKILL.md",
        ),
        // Not an address of this project.
        ("docs/a.md", "https://pypi.org/project/argocd-jobs/", "https://pypi.org/project/argocd-jobs/"),
        ("docs/a.md", "https://git.acme.dev/argocd-jobs-examples", "https://git.acme.dev/argocd-jobs-examples"),
        ("docs/a.md", "name: argocd-jobs\ncommand: argocd-jobs check", "name: argocd-jobs\ncommand: argocd-jobs check"),
    ];

    #[test]
    fn addresses_are_filled_in_both_directions() {
        for (path, before, after) in BOTH {
            let path = Path::new(path);
            assert_eq!(fill(path, before, &example(true)), after);
            assert_eq!(fill(path, after, &example(false)), before);
            assert_eq!(fill(path, before, &example(false)), before);
            assert_eq!(fill(path, after, &example(true)), after);
        }
    }

    #[test]
    fn an_address_or_a_version_that_nobody_has_updated_is_found() {
        let filled = |text: &str| fill(Path::new("docs/a.md"), text, &example(true));
        assert_eq!(
            filled("https://github.com/old-owner/argocd-jobs/issues"),
            "https://github.com/Acme/argocd-jobs/issues"
        );
        assert_eq!(filled("docker pull quay.io/old/argocd-jobs:0.9.0"), "docker pull ghcr.io/acme/argocd-jobs:1.2.3");
        assert_eq!(filled("argocd-jobs==0.9.0, argocd-jobs@v0.9.0"), "argocd-jobs==1.2.3, argocd-jobs@v1.2.3");
        assert_eq!(
            filled("https://github.com/Acme/argocd-jobs/releases/download/v0.9.0/argocd-jobs-0.9.0-x.tar.gz"),
            "https://github.com/Acme/argocd-jobs/releases/download/v1.2.3/argocd-jobs-1.2.3-x.tar.gz"
        );
        assert_eq!(
            filled("- project: team/argocd-jobs\n  ref: v0.9.0\n"),
            "- project: team/argocd-jobs\n  ref: v1.2.3\n"
        );
        assert_eq!(
            filled("image=quay.io/a/argocd-jobs\nversion=0.9.0\n"),
            "image=ghcr.io/acme/argocd-jobs\nversion=1.2.3\n"
        );
        let plugin = fill(Path::new("deploy/helm-plugin/plugin.yaml"), "name: x\nversion: 0.9.0\n", &example(true));
        assert_eq!(plugin, "name: x\nversion: 1.2.3\n");
    }
}

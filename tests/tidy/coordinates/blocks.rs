//! Passages that read otherwise once the program is published. A text has a pair of marks, and between them what is true now:
//!
//! ```text
//! <!-- coordinates: note -->
//! <!-- /coordinates -->
//! ```
//!
//! In files without HTML comments a mark is a line `# coordinates: labels`.

use std::path::Path;

use system::PathText;

use super::Coordinates;

/// A passage: its name, what it says before and after publication. `{repository}`, its `{owner}`, `{image}` and `{version}` are replaced,
/// `{readme}` is the path of the README from the text, and
/// `{description}` is that of the package.
struct Block {
    name: &'static str,
    unpublished: &'static str,
    published: &'static str,
}

const BLOCKS: [Block; 11] = [
    Block {
        name: "note",
        unpublished: "> Not published yet, so the addresses on this page are placeholders: [build the program and its image]({readme}#install) yourself.\n",
        published: "",
    },
    Block {
        name: "try",
        unpublished: "\
Not published yet: with Rust, `cargo install --locked --path .` in a clone of this repository puts the program on your `PATH`.

```text
argocd-jobs check .
argocd-jobs preview . --base origin/main
```
",
        published: "\
```text
uvx argocd-jobs check .
uvx argocd-jobs preview . --base origin/main
```

`uvx` is part of uv, and runs the program without an installation.
",
    },
    Block {
        name: "program",
        unpublished: "\
Not published yet: `cargo install --locked --path .` in a clone of the repository puts it on your `PATH`. That needs a Rust toolchain.
",
        published: "\
| with | command |
|---|---|
| [uv](https://docs.astral.sh/uv/) | `uvx argocd-jobs check .` runs it without an installation; `uv tool install argocd-jobs` installs it |
| pip | `pip install argocd-jobs` |
| Homebrew | `brew install {owner}/tap/argocd-jobs` |
| mise | `mise use --global github:{owner}/argocd-jobs` |
| nix | `nix run github:{owner}/argocd-jobs/v{version} -- check .` |
| Debian, Ubuntu | the `.deb` for your processor, from the [releases]({repository}/releases) |
| a binary | the archive for your machine, from the same page |
| the image | `{image}:{version}` has no shell: copy `/usr/local/bin/argocd-jobs` out of it |
| Rust | `cargo install --locked argocd-jobs` |
",
    },
    Block {
        name: "ci",
        unpublished: "Nothing is published yet. In the examples, `platform/argocd-jobs` stands for your copy of this repository. There is nothing to download, so build the program in the job, and name it as [`binary`](#where-the-program-comes-from).\n",
        published: "",
    },
    Block {
        name: "verify",
        unpublished: "**Nothing is published yet.** Until then `release/build` makes the same files on your machine ([Make a release](../release/README.md)).\n",
        published: "",
    },
    Block {
        name: "image",
        unpublished: "\
```text
docker build -t registry.example.com/argocd-jobs:{version} .
docker push registry.example.com/argocd-jobs:{version}
```

For Helm and kustomize Applications build [the image with renderers](../docs/adopt.md#which-image).
",
        published: "\
`{image}:{version}` is the plugin, and what the files here name. For Helm and kustomize Applications take the tag
of [the image with renderers](../docs/adopt.md#which-image) that fits your Argo CD, such as `{version}-argocd3.6`. [Verify a release](../docs/install.md#verify-a-release) says who has signed them.
",
    },
    Block {
        name: "renderers",
        unpublished: "\
`docker build --target with-renderers` takes Helm and kustomize out of the image of Argo CD that `ARGOCD_VERSION` names. **Name the version that you
run**: another Helm renders other manifests.

```text
docker build --target with-renderers --build-arg ARGOCD_VERSION=v3.4.13 -t registry.example.com/argocd-jobs:{version}-argocd3.4 .
```
",
        published: "\
**Take the tag of the Argo CD that you run**: another Helm renders other manifests. `{image}:{version}-argocd3.4` has the Helm and the kustomize of
Argo CD 3.4, built from their sources; its labels name their versions. To get the binaries of Argo CD's own image, or a version that is not in the table, build the image
yourself: `docker build --target with-renderers --build-arg ARGOCD_VERSION=v3.4.13 .` in the repository.
",
    },
    Block {
        name: "pre-commit",
        unpublished: "\
Building takes minutes and needs a Rust toolchain. [`pre-commit-mirror/`](../pre-commit-mirror/README.md) has the files of another repository with the same hooks, which install the wheel in
seconds. They work once the wheel is published.
",
        published: "\
Building takes minutes and needs a Rust toolchain. With `repo: {repository}-pre-commit`, which has the same hooks and the same tags, pre-commit
installs the wheel in seconds.
",
    },
    Block {
        name: "live",
        unpublished: "Nothing is published yet. Once it is, they are open in a repository of their own, `argocd-jobs-examples`.\n",
        published: "Here they are, open: [argocd-jobs-examples]({repository}-examples/pulls).\n",
    },
    Block {
        name: "mirror",
        unpublished: "Neither the mirror nor the wheel is published yet.\n",
        published: "\
```yaml
# .pre-commit-config.yaml
repos:
  - repo: {repository}-pre-commit
    rev: v{version}
    hooks:
      - id: argocd-jobs-check
        args: [apps/shop]
```
",
    },
    Block {
        name: "labels",
        unpublished: "\
LABEL org.opencontainers.image.title=argocd-jobs \\
      org.opencontainers.image.description=\"{description}\" \\
      org.opencontainers.image.licenses=Apache-2.0 \\
      org.opencontainers.image.version={version}
",
        published: "\
LABEL org.opencontainers.image.title=argocd-jobs \\
      org.opencontainers.image.description=\"{description}\" \\
      org.opencontainers.image.licenses=Apache-2.0 \\
      org.opencontainers.image.version={version} \\
      org.opencontainers.image.source={repository} \\
      org.opencontainers.image.documentation={repository}#readme
",
    },
];

/// The marks, each a line of its own: what begins the first one, what ends it, and the second one.
const MARKS: [(&str, &str, &str); 2] =
    [("<!-- coordinates: ", " -->\n", "<!-- /coordinates -->\n"), ("# coordinates: ", "\n", "# /coordinates\n")];

/// Fills the passages between marks.
pub(super) fn fill(path: &Path, text: &str, coordinates: &Coordinates) -> String {
    let mut out = String::new();
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out.push_str(line);
        let opened = |(begin, after, end)| Some((line.strip_prefix(begin)?.strip_suffix(after)?, end));
        if let Some((name, end)) = MARKS.into_iter().find_map(opened) {
            assert!(lines.any(|line| line == end), "{}: {name} lacks {end:?}", path.shown());
            out.push_str(&passage(name, path, coordinates));
            out.push_str(end);
        }
    }
    out
}

/// What the block `name` says in the file at `path`.
fn passage(name: &str, path: &Path, coordinates: &Coordinates) -> String {
    let block = BLOCKS.iter().find(|block| block.name == name);
    let block = block.unwrap_or_else(|| panic!("{}: there is no block {name:?}", path.shown()));
    let text = if coordinates.is_published() { block.published } else { block.unpublished };
    let up = "../".repeat(path.components().count().saturating_sub(1));
    let readme = if up.is_empty() { String::new() } else { format!("{up}README.md") };
    text.replace("{readme}", &readme)
        .replace("{repository}", &coordinates.repository)
        .replace("{owner}", coordinates.slug().split('/').next().unwrap_or_default())
        .replace("{image}", coordinates.pulled())
        .replace("{version}", &coordinates.version)
        .replace("{description}", env!("CARGO_PKG_DESCRIPTION"))
}

/// Words that only work once the program is published, besides addresses.
const PACKAGES: [&str; 5] = [
    "uvx argocd-jobs",
    "pip install argocd-jobs",
    "pipx run argocd-jobs",
    "argocd-jobs==",
    "cargo install argocd-jobs",
];

/// A passage that is there without its marks gets them. A page that sends its readers to something published has a note about it: where its
/// author put it, or else below the title.
pub(super) fn with_marks(path: &Path, text: String, coordinates: &Coordinates) -> String {
    let (begin, after, end) = MARKS[0];
    let names = BLOCKS.iter().map(|block| block.name).filter(|name| *name != "labels");
    let text = names.fold(text, |text, name| {
        let (mark, passage) = (format!("{begin}{name}{after}"), passage(name, path, coordinates));
        let is_bare = !passage.is_empty() && !text.contains(&mark);
        if is_bare { text.replacen(&format!("\n\n{passage}"), &format!("\n\n{mark}{passage}{end}"), 1) } else { text }
    });
    with_note(path, text, coordinates)
}

fn with_note(path: &Path, text: String, coordinates: &Coordinates) -> String {
    let is_page = ["docs", "deploy"].iter().any(|folder| path.starts_with(folder))
        && path.extension().is_some_and(|end| end == "md");
    let addresses = [coordinates.pulled(), &coordinates.repository, &format!("uses: {}@", coordinates.slug())];
    let sends = addresses.iter().chain(&PACKAGES).any(|address| text.contains(*address));
    let (begin, after, end) = MARKS[0];
    if !is_page || !sends || text.contains(&format!("\n{begin}")) {
        return text;
    }
    match text.split_once("\n\n") {
        Some((title, rest)) if title.starts_with("# ") => format!("{title}\n\n{begin}note{after}{end}\n{rest}"),
        _ => panic!("{} does not begin with a title", path.shown()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    const README: &str = "# x\n\n<!-- coordinates: try -->\nold\n<!-- /coordinates -->\n\nrest\n";

    fn filled(path: &str, text: &str, is_published: bool) -> String {
        let (path, coordinates) = (Path::new(path), example(is_published));
        fill(path, &with_marks(path, text.to_owned(), &coordinates), &coordinates)
    }

    #[test]
    fn a_passage_says_what_is_true() {
        let before = filled("README.md", README, false);
        assert!(before.contains("Not published yet") && before.contains("cargo install --locked --path ."), "{before}");
        assert!(before.ends_with("```\n<!-- /coordinates -->\n\nrest\n"), "{before}");
        let after = filled("README.md", &before, true);
        assert!(after.contains("uvx argocd-jobs") && !after.contains("published"), "{after}");
        assert_eq!(filled("README.md", &after, false), before);
    }

    #[test]
    fn a_page_that_sends_readers_away_gets_a_note() {
        let page = "# In CI\n\n- run: docker run registry.example.com/argocd-jobs:1.2.3 check\n";
        let before = filled("docs/ci.md", page, false);
        let note = "# In CI\n\n<!-- coordinates: note -->\n> Not published yet, so the addresses on this page are placeholders: \
                    [build the program and its image](../README.md#install) yourself.\n<!-- /coordinates -->\n\n- run: ";
        assert!(before.starts_with(note), "{before}");
        assert!(
            filled("docs/ci.md", &before, true)
                .starts_with("# In CI\n\n<!-- coordinates: note -->\n<!-- /coordinates -->\n\n")
        );
        assert_eq!(filled("docs/ci.md", &before, false), before);
        for package in ["uvx argocd-jobs check .", "additional_dependencies: [argocd-jobs==1.2.3]"] {
            assert!(filled("docs/ci.md", &format!("# In CI\n\n{package}\n"), false).contains("Not published yet"));
        }
        assert_eq!(filled("docs/a.md", "# A\n\nname: argocd-jobs\n", false), "# A\n\nname: argocd-jobs\n");
    }

    #[test]
    fn a_passage_without_marks_gets_them() {
        let page =
            format!("# Verify\n\n{}\nrest\n", BLOCKS.iter().find(|block| block.name == "verify").unwrap().unpublished);
        let before = filled("docs/install.md", &page, false);
        assert!(
            before.starts_with("# Verify\n\n<!-- coordinates: verify -->\n**Nothing is published yet.**"),
            "{before}"
        );
        let after = filled("docs/install.md", &before, true);
        assert_eq!(after, "# Verify\n\n<!-- coordinates: verify -->\n<!-- /coordinates -->\n\nrest\n");
        assert_eq!(filled("docs/install.md", &after, false), before);
    }

    #[test]
    fn a_mark_in_a_sentence_is_none() {
        let text = "Between `<!-- coordinates: note -->` and\n`<!-- /coordinates -->`.\n";
        assert_eq!(filled("CONTRIBUTING.md", text, true), text);
    }

    #[test]
    fn an_image_names_its_source_when_there_is_one() {
        let dockerfile = "FROM scratch\n# coordinates: labels\n# /coordinates\nUSER 999\n";
        let before = filled("Dockerfile", dockerfile, false);
        assert!(before.contains("org.opencontainers.image.version=1.2.3\n# /coordinates\nUSER 999\n"), "{before}");
        assert!(before.contains(env!("CARGO_PKG_DESCRIPTION")) && !before.contains(".source="), "{before}");
        let after = filled("Dockerfile", &before, true);
        assert!(after.contains("org.opencontainers.image.source=https://github.com/Acme/argocd-jobs \\\n"), "{after}");
        assert_eq!(filled("Dockerfile", &after, false), before);
    }
}

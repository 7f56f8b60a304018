//! A revision as files in a private directory, where a chart or a kustomization is rendered.
//!
//! The files are written from git's objects: no filter, hook or attribute of the repository has a say, and nothing is written into the user's
//! own directory. What is written comes from strangers. So names that lead elsewhere are refused, files and folders are made new, symlinks
//! come last, and those that lead out of the tree are taken away before any tool starts. The number of files, their bytes and the time are
//! limited.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{BatchReply, Counterpart, Error, MAX_PATH, Mode, NoRevision, Objects, Revision, Type};
use crate::manifest::Manifest;
use crate::process::{Deadline, PrivateDir};
use crate::settings::{ApplicationSettings, PlatformSettings};
use crate::source::confined::{AbsoluteLinks, Stopped, follow};
use crate::source::tool::{RenderError, Target, WorkTree, temporary};
use crate::source::{MAX_CHECKOUT_BYTES, Renderer, Surroundings, render, repository};

/// Maximum size of the target of a link: Linux takes no longer one.
const MAX_LINK: u64 = 4096;

/// The trees that have been written to disk, each once, by their ids.
pub(super) type Checkouts = Mutex<BTreeMap<String, Arc<Written>>>;

/// The tree of a revision, and the private directory that it is in.
#[derive(Debug)]
pub(super) struct Written {
    checkout: Checkout,
    /// Removed with all that is in it when this is dropped.
    _private: PrivateDir,
}

/// The tree of a revision.
#[derive(Debug)]
struct Checkout {
    /// Its root, without symlinks in the path.
    root: PathBuf,
    deadline: Deadline,
    /// How many more bytes may be written.
    left: u64,
    /// The links and their ids, by their paths below the root.
    links: Vec<(PathBuf, String)>,
    /// The links that lead out of the tree: they are not made.
    outbound: BTreeSet<PathBuf>,
}

impl Revision {
    /// The directory in a copy of its revision, which is removed with [`Checkouts`]; none if the revision does not have the directory.
    pub(in crate::source) fn copied(&mut self) -> Result<Option<Counterpart>, Error> {
        if self.directory()?.is_none() {
            return Ok(None);
        }
        let dir = self.name.dir.clone();
        let rendering = self.surroundings.rendering.clone();
        let launcher = rendering
            .launcher
            .as_ref()
            .ok_or_else(|| Error::unreadable(&dir, io::Error::other("this program does not know its own path")))?;
        let unreadable = |error: io::Error| Error::unreadable(&dir, error);
        let repository = repository::root_of(&dir, None).map_err(unreadable)?;
        let parent = temporary(&rendering.temporary, &repository)
            .map_err(|error| Error::Render { dir: dir.clone(), error: Box::new(error) })?;
        let deadline = Deadline::after(PlatformSettings::default().time);
        let root = self.write_once(&rendering.revisions.written, (launcher, &parent), deadline)?.checkout.root.clone();
        let below = Path::new(std::ffi::OsStr::from_bytes(&self.prefix));
        Ok(Some(Counterpart { dir: root.join(below), root }))
    }

    /// Renders the directory in a copy of its revision, which is removed afterwards; none when the revision has no such directory.
    pub(super) fn render_checkout(
        &mut self,
        renderer: Renderer,
        found: Option<String>,
        settings: &ApplicationSettings,
    ) -> Result<Option<Manifest>, Error> {
        if self.directory()?.is_none() {
            return Ok(None);
        }
        let dir = self.name.dir.clone();
        let Surroundings { tools, rendering, .. } = self.surroundings.clone();
        let Some(launcher) = &rendering.launcher else { return Err(Error::NeedsRenderer { dir, renderer, found }) };
        let of_dir = |error: RenderError| Error::Render { dir: dir.clone(), error: Box::new(error) };
        let unreadable = |error: io::Error| Error::unreadable(&dir, error);
        let original = fs::canonicalize(&dir).map_err(unreadable)?;
        let repository = repository::root_of(&original, None).map_err(unreadable)?;
        let parent = temporary(&rendering.temporary, &repository).map_err(of_dir)?;
        let deadline = Deadline::after(settings.platform.time);
        let written = self.write_once(&rendering.revisions.written, (launcher, &parent), deadline)?;
        let tree = self.place(&written.checkout, original)?;
        let target = Target { dir: &dir, tools: &tools, launcher, rendering: &rendering };
        // Files of a revision are in no editor: places are in what the tool prints.
        render::render_tree(&target, (tree, None), deadline, renderer, settings).map(Some)
    }

    /// Writes the revision into a private directory below `parent`, unless that has been done.
    fn write_once(
        &mut self,
        checkouts: &Checkouts,
        (launcher, parent): (&Path, &Path),
        deadline: Deadline,
    ) -> Result<Arc<Written>, Error> {
        // Whoever comes second waits: it needs the same files.
        let mut written = checkouts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = written.get(&self.commit.root) {
            return Ok(Arc::clone(known));
        }
        let private = PrivateDir::new(launcher, parent).map_err(|error| self.not_written(error))?;
        let root = private.path().map_err(|error| self.not_written(error))?.join("revision");
        DirBuilder::new().mode(0o700).create(&root).map_err(|error| self.not_written(error))?;
        let checkout = self.write(root, deadline)?;
        let new = Arc::new(Written { checkout, _private: private });
        written.insert(self.commit.root.clone(), Arc::clone(&new));
        Ok(new)
    }

    /// Writes all files of the revision below `root`.
    fn write(&mut self, root: PathBuf, deadline: Deadline) -> Result<Checkout, Error> {
        let mut checkout =
            Checkout { root, deadline, left: MAX_CHECKOUT_BYTES, links: Vec::new(), outbound: BTreeSet::new() };
        self.write_tree(&self.commit.root.clone(), Path::new(""), &mut checkout)?;
        self.write_links(&mut checkout)?;
        Ok(checkout)
    }

    fn write_tree(&mut self, id: &str, below: &Path, checkout: &mut Checkout) -> Result<(), Error> {
        for item in self.tree(id)? {
            self.check_time(checkout)?;
            if !is_name(&item.name) {
                return Err(self.failed(NoRevision::Name(String::from_utf8_lossy(&item.name).into_owned())));
            }
            let path = below.join(repository::file_name(&item.name));
            if path.as_os_str().len() > MAX_PATH {
                return Err(self.broken("a path is too long"));
            }
            let full = checkout.root.join(&path);
            match item.mode {
                Mode::File => self.write_file(&item.id, &full, checkout)?,
                Mode::Link => checkout.links.push((path, item.id)),
                Mode::Tree | Mode::Submodule => {
                    DirBuilder::new().mode(0o700).create(&full).map_err(|error| self.not_written(error))?;
                    if item.mode == Mode::Tree {
                        self.write_tree(&item.id, &path, checkout)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn write_file(&mut self, id: &str, path: &Path, checkout: &mut Checkout) -> Result<(), Error> {
        self.lend(|objects| {
            let size = self.ask_for_blob(objects, id)?;
            checkout.left = match checkout.left.checked_sub(size) {
                Some(left) => left,
                None => return Err(self.failed(NoRevision::TooLarge(MAX_CHECKOUT_BYTES))),
            };
            let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            let mut file: BufWriter<File> = BufWriter::new(opened.map_err(|error| self.not_written(error))?);
            let copied = objects.copy(size, &mut file).and_then(|()| file.flush());
            copied.map_err(|error| self.not_written(error))
        })
    }

    /// Makes the links, and takes those away again that do not lead to something in the tree. One can lead through another, so all have to
    /// be there first. One that leads nowhere could lead out of the tree when a tool has made what it leads through.
    fn write_links(&mut self, checkout: &mut Checkout) -> Result<(), Error> {
        let links = std::mem::take(&mut checkout.links);
        for (path, id) in &links {
            self.check_time(checkout)?;
            let content = self.lend(|objects| {
                let size = self.ask_for_blob(objects, id)?;
                objects.content(size, MAX_LINK).map_err(|error| self.broken(&error.to_string()))
            })?;
            let target = content.ok_or_else(|| self.broken("the target of a link is too long"))?;
            let target = repository::file_name(&target).into_owned();
            if Path::new(&target).has_root() {
                checkout.outbound.insert(path.clone());
            } else {
                symlink(target, checkout.root.join(path)).map_err(|error| self.not_written(error))?;
            }
        }
        for (path, _) in links {
            if checkout.outbound.contains(&path) {
                continue;
            }
            self.check_time(checkout)?;
            let link = checkout.root.join(&path);
            let Err(stopped) = follow(&checkout.root, &link, AbsoluteLinks::Refuse) else { continue };
            fs::remove_file(&link).map_err(|error| self.not_written(error))?;
            if matches!(stopped, Stopped::Outside | Stopped::Git) {
                checkout.outbound.insert(path);
            }
        }
        Ok(())
    }

    fn check_time(&self, checkout: &Checkout) -> Result<(), Error> {
        if checkout.deadline.is_over() { Err(self.failed(NoRevision::TooLong)) } else { Ok(()) }
    }

    /// The size of a blob, whose content comes next.
    fn ask_for_blob(&self, objects: &mut Objects, id: &str) -> Result<u64, Error> {
        match objects.ask(id.as_bytes()).map_err(|error| self.broken(&error.to_string()))? {
            BatchReply::Object { kind: Type::Blob, size, .. } => Ok(size),
            _ => Err(self.absent()),
        }
    }

    /// The directory in what is written; an error when a link below it is missing there, because it leads out of the repository.
    fn place(&self, checkout: &Checkout, original: PathBuf) -> Result<WorkTree, Error> {
        let below = Path::new(std::ffi::OsStr::from_bytes(&self.prefix));
        let unreadable = |error: io::Error| Error::unreadable(&self.name.dir, error);
        let dir = fs::canonicalize(checkout.root.join(below)).map_err(unreadable)?;
        let links = checkout.outbound.iter().map(|path| checkout.root.join(path));
        let shown = links.filter_map(|link| link.strip_prefix(&dir).map(|below| self.name.file(below)).ok()).next();
        if let Some(shown) = shown {
            return Err(Error::LeavesRepository(shown));
        }
        Ok(WorkTree::of_copy(dir, checkout.root.clone(), original))
    }

    fn not_written(&self, error: io::Error) -> Error {
        let error = RenderError::PrivateDirectory(error);
        Error::Render { dir: self.name.dir.clone(), error: Box::new(error) }
    }
}

/// Whether a name is one in its own folder, as git asks for it before a checkout (`verify_path` in `read-cache.c`). What git keeps has its
/// name in any case of letters: some file systems know no case.
fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..")
        && !name.contains(&b'/')
        && !name.eq_ignore_ascii_case(repository::GIT.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::source::tests::Scratch;
    use crate::source::tests::revision::{Repository, tools};
    use crate::source::vfs::DirectoryName;

    /// What is written of the last commit: each path with `/` for a folder, the content of a file, or the target of a link.
    fn written(repository: &Repository) -> Result<BTreeMap<String, String>, String> {
        let surroundings = Surroundings { tools: tools(), ..Surroundings::default() };
        let name = DirectoryName::new(repository.path(""), None);
        let mut revision = Revision::open(name, "HEAD".to_owned(), &surroundings).unwrap();
        let scratch = Scratch::new();
        let root = fs::canonicalize(&scratch.0).unwrap();
        let checkout = revision.write(root.clone(), Deadline::after(Duration::from_secs(60)));
        checkout.map_err(|error| error.to_string())?;
        let found = walkdir::WalkDir::new(&root).min_depth(1).into_iter().map(Result::unwrap).map(|entry| {
            let content = match entry.file_type() {
                kind if kind.is_dir() => "/".to_owned(),
                kind if kind.is_symlink() => format!("-> {}", fs::read_link(entry.path()).unwrap().display()),
                _ => fs::read_to_string(entry.path()).unwrap(),
            };
            (entry.path().strip_prefix(&root).unwrap().display().to_string(), content)
        });
        Ok(found.collect())
    }

    #[test]
    fn files_are_as_they_are_in_git_without_filters() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
        let repository = Repository::of(
            Scratch::with(&["repo/a/b/c.yaml"])
                .file(
                    "repo/.gitattributes",
                    "*.txt export-subst\n*.bin filter=lfs\n*.crlf text eol=crlf\nhidden export-ignore\n",
                )
                .file("repo/a.txt", "$Format:%H$ $Id$\n")
                .file("repo/l.bin", pointer)
                .file("repo/l.crlf", "a\nb\n")
                .file("repo/hidden", "x"),
        );
        repository.git(&["config", "filter.lfs.smudge", "false"]);
        let found = written(&repository).unwrap();
        for (path, expected) in [
            ("a/b/c.yaml", "repo/a/b/c.yaml"),
            ("a.txt", "$Format:%H$ $Id$\n"),
            ("l.bin", pointer),
            ("l.crlf", "a\nb\n"),
        ] {
            assert_eq!(found[path], expected, "{path}");
        }
        assert_eq!((found["hidden"].as_str(), found["a/b"].as_str()), ("x", "/"));
        assert!(!found.keys().any(|path| path.starts_with(".git/")));
    }

    #[test]
    fn links_that_lead_out_of_the_tree_or_nowhere_are_not_made() {
        let repository = Repository::of(
            Scratch::with(&["repo/d/e/f", "out"])
                .link("repo/in", "d/e/f")
                .link("repo/d/up", "../in")
                .link("repo/d/e/top", "../..")
                .link("repo/absolute", "/etc/passwd")
                .link("repo/climbing", "../out")
                // Only by what `top` leads to does one see that these leave the tree.
                .link("repo/through", "d/e/top/../out")
                .link("repo/again", "through")
                .link("repo/git", "d/e/top/.git/config")
                .link("repo/dangling", "charts/../../out")
                .link("repo/loop", "loop"),
        );
        let found = written(&repository).unwrap();
        let links: Vec<_> = found.iter().filter(|(_, content)| content.starts_with("->")).collect();
        let links: Vec<_> = links.iter().map(|(path, target)| format!("{path} {target}")).collect();
        assert_eq!(links, ["d/e/top -> ../..", "d/up -> ../in", "in -> d/e/f"]);
    }

    #[test]
    fn names_that_no_checkout_has_are_refused() {
        type Line<'l> = (&'l str, &'l str, &'l str);
        let repository = Repository::of(Scratch::with(&["repo/a"]));
        let scratch = Scratch::new();
        let blob = repository.git(&["rev-parse", "HEAD:a"]);
        let tree = repository.git(&["rev-parse", "HEAD^{tree}"]);
        let raw = |id: &str| -> Vec<u8> {
            (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()).collect()
        };
        let cases: [(&[Line<'_>], &str); 7] = [
            (&[("100644", "..", &blob)], "a file with the name `..`"),
            (&[("40000", "..", &tree)], "a file with the name `..`"),
            (&[("100644", "../out", &blob)], "a file with the name `../out`"),
            (&[("100644", ".git", &blob)], "a file with the name `.git`"),
            (&[("40000", ".GIT", &tree)], "a file with the name `.GIT`"),
            (&[("100644", "x", &blob), ("100644", "x", &blob)], "File exists"),
            (&[("120000", "x", &blob), ("40000", "x", &tree)], "File exists"),
        ];
        for (entries, expected) in cases {
            let line =
                |(mode, name, id): &(&str, &str, &str)| [format!("{mode} {name}\0").into_bytes(), raw(id)].concat();
            let content: Vec<u8> = entries.iter().flat_map(line).collect();
            let file = scratch.0.join("tree");
            fs::write(&file, content).unwrap();
            let id = repository.git(&["hash-object", "-t", "tree", "-w", "--literally", file.to_str().unwrap()]);
            let commit = repository.git(&["commit-tree", "-m", "x", &id]);
            repository.git(&["update-ref", "refs/heads/main", &commit]);
            let message = written(&repository).unwrap_err();
            assert!(message.contains(expected), "{entries:?}: {message}");
        }
    }

    #[test]
    fn a_submodule_is_an_empty_folder() {
        let repository = Repository::of(Scratch::with(&["repo/a"]));
        let commit = repository.git(&["rev-parse", "HEAD"]);
        repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
        repository.git(&["commit", "--quiet", "--message=x"]);
        assert_eq!(written(&repository).unwrap()["sub"], "/");
    }

    #[test]
    fn what_takes_too_long_or_is_too_large_ends() {
        let repository = Repository::of(Scratch::with(&["repo/a"]));
        let surroundings = Surroundings { tools: tools(), ..Surroundings::default() };
        let open = || {
            let name = DirectoryName::new(repository.path(""), None);
            Revision::open(name, "HEAD".to_owned(), &surroundings).unwrap()
        };
        let root = fs::canonicalize(&Scratch::new().0).unwrap_or_default();
        let error = open().write(root, Deadline::after(Duration::ZERO)).err().unwrap();
        assert!(error.to_string().contains("could not be written in time\nhelp: "), "{error}");
        let scratch = Scratch::new();
        let mut checkout = Checkout {
            root: scratch.0.clone(),
            deadline: Deadline::after(Duration::from_secs(60)),
            left: 5,
            links: Vec::new(),
            outbound: BTreeSet::new(),
        };
        let mut revision = open();
        let tree = revision.commit.root.clone();
        let error = revision.write_tree(&tree, Path::new(""), &mut checkout).err().unwrap();
        assert!(error.to_string().contains("are larger than 1024 MiB\nhelp: "), "{error}");
        assert!(!scratch.0.join("a").exists());
    }
}

//! Writes a revision as files to a private directory, in which a chart or a kustomization is rendered.
//!
//! The files are written from git's objects: filters, hooks and attributes of the repository have no effect, and
//! nothing is written into the user's own directory. The content comes from strangers. So names that lead elsewhere
//! are refused, files and folders are created new, symlinks are created last, and those that lead out of the tree are
//! removed before a tool starts. The number of files, their size and the time are limited.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use checkout::follow::{AbsoluteLinks, Stopped, follow};
use checkout::repository;
use confined::{Deadline, PrivateDir};
use render::{RenderError, Renderer, Target, WorkTree, temporary};
use rewrite::manifest::Manifest;
use rewrite::settings::{ApplicationSettings, PlatformSettings};
use system::{canonical, file_name, is_misread, own_file, own_folder, symlink};

use super::{BatchReply, Counterpart, Error, MAX_PATH, Mode, NoRevision, Objects, Revision, Type};
use crate::{MAX_CHECKOUT_BYTES, Surroundings};

/// The maximum length of a link's target in bytes, as in Linux.
const MAX_LINK: u64 = 4096;

/// The trees that were written to disk, by their ids.
pub(super) type Checkouts = Mutex<BTreeMap<String, Arc<Written>>>;

/// The tree of a revision, and the private directory that contains it.
#[derive(Debug)]
pub(super) struct Written {
    checkout: Checkout,
    /// Dropping it removes the directory.
    _private: PrivateDir,
}

/// The files of a revision on disk.
#[derive(Debug)]
struct Checkout {
    /// The root of the files: a path without symlinks.
    root: PathBuf,
    deadline: Deadline,
    /// The number of bytes that may still be written.
    left: u64,
    /// The links that are not created yet: paths relative to the root, and ids.
    links: Vec<(PathBuf, String)>,
    /// The links that lead out of the tree. They are not created.
    outbound: BTreeSet<PathBuf>,
    /// The files, links and folders that the clone lacks: see [`Checkout::lack`].
    missing: Arc<BTreeSet<PathBuf>>,
}

impl Checkout {
    /// Creates a link to itself in the place of a path that the clone lacks. Reading it fails, so it is not mistaken
    /// for a path that the revision does not have.
    fn lack(&mut self, path: &Path) -> io::Result<()> {
        symlink(path.file_name().unwrap_or_default(), self.root.join(path))?;
        Arc::make_mut(&mut self.missing).insert(path.to_owned());
        Ok(())
    }
}

impl Revision {
    /// The directory in a copy of its revision; `None` if the revision does not contain the directory. The copy is
    /// removed with [`Checkouts`].
    pub(crate) fn copied(&mut self) -> Result<Option<Counterpart>, Error> {
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
        let repository = repository::root_of(super::nearest(&dir).0, None).map_err(unreadable)?;
        let parent = temporary(&rendering.temporary, &repository)
            .map_err(|error| Error::Render { dir: dir.clone(), error: Box::new(error) })?;
        let deadline = Deadline::after(PlatformSettings::default().time);
        let written = self.write_once((launcher, &parent), deadline)?;
        let Checkout { root, missing, .. } = &written.checkout;
        let below = &file_name(&self.prefix);
        Ok(Some(Counterpart { dir: root.join(below), root: root.clone(), missing: Arc::clone(missing) }))
    }

    /// Renders the directory in a copy of its revision; `None` if the revision does not contain the directory.
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
        let Some(launcher) = rendering.starts_tools() else {
            return Err(Error::NeedsRenderer { dir, renderer, found });
        };
        let of_dir = |error: RenderError| Error::Render { dir: dir.clone(), error: Box::new(error) };
        let unreadable = |error: io::Error| Error::unreadable(&dir, error);
        // The directory may exist only in the revision.
        let (there, gone) = super::nearest(&dir);
        let original = canonical(there).map_err(unreadable)?.join(gone);
        let repository = repository::root_of(there, None).map_err(unreadable)?;
        let parent = temporary(&rendering.temporary, &repository).map_err(of_dir)?;
        let deadline = Deadline::after(settings.platform.time);
        let written = self.write_once((launcher, &parent), deadline)?;
        let tree = self.place(&written.checkout, original)?;
        let target = Target { dir: &dir, tools: &tools, launcher, rendering: &rendering };
        let rendered = render::render_copy(&target, tree, deadline, renderer, settings);
        rendered.map(Some).map_err(|error| {
            let error = Error::not_rendered(&dir, error);
            // The tool reports a file that the clone lacks as broken or missing.
            let is_for_missing = !written.checkout.missing.is_empty() && !error.may_work_in_argocd(false);
            if is_for_missing { self.absent() } else { error }
        })
    }

    /// Writes the revision into a private directory below `parent`, unless it was written before.
    fn write_once(&mut self, (launcher, parent): (&Path, &Path), deadline: Deadline) -> Result<Arc<Written>, Error> {
        let revisions = Arc::clone(&self.surroundings.revisions);
        // A second thread waits, because it needs the same files.
        let mut written = revisions.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = written.get(&self.commit.root) {
            return Ok(Arc::clone(known));
        }
        let private = PrivateDir::new(launcher, parent).map_err(|error| self.not_written(error))?;
        let root = private.path().map_err(|error| self.not_written(error))?.join("revision");
        own_folder().create(&root).map_err(|error| self.not_written(error))?;
        let checkout = self.write(root, deadline)?;
        let new = Arc::new(Written { checkout, _private: private });
        written.insert(self.commit.root.clone(), Arc::clone(&new));
        Ok(new)
    }

    /// Writes all files of the revision below `root`.
    fn write(&mut self, root: PathBuf, deadline: Deadline) -> Result<Checkout, Error> {
        let mut checkout = Checkout {
            root,
            deadline,
            left: MAX_CHECKOUT_BYTES,
            links: Vec::new(),
            outbound: BTreeSet::new(),
            missing: Arc::default(),
        };
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
            let path = below.join(file_name(&item.name));
            if path.as_os_str().len() > MAX_PATH {
                return Err(self.broken("a path is too long"));
            }
            let full = checkout.root.join(&path);
            match item.mode {
                Mode::File => self.write_file(&item.id, &path, checkout)?,
                Mode::Link => checkout.links.push((path, item.id)),
                Mode::Tree | Mode::Submodule => {
                    own_folder().create(&full).map_err(|error| self.not_written(error))?;
                    if item.mode == Mode::Tree {
                        self.write_folder(&item.id, &path, checkout)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the content of a folder, which must exist and be empty.
    fn write_folder(&mut self, id: &str, path: &Path, checkout: &mut Checkout) -> Result<(), Error> {
        match self.write_tree(id, path, checkout) {
            // The clone lacks the folder's own tree. For anything missing below it a link was created.
            Err(Error::Revision { why: NoRevision::Absent(_), .. }) => {
                let made = fs::remove_dir(checkout.root.join(path)).and_then(|()| checkout.lack(path));
                made.map_err(|error| self.not_written(error))
            }
            other => other,
        }
    }

    fn write_file(&mut self, id: &str, path: &Path, checkout: &mut Checkout) -> Result<(), Error> {
        self.lend(|objects| {
            let Some(size) = self.ask_for_blob(objects, id)? else {
                return checkout.lack(path).map_err(|error| self.not_written(error));
            };
            let path = checkout.root.join(path);
            checkout.left = match checkout.left.checked_sub(size) {
                Some(left) => left,
                None => return Err(self.failed(NoRevision::TooLarge(MAX_CHECKOUT_BYTES))),
            };
            let opened = own_file(OpenOptions::new().write(true).create_new(true)).open(path);
            let mut file: BufWriter<File> = BufWriter::new(opened.map_err(|error| self.not_written(error))?);
            let copied = objects.copy(size, &mut file).and_then(|()| file.flush());
            copied.map_err(|error| self.not_written(error))
        })
    }

    /// Creates the links, and removes those that do not lead to something in the tree. All must exist first, because
    /// a link can lead through another. A link to nothing is removed, too: it could lead out of the tree once a tool
    /// has created a part of its path.
    fn write_links(&mut self, checkout: &mut Checkout) -> Result<(), Error> {
        let links = std::mem::take(&mut checkout.links);
        for (path, id) in &links {
            self.check_time(checkout)?;
            let content = self.lend(|objects| match self.ask_for_blob(objects, id)? {
                Some(size) => {
                    let content = objects.content(size, MAX_LINK).map_err(|error| self.broken(&error.to_string()));
                    content.map(Some)
                }
                None => Ok(None),
            })?;
            let Some(content) = content else {
                checkout.lack(path).map_err(|error| self.not_written(error))?;
                continue;
            };
            let target = content.ok_or_else(|| self.broken("the target of a link is too long"))?;
            let target = file_name(&target).into_owned();
            if Path::new(&target).has_root() {
                checkout.outbound.insert(path.clone());
            } else {
                symlink(target, checkout.root.join(path)).map_err(|error| self.not_written(error))?;
            }
        }
        for (path, _) in links {
            if checkout.outbound.contains(&path) || checkout.missing.contains(&path) {
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

    /// The size of a blob, whose content comes next; `None` if the clone lacks it.
    fn ask_for_blob(&self, objects: &mut Objects, id: &str) -> Result<Option<u64>, Error> {
        match self.commit.ask(objects, id).map_err(|error| self.broken(&error.to_string()))? {
            BatchReply::Object { kind: Type::Blob, size, .. } => Ok(Some(size)),
            BatchReply::Missing => Ok(None),
            _ => Err(self.absent()),
        }
    }

    /// The directory in the written files. Fails when a link below it was not created because it leads out of the
    /// repository.
    fn place(&self, checkout: &Checkout, original: PathBuf) -> Result<WorkTree, Error> {
        let below = &file_name(&self.prefix);
        let unreadable = |error: io::Error| Error::unreadable(&self.name.dir, error);
        let dir = canonical(checkout.root.join(below)).map_err(unreadable)?;
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

/// Whether a name stays in its folder, as git requires for a checkout (`verify_path` in `read-cache.c`).
fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..")
        && !name.contains(&b'/')
        && !repository::is_git(&file_name(name))
        && !is_misread(&file_name(name))
}

#[cfg(test)]
mod tests;

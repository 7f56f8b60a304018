//! The sources that the paths on a command line name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use checkout::small_file_in;
use kube_jobs::argocd::Gone;
use rewrite::settings::{CONFIG_FILE, MAX_CONFIG_FILE};
use source::Counterpart;
use system::{PathText, canonical};
use text::{Message, Place, plural};

use crate::applications::{ApplicationSource, Checkout, Declared, Skipped};
use crate::errors::unreadable;
use crate::folders::{self, Folder, Found};
use crate::pair::{Pair, pair};
use crate::paths::{check_in_checkout, real};
use crate::row::PassedOver;
use crate::run::{Run, is_checkout};
use crate::search::{self, Applications};
use crate::target::Target;
use crate::{base, chart_templates};

/// The sources that a command line names.
#[derive(Default)]
pub struct Sources {
    /// The sources: first the sources of Applications, then the folders, in the order in which they were typed and found.
    pub(crate) targets: Vec<Target>,
    /// Whether the command line names one source: an error in it ends the program. Of several sources, one that cannot be read is reported
    /// with the others, and there is a table of all.
    pub(crate) is_single: bool,
    /// How many files and folders are not sources.
    pub(crate) passed_over: PassedOver,
    /// The Applications in files that are not rendered.
    pub(crate) skipped: Vec<Skipped>,
    /// The other sources of the only Application, which are not rendered. A note names them.
    pub(crate) noted: Vec<Skipped>,
    /// The Applications that sources render and that are not rendered themselves, each with what is above it from the root down.
    pub(crate) rendered: Vec<(Vec<String>, Skipped)>,
    /// Where the ApplicationSets are that became findings of a source.
    pub(crate) told: BTreeSet<Place>,
    /// The names of all Applications that are found, also of Applications that are left out because a value file gives them too.
    pub(crate) declared: BTreeSet<String>,
    /// The names of the Applications that sources of the base render, that are not read themselves, and that a root loses, whatever other roots have.
    pub(crate) lost: BTreeSet<String>,
    /// What happens to the Applications that are not read themselves and that the new version does not have.
    pub(crate) gone_unread: Vec<(String, Gone)>,
    /// The Applications of the version to compare with that are not read; `None` without `--base`.
    pub(crate) skipped_of_base: Option<Vec<Skipped>>,
    /// The names of the ApplicationSets in files.
    pub(crate) sets: BTreeSet<String>,
    /// Folders that cannot declare Applications: they are read only if there are no Applications.
    pub(crate) aside: Vec<Target>,
    /// The folders that only Applications at other revisions read, in both versions: a change of them arrives nowhere.
    pub(crate) unreached: BTreeSet<PathBuf>,
    /// The checkout of the Applications; none if no Application is looked for.
    pub(crate) checkout: Option<Arc<Checkout>>,
    /// Whether the checkout and its base both have Applications: then Argo CD may not use a folder that no Application names.
    pub(crate) has_applications: bool,
}

/// Decides what the command line names.
pub fn of(run: &Run) -> Result<Sources> {
    run.paths.iter().filter(|path| *path != "-").try_for_each(|path| check_in_checkout(Path::new(path)))?;
    if let Some(found) = search::declared(run)? {
        base::check_committed(&found.declared.sources, run)?;
        return of_applications(found, run);
    }
    if let [one] = run.paths.as_slice() {
        return of_one(one, run);
    }
    let mut sources = Sources::default();
    for path in &run.paths {
        if path == "-" {
            let message = Message::new("`-` cannot be used together with other paths");
            return Err(anyhow!(message.help("read standard input in a separate run")));
        }
        let path = Path::new(path);
        sources.add(path, base::of(path, run)?.as_ref())?;
    }
    sources.name_once();
    if sources.targets.is_empty() {
        let named: Vec<String> = run.paths.iter().map(|path| format!("`{path}`")).collect();
        return Err(anyhow!(Message::new(format!("no manifest, chart or kustomization in {}", named.join(", ")))));
    }
    Ok(sources)
}

/// The only source that the command line names, for a flag that is for one source. A directory is one source, whatever is in it.
pub fn only(run: &Run, flag: &str) -> Result<Target> {
    if let Some(found) = search::declared(run)? {
        return found.only(&run.environment.notes);
    }
    match run.paths.as_slice() {
        [path] => Ok(Target::typed(path)),
        _ => Err(anyhow!(Message::new(format!("`{flag}` is for one source")).help("pass one directory"))),
    }
}

/// The sources of the Applications that were named.
fn of_applications(found: Applications, run: &Run) -> Result<Sources> {
    let lost = found.lost(run)?;
    if found.declared.sources.len() < 2 && lost.is_empty() {
        let checkout = Some(Arc::new(found.checkout.clone()));
        let noted = found.declared.skipped.clone();
        return Ok(Sources { checkout, noted, ..Sources::single(found.only(&run.environment.notes)?) });
    }
    found.tell_assumed(&run.environment.notes);
    let mut sources = Sources::default();
    let checkout = sources.add_applications(found, None);
    sources.targets.extend(lost.into_iter().map(|pair| Target::Application(pair, Arc::clone(&checkout))));
    Ok(sources)
}

fn of_one(typed: &str, run: &Run) -> Result<Sources> {
    let one = Sources::single(Target::typed(typed));
    let dir = Path::new(typed);
    if typed == "-" || run.is_told() {
        return Ok(one);
    }
    chart_templates::refuse(dir, &run.environment)?;
    if !dir.is_dir() {
        return Ok(one);
    }
    let is_one_now = is_one(dir, None)?;
    // `base::of` writes the revision to disk, which is not needed for a folder without folders below it.
    let has_others = !is_one_now || has_folders_below(dir)? || base::has_files_below(dir, run)?;
    let base = if has_others { base::of(dir, run)? } else { None };
    if is_one_now && is_one(dir, base.as_ref())? {
        if !has_config_of_a_source(dir, is_checkout(dir)) {
            tell_folders_below(&folder_of(dir)?.0, run)?;
        }
        return Ok(one);
    }
    let mut sources = Sources::default();
    sources.add_found(dir, base.as_ref())?;
    let mut found = search::found_in(dir, run)?;
    let mut of_base = base.as_ref().map(|base| base::found_in(dir, base, &found.checkout)).transpose()?;
    let parts = sources.parts();
    // An overlay renders them with other settings.
    let is_whole = |place: &Place| place.dir().is_none_or(|dir| !parts.contains(&checkout::clean(dir)));
    found.declared.retain(is_whole);
    of_base.iter_mut().for_each(|(declared, _)| declared.retain(is_whole));
    let is_itself = matches!(sources.targets.as_slice(), [Target::Folder(folder)] if folder.dir == dir);
    // A single source says itself what is wrong with it.
    let has_no_application =
        found.declared.sources.is_empty() && of_base.as_ref().is_none_or(|(declared, _)| declared.sources.is_empty());
    let is_empty = has_no_application && sources.targets.is_empty();
    if (has_no_application && is_itself) || (is_empty && !is_checkout(dir)) {
        return Ok(one);
    }
    if is_empty {
        let message = Message::new("no manifest, chart or kustomization in this directory").about(dir.shown());
        return Err(anyhow!(
            message.help("pass the directory that contains them; hidden directories are not searched")
        ));
    }
    if !has_no_application {
        // An error if `--base` names a directory that is not another checkout.
        base::input(Some(&found.checkout.root), run)?;
    }
    found.tell_assumed(&run.environment.notes);
    let (old, dirs_of_base) = of_base.unzip();
    sources.has_applications = !found.dirs.is_empty() && dirs_of_base.as_ref().is_none_or(|dirs| !dirs.is_empty());
    if sources.has_applications && !run.unused {
        sources.set_aside(found.dirs.iter().chain(dirs_of_base.iter().flatten()));
    }
    sources.add_applications(found, base.as_ref().zip(old));
    Ok(sources)
}

/// Whether there are folders with manifests below a directory.
fn has_folders_below(dir: &Path) -> Result<bool> {
    let found = folders::find(dir).map_err(|error| unreadable(dir, &error))?;
    Ok(found.folders.iter().any(|folder| folder.dir != *dir))
}

/// Whether a directory is one source, also in the base: otherwise a file that the change adds could hide the sources below it.
fn is_one(dir: &Path, base: Option<&Counterpart>) -> Result<bool> {
    // A working tree has many sources, also when there is a manifest at its top.
    let is_top = is_checkout(dir);
    let is_one = |dir: &Path| -> Result<bool> {
        Ok(has_config_of_a_source(dir, is_top) || !is_top && folder_of(dir)?.0.is_source())
    };
    Ok(is_one(dir)? && base.map_or(Ok(true), |base| is_one(&base.dir))?)
}

/// Whether the config file of a directory says what source it is. At the top of a checkout it can be for the folders below.
fn has_config_of_a_source(dir: &Path, is_top: bool) -> bool {
    let path = dir.join(CONFIG_FILE);
    if !is_top {
        return path.exists();
    }
    // If the file cannot be read, reading the source reports that.
    let text = canonical(dir).and_then(|top| small_file_in(&top, Path::new(CONFIG_FILE), MAX_CONFIG_FILE));
    text.ok()
        .flatten()
        .unwrap_or_default()
        .lines()
        .any(|line| line.starts_with("source:") || line.starts_with("recurse:"))
}

/// Notes that a folder of manifests has others below, which are not read.
fn tell_folders_below(folder: &Folder, run: &Run) -> Result<()> {
    if folder.renderer.is_some() {
        return Ok(());
    }
    let dir = &folder.dir;
    let found = folders::find(dir).map_err(|error| unreadable(dir, &error))?;
    let below = found.folders.iter().filter(|folder| folder.dir != *dir).count();
    if below > 0 {
        let (are, they) = if below == 1 { ("is", "it") } else { ("are", "them") };
        let count = plural(below, "folder");
        run.environment.notes.add(format!(
            "{count} with manifests below {are} not read, as in Argo CD; pass {they} as well, or read all of it as one source with `--recurse`"
        ));
    }
    Ok(())
}

/// The directory as a source, and how many of its files are not manifests.
fn folder_of(dir: &Path) -> Result<(Folder, usize)> {
    folders::folder(dir).map_err(|error| unreadable(dir, &error))
}

impl Sources {
    /// The only source of a command line.
    fn single(target: Target) -> Self {
        Self { targets: vec![target], is_single: true, ..Self::default() }
    }

    /// Sets the folders aside in which no Application can be: they have no files in the folders `dirs`, and use no folder that has.
    fn set_aside<'d>(&mut self, dirs: impl Iterator<Item = &'d PathBuf>) {
        let mut users: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for target in &self.targets {
            users.entry(checkout::clean(&target.path())).or_default().extend(target.part_of().into_iter().flatten());
        }
        // A chart has its templates in folders below, and a kustomization can have its files there.
        let mut todo: Vec<PathBuf> = dirs.flat_map(|dir| dir.ancestors().map(Path::to_owned)).collect();
        let mut can_declare = BTreeSet::new();
        while let Some(dir) = todo.pop() {
            let users = users.get(&dir).into_iter().flatten();
            if can_declare.insert(dir.clone()) {
                todo.extend(users.cloned());
            }
        }
        let is_aside = |target: &mut Target| {
            let is_folder = matches!(target, Target::Folder(Folder { is_file: false, .. }));
            is_folder && !can_declare.contains(&checkout::clean(&target.path()))
        };
        self.aside = self.targets.extract_if(.., is_aside).collect();
    }

    /// The folders that are only parts of sources that are there, such as the base of an overlay.
    fn parts(&self) -> BTreeSet<PathBuf> {
        let is_part = |target: &&Target| target.part_of().is_some_and(|users| !users.is_empty());
        self.targets.iter().filter(is_part).map(|target| checkout::clean(&target.path())).collect()
    }

    /// Adds a file, a source directory, or the sources below a directory.
    fn add(&mut self, path: &Path, base: Option<&Counterpart>) -> Result<()> {
        if !path.is_dir() {
            return self.add_file(path);
        }
        if !is_checkout(path) && is_one(path, base)? {
            let (mut folder, other_files) = folder_of(path)?;
            if base.is_none() {
                folder.forget_jsonnet();
            }
            if let Some(base) = base {
                let (old, _) = folder_of(&base.dir)?;
                folder.files.extend(old.files);
                folder.files.sort_unstable();
                folder.files.dedup();
            }
            self.passed_over.files += other_files;
            self.targets.push(Target::Folder(folder));
            return Ok(());
        }
        self.add_found(path, base)
    }

    /// Adds the sources in a directory, and the sources in the same directory of the base.
    fn add_found(&mut self, dir: &Path, base: Option<&Counterpart>) -> Result<()> {
        let mut found = folders::find(dir).map_err(|error| unreadable(dir, &error))?;
        if let Some(base) = base {
            let old = folders::find_in(&base.dir, &base.root).map_err(|error| unreadable(&base.dir, &error))?;
            found = found.decided_by(old.moved(&base.dir, dir));
        } else {
            // Only a comparison has to know about Jsonnet files next to manifests: the change may add one.
            found.folders.iter_mut().for_each(Folder::forget_jsonnet);
        }
        let Found { folders, templates, other_files } = found;
        self.passed_over.templates += templates;
        self.passed_over.files += other_files;
        self.targets.extend(folders.into_iter().map(Target::Folder));
        Ok(())
    }

    /// Takes the folders that were set aside, without those that no change reaches.
    pub(crate) fn take_aside(&mut self) -> Vec<Target> {
        let Self { aside, unreached, .. } = self;
        aside.extract_if(.., |target| !unreached.contains(&real(&target.path()))).collect()
    }

    /// Puts the sources of Applications before the folders, and removes the folders that Applications name. With a base, it removes only the folders
    /// that Applications of the base name; a folder that only a new Application names becomes a part of that Application's source. Returns the checkout.
    fn add_applications(&mut self, found: Applications, base: Option<(&Counterpart, Declared)>) -> Arc<Checkout> {
        let Applications { checkout, mut declared, .. } = found;
        if let Some((_, old)) = &base {
            declared.leave_out_moved(old, &checkout);
        }
        let checkout = Arc::new(checkout);
        self.checkout = Some(Arc::clone(&checkout));
        let dirs = |sources: &[ApplicationSource]| -> BTreeSet<PathBuf> {
            sources.iter().filter_map(|source| source.settles(&checkout.root, base.is_some())).collect()
        };
        let now = dirs(&declared.sources);
        let settled = base.as_ref().map_or_else(|| now.clone(), |(_, old)| dirs(&old.sources));
        // No change of such a folder arrives anywhere, unless an Application reads it at the branch.
        let unreached = base.iter().flat_map(|(_, old)| &old.skipped).filter_map(Skipped::dir_elsewhere);
        self.unreached = unreached.map(|dir| checkout.root.join(dir)).filter(|dir| !now.contains(dir)).collect();
        let is_new = |real: &Path| {
            let below = real.strip_prefix(&checkout.root);
            base.as_ref().is_some_and(|(base, _)| below.is_ok_and(|below| !base.root.join(below).exists()))
        };
        self.targets.retain_mut(|target| {
            let real = real(&target.path());
            let path = checkout::clean(&target.path());
            if let Target::Folder(folder) = target
                && now.contains(&real)
                && is_new(&real)
            {
                folder.part_of.get_or_insert_default().push(path);
            }
            !settled.contains(&real)
        });
        let (base, old) = base.unzip();
        let old = old.unwrap_or_default();
        self.skipped_of_base = base.map(|_| old.skipped.clone());
        let says = |source: &ApplicationSource| (source.dir.clone(), source.fingerprint());
        let said: BTreeSet<(PathBuf, [u8; 32])> = declared.sources.iter().map(says).collect();
        let is_altered = |old: &&ApplicationSource| !said.contains(&says(old));
        let altered: Vec<Pair> =
            old.sources.iter().filter(is_altered).map(|source| Pair::Old(Box::new(source.clone()))).collect();
        let skipped: BTreeSet<&str> = old.skipped.iter().map(|skipped| skipped.name.as_str()).collect();
        // What is not declared in the other version may only not be known there.
        let is_known = |source: &ApplicationSource| {
            base.is_some_and(|base| !base::lacks_file(base, source, &checkout)) && !skipped.contains(source.name())
        };
        let pairs = pair(old.sources, declared.sources).into_iter().filter_map(|pair| match pair {
            Pair::New { new, .. } if !is_known(&new) => Some(Pair::Single(new)),
            Pair::Old(_) => None,
            pair => Some(pair),
        });
        let targets = pairs.chain(altered).map(|pair| Target::Application(pair, Arc::clone(&checkout)));
        self.targets.splice(0..0, targets.collect::<Vec<_>>());
        self.skipped.extend(declared.skipped);
        self.sets.extend(declared.sets);
        checkout
    }

    /// Leaves out what several paths name.
    fn name_once(&mut self) {
        let mut seen = BTreeSet::new();
        self.targets.retain(|target| {
            let real = real(&target.path());
            seen.insert((real, target.part_of().is_some()))
        });
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        if !path.exists() {
            let error = source::Error::NoSuchPath(path.to_owned());
            let is_value_of_fix = matches!(path.to_str(), Some("safe" | "all"));
            let help =
                "write `--fix=safe` or `--fix=all` to fix findings, or pass a directory or a file with manifests";
            return Err(if is_value_of_fix { anyhow!(error.message().help(help)) } else { error.into() });
        }
        // A pipe can be read only once.
        let is_read = !path.is_file() || folders::is_manifest(path).map_err(|error| unreadable(path, &error))?;
        let Some(name) = path.file_name().filter(|_| is_read) else {
            self.passed_over.files += 1;
            return Ok(());
        };
        let dir = path.parent().map(Path::to_owned).unwrap_or_default();
        let files = vec![PathBuf::from(name)];
        self.targets.push(Target::Folder(Folder { dir, renderer: None, files, is_file: true, part_of: None }));
        Ok(())
    }
}

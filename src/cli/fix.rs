//! `argocd-jobs check --fix`: fixes findings in the files that have them, or shows as a diff what it would write.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use checkout::{NotReplaced, check_replaceable, replace};
use clap::{Arg, ArgMatches, value_parser};
use deployment::{Run, real};
use lint::fix::{Fixed, Original, Safety};
use lint::{Finding, fix};
use report::check::fixes;
use report::check::patch::{self, Text};
use report::paint::Paint;
use rewrite::manifest::Manifest;
use rewrite::version::Version;
use system::PathText;
use text::{Message, Origin, Place, plural, visible};

use super::flags::{choice, flag, switch};
use super::notes::note;

choice! {
    /// Which findings are fixed.
    Which { Safe = "safe", All = "all" }
}

/// More passes than sources with files in common need.
const MAX_PASSES: usize = 5;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    least: Safety,
    /// Whether the changes are shown instead of written.
    pub(super) shows_diff: bool,
}

/// The flags `--fix` and `--diff`.
pub(super) fn flags() -> [Arg; 2] {
    let fix = flag("fix", "WHICH")
        .help("Fix findings in their files: `safe` keeps what the manifests ask for, `all` needs a look at the result")
        .long_help(
            "Fix findings in their files, and report the rest. `safe`, which is also what `--fix` alone does, keeps what the manifests ask \
             for; `all` also makes changes that need a look at the result. docs/check.md lists them. Everything else in the \
             files stays as it is, byte for byte. Nothing is written into templates of charts, or through symlinks",
        )
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("safe")
        .value_parser(value_parser!(Which))
        .conflicts_with("base");
    let diff = switch("diff")
        .help("Show what `--fix` would write, as a diff, and write nothing; the exit status is 1 if there is something to fix")
        .conflicts_with("base");
    [fix, diff]
}

/// What the command line asks for; none without its flags.
pub(super) fn asked(matches: &ArgMatches, run: &Run) -> Result<Option<Asked>> {
    let which = matches.get_one::<Which>("fix").copied();
    let shows_diff = matches.get_flag("diff");
    if which.is_none() && !shows_diff {
        return Ok(None);
    }
    let least = match which.unwrap_or_default() {
        Which::Safe => Safety::Safe,
        Which::All => Safety::Unsafe,
    };
    if !shows_diff && run.paths.iter().any(|path| path == "-") {
        let message = Message::new("`--fix` cannot write standard input");
        return Err(anyhow!(message.help("add `--diff` to see what it would change, or pass the file")));
    }
    if !shows_diff && run.environment.in_a_case {
        let message = Message::new("`--fix` does not write files in a case");
        return Err(anyhow!(message.help("add `--diff`, and expect the diff")));
    }
    Ok(Some(Asked { least, shows_diff }))
}

/// What was fixed, in memory.
#[derive(Debug)]
pub(super) struct Fixes {
    /// Each finding once, in the order in which they were fixed.
    pub(super) fixed: Vec<Fixed>,
    changed: Vec<Changed>,
    /// The files that have a finding with a fix, and must not be written, in the order of their paths.
    refused: Vec<(PathBuf, NotReplaced)>,
    pub(super) shows_diff: bool,
    least: Safety,
}

/// A file, or standard input, with its old and its new text.
#[derive(Debug)]
struct Changed {
    old: Manifest,
    new: Manifest,
}

/// Fixes the findings of all sources, which may have files in common, in memory.
pub(super) fn fix(versions: &mut [&mut Version], asked: Asked) -> Result<Fixes> {
    let refused: RefCell<BTreeMap<PathBuf, Option<NotReplaced>>> = RefCell::default();
    let may_change = |manifest: &Manifest| match &manifest.file {
        None => asked.shows_diff && manifest.origin == Origin::StandardInput,
        // The first look comes before any change: the text is that of the file.
        Some(path) => {
            let mut refused = refused.borrow_mut();
            refused.entry(path.clone()).or_insert_with(|| check_replaceable(path, &manifest.text).err()).is_none()
        }
    };
    let mut texts = Texts::default();
    let (mut fixed, mut known) = (Vec::new(), BTreeSet::new());
    // Another source can have the same file.
    let mut is_new = |one: &Fixed| known.insert((one.place.clone(), one.rule, one.message.clone()));
    for _ in 0..MAX_PASSES {
        let done: usize = fixed.len();
        for version in versions.iter_mut() {
            texts.lay_over(version);
            let fixing = fix::apply(version, asked.least, &may_change, &|_| true)?;
            fixed.extend(fixing.fixed.into_iter().filter(&mut is_new));
            texts.keep(version, fixing.originals);
        }
        if versions.len() < 2 || fixed.len() == done {
            break;
        }
    }
    for version in versions.iter() {
        for mut original in fix::originals(version)? {
            let Original { version: file, wanted } = &mut original;
            if texts.lay_over(file) {
                // Another source has changed this file since the manifest was rendered from it. The next run fixes what is left.
                continue;
            }
            let fixing = fix::apply(file, asked.least, &may_change, &|finding| wanted.has(finding))?;
            fixed.extend(fixing.fixed.into_iter().filter(&mut is_new));
            texts.keep(file, fixing.originals);
        }
    }
    for version in versions.iter_mut() {
        texts.lay_over(version);
    }
    fixed.sort_by(|one: &Fixed, other| one.place.cmp(&other.place));
    let refused = refused.into_inner().into_iter().filter_map(|(path, reason)| Some((path, reason?))).collect();
    Ok(Fixes { shows_diff: asked.shows_diff, least: asked.least, fixed, changed: texts.changed, refused })
}

/// The texts of what has changed.
#[derive(Default)]
struct Texts {
    changed: Vec<Changed>,
    /// Where each file is among them, by its path without symlinks.
    index: BTreeMap<PathBuf, usize>,
}

impl Texts {
    /// Gives a source the texts that another source has changed. Returns whether there are any.
    fn lay_over(&self, version: &mut Version) -> bool {
        if self.index.is_empty() {
            return false;
        }
        let mut is_changed = false;
        for manifest in &mut version.manifests {
            let known = manifest.file.as_deref().and_then(|file| self.index.get(&real(file)));
            if let Some(new) = known.map(|index| &self.changed[*index].new).filter(|new| new.text != manifest.text) {
                *manifest = manifest.with_text(new.text.clone());
                is_changed = true;
            }
        }
        is_changed
    }

    /// Keeps what has changed in a source; `originals` are the texts before, by the indices of the manifests.
    fn keep(&mut self, version: &Version, originals: BTreeMap<usize, String>) {
        for (index, original) in originals {
            let new = &version.manifests[index];
            let key = new.file.as_deref().map(real).unwrap_or_default();
            match self.index.get(&key) {
                Some(index) => self.changed[*index].new = new.clone(),
                None => {
                    self.index.insert(key, self.changed.len());
                    self.changed.push(Changed { old: new.with_text(original), new: new.clone() });
                }
            }
        }
    }
}

impl Fixes {
    /// How many files have changed.
    pub(super) fn files(&self) -> usize {
        self.changed.len()
    }

    /// Writes the files. Those that can be written are written, even if others cannot: then it is an error.
    pub(super) fn write(&self) -> Result<()> {
        let mut failures = Vec::new();
        for Changed { old, new } in &self.changed {
            let Some(path) = &old.file else { continue };
            if let Err(reason) = replace(path, &old.text, &new.text) {
                failures.push(visible(&format!("{}: not fixed: {reason}", path.shown())).into_owned());
            }
        }
        let written = self.changed.len() - failures.len();
        let others = if written == 0 { String::new() } else { format!("{} fixed; ", plural(written, "other file")) };
        let help = format!("{others}run the command again");
        if failures.is_empty() { Ok(()) } else { Err(anyhow!(Message::of_lines(&failures.join("\n")).help(help))) }
    }

    /// The files that have changed, by their paths without symlinks.
    pub(super) fn changed_files(&self) -> Vec<PathBuf> {
        self.changed.iter().filter_map(|one| one.old.file.as_deref()).map(real).collect()
    }

    /// Writes the old texts back.
    pub(super) fn undo(&self) -> Result<()> {
        for Changed { old, new } in &self.changed {
            let Some(path) = &old.file else { continue };
            replace(path, &new.text, &old.text).map_err(|reason| anyhow!("{}: {reason}", path.shown()))?;
        }
        Ok(())
    }

    /// The changes as a unified diff.
    pub(super) fn diff(&self, paint: Paint) -> String {
        let of = |Changed { old, new }: &Changed| {
            let [hidden_old, hidden_new] = [old, new].map(fix::secret_lines);
            let (before, after) =
                (Text { text: &old.text, hidden: &hidden_old }, Text { text: &new.text, hidden: &hidden_new });
            patch::print(&old.origin.to_string(), before, after, paint)
        };
        self.changed.iter().map(of).collect()
    }

    /// Whether a file must not be written.
    pub(super) fn is_refused(&self, path: &Path) -> bool {
        self.refused.binary_search_by(|(refused, _)| refused.as_path().cmp(path)).is_ok()
    }

    /// The flag that was typed.
    pub(super) fn flag(&self) -> &'static str {
        match self.least {
            Safety::Safe => "--fix",
            Safety::Unsafe => "--fix=all",
        }
    }

    /// `3 findings in 2 files`
    pub(super) fn count(&self) -> String {
        fixes::count(self.fixed.len(), self.files())
    }

    /// Prints on standard error which files are left as they are, and which of the findings `left` have a fix that cannot be written.
    pub(super) fn tell<'f>(&self, left: impl Iterator<Item = &'f Finding> + Clone) {
        for (path, reason) in &self.refused {
            note(&format!("`{}` is left as it is: {reason}", path.shown()));
        }
        let place = |place: &Place| (place.origin.to_string(), place.at);
        let done: BTreeSet<_> = self.fixed.iter().map(|one| (one.rule, one.place.as_ref().map(place))).collect();
        let left = left.filter(|one| !done.contains(&(one.rule.id, one.place.as_ref().map(place))));
        fixes::obstacles(left).iter().for_each(|sentence| note(sentence));
    }
}

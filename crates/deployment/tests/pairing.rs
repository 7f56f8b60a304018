//! What holds of every comparison of two versions, over repositories that are made up: Applications in files, Applications that others render, and
//! folders that nobody names. `PAIRS=2000 SEED=7` makes more of them, and others.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "a test may read the environment")]

mod repositories;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use deployment::reading::{self, Reading};
use deployment::{Read, Run, sources};
use repositories::{Random, Tree};
use scratch::Scratch;

/// How many pairs of repositories each law is checked with.
fn pairs() -> u64 {
    std::env::var("PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(70)
}

/// Checks a law with many pairs of repositories, and says of which pair it does not hold.
fn of_all_pairs(law: impl Fn(&Tree, &Tree) -> Result<(), String>) {
    let first: u64 = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    for seed in first..first + pairs() {
        let mut random = Random::new(seed);
        let old = Tree::new(&mut random);
        let new = old.changed(&mut random);
        if let Err(why) = law(&old, &new) {
            panic!("SEED={seed} PAIRS=1: {why}\n\nold:\n{old:?}new:\n{new:?}");
        }
    }
}

fn read(repository: &Scratch, base: Option<&Scratch>) -> Reading {
    let text = |scratch: &Scratch| scratch.0.to_str().unwrap().to_owned();
    let run = Run {
        paths: vec![text(repository)],
        base: base.map(text),
        repository_urls: vec![repositories::URL.to_owned()],
        branch: Some("main".to_owned()),
        ..Run::default()
    };
    reading::read(sources::of(&run).unwrap(), &run, &|_| ()).unwrap()
}

/// The manifests of a version, each in one line.
type Texts = BTreeSet<String>;

/// What a row says of a source: its Application, its folder, its manifests in both versions, and whether the change removes its Application.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    application: Option<String>,
    folder: String,
    new: Texts,
    base: Option<Texts>,
    state: &'static str,
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |texts: &Texts| -> String {
            texts
                .iter()
                .map(|text| text.split("metadata: ").nth(1).unwrap_or(text).chars().take(50).collect())
                .collect::<Vec<String>>()
                .join(" + ")
        };
        let base = self.base.as_ref().map(names);
        write!(f, "\n  {:?} {} {}: {} << {base:?}", self.application, self.folder, self.state, names(&self.new))
    }
}

impl Row {
    fn of(one: &Read, repository: &Scratch) -> Self {
        let top = repository.0.file_name().unwrap().to_str().unwrap();
        let below = |text: &str| text.rsplit_once(top).map(|(_, below)| below.to_owned());
        let texts = |manifests: &[rewrite::manifest::Manifest]| -> Texts {
            manifests.iter().map(|manifest| manifest.text.replace('\n', "|")).collect()
        };
        Self {
            application: one.target.application().map(ToOwned::to_owned),
            folder: below(&one.shown_as).unwrap_or_else(|| one.shown_as.clone()),
            new: texts(&one.version().manifests),
            base: one.base().map(|base| texts(&base.manifests)),
            state: match () {
                () if one.gone().is_some() => "gone",
                () if one.has_lost_folder() => "without its folder",
                () if one.failure().is_some() => "failed",
                () if one.target.is_new() => "new",
                () => "stays",
            },
        }
    }

    fn is_changed(&self) -> bool {
        self.base.as_ref().is_some_and(|base| *base != self.new) || self.state != "stays"
    }
}

fn rows(reading: &Reading, repository: &Scratch) -> BTreeSet<Row> {
    reading.read.iter().map(|one| Row::of(one, repository)).collect()
}

fn names(rows: &BTreeSet<Row>) -> BTreeSet<String> {
    rows.iter().filter_map(|row| row.application.clone()).collect()
}

/// All Jobs of the new version, and of the base.
fn jobs(rows: &BTreeSet<Row>) -> Texts {
    let texts = rows.iter().flat_map(|row| row.new.iter().chain(row.base.iter().flatten()));
    texts.filter(|text| text.contains("kind: Job")).cloned().collect()
}

/// The rows without those of the roots: what they render has the order of the files.
fn rows_of_leaves(reading: &Reading, repository: &Scratch) -> BTreeSet<Row> {
    let is_root = |row: &Row| {
        row.folder.starts_with("/roots")
            || row.folder.starts_with("/middles")
            || row.folder.starts_with("/clusters")
            || row.folder.starts_with("/applications")
    };
    rows(reading, repository).into_iter().filter(|row| !is_root(row)).collect()
}

/// The names of the Applications that are not rendered.
fn skipped(reading: &Reading) -> BTreeSet<String> {
    let passed_over = &reading.passed_over;
    passed_over.skipped.iter().map(|skipped| skipped.name.clone()).chain(passed_over.removed.clone()).collect()
}

#[test]
fn a_change_hides_no_source_and_no_job() {
    of_all_pairs(|old, new| {
        let (here, there) = (new.written(), old.written());
        let of_base = rows(&read(&there, None), &there);
        let named: BTreeSet<&String> =
            of_base.iter().filter(|row| row.application.is_some()).map(|row| &row.folder).collect();
        // A folder that loses its Application is shown as what that leaves behind.
        let is_deployed = |row: &Row| row.application.is_some() || !named.contains(&row.folder);
        let of_alone: BTreeSet<Row> = rows(&read(&here, None), &here).into_iter().filter(is_deployed).collect();
        let of_compared = rows(&read(&here, Some(&there)), &here);
        let hidden: Vec<String> = jobs(&of_alone).difference(&jobs(&of_compared)).cloned().collect();
        if !hidden.is_empty() {
            return Err(format!("the change hides {hidden:?}\n{:?}", of_compared.iter().collect::<Vec<_>>()));
        }
        let lost = &names(&of_alone) - &names(&of_compared);
        if lost.is_empty() { Ok(()) } else { Err(format!("the change hides the Applications {lost:?}")) }
    });
}

#[test]
fn a_job_that_an_application_loses_is_in_a_row_of_it() {
    of_all_pairs(|old, new| {
        let (here, there) = (new.written(), old.written());
        let (of_new, of_old) = (read(&here, None), read(&there, None));
        let unknown = &skipped(&of_old) | &skipped(&of_new);
        let (now, before) = (rows(&of_new, &here), rows(&of_old, &there));
        let of_compared = rows(&read(&here, Some(&there)), &here);
        for name in names(&now).intersection(&names(&before)).filter(|name| !unknown.contains(*name)) {
            let of_it = |rows: &BTreeSet<Row>| -> Texts {
                let rows = rows.iter().filter(|row| row.application.as_ref() == Some(name));
                rows.flat_map(|row| row.new.iter().filter(|text| text.contains("kind: Job"))).cloned().collect()
            };
            let says_lost = |row: &Row, text: &String| {
                row.application.as_ref() == Some(name)
                    && row.base.as_ref().is_some_and(|base| base.contains(text))
                    && !row.new.contains(text)
            };
            let lost = &of_it(&before) - &of_it(&now);
            if let Some(text) = lost.iter().find(|text| !of_compared.iter().any(|row| says_lost(row, text))) {
                return Err(format!("`{name}` loses {text:?} in no row: {of_compared:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn what_an_application_has_in_both_versions_is_said_once() {
    of_all_pairs(|old, new| {
        let (here, there) = (new.written(), old.written());
        let (of_new, of_old, compared) = (read(&here, None), read(&there, None), read(&here, Some(&there)));
        let of_applications = |reading: &Reading, repository: &Scratch| -> BTreeSet<String> {
            let rows = rows(reading, repository).into_iter().filter(|row| row.application.is_some());
            rows.map(|row| row.folder).collect()
        };
        let named = &of_applications(&of_new, &here) & &of_applications(&of_old, &there);
        let is_of_folder = |row: &Row| row.application.is_none() && named.contains(&row.folder);
        if let Some(row) = rows(&compared, &here).iter().find(|row| is_of_folder(row)) {
            return Err(format!("an Application reads it in both versions: {row:?}"));
        }
        for name in compared.read.iter().filter(|one| one.gone().is_some()).filter_map(|one| one.target.application()) {
            let rows_of_it = compared.read.iter().filter(|one| one.target.application() == Some(name)).count();
            if rows_of_it > old.sources_of(name) {
                return Err(format!("`{name}` is gone twice: {:?}", rows(&compared, &here)));
            }
        }
        Ok(())
    });
}

#[test]
fn nothing_is_changed_between_equal_versions() {
    of_all_pairs(|_, new| {
        let (here, there) = (new.written(), new.written());
        let compared = rows(&read(&here, Some(&there)), &here);
        match compared.iter().find(|row| row.is_changed() && row.state != "failed") {
            Some(row) => Err(format!("{row:?}")),
            None if names(&compared) != names(&rows(&read(&here, None), &here)) => Err("other Applications".to_owned()),
            None => Ok(()),
        }
    });
}

#[test]
fn gone_and_new_and_both_are_everything() {
    of_all_pairs(|old, new| {
        let (here, there) = (new.written(), old.written());
        let (of_new, of_old) = (read(&here, None), read(&there, None));
        let compared = read(&here, Some(&there));
        let found = &names(&rows(&compared, &here)) | &skipped(&compared);
        let (before, now) = (names(&rows(&of_old, &there)), names(&rows(&of_new, &here)));
        let read = &before | &now;
        let all = &read | &(&skipped(&of_old) | &skipped(&of_new));
        if !found.is_superset(&read) || !found.is_subset(&all) {
            return Err(format!("{found:?}, where {before:?} became {now:?} of {all:?}"));
        }
        let (before, now) = (&before | &skipped(&of_old), &now | &skipped(&of_new));
        let mut states: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let of_compared = rows(&compared, &here);
        for row in &of_compared {
            states.entry(row.application.as_deref().unwrap_or_default()).or_default().insert(row.state);
        }
        for (name, states) in states.into_iter().filter(|(name, _)| !name.is_empty()) {
            let is_wrong =
                states.contains("gone") && now.contains(name) || states.contains("new") && before.contains(name);
            if is_wrong {
                return Err(format!("`{name}` is {states:?}; before {before:?}, now {now:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn the_order_of_what_is_declared_does_not_matter() {
    of_all_pairs(|old, new| {
        let (here, there) = (new.written(), old.written());
        let as_it_is = rows_of_leaves(&read(&here, Some(&there)), &here);
        let (here, there) = (new.reversed().written(), old.reversed().written());
        let reversed = rows_of_leaves(&read(&here, Some(&there)), &here);
        if as_it_is == reversed {
            return Ok(());
        }
        let (lost, more) = (as_it_is.difference(&reversed), reversed.difference(&as_it_is));
        Err(format!("only in order: {:#?}\nonly reversed: {:#?}", lost.collect::<Vec<_>>(), more.collect::<Vec<_>>()))
    });
}

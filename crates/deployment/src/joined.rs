//! Makes one of all sources of an Application: Argo CD syncs their objects together (`CompareAppState` in `controller/state.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rewrite::version::Version;

use crate::applications::ApplicationId;
use crate::outcome::{Read, Standing};
use crate::reading::Reading;
use crate::row::Further;
use crate::versions;

/// An Application, and what renders it.
type Key = (ApplicationId, Vec<String>);

impl Reading {
    /// Joins the sources of each Application, in their order. A source that could not be read, or compared, stays on its own.
    pub fn join_sources(&mut self) {
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<Read>> = Vec::new();
        let all = std::mem::take(&mut self.read);
        let declared: BTreeSet<Key> = all.iter().filter(|one| one.target.is_application()).filter_map(key).collect();
        for one in all {
            let end = groups.len();
            let key = key(&one).map(|key| if one.is_lost() { in_new(key, &declared) } else { key });
            let place = key.map_or(end, |key| *places.entry(key).or_insert(end));
            if place == end {
                groups.push(Vec::new());
            }
            groups[place].push(one);
        }
        self.read = groups.into_iter().flat_map(joined).collect();
    }
}

/// The Application with which a source is joined; none if it is not.
fn key(one: &Read) -> Option<Key> {
    let source = one.target.source()?;
    let is_read = one.new.is_ok() && one.old.as_ref().is_none_or(Result::is_ok);
    let is_joined = is_read && one.standing == Standing::Applied && one.gone().is_none();
    is_joined.then(|| (source.id(), one.from.clone()))
}

/// The Application that loses a source, as the new version has it: the file that declares it can have another path in a directory of the other version.
fn in_new(key: Key, declared: &BTreeSet<Key>) -> Key {
    let (id, from) = &key;
    let mut alike = declared.iter().filter(|(other, above)| other.name == id.name && above == from);
    match (declared.contains(&key), alike.next(), alike.next()) {
        (false, Some(one), None) => one.clone(),
        _ => key,
    }
}

/// The sources of one Application, joined. If Argo CD renders the change of one of them, each source whose change it does not render is on its own: it
/// keeps the old manifests of that source.
fn joined(sources: Vec<Read>) -> Vec<Read> {
    // Most Applications have one, and the rest compares manifests.
    if sources.len() == 1 {
        return sources;
    }
    let stays_out = |one: &Read| is_kept_out(one) && is_changed(one);
    let arrives = |one: &Read| !is_kept_out(one) && is_changed(one);
    if !(sources.iter().any(stays_out) && sources.iter().any(arrives)) {
        return of_one_application(sources).into_iter().collect();
    }
    let (out, rest): (Vec<Read>, Vec<Read>) = sources.into_iter().partition(stays_out);
    of_one_application(rest).into_iter().chain(out).collect()
}

fn is_changed(one: &Read) -> bool {
    one.base().is_some_and(|base| !versions::have_same_manifests(one.version(), base))
}

fn is_kept_out(one: &Read) -> bool {
    one.version().application.sync.as_ref().is_some_and(|sync| sync.arrival.kept_out.is_some())
}

/// The sources of one Application, joined: those of the new version in their order, then those that only the other version has.
fn of_one_application(mut sources: Vec<Read>) -> Option<Read> {
    sources.sort_by_key(|one| one.target.old_source().is_some());
    // Whether and how a change arrives is known only of sources that change.
    let sync = sources
        .iter()
        .find(|one| is_changed(one) && (one.target.is_application() || one.is_lost()))
        .and_then(|one| one.version().application.sync.clone());
    let mut sources = sources.into_iter();
    let mut first = sources.next()?;
    let (mut new, mut old) = (Vec::new(), Vec::new());
    if let [Some(version), base] = first.versions_mut() {
        new.push(std::mem::take(version));
        old.extend(base.map(std::mem::take));
    }
    for source in sources {
        let may_change_more = first.may_change_more() || source.may_change_more();
        first.unseen_changed = if may_change_more { None } else { Some(false) };
        let Ok(version) = source.new else { continue };
        new.push(*version);
        old.extend(source.old.and_then(Result::ok).map(|version| *version));
        first.further.push(Further { path: source.shown_as, kind: source.target.kind() });
        first.may_change_unseen |= source.may_change_unseen;
        first.unseen.extend(source.unseen);
    }
    first.old = (!old.is_empty()).then(|| Ok(Box::new(version_of(old))));
    if let Some(version) = new.first_mut().filter(|_| sync.is_some()) {
        version.application.sync = sync;
    }
    first.new = Ok(Box::new(version_of(new)));
    Some(first)
}

/// One version of all sources. What the annotation `manifest-generate-paths` leaves out of one source, it leaves out of the Application.
fn version_of(sources: Vec<Version>) -> Version {
    let uncovered = sources.iter().find_map(|one| one.application.sync.as_ref()?.uncovered.clone());
    let mut version = Version::joined(sources);
    if let Some(sync) = version.application.sync.as_mut().filter(|_| uncovered.is_some()) {
        Arc::make_mut(sync).uncovered = uncovered;
    }
    version
}

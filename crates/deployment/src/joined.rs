//! Makes one of all sources of an Application: Argo CD syncs their objects together (`CompareAppState` in `controller/state.go`).

use std::collections::BTreeMap;

use rewrite::version::Version;
use text::Origin;

use crate::outcome::{Read, Standing, Versions};
use crate::reading::Reading;
use crate::row::Further;

/// The Application of a source: its name, where it is declared, and what renders it.
type Key = (String, Option<Origin>, Vec<String>);

impl Reading {
    /// Joins the sources of each Application, in their order. A source that could not be read, or compared, stays on its own.
    pub fn join_sources(&mut self) {
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        let mut joined: Vec<Vec<Read>> = Vec::new();
        for one in std::mem::take(&mut self.read) {
            match key(&one) {
                Some(key) => {
                    let place = *places.entry(key).or_insert_with(|| {
                        joined.push(Vec::new());
                        joined.len() - 1
                    });
                    joined[place].push(one);
                }
                None => joined.push(vec![one]),
            }
        }
        self.read = joined.into_iter().filter_map(of_one_application).collect();
    }
}

/// The Application with which a source is joined; none if it is not.
fn key(one: &Read) -> Option<Key> {
    let source = one.target.source()?;
    let versions = one.outcome.as_ref().ok()?;
    let is_joined = versions.unread_base.is_none() && one.standing == Standing::Applied && one.gone().is_none();
    let origin = Some(source.place.origin.clone());
    is_joined.then(|| (source.name().to_owned(), origin, one.from.clone()))
}

/// The sources of one Application, joined.
fn of_one_application(sources: Vec<Read>) -> Option<Read> {
    let mut sources = sources.into_iter();
    let mut first = sources.next()?;
    let (Ok(versions), [_, ..]) = (&mut first.outcome, sources.as_slice()) else { return Some(first) };
    let mut new = vec![std::mem::take(&mut *versions.new)];
    let mut base: Vec<Version> = versions.base.take().map(|base| *base).into_iter().collect();
    for source in sources {
        let (path, kind) = (source.shown_as, source.target.kind());
        let Ok(Versions { new: own, base: old, may_change_unseen, unseen, .. }) = source.outcome else { continue };
        first.further.push(Further { path, kind });
        new.push(*own);
        base.extend(old.map(|old| *old));
        versions.may_change_unseen |= may_change_unseen;
        versions.unseen.extend(unseen);
    }
    versions.base = (!base.is_empty()).then(|| Box::new(Version::joined(base)));
    *versions.new = Version::joined(new);
    Some(first)
}

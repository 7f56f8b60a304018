//! Pairs two readings of one tree: each source as the tools of an old version of Argo CD render it, and as those of a new version do.

use std::collections::BTreeMap;

use kube_jobs::argocd::Version as ArgoCd;
use text::Message;

use crate::applications::ApplicationId;
use crate::outcome::{Failure, Read};
use crate::reading::Reading;

/// Value files are read by the rules of this version, whichever Argo CD is meant (`crates/render/src/helm/value_files.rs`).
const VALUE_FILES: ArgoCd = ArgoCd::new(3, 4, 0);

/// A source: its Application, what renders that, its path, and its number among the sources with all these.
type Key = (Option<ApplicationId>, Vec<String>, String, usize);

impl Reading {
    /// Gives each source the manifests that the old version renders, as the version to compare with. `versions` are the old version and the new one. A
    /// source that only one of the versions has is not compared, and neither is one that the old version cannot render.
    pub fn since(self, old: Self, versions: [ArgoCd; 2]) -> Self {
        let mut before: BTreeMap<Key, Read> = keyed(old.read).into_iter().collect();
        let mut read = Vec::new();
        for (key, now) in keyed(self.read) {
            read.push(match before.remove(&key) {
                Some(then) => pair(now, then, versions),
                None => only_in(now, versions[1]),
            });
        }
        read.extend(before.into_values().map(|then| only_in(then, versions[0])));
        Self { read, ..self }
    }
}

fn keyed(read: Vec<Read>) -> Vec<(Key, Read)> {
    let mut counts: BTreeMap<Key, usize> = BTreeMap::new();
    let key = |one: Read| {
        let application = one.target.source().map(|source| source.id());
        let mut key: Key = (application, one.from.clone(), one.shown_as.clone(), 0);
        let count = counts.entry(key.clone()).or_default();
        (key.3, *count) = (*count, *count + 1);
        (key, one)
    };
    read.into_iter().map(key).collect()
}

/// A source in both versions. What is unknown of one of them is unknown of the change.
fn pair(mut now: Read, then: Read, [old, new]: [ArgoCd; 2]) -> Read {
    if let (Ok(_), Err(failure)) = (&now.new, &then.new) {
        return not_compared(now, format!("with Argo CD {old}: {failure}"));
    }
    if let Some(file) = file_read_differently(&now).filter(|_| old.min(new) < VALUE_FILES) {
        let why = format!(
            "Argo CD before {VALUE_FILES} reads its value files differently: `{file}` is a glob, or is listed twice"
        );
        return not_compared(now, why);
    }
    let unseen = then.unseen.into_iter().filter(|why| !now.unseen.contains(why)).collect::<Vec<_>>();
    now.unseen.extend(unseen);
    Read { old: Some(then.new), ..now }
}

/// A source that what renders its Application renders with one version alone.
fn only_in(one: Read, version: ArgoCd) -> Read {
    let why = format!(
        "this source exists only with Argo CD {version}: what renders its Application renders something else with the other version"
    );
    not_compared(one, why)
}

fn not_compared(one: Read, why: String) -> Read {
    Read { new: Err(Box::new(Failure::of(Message::new(why)))), old: None, ..one }
}

/// The first value file that Argo CD before 3.4 reads differently.
fn file_read_differently(read: &Read) -> Option<&String> {
    let files = &read.version().settings.helm.value_files;
    let is_other = |(index, file): &(usize, &String)| file.contains(['*', '?', '[']) || files[..*index].contains(file);
    files.iter().enumerate().find(is_other).map(|(_, file)| file)
}

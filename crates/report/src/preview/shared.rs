//! The Jobs and hooks that several Applications have: Argo CD shows a `SharedResourceWarning` (`controller/state.go`), and each sync of one of the
//! Applications overwrites what another one has applied.

use std::collections::{BTreeMap, BTreeSet};

use deployment::row::Row;
use kube_jobs::kubernetes::dns;
use preview::{ForecastRow, ManifestChange, ObjectName};
use serde::Serialize;
use text::few;

use super::section::Section;
use crate::show::Show;

/// The most names in a list.
const NAMES: usize = 4;

/// An object that several Applications have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Shared {
    /// What it is called, with its kind: `Job shop/migrate`.
    object: String,
    /// The names of the Applications.
    applications: BTreeSet<String>,
}

/// A cluster, an Argo CD, and an object.
type Key<'r> = (&'r [String], &'r str, ObjectName);

/// Returns the Jobs and hooks that several Applications apply to one cluster under one name. In a comparison, one of the Applications has to change.
pub(super) fn shared(sections: &[Section], rows: &[Row]) -> Vec<Shared> {
    let mut all: BTreeMap<Key<'_>, (BTreeSet<String>, bool)> = BTreeMap::new();
    for section in sections {
        let row = &rows[section.row];
        let Some(application) = &row.application else { continue };
        for found in section.forecast.rows.iter().filter(|found| is_named(found)) {
            let name = found.emitted.as_ref().unwrap_or(&found.object.name).clone();
            let object = ObjectName { name, ..found.object.clone() };
            let (names, is_shown) = all.entry((&row.clusters, argo_cd(row), object)).or_default();
            names.insert(application.clone());
            *is_shown |= !section.is_quiet;
        }
    }
    let shared = all
        .into_iter()
        .filter(|((clusters, ..), (names, is_shown))| !clusters.is_empty() && names.len() > 1 && *is_shown);
    shared.map(|((.., object), (applications, _))| Shared { object: object.to_string(), applications }).collect()
}

/// What distinguishes one Argo CD from another: the root of an Application, or the directory of its file. Each cluster can have an Argo CD of
/// its own, and all call their cluster by one name.
fn argo_cd(row: &Row) -> &str {
    let directory = || row.origin.rsplit_once('/').map_or("", |(directory, _)| directory);
    row.from.first().map_or_else(directory, String::as_str)
}

/// Whether a sync applies it under a name that is known: the API server makes other names.
fn is_named(row: &ForecastRow) -> bool {
    let name = row.emitted.as_ref().unwrap_or(&row.object.name);
    let is_applied = row.change != ManifestChange::Gone && row.moment.is_some();
    is_applied && row.object.namespace.is_some() && dns::subdomain(name).is_ok()
}

/// A sentence for the objects that the same Applications share.
pub(super) fn lines(sections: &[Section], rows: &[Row], show: Show) -> Vec<String> {
    let mut by_applications: BTreeMap<BTreeSet<String>, Vec<String>> = BTreeMap::new();
    for one in shared(sections, rows) {
        by_applications.entry(one.applications).or_default().push(format!("`{}`", one.object));
    }
    let line = |(names, objects): (BTreeSet<String>, Vec<String>)| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let most = show.at_most(NAMES);
        format!("{} share {}: each sync of one overwrites it.", few(&names, most), few(&objects, most))
    };
    by_applications.into_iter().map(line).collect()
}

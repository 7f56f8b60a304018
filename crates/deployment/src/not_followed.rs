//! The Applications that the only source of a command line renders, where they are not followed: somebody says how that source is rendered, which holds
//! for no other one.

use std::collections::BTreeSet;

use text::{few, plural, visible};

use crate::outcome::Read;
use crate::run::Run;
use crate::{applications, graph, search};

/// The most names in a list.
const NAMES: usize = 4;

/// Says in the source that the Jobs of its Applications are unknown. In Argo CD each of them is rendered for itself.
pub(crate) fn tell(read: &mut Read, run: &Run) {
    let is_told = run.settings.describe_a_source() && run.environment.get("ARGOCD_APP_NAME").is_none();
    let is_asked = matches!(run.environment.subcommand.as_str(), "check" | "preview") && run.applications.is_none();
    if !is_told || !is_asked || !graph::may_declare(read) {
        return;
    }
    let Ok(checkout) = search::checkout_of(&read.target.path(), run) else { return };
    let declared = applications::rendered(&read.version().manifests, &checkout);
    // One of several sources is there several times.
    let names: BTreeSet<String> = declared.names().map(|name| format!("`{}`", visible(name))).collect();
    let names = Vec::from_iter(names);
    if names.is_empty() {
        return;
    }
    let (are, those) = if names.len() == 1 { ("is", "that one") } else { ("are", "those") };
    let (count, names) = (plural(names.len(), "Application"), few(&names, NAMES));
    read.unseen_changed = None;
    read.unseen.push(format!(
        "it renders {count}, which {are} not followed: {names}\nhelp: to check {those} too, pass the root of the repository, and the value files of this \
         chart with `check . --values-set FILE`, or its Application with `--application FILE`"
    ));
}

//! Puts what the repository says of Argo CD itself into its sources: the sync windows of AppProjects, and the health checks of `argocd-cm`. What
//! sources render counts, or else what stands in files.

use std::sync::Arc;

use kube_jobs::argocd::CustomChecks;
use system::PathText;

use crate::applications::{Checkout, Projects, argocd_cms, may_be_argocd_cm, may_have_projects};
use crate::outcome::Read;
use crate::search;

/// Does so. Nothing is said of what is not there.
pub(crate) fn settle(read: &mut [Read], checkout: Option<&Checkout>) {
    let Some(checkout) = checkout else { return };
    let (mut projects, mut checks) = (Projects::default(), Vec::new());
    for manifest in read.iter().flat_map(|one| &one.version().manifests) {
        add(&manifest.origin.to_string(), &manifest.text, &mut projects, &mut checks);
    }
    let (on_disk, others) = on_disk_in(checkout);
    let checks = if checks.is_empty() { others } else { checks };
    for one in read {
        let Ok(versions) = &mut one.outcome else { continue };
        let application = &mut versions.new.application;
        application.health_checks.clone_from(&checks);
        let Some(source) = one.target.source() else { continue };
        let Some(project) = &source.application.project else { continue };
        let projects = if projects.have(project) { &projects } else { &on_disk };
        let windows = projects.say(project, &source.chosen_by);
        if let (Some(windows), Some(sync)) = (windows, &mut application.sync) {
            Arc::make_mut(sync).windows = Some(windows);
        }
    }
}

fn add(path: &str, text: &str, projects: &mut Projects, checks: &mut Vec<CustomChecks>) {
    if may_have_projects(text) {
        projects.add(text);
    }
    if may_be_argocd_cm(text) {
        checks.extend(argocd_cms(path, text));
    }
}

/// The AppProjects in the files of a checkout, and the health checks. A file that cannot be read has none.
fn on_disk_in(checkout: &Checkout) -> (Projects, Vec<CustomChecks>) {
    let (mut projects, mut checks) = (Projects::default(), Vec::new());
    let is_meant = |text: &str| may_have_projects(text) || may_be_argocd_cm(text);
    for (path, text) in search::read(&checkout.root, is_meant).unwrap_or_default() {
        let below = path.strip_prefix(&checkout.root).unwrap_or(&path);
        add(&below.in_slashes(), &text, &mut projects, &mut checks);
    }
    (projects, checks)
}

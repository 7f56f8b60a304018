//! Adds to each source the settings of Argo CD that the repository defines: the sync windows of AppProjects, and the health checks and ignored
//! fields of `argocd-cm`. What sources render counts, or else what is in files.

use std::sync::Arc;

use kube_jobs::argocd::{CustomChecks, IgnoredDifferences};
use system::PathText;

use crate::applications::{Checkout, Projects, argocd_cms, ignored, may_be_argocd_cm, may_have_projects};
use crate::outcome::Read;
use crate::search;

/// Does so. Nothing is said of what is not there.
pub(crate) fn settle(read: &mut [Read], checkout: Option<&Checkout>) {
    let Some(checkout) = checkout else { return };
    let mut rendered = Found::default();
    for manifest in read.iter().flat_map(|one| &one.version().manifests) {
        rendered.add(&manifest.origin.to_string(), &manifest.text);
    }
    let on_disk = Found::on_disk_in(checkout);
    let checks = if rendered.checks.is_empty() { &on_disk.checks } else { &rendered.checks };
    let ignored = said_by_all(if rendered.ignored.is_empty() { &on_disk.ignored } else { &rendered.ignored });
    for one in read {
        let Ok(new) = &mut one.new else { continue };
        let application = &mut new.application;
        application.health_checks.clone_from(checks);
        let Some(source) = one.target.source() else { continue };
        if let (Some(sync), false) = (&mut application.sync, ignored.is_empty()) {
            Arc::make_mut(sync).ignored.extend(ignored.iter().cloned());
        }
        let Some(project) = &source.application.project else { continue };
        let projects = if rendered.projects.have(project) { &rendered.projects } else { &on_disk.projects };
        let windows = projects.say(project, &source.chosen_by);
        if let (Some(windows), Some(sync)) = (windows, &mut application.sync) {
            Arc::make_mut(sync).windows = Some(windows);
        }
    }
}

/// What texts say of Argo CD.
#[derive(Default)]
struct Found {
    projects: Projects,
    checks: Vec<CustomChecks>,
    /// The ignored fields of each `argocd-cm`.
    ignored: Vec<Vec<IgnoredDifferences>>,
}

impl Found {
    fn add(&mut self, path: &str, text: &str) {
        if may_have_projects(text) {
            self.projects.add(text);
        }
        if may_be_argocd_cm(text) {
            self.checks.extend(argocd_cms(path, text));
            self.ignored.extend(ignored(text));
        }
    }

    /// The settings in the files of a checkout. A file that cannot be read has none.
    fn on_disk_in(checkout: &Checkout) -> Self {
        let mut found = Self::default();
        let is_meant = |text: &str| may_have_projects(text) || may_be_argocd_cm(text);
        for (path, text) in search::read(&checkout.root, is_meant).unwrap_or_default() {
            let below = path.strip_prefix(&checkout.root).unwrap_or(&path);
            found.add(&below.in_slashes(), &text);
        }
        found
    }
}

/// The ignored fields of all `argocd-cm`. Which of several is that of an Application is unknown, so what only some say is only possible.
fn said_by_all(each: &[Vec<IgnoredDifferences>]) -> Vec<IgnoredDifferences> {
    let mut all: Vec<IgnoredDifferences> = Vec::new();
    for rule in each.iter().flatten() {
        let is_only_possible = !each.iter().all(|one| one.contains(rule));
        let rule = IgnoredDifferences { is_only_possible, ..rule.clone() };
        if !all.contains(&rule) {
            all.push(rule);
        }
    }
    all
}

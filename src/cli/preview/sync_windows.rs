//! Puts what sync windows say into the sources of Applications: those of AppProjects that sources render, or else that stand in the checkout.

use std::cell::OnceCell;
use std::sync::Arc;

use argocd_jobs::applications::{Checkout, Projects, may_have_projects};

use crate::cli::applications;
use crate::cli::read::Read;

/// Does so. Nothing is said of a project that is not there.
pub(super) fn settle(read: &mut [Read], checkout: Option<&Checkout>) {
    let Some(checkout) = checkout else { return };
    let mut rendered = Projects::default();
    let manifests = read.iter().flat_map(|one| &one.version.manifests);
    manifests.filter(|manifest| may_have_projects(&manifest.text)).for_each(|manifest| rendered.add(&manifest.text));
    let on_disk = OnceCell::new();
    for one in read {
        let Some(source) = one.target.source() else { continue };
        let Some(project) = &source.application.project else { continue };
        let projects = if rendered.have(project) { &rendered } else { on_disk.get_or_init(|| on_disk_in(checkout)) };
        let windows = projects.say(project, &source.chosen_by);
        if let (Some(windows), Some(sync)) = (windows, &mut one.version.application.sync) {
            Arc::make_mut(sync).windows = Some(windows);
        }
    }
}

/// The AppProjects in the files of a checkout. A file that cannot be read has none.
fn on_disk_in(checkout: &Checkout) -> Projects {
    let mut projects = Projects::default();
    let files = applications::read(&checkout.root, may_have_projects).unwrap_or_default();
    files.iter().for_each(|(_, text)| projects.add(text));
    projects
}

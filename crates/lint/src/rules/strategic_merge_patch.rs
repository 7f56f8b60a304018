//! `strategic-merge-patch`

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "strategic-merge-patch",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "a strategic merge patch instead of a Job",
    why: "`$patch` is a directive for kustomize. If a file that contains it is read as a manifest, it is applied as \
          a Job of its own, and the API server rejects it because it is incomplete. `argocd-jobs` does not rewrite \
          it.",
    fix: "Leave the file out with the parameter `exclude`, or list it under `patches` in a `kustomization.yaml` in \
          the folder: then kustomize builds the folder.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/directory/",
    example: super::example!("strategic-merge-patch")
        .note("If the file is a patch, keep `$patch` and list the file under `patches` in `kustomization.yaml`."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let patches = context.jobs().filter_map(|(index, job)| Some((index, job.value().find(&|key, _| key == "$patch")?)));
    patches
        .map(|(index, path)| {
            let message =
                "a strategic merge patch (`$patch`) is applied as a Job of its own, and the API server rejects it";
            let help = "leave the file out with `exclude`, or let kustomize build the folder";
            Diagnostic::at(index, path, message, help)
        })
        .collect()
}

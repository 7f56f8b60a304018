//! `strategic-merge-patch`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "strategic-merge-patch",
    level: Level::Error,
    summary: "a strategic merge patch where a Job is expected",
    why: "`$patch` is a directive for kustomize. A file with it that is read as a manifest is applied as a Job of its \
          own, which the API server refuses, for it is not a whole one. `argocd-jobs` leaves it alone.",
    fix: "Leave the file out with the parameter `exclude`, or name it under `patches` of a `kustomization.yaml` in the \
          directory: then kustomize builds it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/directory/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let patches = context.jobs().filter_map(|(index, job)| Some((index, job.value().find(&|key, _| key == "$patch")?)));
    patches
        .map(|(index, path)| {
            let message = "a strategic merge patch (`$patch`) is applied as a Job of its own, and refused";
            Diagnostic::at(
                index,
                path,
                message,
                "leave the file out with `exclude`, or have kustomize build the directory",
            )
        })
        .collect()
}

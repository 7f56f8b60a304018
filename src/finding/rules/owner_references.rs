//! `owner-references`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "owner-references",
    level: Level::Warning,
    summary: "an object with `ownerReferences` in Git",
    why: "An owner is known by its `uid`, which is another in every cluster and for every new owner. Kubernetes' \
          garbage collector deletes an object whose owner does not exist; Argo CD then creates it again. What has \
          owners Argo CD never prunes (`gitops-engine/pkg/cache/cluster.go`). `argocd-jobs` leaves such a Job alone.",
    fix: "Remove `metadata.ownerReferences`.",
    link: "https://kubernetes.io/docs/concepts/architecture/garbage-collection/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let owned = context.objects().filter(|(_, object)| object.is_owned());
    owned
        .map(|(index, object)| {
            let kind = object.kind();
            let message =
                format!("`ownerReferences` on a {kind} in Git: where that owner is not live, Kubernetes deletes it");
            Diagnostic::at(index, path!["metadata", "ownerReferences"], message, "remove it")
        })
        .collect()
}

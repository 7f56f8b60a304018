//! `owner-references`

use std::collections::BTreeSet;

use goyaml::path;
use kube_jobs::kubernetes::pod;

use crate::object_index::ObjectIndex;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "owner-references",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`ownerReferences` in Git, on a Job or on a resource that a Job needs",
    why: "An owner is identified by its `uid`, which differs in every cluster and for every new owner. Kubernetes' \
          garbage collector deletes an object whose owner does not exist, and Argo CD then creates it again. Argo CD \
          never prunes a resource that has owners (`gitops-engine/pkg/cache/cluster.go`). `argocd-jobs` does not \
          rewrite such a Job.",
    fix: "Remove `metadata.ownerReferences`.",
    link: "https://kubernetes.io/docs/concepts/architecture/garbage-collection/",
    example: super::example!("owner-references"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let owned: Vec<_> = context.objects().filter(|(_, object)| object.is_owned()).collect();
    if owned.is_empty() {
        return Vec::new();
    }
    let needed = needed(context);
    let of_jobs = owned.into_iter().filter(|(index, object)| object.is_job() || needed.contains(index));
    of_jobs
        .map(|(index, object)| {
            let kind = object.kind();
            let message = format!(
                "`ownerReferences` on a {kind} in Git: if that owner does not exist in the cluster, Kubernetes deletes the {kind}"
            );
            Diagnostic::at(
                index,
                path!["metadata", "ownerReferences"],
                message,
                format!("remove `ownerReferences` from the {kind}"),
            )
        })
        .collect()
}

/// The indices of the objects that Jobs refer to.
fn needed(context: &Context<'_>) -> BTreeSet<usize> {
    let known = ObjectIndex::of(context);
    let mut indices = BTreeSet::new();
    for (_, job) in context.jobs() {
        for reference in pod::references(job) {
            let needed = reference.needed;
            let namespace = if needed.is_namespaced() { context.survey.namespace(job) } else { "" };
            let found = known.find((needed.group(), needed.kind(), namespace, reference.name));
            indices.extend(found.iter().map(|(index, _)| *index));
        }
    }
    indices
}

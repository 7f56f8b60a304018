//! `delete-hook-needs-deleted`

use std::collections::BTreeSet;

use kube_jobs::argocd::{self, Deletion};
use kube_jobs::kubernetes::pod::{self, Reference};
use kube_jobs::kubernetes::{Job, Object};

use crate::object_index::ObjectIndex;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "delete-hook-needs-deleted",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Error,
    summary: "a hook for the deletion of the Application that needs an object which is gone by then",
    why: "When an Application is deleted with its resources, Argo CD first runs the PreDelete hooks, then deletes all resources and the \
          hooks of syncs, waits until they are gone, and only then creates the PostDelete hooks (`finalizeApplicationDeletion` in \
          `controller/appcontroller.go`). A PostDelete hook whose ServiceAccount, ConfigMap, Secret or volume claim is one of them \
          gets no pod that starts, so it never succeeds, and the deletion of the Application never ends. With `activeDeadlineSeconds` it fails; \
          since Argo CD 3.3 it is then deleted and created again, and Argo CD 3.2 ends the deletion without its work.\n\n\
          A PreDelete hook still finds the resources. It does not find a hook of the sync with the delete policy `HookSucceeded`, which \
          is deleted at the end of each sync that succeeds (argo-cd #26404).\n\n\
          An object that lists several hook types, such as `pre-install,post-delete`, is created again after the resources are gone. Before \
          Argo CD 3.3.3 that holds only when the type stands alone (`controller/hook.go`).",
    fix: "Give the hook objects of its own that are hooks for the deletion too: those are created together with it, and deleted only \
          when all of them are done. Or keep the object with `argocd.argoproj.io/sync-options: Delete=false`; it then stays in the \
          cluster.",
    link: "https://github.com/argoproj/argo-cd/issues/26404",
    example: super::example!("delete-hook-needs-deleted"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let jobs: Vec<(usize, &Job)> =
        context.applied_jobs().filter(|(_, job)| job.is_delete_hook() && !job.is_suspended()).collect();
    if jobs.is_empty() {
        return Vec::new();
    }
    let known = ObjectIndex::of(context);
    let version = context.output.argocd_version;
    let found = Deletion::ALL.into_iter().flat_map(|deletion| {
        let of_it = jobs.iter().filter(move |(_, job)| job.deletions(version).contains(&deletion));
        of_it.flat_map(|(index, job)| of_job(*index, job, deletion, &known)).collect::<Vec<_>>()
    });
    found.take(context.most).collect()
}

/// One diagnostic for each object that the Job needs and that is gone when it runs, at its first reference.
fn of_job(index: usize, job: &Job, deletion: Deletion, known: &ObjectIndex<'_>) -> Vec<Diagnostic> {
    let own = known.context().survey.namespace(job);
    let mut reported = BTreeSet::new();
    let mut found = Vec::new();
    for reference in pod::references(job).into_iter().filter(blocks) {
        let (needed, name) = (reference.needed, reference.name);
        let namespace = if needed.is_namespaced() { own } else { "" };
        let objects = known.find((needed.group(), needed.kind(), namespace, name));
        let gone = objects.iter().all(|(_, object)| is_gone(object, deletion, known.context()));
        let Some((other, _)) = objects.first().filter(|_| gone) else { continue };
        if !reported.insert(*other) {
            continue;
        }
        let (message, help) = texts(needed.kind(), name, deletion, job);
        found.push(Diagnostic::at(index, reference.path.clone(), message, help).with_name_of(*other));
    }
    found
}

/// The message, and the text of the help line.
fn texts(kind: &str, name: &str, deletion: Deletion, job: &Job) -> (String, String) {
    let hook = deletion.as_str();
    let (key, word) = match job.annotation(argocd::HOOK) {
        Some(_) => (argocd::HOOK, hook),
        None => (argocd::HELM_HOOK, deletion.of_helm()),
    };
    let (when, other) = match deletion {
        Deletion::Pre => {
            ("each successful sync deletes", format!("remove `HookSucceeded` (`hook-succeeded`) from `{name}`"))
        }
        Deletion::Post => {
            ("is deleted before the hook runs", format!("keep `{name}` with `{}: Delete=false`", argocd::SYNC_OPTIONS))
        }
    };
    let message =
        format!("the {hook} hook needs {kind} `{name}`, which {when}: the deletion of the Application never ends");
    (message, format!("give the Job a {kind} of its own with `{key}: {word}`, or {other}"))
}

/// Whether the pods cannot start without the named object. They can without the Secrets for pulling images, which may not be needed.
fn blocks(reference: &Reference<'_>) -> bool {
    !reference.is_optional && !reference.path.to_string().contains(".imagePullSecrets")
}

/// Whether an object that Argo CD applies is not in the cluster when the hooks of the deletion run.
fn is_gone(object: &Object, deletion: Deletion, context: &Context<'_>) -> bool {
    let is_applied = !object.is_skipped() && (!object.is_hook() || !object.phases().is_empty());
    if !is_applied || !object.deletions(context.output.argocd_version).is_empty() {
        return false;
    }
    if deletion == Deletion::Pre {
        return object.is_hook() && object.is_deleted_after_success();
    }
    let is_kept = object.has_sync_option("Delete=false")
        || context.has_application_option("Delete=false")
        || object.items("helm.sh/resource-policy").contains(&"keep");
    !is_kept
}

//! What a Job needs of the same output and does not find when it begins.

use super::known::{Known, Late, is_late};
use crate::kubernetes::pod::{self, Needed, Reference};
use crate::kubernetes::{Job, Object};
use crate::order::Moment;
use crate::yaml::Value;

const RBAC: &str = "rbac.authorization.k8s.io";

/// Objects of which a controller makes a Secret: group, kind, where its name stands. Without one it is called as they are.
const MAKE_SECRETS: [(&str, &str, &[&str]); 6] = [
    ("bitnami.com", "SealedSecret", &["spec", "template", "metadata", "name"]),
    ("cert-manager.io", "Certificate", &["spec", "secretName"]),
    ("external-secrets.io", "ExternalSecret", &["spec", "target", "name"]),
    ("onepassword.com", "OnePasswordItem", &["metadata", "name"]),
    ("secrets.hashicorp.com", "VaultDynamicSecret", &["spec", "destination", "name"]),
    ("secrets.hashicorp.com", "VaultStaticSecret", &["spec", "destination", "name"]),
];

/// What comes too late for a Job.
#[derive(Clone, Debug)]
pub(super) struct Need<'l> {
    /// Where in the Job it is named.
    pub(super) path: Vec<String>,
    /// In words: ``uses ServiceAccount `migrator` ``.
    pub(super) what: String,
    /// What is late.
    pub(super) late: Late<'l>,
}

/// What `job`, which begins at `begins`, needs and a sync applies only later. What a cluster has by itself, and what the pod can
/// begin without, is not needed; its namespace Argo CD creates first (`adjustDeps` in `gitops-engine/pkg/sync/sync_tasks.go`).
pub(super) fn needs<'k>(job: &'k Job, begins: Moment, known: &'k Known<'_>) -> Vec<Need<'k>> {
    let namespace = known.look().survey.namespace(job);
    let mut found = Vec::new();
    for reference in pod::references(job) {
        if reference.is_optional || is_given(&reference) {
            continue;
        }
        match named(&reference, namespace, begins, known) {
            Some(need) => found.push(need),
            None if reference.needed == Needed::ServiceAccount => {
                found.extend(rights(&reference, namespace, begins, known));
            }
            None => {}
        }
    }
    found
}

/// True for what every namespace has.
fn is_given(reference: &Reference<'_>) -> bool {
    matches!(
        (reference.needed, reference.name),
        (Needed::ServiceAccount, "default") | (Needed::ConfigMap, "kube-root-ca.crt")
    )
}

/// The object itself, or for a Secret what makes it.
fn named<'k>(reference: &Reference<'k>, namespace: &'k str, begins: Moment, known: &'k Known<'_>) -> Option<Need<'k>> {
    let (needed, name) = (reference.needed, reference.name);
    let namespace = if needed.is_namespaced() { namespace } else { "" };
    let key = (needed.group(), needed.kind(), namespace, name);
    let what = format!("uses {} `{name}`", needed.kind());
    if needed != Needed::Secret || !known.find(key).is_empty() {
        let late = known.late(key, begins)?;
        return Some(Need { path: reference.path.clone(), what, late });
    }
    let makers: Option<Vec<Late<'k>>> = known
        .look()
        .objects()
        .filter(|(_, object)| known.look().survey.namespace(object) == namespace && makes(object, name))
        .map(|(index, object)| is_late(index, object, begins))
        .collect();
    let late = makers?.into_iter().min_by_key(|late| late.moment)?;
    let what = format!("{what}, made of {} `{}`", late.object.kind(), late.object.name().unwrap_or(""));
    Some(Need { path: reference.path.clone(), what, late })
}

/// True for an object of which a controller makes the Secret of this name.
fn makes(object: &Object, secret: &str) -> bool {
    let row = MAKE_SECRETS.iter().find(|(group, kind, _)| (*group, *kind) == (object.group(), object.kind()));
    let Some((_, kind, path)) = row else { return false };
    let policy = object.value().text_at(&["spec", "target", "creationPolicy"]);
    let by_default = if *kind == "Certificate" { None } else { object.name() };
    object.value().text_at(path).or(by_default) == Some(secret) && !matches!(policy, Some("Merge" | "None"))
}

/// The bindings of a ServiceAccount that is in the output, and the roles that they bind, when none of them is there in time. Where
/// one is, a later one may be for other uses of the account; an account from elsewhere may have its rights from there.
fn rights<'k>(account: &Reference<'k>, namespace: &'k str, begins: Moment, known: &'k Known<'_>) -> Vec<Need<'k>> {
    if known.find(("", "ServiceAccount", namespace, account.name)).is_empty() {
        return Vec::new();
    }
    let is_binding =
        |object: &Object| object.group() == RBAC && matches!(object.kind(), "RoleBinding" | "ClusterRoleBinding");
    let bindings = known.look().objects().filter(|(_, object)| is_binding(object));
    let own = bindings.filter(|(_, binding)| binds(binding, account.name, namespace, known));
    let late = own.map(|(index, binding)| is_late(index, binding, begins).or_else(|| role(binding, begins, known)));
    let need = |late: Late<'k>| {
        let (kind, name) = (late.object.kind(), late.object.name().unwrap_or(""));
        let what = format!("uses ServiceAccount `{}` with the rights of {kind} `{name}`", account.name);
        Need { path: account.path.clone(), what, late }
    };
    late.collect::<Option<Vec<_>>>().unwrap_or_default().into_iter().map(need).collect()
}

fn binds(binding: &Object, account: &str, namespace: &str, known: &Known<'_>) -> bool {
    let subjects = binding.value().at(&["subjects"]).and_then(Value::as_list).unwrap_or(&[]);
    subjects.iter().any(|subject| {
        let own = || known.look().survey.namespace(binding);
        subject.text_at(&["kind"]) == Some("ServiceAccount")
            && subject.text_at(&["name"]) == Some(account)
            && subject.text_at(&["namespace"]).unwrap_or_else(own) == namespace
    })
}

/// The role that a binding binds, when it is late.
fn role<'k>(binding: &'k Object, begins: Moment, known: &'k Known<'_>) -> Option<Late<'k>> {
    let kind = binding.value().text_at(&["roleRef", "kind"])?;
    let name = binding.value().text_at(&["roleRef", "name"])?;
    let namespace = if kind == "Role" { known.look().survey.namespace(binding) } else { "" };
    known.late((RBAC, kind, namespace, name), begins)
}

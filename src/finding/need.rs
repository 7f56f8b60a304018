//! What a Job needs of the same output and does not find when it begins.

use std::collections::HashMap;

use super::Look;
use super::known::{Known, Late, is_late};
use crate::kubernetes::pod::{self, Needed, Reference};
use crate::kubernetes::{Job, Object};
use crate::order::Moment;
use crate::yaml::{Path, Value};

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
    pub(super) path: Path,
    /// In words: ``uses ServiceAccount `migrator` ``.
    pub(super) what: String,
    /// What is late.
    pub(super) late: Late<'l>,
}

/// The objects of one side, as those who need them name them.
pub(super) struct Stock<'l> {
    known: Known<'l>,
    /// Bindings, by the namespace and the name of a ServiceAccount.
    bindings: Names<'l>,
    /// Objects of which a Secret is made, by its namespace and name.
    makers: Names<'l>,
}

type Names<'l> = HashMap<(&'l str, &'l str), Vec<(usize, &'l Object)>>;

impl<'l> Stock<'l> {
    /// That of a side.
    pub(super) fn of(look: &'l Look<'l>) -> Self {
        let (mut bindings, mut makers) = (Names::new(), Names::new());
        for (index, object) in look.objects() {
            let own = look.survey.namespace(object);
            for account in accounts(object, own) {
                bindings.entry(account).or_default().push((index, object));
            }
            if let Some(secret) = made_secret(object) {
                makers.entry((own, secret)).or_default().push((index, object));
            }
        }
        Self { known: Known::of(look), bindings, makers }
    }

    /// What `job`, which begins at `begins`, needs and a sync applies only later. What a cluster has by itself, and what the pod
    /// can begin without, is not needed; its namespace Argo CD creates first (`adjustDeps` in
    /// `gitops-engine/pkg/sync/sync_tasks.go`).
    pub(super) fn needs<'s>(&'s self, job: &'s Job, begins: Moment) -> Vec<Need<'s>> {
        let namespace = self.known.look().survey.namespace(job);
        let mut found = Vec::new();
        for reference in pod::references(job) {
            if reference.is_optional || is_given(&reference) {
                continue;
            }
            match self.named(&reference, namespace, begins) {
                Some(need) => found.push(need),
                None if reference.needed == Needed::ServiceAccount => {
                    found.extend(self.rights(&reference, namespace, begins));
                }
                None => {}
            }
        }
        found
    }

    /// The object itself, or for a Secret what makes it.
    fn named<'s>(&'s self, reference: &Reference<'s>, namespace: &'s str, begins: Moment) -> Option<Need<'s>> {
        let (needed, name) = (reference.needed, reference.name);
        let namespace = if needed.is_namespaced() { namespace } else { "" };
        let key = (needed.group(), needed.kind(), namespace, name);
        let what = format!("uses {} `{name}`", needed.kind());
        if needed != Needed::Secret || !self.known.find(key).is_empty() {
            let late = self.known.late(key, begins)?;
            return Some(Need { path: reference.path.clone(), what, late });
        }
        let makers = self.makers.get(&(namespace, name))?.iter();
        let late: Option<Vec<Late<'s>>> = makers.map(|(index, object)| is_late(*index, object, begins)).collect();
        let late = late?.into_iter().min_by_key(|late| late.moment)?;
        let what = format!("{what}, made of {} `{}`", late.object.kind(), late.object.name().unwrap_or(""));
        Some(Need { path: reference.path.clone(), what, late })
    }

    /// The bindings of a ServiceAccount that is in the output, and the roles that they bind, when none of them is there in time.
    /// Where one is, a later one may be for other uses of the account; an account from elsewhere may have its rights from there.
    fn rights<'s>(&'s self, account: &Reference<'s>, namespace: &'s str, begins: Moment) -> Vec<Need<'s>> {
        if self.known.find(("", "ServiceAccount", namespace, account.name)).is_empty() {
            return Vec::new();
        }
        let bindings = self.bindings.get(&(namespace, account.name)).map_or(&[][..], Vec::as_slice);
        let late = bindings
            .iter()
            .map(|(index, binding)| is_late(*index, binding, begins).or_else(|| self.late_role(binding, begins)));
        let need = |late: Late<'s>| {
            let (kind, name) = (late.object.kind(), late.object.name().unwrap_or(""));
            let what = format!("uses ServiceAccount `{}` with the rights of {kind} `{name}`", account.name);
            Need { path: account.path.clone(), what, late }
        };
        late.collect::<Option<Vec<_>>>().unwrap_or_default().into_iter().map(need).collect()
    }

    /// The role that a binding binds, when it is late.
    fn late_role<'s>(&'s self, binding: &'s Object, begins: Moment) -> Option<Late<'s>> {
        let kind = binding.value().text_at(&["roleRef", "kind"])?;
        let name = binding.value().text_at(&["roleRef", "name"])?;
        let namespace = if kind == "Role" { self.known.look().survey.namespace(binding) } else { "" };
        self.known.late((RBAC, kind, namespace, name), begins)
    }
}

/// True for what every namespace has.
fn is_given(reference: &Reference<'_>) -> bool {
    let named = (reference.needed, reference.name);
    matches!(named, (Needed::ServiceAccount, "default") | (Needed::ConfigMap, "kube-root-ca.crt"))
}

/// The Secret that a controller makes of an object.
fn made_secret(object: &Object) -> Option<&str> {
    let is_row = |(group, kind, _): &&(&str, &str, &[&str])| (*group, *kind) == (object.group(), object.kind());
    let (_, kind, path) = MAKE_SECRETS.iter().find(is_row)?;
    let policy = object.value().text_at(&["spec", "target", "creationPolicy"]);
    let by_default = if *kind == "Certificate" { None } else { object.name() };
    object.value().text_at(path).or(by_default).filter(|_| !matches!(policy, Some("Merge" | "None")))
}

/// The namespaces and names of the ServiceAccounts that a binding names; it stands in the namespace `own`.
fn accounts<'o>(binding: &'o Object, own: &'o str) -> Vec<(&'o str, &'o str)> {
    if binding.group() != RBAC || !matches!(binding.kind(), "RoleBinding" | "ClusterRoleBinding") {
        return Vec::new();
    }
    let subjects = binding.value().at(&["subjects"]).and_then(Value::as_list).unwrap_or(&[]);
    let accounts = subjects.iter().filter(|subject| subject.text_at(&["kind"]) == Some("ServiceAccount"));
    let account =
        |subject: &'o Value| Some((subject.text_at(&["namespace"]).unwrap_or(own), subject.text_at(&["name"])?));
    accounts.filter_map(account).collect()
}

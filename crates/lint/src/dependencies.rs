//! Objects of the output that a Job needs, and that a sync applies only after the Job starts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use goyaml::Path;
use kube_jobs::kubernetes::Object;
use kube_jobs::kubernetes::pod::{self, Needed, Reference};

use super::Context;
use super::object_index::{AppliedLater, ObjectIndex, is_late};
use crate::survey::bindings::{RBAC, Subject, subjects};
use crate::survey::sync_order::Moment;

/// Custom resources from which a controller creates a Secret: group, kind, path of the Secret's name. If that field is missing, the Secret has the
/// name of the resource.
const MAKE_SECRETS: [(&str, &str, &[&str]); 6] = [
    ("bitnami.com", "SealedSecret", &["spec", "template", "metadata", "name"]),
    ("cert-manager.io", "Certificate", &["spec", "secretName"]),
    ("external-secrets.io", "ExternalSecret", &["spec", "target", "name"]),
    ("onepassword.com", "OnePasswordItem", &["metadata", "name"]),
    ("secrets.hashicorp.com", "VaultDynamicSecret", &["spec", "destination", "name"]),
    ("secrets.hashicorp.com", "VaultStaticSecret", &["spec", "destination", "name"]),
];

/// An object that a Job needs and that a sync applies too late.
#[derive(Clone, Debug)]
pub(super) struct Dependency<'l> {
    /// The path in the Job of the name of the needed object.
    pub(super) path: Path,
    /// The start of a sentence that continues with "is not applied until …": ``needs ServiceAccount `migrator`, which``.
    pub(super) what: String,
    /// The object that is applied too late. For a Secret, this can be the resource from which a controller creates it.
    pub(super) late: AppliedLater<'l>,
}

/// The objects of one side, indexed by the names that Jobs use for them.
pub(super) struct Dependencies<'l> {
    known: ObjectIndex<'l>,
    /// The bindings, by those to whom they give rights.
    bindings: HashMap<Subject<'l>, Vec<(usize, &'l Object)>>,
    /// The custom resources that create a Secret, by namespace and name of the Secret.
    makers: Names<'l>,
}

type Names<'l> = HashMap<(&'l str, &'l str), Vec<(usize, &'l Object)>>;

impl<'l> Dependencies<'l> {
    pub(super) fn of(context: &'l Context<'l>) -> Self {
        let known = ObjectIndex::of(context);
        let (mut bindings, mut makers) = (HashMap::<_, Vec<_>>::new(), Names::new());
        let accounts =
            context.objects().filter(|(_, object)| (object.group(), object.kind()) == ("", "ServiceAccount"));
        let inhabited: BTreeSet<&str> = accounts.map(|(_, account)| context.survey.namespace(account)).collect();
        for (index, object) in context.objects() {
            let own = context.survey.namespace(object);
            for subject in subjects(object, own) {
                let subject = match subject {
                    Subject::Account(namespace, name) => {
                        let is_known =
                            |namespace: &str| !known.find(("", "ServiceAccount", namespace, name)).is_empty();
                        Subject::Account(meant(namespace, is_known, context), name)
                    }
                    Subject::AccountsOf(namespace) => {
                        Subject::AccountsOf(meant(namespace, |namespace| inhabited.contains(namespace), context))
                    }
                    Subject::Accounts => Subject::Accounts,
                };
                bindings.entry(subject).or_default().push((index, object));
            }
            if let Some(secret) = made_secret(object) {
                makers.entry((own, secret)).or_default().push((index, object));
            }
        }
        Self { known, bindings, makers }
    }

    /// The objects that the pods of `object` need and that a sync applies only after `begins`, the moment at which `object` starts. Ignores optional
    /// references and objects that every namespace has. A Namespace is never late: Argo CD applies it before the objects in it (`adjustDeps` in
    /// `gitops-engine/pkg/sync/sync_tasks.go`).
    pub(super) fn needs<'s>(&'s self, object: &'s Object, begins: Moment) -> Vec<Dependency<'s>> {
        let namespace = self.known.context().survey.namespace(object);
        let mut found = Vec::new();
        for reference in necessary(object) {
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

    /// The objects without which the pods do not start: as above, but without permissions.
    pub(super) fn needs_to_start<'s>(&'s self, object: &'s Object, begins: Moment) -> Vec<Dependency<'s>> {
        let namespace = self.known.context().survey.namespace(object);
        necessary(object).filter_map(|reference| self.named(&reference, namespace, begins)).collect()
    }

    /// The referenced object, or the custom resource that creates the referenced Secret, if it is late.
    fn named<'s>(&'s self, reference: &Reference<'s>, namespace: &'s str, begins: Moment) -> Option<Dependency<'s>> {
        let (needed, name) = (reference.needed, reference.name);
        let namespace = if needed.is_namespaced() { namespace } else { "" };
        let key = (needed.group(), needed.kind(), namespace, name);
        let what = format!("needs {} `{name}`, which", needed.kind());
        if needed != Needed::Secret || !self.known.find(key).is_empty() {
            let late = self.known.late(key, begins)?;
            return Some(Dependency { path: reference.path.clone(), what, late });
        }
        let makers = self.makers.get(&(namespace, name))?.iter();
        let late: Option<Vec<AppliedLater<'s>>> =
            makers.map(|(index, object)| is_late(*index, object, begins)).collect();
        let late = late?.into_iter().min_by_key(|late| late.moment)?;
        let (kind, maker) = (late.object.kind(), late.object.name().unwrap_or(""));
        let what = format!("{what} {kind} `{maker}` creates, but that");
        Some(Dependency { path: reference.path.clone(), what, late })
    }

    /// The late bindings of a ServiceAccount in the output, and the late roles of its bindings. Empty unless all of them are late: if one is in time,
    /// the others may be for other users of the account. Empty for an account outside of the output, which may get its rights outside, too.
    fn rights<'s>(&'s self, account: &Reference<'s>, namespace: &'s str, begins: Moment) -> Vec<Dependency<'s>> {
        if self.known.find(("", "ServiceAccount", namespace, account.name)).is_empty() {
            return Vec::new();
        }
        let subjects = [Subject::Account(namespace, account.name), Subject::AccountsOf(namespace), Subject::Accounts];
        // One binding can name an account twice.
        let bindings: BTreeMap<usize, &'s Object> =
            subjects.iter().filter_map(|subject| self.bindings.get(subject)).flatten().copied().collect();
        let late = bindings
            .into_iter()
            .map(|(index, binding)| is_late(index, binding, begins).or_else(|| self.late_role(binding, begins)));
        let need = |late: AppliedLater<'s>| {
            let (kind, name) = (late.object.kind(), late.object.name().unwrap_or(""));
            let what =
                format!("gets the permissions of its ServiceAccount `{}` from {kind} `{name}`, which", account.name);
            Dependency { path: account.path.clone(), what, late }
        };
        late.collect::<Option<Vec<_>>>().unwrap_or_default().into_iter().map(need).collect()
    }

    /// The role of a binding, if it is applied too late.
    fn late_role<'s>(&'s self, binding: &'s Object, begins: Moment) -> Option<AppliedLater<'s>> {
        let kind = binding.value().text_at(&["roleRef", "kind"])?;
        let name = binding.value().text_at(&["roleRef", "name"])?;
        let namespace = if kind == "Role" { self.known.context().survey.namespace(binding) } else { "" };
        self.known.late((RBAC, kind, namespace, name), begins)
    }
}

/// The names of objects in the pods of `object` that have to be there.
fn necessary(object: &Object) -> impl Iterator<Item = Reference<'_>> {
    pod::references(object).into_iter().filter(|reference| !reference.is_optional && !is_given(reference))
}

/// Whether the reference names an object that every namespace has.
fn is_given(reference: &Reference<'_>) -> bool {
    let named = (reference.needed, reference.name);
    matches!(named, (Needed::ServiceAccount, "default") | (Needed::ConfigMap, "kube-root-ca.crt"))
}

/// The name of the Secret that a controller creates from an object. None for objects from which no Secret is created.
fn made_secret(object: &Object) -> Option<&str> {
    let is_row = |(group, kind, _): &&(&str, &str, &[&str])| (*group, *kind) == (object.group(), object.kind());
    let (_, kind, path) = MAKE_SECRETS.iter().find(is_row)?;
    let policy = object.value().text_at(&["spec", "target", "creationPolicy"]);
    let by_default = if *kind == "Certificate" { None } else { object.name() };
    object.value().text_at(path).or(by_default).filter(|_| !matches!(policy, Some("Merge" | "None")))
}

/// The namespace under which the accounts of a subject are known; `is_known` says whether the output has such accounts in a namespace. The API server
/// requires a namespace in the subject, so a chart or its author writes one where the account itself has none. As long as the namespace of the Application
/// is unknown, that one is meant.
fn meant<'n>(namespace: &'n str, is_known: impl Fn(&str) -> bool, context: &Context<'_>) -> &'n str {
    let is_unknown = context.survey.application.namespace.is_none();
    if is_unknown && !is_known(namespace) && is_known("") { "" } else { namespace }
}

//! The roles of the same output that a Job has by its ServiceAccount, and their bindings, which differ between the versions. A Job that runs before they are
//! applied has the old rights.

use std::collections::{BTreeMap, BTreeSet};

use kube_jobs::kubernetes::Object;
use kube_jobs::kubernetes::pod::{self, Needed};
use lint::survey::bindings::{RBAC, Subject, subjects};
use lint::survey::sync_order;
use lint::survey::{ObjectState, Side};

use super::snapshot::Snapshot;
use super::uses::{Change, ChangedUse, Sees, differing, sees};

/// The kinds that give rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Granting {
    ClusterRole,
    ClusterRoleBinding,
    Role,
    RoleBinding,
}

const GRANTING: [Granting; 4] =
    [Granting::ClusterRole, Granting::ClusterRoleBinding, Granting::Role, Granting::RoleBinding];

impl Granting {
    fn kind(self) -> &'static str {
        match self {
            Self::ClusterRole => "ClusterRole",
            Self::ClusterRoleBinding => "ClusterRoleBinding",
            Self::Role => "Role",
            Self::RoleBinding => "RoleBinding",
        }
    }

    fn of(kind: &str) -> Option<Self> {
        GRANTING.into_iter().find(|one| one.kind() == kind)
    }
}

/// The kind, the namespace and the name.
type Key<'v> = (Granting, &'v str, &'v str);

/// What gives rights in one version.
pub(super) struct Rights<'v> {
    version: Snapshot<'v>,
    /// The last object of each key: Argo CD takes the last of two with one name.
    by_key: BTreeMap<Key<'v>, &'v ObjectState>,
}

impl<'v> Rights<'v> {
    pub(super) fn of(version: Snapshot<'v>) -> Self {
        let survey = version.survey;
        let keyed = |state: &'v ObjectState| {
            let object = state.object();
            let kind = Granting::of(object.kind()).filter(|_| object.group() == RBAC)?;
            let namespace = match kind {
                Granting::ClusterRole | Granting::ClusterRoleBinding => "",
                Granting::Role | Granting::RoleBinding => survey.namespace(object),
            };
            sync_order::first(object).is_some().then_some(((kind, namespace, object.name()?), state))
        };
        Self { version, by_key: survey.on(Side::Emitted).filter_map(|(_, state)| keyed(state)).collect() }
    }

    /// What gives rights to a Job: the bindings of its ServiceAccount, and their roles. Without `serviceAccountName` it has the account `default`.
    fn granted(&self, job: &Object) -> BTreeSet<Key<'v>> {
        let namespace = self.version.survey.namespace(job);
        let named = pod::references(job).into_iter().find(|reference| reference.needed == Needed::ServiceAccount);
        let account = named.map_or("default", |reference| reference.name);
        // As long as the namespace of the Application is unknown, a subject that names one means it; but every namespace has an account `default`.
        let is_here = |found: &str| found == namespace || namespace.is_empty() && account != "default";
        let is_meant = |subject: &Subject<'_>| match subject {
            Subject::Account(found, name) => is_here(found) && *name == account,
            Subject::AccountsOf(found) => is_here(found),
            Subject::Accounts => true,
        };
        let mut found = BTreeSet::new();
        for (key, state) in &self.by_key {
            let object = state.object();
            let own = self.version.survey.namespace(object);
            if !subjects(object, own).iter().any(is_meant) {
                continue;
            }
            found.insert(*key);
            let role = |field: &str| object.value().text_at(&["roleRef", field]);
            let Some((kind, name)) = role("kind").and_then(Granting::of).zip(role("name")) else { continue };
            let namespace = if kind == Granting::Role { own } else { "" };
            found.insert((kind, namespace, name));
        }
        found
    }

    /// What gives rights to a Job in this version or in the old one, and differs.
    pub(super) fn changed(&self, old: &Self, (before, now): (&Object, &Object)) -> Vec<ChangedUse> {
        let all: BTreeSet<Key<'_>> = old.granted(before).into_iter().chain(self.granted(now)).collect();
        let changed = |key: Key<'_>| {
            let state = self.by_key.get(&key).copied();
            let change = match (old.by_key.get(&key), state) {
                (None, None) => return None,
                (None, Some(_)) => Change::New,
                (Some(_), None) => Change::Gone,
                (Some(old), Some(new)) => Change::Parts(differing(old, new, |_| true)),
            };
            (change != Change::Parts(Vec::new())).then(|| ChangedUse {
                kind: key.0.kind(),
                name: key.2.to_owned(),
                old_name: None,
                is_mounted: false,
                has_content: false,
                sees: state.map_or(Sees::New, |state| sees(now, state.object(), false, false)),
                change,
            })
        };
        all.into_iter().filter_map(changed).collect()
    }
}

//! The ServiceAccounts to which a RoleBinding or a ClusterRoleBinding gives rights.

use goyaml::Value;
use kube_jobs::kubernetes::Object;

/// The API group of roles and their bindings.
pub const RBAC: &str = "rbac.authorization.k8s.io";

/// Whom a binding names. A ServiceAccount is also a user, and a member of two groups (`MakeUsername` and
/// `MakeGroupNames` in `staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go` of Kubernetes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject<'l> {
    /// A ServiceAccount, by namespace and name.
    Account(&'l str, &'l str),
    /// All ServiceAccounts of a namespace.
    AccountsOf(&'l str),
    /// All ServiceAccounts.
    Accounts,
}

/// The ServiceAccounts that a binding names. `own` is the namespace of the binding.
pub fn subjects<'o>(binding: &'o Object, own: &'o str) -> Vec<Subject<'o>> {
    if binding.group() != RBAC || !matches!(binding.kind(), "RoleBinding" | "ClusterRoleBinding") {
        return Vec::new();
    }
    binding.value().items_at(&["subjects"]).iter().filter_map(|subject| accounts(subject, own)).collect()
}

/// The ServiceAccounts that a subject means; none of a person and of another group.
fn accounts<'o>(subject: &'o Value, own: &'o str) -> Option<Subject<'o>> {
    let name = subject.text_at(&["name"])?;
    match subject.text_at(&["kind"])? {
        "ServiceAccount" => Some(Subject::Account(subject.text_at(&["namespace"]).unwrap_or(own), name)),
        "User" => {
            let (namespace, name) = name.strip_prefix("system:serviceaccount:")?.split_once(':')?;
            Some(Subject::Account(namespace, name))
        }
        "Group" if name == "system:serviceaccounts" => Some(Subject::Accounts),
        "Group" => Some(Subject::AccountsOf(name.strip_prefix("system:serviceaccounts:")?)),
        _ => None,
    }
}

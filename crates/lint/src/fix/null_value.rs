//! `null-value`: removes a key that has no value.

use goyaml::{Change, Step, Value};

use super::{Fix, Proposal, Safety, Subject};

pub(super) const FIX: Fix = Fix {
    rule: "null-value",
    safe: "removes the key, if Kubernetes stores its default for a key that is not there",
    not_safe: "",
    propose,
};

/// Fields for which Kubernetes stores the same value with a null as without the field (`pkg/apis/batch/v1/defaults.go` and
/// `pkg/apis/core/v1/defaults.go`). In a map of texts, such as `nodeSelector`, it stores a null as an empty text instead.
const DEFAULTED: [&str; 19] = [
    "activeDeadlineSeconds",
    "backoffLimit",
    "completionMode",
    "completions",
    "dnsPolicy",
    "failureThreshold",
    "imagePullPolicy",
    "manualSelector",
    "parallelism",
    "periodSeconds",
    "podReplacementPolicy",
    "protocol",
    "schedulerName",
    "successThreshold",
    "suspend",
    "terminationGracePeriodSeconds",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "timeoutSeconds",
];

/// Maps whose keys the user chooses.
const MAPS: [&str; 9] = [
    "annotations",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "options",
    "overhead",
    "requests",
    "volumeAttributes",
];

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let (Step::Key(key), parents) = subject.path.steps().split_last()? else { return None };
    let is_in_map = parents.iter().any(|step| matches!(step, Step::Key(key) if MAPS.contains(&key.as_str())));
    let is_null = subject.object.value().at_path(subject.path) == Some(&Value::Null);
    let is_removed = is_null && !is_in_map && DEFAULTED.contains(&key.as_str());
    let change = Change::remove(subject.path.clone());
    is_removed.then(|| Proposal::new(Safety::Safe, format!("remove `{key}`, which has no value"), vec![change]))
}

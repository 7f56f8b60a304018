//! `server-owned-fields`: removes fields that are set in the cluster.

use goyaml::{Change, Path, Step, Value};
use kube_jobs::kubernetes::server_fields::{self, FINALIZERS, LABELS};
use text::plural;

use super::{Fix, Proposal, Safety, Subject};

pub(super) const FIX: Fix = Fix {
    rule: "server-owned-fields",
    safe: "removes the fields, labels and annotations that are set in the cluster, unless a finalizer is among them",
    not_safe: "removes them together with the finalizers of Argo CD and Kubernetes, which keep a deleted Job alive",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let job = subject.job?;
    // A Job with a status and without pods is what a test expects to find in a cluster.
    if job.images().is_empty() {
        return None;
    }
    let mut found = server_fields::paths(job);
    found.retain(|path| job.value().at_path(path).is_some() && !is_own_name(subject, path));
    let finalizers = server_fields::finalizers();
    let has_finalizers = found.contains(&finalizers);
    let kept = kept_finalizers(job.value().at_path(&finalizers)).filter(|_| has_finalizers);
    if kept.is_some() {
        found.retain(|path| *path != finalizers);
    }
    let mut names: Vec<String> = found.iter().map(|path| format!("`{path}`")).collect();
    if kept.is_some() {
        names.push("the finalizers of a live Job".to_owned());
    }
    let what = match names.as_slice() {
        [_, _, _, _, ..] => format!("remove {} that are set in the cluster", plural(names.len(), "field")),
        [all @ .., last] if !all.is_empty() => format!("remove {} and {last}", all.join(", ")),
        few => format!("remove {}", few.join(", ")),
    };
    let mut changes: Vec<Change> = subject.removal(found).into_iter().map(Change::remove).collect();
    changes.extend(kept.map(|kept| Change::set(finalizers, Value::List(kept.into()))));
    let safety = if has_finalizers { Safety::Unsafe } else { Safety::Safe };
    (!changes.is_empty()).then(|| Proposal::new(safety, what, changes))
}

/// Whether the path is a label with the Job's own name. The API server would write the same, so it does no harm.
fn is_own_name(subject: &Subject<'_>, path: &Path) -> bool {
    let is_label = matches!(path.steps(), [.., Step::Key(key)] if LABELS.contains(&key.as_str()));
    is_label && subject.object.value().at_path(path).and_then(Value::as_text) == subject.object.name()
}

/// The finalizers that stay. None if none of them stays.
fn kept_finalizers(written: Option<&Value>) -> Option<Vec<Value>> {
    let is_live = |item: &&Value| item.as_text().is_some_and(|text| FINALIZERS.contains(&text));
    let kept: Vec<Value> = written?.as_list()?.iter().filter(|item| !is_live(item)).cloned().collect();
    (!kept.is_empty()).then_some(kept)
}

//! Removes fields that only a live Job has. If they are copied into Git, the API server refuses the Job.
//!
//! ```yaml
//! metadata: {name: a, uid: 1-2-3, resourceVersion: "7"}   # name stays
//! spec: {selector: {…}}                                   # goes, unless manualSelector: true
//! status: {…}                                             # goes
//! ```

use std::collections::BTreeSet;

use goyaml::{Path, Value};
use kube_jobs::kubernetes::server_fields::{self, LABELS};

use super::draft::Draft;

const TEMPLATE_LABELS: [&str; 4] = ["spec", "template", "metadata", "labels"];

/// Adds the removals to the draft.
pub(super) fn clean(draft: &mut Draft<'_>) {
    for path in server_fields::paths(draft.job()) {
        if path == server_fields::finalizers() { remove_finalizers(draft) } else { draft.remove(path) }
    }
}

/// Removes the labels with the keys `labels` from the pod template, except those that a manual selector uses.
pub(super) fn strip_template_labels(draft: &mut Draft<'_>, labels: &BTreeSet<String>) {
    let job = draft.job();
    let Some(found) = job.value().at(&TEMPLATE_LABELS).and_then(Value::as_map) else { return };
    let selector = job.value().at(&["spec", "selector"]).filter(|_| job.has_manual_selector());
    let matched = |label: &str| selector.and_then(|selector| selector.at(&["matchLabels", label])).is_some();
    let expressions = selector.and_then(|selector| selector.at(&["matchExpressions"])).and_then(Value::as_list);
    let expressed: BTreeSet<&str> =
        expressions.into_iter().flatten().filter_map(|expression| expression.text_at(&["key"])).collect();
    for label in found.keys().filter(|label| labels.contains(label.as_str()) && !LABELS.contains(&label.as_str())) {
        if !matched(label) && !expressed.contains(label.as_str()) {
            draft.remove(Path::of_keys(&TEMPLATE_LABELS).with(label));
        }
    }
}

/// Removes the map of pod labels if no label is left. A template with `labels: {}` never equals the live one, to which the API server has added
/// labels, so the Application would stay OutOfSync forever (seen with the controller of Argo CD 3.2.11). Other maps may be left empty.
pub(super) fn remove_emptied_template_labels(draft: &mut Draft<'_>) {
    draft.remove_emptied(&Path::of_keys(&TEMPLATE_LABELS));
}

/// Removes the finalizers that only a live Job has. The user's finalizers stay.
fn remove_finalizers(draft: &mut Draft<'_>) {
    let path = server_fields::finalizers();
    let Some(items) = draft.job().value().at_path(&path).and_then(Value::as_list) else { return };
    let is_live = |item: &&Value| item.as_text().is_some_and(|text| server_fields::FINALIZERS.contains(&text));
    let kept = items.iter().filter(|item| !is_live(item)).cloned().collect();
    draft.set(path, Value::List(kept));
}

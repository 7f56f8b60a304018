//! Takes away what only a live Job has: copied into Git it makes the API server refuse the Job.
//!
//! ```yaml
//! metadata: {name: a, uid: 1-2-3, resourceVersion: "7"}   # name stays
//! spec: {selector: {…}}                                   # goes, unless manualSelector: true
//! status: {…}                                             # goes
//! ```

use std::collections::BTreeSet;

use super::draft::Draft;
use crate::kubernetes::live::{ANNOTATIONS, FINALIZERS, LABELS, METADATA};
use crate::yaml::Value;

/// The labels of the pods.
const TEMPLATE_LABELS: [&str; 4] = ["spec", "template", "metadata", "labels"];

/// Notes what has to go.
pub(super) fn clean(draft: &mut Draft<'_>) {
    draft.remove(&["status"]);
    for field in METADATA {
        draft.remove(&["metadata", field]);
    }
    for annotation in ANNOTATIONS {
        draft.remove(&["metadata", "annotations", annotation]);
    }
    finalizers(draft);
    if draft.job().has_manual_selector() {
        return;
    }
    draft.remove(&["spec", "selector"]);
    for label in LABELS {
        draft.remove(&["metadata", "labels", label]);
        draft.remove(&["spec", "template", "metadata", "labels", label]);
    }
}

/// Takes labels off the pod template that change without meaning, but for those that a manual selector names.
pub(super) fn strip_template_labels(draft: &mut Draft<'_>, labels: &BTreeSet<String>) {
    let job = draft.job();
    let Some(found) = job.value().at(&TEMPLATE_LABELS).and_then(Value::as_map) else { return };
    let selector = job.value().at(&["spec", "selector"]).filter(|_| job.has_manual_selector());
    let matched = |label: &str| selector.and_then(|selector| selector.at(&["matchLabels", label])).is_some();
    let expressions = selector.and_then(|selector| selector.at(&["matchExpressions"])).and_then(Value::as_list);
    let expressed: BTreeSet<&str> =
        expressions.into_iter().flatten().filter_map(|expression| expression.text_at(&["key"])).collect();
    for label in found.keys().filter(|label| labels.contains(*label) && !LABELS.contains(&label.as_str())) {
        if !matched(label) && !expressed.contains(label.as_str()) {
            draft.remove(&[&TEMPLATE_LABELS[..], &[label]].concat());
        }
    }
}

/// Takes the labels of the pod template away when none of them is left: a template with `labels: {}` never equals the live one, to
/// which the API server has added labels, so that the Application would stay OutOfSync for ever (seen with Argo CD 3.2.11's
/// controller). Other maps may be left empty.
pub(super) fn remove_emptied_template_labels(draft: &mut Draft<'_>) {
    draft.remove_emptied(&TEMPLATE_LABELS);
}

fn finalizers(draft: &mut Draft<'_>) {
    let Some(found) = draft.job().value().at(&["metadata", "finalizers"]).and_then(Value::as_list) else { return };
    let is_live = |value: &&Value| value.as_text().is_some_and(|text| FINALIZERS.contains(&text));
    let kept: Vec<Value> = found.iter().filter(|value| !is_live(value)).cloned().collect();
    if kept.len() < found.len() {
        draft.set(&["metadata", "finalizers"], Value::List(kept));
    }
}

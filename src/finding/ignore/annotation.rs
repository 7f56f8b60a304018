//! `argocd-jobs/ignore.<id>: "<reason>"` on an object of any kind: for findings about this object.

use super::{ANNOTATION, Aim, Wish};
use crate::finding::{Finding, Ignored, IgnoredBy, Remark, Row, State, place};
use crate::path;
use crate::survey::Survey;

/// What annotations want ignored, and those that do not count because they say no reason.
pub(super) fn read(row: &'static Row, survey: &Survey<'_>) -> (Vec<Wish>, Vec<Finding>) {
    let (mut wishes, mut unused) = (Vec::new(), Vec::new());
    for (index, object) in survey.objects.iter().enumerate() {
        let annotations = object.written.as_ref().and_then(|resource| resource.object().annotations());
        for (key, value) in annotations.into_iter().flatten() {
            let Some(id) = key.strip_prefix(ANNOTATION) else { continue };
            let remark =
                |message: &str, help: &str| Remark::at(index, path!["metadata", "annotations", key], message, help);
            let reason = value.as_text().unwrap_or("").trim();
            if reason.is_empty() {
                let remark =
                    remark("the annotation says no reason, and ignores nothing", "write the reason as its value");
                unused.push(place::of_remark(row, &remark, survey, State::Open));
                continue;
            }
            wishes.push(Wish {
                id: id.to_owned(),
                aim: Aim::Object(index),
                ignored: Ignored { by: IgnoredBy::Annotation, reason: Some(reason.to_owned()) },
                blank: place::of_remark(row, &remark("", ""), survey, State::Open),
            });
        }
    }
    (wishes, unused)
}

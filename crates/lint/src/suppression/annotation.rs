//! Suppressions in annotations: `argocd-jobs/ignore.<id>: "<reason>"` on an object of any kind, for findings about this object.

use super::{ANNOTATION, Scope, Suppression};
use crate::survey::Survey;
use crate::{Diagnostic, Finding, Ignored, IgnoredBy, Rule, State, place};

/// The suppressions in annotations, and a finding for each annotation without a reason.
pub(super) fn read(rule: &'static Rule, survey: &Survey<'_>) -> (Vec<Suppression>, Vec<Finding>) {
    let (mut suppressions, mut unused) = (Vec::new(), Vec::new());
    for (index, object) in survey.objects.iter().enumerate() {
        let annotations = object.written.as_ref().and_then(|resource| resource.object().annotations());
        for (key, value) in annotations.into_iter().flatten() {
            let Some(id) = key.strip_prefix(ANNOTATION) else { continue };
            let diagnostic = |message: &str, help: String| Diagnostic::on_annotation(index, key, message, help);
            let reason = value.as_text().unwrap_or("").trim();
            if reason.is_empty() {
                let help = format!("write the reason as the value of the annotation `{key}`");
                let diagnostic = diagnostic("the annotation has no reason, so it ignores nothing", help);
                unused.push(place::of_diagnostic(rule, diagnostic, survey, State::Open));
                continue;
            }
            suppressions.push(Suppression {
                id: id.to_owned(),
                scope: Scope::Object(index),
                ignored: Ignored { by: IgnoredBy::Annotation, reason: Some(reason.to_owned()) },
                template: place::of_diagnostic(rule, diagnostic("", String::new()), survey, State::Open),
            });
        }
    }
    (suppressions, unused)
}

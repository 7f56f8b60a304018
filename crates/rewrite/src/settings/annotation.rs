//! The highest layer: `argocd-jobs/*` annotations of one Job.

use goyaml::{Node, Value};
use kube_jobs::kubernetes::{Job, list};

use super::parameter::{ANNOTATION_PREFIX, Position};
use super::set::set;
use super::value::RawValue;
use super::{Error, ErrorKind, IGNORE, Provenance, Settings};
use crate::strategy::NAME;

/// Reads the annotations of `job`; the error names the annotation.
pub(super) fn read(job: &Job) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    for (key, value) in job.annotations().into_iter().flatten() {
        let Some(name) = key.strip_prefix(ANNOTATION_PREFIX).filter(|_| key != NAME) else { continue };
        let by = Provenance::Annotation(key.to_string());
        let written = match value {
            Value::String(text) => RawValue::Bare(text.to_string()),
            other => return Err(Error::new(by, ErrorKind::Type { found: other.kind(), expected: "a string" })),
        };
        // `ignore.*` annotations are no settings: only `check` reads them.
        if key.starts_with(IGNORE) {
            continue;
        }
        set(&mut settings, name, Position::Job, &written, by, |known| format!("{ANNOTATION_PREFIX}{}", known.name))?;
    }
    Ok(settings)
}

/// True if an object of the text has an annotation `argocd-jobs/*`: whoever writes one uses the plugin. Annotations that ignore findings are for `check`, and
/// do not count.
pub fn is_annotated(text: &str) -> bool {
    let mut found = false;
    list::each_object(text, may_be_annotated, |object| found |= has_own_annotation(object));
    found
}

fn may_be_annotated(text: &str) -> bool {
    goyaml::may_contain(text, ANNOTATION_PREFIX)
}

fn has_own_annotation(object: Node<'_>) -> bool {
    let metadata = object.get("metadata").and_then(|metadata| metadata.value().ok());
    let annotations = metadata.as_ref().and_then(|metadata| metadata.at(&["annotations"])?.as_map());
    annotations.into_iter().flatten().any(|(key, _)| key.starts_with(ANNOTATION_PREFIX) && !key.starts_with(IGNORE))
}

#[cfg(test)]
mod tests {
    use super::is_annotated;

    #[test]
    fn an_annotation_of_the_plugin_is_found_in_every_spelling() {
        let of = |annotation: &str| format!("kind: Job\nmetadata:\n  annotations: {{{annotation}}}\n");
        for text in [
            of("argocd-jobs/strategy: keep"),
            of(r#""argocd\x2djobs/name": migrate"#),
            of("!!binary YXJnb2NkLWpvYnMvdHRs: '60'"),
            format!("kind: ConfigMap\n---\n{}", of("argocd-jobs/trigger: 'true'")),
            "kind: List\nitems:\n- metadata: {annotations: {argocd-jobs/hook: PreSync}}\n".to_owned(),
            "x: &a {argocd-jobs/hook: PreSync}\nmetadata: {annotations: {<<: *a}}\n".to_owned(),
            r#"{"metadata":{"annotations":{"argocd-jobs\/ttl":"60"}}}"#.to_owned(),
        ] {
            assert!(is_annotated(&text), "{text}");
        }
        for text in [
            of("argocd-jobs/ignore.ttl-reruns: it is meant so"),
            of("argocd.argoproj.io/hook: PreSync"),
            "kind: Job\nmetadata: {labels: {argocd-jobs/name: x}}\n".to_owned(),
            "kind: ConfigMap\ndata: {x: 'argocd-jobs/strategy: keep'}\n".to_owned(),
        ] {
            assert!(!is_annotated(&text), "{text}");
        }
    }
}

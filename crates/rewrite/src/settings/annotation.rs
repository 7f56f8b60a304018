//! The highest layer: `argocd-jobs/*` annotations of one Job.

use goyaml::Value;
use kube_jobs::kubernetes::Job;

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

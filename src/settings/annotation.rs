//! The highest layer: `argocd-jobs/*` annotations of one Job.

use super::parameter::{self, ANNOTATION_PREFIX};
use super::{Error, Settings};
use crate::kubernetes::Job;
use crate::strategy::NAME;
use crate::yaml::Value;

/// Reads the annotations of `job`; an error comes with the key of the annotation.
pub fn read(job: &Job) -> Result<Settings, (String, Error)> {
    let mut settings = Settings::default();
    for (key, value) in job.annotations().into_iter().flatten() {
        let Some(name) = key.strip_prefix(ANNOTATION_PREFIX).filter(|_| key != NAME) else { continue };
        let outcome = match value {
            Value::String(text) => parameter::set_for_job(&mut settings, name, key, text),
            other => Err(Error::WrongType { name: key.clone(), found: other.kind() }),
        };
        outcome.map_err(|error| (key.clone(), error))?;
    }
    Ok(settings)
}

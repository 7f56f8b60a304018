//! The settings of a source that Argo CD renders itself: what kind it is, and its block.

use super::parameter::Position;
use super::set::set;
use super::value::RawValue;
use super::{Error, Provenance, Settings, SourceKind};
use crate::yaml::Value;

/// What matters only to Argo CD, which has credentials of Helm repositories.
const PASS_CREDENTIALS: &str = "passCredentials";

impl Settings {
    /// The settings of a source of this kind, as its block in the Application says, which has the types of the API. An error for what this
    /// program cannot do, or Argo CD neither.
    pub fn of_source(kind: SourceKind, mut block: Value) -> Result<Self, Error> {
        let mut settings = Self::default();
        let mut put = |name: &str, raw: RawValue| {
            let by = Provenance::ApplicationParameter(name.to_owned());
            set(&mut settings, name, Position::Application, &raw, by, |known| known.name.to_owned())
        };
        put("source", RawValue::Bare(kind.as_str().to_owned()))?;
        match kind {
            SourceKind::Helm | SourceKind::Kustomize => {
                block.remove(&[PASS_CREDENTIALS]);
                put(kind.as_str(), RawValue::Yaml(block))?;
            }
            SourceKind::Directory => {
                if block.at(&["recurse"]) == Some(&Value::Bool(true)) {
                    put("recurse", RawValue::Bare("true".to_owned()))?;
                }
                for key in ["include", "exclude"] {
                    if let Some(glob) = block.text_at(&[key]).filter(|glob| !glob.is_empty()) {
                        put(key, RawValue::Bare(glob.to_owned()))?;
                    }
                }
            }
            SourceKind::Auto => {}
        }
        Ok(settings)
    }
}

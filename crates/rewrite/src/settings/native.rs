//! The settings of a source that Argo CD renders itself: its kind (helm, kustomize or directory), and its block.

use goyaml::Value;

use super::parameter::Position;
use super::set::set;
use super::value::RawValue;
use super::{Error, Provenance, Settings, SourceKind};

/// The field that says whether Argo CD passes credentials of Helm repositories to helm.
const PASS_CREDENTIALS: &str = "passCredentials";

impl Settings {
    /// The settings of a source of this kind. `block` is its block in the Application, already checked against the
    /// types of Argo CD's API. Fails for a value that this program, or Argo CD itself, cannot use.
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
                if block.is_true_at(&["recurse"]) {
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

//! One version of an Application: its manifests with their settings. Plans and writes them.

use std::io::{self, Write};
use std::path::PathBuf;

use kube_jobs::argocd::Application;
use system::PathText;

use crate::manifest::Manifest;
use crate::plan::{self, Plan, Problem, ProblemKind};
use crate::settings::{ApplicationSettings, Id, Layers, Provenance};
use crate::stream;

/// The manifests of an Application, with their settings.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// The directory, as messages name it. The paths of its files begin with it.
    pub shown_as: PathBuf,
    /// The manifests, in the order of the output.
    pub manifests: Vec<Manifest>,
    /// The settings of all layers above the Jobs.
    pub layers: Layers,
    /// The settings of the Application as a whole, from the layers.
    pub settings: ApplicationSettings,
    /// The facts about the Application.
    pub application: Application,
}

impl Version {
    /// A version of these manifests, without settings.
    pub fn of(manifests: Vec<Manifest>) -> Self {
        Self { manifests, ..Self::default() }
    }

    /// This version as it would be with the plugin. `None` if the plugin is in use already, or if a setting for Jobs is invalid.
    pub fn with_plugin(&self) -> Option<Self> {
        let layers = self.layers.with_plugin()?.clone();
        let settings = layers.application();
        Some(Self { layers, settings, ..self.clone() })
    }

    /// What [`plan::plan`] is asked about this version alone.
    pub fn request(&self) -> plan::Request<'_> {
        plan::Request {
            manifests: &self.manifests,
            settings: &self.layers,
            application: &self.application,
            output: &self.settings.output,
            together: None,
        }
    }

    /// Rewrites the Jobs. Returns the YAML stream for Argo CD, or all problems of the input.
    pub fn rewrite(&self) -> Result<String, Vec<Problem>> {
        Ok(self.text(&self.plan()?))
    }

    /// Plans the output. Fails with all problems of the input: at most one syntax error for each manifest, and all refusals.
    pub fn plan(&self) -> Result<Plan, Vec<Problem>> {
        plan::plan(&self.request()).map_err(|problems| self.placed(problems))
    }

    /// The problems, with the path of the source added to a problem of the source as a whole.
    pub fn placed(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let is_of_the_source = match self.manifests.as_slice() {
            [one] => one.origin.is_rendered(),
            _ => true,
        };
        let path = match self.shown_as.in_slashes() {
            path if path.is_empty() => ".".into(),
            path => path,
        };
        let with_path = |problem: Problem| match (problem.kind, &problem.place) {
            (ProblemKind::Empty, None) if is_of_the_source => {
                Problem { message: format!("{path}: {}", problem.message), ..problem }
            }
            _ => problem,
        };
        problems.into_iter().map(with_path).collect()
    }

    /// True if the config file sets `include`, and that leaves no manifest.
    pub fn is_emptied_by_its_config_file(&self) -> bool {
        let set = self.layers.above_jobs();
        let by = set.get(Id::Include).map(|setting| &setting.by);
        self.manifests.is_empty() && matches!(by, Some(Provenance::ConfigFile { .. }))
    }

    /// Writes a plan of this version to `out`, as the YAML stream for Argo CD.
    pub fn write(&self, plan: &Plan, out: &mut impl Write) -> io::Result<()> {
        stream::write(&self.manifests, plan, out)
    }

    /// Returns a plan of this version as the YAML stream for Argo CD.
    pub fn text(&self, plan: &Plan) -> String {
        let mut out = Vec::new();
        // Writing to a vector cannot fail, and manifests are UTF-8.
        let _ = self.write(plan, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }
}

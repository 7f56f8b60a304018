//! One version of an Application: its manifests with their settings. Plans and writes them.
//!
//! The plugin is asked for one source at a time. What Argo CD syncs are the manifests of all sources together, which [`Version::joined`] makes.

use std::io::{self, Write};
use std::path::PathBuf;

use kube_jobs::argocd::{Application, BrokenSet};

use crate::manifest::Manifest;
use crate::plan::{self, Plan, Problem};
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
    /// The further sources, whose manifests come after those of the first one.
    pub further: Vec<FurtherSource>,
}

/// A source of an Application after the first one.
#[derive(Clone, Debug)]
pub struct FurtherSource {
    /// The index of its first manifest.
    pub first: usize,
    /// The directory, as messages name it.
    pub shown_as: PathBuf,
    /// The settings of all layers above the Jobs.
    pub layers: Layers,
    /// The settings of the source as a whole.
    pub settings: ApplicationSettings,
}

impl Version {
    /// A version of these manifests, without settings.
    pub fn of(manifests: Vec<Manifest>) -> Self {
        Self { manifests, ..Self::default() }
    }

    /// One version of all sources of an Application, in their order. Empty for no source.
    pub fn joined(sources: impl IntoIterator<Item = Self>) -> Self {
        let mut sources = sources.into_iter();
        let mut joined = sources.next().unwrap_or_default();
        for source in sources {
            let Self { shown_as, manifests, layers, settings, application, further } = source;
            let first = joined.manifests.len();
            joined.application.may_have_more |= application.may_have_more;
            let broken = application.broken_sets.into_iter();
            let broken = broken.map(|set| BrokenSet { manifest: first + set.manifest, ..set });
            joined.application.broken_sets.extend(broken);
            joined.further.push(FurtherSource { first, shown_as, layers, settings });
            joined.further.extend(further.into_iter().map(|one| FurtherSource { first: first + one.first, ..one }));
            joined.manifests.extend(manifests);
        }
        joined
    }

    /// This version as it would be with the plugin. `None` if the plugin is in use already, or if a setting for Jobs is invalid.
    pub fn with_plugin(&self) -> Option<Self> {
        let mut with = self.clone();
        let further = with.further.iter_mut().map(|one| (&mut one.layers, &mut one.settings));
        let mut is_without = false;
        for (layers, settings) in [(&mut with.layers, &mut with.settings)].into_iter().chain(further) {
            if let Some(changed) = layers.with_plugin().cloned() {
                *settings = changed.application();
                *layers = changed;
                is_without = true;
            }
        }
        is_without.then_some(with)
    }

    /// What [`plan::plan`] is asked about each source.
    pub fn requests(&self) -> impl Iterator<Item = plan::Request<'_>> {
        let first = (0, &self.shown_as, &self.layers, &self.settings);
        let further = self.further.iter().map(|one| (one.first, &one.shown_as, &one.layers, &one.settings));
        let ends = self.further.iter().map(|one| one.first).chain([self.manifests.len()]);
        let sources = [first].into_iter().chain(further).zip(ends);
        sources.map(|((start, shown_as, layers, settings), end)| plan::Request {
            shown_as,
            manifests: &self.manifests[start..end],
            settings: layers,
            application: &self.application,
            output: &settings.output,
            together: None,
        })
    }

    /// Rewrites the Jobs. Returns the YAML stream for Argo CD, or all problems of the input.
    pub fn rewrite(&self) -> Result<String, Vec<Problem>> {
        Ok(self.text(&self.plan()?))
    }

    /// Plans the output. Fails with all problems of the input: at most one syntax error for each manifest, and all refusals.
    pub fn plan(&self) -> Result<Plan, Vec<Problem>> {
        let mut whole = Plan::default();
        let mut problems = Vec::new();
        for request in self.requests() {
            match plan::plan(&request) {
                Ok(plan) => whole.absorb(plan),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(whole) } else { Err(problems) }
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

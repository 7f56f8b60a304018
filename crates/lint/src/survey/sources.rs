//! The sources of the Application whose objects a survey has, with their settings.

use rewrite::settings::{Layers, Output, PluginUse, Trigger};

use super::Survey;

/// The settings of a source of the Application.
#[derive(Clone, Copy, Debug)]
pub struct SourceSettings<'s> {
    /// The index of its first manifest.
    pub(super) first: usize,
    /// The settings of all layers above the Jobs.
    pub layers: &'s Layers,
    /// The settings for its output as a whole.
    pub output: &'s Output,
}

impl SourceSettings<'_> {
    /// Whether `generate` writes the trigger ConfigMap for it if the name of the Application is known.
    pub fn has_trigger(&self) -> bool {
        self.output.trigger == Trigger::Yes
    }
}

impl<'s> Survey<'s> {
    /// The number of the source with this manifest; 0 is the first one.
    pub fn source_number(&self, manifest: usize) -> usize {
        self.sources.partition_point(|source| source.first <= manifest).saturating_sub(1)
    }

    /// The source with this manifest.
    pub fn source_at(&self, manifest: usize) -> &SourceSettings<'s> {
        &self.sources[self.source_number(manifest)]
    }

    /// The source of an object; the first one for an object that `generate` adds.
    pub fn source(&self, object: usize) -> &SourceSettings<'s> {
        self.source_at(self.objects[object].address.map_or(0, |address| address.manifest))
    }

    /// Whether the plugin rewrites the Jobs of a source, or may.
    pub fn plugin(&self) -> PluginUse {
        let all = || self.sources.iter().map(|source| source.layers.plugin());
        all().find(|plugin| *plugin == PluginUse::Used).or_else(|| all().next()).unwrap_or(PluginUse::AsWritten)
    }
}

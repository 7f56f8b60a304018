//! The results of planning documents.

use goyaml::edit::EditKind;
use text::Span;

use super::trigger::Hook;
use super::{JobPlan, Problem};

/// The new text of a piece of a manifest.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The index of the manifest, and the piece.
    pub place: (usize, Span),
    /// The new text of the piece.
    pub text: String,
    /// How the text was made.
    pub kind: EditKind,
}

/// The results of planning the documents of one batch, or of all batches.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number of objects. A list counts as one.
    pub(super) objects: usize,
    /// The plans of the Jobs.
    pub(super) jobs: Vec<JobPlan>,
    /// The hooks other than Jobs that the trigger counts.
    pub(super) hooks: Vec<Hook>,
    pub(super) rewrites: Vec<Rewrite>,
    pub(super) problems: Vec<Problem>,
    /// The documents that contain the trigger of an earlier run.
    pub(super) triggers: Vec<(usize, Span)>,
    /// The documents with roles.
    pub(super) roles: Vec<(usize, Span)>,
}

impl Found {
    /// The number of objects, and of everything else.
    pub(super) fn counts(&self) -> (usize, usize) {
        let Self { objects, jobs, hooks, rewrites, problems, triggers, roles } = self;
        let rest = [jobs.len(), hooks.len(), rewrites.len(), problems.len(), triggers.len(), roles.len()];
        (*objects, rest.into_iter().sum())
    }

    /// Adds the results of later documents.
    pub(super) fn absorb(&mut self, later: Self) {
        let Self { objects, jobs, hooks, rewrites, problems, triggers, roles } = later;
        self.objects += objects;
        self.jobs.extend(jobs);
        self.hooks.extend(hooks);
        self.rewrites.extend(rewrites);
        self.problems.extend(problems);
        self.triggers.extend(triggers);
        self.roles.extend(roles);
    }
}

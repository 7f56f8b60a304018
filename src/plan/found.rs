//! What planning finds in documents.

use super::trigger::Hook;
use super::{JobPlan, Problem};
use crate::text::Span;
use crate::yaml::edit::EditKind;

/// A piece of a manifest with its new text.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The index of the manifest, and the piece of it.
    pub place: (usize, Span),
    /// The new text of the piece.
    pub text: String,
    /// How the text was made.
    pub kind: EditKind,
}

/// What planning finds in documents, of one batch or of all of them.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number of objects, before lists are unpacked.
    pub(super) objects: usize,
    /// The plans of the Jobs.
    pub(super) jobs: Vec<JobPlan>,
    /// The other hooks that the trigger counts.
    pub(super) hooks: Vec<Hook>,
    pub(super) rewrites: Vec<Rewrite>,
    pub(super) problems: Vec<Problem>,
    /// Documents that are a trigger of an earlier run.
    pub(super) triggers: Vec<(usize, Span)>,
    /// Documents with roles.
    pub(super) roles: Vec<(usize, Span)>,
}

impl Found {
    /// Adds what was found in later documents.
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

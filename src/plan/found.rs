//! What planning finds in documents.

use super::names::Names;
use super::{JobPlan, Problem, Rewrite};
use crate::text::Span;

/// What planning finds in documents, of one batch or of all of them.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number of objects, before lists are unpacked.
    pub(super) objects: usize,
    /// The names of all Jobs.
    pub(super) names: Names,
    /// The plans of the Jobs, where they are kept.
    pub(super) jobs: Vec<JobPlan>,
    pub(super) rewrites: Vec<Rewrite>,
    pub(super) problems: Vec<Problem>,
    /// Documents that are a trigger of an earlier run.
    pub(super) triggers: Vec<(usize, Span)>,
    /// Documents with roles.
    pub(super) roles: Vec<(usize, Span)>,
}

impl Found {
    /// Gives back the memory that is not needed, before later documents are read.
    pub(super) fn shrink(&mut self) {
        self.names.shrink();
        self.jobs.shrink_to_fit();
        self.rewrites.shrink_to_fit();
    }

    /// Adds what was found in later documents.
    pub(super) fn absorb(&mut self, later: Self) {
        let Self { objects, names, jobs, rewrites, problems, triggers, roles } = later;
        self.objects += objects;
        self.names.absorb(names);
        self.jobs.extend(jobs);
        self.rewrites.extend(rewrites);
        self.problems.extend(problems);
        self.triggers.extend(triggers);
        self.roles.extend(roles);
    }
}

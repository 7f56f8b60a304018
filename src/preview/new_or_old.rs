//! The findings of a comparison: which of them are new, and which are about this sync.

use crate::finding::{Finding, Level};

/// A finding, and whether the old version does not have it.
#[derive(Clone, Debug)]
pub struct NewOrOld {
    /// The finding.
    pub finding: Finding,
    /// True when the old version does not have it.
    pub is_new: bool,
    /// True when it is about a Job that makes the sync fail, or that does not run although it should.
    pub is_due: bool,
    /// True when it is about a sync that waits for a Job, and the live Job has ended.
    pub is_over: bool,
}

impl NewOrOld {
    /// Whether it is about the next change of a Job, and not about this sync.
    pub fn is_later(&self) -> bool {
        self.finding.rule.id == "immutable-fields" && !self.is_due
    }

    /// Whether a comparison shows it: a new error or warning, and an old error about a Job that makes this sync fail.
    pub fn is_of_interest(&self) -> bool {
        let is_old_error = self.finding.level == Level::Error && self.is_due;
        is_old_error || self.is_new && self.finding.level >= Level::Warning && !self.is_over
    }
}

//! The errors of a template, and the limits of its work.

use std::cell::Cell;

/// Why a template fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// It uses a function, or a feature of the language, that is not implemented here; the text is its name.
    Function(String),
    /// Argo CD's controller fails, too; the text is the message.
    Failed(String),
    /// It exceeds one of our limits; the text says which.
    TooLarge(String),
}

pub(super) type Result<T> = std::result::Result<T, Error>;

/// The error of a template with which Argo CD's controller fails, too.
pub(super) fn failed<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Failed(message.into()))
}

/// The error of a template that exceeds one of our limits.
pub(super) fn too_large<T>(limit: impl Into<String>) -> Result<T> {
    Err(Error::TooLarge(limit.into()))
}

/// The error that `name` is not implemented. A function names the case that it does not cover, or nothing when it is
/// not implemented at all.
pub(super) fn unknown<T>(name: impl Into<String>) -> Result<T> {
    Err(Error::Function(name.into()))
}

/// The work that one template may do: a byte of text costs 1, an item of a list 32, a step 64. This limits the
/// memory, too.
const WORK: u64 = 32 << 20;

/// The work that all templates of a set may do together: a few seconds.
pub const WORK_OF_A_SET: u64 = 32 * WORK;

/// The maximum output of a template, in bytes.
pub(super) const OUTPUT: usize = 1 << 20;

/// The maximum depth of nested templates, values and expressions.
pub(super) const DEPTH: usize = 100;

/// Counts the work of a template.
pub(super) struct Work {
    left: Cell<u64>,
    allowed: u64,
}

impl Work {
    /// The work that one template may do when its set has `left`.
    pub(super) fn new(left: u64) -> Self {
        let allowed = left.min(WORK);
        Self { left: Cell::new(allowed), allowed }
    }

    pub(super) fn spent(&self) -> u64 {
        self.allowed - self.left.get()
    }

    pub(super) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Subtracts work; fails when not enough is left.
    pub(super) fn spend(&self, amount: usize) -> Result<()> {
        match self.left.get().checked_sub(amount as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.left.set(0);
                too_large("a template takes too much work")
            }
        }
    }

    /// Subtracts the work of one step.
    pub(super) fn step(&self) -> Result<()> {
        self.spend(64)
    }

    /// Subtracts the work for a text of `count` times `length` bytes, before the text is made.
    pub(super) fn text(&self, count: usize, length: usize) -> Result<()> {
        self.spend(count.saturating_mul(length))
    }
}

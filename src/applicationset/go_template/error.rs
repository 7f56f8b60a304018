//! Why a template prints nothing, and how much work one may take.

use std::cell::Cell;

/// Why a template prints nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::applicationset) enum Error {
    /// A function, or a detail of the language, that is not implemented here: its name.
    Function(String),
    /// Argo CD's controller fails too: the message.
    Failed(String),
    /// It takes or prints more than is allowed here: which of the limits.
    TooLarge(String),
}

pub(super) type Result<T> = std::result::Result<T, Error>;

/// A failure of Argo CD's controller too.
pub(super) fn failed<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Failed(message.into()))
}

/// What exceeds a limit of ours.
pub(super) fn too_large<T>(limit: impl Into<String>) -> Result<T> {
    Err(Error::TooLarge(limit.into()))
}

/// The error that `name` is not implemented here. A function names the case that it does not cover, or nothing if it is not implemented at all.
pub(super) fn unknown<T>(name: impl Into<String>) -> Result<T> {
    Err(Error::Function(name.into()))
}

/// The work that one template may take: a byte of text that it makes costs 1, an item of a list 32, a step 64. Memory follows from it.
const WORK: u64 = 32 << 20;

/// The work that all templates of a set may take together: some seconds.
pub(in crate::applicationset) const WORK_OF_A_SET: u64 = 32 * WORK;

/// What a template may print, in bytes.
pub(super) const OUTPUT: usize = 1 << 20;

/// How deep templates, values and expressions may be nested.
pub(super) const DEPTH: usize = 100;

/// How much work is left.
pub(super) struct Work {
    left: Cell<u64>,
    allowed: u64,
}

impl Work {
    /// What one template may take, when its set has `left`.
    pub(super) fn new(left: u64) -> Self {
        let allowed = left.min(WORK);
        Self { left: Cell::new(allowed), allowed }
    }

    pub(super) fn spent(&self) -> u64 {
        self.allowed - self.left.get()
    }

    /// Takes some of the work that is left.
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

    /// Takes the work of one step.
    pub(super) fn step(&self) -> Result<()> {
        self.spend(64)
    }

    /// Takes the work of a text of `count` times `length` bytes, before it is made.
    pub(super) fn text(&self, count: usize, length: usize) -> Result<()> {
        self.spend(count.saturating_mul(length))
    }
}

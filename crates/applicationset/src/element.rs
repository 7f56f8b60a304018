//! The elements that generators produce: each is a set of parameters.

use super::Parameters;

/// Where the parameters of an element come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// All parameters are known.
    Known,
    /// Some parameters are placeholders for those of a cluster.
    Assumed,
    /// The element stands for clusters that are unknown.
    Placeholder,
}

impl Origin {
    /// The origin of an element that is merged from two elements.
    pub(super) fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Assumed }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element {
    pub(super) parameters: Parameters,
    pub(super) origin: Origin,
}

impl Element {
    /// An element whose parameters are all known.
    pub(super) fn known(parameters: Parameters) -> Self {
        Self { parameters, origin: Origin::Known }
    }
}

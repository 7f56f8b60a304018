//! The elements that generators make: a set of parameters each.

use super::parameters::Parameters;

/// Where the parameters of an element come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// All are known.
    Known,
    /// Some are placeholders of a cluster's.
    Assumed,
    /// It stands for clusters that nobody named.
    Placeholder,
}

impl Origin {
    /// The origin of an element that is merged from two.
    pub(super) fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Assumed }
    }
}

/// An element.
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

//! An ApplicationSet for which Argo CD does not create all Applications.

/// One cause for which Argo CD makes none of the Applications of an ApplicationSet, or not all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenSet {
    /// The index of the manifest that has the ApplicationSet.
    pub manifest: usize,
    /// The byte of that manifest at which the ApplicationSet begins.
    pub offset: usize,
    /// The cause, nearly in the words of Argo CD, without control characters.
    pub cause: String,
    /// The number of elements that have it; 0 if a generator has it.
    pub elements: usize,
    /// Whether Argo CD makes none of the Applications, and not only those of the elements that have it.
    pub makes_nothing: bool,
}

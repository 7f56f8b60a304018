//! Compact parts of values: short texts, and lists and maps that clones share.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use compact_str::CompactString;

/// A text. Up to 24 bytes, as most texts have, are stored inline, without an allocation.
pub type Text = CompactString;

/// A value whose clones share its memory. Changing a clone copies the shared value first.
#[derive(Clone, Debug, Default)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Whether both share the same memory, and are therefore equal.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl<T: Clone + IntoIterator> IntoIterator for Shared<T> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;

    fn into_iter(self) -> T::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl<'s, T> IntoIterator for &'s Shared<T>
where
    &'s T: IntoIterator,
{
    type Item = <&'s T as IntoIterator>::Item;
    type IntoIter = <&'s T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.as_ref().into_iter()
    }
}

impl<'s, T: Clone> IntoIterator for &'s mut Shared<T>
where
    &'s mut T: IntoIterator,
{
    type Item = <&'s mut T as IntoIterator>::Item;
    type IntoIter = <&'s mut T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        Arc::make_mut(&mut self.0).into_iter()
    }
}

//! Paths into a value: keys of maps and items of lists.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Bound;

use super::quote::quote;
use super::shared::Text;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The entry of a map with this key.
    Key(Text),
    /// The item of a list, from 0.
    Item(usize),
}

/// The steps from a value to one inside it. The empty path is the value itself.
///
/// Displays as `spec.template.spec.containers[0].image`. A key that is not a plain word displays as `annotations["example.com/a"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Vec<Step>);

/// Makes a [`Path`](crate::Path) of texts, which are keys, and numbers, which are items: `path!["rules", 0, "verbs"]`.
#[macro_export]
macro_rules! path {
    ($($step:expr),* $(,)?) => {
        <$crate::Path as ::std::iter::FromIterator<$crate::Step>>::from_iter([
            $($crate::Step::from($step)),*
        ])
    };
}

impl Path {
    /// A path of keys.
    pub fn of_keys(keys: &[&str]) -> Self {
        keys.iter().copied().collect()
    }

    /// The steps, the outermost first.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The path, extended by one step.
    #[must_use]
    pub fn with(&self, step: impl Into<Step>) -> Self {
        self.0.iter().cloned().chain([step.into()]).collect()
    }

    /// The path, extended by another path.
    #[must_use]
    pub fn join(&self, rest: &Self) -> Self {
        self.0.iter().chain(&rest.0).cloned().collect()
    }

    /// Whether `key` is the first step of the path.
    pub fn is_below(&self, key: &str) -> bool {
        matches!(self.0.first(), Some(Step::Key(first)) if first == key)
    }
}

/// A set of paths that can be searched for overlaps.
#[derive(Clone, Debug, Default)]
pub struct PathSet(BTreeSet<Vec<Step>>);

impl PathSet {
    /// Adds a path.
    pub fn add(&mut self, path: Path) {
        self.0.insert(path.0);
    }

    /// Whether `path` equals, contains or lies inside a path of the set.
    pub fn leads_along(&self, path: &Path) -> bool {
        let steps = path.steps();
        // The set is sorted, so a path that begins with `path` comes directly after it.
        let mut from_here = self.0.range::<[Step], _>((Bound::Included(steps), Bound::Unbounded));
        let is_below = from_here.next().is_some_and(|next| next.starts_with(steps));
        is_below || (0..steps.len()).any(|end| self.0.contains(&steps[..end]))
    }
}

impl FromIterator<Path> for PathSet {
    fn from_iter<I: IntoIterator<Item = Path>>(paths: I) -> Self {
        Self(paths.into_iter().map(|path| path.0).collect())
    }
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.into())
    }
}

impl From<&String> for Step {
    fn from(key: &String) -> Self {
        Self::Key(key.into())
    }
}

impl From<&Text> for Step {
    fn from(key: &Text) -> Self {
        Self::Key(key.clone())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Item(index)
    }
}

impl<S: Into<Step>> FromIterator<S> for Path {
    fn from_iter<I: IntoIterator<Item = S>>(steps: I) -> Self {
        Self(steps.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Item(item) => write!(f, "[{item}]")?,
                Step::Key(key) if !is_word(key) => write!(f, "[{}]", quote(key))?,
                Step::Key(key) if index == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

fn is_word(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_in_brackets_and_odd_keys_in_quotes() {
        assert_eq!(path!["spec", "containers", 0, "image"].to_string(), "spec.containers[0].image");
        assert_eq!(path!["metadata", "annotations", "e.x/y"].to_string(), "metadata.annotations[\"e.x/y\"]");
        assert_eq!(path!["a", "0"].to_string(), "a.0");
        assert_eq!(path![].to_string(), "");
    }

    #[test]
    fn a_key_that_is_a_number_is_not_an_item() {
        assert_ne!(path!["a", "0"], path!["a", 0]);
        assert!(PathSet::from_iter([path!["a", 0]]).leads_along(&path!["a", 0, "b"]));
        assert!(!PathSet::from_iter([path!["a", "0"]]).leads_along(&path!["a", 0, "b"]));
    }

    #[test]
    fn a_set_of_paths_has_to_do_with_what_contains_one_and_with_what_is_in_one() {
        let set: PathSet = [path!["a", 1, "b"], path!["a", 1, "c"], path!["b"]].into_iter().collect();
        for path in [path![], path!["a"], path!["a", 1], path!["a", 1, "b"], path!["a", 1, "c", "d"], path!["b", 0]] {
            assert!(set.leads_along(&path), "{path}");
        }
        for path in [path!["a", 0], path!["a", 1, "a"], path!["a", 1, "bb"], path!["c"], path!["aa"]] {
            assert!(!set.leads_along(&path), "{path}");
        }
        let mut set = PathSet::default();
        assert!(!set.leads_along(&path![]));
        set.add(path!["a", "b"]);
        assert!(set.leads_along(&path!["a"]) && !set.leads_along(&path!["b"]));
    }
}

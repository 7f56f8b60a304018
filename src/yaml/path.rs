//! Where something is in a value: keys of maps and items of lists.

use std::fmt;

use super::quote::quote;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The entry of a map with this key.
    Key(String),
    /// The item of a list, from 0.
    Item(usize),
}

/// The steps from a value to one inside it. The empty path is the value itself.
///
/// Prints as `spec.template.spec.containers[0].image`, a key that is not a plain word as `annotations["example.com/a"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Vec<Step>);

/// The [`Path`](crate::yaml::Path) of these steps: texts are keys, numbers are items. `path!["rules", 0, "verbs"]`
#[macro_export]
macro_rules! path {
    ($($step:expr),* $(,)?) => {
        <$crate::yaml::Path as ::std::iter::FromIterator<$crate::yaml::Step>>::from_iter([
            $($crate::yaml::Step::from($step)),*
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

    /// The path one step further.
    #[must_use]
    pub fn with(&self, step: impl Into<Step>) -> Self {
        self.0.iter().cloned().chain([step.into()]).collect()
    }

    /// The path that continues with another one.
    #[must_use]
    pub fn join(&self, rest: &Self) -> Self {
        self.0.iter().chain(&rest.0).cloned().collect()
    }

    /// True when one of the two paths leads to what contains the other.
    pub fn is_along(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one == other)
    }

    /// True when the path begins with this key.
    pub fn is_below(&self, key: &str) -> bool {
        matches!(self.0.first(), Some(Step::Key(first)) if first == key)
    }
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<&String> for Step {
    fn from(key: &String) -> Self {
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
        assert!(path!["a"].is_along(&path!["a", 0]));
        assert!(!path!["a", "0"].is_along(&path!["a", 0, "b"]));
    }
}

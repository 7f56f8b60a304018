//! Flags whose value is one of a fixed list of words: an enum for each, so that the compiler names every place that has to know a new one.

use argocd_jobs::finding::Level;
use clap::ArgMatches;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};

/// Declares an enum and the words that users type for its variants; the first one is the default.
macro_rules! choice {
    ($(#[$about:meta])* $visible:vis $name:ident { $first:ident = $first_word:literal $(, $variant:ident = $word:literal)* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $visible enum $name {
            #[default]
            $first,
            $($variant,)*
        }

        impl clap::ValueEnum for $name {
            fn value_variants<'a>() -> &'a [Self] {
                &[Self::$first $(, Self::$variant)*]
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                Some(clap::builder::PossibleValue::new(match self {
                    Self::$first => $first_word,
                    $(Self::$variant => $word,)*
                }))
            }
        }
    };
}
pub(super) use choice;

choice! {
    /// When something is done that can be done always, never, or where it makes sense.
    pub(super) When { Auto = "auto", Always = "always", Never = "never" }
}

/// Parses the level of a finding.
pub(super) fn level() -> ValueParser {
    let words = PossibleValuesParser::new(Level::ALL.map(|level| PossibleValue::new(level.as_str())));
    words.try_map(|word| Level::parse(&word).ok_or("no such level")).into()
}

/// The value of a flag that has a default.
pub(super) fn value<T: Clone + Default + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> T {
    matches.get_one::<T>(id).cloned().unwrap_or_default()
}

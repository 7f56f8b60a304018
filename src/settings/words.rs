//! Values that are one of a fixed list of words: `strategy`, `hook`, `delete-policy`, `prune`, `source`, `network`, `true` and `false`.

use std::fmt;

use crate::argocd::{HookDeletePolicy, Phase};
use crate::strategy::{Prune, STRATEGIES, StrategyChoice};

/// A value that users write as one of a fixed list of words.
pub trait Word: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// All values.
    const ALL: &'static [Self];
    /// What users write for them, in the same order.
    const WORDS: &'static [&'static str];

    /// The value for which users write `word`.
    fn parse_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().zip(Self::ALL).find(|(known, _)| **known == word).map(|(_, value)| *value)
    }

    /// What users write for it.
    fn word(self) -> &'static str {
        Self::WORDS.iter().zip(Self::ALL).find(|(_, known)| **known == self).map_or("", |(word, _)| word)
    }
}

/// Declares values with their words: `ALL` and `as_str`, besides [`Word`].
macro_rules! choices {
    ($($(#[$about:meta])* $type:ident { $($(#[$meta:meta])* $value:ident = $word:literal,)* })*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type { $($(#[$meta])* $value,)* }

        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// What users write.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word,)* }
            }
        }

        impl Word for $type {
            const ALL: &'static [Self] = Self::ALL;
            const WORDS: &'static [&'static str] = &[$($word,)*];
        }
    )* };
}

choices! {
    /// `true` or `false`.
    Switch {
        /// `true`
        On = "true",
        /// `false`
        Off = "false",
    }
    /// How manifests are made from a directory.
    #[derive(Default)]
    SourceKind {
        /// As Argo CD would detect it.
        #[default]
        Auto = "auto",
        /// The files as they are.
        Directory = "directory",
        /// `kustomize build`.
        Kustomize = "kustomize",
        /// `helm template`.
        Helm = "helm",
    }
    /// What happens when a chart lacks dependencies.
    #[derive(Default)]
    HelmDependencies {
        /// `helm dependency build` gets them, as in Argo CD.
        #[default]
        Build = "build",
        /// It is an error.
        Vendored = "vendored",
    }
    /// Whether helm and kustomize may use the network.
    #[derive(Default)]
    Network {
        /// They may, as in Argo CD.
        #[default]
        Allow = "allow",
        /// They may not.
        Never = "never",
    }
}

/// Implements [`Word`] from the one list of the values that there is: `type, list, item => value, word`.
macro_rules! word {
    ($type:ty, $list:expr, $item:ident => $value:expr, $word:expr) => {
        impl Word for $type {
            const ALL: &'static [Self] = &{
                let mut values = [{
                    let $item = $list[0];
                    $value
                }; $list.len()];
                let mut index = 0;
                while index < values.len() {
                    let $item = $list[index];
                    values[index] = $value;
                    index += 1;
                }
                values
            };
            const WORDS: &'static [&'static str] = &{
                let mut words = [""; $list.len()];
                let mut index = 0;
                while index < words.len() {
                    let $item = $list[index];
                    words[index] = $word;
                    index += 1;
                }
                words
            };
        }
    };
}

word!(StrategyChoice, STRATEGIES, row => row.choice, row.id);
word!(Phase, Phase::ALL, phase => phase, phase.as_str());
word!(HookDeletePolicy, HookDeletePolicy::ALL, policy => policy, policy.as_str());
word!(Prune, Prune::ALL, prune => prune, prune.as_str());

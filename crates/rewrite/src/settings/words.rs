//! Parameters whose value is one word of a fixed list: `strategy`, `hook`, `delete-policy`, `prune`, `source`,
//! `network`, `true` and `false`.

use std::fmt;

use kube_jobs::argocd::{HookDeletePolicy, Phase};

use crate::strategy::{Prune, STRATEGIES, StrategyChoice};

/// A value that users write as one word of a fixed list.
pub trait Word: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// All values.
    const ALL: &'static [Self];
    /// The word for each value, in the order of `ALL`.
    const WORDS: &'static [&'static str];

    /// The value that has this word; `None` for an unknown word.
    fn parse_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().zip(Self::ALL).find(|(known, _)| **known == word).map(|(_, value)| *value)
    }

    /// The word that users write for the value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().zip(Self::ALL).find(|(_, known)| **known == self).map_or("", |(word, _)| word)
    }
}

/// Declares an enum with a word for each variant, and gives it `ALL` and `as_str` besides [`Word`].
macro_rules! choices {
    ($($(#[$about:meta])* $type:ident { $($(#[$meta:meta])* $value:ident = $word:literal,)* })*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type { $($(#[$meta])* $value,)* }

        impl $type {
            /// All variants, in the order of the documents.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// The word that users write.
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
    /// Which tool renders a source, if any.
    #[derive(Default)]
    SourceKind {
        /// Detected from the files of the source, as Argo CD does it.
        #[default]
        Auto = "auto",
        /// The manifests in the files of a directory, as they are.
        Directory = "directory",
        /// Rendered with `kustomize build`.
        Kustomize = "kustomize",
        /// Rendered with `helm template`.
        Helm = "helm",
    }
    /// What happens when dependencies of a chart are missing from its folder `charts`.
    #[derive(Default)]
    HelmDependencies {
        /// `helm dependency build` downloads them, as in Argo CD.
        #[default]
        Build = "build",
        /// A missing dependency is an error.
        Vendored = "vendored",
    }
    /// Whether helm and kustomize may use the network.
    #[derive(Default)]
    Network {
        /// Both may use it, as in Argo CD.
        #[default]
        Allow = "allow",
        /// Neither may use it.
        Never = "never",
    }
}

/// Implements [`Word`] from an existing list of values: `type, list, item => value, word`.
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

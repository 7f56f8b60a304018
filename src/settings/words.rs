//! Values that are one of a fixed list of words: `strategy`, `hook`, `delete-policy`, `prune`, `source`, `network`, `true` and `false`.

use std::fmt;

use super::application::SourceKind;
use super::rendering::{HelmDependencies, Network};
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

/// `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// `true`
    On,
    /// `false`
    Off,
}

impl Switch {
    /// Both.
    pub const ALL: [Self; 2] = [Self::On, Self::Off];

    /// What users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "true",
            Self::Off => "false",
        }
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
word!(SourceKind, SourceKind::ALL, kind => kind, kind.as_str());
word!(HelmDependencies, HelmDependencies::ALL, choice => choice, choice.as_str());
word!(Network, Network::ALL, choice => choice, choice.as_str());
word!(Switch, Switch::ALL, switch => switch, switch.as_str());

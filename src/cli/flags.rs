//! Flags and arguments that several subcommands have, and the parts that all flags are made of.

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, ArgMatches, ValueEnum, ValueHint};

/// A flag with a value.
pub(super) fn flag(name: &'static str, value_name: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value_name)
}

/// A flag without a value.
pub(super) fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// A flag whose value is one of the words of `T`.
pub(super) fn one_of<T: ValueEnum + Clone + Send + Sync + 'static>(
    name: &'static str,
    value_name: &'static str,
    default: &'static str,
) -> Arg {
    flag(name, value_name).default_value(default).value_parser(EnumValueParser::<T>::new())
}

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

/// The value of a flag that has a default.
pub(super) fn value<T: Clone + Default + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> T {
    matches.get_one::<T>(id).cloned().unwrap_or_default()
}

/// When text is coloured.
pub(super) fn color() -> Arg {
    one_of::<When>("color", "WHEN", "auto")
        .help("When to colour the text; `auto`: on a terminal, unless NO_COLOR is set")
}

/// Another version of the manifests.
pub(super) fn base(help: &'static str) -> Arg {
    flag("base", "DIR|REV|FILE").help(help).allow_hyphen_values(true)
}

/// The name of the flag that says whether the plugin rewrites the Jobs.
pub(super) const PLUGIN: &str = "plugin";

/// The flag that reads the folders that no Application uses, too.
pub(super) const UNUSED: &str = "unused";

/// The flag that asks for all sources to be checked.
pub(super) const REQUIRE_COVERAGE: &str = "require-coverage";

/// The flag `--plugin`.
pub(super) fn plugin() -> Arg {
    flag(PLUGIN, "true|false")
        .help("Show all Jobs with the plugin, or without it; by default as Argo CD applies them today")
        .long_help(
            "Show all Jobs with the plugin, or with `--plugin=false` without it. By default each Job is shown as Argo CD applies it today: its Application says \
             whether it uses the plugin. Where no Application is known, a `.argocd-jobs.yaml`, an annotation `argocd-jobs/*`, and a variable or a flag for Jobs \
             say that it does; with --base only the files of the base count, so that a change cannot choose",
        )
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("true")
        .value_parser(clap::value_parser!(bool))
}

/// The places of the manifests of several sources.
pub(super) fn paths() -> Arg {
    Arg::new("PATH")
        .help("Source directories, manifest files, or a directory in which all sources are found; `-` reads standard input")
        .value_hint(ValueHint::AnyPath)
        .action(ArgAction::Append)
        .num_args(0..)
        .default_value(".")
}

/// The place of the manifests of one source.
pub(super) fn source() -> Arg {
    Arg::new("DIR")
        .help("The Application's source directory, or a file with manifests; `-` reads standard input")
        .value_hint(ValueHint::AnyPath)
        .default_value(".")
}

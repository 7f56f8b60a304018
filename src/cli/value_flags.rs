//! The flags for the values of a chart, as `helm` has them.

use anyhow::{Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use deployment::VALUES_SET;
use deployment::value_flags::{SET_VALUE, TypedValues, VALUES};
use text::Message;

use super::flags::flag;
use super::help;

/// The flags.
pub(super) fn flags() -> [Arg; 2] {
    let values = flag(VALUES, "FILE")
        .help("A value file, as with `helm --values`; may be repeated")
        .long_help(
            "A value file, as with `helm --values`: a path from the working directory into the repository, or a URL. May be repeated; the \
             last file wins. Sets the parameter `helm-value-files`, whose paths are relative to the chart.",
        )
        .value_hint(ValueHint::FilePath)
        .conflicts_with("helm-value-files");
    let set_value = flag(SET_VALUE, "NAME=VALUE")
        .help("A single value, as with `helm --set`; may be repeated")
        .long_help(
            "A single value, as with `helm --set`; may be repeated. Sets the parameter `helm-parameters`. A comma in VALUE is part of the \
             value, as in an Application.",
        )
        .conflicts_with("helm-parameters");
    [values, set_value].map(|flag| flag.allow_hyphen_values(true).action(ArgAction::Append).help_heading(help::HELM))
}

/// Takes these flags from the matches of a subcommand.
pub(super) fn of(matches: &ArgMatches) -> Result<TypedValues> {
    let all = |id| matches.get_many::<String>(id).into_iter().flatten();
    let values = all(SET_VALUE).map(|pair| single_value(pair)).collect::<Result<_>>()?;
    Ok(TypedValues { files: all(VALUES).cloned().collect(), values })
}

fn single_value(pair: &str) -> Result<(String, String)> {
    let split = pair.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = split.ok_or_else(|| {
        let message = Message::new(format!("flag `--{SET_VALUE}`: invalid value `{pair}`, expected `NAME=VALUE`"));
        anyhow!(message)
    })?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The flag for more value sets of a chart.
pub(super) fn values_set() -> Arg {
    flag(VALUES_SET, "GLOB")
        .help("Value files that each make one more value set of a chart; may be repeated")
        .long_help(
            "Value files that each make one more value set of a chart: a path or a glob from the working directory, in the repository. May \
             be repeated. Without `--values`, `check` renders a chart that no Application names once with each of its value sets: its own \
             values, `values-*.yaml`, `ci/*-values.yaml`, examples, and these. A file in the folder of a chart is for that chart, any other \
             for each chart.",
        )
        .value_hint(ValueHint::FilePath)
        .action(ArgAction::Append)
        .conflicts_with_all(["application", "values", "set-value"])
        .help_heading(help::HELM)
}

//! The command line: what can be typed. One flag for each parameter comes from the table of parameters.

use std::path::PathBuf;

use argocd_jobs::finding::Level;
use argocd_jobs::golden;
use argocd_jobs::settings::parameter::{Parameter, Position, ValueType};
use argocd_jobs::settings::{CliParameter, Error, ErrorKind, Provenance};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;

/// The command line as clap knows it, with the flag that `test` puts before the arguments of a case.
pub(crate) fn command() -> Command {
    typed_command().arg(Arg::new(golden::IN_A_CASE).long(golden::IN_A_CASE).hide(true).action(ArgAction::SetTrue))
}

/// The command line as people type it.
fn typed_command() -> Command {
    Command::new("argocd-jobs")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Makes Kubernetes Jobs work under Argo CD")
        .long_about(
            "Makes Kubernetes Jobs work under Argo CD.\n\n\
             Many fields of a Job are immutable, so the first change of an image ends in `field is immutable`. This program \
             rewrites the Jobs of an Application so that they can be applied again and again, and leaves every other byte as it was.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands([generate(), preview(), check(), explain(), test(), parameters(), discover(), schema(), completions()])
}

fn generate() -> Command {
    Command::new("generate")
        .about("Print the manifests as a YAML stream in which every Job can be applied again")
        .after_help("Exit status: 0 done, 2 could not do it; then nothing is on standard output.")
        .arg(source())
        .args(settings_flags())
}

fn preview() -> Command {
    let diff = Arg::new("diff")
        .long("diff")
        .value_name("WHEN")
        .help("Show what the rewrite changes; `auto` does it when that is short")
        .default_value("auto")
        .value_parser(PossibleValuesParser::new(["auto", "always", "never"]));
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("How it is printed; markdown is for a comment on a pull request")
        .default_value("text")
        .value_parser(PossibleValuesParser::new(["text", "json", "markdown"]));
    let baseline = Arg::new("baseline")
        .long("baseline")
        .help("Print only the content hashes of all Jobs as they are, for `baseline` in the config file .argocd-jobs.yaml")
        .conflicts_with_all(["base", "format"])
        .action(ArgAction::SetTrue);
    let exit_code = Arg::new("exit-code")
        .long("exit-code")
        .help("With --base: end with status 1 when a Job is new, gone, changed, or runs again")
        .requires("base")
        .action(ArgAction::SetTrue);
    Command::new("preview")
        .about("Show what a sync will run: which Jobs, when and why, in which order, and what is changed in them")
        .after_help("Exit status: 0 done, 1 with --exit-code when something changes, 2 could not do it.")
        .arg(source())
        .args([
            format,
            baseline,
            base("Compare with another version: a directory, or a git revision of this one (`rev:NAME` is always a revision, `./NAME` a directory)"),
            exit_code,
            diff,
            color(),
        ])
        .args(settings_flags())
}

fn check() -> Command {
    let deny = Arg::new("deny")
        .long("deny")
        .value_name("LEVEL")
        .help("End with status 1 from findings of this level on")
        .default_value("error")
        .value_parser(PossibleValuesParser::new(Level::ALL.map(Level::as_str)));
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("What to print: `text` for people, `json` for programs, `sarif` for code scanning, `github` for GitHub Actions")
        .default_value("text")
        .value_parser(PossibleValuesParser::new(["text", "json", "sarif", "github"]));
    Command::new("check")
        .about("Find what is wrong or dangerous about the Jobs under Argo CD, as written and as `generate` makes them")
        .after_help("Exit status: 0 done, 1 found something of the level of --deny or above it, 2 could not do it; the same for every format.")
        .arg(source())
        .args([format, deny, base("Tell only what another version does not have: a directory, or a git revision of this one"), color()])
        .args(settings_flags())
}

fn explain() -> Command {
    Command::new("explain")
        .about("Print the long text of a finding or a strategy, or the list of them all")
        .arg(
            Arg::new("ID")
                .help("The id of a finding, as `check` prints it, or of a strategy; without one all are listed"),
        )
        .arg(color())
}

fn color() -> Arg {
    Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .help("Colour the text; `auto` does it on a terminal, where NO_COLOR is not set")
        .default_value("auto")
        .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
}

/// Another version of the manifests.
fn base(help: &'static str) -> Arg {
    Arg::new("base").long("base").value_name("DIR|REV").help(help).allow_hyphen_values(true)
}

/// Where the manifests are.
fn source() -> Arg {
    Arg::new("DIR")
        .help("The Application's source directory; `-` reads manifests from standard input")
        .value_hint(clap::ValueHint::DirPath)
        .default_value(".")
}

/// The flags that say settings, and where else they come from.
fn settings_flags() -> impl Iterator<Item = Arg> {
    let set = Arg::new("set")
        .long("set")
        .value_name("NAME=VALUE")
        .help("Set a parameter by its name; of several for one parameter the last one wins")
        .allow_hyphen_values(true)
        .action(ArgAction::Append);
    let application_parameters = Arg::new("application-parameters")
        .long("application-parameters")
        .help("Read ARGOCD_APP_PARAMETERS with `-` too, where it may be another plugin's")
        .action(ArgAction::SetTrue);
    flagged().map(flag).chain([set, application_parameters])
}

fn parameters() -> Command {
    Command::new("parameters")
        .about("Announce the parameters to Argo CD, with the values that hold when the Application sets none")
        .arg(directory())
}

fn discover() -> Command {
    Command::new("discover")
        .about("Print the name of the config file when the directory has one; the exit status is 0 either way")
        .arg(directory())
}

fn test() -> Command {
    Command::new("test")
        .about("Run golden-file tests: cases of manifests, each with the output that is expected")
        .long_about(
            "Run golden-file tests: cases of manifests, each with the output that is expected.\n\n\
             A case is a folder, at any depth below DIR:\n\
             \x20 in/           the manifests; the program runs here, as `argocd-jobs generate`\n\
             \x20 case          optional: lines `KEY=VALUE` for its environment; other arguments than `generate`; `< FILE`,\n\
             \x20               a file that is standard input, from this folder; comments behind `#`\n\
             \x20 stdout.yaml   what is printed, under any extension; missing means nothing\n\
             \x20 stderr.txt    the message; missing means none\n\
             \x20 status        the exit status; missing means 0",
        )
        .after_help("Exit status: 0 all as expected, 1 something differs, 2 could not do it.")
        .arg(
            Arg::new("DIR")
                .help("Where the cases are, at any depth")
                .value_hint(clap::ValueHint::DirPath)
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("filter")
                .long("filter")
                .value_name("TEXT")
                .help("Run only the cases that have this text in their path below DIR")
                .allow_hyphen_values(true),
        )
        .arg(
            Arg::new("update")
                .long("update")
                .help("Write what comes out as what is expected")
                .action(ArgAction::SetTrue),
        )
}

fn schema() -> Command {
    Command::new("schema").about("Print the JSON schema of the config file .argocd-jobs.yaml")
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print the completions for a shell")
        .arg(Arg::new("SHELL").help("For which shell").required(true).value_parser(value_parser!(Shell)))
}

fn directory() -> Arg {
    Arg::new("DIR")
        .help("The Application's source directory")
        .value_hint(clap::ValueHint::DirPath)
        .default_value(".")
        .value_parser(value_parser!(PathBuf))
}

/// The parameters that have a flag. A map is written with `--set`: `--baseline` prints one.
fn flagged() -> impl Iterator<Item = &'static Parameter> {
    Parameter::at(Position::Application).filter(|parameter| parameter.value_type != ValueType::Map)
}

fn flag(parameter: &'static Parameter) -> Arg {
    let arg = Arg::new(parameter.name).long(parameter.name).help(parameter.summary).action(ArgAction::Append);
    if parameter.value_type == ValueType::Switch {
        let arg = arg.num_args(0..=1).require_equals(true);
        return arg.default_missing_value("true").value_name("true|false");
    }
    arg.value_name("VALUE")
        .allow_hyphen_values(true)
        .long_help(format!("{}\nTakes {}", parameter.summary, parameter.expected))
}

/// The command line with the values that the table knows, for completions. The program itself reads them where it reads those of
/// all layers, so that a wrong one gets the same message everywhere.
pub(crate) fn command_with_values() -> Command {
    flagged()
        .fold(typed_command(), |command, parameter| {
            let known: &[&str] = match parameter.value_type {
                ValueType::Choice(known) | ValueType::CommaList(known) => known,
                ValueType::Switch => &["true", "false"],
                _ => return command,
            };
            command.mut_subcommands(|subcommand| {
                if subcommand.get_arguments().all(|arg| arg.get_id() != parameter.name) {
                    return subcommand;
                }
                subcommand.mut_arg(parameter.name, |arg| arg.value_parser(PossibleValuesParser::new(known)))
            })
        })
        .mut_subcommand("explain", |explain| {
            explain
                .mut_arg("ID", |arg| arg.value_parser(PossibleValuesParser::new(argocd_jobs::output::explain::ids())))
        })
}

/// The parameters that were typed, in their order.
pub(crate) fn typed(matches: &ArgMatches) -> Result<Vec<CliParameter>, Error> {
    let mut typed: Vec<(usize, CliParameter)> = Vec::new();
    for name in flagged().map(|parameter| parameter.name) {
        for (index, value) in occurrences(matches, name) {
            typed.push((index, CliParameter { name: name.to_owned(), written: format!("--{name}"), value }));
        }
    }
    for (index, pair) in occurrences(matches, "set") {
        let Some((name, value)) = pair.split_once('=') else {
            let wrong = ErrorKind::Value { value: pair, expected: "`NAME=VALUE`", nearest: None };
            return Err(Error::new(Provenance::CommandLine("--set".to_owned()), wrong));
        };
        typed.push((index, CliParameter { name: name.to_owned(), written: name.to_owned(), value: value.to_owned() }));
    }
    typed.sort_by_key(|(index, _)| *index);
    Ok(typed.into_iter().map(|(_, typed)| typed).collect())
}

fn occurrences(matches: &ArgMatches, id: &str) -> Vec<(usize, String)> {
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<String>(id).into_iter().flatten();
    indices.zip(values.cloned()).collect()
}

//! `argocd-jobs preview`

pub(super) mod adopt;
mod arguments;
mod live;
mod report;

use anyhow::Result;
use clap::{ArgMatches, Command};
use deployment::{Environment, sources};

use super::flags::{self, When, one_of, switch};
use super::status::Status;
use super::{help, typed_settings};
use crate::cli::application_flags;
pub(super) use arguments::{Arguments, Format};
pub(super) use report::print;

/// The arguments of `preview`.
pub(super) fn command() -> Command {
    let diff =
        one_of::<When>("diff", "WHEN", "auto").help("When to show the diff of the rewrite; `auto`: if it is short");
    let format = one_of::<Format>("format", "FORMAT", "text")
        .help("Output format; `markdown` is for a comment on a pull request");
    let [live, now] = live::flags();
    let exit_code = switch("exit-code")
        .help("With --base: exit with status 3 if nothing is wrong, but a Job is added, removed, changed or will run again, what it uses has changed, or not all Jobs are known")
        .requires("base");
    let all = switch("all").help("List every Job and every finding, without grouping or shortening");
    Command::new("preview")
        .about("Show what a sync will run: which Jobs, when, why and in which order, and what the plugin changes in them")
        .after_help(help::examples(
            &[
                ("See what the next sync runs, when and in which order", "argocd-jobs preview deploy/shop"),
                ("See which Jobs a branch runs again, and why", "argocd-jobs preview deploy/shop --base origin/main"),
                ("The same for the whole repository, as a comment", "argocd-jobs preview . --base origin/main --format markdown"),
                ("See what a sync now does, given the Jobs in the cluster", "kubectl get jobs -n shop -o json | argocd-jobs preview deploy/shop --live -"),
            ],
            "Exit status: 0 success, 1 with --base if the sync fails or there is a new error, or with --live if the sync fails or a hook is lost, 2 error, 3 with --exit-code if nothing is wrong and something changes.",
        ))
        .arg(flags::paths())
        .args([
            flags::plugin(),
            format,
            flags::base("Compare with another version: a directory, a file or a Git revision (`rev:NAME` is always a revision, `./NAME` always a path)"),
            exit_code,
            live,
            now,
            diff,
            all,
            flags::color(),
        ])
        .args(application_flags::flags())
        .args(application_flags::search_flags())
        .args(typed_settings::flags())
}

/// Prints what a sync will run, of one source or several, of one version or against another one.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let typed = Arguments::of(matches, environment)?;
    if let Some(file) = matches.get_one::<String>("live") {
        typed.refuse_formats("live", &[Format::Markdown], "use `--format text` or `json`")?;
        return live::run(&sources::only(&typed.run, "--live")?, file, matches, &typed);
    }
    report::run(sources::of(&typed.run)?, &typed)
}

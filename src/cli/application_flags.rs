//! The flags of Applications: which ones are read, and what they refer to.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ValueHint, value_parser};

use super::flags::{REQUIRE_COVERAGE, UNUSED, flag, switch};

/// The heading of the flags in the help.
const HEADING: &str = "Applications";

/// The flags of Applications.
pub(crate) fn flags() -> [Arg; 4] {
    let several = |name: &'static str, value: &'static str| flag(name, value).action(ArgAction::Append);
    [
        several("application", "FILE|DIR")
            .value_hint(ValueHint::AnyPath)
            .help("Read the sources of the Applications in this file or directory, as the Applications configure them"),
        several("repository-url", "URL")
            .help("Use this `repoURL` for the checkout, instead of that of its remote `origin`")
            .hide_short_help(true),
        several("repo", "URL=DIR")
            .value_hint(ValueHint::DirPath)
            .help("A checkout of another repository that Applications name")
            .hide_short_help(true),
        flag("argocd-namespace", "NAME")
            .hide_short_help(true)
            .help("Namespace of Argo CD; Applications in other namespaces are named `<namespace>_<name>`"),
    ]
    .map(|flag| flag.help_heading(HEADING))
}

/// The flags of subcommands that look for Applications.
pub(crate) fn search_flags() -> [Arg; 4] {
    [
        flag("branch", "NAME")
            .hide_short_help(true)
            .help("The branch that the change is merged into; by default what the CI system says. With `--base`, an Application at another revision is left out, unless that is a tag in this clone"),
        flag("clusters", "FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
            .help("The clusters for ApplicationSets: their Secrets, or what `argocd cluster list -o json` prints; by default the Secrets in the checkout"),
        switch(UNUSED).help("Read the folders that no Application uses, too"),
        switch(REQUIRE_COVERAGE)
            .hide_short_help(true)
            .help("Exit with status 1 if an Application is not checked"),
    ]
    .map(|flag| flag.help_heading(HEADING))
}

//! What a run is asked: the arguments that every subcommand that reads manifests has.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use kube_jobs::argocd::TargetBranch;
use rewrite::settings::{CliParameter, RawLayers};
use system::canonical;
use text::Message;

use crate::environment::Environment;
use crate::notes::Notes;
use crate::typed_settings::TypedSettings;

/// The variables in which CI systems say into which branch a pull request is merged: of GitHub, GitLab, Bitbucket, Buildkite and Azure DevOps.
const BRANCHES: [&str; 5] = [
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
];

/// The flag for more value sets of a chart.
pub const VALUES_SET: &str = "values-set";

/// One run of a subcommand that reads manifests: its arguments, and where it runs.
#[derive(Clone, Default)]
pub struct Run {
    /// The directories and files, as they were typed; `-` is standard input. Without any, the working directory.
    pub paths: Vec<String>,
    /// Whether a path was typed.
    pub has_path: bool,
    /// What `--base` names.
    pub base: Option<String>,
    /// What the other version is called, where it has no name of its own.
    pub base_called: Option<String>,
    /// The files and directories of `--application`; none without the flag.
    pub applications: Option<Vec<PathBuf>>,
    /// The values of `--repository-url`.
    pub repository_urls: Vec<String>,
    /// The values of `--repo`.
    pub repositories: Vec<String>,
    /// The value of `--argocd-namespace`.
    pub argocd_namespace: Option<String>,
    /// Whether `--unused` is set.
    pub unused: bool,
    /// The value of `--branch`.
    pub branch: Option<String>,
    /// The value of `--clusters`.
    pub clusters: Option<PathBuf>,
    /// Whether `--require-coverage` is set.
    pub requires_coverage: bool,
    /// Whether `--as-written` is set.
    pub as_written: bool,
    /// The values of `--values-set`.
    pub value_sets: Vec<String>,
    /// The settings.
    pub settings: TypedSettings,
    /// The environment of the program.
    pub environment: Environment,
}

impl Run {
    /// An error if the command line sets a parameter of Jobs together with `--as-written`, which ignores it.
    pub fn check_as_written(&self) -> Result<()> {
        if self.as_written { self.settings.refuse_those_of_jobs("`--as-written` ignores the plugin") } else { Ok(()) }
    }

    /// Whether what is typed is one source: in Argo CD, and where somebody says what it is.
    pub fn is_told(&self) -> bool {
        self.environment.get("ARGOCD_APP_NAME").is_some() || self.settings.describe_a_source()
    }

    /// Whether charts are rendered once with each of their value sets: in `check`, unless somebody says which values they have.
    pub fn renders_value_sets(&self) -> bool {
        self.environment.subcommand == "check" && self.applications.is_none() && !self.is_told()
    }

    /// An error for `--values-set` together with a flag that says which values the only source has.
    pub fn check_value_sets(&self) -> Result<()> {
        if self.value_sets.is_empty() || self.renders_value_sets() {
            return Ok(());
        }
        let message = Message::new(format!(
            "`--{}` has no effect beside a setting that says how the chart is rendered, such as `--values`",
            VALUES_SET
        ));
        Err(anyhow!(message.help("leave out `--values-set`, or that setting")))
    }

    /// The branch that a change is merged into: that of `--branch`, or the target of the pull request that a CI system says.
    pub fn target_branch(&self) -> TargetBranch {
        let of_ci = || BRANCHES.iter().find_map(|name| self.environment.get(name));
        let name = self.branch.clone().or_else(of_ci);
        let name = name.map(|name| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned());
        name.map_or(TargetBranch::Unknown, TargetBranch::Named)
    }

    /// A copy of this run with empty notes, for one of several threads.
    pub(crate) fn with_own_notes(&self) -> Self {
        let mut own = self.clone();
        own.environment.notes = Notes::default();
        own
    }

    /// The value of `--base`, unless it is standard input.
    pub fn base_on_disk(&self) -> Option<&str> {
        self.base.as_deref().filter(|named| *named != "-")
    }

    /// What the other version is called.
    pub fn base_name(&self) -> &str {
        let named = self.base_called.as_deref().or(self.base.as_deref());
        named.map_or("", |named| if named == "-" { "<stdin>" } else { named })
    }

    /// The root of the checkout of `--application`: that of the working directory, or else that of the first file. A case is its own checkout.
    pub fn root_of_applications(&self, named: &[PathBuf]) -> Result<PathBuf> {
        let here = canonical(".")?;
        if self.environment.in_a_case {
            return Ok(here);
        }
        let own = checkout::repository_root(&here)?;
        let other = named.first().and_then(|path| checkout_around(path)).filter(|_| !is_checkout(&own));
        Ok(other.unwrap_or(own))
    }

    /// The root of the checkout that a path is in, which can be in a folder of another one; or else that of the working directory.
    pub fn checkout_root(&self, path: &Path) -> Result<PathBuf> {
        let own = checkout_around(path).filter(|_| !self.environment.in_a_case);
        own.map_or_else(|| self.root_of_applications(&[]), Ok)
    }

    /// The layers of settings above a source, without its config file: the environment, the parameters of the Application, and `typed`.
    pub fn layers<'r>(&'r self, typed: &'r [CliParameter]) -> RawLayers<'r> {
        RawLayers {
            environment: &self.environment.variables,
            application_parameters: RawLayers::application_parameters_in(&self.environment.variables),
            command_line: typed,
            in_a_case: self.environment.in_a_case,
            as_written: self.as_written,
            ..RawLayers::default()
        }
    }

    /// Whether the last `--strategy` is `keep`, which asks what happens without the plugin: Argo CD then does not read the config file, so the
    /// file must not say which files are read. Always false for `generate`, which is the plugin.
    pub fn is_without_plugin(&self) -> bool {
        self.environment.subcommand != "generate" && self.settings.last("strategy").is_some_and(|last| last == "keep")
    }
}

/// The root of the checkout that a path is in; `None` if it is in no checkout.
fn checkout_around(path: &Path) -> Option<PathBuf> {
    let real = canonical(path).ok()?;
    let root = checkout::repository_root(if real.is_dir() { &real } else { real.parent()? }).ok()?;
    is_checkout(&root).then_some(root)
}

/// Whether a directory is the root of a checkout.
pub(crate) fn is_checkout(dir: &Path) -> bool {
    dir.join(".git").exists()
}

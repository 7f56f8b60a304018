//! What a run is asked: the arguments that every subcommand that reads manifests has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use kube_jobs::argocd::TargetBranch;
use rewrite::settings::{CliParameter, PluginUse, RawLayers, WithPlugin};
use source::Input;
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

/// How the variables begin in which Argo CD names the Application to a plugin.
const OF_APPLICATION: &str = "ARGOCD_APP_";

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
    /// The value of `--plugin`: whether the plugin rewrites the Jobs of every source. `None`: of each source as Argo CD does today.
    pub plugin: Option<bool>,
    /// The values of `--values-set`.
    pub value_sets: Vec<String>,
    /// The settings.
    pub settings: TypedSettings,
    /// The environment of the program.
    pub environment: Environment,
}

impl Run {
    /// An error if the command line sets a parameter of Jobs together with `--plugin=false`, which ignores it.
    pub fn check_plugin(&self) -> Result<()> {
        match self.plugin {
            Some(false) => self.settings.refuse_those_of_jobs("`--plugin=false` is without the plugin"),
            _ => Ok(()),
        }
    }

    /// Whether the command line says that the plugin rewrites the Jobs of every source, or that it does not: with `--plugin`, or with a parameter of Jobs,
    /// which has no effect without the plugin. `None` if it says nothing.
    pub fn asks_for_the_plugin(&self) -> Option<bool> {
        self.plugin.or_else(|| self.settings.have_any_of_jobs().then_some(true))
    }

    /// Whether the plugin rewrites the Jobs of a source that no Application names. In Argo CD, which runs it for nothing else, it does.
    fn with_plugin(&self) -> WithPlugin {
        let is_in_argocd = || {
            let names_application =
                |(name, value): (&String, &String)| name.starts_with(OF_APPLICATION) && !value.is_empty();
            self.environment.subcommand == "generate" || self.environment.variables.iter().any(names_application)
        };
        match self.asks_for_the_plugin() {
            Some(false) => WithPlugin::No,
            None if !is_in_argocd() => WithPlugin::IfConfigured,
            _ => WithPlugin::Yes,
        }
    }

    /// A copy of this run in which the plugin rewrites the Jobs of every source, or of none.
    pub fn decided(&self, plugin: PluginUse) -> Self {
        Self { plugin: Some(plugin == PluginUse::Used), ..self.clone() }
    }

    /// Whether the command line is about a single source: inside Argo CD, and if a flag or variable describes the source (`--values`, …).
    pub fn is_told(&self) -> bool {
        self.environment.get("ARGOCD_APP_NAME").is_some() || self.settings.describe_a_source()
    }

    /// Whether charts are rendered once with each of their value sets: in `check` and `preview`, unless somebody says which values they have.
    pub fn renders_value_sets(&self) -> bool {
        matches!(self.environment.subcommand.as_str(), "check" | "preview")
            && self.applications.is_none()
            && !self.is_told()
    }

    /// An error for `--values-set` together with a flag that says which values the only source has.
    pub fn check_value_sets(&self) -> Result<()> {
        if self.value_sets.is_empty() || self.renders_value_sets() {
            return Ok(());
        }
        let message = Message::new(format!(
            "`--{}` has no effect together with a setting that says how the chart is rendered, such as `--values`",
            VALUES_SET
        ));
        Err(anyhow!(message.help("leave out `--values-set`, or that setting")))
    }

    /// The branch that a change is merged into: that of `--branch`, or the target of the pull request that a CI system says. `tags` are those of the
    /// repository, which count if the branch is unknown.
    pub fn target_branch(&self, tags: Arc<BTreeSet<String>>) -> TargetBranch {
        let of_ci = || BRANCHES.iter().find_map(|name| self.environment.get(name));
        let name = self.branch.clone().or_else(of_ci);
        let name = name.map(|name| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned());
        name.map_or(TargetBranch::Unknown(tags), TargetBranch::Named)
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

    /// The folder that was typed, here or after `--base`, if a source on disk is in it, and is neither in a checkout nor the working directory or in it:
    /// what was named together belongs together.
    pub(crate) fn named_root(&self, input: &Input) -> Option<PathBuf> {
        let Input::Directory(dir) = input else { return None };
        let own = checkout::repository_root(dir).ok()?;
        let is_alone = canonical(dir).ok()? == own && canonical(".").ok()? != own;
        if self.environment.in_a_case || is_checkout(&own) || !is_alone {
            return None;
        }
        let named = self.paths.iter().map(String::as_str).chain(self.base_on_disk());
        named.filter_map(|path| canonical(path).ok()).find(|named| own.starts_with(named) && named.is_dir())
    }

    /// The layers of settings above a source, without its config file: the environment, the parameters of the Application, and `typed`.
    pub fn layers<'r>(&'r self, typed: &'r [CliParameter]) -> RawLayers<'r> {
        RawLayers {
            environment: &self.environment.variables,
            application_parameters: RawLayers::application_parameters_in(&self.environment.variables),
            command_line: typed,
            in_a_case: self.environment.in_a_case,
            with_plugin: self.with_plugin(),
            ..RawLayers::default()
        }
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

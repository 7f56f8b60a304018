//! The program's environment, and what Argo CD says in it.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkout::{Tools, clean};
use kube_jobs::argocd::Application;
use render::{Caller, Copies, Opened, Rendering};
use rewrite::settings::Network;
use source::{Input, Revisions, Surroundings};

use crate::notes::Notes;
use crate::paths::real;

/// The variables in which GitHub Actions and GitLab CI name the checkout.
const CHECKOUTS: [&str; 2] = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"];

/// The directory from which paths of files are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathsFrom {
    /// The working directory, so that a terminal or an editor finds the file.
    #[default]
    WorkingDirectory,
    /// The root of the checkout, which GitHub and GitLab name in a variable; without that variable, the working directory.
    Checkout,
}

/// The program's environment as it was at the start.
#[derive(Clone, Default)]
pub struct Environment {
    /// The variables.
    pub variables: BTreeMap<String, String>,
    /// True when `argocd-jobs test` started the program for a case, which then set the variables.
    pub in_a_case: bool,
    /// The subcommand that was typed.
    pub subcommand: String,
    /// The revisions that have been opened.
    pub revisions: Arc<Revisions>,
    /// The folders that tools may open.
    pub opened: Arc<Opened>,
    /// Copies of repositories that tools may write into.
    pub copies: Arc<Copies>,
    /// The directory from which paths are shown.
    pub paths_from: PathsFrom,
    /// What people should know about the run.
    pub notes: Notes,
    /// Programs that are used instead of the programs on PATH, by their names.
    pub programs: BTreeMap<&'static str, PathBuf>,
}

impl Environment {
    /// A variable that is set and not empty: Argo CD passes an unknown value as an empty one.
    pub fn get(&self, name: &str) -> Option<String> {
        self.variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    /// The Application, as Argo CD describes it to a plugin.
    pub fn application(&self) -> Application {
        Application {
            name: self.get("ARGOCD_APP_NAME"),
            namespace: self.get("ARGOCD_APP_NAMESPACE"),
            repo_url: self.get("ARGOCD_APP_SOURCE_REPO_URL"),
            revision: self.get("ARGOCD_APP_REVISION"),
            source_path: self.get("ARGOCD_APP_SOURCE_PATH"),
            target_revision: self.get("ARGOCD_APP_SOURCE_TARGET_REVISION"),
            project: self.get("ARGOCD_APP_PROJECT_NAME"),
            kube_version: self.get("KUBE_VERSION"),
            api_versions: self.get("KUBE_API_VERSIONS").map(api_versions).unwrap_or_default(),
            ..Application::default()
        }
    }

    /// The Application's path in its repository, to find the root. Not from a case: it could make a folder far above the root.
    pub fn path_in_repository(&self) -> Option<String> {
        self.get("ARGOCD_APP_SOURCE_PATH").filter(|_| !self.in_a_case)
    }

    /// The programs on the caller's PATH, and the programs that were named.
    pub fn tools(&self) -> Tools {
        Tools::of(&self.variables).with(self.programs.clone())
    }

    /// The path of a directory or file, as messages call it; empty for the directory from which paths are shown.
    pub fn shown_as(&self, path: &Path) -> PathBuf {
        let typed = clean(path);
        let (PathsFrom::Checkout, Ok(working_dir)) = (self.paths_from, env::current_dir()) else { return typed };
        let full = clean(&working_dir.join(&typed));
        let checkouts = CHECKOUTS.into_iter().filter_map(|variable| self.get(variable)).map(PathBuf::from);
        let checkout = checkouts.into_iter().find(|checkout| full.starts_with(checkout));
        full.strip_prefix(checkout.as_ref().unwrap_or(&working_dir)).map_or(typed, Path::to_owned)
    }

    /// What a source needs to know.
    pub fn surroundings(&self, input: &Input) -> Surroundings {
        let shown_as = match input {
            Input::Directory(path) | Input::File(path) | Input::Revision { dir: path, .. } => Some(self.shown_as(path)),
            Input::Stream(_) | Input::Files(_) => None,
        };
        Surroundings {
            shown_as,
            source_path: self.path_in_repository(),
            tools: self.tools(),
            rendering: self.rendering(),
            revisions: Arc::clone(&self.revisions),
            ..Surroundings::default()
        }
    }

    /// What rendering needs.
    pub fn rendering(&self) -> Rendering {
        Rendering {
            caller: Caller { subcommand: self.subcommand.clone(), is_argocd: self.is_argocd(), is_of_a_copy: false },
            // Without its own path it renders nothing, and says so.
            launcher: env::current_exe().ok(),
            offline: self.in_a_case,
            network: self.network(),
            // `generate` prints places only in errors, and must not become slower for it.
            is_examined: self.is_examined(),
            stubs: self.is_examined(),
            opened: Arc::clone(&self.opened),
            copies: Arc::clone(&self.copies),
            temporary: self.get("TMPDIR").map_or_else(env::temp_dir, PathBuf::from),
            application: self.application(),
            references: BTreeMap::new(),
            passed_on: Rendering::passed_on(&self.variables),
        }
    }

    /// The directory of the cache: where the user keeps caches, by an absolute path without symlinks.
    pub fn cache(&self) -> Option<PathBuf> {
        let of = |name: &str| self.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let parent = of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))?;
        Some(real(&parent).join("argocd-jobs"))
    }

    /// Whether what is rendered is only looked at, and applied by nobody.
    fn is_examined(&self) -> bool {
        matches!(self.subcommand.as_str(), "check" | "preview" | "upgrade")
    }

    /// Whether Argo CD runs the program: it calls `generate`, and names the Application.
    fn is_argocd(&self) -> bool {
        self.subcommand == "generate" && self.get("ARGOCD_APP_NAME").is_some()
    }

    /// Whether the tools may use the network when nobody has said so: in Argo CD, which names the Application, they may as they may in Argo
    /// CD itself. At the command line they work on what may be a stranger's pull request. Only on Linux can the network be denied.
    fn network(&self) -> Network {
        if self.is_argocd() || !confined::DENIES_NETWORK { Network::Allow } else { Network::Never }
    }
}

/// The items of a comma-separated list, as the repo-server joins it.
fn api_versions(list: String) -> Vec<String> {
    list.split(',').filter(|version| !version.is_empty()).map(str::to_owned).collect()
}

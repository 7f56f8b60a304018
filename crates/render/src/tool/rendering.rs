//! What rendering needs from the caller.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kube_jobs::argocd::Application;
use rewrite::settings::Network;
use system::NO_TOOLS;

use crate::tool::caller::Caller;
use crate::tool::copies::Copies;
use crate::tool::opened::Opened;

/// What rendering needs apart from the directory and its settings. Without a launcher nothing is rendered.
#[derive(Clone, Debug, Default)]
pub struct Rendering {
    /// Who runs the program: this decides which advice messages give.
    pub caller: Caller,
    /// The path of this program, which starts the tools with their limits (`crates/confined/src/linux/launcher.rs`).
    pub launcher: Option<PathBuf>,
    /// True when the tools must not use the network, whatever the platform owner allows: in a test case, which a
    /// stranger may have written.
    pub offline: bool,
    /// Whether the tools may use the network when the platform owner does not decide it.
    pub network: Network,
    /// True when the manifests are only examined, not applied. Then files of origin and differences between
    /// renderings are determined, too: kustomize runs again for a kustomization with Jobs, and helm for a chart with
    /// functions that return a different value each time.
    pub is_examined: bool,
    /// Whether dependencies and schemas of a chart that are not there may be left out, and generators of a kustomization that cannot run here
    /// ([`rewrite::manifest::Manifest::without`]). Only where the manifests are looked at.
    pub stubs: bool,
    /// The folders of each repository that the tools may open, shared so that they are searched only once.
    pub opened: Arc<Opened>,
    /// Copies of repositories, shared so that not every rendering makes its own.
    pub copies: Arc<Copies>,
    /// The directory for temporary files.
    pub temporary: PathBuf,
    /// Argo CD's information about the Application.
    pub application: Application,
    /// The `ref` names of other sources of the Application. Value files that begin with `$name/` are below the root
    /// of that source's repository; `None` means this repository. Argo CD does not describe other sources to a plugin,
    /// so only the command line sets this.
    pub references: BTreeMap<String, Option<PathBuf>>,
    /// Variables of the caller's environment that the tools get: for proxies, certificates, and git credentials.
    pub passed_on: BTreeMap<String, OsString>,
}

impl Rendering {
    /// The variables that both tools get: for proxies and certificates.
    pub const FOR_ALL: [&'static str; 8] = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
    ];

    /// The variables that only `kustomize build` gets: credentials for the Application's own repository, which Argo
    /// CD passes to a plugin with `provideGitCreds` (`util/git/creds.go`). Not passed on with `--load-restrictor
    /// LoadRestrictionsNone`.
    pub const FOR_GIT: [&'static str; 11] = [
        "ARGOCD_ASK_PASS_SOCK",
        "ARGOCD_GIT_ASKPASS_NONCE",
        "ARGOCD_GIT_AUTH_HEADER",
        "ARGOCD_GIT_BEARER_AUTH_HEADER",
        "GIT_ASKPASS",
        "GIT_SSH_COMMAND",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CERT",
        "GIT_SSL_KEY",
        "GIT_SSL_NO_VERIFY",
        "GIT_TERMINAL_PROMPT",
    ];

    /// The variable with the path of the platform owner's kustomize plugins.
    pub const PLUGIN_HOME: &'static str = "KUSTOMIZE_PLUGIN_HOME";

    /// The path of this program, with which tools are started; none where none may be.
    pub fn starts_tools(&self) -> Option<&Path> {
        self.launcher.as_deref().filter(|_| NO_TOOLS.is_none())
    }

    /// The variables of an environment that are passed on to tools.
    pub fn passed_on(environment: &BTreeMap<String, String>) -> BTreeMap<String, OsString> {
        let wanted = Self::FOR_ALL.into_iter().chain(Self::FOR_GIT).chain([Self::PLUGIN_HOME]);
        let found = wanted.filter_map(|name| Some((name.to_owned(), environment.get(name)?.clone().into())));
        found.filter(|(_, value): &(String, OsString)| !value.is_empty()).collect()
    }
}

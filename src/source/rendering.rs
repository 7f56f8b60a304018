//! What rendering needs from the caller.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Revisions;
use crate::argocd::{Application, Version};
use crate::settings::Network;
use crate::system::NO_TOOLS;
use crate::system::PathText;
use crate::text::Message;

/// What rendering needs apart from the directory and its settings. Without a launcher nothing is rendered.
#[derive(Clone, Debug, Default)]
pub struct Rendering {
    /// Who runs the program: this decides which advice messages give.
    pub caller: Caller,
    /// The path of this program, which starts the tools with their limits (`src/process/linux/launcher.rs`).
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
    /// Whether dependencies and schemas of a chart that are not there may be left out ([`crate::manifest::Manifest::without`]). Only for
    /// looking at a chart that has no Application.
    pub stubs: bool,
    /// The opened revisions, shared so that each is opened, and written to disk, only once.
    pub revisions: Arc<Revisions>,
    /// The directory for temporary files.
    pub temporary: PathBuf,
    /// Argo CD's information about the Application.
    pub application: Application,
    /// The `ref` names of other sources of the Application. Value files that begin with `$name/` are below the root
    /// of that source's repository; `None` means this repository. Argo CD does not tell a plugin about other sources,
    /// so only the command line sets this.
    pub references: BTreeMap<String, Option<PathBuf>>,
    /// Variables of the caller's environment that the tools get: for proxies, certificates, and git credentials.
    pub passed_on: BTreeMap<String, OsString>,
}

/// Who runs the program.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The subcommand that the user typed.
    pub subcommand: String,
    /// True in the plugin, where users read messages in Argo CD and cannot install programs.
    pub is_argocd: bool,
}

impl Caller {
    /// The message that a program is missing. The advice depends on who runs this program; `dir` is the directory to
    /// render.
    pub(super) fn without(&self, program: &str, dir: &Path) -> Message {
        let message = Message::new(format!("there is no `{program}` on PATH"));
        if self.is_argocd {
            // Each version of Argo CD has its own image.
            return message.help(format!(
                "use the image of the plugin that has the helm and the kustomize of your Argo CD: its tag ends in `-argocd` and the version, as in \
                 `-argocd{}`",
                Version::NEWEST
            ));
        }
        let command = if program == "helm" { "helm template" } else { "kustomize build" };
        let (dir, subcommand) = (dir.shown(), &self.subcommand);
        // It reads Applications, and not what they render.
        let or = match subcommand.as_str() {
            "adopt" => String::new(),
            _ => format!(", or render first: `{command} {dir} | argocd-jobs {subcommand} -`"),
        };
        message.help(format!(
            "install `{program}`{or}; relative folders on PATH and folders inside the repository are not searched"
        ))
    }
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
    pub(super) fn starts_tools(&self) -> Option<&Path> {
        self.launcher.as_deref().filter(|_| NO_TOOLS.is_none())
    }

    /// The variables of an environment that are passed on to tools.
    pub fn passed_on(environment: &BTreeMap<String, String>) -> BTreeMap<String, OsString> {
        let wanted = Self::FOR_ALL.into_iter().chain(Self::FOR_GIT).chain([Self::PLUGIN_HOME]);
        let found = wanted.filter_map(|name| Some((name.to_owned(), environment.get(name)?.clone().into())));
        found.filter(|(_, value): &(String, OsString)| !value.is_empty()).collect()
    }
}

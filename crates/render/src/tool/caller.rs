//! Who runs the program: this decides which advice messages give.

use std::path::Path;

use kube_jobs::argocd::Version;
use system::PathText;
use text::Message;

/// Who runs the program.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The subcommand that the user typed.
    pub subcommand: String,
    /// True in the plugin, where users read messages in Argo CD and cannot install programs.
    pub is_argocd: bool,
    /// True if the directory is in a copy that this program has made, such as that of a tag: its path helps nobody.
    pub is_of_a_copy: bool,
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
        let or = match subcommand.as_str() {
            // It reads Applications, and not what they render.
            "adopt" => String::new(),
            _ if self.is_of_a_copy => String::new(),
            _ => format!(", or render first: `{command} {dir} | argocd-jobs {subcommand} -`"),
        };
        message.help(format!(
            "install `{program}`{or}; relative folders on PATH and folders inside the repository are not searched"
        ))
    }
}

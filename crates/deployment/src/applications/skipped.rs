//! Applications and sources that are not rendered, and the reasons.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use goyaml::{RefusedBy, SyntaxError};
use text::{Message, Place, visible, without_passwords};

use super::{ApplicationId, Declaration, Removal, SetPolicy};

/// An Application, or a source of one, that is not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The place of the Application or the source.
    pub place: Place,
    /// The name of the Application; empty when it has none.
    pub name: String,
    /// The reason.
    pub why: SkippedBecause,
    /// The content of its manifest; `None` when that is unknown.
    pub declaration: Option<Arc<Declaration>>,
    /// What happens to the Application when no manifest declares it any more.
    pub removal: Removal,
    /// The ApplicationSet that generates the Application.
    pub set: Option<Arc<SetPolicy>>,
}

/// Why an Application or a source is not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkippedBecause {
    /// The source is in another repository, with this URL.
    AnotherRepository(String),
    /// The source is at a revision that does not get a change of the branch.
    AnotherRevision {
        /// The revision.
        revision: String,
        /// The folder of the source in that revision, relative to the root.
        dir: PathBuf,
    },
    /// The source reads files of another source, which is in another repository.
    ReferenceToAnotherRepository {
        /// The `ref` of the other source.
        name: String,
        /// The URL of the other repository.
        url: String,
    },
    /// An ApplicationSet whose Applications cannot be determined here, for this reason.
    NotExpanded(String),
    /// An ApplicationSet that generates Applications for clusters, which the user did not list.
    NeedsClusters,
    /// The source is a chart in a Helm repository; the text is its name.
    ChartOfRepository(String),
    /// The folder of the source is in a submodule that is not checked out, with this message.
    InSubmodule(Box<Message>),
    /// Fetching the source failed with this message.
    NotFetched(Box<Message>),
    /// It is rendered by an Application that is rendered by another one, and so on: this many levels are above it.
    TooDeep(usize),
    /// Its folder is rendered by Applications that it renders itself, directly or through others.
    Circle(String),
    /// The Application has no source, or one without `repoURL` or `path`.
    NoSource,
    /// This path leads out of the checkout.
    PathLeaves(String),
    /// The checkout does not contain this folder.
    NoSuchDirectory(String),
    /// The operating system does not allow reading the path.
    Unreadable {
        /// The path as written.
        path: String,
        /// The error of the operating system.
        why: String,
    },
    /// The plugin with this name renders it.
    OtherPlugin(String),
    /// Its directory source reads files with any extension (`disableExtensionFilter`, Argo CD 3.6 and later).
    EveryExtension,
    /// This program does not read the text, for this reason, and Argo CD may read it.
    NotRead(String),
    /// Kubernetes accepts no object of its name, for this reason: a placeholder in an example, or a mistake.
    InvalidName(&'static str),
    /// Argo CD would refuse it, for this reason.
    Broken(String),
    /// Argo CD does not create all Applications of an ApplicationSet, for this reason.
    BrokenSet(String),
}

/// The maximum number of characters of a name or a reason in a message: a name has at most 253, but the template of
/// an ApplicationSet can produce any text.
const MOST: usize = 600;

/// The first [`MOST`] characters of a text, and `…` when it is longer.
pub(super) fn shortened(text: &str) -> String {
    text.char_indices().nth(MOST).map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

impl Skipped {
    /// The Application.
    pub(crate) fn id(&self) -> ApplicationId {
        ApplicationId { name: self.name.clone(), origin: self.place.origin.clone() }
    }

    /// Whether this stands for exactly one Application without a mistake: it is not an ApplicationSet, and would be
    /// the same Application if it were rendered.
    pub fn is_one_application(&self) -> bool {
        use SkippedBecause::{
            AnotherRepository, AnotherRevision, ChartOfRepository, EveryExtension, InSubmodule, NotFetched,
            OtherPlugin, ReferenceToAnotherRepository,
        };
        matches!(
            self.why,
            AnotherRepository(_)
                | AnotherRevision { .. }
                | ReferenceToAnotherRepository { .. }
                | ChartOfRepository(_)
                | InSubmodule(_)
                | NotFetched(_)
                | OtherPlugin(_)
                | EveryExtension
        )
    }

    /// The folder of this repository that it reads at another revision, relative to the root.
    pub(crate) fn dir_elsewhere(&self) -> Option<&Path> {
        match &self.why {
            SkippedBecause::AnotherRevision { dir, .. } => Some(dir),
            _ => None,
        }
    }

    /// The name for a message or a table, shortened; empty when it has none.
    pub fn shown_name(&self) -> String {
        shortened(&self.name)
    }

    /// The place, the name and the reason on one line, and the `help:` line.
    pub fn message(&self) -> Message {
        let whose = match self.name.as_str() {
            "" => self.place.to_string(),
            _ => format!("{}: Application `{}`", self.place, self.shown_name()),
        };
        let text = format!("{whose}: {}", self.why.text());
        Message { help: self.why.help().map(ToOwned::to_owned), ..Message::new(text) }
    }
}

impl SkippedBecause {
    /// The reason for a text that cannot be read.
    pub(super) fn of_syntax(error: SyntaxError) -> Self {
        let message = error.to_string();
        if error.by == RefusedBy::ArgoCd { Self::Broken(message) } else { Self::NotRead(message) }
    }

    /// The reason for a message or a table, without control characters and passwords.
    pub fn text(&self) -> String {
        let text = match self {
            Self::AnotherRepository(url) => format!("its source is in another repository, `{url}`"),
            Self::AnotherRevision { revision, .. } => {
                format!("this change does not reach it: it is at revision `{revision}`")
            }
            Self::ReferenceToAnotherRepository { name, url } => {
                format!("`${name}` is in another repository, `{url}`")
            }
            Self::NotExpanded(why) => format!("the ApplicationSet is not expanded: {why}"),
            Self::NeedsClusters => "the ApplicationSet makes Applications for clusters that are not known".to_owned(),
            Self::ChartOfRepository(chart) => format!("its source is the chart `{chart}` of a Helm repository"),
            Self::InSubmodule(message) | Self::NotFetched(message) => message.text.clone(),
            Self::TooDeep(most) => format!("at most {most} Applications can render each other, one after the other"),
            Self::Circle(path) => format!("the folder `{path}` renders itself, each time as another Application"),
            Self::NoSource => "it has no source with a `repoURL` and a `path`".to_owned(),
            Self::PathLeaves(path) => format!("its path `{path}` leads out of the repository"),
            Self::NoSuchDirectory(path) => format!("there is no directory `{path}` in this checkout"),
            Self::Unreadable { path, why } => format!("`{path}` cannot be read: {why}"),
            Self::OtherPlugin(name) if name.is_empty() => {
                "a plugin that it does not name renders it: what it is given is not for argocd-jobs".to_owned()
            }
            Self::OtherPlugin(name) => format!("the plugin `{name}` renders it"),
            Self::EveryExtension => {
                "`disableExtensionFilter: true` reads files with any extension, which argocd-jobs cannot".to_owned()
            }
            Self::InvalidName(why) => (*why).to_owned(),
            Self::NotRead(message) | Self::Broken(message) | Self::BrokenSet(message) => message.clone(),
        };
        shortened(&visible(&without_passwords(&text)))
    }

    /// The heading under which all Applications with such a reason are counted; `None` for a reason of its own, such
    /// as a mistake.
    pub fn group(&self) -> Option<&'static str> {
        match self {
            Self::AnotherRepository(_) | Self::ReferenceToAnotherRepository { .. } => Some("in other repositories"),
            Self::AnotherRevision { .. } => Some("at another revision, which this change does not reach"),
            Self::ChartOfRepository(_) => Some("charts of Helm repositories"),
            Self::InSubmodule(_) => Some("in submodules that are not checked out"),
            Self::NotFetched(_) => Some("could not be fetched"),
            Self::NotExpanded(_) => Some("ApplicationSets that are not expanded"),
            Self::NeedsClusters => Some("ApplicationSets for clusters that are not known"),
            Self::OtherPlugin(_) => Some("rendered by other plugins"),
            Self::NoSuchDirectory(_) => Some("in directories that are not in this checkout"),
            _ => None,
        }
    }

    /// The `help:` line.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::AnotherRepository(_) | Self::ReferenceToAnotherRepository { .. } => Some(
                "fetch it with `--network allow`, or name a checkout of it with `--repo URL=DIR`; if it is this repository, add `--repository-url URL`",
            ),
            Self::ChartOfRepository(_) => Some("fetch it with `--network allow`"),
            Self::InSubmodule(message) | Self::NotFetched(message) => message.help.as_deref(),
            Self::AnotherRevision { .. } => {
                Some("if it is the branch that the change is merged into, add `--branch NAME`")
            }
            Self::NeedsClusters => Some(
                "name the clusters: `--clusters FILE`, with their Secrets or what `argocd cluster list -o json` prints",
            ),
            Self::NotExpanded(_) => Some(
                "write its Applications to a file, with `argocd appset generate FILE -o yaml` or `kubectl get applications -o yaml`, and name that file",
            ),
            Self::NoSource => Some("Argo CD requires `spec.source` or `spec.sources`, with `repoURL` and `path`"),
            Self::PathLeaves(_) => {
                Some("Argo CD accepts only a relative path that stays in the repository, also through symlinks")
            }
            _ => None,
        }
    }
}

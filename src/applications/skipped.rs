//! What of the manifests is not rendered, and why.

use std::sync::Arc;

use super::Declaration;
use crate::argocd::without_password;
use crate::text::{Message, Place, visible};
use crate::yaml::SyntaxError;

/// An Application, or a source of one, that is not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Where it is.
    pub place: Place,
    /// The name of the Application; empty when it has none.
    pub name: String,
    /// Why.
    pub why: SkippedBecause,
    /// What its manifest says; none if that is not known.
    pub declaration: Option<Arc<Declaration>>,
}

/// Why it is not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkippedBecause {
    /// It is in another repository, with this URL.
    AnotherRepository(String),
    /// It is at this revision, which does not get a change of the branch.
    AnotherRevision(String),
    /// It reads files of the source with this name, which is in another repository.
    ReferenceToAnotherRepository {
        /// The `ref`.
        name: String,
        /// The URL of the repository.
        url: String,
    },
    /// An ApplicationSet whose Applications cannot be known here.
    NotExpanded(String),
    /// An ApplicationSet that makes Applications for clusters, and nobody said which there are.
    NeedsClusters,
    /// A chart of a Helm repository.
    ChartOfRepository(String),
    /// It could not be fetched, as this says.
    NotFetched(Box<Message>),
    /// This many Applications render each other, one after the other, before it.
    TooDeep(usize),
    /// Applications above it read this folder again and again: it renders itself.
    Circle(String),
    /// It has no source, or one without `repoURL` or `path`.
    NoSource,
    /// Its path leads out of the checkout.
    PathLeaves(String),
    /// The folder is not in the checkout.
    NoSuchDirectory(String),
    /// The system does not let us look at its path.
    Unreadable {
        /// The path.
        path: String,
        /// The system's words.
        why: String,
    },
    /// Another plugin renders it.
    OtherPlugin(String),
    /// Its directory source takes files of every extension (`disableExtensionFilter`, Argo CD 3.6 and later).
    EveryExtension,
    /// Argo CD may read it, and a limit of this program is exceeded.
    TooLarge(String),
    /// Argo CD would refuse it.
    Broken(String),
}

/// The most characters of a name or a reason that are shown: a name can have 253, and a template of an ApplicationSet can make any text of it.
const MOST: usize = 600;

/// The beginning of a text that is too long to be shown.
fn shortened(text: &str) -> String {
    text.char_indices().nth(MOST).map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

impl Skipped {
    /// Whether it is one Application, and would be the same one if it were rendered: no ApplicationSet, and no mistake.
    pub fn is_one_application(&self) -> bool {
        use SkippedBecause::{
            AnotherRepository, AnotherRevision, ChartOfRepository, EveryExtension, NotFetched, OtherPlugin,
            ReferenceToAnotherRepository,
        };
        matches!(
            self.why,
            AnotherRepository(_)
                | AnotherRevision(_)
                | ReferenceToAnotherRepository { .. }
                | ChartOfRepository(_)
                | NotFetched(_)
                | OtherPlugin(_)
                | EveryExtension
        )
    }

    /// The beginning of its name, for a message or a table; empty when it has none.
    pub fn shown_name(&self) -> String {
        shortened(&self.name)
    }

    /// What it is and why it is not rendered, on one line, and what can be done about it.
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
        if error.is_limit { Self::TooLarge(error.message) } else { Self::Broken(error.message) }
    }

    /// Why, for a message or a table; without control characters.
    pub fn text(&self) -> String {
        let text = match self {
            Self::AnotherRepository(url) => format!("its source is in another repository, `{}`", without_password(url)),
            Self::AnotherRevision(revision) => {
                format!("this change does not reach it: it is at revision `{revision}`")
            }
            Self::ReferenceToAnotherRepository { name, url } => {
                format!("`${name}` is in another repository, `{}`", without_password(url))
            }
            Self::NotExpanded(why) => format!("the ApplicationSet is not expanded: {why}"),
            Self::NeedsClusters => "the ApplicationSet makes Applications for clusters that are not known".to_owned(),
            Self::ChartOfRepository(chart) => format!("its source is the chart `{chart}` of a Helm repository"),
            Self::NotFetched(message) => message.text.clone(),
            Self::TooDeep(most) => format!("at most {most} Applications can render each other, one after the other"),
            Self::Circle(path) => format!("the folder `{path}` renders itself, each time as another Application"),
            Self::NoSource => "it has no source with a `repoURL` and a `path`".to_owned(),
            Self::PathLeaves(path) => format!("its path `{path}` leads out of the repository"),
            Self::NoSuchDirectory(path) => format!("there is no directory `{path}` in this checkout"),
            Self::Unreadable { path, why } => format!("`{path}` cannot be read: {why}"),
            Self::OtherPlugin(name) => format!("the plugin `{name}` renders it"),
            Self::EveryExtension => {
                "`disableExtensionFilter: true` reads files with any extension, which argocd-jobs cannot".to_owned()
            }
            Self::TooLarge(message) | Self::Broken(message) => message.clone(),
        };
        shortened(&visible(&text))
    }

    /// What Applications are called together that are skipped for such a reason; none for a reason of its own, such as a mistake.
    pub fn group(&self) -> Option<&'static str> {
        match self {
            Self::AnotherRepository(_) | Self::ReferenceToAnotherRepository { .. } => Some("in other repositories"),
            Self::AnotherRevision(_) => Some("at another revision, which this change does not reach"),
            Self::ChartOfRepository(_) => Some("charts of Helm repositories"),
            Self::NotFetched(_) => Some("could not be fetched"),
            Self::NotExpanded(_) => Some("ApplicationSets that are not expanded"),
            Self::NeedsClusters => Some("ApplicationSets for clusters that are not known"),
            Self::OtherPlugin(_) => Some("rendered by other plugins"),
            _ => None,
        }
    }

    /// What can be done about it.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::AnotherRepository(_) | Self::ReferenceToAnotherRepository { .. } => Some(
                "fetch it with `--network allow`, or name a checkout of it with `--repo URL=DIR`; if it is this repository, add `--repository-url URL`",
            ),
            Self::ChartOfRepository(_) => Some("fetch it with `--network allow`"),
            Self::NotFetched(message) => message.help.as_deref(),
            Self::AnotherRevision(_) => Some("if it is the branch that the change is merged into, add `--branch NAME`"),
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

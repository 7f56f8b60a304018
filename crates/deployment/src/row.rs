//! The rows of the table of sources: one for each source, and what was not read.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use kube_jobs::argocd::Gone;
use lint::count::Count;
use preview::GoneApplication;
pub use render::Lack;
use serde::{Serialize, Serializer};
use text::{LineColumn, Message, Origin, Place};

pub use crate::required::RequiredValue;
use crate::value_sets;

/// One source: a row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The path of the source, as messages call it.
    pub path: String,
    /// The further sources of its Application, which are synced with it.
    pub further: Vec<Further>,
    /// The value sets of a chart that render to it, by their names; empty for another source, and for a chart without other values.
    pub value_sets: Vec<String>,
    /// The Application that names it.
    pub application: Option<String>,
    /// What renders that Application, from the root down.
    pub from: Vec<String>,
    /// Where that Application is: two can have one name.
    pub origin: String,
    /// Whether no change starts a sync of that Application by itself.
    pub is_manual: bool,
    /// What its destination calls the cluster: name, server or both.
    pub clusters: Vec<String>,
    /// Whether only the version to compare with declares it so.
    pub is_of_base: bool,
    /// Whether it is made with placeholders, because the clusters are unknown.
    pub is_assumed: bool,
    /// What renders the source: `helm`, `kustomize` or `directory`.
    pub kind: &'static str,
    /// Whether it was read.
    pub outcome: Outcome,
    /// True when there is something that the version it is compared with does not have.
    pub is_new: bool,
    /// True when the version it is compared with could be read, and has manifests, and this one cannot be read.
    pub is_broken: bool,
    /// True when there is a text that this program does not read, and that Argo CD may read.
    pub is_unread: bool,
    /// True when it was not checked here, but Argo CD may be able to render it.
    pub may_work: bool,
    /// Whether the change affects its Application or its files. Only known for a source that was not checked.
    pub changed: Option<bool>,
    /// What happens to its Application, if the change removes it.
    pub gone: Option<GoneApplication>,
    /// Why only the version that it is compared with cannot be read.
    pub unread_base: Option<String>,
    /// Whether the change may be in a part that was left out.
    pub may_change_unseen: bool,
    /// Why it may have Jobs that were not found, although it was read.
    pub unseen: Vec<String>,
    /// Whether the change may be about Jobs that were not found; true of all without a version to compare with.
    pub may_change_more: bool,
    /// The values that the templates of a chart require and that it lacks here.
    pub requires: Vec<RequiredValue>,
    /// What was left out when it was rendered, because it was not there.
    pub without: Vec<String>,
}

/// A further source of an Application.
#[derive(Clone, Debug, Serialize)]
pub struct Further {
    /// The path of the source, as messages call it.
    pub path: String,
    /// What renders the source: `helm`, `kustomize` or `directory`.
    pub kind: &'static str,
}

/// Whether a source was read.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The source was read.
    Read {
        /// The number of Jobs.
        jobs: usize,
        /// The findings of the source.
        count: Count,
    },
    /// The source was not read, for this reason.
    NotChecked(Box<NotChecked>),
}

/// Why a source was not checked.
#[derive(Clone, Debug, Default)]
pub struct NotChecked {
    /// The place of the mistake, if it is in a config file.
    pub at: Option<Place>,
    /// The message, without the path of the source and the place.
    pub message: Message,
    /// What the source lacks here; none if only the message says it.
    pub lack: Option<Lack>,
    /// The help for any source with this problem, if it differs from the help for this one.
    pub help_for_any: Option<String>,
}

impl NotChecked {
    /// A reason that is only this message.
    pub fn of(message: Message) -> Self {
        Self { message, ..Self::default() }
    }
}

impl fmt::Display for NotChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.at {
            write!(f, "{place}: ")?;
        }
        self.message.fmt(f)
    }
}

impl Row {
    /// The numbers of errors and warnings. A source that was not checked counts as one error, because it can have any.
    pub fn severity(&self) -> (usize, usize) {
        match &self.outcome {
            Outcome::Read { count: Count { open: [errors, warnings, _], .. }, .. } => (*errors, *warnings),
            Outcome::NotChecked(_) => (1, 0),
        }
    }

    /// The paths of all its sources.
    pub fn paths(&self) -> String {
        let further = self.further.iter().map(|further| &further.path);
        [&self.path].into_iter().chain(further).map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// What renders its sources, each once.
    pub fn kinds(&self) -> String {
        let mut kinds = vec![self.kind];
        for Further { kind, .. } in &self.further {
            if !kinds.contains(kind) {
                kinds.push(kind);
            }
        }
        kinds.join(", ")
    }

    /// The path of the source, and for a chart with other values than its own the first of their names.
    pub fn with_value_set(&self) -> String {
        with_value_set(&self.path, &self.value_sets)
    }

    /// Whether there is nothing to report about it.
    pub fn is_quiet(&self) -> bool {
        // Each value set is listed, so that one sees which are rendered.
        self.value_sets.is_empty()
            && self.without.is_empty()
            && matches!(&self.outcome, Outcome::Read { jobs: 0, count } if count.open == [0; 3])
    }
}

/// A path, and the first of the value sets that render to the same unless the chart's own values do.
pub(crate) fn with_value_set(path: &str, sets: &[String]) -> String {
    match sets.first().filter(|first| *first != value_sets::OWN) {
        Some(first) => format!("{path} with {first}"),
        None => path.to_owned(),
    }
}

/// What was not read. Its JSON counts folders and files that are not sources. The skipped Applications are elsewhere in the reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// Bases, components, libraries and dependencies of other folders.
    pub parts: usize,
    /// Folders with templates and without a chart.
    pub templates: usize,
    /// YAML and JSON files that are not manifests.
    pub files: usize,
    /// Folders that no Application uses.
    pub unused: usize,
    /// The Jobs in unused folders that can be read.
    #[serde(skip)]
    pub unused_jobs: usize,
    /// The templates of Jobs in unused charts that are not rendered.
    #[serde(skip)]
    pub unused_templates: usize,
    /// The files with Jobs in unused folders that differ from the base, or are not in it.
    #[serde(skip)]
    pub unused_changed: BTreeSet<PathBuf>,
    /// The files in unused folders that differ from the base, and in which Argo CD may find Jobs.
    #[serde(rename = "unread", skip_serializing_if = "BTreeSet::is_empty")]
    pub unused_unread: BTreeSet<UnreadFile>,
    /// The Applications that are not rendered here.
    #[serde(skip)]
    pub skipped: Vec<SkippedApplication>,
    /// The names of the Applications that are not rendered here and that the change removes.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub removed: BTreeSet<String>,
    /// What happens to the removed Applications that Argo CD deletes, where it is known.
    #[serde(skip)]
    pub gone: Vec<(String, Gone)>,
}

impl PassedOver {
    /// Returns a copy in which a text that cannot be read counts as said, if a finding is about its place.
    #[must_use]
    pub fn told_at(&self, places: &BTreeSet<&Place>) -> Self {
        let mut told = self.clone();
        for skipped in &mut told.skipped {
            skipped.is_finding |= skipped.is_told_at(places);
        }
        told
    }

    /// Whether there is a text in which there may be Applications or changed Jobs, and which this program does not read.
    pub fn has_unread(&self) -> bool {
        self.skipped.iter().any(|skipped| skipped.is_unread) || !self.unused_unread.is_empty()
    }
}

/// A file that this program does not read, and that Argo CD may read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UnreadFile {
    /// Where reading ends.
    #[serde(rename = "at")]
    pub place: Place,
    /// Why it is not read.
    pub reason: String,
}

impl UnreadFile {
    pub(crate) fn new(path: &Path, at: LineColumn, reason: String) -> Self {
        Self { place: Place::new(Origin::File(path.into()), at), reason }
    }

    /// The path of the file.
    pub fn path(&self) -> Option<&Path> {
        match &self.place.origin {
            Origin::File(path) => Some(path),
            _ => None,
        }
    }
}

/// An Application that is not rendered here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedApplication {
    /// The name of the Application; empty when it has none.
    #[serde(serialize_with = "null_if_empty")]
    pub name: String,
    /// What renders it, from the root down; empty for one in a file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The name of the group of such Applications; `None` if its reason is its own, such as a mistake.
    pub group: Option<&'static str>,
    /// Whether its text is not read here, and Argo CD may read it.
    #[serde(skip)]
    pub is_unread: bool,
    /// Whether it can be in no cluster, because of its name.
    #[serde(skip)]
    pub is_nowhere: bool,
    /// Whether it gets its own line even when it is in a group.
    #[serde(skip)]
    pub is_alone: bool,
    /// Whether a finding of a source says it.
    #[serde(skip)]
    pub is_finding: bool,
    /// Why the Application is not rendered.
    pub reason: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Whether the change affects its manifest or the files that it reads; `None` if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// The place of the Application.
    #[serde(rename = "at")]
    pub place: Place,
}

impl SkippedApplication {
    /// Whether it is a text that cannot be read, and one of these places is the place of the mistake in it.
    pub fn is_told_at(&self, places: &BTreeSet<&Place>) -> bool {
        self.name.is_empty() && self.group.is_none() && places.contains(&self.place)
    }
}

fn null_if_empty<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    Some(text).filter(|text| !text.is_empty()).serialize(serializer)
}

/// A template that no value set of its chart renders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unrendered {
    /// The chart, as messages call it.
    pub source: String,
    /// The path of the template.
    pub path: String,
    /// The line that makes it a Job or a hook.
    pub line: usize,
    /// `Job` or `hook`.
    pub kind: &'static str,
    /// How many value sets of its chart could not be rendered: they may have it. JSON has it in the rows.
    #[serde(skip)]
    pub unread: usize,
    /// Whether the chart is not rendered at all.
    #[serde(skip)]
    pub is_chart_unread: bool,
    /// The conditions around this line, from the outermost in, as they are read in the template; empty if there are none.
    pub conditions: Vec<String>,
}

//! A file with Applications, before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use argocd_jobs::applications::{
    self as declared, Adopted, ApplicationSource, Checkout, Declared, NotAdopted, SkippedBecause,
};
use argocd_jobs::output::preview::baseline::recorded;
use argocd_jobs::preview::{Cluster, LiveVerdict, Row};
use argocd_jobs::settings::baseline::Hashes;
use argocd_jobs::text::{Lines, Message, Origin, Place};
use argocd_jobs::version::Version;

use super::super::report::check_problems;
use crate::cli::applications;
use crate::cli::paths::RelativeTo;
use crate::cli::run::Run;

/// What all files share.
pub(super) struct Around<'a> {
    pub(super) checkout: &'a Arc<Checkout>,
    /// The live Jobs, if they are given.
    pub(super) cluster: Option<&'a Cluster>,
    pub(super) run: &'a Run,
}

/// A file with Applications, before and after.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) old: String,
    pub(super) new: String,
    /// Those that change: the sources as the old and as the new text declare them.
    pub(super) sources: Vec<(ApplicationSource, ApplicationSource)>,
    /// How many have no Jobs.
    pub(super) without_jobs: usize,
    /// Why others are left as they are.
    pub(super) refused: Vec<Refused>,
}

/// One that is left as it is.
pub(super) struct Refused {
    /// Whether it has no source, as a patch of an Application.
    pub(super) is_patch: bool,
    pub(super) message: Message,
}

/// What declares a source: whether it is an ApplicationSet, and its name.
type By = (bool, String);

impl File {
    /// Reads the Applications, and the Jobs that they render.
    pub(super) fn adopt(path: PathBuf, old: String, around: &Around<'_>) -> Self {
        let (first, all) = declared::adopt(&old, &|_, _| Some(Hashes::new()));
        let first = around.declared(&path, &first);
        let lines = Lines::of(&old);
        let (mut chosen, mut refused, mut without_jobs) = (BTreeMap::new(), Vec::new(), 0);
        for one in &all {
            match around.baseline(one, &first, (&path, &old)) {
                Ok(Some(hashes)) => {
                    chosen.insert(by(one.kind, &one.name), hashes);
                }
                Ok(None) => without_jobs += 1,
                Err(Refused { is_patch, message }) => {
                    let place = Place::new(Origin::File(path.as_path().into()), lines.at(&old, one.offset));
                    let text = format!("{} `{}` is left as it is: {}", one.kind, one.name, message.text);
                    let message = Message { text, ..message }.about(place);
                    refused.push(Refused { is_patch, message });
                }
            }
        }
        let (new, _) = declared::adopt(&old, &|kind, name| chosen.get(&by(kind, name)).cloned());
        let named = |source: ApplicationSource| (source.name().to_owned(), source);
        let before = around.declared(&path, &old).sources.into_iter().map(named);
        let mut before: BTreeMap<String, ApplicationSource> = before.collect();
        let after = around.declared(&path, &new).sources.into_iter();
        let after = after.filter(|source| chosen.contains_key(&declared_by(source)));
        let sources = after.filter_map(|source| Some((before.remove(source.name())?, source))).collect();
        Self { path, old, new, sources, without_jobs, refused }
    }
}

impl Around<'_> {
    fn declared(&self, path: &Path, text: &str) -> Declared {
        declared::read(&[(path.to_owned(), text.to_owned())], self.checkout)
    }

    /// The content hashes of the Jobs that must not run again; none if there are no Jobs. `first` is what the text declares with the plugin.
    fn baseline(&self, one: &Adopted, first: &Declared, file: (&Path, &str)) -> Result<Option<Hashes>, Refused> {
        let refused = |message| Refused { is_patch: false, message };
        if let Some(why) = &one.why_not {
            return Err(Refused { is_patch: *why == NotAdopted::NoSource, message: why.message() });
        }
        if let Some(skipped) = first.skipped.iter().find(|skipped| declares(&skipped.name, &one.name)) {
            let is_patch = skipped.why == SkippedBecause::NoSource;
            return Err(Refused { is_patch, message: Message::new(skipped.why.text()) });
        }
        let own = by(one.kind, &one.name);
        let of_it = |declared: &Declared| -> Vec<ApplicationSource> {
            declared.sources.iter().filter(|source| declared_by(source) == own).cloned().collect()
        };
        let sources = of_it(first);
        if sources.is_empty() {
            return Err(refused(Message::new("none of its sources can be read here")));
        }
        let all = sources.iter().map(|source| self.hashes(source)).collect::<Result<Vec<_>, _>>().map_err(refused)?;
        if all.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut hashes: Hashes = all.into_iter().flatten().flatten().collect();
        if let Some(cluster) = self.cluster {
            let (path, old) = file;
            let (text, _) = declared::adopt(old, &|kind, name| (by(kind, name) == own).then(|| hashes.clone()));
            let mut live = BTreeSet::new();
            for source in of_it(&self.declared(path, &text)) {
                live.extend(self.live(&source, cluster).map_err(refused)?);
            }
            hashes.retain(|key, _| live.contains(key));
        }
        Ok(Some(hashes))
    }

    /// The version of a source. The error is about the source alone.
    pub(super) fn open(&self, source: &ApplicationSource) -> Result<Version, Message> {
        applications::open(source, self.checkout, self.run, RelativeTo::WorkingDirectory).map_err(|error| {
            let text = format!("{error:#}");
            let whose = applications::subject(source) + ": ";
            Message::of_error(text.strip_prefix(&whose).unwrap_or(&text))
        })
    }

    /// The content hashes of the ordinary Jobs that a source renders; none if it has no Jobs.
    fn hashes(&self, source: &ApplicationSource) -> Result<Option<Hashes>, Message> {
        let version = self.open(source)?;
        let analysis = version.survey();
        check_problems(&analysis.problems).map_err(|error| Message::of_error(&error.to_string()))?;
        let report = analysis.report();
        let hashes =
            recorded(&analysis.survey, &report).iter().map(|job| (job.key.clone(), job.hash.to_owned())).collect();
        Ok((!analysis.survey.plan.jobs.is_empty()).then_some(hashes))
    }

    /// The Jobs that are live, and in which a sync of this source, which has a baseline for all of them, changes nothing.
    fn live(&self, source: &ApplicationSource, cluster: &Cluster) -> Result<Vec<String>, Message> {
        let version = self.open(source)?;
        let judged = version.survey().judge(cluster)?;
        let unknown = judged.rows.iter().find(|row| matches!(row.verdict.reached(), LiveVerdict::Unknown(_)));
        if let Some(row) = unknown {
            let message = Message::new(format!("nobody knows whether its Job `{}` has run", row.name));
            return Err(
                message.help("pass what `kubectl get jobs -A -o json` prints, when no Job is just being deleted")
            );
        }
        let is_kept = |row: &&Row| {
            let is_nothing = matches!(row.verdict.reached(), LiveVerdict::Nothing | LiveVerdict::NothingFailed(_));
            is_nothing && row.state.is_some()
        };
        let key = |row: &Row| match &row.namespace {
            Some(namespace) => format!("{namespace}/{}", row.name),
            None => row.name.clone(),
        };
        Ok(judged.rows.iter().filter(is_kept).map(key).collect())
    }
}

fn by(kind: &str, name: &str) -> By {
    (kind == "ApplicationSet", name.to_owned())
}

fn declared_by(source: &ApplicationSource) -> By {
    match &source.set {
        Some((policy, _)) => (true, policy.name.clone()),
        None => (false, source.name().rsplit('_').next().unwrap_or_default().to_owned()),
    }
}

/// Whether the Application, as a plugin knows it, has this name: outside of the namespace of Argo CD, its namespace stands before it.
fn declares(of_plugin: &str, name: &str) -> bool {
    of_plugin.rsplit('_').next() == Some(name)
}

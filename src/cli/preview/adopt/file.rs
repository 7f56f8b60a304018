//! A file with Applications, before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use deployment::applications::{
    self as declared, Adopted, ApplicationSource, Checkout, Declared, NotAdopted, SkippedBecause,
};
use deployment::{Run, application_version};
use lint::Analysis;
use preview::{Cluster, JudgedJob, Outcome, judge, report};
use report::preview::baseline::recorded;
use rewrite::settings::Hashes;
use rewrite::version::Version;
use text::{Lines, Message, Origin, Place};

use super::super::report::check_problems;

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
    /// The sources that change, as the old and as the new text declare them.
    pub(super) sources: Vec<(ApplicationSource, ApplicationSource)>,
    /// How many have no Jobs.
    pub(super) without_jobs: usize,
    /// Why others are left as they are.
    pub(super) refused: Vec<Refused>,
}

/// One that is left as it is.
pub(super) struct Refused {
    /// Whether it may be a patch or a template of an Application.
    pub(super) is_patch: bool,
    /// Whether it has the plugin already.
    pub(super) is_done: bool,
    /// The reason.
    pub(super) why: String,
    pub(super) message: Message,
}

impl Refused {
    fn new(message: Message) -> Self {
        Self { is_patch: false, is_done: false, why: message.text.clone(), message }
    }
}

/// What declares a source: whether it is an ApplicationSet, and its name.
type By = (bool, String);

impl File {
    /// Reads the Applications, and the Jobs that they render.
    pub(super) fn adopt(path: PathBuf, old: String, around: &Around<'_>) -> Self {
        let (first, all) = declared::adopt(&old, &|_, _| Some(Hashes::new()));
        let first = around.declared(&path, &first);
        let lines = Lines::of(&old);
        let place = |one: &Adopted| Place::new(Origin::File(path.as_path().into()), lines.at(&old, one.offset));
        let (mut chosen, mut refused, mut without_jobs) = (BTreeMap::new(), Vec::new(), 0);
        for one in &all {
            let is_it = |other: &&Adopted| (other.kind, &other.name) == (one.kind, &one.name);
            if one.name.is_empty() {
                let message = Message::new("its `metadata.name` is not a text").about(place(one));
                let help = "a template of a chart has to be rendered first";
                refused.push(Refused { is_patch: true, ..Refused::new(message.help(help)) });
                continue;
            }
            if all.iter().filter(is_it).count() > 1 {
                let message =
                    Message::new(format!("the name of the {} `{}` occurs twice in this file", one.kind, one.name));
                refused.push(Refused::new(message.about(place(one)).help("put them into files of their own")));
                continue;
            }
            match around.baseline(one, &first, (&path, &old)) {
                Ok(Some(hashes)) => {
                    chosen.insert(by(one.kind, &one.name), hashes);
                }
                Ok(None) => without_jobs += 1,
                Err(why) => {
                    let text = format!("{} `{}` is left as it is: {}", one.kind, one.name, why.why);
                    let message = Message { text, ..why.message }.about(place(one));
                    refused.push(Refused { message, ..why });
                }
            }
        }
        for broken in first.skipped.iter().filter(|skipped| skipped.name.is_empty() && all.is_empty()) {
            let message = Message::new(broken.why.text()).about(&broken.place);
            let help = "write it as YAML: a template of a chart has to be rendered first";
            refused.push(Refused { is_patch: true, ..Refused::new(message.help(help)) });
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
        if let Some(why) = &one.why_not {
            let (is_patch, is_done) = (*why == NotAdopted::NoSource, *why == NotAdopted::Already);
            return Err(Refused { is_patch, is_done, ..Refused::new(why.message()) });
        }
        if let Some(skipped) = first.skipped.iter().find(|skipped| declares(&skipped.name, &one.name)) {
            let is_patch = skipped.why == SkippedBecause::NoSource;
            return Err(Refused { is_patch, ..Refused::new(Message::new(skipped.why.text())) });
        }
        let own = by(one.kind, &one.name);
        let of_it = |declared: &Declared| -> Vec<ApplicationSource> {
            declared.sources.iter().filter(|source| declared_by(source) == own).cloned().collect()
        };
        let sources = of_it(first);
        if sources.is_empty() {
            return Err(Refused::new(Message::new("none of its sources can be read here")));
        }
        let mut has_jobs = false;
        let mut hashes = Hashes::new();
        for source in &sources {
            let Some(found) = self.hashes(source).map_err(Refused::new)? else { continue };
            has_jobs = true;
            for (key, hash) in found {
                if hashes.insert(key.clone(), hash.clone()).is_some_and(|known| known != hash) {
                    let message =
                        format!("its Applications have different Jobs `{key}`, and one template has one baseline");
                    let help =
                        "give the Applications namespaces of their own, or set `argocd-jobs/baseline` on the Jobs";
                    return Err(Refused::new(Message::new(message).help(help)));
                }
            }
        }
        if !has_jobs {
            return Ok(None);
        }
        if let Some(cluster) = self.cluster.filter(|_| !hashes.is_empty()) {
            let (path, old) = file;
            let (text, _) = declared::adopt(old, &|kind, name| (by(kind, name) == own).then(|| hashes.clone()));
            let mut live = BTreeSet::new();
            for source in of_it(&self.declared(path, &text)) {
                live.extend(self.live(&source, &hashes, cluster).map_err(Refused::new)?);
            }
            hashes.retain(|key, _| live.contains(key));
        }
        Ok(Some(hashes))
    }

    /// The version of a source. The error is about the source alone.
    pub(super) fn open(&self, source: &ApplicationSource) -> Result<Version, Message> {
        application_version::open(source, self.checkout, self.run)
            .map_err(|error| Message::of_error(&application_version::without_subject(&error)))
    }

    /// The content hashes of the ordinary Jobs that a source renders; none if it has no Jobs.
    fn hashes(&self, source: &ApplicationSource) -> Result<Option<Hashes>, Message> {
        let version = self.open(source)?;
        let analysis = Analysis::without_findings(&version);
        check_problems(&analysis.problems).map_err(|error| Message::of_error(&error.to_string()))?;
        let report = report(&analysis);
        let hashes =
            recorded(&analysis.survey, &report).iter().map(|job| (job.key.clone(), job.hash.to_owned())).collect();
        Ok((!analysis.survey.plan.jobs.is_empty()).then_some(hashes))
    }

    /// The Jobs in `hashes` that are live, and that a sync does not change. The source has a baseline for all of them.
    fn live(&self, source: &ApplicationSource, hashes: &Hashes, cluster: &Cluster) -> Result<Vec<String>, Message> {
        let version = self.open(source)?;
        let judged = judge(&Analysis::without_findings(&version), cluster, None)?;
        let jobs: Vec<&JudgedJob> = judged.jobs.iter().filter(|job| hashes.contains_key(&job.full_name())).collect();
        let help = "pass what `kubectl get jobs -A -o json` prints for the cluster of its destination";
        if let Some(job) = jobs.iter().find(|job| job.if_reached == Outcome::Unknown) {
            let message = Message::new(format!("nobody knows whether its Job `{}` has run", job.row.object.name));
            return Err(message.help(format!("{help}, when no Job is just being deleted")));
        }
        if !jobs.is_empty() && jobs.iter().all(|job| job.row.state().is_none()) {
            let message = Message::new("none of its Jobs is among the live ones");
            return Err(message.help(format!("{help}; if its Jobs have never run, leave `--live` out")));
        }
        for job in jobs.iter().filter(|job| job.row.state().is_some()) {
            if let Some(other) = cluster.owner(job).filter(|other| *other != source.name()) {
                let name = &job.row.object.name;
                let message = Message::new(format!("the live Job `{name}` belongs to the Application `{other}`"));
                return Err(message.help(help));
            }
        }
        let is_kept = |job: &&&JudgedJob| job.if_reached == Outcome::Untouched;
        Ok(jobs.iter().filter(is_kept).map(|job| job.full_name()).collect())
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

/// Whether the Application, as a plugin knows it, has this name: outside of the namespace of Argo CD, its namespace comes before it.
fn declares(of_plugin: &str, name: &str) -> bool {
    of_plugin.rsplit('_').next() == Some(name)
}

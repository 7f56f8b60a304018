//! Manifests and settings → the output. Pure: reads no file system and no clock.
//!
//! Every document is read, so that a broken document is reported before anything is printed. Jobs get a strategy, and the documents that contain them
//! a new text. Documents are planned in parallel, because they are independent until the names of all Jobs are compared. The order does not change
//! the result.

mod batch;
mod collision;
mod counted;
mod document;
mod found;
mod json;
pub mod parallel;
mod problem;
mod rbac;
mod references;
mod trigger;
mod visit;

use std::collections::BTreeMap;
use std::path::Path;

use goyaml::RefusedBy;
use goyaml::edit::EditKind;
use goyaml::split::{self, Pieces};
use kube_jobs::argocd::{Application, Phase};
use text::Span;

use crate::manifest::{Manifest, Reader};
use crate::settings::{Empty, HashReferences, Layers, Output, Overruled, Random, SetValues, Trigger};
use crate::strategy::{Outcome, Strategy};
use batch::Batch;
use counted::Counted;
pub use counted::{MAX_FINDINGS, Size, Together, too_many_sources};
use found::Found;
pub use found::Rewrite;
pub use problem::{Problem, ProblemKind};
use trigger::Hook;
pub use trigger::{TRIGGER, digest as trigger_digest, is_trigger, starts_a_sync};
pub use visit::{Reading, Visited, Visitor};

/// The input of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The directory of the source, as messages name it.
    pub shown_as: &'a Path,
    /// The manifests, in the order of the output.
    pub manifests: &'a [Manifest],
    /// The settings of all layers above the Jobs.
    pub settings: &'a Layers,
    /// The facts about the Application.
    pub application: &'a Application,
    /// The settings for the output as a whole.
    pub output: &'a Output,
    /// The counts that all sources of the run share. None if there is only one source.
    pub together: Option<&'a Together>,
}

/// The output of `generate`, and how it is made.
#[derive(Debug, Default)]
pub struct Plan {
    /// The pieces of each manifest.
    pub pieces: Vec<Pieces>,
    /// For each manifest: whether Argo CD's directory reader ignores it, by its own rule.
    pub ignored: Vec<bool>,
    /// The number of objects. A list counts as one.
    pub objects: usize,
    /// The plans of the Jobs, in the order of the manifests.
    pub jobs: Vec<JobPlan>,
    /// The new texts of changed pieces, in the order of the manifests.
    pub rewrites: Vec<Rewrite>,
    /// The data of the trigger: a digest for each hook whose change should start a sync. Empty without a trigger.
    pub trigger: BTreeMap<String, String>,
    /// The documents that are appended to the output: the trigger of each source.
    pub appended: Vec<String>,
}

/// The plan of one Job.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// The index of the Job's manifest.
    pub manifest: usize,
    /// The piece of the manifest that contains the Job.
    pub piece: Span,
    /// The index of the Job in the list that the piece contains. None if the piece is the Job.
    pub item: Option<usize>,
    /// The byte offset in the manifest of the Job's name, or of the Job if it has no name.
    pub offset: usize,
    /// `metadata.namespace`
    pub namespace: Option<String>,
    /// `metadata.name` in the input.
    pub name: Option<String>,
    /// The settings of the Job, and who set them.
    pub settings: SetValues,
    /// The settings that had no effect because of a lock.
    pub overruled: Vec<Overruled>,
    /// The strategy and the reason. `changes` is empty, to save memory.
    pub outcome: Outcome,
    /// Whether the strategy changes the Job.
    pub changes: bool,
    /// The name and the phases in the output.
    pub emitted: Emitted,
}

impl JobPlan {
    /// The name before a strategy appends a suffix; a `generateName` with its dash.
    fn input_name(&self) -> Option<&str> {
        self.outcome.input_name.as_ref().map(|input| input.name.as_str())
    }

    /// Whether the strategy is `keep`.
    fn is_kept(&self) -> bool {
        self.outcome.decision.strategy == Strategy::Keep
    }
}

/// The name of the emitted Job, and the phases in which it runs as a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// `metadata.name`
    pub name: Option<String>,
    /// `metadata.generateName`
    pub generate_name: Option<String>,
    /// The phases of a hook. Empty for a Job that is not a hook.
    pub phases: Vec<Phase>,
    /// The digest of the hook for the trigger. None if a change of the Job must not start a sync.
    pub trigger_digest: Option<String>,
}

/// Plans the output. Fails with all problems of the input: at most one syntax error for each manifest, and all refusals.
pub fn plan(request: &Request<'_>) -> Result<Plan, Vec<Problem>> {
    let (plan, problems) = attempt(request);
    if problems.is_empty() { Ok(plan) } else { Err(problems) }
}

/// Plans as much of the output as possible. The plan leaves out the parts with problems, so only a plan without problems may be written.
pub fn attempt(request: &Request<'_>) -> (Plan, Vec<Problem>) {
    let counted = Counted { together: &Together::default(), keeps: false };
    let (plan, problems, _) = attempt_with(request, &visit::KeepNothing, counted);
    (plan, problems)
}

/// Plans as [`attempt`] does, and also returns what `visitor` keeps of each document: in the order of the manifests, without the documents that Argo
/// CD ignores. If a limit is exceeded, there is one problem and nothing is kept.
pub fn attempt_visiting<V: Visitor>(request: &Request<'_>, visitor: &V) -> (Plan, Vec<Problem>, Vec<Visited<V::Kept>>) {
    let alone = Together::default();
    let counted = Counted { together: request.together.unwrap_or(&alone), keeps: true };
    let (mut plan, problems, visited) = attempt_with(request, visitor, counted);
    let visited = visit::visit_the_rest(request, (&plan.pieces, &plan.ignored), visited, (visitor, counted));
    let Some(excess) = counted.together.excess() else { return (plan, problems, visited) };
    plan.jobs.clear();
    (plan, vec![excess], Vec::new())
}

fn attempt_with<V: Visitor>(
    request: &Request<'_>,
    visitor: &V,
    counted: Counted<'_>,
) -> (Plan, Vec<Problem>, Vec<Visited<V::Kept>>) {
    let pieces: Vec<Pieces> = request.manifests.iter().map(pieces_of).collect();
    let data = match request.output.hash_references {
        HashReferences::Yes => references::collect(request, &pieces),
        HashReferences::No => references::Data::default(),
    };
    let mut visited = Vec::new();
    let batches = batch::plan_all((request, &data, counted), &pieces, visitor).into_iter().map(|(batch, own)| {
        visited.extend(own);
        batch
    });
    let (found, ignored) = put_together(request, &pieces, batches);
    let Found { objects, jobs, hooks, rewrites, mut problems, triggers, roles } = found;
    let trigger = match request.output.trigger {
        Trigger::Yes => trigger::data(&jobs, &hooks),
        Trigger::No => BTreeMap::new(),
    };
    let mut plan = Plan { pieces, ignored, objects, jobs, rewrites, trigger, appended: Vec::new() };
    if let Some(excess) = counted.together.excess() {
        return (plan, vec![excess], visited);
    }
    if data.is_exceeded() {
        problems.push(Problem::too_much_data());
        return (plan, problems, visited);
    }
    problems.extend(collision::find(&plan.jobs, request));
    if request.output.random == Random::Refused {
        problems.extend(Problem::random(&plan.jobs, request.manifests));
    }
    if problems.is_empty() {
        problems.extend(plan.complete(request, [&roles, &triggers], &hooks).err());
    }
    (plan, problems, visited)
}

/// Merges the batches, which are in the order of the manifests. Also returns for each manifest whether Argo CD ignores it.
fn put_together(request: &Request<'_>, pieces: &[Pieces], batches: impl Iterator<Item = Batch>) -> (Found, Vec<bool>) {
    let mut total = Found::default();
    let mut ignored = vec![false; pieces.len()];
    let mut batches = batches.peekable();
    for (index, manifest) in request.manifests.iter().enumerate() {
        let before = total.objects;
        let mut broken = None;
        while let Some(batch) = batches.next_if(|batch| batch.manifest == index) {
            // Documents after one that cannot be read do not count.
            if broken.is_none() {
                total.absorb(batch.found);
                broken = batch.broken;
            }
        }
        match broken.or_else(|| pieces[index].error.clone()) {
            Some(error)
                if error.by == RefusedBy::ArgoCd
                    && manifest.reader == Reader::DirectoryYaml
                    && total.objects == before
                    && !manifest.looks_like_one() =>
            {
                ignored[index] = true;
            }
            Some(error) => total.problems.push(Problem::syntax(manifest, &error)),
            None => {}
        }
    }
    (total, ignored)
}

/// The pieces of a manifest. A `.json` file is always one piece, because Argo CD does not read it as a stream.
fn pieces_of(manifest: &Manifest) -> Pieces {
    match manifest.reader {
        Reader::DirectoryJson => Pieces::whole(&manifest.text),
        Reader::Stream | Reader::DirectoryYaml => split::split(&manifest.text),
    }
}

impl Plan {
    /// Adds the plan of a further source of the Application, whose manifests come after those of this one.
    pub fn absorb(&mut self, further: Self) {
        let Self { pieces, ignored, objects, jobs, rewrites, trigger, appended } = further;
        let first = self.pieces.len();
        self.pieces.extend(pieces);
        self.ignored.extend(ignored);
        self.objects += objects;
        self.jobs.extend(jobs.into_iter().map(|job| JobPlan { manifest: first + job.manifest, ..job }));
        let placed =
            |Rewrite { place: (manifest, span), text, kind }| Rewrite { place: (first + manifest, span), text, kind };
        self.rewrites.extend(rewrites.into_iter().map(placed));
        self.trigger.extend(trigger);
        self.appended.extend(appended);
    }

    /// The last steps of the plan, which need the Jobs of all manifests.
    fn complete(
        &mut self,
        request: &Request<'_>,
        [roles, triggers]: [&[(usize, Span)]; 2],
        hooks: &[Hook],
    ) -> Result<(), Problem> {
        if self.objects == 0 && request.output.empty == Empty::Refused {
            return Err(Problem::no_object(request));
        }
        self.follow_names(request, roles)?;
        self.place_trigger(request, triggers, hooks);
        Ok(())
    }

    /// Replaces the names of renamed Jobs in roles.
    fn follow_names(&mut self, request: &Request<'_>, roles: &[(usize, Span)]) -> Result<(), Problem> {
        let rewrites = std::mem::take(&mut self.rewrites);
        self.rewrites = rbac::follow(request, &self.jobs, roles, rewrites)
            .map_err(|(manifest, error)| Problem::syntax(&request.manifests[manifest], &error))?;
        Ok(())
    }

    /// Replaces the trigger of an earlier run, or appends a new one.
    fn place_trigger(&mut self, request: &Request<'_>, known: &[(usize, Span)], hooks: &[Hook]) {
        if request.application.name.is_none() {
            return;
        }
        let mut document = match request.output.trigger {
            Trigger::Yes => trigger::document(&self.trigger, (&self.jobs, hooks), request),
            Trigger::No => None,
        };
        for (manifest, span) in known.iter().copied() {
            let old = span.of(&request.manifests[manifest].text);
            // A stream of JSON objects cannot contain YAML. There the appended trigger comes last and wins.
            if old.starts_with('{') {
                continue;
            }
            let text = format!("{}{}", trigger::opening(old), document.take().unwrap_or_default());
            if text != old {
                self.rewrites.push(Rewrite { place: (manifest, span), text, kind: EditKind::Reemitted });
            }
        }
        self.rewrites.sort_by_key(|rewrite| rewrite.place);
        self.appended.extend(document);
    }
}

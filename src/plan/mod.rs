//! Manifests + settings → the output, without a file system or a clock.
//!
//! Every document is read, so that a broken one is reported before anything is printed; Jobs get a strategy, and the documents
//! that hold them a new text. Documents are independent of each other until the names of all Jobs are compared, so they are
//! planned in parallel; the result does not depend on how.

mod batch;
mod collision;
mod counted;
mod document;
mod found;
mod json;
pub(crate) mod parallel;
mod problem;
mod rbac;
mod references;
mod trigger;
mod visit;

use crate::argocd::{Application, Phase};
use crate::manifest::{Manifest, Reader};
use crate::settings::{Layers, Overruled, SetValues};
use crate::strategy::{Outcome, Strategy};
use crate::text::Span;
use crate::yaml::edit::EditKind;
use crate::yaml::split::{self, Pieces};

use crate::settings::{Empty, HashReferences, Output, Random, Trigger};
use batch::Batch;
use counted::Counted;
use found::Found;
use trigger::Hook;

pub(crate) use counted::MAX_FINDINGS;
pub use counted::{Together, too_many_sources};
pub use found::Rewrite;
pub use problem::{Problem, ProblemKind};
pub use trigger::{TRIGGER, digest as trigger_digest, is_trigger, starts_a_sync};
pub use visit::{Reading, Visited, Visitor};

/// What is planned.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The manifests, in the order of the output.
    pub manifests: &'a [Manifest],
    /// The settings of all layers above the Jobs.
    pub settings: &'a Layers,
    /// What Argo CD says about the Application.
    pub application: &'a Application,
    /// What is done with the output as a whole.
    pub output: &'a Output,
    /// What all sources have together, when there are several.
    pub together: Option<&'a Together>,
}

/// What `generate` prints, and how it is made.
#[derive(Debug)]
pub struct Plan {
    /// The pieces of each manifest.
    pub pieces: Vec<Pieces>,
    /// For each manifest, whether Argo CD's directory reader ignores it.
    pub ignored: Vec<bool>,
    /// The number of objects, before lists are unpacked.
    pub objects: usize,
    /// The Jobs in the order of the manifests.
    pub jobs: Vec<JobPlan>,
    /// The pieces that change, in the order of the manifests.
    pub rewrites: Vec<Rewrite>,
    /// Whether the data of ConfigMaps and Secrets is part of the hashes.
    pub hash_references: HashReferences,
    /// A document after all others.
    pub appended: Option<String>,
}

/// The plan of one Job.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// The index of its manifest.
    pub manifest: usize,
    /// The piece of it that holds the Job.
    pub piece: Span,
    /// The index of the Job in the list that the piece is, when it is one.
    pub item: Option<usize>,
    /// The byte offset in the manifest of the Job's name, or of the Job when it has none.
    pub offset: usize,
    /// `metadata.namespace`
    pub namespace: Option<String>,
    /// `metadata.name` in the input.
    pub name: Option<String>,
    /// What is set for it, and by whom.
    pub settings: SetValues,
    /// What would be set if it were not locked.
    pub overruled: Vec<Overruled>,
    /// The strategy. Its changes are not kept.
    pub outcome: Outcome,
    /// Whether the strategy changes anything.
    pub changes: bool,
    /// What Argo CD applies.
    pub emitted: Emitted,
}

impl JobPlan {
    /// The name before a strategy adds its suffix; a `generateName` with its dash.
    fn input_name(&self) -> Option<&str> {
        self.outcome.input_name.as_ref().map(|input| input.name.as_str())
    }

    /// True for a Job that its strategy leaves as it is.
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
    /// Empty for a Job that is not a hook.
    pub phases: Vec<Phase>,
    /// What changes when the hook does; none for a Job that starts no sync.
    pub trigger_digest: Option<String>,
}

/// Plans the output, or says what is wrong with the input: at most one syntax error a manifest, and all refusals.
pub fn plan(request: &Request<'_>) -> Result<Plan, Vec<Problem>> {
    let (plan, problems) = attempt(request);
    if problems.is_empty() { Ok(plan) } else { Err(problems) }
}

/// Plans as much of the output as can be: with what is wrong with the rest, which is then not in the plan. Only a plan without
/// problems may be written.
pub fn attempt(request: &Request<'_>) -> (Plan, Vec<Problem>) {
    let counted = Counted { together: &Together::default(), keeps: false };
    let (plan, problems, _) = attempt_with(request, &visit::KeepNothing, counted);
    (plan, problems)
}

/// Plans as [`attempt`] does, and also returns what `visitor` keeps of each document, in the order of the manifests and without the documents
/// that Argo CD ignores. If this is more than a limit allows, there is a problem, and nothing is kept.
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
    let hash_references = request.output.hash_references;
    let mut plan = Plan { pieces, ignored, objects, jobs, rewrites, hash_references, appended: None };
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

/// Adds up the batches, which are in the order of the manifests. Also returns for each manifest whether Argo CD ignores it.
fn put_together(request: &Request<'_>, pieces: &[Pieces], batches: impl Iterator<Item = Batch>) -> (Found, Vec<bool>) {
    let mut total = Found::default();
    let mut ignored = vec![false; pieces.len()];
    let mut batches = batches.peekable();
    for (index, manifest) in request.manifests.iter().enumerate() {
        let before = total.objects;
        let mut broken = None;
        while let Some(batch) = batches.next_if(|batch| batch.manifest == index) {
            // Behind a document that cannot be read, nothing counts.
            if broken.is_none() {
                total.absorb(batch.found);
                broken = batch.broken;
            }
        }
        match broken.or_else(|| pieces[index].error.clone()) {
            Some(_)
                if manifest.reader == Reader::DirectoryYaml
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

/// A `.json` file is one piece whatever is in it: it is not read as a stream.
fn pieces_of(manifest: &Manifest) -> Pieces {
    match manifest.reader {
        Reader::DirectoryJson => Pieces::whole(&manifest.text),
        Reader::Stream | Reader::DirectoryYaml => split::split(&manifest.text),
    }
}

impl Plan {
    /// Does what needs the Jobs of all manifests.
    fn complete(
        &mut self,
        request: &Request<'_>,
        [roles, triggers]: [&[(usize, Span)]; 2],
        hooks: &[Hook],
    ) -> Result<(), Problem> {
        if self.objects == 0 && request.output.empty == Empty::Refused {
            return Err(Problem::no_object(request.manifests, request.settings));
        }
        self.follow_names(request, roles)?;
        self.place_trigger(request, triggers, hooks);
        Ok(())
    }

    /// Puts the emitted names of Jobs into the roles that name them.
    fn follow_names(&mut self, request: &Request<'_>, roles: &[(usize, Span)]) -> Result<(), Problem> {
        let rewrites = std::mem::take(&mut self.rewrites);
        self.rewrites = rbac::follow(request, &self.jobs, roles, rewrites)
            .map_err(|(manifest, error)| Problem::syntax(&request.manifests[manifest], &error))?;
        Ok(())
    }

    /// Replaces the trigger of an earlier run, or appends the trigger.
    fn place_trigger(&mut self, request: &Request<'_>, known: &[(usize, Span)], hooks: &[Hook]) {
        if request.application.name.is_none() {
            return;
        }
        let mut document = match request.output.trigger {
            Trigger::Yes => trigger::document(&self.jobs, hooks, request),
            Trigger::No => None,
        };
        for (manifest, span) in known.iter().copied() {
            let old = span.of(&request.manifests[manifest].text);
            // A stream of JSON objects can hold no YAML; the appended trigger wins there.
            if old.starts_with('{') {
                continue;
            }
            let text = format!("{}{}", trigger::opening(old), document.take().unwrap_or_default());
            if text != old {
                self.rewrites.push(Rewrite { place: (manifest, span), text, kind: EditKind::Reemitted });
            }
        }
        self.rewrites.sort_by_key(|rewrite| rewrite.place);
        self.appended = document;
    }
}

//! One document: reads it, plans its Jobs, writes its new text.

use super::references::Data;
use super::{Emitted, JobPlan, Part, Problem, Request, Rewrite, references, role, trigger};
use crate::argocd::Phase;
use crate::kubernetes::{Job, object};
use crate::manifest::Manifest;
use crate::settings::ForJob;
use crate::strategy::{self, Outcome};
use crate::text::Span;
use crate::yaml::edit::{self, Target};
use crate::yaml::resolve::Scalar;
use crate::yaml::tree::{Kind, NodeId};
use crate::yaml::{SyntaxError, Tree, Value, check, value};

/// What is known while one manifest is planned.
pub(super) struct Planner<'p> {
    pub(super) request: &'p Request<'p>,
    /// The index of the manifest.
    pub(super) manifest: usize,
    /// What Jobs may refer to.
    pub(super) data: &'p Data,
}

/// One document of a manifest, read.
pub(super) struct Document<'d> {
    pub(super) planner: &'d Planner<'d>,
    pub(super) tree: &'d Tree,
    /// Its text, which is not always a part of the manifest's: JSON can be printed anew.
    pub(super) text: &'d str,
    /// The piece of the manifest that it is.
    pub(super) span: Span,
}

/// Reads the piece `span` of a manifest and plans what is in it.
pub(super) fn plan(planner: &Planner<'_>, span: Span, tree: &mut Tree, part: &mut Part) -> Result<(), SyntaxError> {
    let text = span.of(planner.text());
    read(tree, text).map_err(|error| error.shifted(span.start)).and_then(|found| {
        if found == Content::Object {
            part.objects += 1;
            let document = Document { planner, tree, text, span };
            document.plan_jobs(part).map_err(|error| error.shifted(span.start))?;
        }
        Ok(())
    })
}

impl<'p> Planner<'p> {
    /// The manifest's text.
    pub(super) fn text(&self) -> &'p str {
        &self.request.manifests[self.manifest].text
    }
}

/// Whether there is an object in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Nothing,
    Object,
}

/// Reads a document and refuses what Argo CD refuses.
pub(super) fn read(tree: &mut Tree, text: &str) -> Result<Content, SyntaxError> {
    tree.read(text)?;
    check::check(tree, text)?;
    let Some(root) = tree.root() else { return Ok(Content::Nothing) };
    match tree.kind(root) {
        Kind::Mapping(_) => {}
        Kind::Scalar(_) if matches!(tree.resolve(root, text), Ok(Scalar::Null)) => return Ok(Content::Nothing),
        Kind::Sequence(_) => return Err(no_object(tree, root, "a list")),
        _ => return Err(no_object(tree, root, "a scalar")),
    }
    match tree.text_at(root, &["kind"], text) {
        Some(kind) if !kind.is_empty() => only_objects(tree, text).map(|()| Content::Object),
        _ => {
            let offset = tree.span(root).start;
            let message = "the object has no `kind`, or one that is no string".to_owned();
            Err(SyntaxError {
                offset,
                message,
                help: Some(
                    "Argo CD would refuse the whole output for it; if this is no manifest, leave the file out with `exclude`",
                ),
            })
        }
    }
}

/// Each item of a list must be an object (`EachListItem` of `unstructured.Unstructured` in `k8s.io/apimachinery`).
fn only_objects(tree: &Tree, text: &str) -> Result<(), SyntaxError> {
    let other = object::objects(tree, text).into_iter().find(|(_, item)| !matches!(tree.kind(*item), Kind::Mapping(_)));
    match other {
        None => Ok(()),
        Some((_, item)) => {
            let message = "an item of `items` is no object".to_owned();
            Err(SyntaxError { offset: tree.span(item).start, message, help: None })
        }
    }
}

fn no_object(tree: &Tree, root: NodeId, found: &str) -> SyntaxError {
    let message = format!("the document is {found}, expected an object with a `kind`");
    SyntaxError { offset: tree.span(root).start, message, help: None }
}

impl Document<'_> {
    /// Plans the Jobs of the document and, when one changes, the document's new text.
    pub(super) fn plan_jobs(&self, part: &mut Part) -> Result<(), SyntaxError> {
        let place = (self.planner.manifest, self.span);
        if self.tree.root().is_some_and(|root| trigger::is_one(self.tree, root, self.text)) {
            part.triggers.push(place);
        }
        if role::is_one(self.tree, self.text) {
            part.roles.push(place);
        }
        let mut targets = Vec::new();
        for (item, node) in object::objects(self.tree, self.text) {
            if !object::is_job(self.tree, node, self.text) {
                continue;
            }
            let job = Job::new(value::value(self.tree, node, self.text)?);
            match self.decide(node, &job) {
                Ok((outcome, said)) => {
                    if !outcome.changes.is_empty() {
                        targets.push(Target { item, changes: outcome.changes.clone() });
                    }
                    part.jobs.push(self.job_plan((item, node), job, outcome, said));
                }
                Err(problem) => part.problems.push(problem),
            }
        }
        if !targets.is_empty() {
            let (text, how) = edit::rewrite(self.tree, self.text, &targets)?;
            part.rewrites.push(Rewrite { manifest: self.planner.manifest, span: self.span, text, how });
        }
        Ok(())
    }

    fn decide(&self, node: NodeId, job: &Job) -> Result<(Outcome, ForJob), Problem> {
        let request = self.planner.request;
        let manifest = &request.manifests[self.planner.manifest];
        let settings = request.settings.for_job(job, request.application.namespace.as_deref());
        let mut said = settings.map_err(|error| {
            let path = ["metadata", "annotations", error.by.name()];
            Problem::annotation(manifest.place(self.offset(manifest, node, &path)), &error)
        })?;
        said.options.references = references::of(job, request, self.planner.data);
        let outcome = strategy::decide(job, &said.options, request.application).map_err(|refusal| {
            let path = refusal.path();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            Problem::refusal(manifest.place(self.offset(manifest, node, &path)), &refusal)
        })?;
        Ok((outcome, said))
    }

    /// The byte of the manifest where the value at `path` stands, or of what is nearest to it.
    fn offset(&self, manifest: &Manifest, node: NodeId, path: &[&str]) -> usize {
        if self.span.of(&manifest.text) != self.text {
            return self.span.start;
        }
        let found = (0..=path.len()).rev().find_map(|depth| self.tree.find(node, &path[..depth], self.text));
        self.span.start + self.tree.span(found.unwrap_or(node)).start
    }

    fn job_plan(&self, (item, node): (Option<usize>, NodeId), job: Job, outcome: Outcome, said: ForJob) -> JobPlan {
        let named =
            ["name", "generateName"].into_iter().find_map(|key| self.tree.find(node, &["metadata", key], self.text));
        let offset = self.span.start + self.tree.span(named.unwrap_or(node)).start;
        let namespace = job.namespace().map(ToOwned::to_owned);
        let name = job.name().map(ToOwned::to_owned);
        let emitted = emitted(job, &outcome);
        let ForJob { settings, overruled, .. } = said;
        let (manifest, piece) = (self.planner.manifest, self.span);
        JobPlan { manifest, piece, item, offset, namespace, name, settings, overruled, outcome, emitted }
    }
}

/// What Argo CD reads of a Job with its changes done.
fn emitted(job: Job, outcome: &Outcome) -> Emitted {
    let mut value: Value = job.value().clone();
    outcome.changes.iter().for_each(|change| change.apply(&mut value));
    let job = Job::new(value);
    let phases: Vec<Phase> = if job.is_hook() { job.phases() } else { Vec::new() };
    Emitted {
        name: job.name().map(ToOwned::to_owned),
        generate_name: job.generate_name().map(ToOwned::to_owned),
        phases,
        trigger_digest: trigger::digest(&job),
    }
}

//! Plans one document: reads it, decides its Jobs, and writes its new text.

use std::borrow::Cow;

use goyaml::resolve::Scalar;
use goyaml::{Change, Changes, Document, Kind, Node, Path, SyntaxError, Target, Tree, Value, edit, path};
use kube_jobs::argocd::{self, Phase};
use kube_jobs::kubernetes::{Job, Object, is_job, list};
use text::Span;

use super::counted::Counted;
use super::found::Found;
use super::references::Data;
use super::trigger::{self, Hook};
use super::{Emitted, JobPlan, Problem, Request, Rewrite, rbac, references};
use crate::manifest::Manifest;
use crate::settings::{ForJob, SetValues, Trigger};
use crate::strategy::{self, Outcome};

/// The context for planning one manifest.
pub(super) struct Planner<'p> {
    pub(super) request: &'p Request<'p>,
    /// The index of the manifest.
    pub(super) manifest: usize,
    /// The ConfigMaps and Secrets that Jobs may refer to.
    pub(super) data: &'p Data,
    /// The counts of the run so far.
    pub(super) counted: Counted<'p>,
}

/// Plans the root of one document, which is an object or a list of objects.
pub(super) struct RootPlanner<'d> {
    pub(super) planner: &'d Planner<'d>,
    /// The root. Its text is not a part of the manifest if JSON had to be printed again.
    pub(super) root: Node<'d>,
    /// The piece of the manifest that contains the document.
    pub(super) span: Span,
}

/// Reads the piece `span` of a manifest and plans its Jobs.
pub(super) fn plan<'t>(
    planner: &Planner<'t>,
    span: Span,
    tree: &'t mut Tree,
    found: &mut Found,
) -> Result<Document<'t>, SyntaxError> {
    let shifted = |error: SyntaxError| error.shifted(span.start);
    let document = tree.read(span.of(planner.text())).and_then(Document::checked).map_err(shifted)?;
    if let Some(root) = object_of(document).map_err(shifted)? {
        // Argo CD has read an object, whatever its items are.
        found.objects += 1;
        only_objects(root).map_err(shifted)?;
        RootPlanner { planner, root, span }.plan_jobs(found).map_err(shifted)?;
    }
    Ok(document)
}

/// The maximum number of keys and values of a Job. The API server accepts objects of at most 3 MiB.
const MAX_JOB_NODES: usize = 50_000;

/// The maximum size of a Job in bytes.
const MAX_JOB_BYTES: usize = 8 << 20;

/// The help for a Job that is too large.
const MOUNT: &str = "put long data into a volume that the Job mounts";

/// The changes of the Jobs in a list. They are decided again at each call.
struct ItemChanges<'d, 'p>(&'d RootPlanner<'p>);

impl Changes for ItemChanges<'_, '_> {
    fn of(&self, item: Option<usize>, object: Node<'_>) -> Cow<'_, [Change]> {
        let object = object.target();
        if item.is_none() || !is_job(&object) {
            return Cow::Borrowed(&[]);
        }
        // A Job that cannot be read or decided has already been reported, so the output is not printed.
        let decided = object.value().ok().and_then(|value| self.0.decide(object, &Job::new(value)).ok());
        Cow::Owned(decided.map(|(outcome, _)| outcome.changes).unwrap_or_default())
    }
}

impl<'p> Planner<'p> {
    pub(super) fn text(&self) -> &'p str {
        &self.request.manifests[self.manifest].text
    }
}

/// The root object of a document. None for a document without content.
pub(super) fn object_of(document: Document<'_>) -> Result<Option<Node<'_>>, SyntaxError> {
    let Some(root) = document.root() else { return Ok(None) };
    match root.kind() {
        Kind::Mapping(_) => {}
        Kind::Scalar(_) if root.resolve() == Ok(Scalar::Null) => return Ok(None),
        Kind::Sequence(_) => return Err(no_object(root, "a list")),
        _ => return Err(no_object(root, "a scalar")),
    }
    if root.text_at(&["kind"]).is_none_or(str::is_empty) {
        let message = "missing `kind`, or it is not a string";
        return Err(SyntaxError::new(root.span().start, message).with_help(
            "Argo CD would reject the whole output; if the file is not a manifest, leave it out with `exclude`",
        ));
    }
    // `schema.ParseGroupVersion` of `k8s.io/apimachinery` then reads neither group nor version, and the kind is lost.
    if let Some(version) =
        root.get("apiVersion").filter(|version| version.as_text().is_some_and(|text| text.matches('/').count() > 1))
    {
        let message = "`apiVersion` has more than one `/`";
        return Err(SyntaxError::new(version.span().start, message).with_help("write it as `group/version`"));
    }
    Ok(Some(root))
}

/// Checks that each item of a list is an object (`EachListItem` of `unstructured.Unstructured` in `k8s.io/apimachinery`).
pub(super) fn only_objects(root: Node<'_>) -> Result<(), SyntaxError> {
    let other = list::objects(root.document()).into_iter().find(|(_, item)| !item.is_map());
    other.map_or(Ok(()), |(_, item)| Err(SyntaxError::new(item.span().start, "an item of `items` is not an object")))
}

fn no_object(root: Node<'_>, found: &str) -> SyntaxError {
    let message = format!("the document is {found}, expected an object with a `kind`");
    SyntaxError::new(root.span().start, message)
}

impl RootPlanner<'_> {
    /// Plans the Jobs of the document. If one changes, also plans the document's new text.
    pub(super) fn plan_jobs(&self, found: &mut Found) -> Result<(), SyntaxError> {
        let place = (self.planner.manifest, self.span);
        if trigger::is_trigger(&self.root) {
            found.triggers.push(place);
        }
        let document = self.root.document();
        if rbac::has_roles(document) {
            found.roles.push(place);
        }
        // The changes of a single Job are used for the edit below. Those of a list are decided again there, because all of them together need many
        // times the memory of the text.
        let mut alone = None;
        let mut is_changed = false;
        let objects = list::objects(document);
        if !self.planner.counted.may_plan(objects.len(), document) {
            return Ok(());
        }
        for (item, node) in objects {
            if !is_job(&node) {
                found.hooks.extend(self.hook(node));
                continue;
            }
            let job = self.read_job(node)?;
            match self.decide(node, &job) {
                Ok((outcome, said)) => {
                    let mut plan = self.job_plan((item, node), job, outcome, said);
                    let changes = std::mem::take(&mut plan.outcome.changes);
                    is_changed |= !changes.is_empty();
                    if item.is_none() {
                        alone = Some([Target { item, changes }]);
                    }
                    found.jobs.push(plan);
                }
                Err(problem) => found.problems.push(problem),
            }
        }
        if is_changed {
            let (text, kind) = match &alone {
                Some(target) => edit::rewrite(document, target.as_slice())?,
                None => edit::rewrite(document, &ItemChanges(self))?,
            };
            found.rewrites.push(Rewrite { place, text, kind });
        }
        Ok(())
    }

    /// Reads the value of a Job. Fails if the Job is too large.
    fn read_job(&self, node: Node<'_>) -> Result<Job, SyntaxError> {
        let span = node.span();
        let excess = if node.size() > MAX_JOB_NODES {
            Some("the Job has more than 50,000 keys and values")
        } else {
            (span.len() > MAX_JOB_BYTES).then_some("the Job is larger than 8 MiB")
        };
        if let Some(message) = excess {
            return Err(SyntaxError::new(span.start, message).with_help(MOUNT).of_a_limit());
        }
        node.value().map(Job::new)
    }

    /// The object as a hook that the trigger counts. None for other objects. None also for an object too large for the API server, whose
    /// value is not built.
    fn hook(&self, node: Node<'_>) -> Option<Hook> {
        if self.planner.request.output.trigger == Trigger::No {
            return None;
        }
        if !may_be_a_hook(node) || node.size() > MAX_JOB_NODES || node.span().len() > MAX_JOB_BYTES {
            return None;
        }
        Hook::of(&Object::new(node.value().ok()?))
    }

    fn decide(&self, node: Node<'_>, job: &Job) -> Result<(Outcome, ForJob), Problem> {
        let request = self.planner.request;
        let manifest = &request.manifests[self.planner.manifest];
        let settings = request.settings.for_job(job, request.application.namespace.as_deref());
        let mut said = settings.map_err(|error| {
            let path = path!["metadata", "annotations", error.by.name()];
            Problem::annotation(manifest.place(self.offset(manifest, node, &path)), &error)
        })?;
        said.options.references = references::of(job, request, self.planner.data);
        let outcome = strategy::decide(job, &said.options, request.application).map_err(|refusal| {
            Problem::refusal(manifest.place(self.offset(manifest, node, &refusal.path())), &refusal)
        })?;
        Ok((outcome, said))
    }

    /// The byte offset in the manifest of the value at `path`, or of its nearest parent that exists.
    fn offset(&self, manifest: &Manifest, node: Node<'_>, path: &Path) -> usize {
        if self.span.of(&manifest.text) != node.document().text() {
            return self.span.start;
        }
        self.span.start + node.follow(path).0.span().start
    }

    fn job_plan(&self, (item, node): (Option<usize>, Node<'_>), job: Job, outcome: Outcome, said: ForJob) -> JobPlan {
        let manifest = &self.planner.request.manifests[self.planner.manifest];
        let named = ["name", "generateName"].into_iter().find(|key| node.at(&["metadata", key]).is_some());
        let offset = self.offset(manifest, node, &named.map_or_else(|| path![], |key| path!["metadata", key]));
        let namespace = job.namespace().map(ToOwned::to_owned);
        let name = job.name().map(ToOwned::to_owned);
        let emitted = emitted(job, &outcome);
        let ForJob { settings, overruled, .. } = said;
        let (manifest, piece) = (self.planner.manifest, self.span);
        let settings = SetValues::of(&settings);
        let changes = !outcome.changes.is_empty();
        JobPlan { manifest, piece, item, offset, namespace, name, settings, overruled, outcome, changes, emitted }
    }
}

/// Whether an object has an annotation of a hook.
fn may_be_a_hook(node: Node<'_>) -> bool {
    let annotations = node.at(&["metadata", "annotations"]);
    annotations.is_some_and(|map| [argocd::HOOK, argocd::HELM_HOOK].into_iter().any(|key| map.get(key).is_some()))
}

/// Whether no setting makes more of a document than an object.
pub(super) fn has_no_hook(document: Document<'_>) -> bool {
    !list::objects(document).into_iter().any(|(_, node)| may_be_a_hook(node))
}

/// The name and phases that Argo CD reads from a Job after its changes.
fn emitted(job: Job, outcome: &Outcome) -> Emitted {
    let mut value: Value = job.value().clone();
    Change::apply_all(&outcome.changes, &mut value);
    let job = Job::new(value);
    let phases: Vec<Phase> = if job.is_hook() { job.phases() } else { Vec::new() };
    Emitted {
        name: job.name().map(ToOwned::to_owned),
        generate_name: job.generate_name().map(ToOwned::to_owned),
        phases,
        trigger_digest: trigger::digest(&job),
    }
}

//! The objects of a plan on two sides: as written, and as emitted. Previews and findings read them.
//!
//! `Survey::of` makes a plan, and keeps the needed parts of each document while the plan reads it. A plan alone keeps no values, because `generate`
//! must use little memory. A survey is pure, and leaves out documents that cannot be read: the problems of the plan report these.

mod retain;
mod locate;
mod parts;
mod random;
mod read;
mod redact;
mod upgrade;
mod sources;
pub mod bindings;
pub mod generated_name;
pub mod sync_order;

use std::mem;
use std::sync::{Arc, OnceLock};

use goyaml::{Path, Tree};
use kube_jobs::argocd::{self, Application, Ignored, Ignoring};
use kube_jobs::kubernetes::{Job, Object, fixed, is_cluster_scoped};
use rewrite::manifest::Manifest;
use rewrite::plan::{self, JobPlan, Plan, Problem, Request, Rewrite, Together, Visited, parallel};
use rewrite::version::Version;
use text::{Place, Span};

use crate::notes::Notes;
use locate::LastRead;
pub use locate::Located;
pub use parts::Part;
pub use random::{Random, RandomValue};
use read::{Earlier, Kept, Reader};
pub use redact::may_hold_one as may_hold_secret;
pub use sources::SourceSettings;
pub use upgrade::Upgraded;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The manifests as they are in the source.
    Written,
    /// The output of `generate`.
    Emitted,
}

/// Whether the survey will be compared with that of another version. Without a comparison no digests are computed, which saves an eighth of the time
/// of `check`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compared<'c> {
    /// Objects have digests, without what is ignored in the new version.
    Yes(Ignoring<'c>),
    /// Objects have no digests.
    No,
}

impl Compared<'_> {
    fn is_meant(self) -> bool {
        matches!(self, Self::Yes(_))
    }
}

/// The position of an object in the manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The index of the manifest.
    pub manifest: usize,
    /// The piece of the manifest that contains the object.
    pub piece: Span,
    /// The index of the object in the list that the piece contains. None if the piece is the object.
    pub item: Option<usize>,
}

/// The state of an object on one side.
#[derive(Clone, Debug)]
pub struct ObjectState {
    body: Body,
    /// Whether the object is a strategic merge patch.
    pub is_patch: bool,
    /// Whether a command line or a variable of the object may name a Job.
    pub may_name_a_job: bool,
    /// The immutable fields, with digests in place of values. Empty for a Job, and in a survey that is not compared.
    pub fixed: Vec<fixed::Field>,
    /// How Argo CD compares the object, with the short hash of its value. None in a survey that is not compared.
    pub compared: Option<argocd::Compared<String>>,
    /// The parts that a pod reads, with digests. Empty for most kinds, and in a survey that is not compared.
    pub parts: Box<[Part]>,
    /// The digest of a hook in the trigger. None for other objects, and in a survey that is not compared.
    pub hook_digest: Option<String>,
}

#[derive(Clone, Debug)]
enum Body {
    Job(Job),
    Other(Object),
}

impl ObjectState {
    /// Whether Argo CD sees no change when this object is live and the new one is in the source. False in a survey that is not compared: then a change
    /// cannot be ruled out, and a needless report does no harm.
    pub fn is_same_for_argo_cd(&self, new: &Self) -> bool {
        self.compared.as_ref().zip(new.compared.as_ref()).is_some_and(|(old, new)| !old.is_changed_by(new))
    }

    /// How much of the object Argo CD ignores in a comparison. Nothing in a survey that is not compared.
    pub fn ignored(&self) -> Ignored {
        self.compared.as_ref().map_or(Ignored::Nothing, |compared| compared.ignored)
    }

    /// The object. For most kinds, only `apiVersion`, `kind` and `metadata` are kept.
    pub fn object(&self) -> &Object {
        match &self.body {
            Body::Job(job) => job,
            Body::Other(object) => object,
        }
    }

    /// The Job. None for other objects.
    pub fn job(&self) -> Option<&Job> {
        match &self.body {
            Body::Job(job) => Some(job),
            Body::Other(_) => None,
        }
    }
}

/// One object with its states on both sides.
#[derive(Clone, Debug)]
pub struct ObjectPair {
    /// The position of the object. None for an object that `generate` adds.
    pub address: Option<Address>,
    /// The state as written. None for an object that `generate` adds.
    pub written: Option<Arc<ObjectState>>,
    /// The state as emitted. None for an object that `generate` removes.
    pub emitted: Option<Arc<ObjectState>>,
    /// The index of the Job's plan. None for other objects.
    pub job: Option<usize>,
}

impl ObjectPair {
    /// Whether the object is a Secret, whose content must not be shown.
    pub fn is_secret(&self) -> bool {
        self.written.as_ref().or(self.emitted.as_ref()).is_some_and(|resource| resource.object().kind() == "Secret")
    }

    /// The state of the object on one side. None if it is not on that side.
    pub fn on(&self, side: Side) -> Option<&ObjectState> {
        match side {
            Side::Written => self.written.as_deref(),
            Side::Emitted => self.emitted.as_deref(),
        }
    }
}

/// All objects of a version, with their plan.
#[derive(Debug)]
pub struct Survey<'s> {
    /// The manifests, in the order of the output.
    pub manifests: &'s [Manifest],
    /// The plan of the output.
    pub plan: Plan,
    /// The facts about the Application.
    pub application: &'s Application,
    /// The sources of the Application, in the order of their manifests. At least one.
    pub sources: Vec<SourceSettings<'s>>,
    /// The objects, in the order of the manifests. The objects that `generate` adds come last.
    pub objects: Vec<ObjectPair>,
    /// The notes of each document, in the order of the manifests.
    pub(crate) documents: Vec<Visited<Notes>>,
    /// The spans of Secrets, sorted by manifest and position.
    secrets: Vec<(usize, Span)>,
    compared: Compared<'s>,
    has_notes: bool,
    /// Whether helm has rendered all manifests.
    is_of_a_chart: bool,
    upgraded: OnceLock<Vec<Upgraded>>,
    last_read: LastRead,
}

impl<'s> Survey<'s> {
    /// Plans as much of the output of each source as possible, and surveys the objects of all. Also returns the problems of the rest. `together` are
    /// the counts that all sources of the run share. `noted` counts the findings; none are kept without it. Documents of `earlier` are not read again.
    pub(crate) fn of(
        version: &'s Version,
        together: Option<&'s Together>,
        compared: Compared<'s>,
        noted: Option<&Together>,
        earlier: Option<&Survey<'_>>,
    ) -> (Self, Vec<Problem>) {
        let has_notes = noted.is_some();
        let earlier = earlier.filter(|earlier| earlier.compared == compared && (earlier.has_notes || !has_notes));
        let earlier = earlier.map(Earlier::of);
        let reader = Reader { compared, noted, earlier: earlier.as_ref() };
        let (mut plan, mut problems, mut sources) = (Plan::default(), Vec::new(), Vec::new());
        let mut documents = Vec::new();
        for request in version.requests() {
            let request = Request { together, ..request };
            let first = plan.pieces.len();
            let (own, found, visited) = plan::attempt_visiting(&request, &reader);
            plan.absorb(own);
            problems.extend(found);
            sources.push(SourceSettings { first, layers: request.settings, output: request.output });
            documents.extend(visited.into_iter().map(|one| Visited { manifest: first + one.manifest, ..one }));
        }
        let manifests = version.manifests.as_slice();
        let (mut objects, secrets) = pair(&plan, &mut documents, &reader);
        objects.sort_by_key(|object| object.address);
        for (index, job) in plan.jobs.iter().enumerate() {
            let address = Address { manifest: job.manifest, piece: job.piece, item: job.item };
            if let Ok(place) = objects.binary_search_by_key(&Some(address), |object| object.address) {
                objects[place].job = Some(index);
            }
        }
        let added = plan.appended.iter().flat_map(|text| reader.objects(&mut Tree::default(), text, &[]));
        let added =
            added.map(|(_, resource)| ObjectPair { address: None, written: None, emitted: Some(resource), job: None });
        objects.extend(added);
        let is_of_a_chart = manifests.iter().all(Manifest::is_of_a_chart);
        let survey = Self {
            manifests,
            plan,
            application: &version.application,
            sources,
            objects,
            documents: documents.into_iter().map(noted_only).collect(),
            secrets,
            compared,
            has_notes,
            is_of_a_chart,
            upgraded: OnceLock::new(),
            last_read: LastRead::default(),
        };
        (survey, problems)
    }

    /// The objects of one side, each with its index in [`Survey::objects`].
    pub fn on(&self, side: Side) -> impl Iterator<Item = (usize, &ObjectState)> {
        self.objects.iter().enumerate().filter_map(move |(index, object)| Some((index, object.on(side)?)))
    }

    /// The objects in a piece of a manifest.
    pub fn in_piece(&self, manifest: usize, piece: Span) -> &[ObjectPair] {
        let place = |object: &ObjectPair| object.address.map(|address| (address.manifest, address.piece));
        // Objects without an address, which `generate` adds, come last.
        let first = self.objects.partition_point(|object| place(object).is_some_and(|at| at < (manifest, piece)));
        let own =
            self.objects[first..].partition_point(|object| place(object).is_some_and(|at| at <= (manifest, piece)));
        &self.objects[first..first + own]
    }

    /// The plan of a Job. None for other objects.
    pub fn job(&self, object: usize) -> Option<&JobPlan> {
        self.plan.jobs.get(self.objects[object].job?)
    }

    /// The namespace of an object: its own, else that of the Application, else empty; empty for a kind of Kubernetes that is in no namespace.
    pub fn namespace<'o>(&'o self, object: &'o Object) -> &'o str {
        let own = match (object.namespace(), self.application.namespace.as_deref()) {
            // Without a namespace, helm renders `.Release.Namespace` as this.
            (Some("default"), None) if self.is_of_a_chart => None,
            (own, application) => own.or(application),
        };
        own.filter(|_| !is_cluster_scoped(object.group(), object.kind())).unwrap_or("")
    }

    /// Frees the documents that were parsed to find places, for a survey that waits while others are made.
    pub fn forget_documents(&self) {
        self.last_read.forget();
    }

    /// The place of the value at `path` in an object, or of its nearest parent that exists. None for an object that `generate` adds.
    /// Parses the document again.
    pub fn place(&self, object: usize, path: &Path) -> Option<Place> {
        let address = self.objects[object].address?;
        Some(self.manifests[address.manifest].place(self.locate(address, path).span.start))
    }
}

fn noted_only(Visited { manifest, piece, plain, kept }: Visited<Kept>) -> Visited<Notes> {
    Visited { manifest, piece, plain, kept: kept.notes }
}

/// Pairs the objects as written with the objects as emitted. Also returns the spans of Secrets.
fn pair(plan: &Plan, documents: &mut [Visited<Kept>], reader: &Reader<'_>) -> (Vec<ObjectPair>, Vec<(usize, Span)>) {
    let rewritten = parallel::each_piece(&plan.pieces, |manifest, piece, tree| {
        let rewrite = rewrite(plan, manifest, piece)?;
        let place = |visited: &Visited<Kept>| (visited.manifest, visited.piece);
        let known = documents.binary_search_by_key(&(manifest, piece), place).ok();
        let like = known.map_or(&[][..], |known| &documents[known].kept.objects);
        Some(((manifest, piece), reader.objects(tree, &rewrite.text, like)))
    });
    let mut rewritten = rewritten.into_iter().peekable();
    let mut objects = Vec::with_capacity(documents.iter().map(|visited| visited.kept.objects.len()).sum());
    let mut secrets = Vec::new();
    for Visited { manifest, piece, kept, .. } in documents {
        let (manifest, piece) = (*manifest, *piece);
        let placed = |span: Span| (manifest, Span::new(piece.start + span.start, piece.start + span.end));
        secrets.extend(mem::take(&mut kept.secrets).into_iter().map(placed));
        while rewritten.next_if(|(place, _)| *place < (manifest, piece)).is_some() {}
        let mut emitted = rewritten.next_if(|(place, _)| *place == (manifest, piece)).map(|(_, objects)| objects);
        objects.extend(mem::take(&mut kept.objects).into_iter().map(|(item, written)| {
            let emitted = match &mut emitted {
                Some(emitted) => {
                    let same = emitted.iter().position(|(other, _)| *other == item);
                    same.map(|index| emitted.swap_remove(index).1)
                }
                None => Some(Arc::clone(&written)),
            };
            ObjectPair { address: Some(Address { manifest, piece, item }), written: Some(written), emitted, job: None }
        }));
    }
    (objects, secrets)
}

/// The rewrite of a piece. None if the piece is unchanged.
fn rewrite(plan: &Plan, manifest: usize, piece: Span) -> Option<&Rewrite> {
    let found = plan.rewrites.binary_search_by_key(&(manifest, piece), |rewrite| rewrite.place).ok()?;
    plan.rewrites.get(found)
}

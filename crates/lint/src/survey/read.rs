//! Reads each document once: its objects, its Secrets, and its notes. All of them follow from its text, so they are taken from a survey that has read
//! the same text before: the other version of a comparison, or the same version without the plugin.

use std::collections::HashMap;
use std::sync::Arc;

use goyaml::{Document, Tree, Value};
use kube_jobs::kubernetes::{Job, Object, fixed, is_cluster_scoped, list};
use rewrite::hash;
use rewrite::plan::{self, MAX_FINDINGS, Reading, Size, Together, Visited, Visitor};
use text::Span;

use super::{Body, Compared, ObjectPair, ObjectState, Side, Survey, parts, redact, retain};
use crate::notes::Notes;

/// The objects of one document, each with its index if the document is a list.
pub(super) type Objects = Vec<(Option<usize>, Arc<ObjectState>)>;

/// The kept parts of one document as written.
pub(super) struct Kept {
    pub(super) objects: Objects,
    /// The spans of Secrets, counted from the start of the document.
    pub(super) secrets: Vec<Span>,
    pub(super) notes: Notes,
}

/// Reads the documents of a survey.
pub(super) struct Reader<'r> {
    pub(super) compared: Compared<'r>,
    /// The counts of the findings. None if no notes are kept.
    pub(super) noted: Option<&'r Together>,
    pub(super) earlier: Option<&'r Earlier<'r>>,
}

impl Visitor for Reader<'_> {
    type Kept = Kept;

    fn visit(&self, reading: &Reading<'_>) -> Kept {
        if let Reading::Accepted(document) = reading
            && let Some((earlier, known)) = self.find(document.text())
        {
            return self.counted(earlier.kept(known));
        }
        let objects = reading.accepted().map(|document| objects(document, self.compared, &[])).unwrap_or_default();
        // One above the limit, so that an excess shows.
        let notes = if self.noted.is_some() { Notes::of(reading, MAX_FINDINGS + 1) } else { Notes::default() };
        let notes = Notes { is_accepted: matches!(reading, Reading::Accepted(_)), ..notes };
        self.counted(Kept { objects, secrets: redact::spans(reading), notes })
    }

    fn known(&self, text: &str) -> Option<(Size, Kept)> {
        let (earlier, known) = self.find(text)?;
        Some((known.plain?, self.counted(earlier.kept(known))))
    }
}

impl Reader<'_> {
    fn find(&self, text: &str) -> Option<(&Earlier<'_>, &Visited<Notes>)> {
        let earlier = self.earlier?;
        Some((earlier, earlier.written.get(text)?))
    }

    /// Removes the notes if nobody asks for them, or if there are too many.
    fn counted(&self, mut kept: Kept) -> Kept {
        let count = kept.notes.diagnostics.len() + kept.notes.comments.len();
        if !self.noted.is_some_and(|together| together.may_keep_findings(count)) {
            kept.notes = Notes { is_accepted: kept.notes.is_accepted, ..Notes::default() };
        }
        kept
    }

    /// The objects of a document that `generate` writes. Empty if it cannot be read. Shares the memory of values that are equal in `like`.
    pub(super) fn objects(&self, tree: &mut Tree, text: &str, like: &[(Option<usize>, Arc<ObjectState>)]) -> Objects {
        let known =
            self.earlier.and_then(|earlier| Some(earlier.objects(*earlier.rewritten.get(text)?, Side::Emitted)));
        known.unwrap_or_else(|| read_objects(tree, text, self.compared, like))
    }
}

/// The documents of an earlier survey, by their texts.
pub(super) struct Earlier<'e> {
    survey: &'e Survey<'e>,
    written: HashMap<&'e str, &'e Visited<Notes>>,
    /// The places of those that `generate` has rewritten, by the new texts.
    rewritten: HashMap<&'e str, (usize, Span)>,
}

impl<'e> Earlier<'e> {
    pub(super) fn of(survey: &'e Survey<'e>) -> Self {
        let text = |one: &'e Visited<Notes>| (one.piece.of(&survey.manifests[one.manifest].text), one);
        let rewrites = survey.plan.rewrites.iter();
        Self {
            survey,
            written: survey.documents.iter().filter(|one| one.kept.is_accepted).map(text).collect(),
            rewritten: rewrites.map(|rewrite| (rewrite.text.as_str(), rewrite.place)).collect(),
        }
    }

    fn kept(&self, known: &Visited<Notes>) -> Kept {
        let (place, start) = ((known.manifest, known.piece), known.piece.start);
        let secrets = self.survey.secrets_in(known.manifest, known.piece).iter();
        Kept {
            objects: self.objects(place, Side::Written),
            secrets: secrets.map(|(_, span)| Span::new(span.start - start, span.end - start)).collect(),
            notes: known.kept.clone(),
        }
    }

    fn objects(&self, (manifest, piece): (usize, Span), side: Side) -> Objects {
        let state = |object: &ObjectPair| {
            let state = if side == Side::Written { &object.written } else { &object.emitted };
            Some((object.address?.item, Arc::clone(state.as_ref()?)))
        };
        self.survey.in_piece(manifest, piece).iter().filter_map(state).collect()
    }
}

/// The objects of a document. Empty if it cannot be read. Shares the memory of values that are equal in `like`.
pub(super) fn read_objects(
    tree: &mut Tree,
    text: &str,
    compared: Compared<'_>,
    like: &[(Option<usize>, Arc<ObjectState>)],
) -> Objects {
    tree.read(text).map(|document| objects(document, compared, like)).unwrap_or_default()
}

/// The objects of a document that was read. Shares the memory of values that are equal in `like`, which is sorted by index.
fn objects(document: Document<'_>, compared: Compared<'_>, like: &[(Option<usize>, Arc<ObjectState>)]) -> Objects {
    // A digest needs the whole value. Without digests, the header is enough for most objects.
    let reads_all = compared.is_meant() || retain::text_may_name_a_job(document.text());
    let value = |node| retain::header(node, reads_all).map_or_else(|| node.value().ok(), Some);
    let shared = |item: Option<usize>, mut value: Value| {
        if let Ok(known) = like.binary_search_by_key(&item, |(known, _)| *known) {
            value.share(like[known].1.object().value());
        }
        value
    };
    let found = list::objects(document);
    // Exact capacity: most documents have one object, and a growing list would reserve four.
    let mut objects = Vec::with_capacity(found.len());
    objects.extend(
        found
            .into_iter()
            .filter_map(|(item, node)| Some((item, Arc::new(resource(shared(item, value(node)?), compared)?)))),
    );
    objects
}

fn resource(value: Value, compared: Compared<'_>) -> Option<ObjectState> {
    value.text_at(&["kind"])?;
    let mut object = Object::new(value);
    if is_cluster_scoped(object.group(), object.kind()) {
        let mut value = object.into_value();
        value.remove(&["metadata", "namespace"]);
        object = Object::new(value);
    }
    let seen = match compared {
        Compared::Yes(ignoring) => Some(ignoring.compared(&object).map(|value| hash::short_of(&value))),
        Compared::No => None,
    };
    let hook_digest = if compared.is_meant() { plan::trigger_digest(&object) } else { None };
    let is_job = object.is_job();
    let is_patch = is_job && object.is_patch();
    let fixed = match compared {
        Compared::Yes(_) if is_job => Vec::new(),
        Compared::Yes(ignoring) if ignoring.is_respected => {
            fixed::fields(&Object::new(ignoring.without_ignored(&object).0.into_owned()))
        }
        Compared::Yes(_) => fixed::fields(&object),
        Compared::No => Vec::new(),
    };
    let fixed = fixed.into_iter().map(|(name, value)| (name, Value::String(hash::short_of(&value).into()))).collect();
    let parts = if compared.is_meant() { parts::of(&object) } else { Box::default() };
    let may_name_a_job = retain::may_name_a_job(&object);
    let value = retain::of(object, may_name_a_job);
    let body = if is_job { Body::Job(Job::new(value)) } else { Body::Other(Object::new(value)) };
    Some(ObjectState { body, is_patch, may_name_a_job, fixed, compared: seen, parts, hook_digest })
}

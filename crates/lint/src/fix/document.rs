//! The findings of one document that can be fixed, and the edits that fix several of them at once.

use std::collections::BTreeMap;
use std::rc::Rc;

use goyaml::{Change, Document, Kind, Node, Path, PathSet, Step, Target, Tree, edit};
use kube_jobs::kubernetes::{Job, Object, list};
use rewrite::manifest::Manifest;
use serde::de::IgnoredAny;
use text::{Edits, Span};

use super::{Fix, Proposal, Subject, plain};
use crate::survey::Survey;
use crate::{Finding, State};

/// The index of a manifest, and a piece of it.
pub(super) type Piece = (usize, Span);

/// A possible fix of one finding.
pub(super) struct Wanted {
    /// The index of the finding.
    pub(super) finding: usize,
    /// The index of the object in the list that the document is. None if the document is the object.
    item: Option<usize>,
    /// Whether a changed value is written as an alias. The editor could replace the alias by a value, but somebody wants the value to be
    /// that of the anchor.
    is_shared: bool,
    /// The proposal, shared by all findings of one rule about one value.
    pub(super) proposal: Rc<Proposal>,
}

/// A proposal for several findings, and whether a changed value is written as an alias.
type Shared = (Rc<Proposal>, bool);

/// The indices of the open findings that have a row in [`super::FIXES`], by document.
pub(super) fn pieces(findings: &[Finding], survey: &Survey<'_>) -> BTreeMap<Piece, Vec<usize>> {
    let mut pieces: BTreeMap<Piece, Vec<usize>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        let is_fixable = finding.state == State::Open && Fix::find(finding.rule.id).is_some();
        let address = finding.object.filter(|_| is_fixable).and_then(|object| survey.objects[object].address);
        if let Some(address) = address {
            pieces.entry((address.manifest, address.piece)).or_default().push(index);
        }
    }
    pieces
}

/// Reads the document of a piece. None if it cannot be read.
pub(super) fn read<'t>(tree: &'t mut Tree, manifest: &'t Manifest, piece: Span) -> Option<Document<'t>> {
    tree.read(piece.of(&manifest.text)).and_then(Document::checked).ok()
}

/// The possible fixes of these findings, which are all in one document. Findings that cannot be fixed are left out.
pub(super) fn wanted(
    document: Document<'_>,
    findings: &[Finding],
    of_piece: &[usize],
    survey: &Survey<'_>,
) -> Vec<Wanted> {
    let mut by_item: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for index in of_piece {
        if let Some(address) = findings[*index].object.and_then(|object| survey.objects[object].address) {
            by_item.entry(address.item).or_default().push(*index);
        }
    }
    let mut found = Vec::new();
    for (item, node) in list::objects(document) {
        let Some(of_item) = by_item.remove(&item) else { continue };
        let Ok(value) = node.value() else { continue };
        let object = Object::new(value);
        let job = object.is_job().then(|| Job::new(object.value().clone()));
        let mut proposals: BTreeMap<(&str, &Path), Option<Shared>> = BTreeMap::new();
        let propose = |Finding { rule, path, changes, .. }: &Finding| {
            let job = job.as_ref();
            let proposal = (Fix::find(rule.id)?.propose)(&Subject { object: &object, job, node, path, changes })?;
            let is_shared = proposal.changes.iter().any(|change| is_alias(node, change));
            Some((Rc::new(proposal), is_shared))
        };
        for finding in of_item {
            let one = &findings[finding];
            let proposal = proposals.entry((one.rule.id, &one.path)).or_insert_with(|| propose(one));
            let Some((proposal, is_shared)) = proposal.clone() else { continue };
            found.push(Wanted { finding, item, is_shared, proposal });
        }
    }
    found
}

/// Whether the value that changes, or a parent of it, is written as an alias.
fn is_alias(object: Node<'_>, change: &Change) -> bool {
    let Some((parents, last)) = change.split() else { return false };
    let mut node = object;
    for step in parents.iter().chain([last]) {
        let next = match step {
            Step::Key(name) => node.entries().filter(|(key, _)| key.is_key(name)).last().map(|(_, value)| value),
            Step::Item(index) => node.items().nth(*index),
        };
        match next {
            Some(next) if next.kind() == Kind::Alias => return true,
            Some(next) => node = next,
            None => return false,
        }
    }
    false
}

/// The fixes of `wanted` that change different values, so that they can be made at once.
pub(super) fn together<'w>(wanted: &[&'w Wanted]) -> Vec<&'w Wanted> {
    let mut touched: BTreeMap<Option<usize>, PathSet> = BTreeMap::new();
    let is_free = |one: &&&'w Wanted| {
        let touched = touched.entry(one.item).or_default();
        let paths: Vec<Path> = one.proposal.changes.iter().flat_map(touches).collect();
        let is_free = paths.iter().all(|path| !touched.leads_along(path));
        if is_free {
            paths.into_iter().for_each(|path| touched.add(path));
        }
        is_free
    };
    wanted.iter().filter(is_free).copied().collect()
}

/// The paths of the entries that a change touches.
fn touches(change: &Change) -> Vec<Path> {
    let Some((parents, last)) = change.split() else { return Vec::new() };
    let entry: Path = parents.iter().chain([last]).cloned().collect();
    match change {
        Change::Rename { to, .. } => vec![parents.iter().cloned().chain([to.into()]).collect(), entry],
        Change::Set { .. } | Change::Remove { .. } => vec![entry],
    }
}

/// The edits of the document's text that make all these fixes at once. None if they cannot be made in place, or if JSON would not be JSON any more.
pub(super) fn edits(document: Document<'_>, wanted: &[&Wanted]) -> Option<Edits> {
    let mut targets: BTreeMap<Option<usize>, Vec<Change>> = BTreeMap::new();
    if wanted.iter().any(|one| one.is_shared) {
        return None;
    }
    for one in wanted {
        targets.entry(one.item).or_default().extend(one.proposal.changes.iter().cloned());
    }
    let targets: Vec<Target> = targets.into_iter().map(|(item, changes)| Target { item, changes }).collect();
    let edits = edit::in_place(document, targets.as_slice()).filter(|edits| !edits.is_empty())?;
    let edits = plain::as_before(document, edits);
    let text = document.text();
    (!is_json(text) || is_json(&edits.apply(text))).then_some(edits)
}

/// Whether the text is JSON. Argo CD reads such a file as JSON, in which keys need quotes and a last comma is not allowed.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

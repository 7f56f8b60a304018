//! Finds the ConfigMaps and Secrets in the output that a Job's pod template refers to. With `hash-references` their data is part of the
//! Job's content hash.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use goyaml::json::{self, Form};
use goyaml::split::Pieces;
use goyaml::value::Map;
use goyaml::{Document, Value, expansion, json_document};
use kube_jobs::kubernetes::{Job, list, pod};

use super::{Request, parallel};

/// The maximum number of bytes of data in the hashes of all Jobs. An object counts once for every Job that refers to it; the API server accepts
/// objects of at most 3 MiB.
const MAX_HASHED: usize = 256 << 20;

/// The data of all ConfigMaps and Secrets in the output.
#[derive(Debug, Default)]
pub(super) struct Data {
    /// Namespace and `kind/name` → canonical JSON. Of two equal objects the last one wins, as in Argo CD.
    content: BTreeMap<(String, String), String>,
    /// The number of bytes that were hashed so far, counted each time that a Job that refers to them is decided: once for a Job
    /// alone, several times for a Job in a list. The sum for all Jobs does not depend on their order.
    hashed: AtomicUsize,
}

impl Data {
    /// Whether Jobs refer to more data than may be hashed. Their hashes then do not contain the data.
    pub(super) fn is_exceeded(&self) -> bool {
        self.hashed.load(Relaxed) > MAX_HASHED
    }
}

/// The fields of a ConfigMap or Secret that are hashed. Labels and annotations are not.
const PARTS: [&str; 3] = ["binaryData", "data", "stringData"];

/// Reads the data of all ConfigMaps and Secrets. Skips documents that cannot be read: planning them reports the error.
pub(super) fn collect(request: &Request<'_>, pieces: &[Pieces]) -> Data {
    // Documents beyond the limit for aliases are skipped: planning them reports the error.
    let expanded = AtomicUsize::new(0);
    let found = parallel::each_piece(pieces, |manifest, span, tree| {
        let reader = request.manifests[manifest].reader;
        let text = span.of(&request.manifests[manifest].text);
        if !["ConfigMap", "Secret"].iter().any(|kind| goyaml::may_contain(text, kind)) {
            return Vec::new();
        }
        let found = if reader.reads_as_json(&pieces[manifest], span) {
            json_document::read(text, tree, |json| Ok(of_document(request, json.document, &expanded)))
        } else {
            tree.read(text).and_then(Document::checked).map(|document| of_document(request, document, &expanded))
        };
        found.unwrap_or_default()
    });
    Data { content: found.into_iter().collect(), hashed: AtomicUsize::new(0) }
}

fn of_document(
    request: &Request<'_>,
    document: Document<'_>,
    expanded: &AtomicUsize,
) -> Vec<((String, String), String)> {
    let own = document.expansion() as usize;
    if expanded.fetch_add(own, Relaxed) + own > expansion::MAX as usize {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (_, node) in list::objects(document) {
        let kind = node.text_at(&["kind"]).filter(|kind| matches!(*kind, "ConfigMap" | "Secret"));
        let is_core = node.text_at(&["apiVersion"]) == Some("v1");
        let (Some(kind), Some(name)) = (kind.filter(|_| is_core), node.text_at(&["metadata", "name"])) else {
            continue;
        };
        let mut data = Map::default();
        for part in PARTS {
            let value = node.get(part).and_then(|node| node.value().ok());
            value.map(|value| data.insert(part.into(), value));
        }
        let namespace = namespace(request, node.text_at(&["metadata", "namespace"]));
        found.push(((namespace, format!("{kind}/{name}")), json::print(&Value::Map(data), Form::Canonical)));
    }
    found
}

fn namespace(request: &Request<'_>, written: Option<&str>) -> String {
    written.or(request.application.namespace.as_deref()).unwrap_or("").to_owned()
}

/// The canonical JSON of all data in the output that the Job refers to. Empty if there is none, or if `data` is exceeded.
pub(super) fn of(job: &Job, request: &Request<'_>, data: &Data) -> String {
    let namespace = namespace(request, job.namespace());
    let found: Vec<(String, &String)> = names(job)
        .into_iter()
        .filter_map(|name| data.content.get(&(namespace.clone(), name.clone())).map(|content| (name, content)))
        .collect();
    data.hashed.fetch_add(found.iter().map(|(_, content)| content.len()).sum(), Relaxed);
    if data.is_exceeded() {
        return String::new();
    }
    let entry = |(name, content): (String, _)| {
        format!("{}:{content}", json::print(&Value::String(name.into()), Form::Canonical))
    };
    let entries: Vec<String> = found.into_iter().map(entry).collect();
    if entries.is_empty() { String::new() } else { format!("{{{}}}", entries.join(",")) }
}

/// The `kind/name` of all ConfigMaps and Secrets whose content the pod template uses.
fn names(job: &Job) -> BTreeSet<String> {
    let content = pod::references(job).into_iter().filter(|found| found.is_content);
    content.map(|found| format!("{}/{}", found.needed.kind(), found.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_much_can_be_hashed_and_not_a_byte_more() {
        let is_exceeded = |hashed| Data { hashed: AtomicUsize::new(hashed), ..Data::default() }.is_exceeded();
        assert!(!is_exceeded(0) && !is_exceeded(256 << 20));
        assert!(is_exceeded((256 << 20) + 1) && is_exceeded(1 << 30));
    }
}

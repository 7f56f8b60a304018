//! Roles that name a renamed Job: the name in `resourceNames` is changed too.
//!
//! ```yaml
//! kind: Role
//! rules: [{apiGroups: [batch], resources: [jobs], resourceNames: [migrate], verbs: [get]}]   # → migrate-fg6t5fhk55
//! ```
//! What names a Job in a way that cannot be known, such as a command line with `job/migrate`, stays as it is.

use std::collections::BTreeMap;

use super::{JobPlan, Request, Rewrite};
use crate::kubernetes::list;
use crate::path;
use crate::text::Span;
use crate::yaml::edit;
use crate::yaml::{Change, Document, SyntaxError, Target, Tree, Value};

/// New names of Jobs by namespace and input name.
type Renames<'j> = BTreeMap<(&'j str, &'j str), &'j str>;

/// The rewrites of the documents at `places`, with those that Jobs in the same documents have already.
pub(super) fn follow(
    request: &Request<'_>,
    jobs: &[JobPlan],
    places: &[(usize, Span)],
    rewrites: Vec<Rewrite>,
) -> Result<Vec<Rewrite>, (usize, SyntaxError)> {
    let renames = renames(request, jobs);
    if renames.is_empty() || places.is_empty() {
        return Ok(rewrites);
    }
    let key = |rewrite: &Rewrite| (rewrite.manifest, rewrite.span);
    let mut all: BTreeMap<(usize, Span), Rewrite> =
        rewrites.into_iter().map(|rewrite| (key(&rewrite), rewrite)).collect();
    for (manifest, span) in places {
        let known = all.get(&(*manifest, *span));
        let text = known.map_or(span.of(&request.manifests[*manifest].text), |rewrite| rewrite.text.as_str());
        let fault = |error: SyntaxError| (*manifest, error.shifted(span.start));
        let mut tree = Tree::default();
        let document = tree.read(text).map_err(fault)?;
        let targets = targets(request, document, &renames).map_err(fault)?;
        if !targets.is_empty() {
            let (text, kind) = edit::rewrite(document, &targets).map_err(fault)?;
            all.insert((*manifest, *span), Rewrite { manifest: *manifest, span: *span, text, kind });
        }
    }
    Ok(all.into_values().collect())
}

fn renames<'j>(request: &'j Request<'_>, jobs: &'j [JobPlan]) -> Renames<'j> {
    let mut renames = Renames::new();
    for job in jobs {
        let Some(new) = job.emitted.name.as_deref() else { continue };
        let written = job.outcome.input_name.as_ref().map(|written| written.name.as_str());
        for old in [job.name.as_deref(), written].into_iter().flatten().filter(|old| *old != new) {
            renames.insert((job_namespace(request, job.namespace.as_deref()), old), new);
        }
    }
    // A name that some Job still has means that one.
    for job in jobs {
        if let Some(name) = job.emitted.name.as_deref() {
            renames.remove(&(job_namespace(request, job.namespace.as_deref()), name));
        }
    }
    renames
}

fn job_namespace<'j>(request: &'j Request<'_>, written: Option<&'j str>) -> &'j str {
    written.or(request.application.namespace.as_deref()).unwrap_or("")
}

fn targets(request: &Request<'_>, document: Document<'_>, renames: &Renames<'_>) -> Result<Vec<Target>, SyntaxError> {
    let mut targets = Vec::new();
    for (item, node) in list::objects(document) {
        let kind = node.text_at(&["kind"]).unwrap_or("");
        if !matches!(kind, "Role" | "ClusterRole") {
            continue;
        }
        let namespace = (kind == "Role").then(|| job_namespace(request, node.text_at(&["metadata", "namespace"])));
        let changes = changes(&node.value()?, namespace, renames);
        if !changes.is_empty() {
            targets.push(Target { item, changes });
        }
    }
    Ok(targets)
}

/// One change for each name of a renamed Job. A ClusterRole holds for every namespace; a name that means two Jobs there stays.
fn changes(role: &Value, namespace: Option<&str>, renames: &Renames<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (index, rule) in role.at(&["rules"]).and_then(Value::as_list).into_iter().flatten().enumerate() {
        let is_on_batch = texts(rule, "apiGroups").any(|(_, group)| matches!(group, "batch" | "*"));
        let is_on_jobs =
            texts(rule, "resources").any(|(_, found)| matches!(found, "jobs" | "*") || found.starts_with("jobs/"));
        if !is_on_batch || !is_on_jobs {
            continue;
        }
        for (place, name) in texts(rule, "resourceNames") {
            let mut new = renames
                .iter()
                .filter(|((where_to, old), _)| *old == name && namespace.is_none_or(|own| own == *where_to));
            if let (Some((_, new)), None) = (new.next(), new.next()) {
                let path = path!["rules", index, "resourceNames", place];
                changes.push(Change::set(path, Value::String((*new).to_owned())));
            }
        }
    }
    changes
}

fn texts<'v>(rule: &'v Value, list: &str) -> impl Iterator<Item = (usize, &'v str)> {
    let items = rule.at(&[list]).and_then(Value::as_list).into_iter().flatten().enumerate();
    items.filter_map(|(index, item)| Some((index, item.as_text()?)))
}

/// True for a document with a role that may name a Job, which is looked at again once all names are known.
pub(super) fn has_roles(document: Document<'_>) -> bool {
    document.text().contains("resourceNames")
        && list::objects(document)
            .into_iter()
            .any(|(_, node)| matches!(node.text_at(&["kind"]), Some("Role" | "ClusterRole")))
}

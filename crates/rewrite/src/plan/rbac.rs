//! Changes the `resourceNames` of roles to the new names of renamed Jobs.
//!
//! ```yaml
//! kind: Role
//! rules: [{apiGroups: [batch], resources: [jobs], resourceNames: [migrate], verbs: [get]}]   # → migrate-fg6t5fhk55
//! ```
//! A place that may name a Job in another way, such as a command line with `job/migrate`, is not changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use goyaml::{Change, Document, SyntaxError, Target, Tree, Value, edit, path};
use kube_jobs::kubernetes::list;
use text::Span;

use super::{JobPlan, Request, Rewrite};

/// The new names of renamed Jobs.
#[derive(Default)]
struct Renames<'j> {
    /// Input name and namespace → new name.
    new: BTreeMap<(&'j str, &'j str), &'j str>,
    /// The names of all Jobs in the output, in any namespace.
    emitted: BTreeSet<&'j str>,
}

impl<'j> Renames<'j> {
    fn of(request: &'j Request<'_>, jobs: &'j [JobPlan]) -> Self {
        let mut renames = Self::default();
        for job in jobs {
            // A kept Job may have a name from an earlier run. A role with its old name then means another Job.
            let Some(new) = job.emitted.name.as_deref().filter(|_| !job.is_kept()) else { continue };
            for old in [job.name.as_deref(), job.input_name()].into_iter().flatten().filter(|old| *old != new) {
                renames.new.insert((old, job_namespace(request, job.namespace.as_deref())), new);
            }
        }
        // If some Job in the output still has an old name, the name means that Job.
        for job in jobs {
            let Some(name) = job.emitted.name.as_deref() else { continue };
            renames.new.remove(&(name, job_namespace(request, job.namespace.as_deref())));
            renames.emitted.insert(name);
        }
        renames
    }

    /// The new name for `name` in a role of this namespace, or in a ClusterRole if it is None. None if the name stays, as in a ClusterRole where it
    /// means two Jobs.
    fn get(&self, name: &str, namespace: Option<&str>) -> Option<&'j str> {
        if let Some(namespace) = namespace {
            return self.new.get(&(name, namespace)).copied();
        }
        let mut known = self.new.range((name, "")..).take_while(|((old, _), _)| *old == name);
        match (known.next(), known.next()) {
            (Some((_, new)), None) if !self.emitted.contains(name) => Some(new),
            _ => None,
        }
    }
}

/// Adds the rewrites of the documents at `places` to `rewrites`. A document that is already rewritten, because it contains Jobs, is changed further.
pub(super) fn follow(
    request: &Request<'_>,
    jobs: &[JobPlan],
    places: &[(usize, Span)],
    mut rewrites: Vec<Rewrite>,
) -> Result<Vec<Rewrite>, (usize, SyntaxError)> {
    if places.is_empty() {
        return Ok(rewrites);
    }
    let renames = Renames::of(request, jobs);
    if renames.new.is_empty() {
        return Ok(rewrites);
    }
    let mut more = Vec::new();
    for place in places {
        let (manifest, span) = *place;
        let old = span.of(&request.manifests[manifest].text);
        let known = rewrites.binary_search_by_key(place, |rewrite| rewrite.place).ok();
        let text = known.map_or(Cow::Borrowed(old), |known| Cow::Owned(rewrites[known].text.clone()));
        let fault = |error: SyntaxError| (manifest, error.shifted(span.start));
        let mut tree = Tree::default();
        let document = tree.read(&text).map_err(fault)?;
        let targets = targets(request, document, &renames).map_err(fault)?;
        if !targets.is_empty() {
            let (text, kind) = edit::rewrite(document, targets.as_slice()).map_err(fault)?;
            let rewrite = Rewrite { place: *place, text, kind };
            match known {
                Some(known) => rewrites[known] = rewrite,
                None => more.push(rewrite),
            }
        }
    }
    rewrites.extend(more);
    rewrites.sort_by_key(|rewrite| rewrite.place);
    Ok(rewrites)
}

fn job_namespace<'j>(request: &'j Request<'_>, written: Option<&'j str>) -> &'j str {
    written.or(request.application.namespace.as_deref()).unwrap_or("")
}

fn targets(request: &Request<'_>, document: Document<'_>, renames: &Renames<'_>) -> Result<Vec<Target>, SyntaxError> {
    let mut targets = Vec::new();
    for (item, node) in list::objects(document) {
        let kind = node.text_at(&["kind"]).unwrap_or("");
        let version = node.text_at(&["apiVersion"]).unwrap_or("");
        if !matches!(kind, "Role" | "ClusterRole") || !version.starts_with("rbac.authorization.k8s.io/") {
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

/// One change for each entry that names a renamed Job.
fn changes(role: &Value, namespace: Option<&str>, renames: &Renames<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (index, rule) in role.items_at(&["rules"]).iter().enumerate() {
        let is_on_batch = texts(rule, "apiGroups").any(|(_, group)| matches!(group, "batch" | "*"));
        let is_on_jobs =
            texts(rule, "resources").any(|(_, found)| matches!(found, "jobs" | "*") || found.starts_with("jobs/"));
        if !is_on_batch || !is_on_jobs {
            continue;
        }
        for (place, name) in texts(rule, "resourceNames") {
            if let Some(new) = renames.get(name, namespace) {
                let path = path!["rules", index, "resourceNames", place];
                changes.push(Change::set(path, Value::String(new.into())));
            }
        }
    }
    changes
}

fn texts<'v>(rule: &'v Value, list: &str) -> impl Iterator<Item = (usize, &'v str)> {
    let items = rule.items_at(&[list]).iter().enumerate();
    items.filter_map(|(index, item)| Some((index, item.as_text()?)))
}

/// Whether a document has a role that may name a Job. Such a document is read again when all names are known.
pub(super) fn has_roles(document: Document<'_>) -> bool {
    goyaml::may_contain(document.text(), "resourceNames")
        && list::objects(document)
            .into_iter()
            .any(|(_, node)| matches!(node.text_at(&["kind"]), Some("Role" | "ClusterRole")))
}

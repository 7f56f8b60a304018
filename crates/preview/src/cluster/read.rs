//! Reads the Jobs of a cluster.

use std::collections::BTreeSet;

use goyaml::{Node, RefusedBy, Tree, split};
use kube_jobs::kubernetes::{is_job, list};
use rewrite::manifest::Manifest;
use text::Message;

use super::{Cluster, LiveJob, Whole};

/// What to do about a text that has no live Jobs.
const HELP: &str =
    "pass what `kubectl get jobs -n NAMESPACE -o json` or `argocd app manifests NAME --source live` prints";

/// What to do about a text with too many Jobs.
const FEWER: &str = "read the Jobs of one namespace: `kubectl get jobs -n NAMESPACE -o json`";

impl Cluster {
    /// Reads the Jobs in a text: a `List`, one Job, or a stream of objects. Fails at the first one that is not as the API server stores it.
    pub fn read(manifest: &Manifest) -> Result<Self, Message> {
        let failed = |at: usize, message: &str| Message::new(message).about(manifest.place(at)).help(HELP);
        let pieces = split::split(&manifest.text);
        let mut tree = Tree::default();
        let (mut jobs, mut names) = (Vec::new(), BTreeSet::new());
        let (mut lists, mut single) = (0, 0);
        let mut other = None;
        for index in 0..pieces.len() {
            let span = pieces.span(index);
            let document = tree.read(span.of(&manifest.text));
            let document = document.map_err(|error| {
                let message = failed(span.start + error.offset, &error.message);
                if error.by == RefusedBy::Limit { message.help(FEWER) } else { message }
            })?;
            let Some(root) = document.root() else { continue };
            // So `argocd app manifests` prints an object that is not there.
            if root.content() == "null" {
                single += 2;
                continue;
            }
            // A list without items can have a null there.
            let is_list = root.get("items").is_some_and(Node::is_list) || root.text_at(&["kind"]) == Some("List");
            *(if is_list { &mut lists } else { &mut single }) += 1;
            for (_, node) in list::objects(document) {
                let at = span.start + node.span().start;
                if node.text_at(&["kind"]).is_none() {
                    return Err(failed(at, "an object without `kind`"));
                }
                if !is_job(&node) {
                    let kind = node.text_at(&["kind"]).filter(|kind| !kind.ends_with("List"));
                    other = other.or(kind.map(|kind| (at, kind.to_owned())));
                    continue;
                }
                let value = node.value().map_err(|error| failed(span.start + error.offset, &error.message))?;
                let job = LiveJob::read(value, manifest.place(at)).map_err(|message| failed(at, &message))?;
                if !names.insert((job.namespace.clone(), job.name.clone())) {
                    return Err(failed(at, "a second Job with the same namespace and name"));
                }
                jobs.push(job);
            }
        }
        if let Some(error) = &pieces.error {
            return Err(failed(error.offset, &error.message));
        }
        if let Some((at, kind)) = other.filter(|_| lists > 0 && jobs.is_empty()) {
            return Err(failed(at, &format!("there is no Job, but an object of the kind `{kind}`")));
        }
        let whole = match (lists, single) {
            (0, 0) => return Err(failed(0, "no objects")),
            (_, 0) => Whole::Yes,
            (0, 1) => Whole::One,
            _ => Whole::WithoutHooks,
        };
        Ok(Self { jobs, whole })
    }
}

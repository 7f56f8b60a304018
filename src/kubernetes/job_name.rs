//! The names and namespaces for which the API server rejects a Job (`pkg/apis/batch/validation/validation.go` in Kubernetes). The length of a
//! Job's name is judged elsewhere: what is appended to it counts too.

use super::Job;
use super::dns::{self, Invalid};

/// A name that the API server rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidName<'j> {
    /// The key in `metadata`.
    pub key: &'static str,
    /// Its value.
    pub text: &'j str,
    /// What is wrong with it.
    pub why: Invalid,
}

/// Characters of placeholders that something after this program replaces.
const PLACEHOLDER: [char; 3] = ['$', '{', '<'];

/// The invalid names of a Job. None for a partial one, such as a kustomize patch, and for placeholders.
pub fn invalid(job: &Job) -> impl Iterator<Item = InvalidName<'_>> {
    let name = job.name().map(|name| ("name", name, dns::subdomain(name)));
    let prefix = job.generate_name().map(|prefix| ("generateName", prefix, dns::subdomain_prefix(prefix)));
    let namespace = job.namespace().map(|namespace| ("namespace", namespace, dns::label(namespace)));
    let is_whole = !job.images().is_empty();
    [name, prefix, namespace].into_iter().flatten().filter(move |_| is_whole).filter_map(|(key, text, result)| {
        let why = result.err().filter(|_| !text.contains(PLACEHOLDER))?;
        let is_judged_elsewhere = key != "namespace" && matches!(why, Invalid::Length(_));
        (!is_judged_elsewhere).then_some(InvalidName { key, text, why })
    })
}

//! The content hash of a Job, version 1. **Frozen**: changing it runs every migration of every user again.
//!
//! It changes whenever the API server would refuse to update the Job, and as far as a manifest can tell only then. The
//! preimage is the bytes `argocd-jobs/v1`, a newline, and one JSON object (see [`preimage`]).

use sha2::{Digest, Sha256};

use crate::yaml::Value;
use crate::yaml::json::{self, Form};

/// The fields of `spec` that are immutable (`ValidateJobSpecUpdate` in `pkg/apis/batch/validation` of Kubernetes), sorted by bytes.
const IMMUTABLE: [&str; 7] = [
    "backoffLimitPerIndex",
    "completionMode",
    "completions",
    "managedBy",
    "podFailurePolicy",
    "successPolicy",
    "template",
];
/// Those that the API server fills in itself unless `manualSelector` is true; also sorted.
const SELECTOR: [&str; 2] = ["manualSelector", "selector"];

/// Whether a field of `spec` goes into the hash, of a Job with `manualSelector: true` at least.
pub fn covers(field: &str) -> bool {
    IMMUTABLE.contains(&field) || SELECTOR.contains(&field)
}

/// So many characters of the digest are used.
pub const LENGTH: usize = 10;

/// The hexadecimal digits as kubectl and kustomize write them (`sigs.k8s.io/kustomize/api/hasher`): `0→g 1→h 3→k a→m e→t`, so that
/// no word can appear.
pub const ALPHABET: [u8; 16] = *b"gh2k456789mbcdtf";

/// What goes into the hash.
#[derive(Clone, Copy, Debug)]
pub struct Content<'j> {
    /// The name that the user wrote.
    pub name: &'j str,
    /// The Job's `spec` after the clean-up, when it has one.
    pub spec: Option<&'j Value>,
    /// The data of what the pod template refers to, as canonical JSON; empty is none.
    pub references: &'j str,
    /// The user's word for running the Job again; empty is none.
    pub rerun: &'j str,
}

/// The first [`LENGTH`] digits of the SHA-256 of the preimage, in the [`ALPHABET`].
pub fn hash(content: Content<'_>) -> String {
    short(&preimage(content))
}

/// The first [`LENGTH`] digits of the SHA-256 of any text, in the [`ALPHABET`].
pub fn short(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hexadecimal = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    hexadecimal.take(LENGTH).map(|digit| char::from(ALPHABET[usize::from(digit)])).collect()
}

/// The text that is hashed: the object has the keys `name`, `references` and `rerun` when they are not empty, and `spec`.
///
/// Keys are sorted by bytes, without white space; values are those Argo CD reads, numbers as Go's `encoding/json` prints them,
/// texts as raw UTF-8; null entries of maps are dropped, except for one: `completions` is written as null when it is absent and
/// `parallelism` is not. The API server sets it to 1 only when both are absent, so that removing `parallelism` changes it
/// (`SetDefaults_Job` in `pkg/apis/batch/v1/defaults.go`).
pub fn preimage(content: Content<'_>) -> String {
    let mut fields = vec![format!("\"name\":{}", canonical(&Value::String(content.name.to_owned())))];
    if !content.references.is_empty() {
        fields.push(format!("\"references\":{}", content.references));
    }
    if !content.rerun.is_empty() {
        fields.push(format!("\"rerun\":{}", canonical(&Value::String(content.rerun.to_owned()))));
    }
    fields.push(format!("\"spec\":{{{}}}", spec(content.spec).join(",")));
    format!("argocd-jobs/v1\n{{{}}}", fields.join(","))
}

fn spec(spec: Option<&Value>) -> Vec<String> {
    let field = |name: &str| spec.and_then(|spec| spec.at(&[name])).filter(|value| **value != Value::Null);
    let selects = field("manualSelector") == Some(&Value::Bool(true));
    let mut names: Vec<&str> = IMMUTABLE.into_iter().chain(SELECTOR.into_iter().filter(|_| selects)).collect();
    names.sort_unstable();
    names
        .into_iter()
        .filter_map(|name| match field(name) {
            Some(value) => Some(format!("\"{name}\":{}", canonical(value))),
            None if name == "completions" && field("parallelism").is_some() => Some("\"completions\":null".to_owned()),
            None => None,
        })
        .collect()
}

fn canonical(value: &Value) -> String {
    json::print(value, Form::Canonical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::job::job_of;

    fn hash_of(name: &str, spec: &str, rerun: &str) -> String {
        let job = job_of(&format!("{{spec: {spec}}}"));
        hash(Content { name, spec: job.value().at(&["spec"]), references: "", rerun })
    }

    const TEST_JOB: &str = "{completions: 1, template: {spec: {restartPolicy: Never, containers: [{name: jobtest, image: busybox, command: [echo, job-test]}]}}}";

    #[test]
    fn the_vectors_of_version_1() {
        assert_eq!(hash_of("test-job", TEST_JOB, ""), "fg6t5fhk55");
        assert_eq!(hash_of("test-job", &TEST_JOB.replace("busybox", "nginx"), ""), "cdfbtg8fh5");
        assert_eq!(hash_of("test-job", TEST_JOB, "2"), "t5g42dk7b5");
    }

    #[test]
    fn only_immutable_fields_count() {
        for mutable in [
            "backoffLimit: 3",
            "parallelism: 2",
            "suspend: true",
            "ttlSecondsAfterFinished: 5",
            "activeDeadlineSeconds: 9",
            "selector: {}",
            "x: null",
        ] {
            let spec = TEST_JOB.replacen('{', &format!("{{{mutable}, "), 1);
            assert_eq!(hash_of("test-job", &spec, ""), "fg6t5fhk55", "{mutable}");
        }
        for immutable in [
            "completionMode: Indexed",
            "podFailurePolicy: {}",
            "successPolicy: {}",
            "backoffLimitPerIndex: 1",
            "managedBy: a/b",
            "manualSelector: true",
        ] {
            let spec = TEST_JOB.replacen('{', &format!("{{{immutable}, "), 1);
            assert_ne!(hash_of("test-job", &spec, ""), "fg6t5fhk55", "{immutable}");
        }
    }

    #[test]
    fn preimages_are_canonical() {
        let job =
            job_of("{spec: {parallelism: 2, template: {b: 1e3, a: [null, {}, {x: null}], c: \"é\\u2028\\x1f\\\"<\"}}}");
        let text = preimage(Content { name: "n", spec: job.value().at(&["spec"]), references: "", rerun: "" });
        let expected = "argocd-jobs/v1\n{\"name\":\"n\",\"spec\":{\"completions\":null,\"template\":{\"a\":[null,{},{}],\"b\":1000,\"c\":\"é\u{2028}\\u001f\\\"<\"}}}";
        assert_eq!(text, expected);
    }
}

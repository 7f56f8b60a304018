//! The content hash of a Job, version 1. **Frozen**: changing it runs every migration of every user again.
//!
//! The hash changes whenever the API server would refuse to update the Job. It also changes with the name, with `rerun`, with the data that
//! `hash-references` adds, and with two fields that Kubernetes lets change: `completions` of an Indexed Job, and the template of a suspended Job. The
//! preimage consists of the bytes `argocd-jobs/v1`, a newline, and one JSON object (see [`preimage`]).
//!
//! Frozen with it are what decides the preimage elsewhere: what is cleaned before (`strategy/cleanup.rs`, and the labels in
//! [`kube_jobs::kubernetes`]`::server_fields`), and the canonical form of JSON ([`goyaml::json::Form::Canonical`]).

use std::fmt::{self, Write};

use goyaml::json::{self, Form, push};
use goyaml::{Path, Step, Value};
use sha2::{Digest, Sha256};

/// The immutable fields of `spec` (`ValidateJobSpecUpdate` in `pkg/apis/batch/validation` of Kubernetes), sorted by bytes. Frozen, unlike the list in
/// [`kube_jobs::kubernetes::immutability`], which follows Kubernetes.
const IMMUTABLE: [&str; 8] = [
    "backoffLimitPerIndex",
    "completionMode",
    "completions",
    "managedBy",
    "podFailurePolicy",
    "scheduling",
    "successPolicy",
    "template",
];
/// More immutable fields, also sorted. Without `manualSelector: true` the API server generates the selector, so these are not hashed.
const SELECTOR: [&str; 2] = ["manualSelector", "selector"];
/// The one field of `scheduling` that may change (`validateJobSchedulingUpdate` in Kubernetes 1.37).
const ELASTIC: [&str; 5] = ["spec", "scheduling", "schedulingPolicy", "gang", "minCount"];

/// Whether a text can be a hash, of this program or of kustomize, which has the same alphabet.
pub fn is_one(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|byte| ALPHABET.contains(&byte))
}

/// Whether the value at this path of a Job is part of the hash. Assumes `manualSelector: true`: without it the selector is not.
pub fn covers(path: &Path) -> bool {
    match path.steps().get(1) {
        Some(Step::Key(field)) => {
            let is_known = IMMUTABLE.iter().chain(&SELECTOR).any(|known| field == known);
            is_known && *path != Path::of_keys(&ELASTIC)
        }
        _ => true,
    }
}

/// The number of digits of a hash.
pub const LENGTH: usize = 10;

/// The 16 digits of kubectl and kustomize (`sigs.k8s.io/kustomize/api/hasher`): `0→g 1→h 3→k a→m e→t`, so that a hash cannot contain a word.
pub const ALPHABET: [u8; 16] = *b"gh2k456789mbcdtf";

/// The content that is hashed.
#[derive(Clone, Copy, Debug)]
pub struct Content<'j> {
    /// The input name of the Job.
    pub name: &'j str,
    /// The Job's `spec` after the clean-up. None if the Job has none.
    pub spec: Option<&'j Value>,
    /// The data of the objects that the pod template refers to, as canonical JSON. Empty if there is none.
    pub references: &'j str,
    /// The value of `rerun`. Empty if it is not set.
    pub rerun: &'j str,
}

/// The hash of a Job: the first [`LENGTH`] digits of the SHA-256 of its preimage, in the [`ALPHABET`].
pub fn hash(content: Content<'_>) -> String {
    digest(|hasher| write_preimage(content, hasher))
}

/// The short hash of any text: the first [`LENGTH`] digits of its SHA-256, in the [`ALPHABET`].
pub fn short(text: &str) -> String {
    digits(&Sha256::digest(text.as_bytes()))
}

/// The short hash of a value, equal to that of its canonical JSON. Does not build the whole text.
pub fn short_of(value: &Value) -> String {
    digest(|hasher| write(value, hasher))
}

fn digest(write: impl FnOnce(&mut Hasher)) -> String {
    let mut hasher = Hasher { sha: Sha256::new(), buffer: String::with_capacity(BUFFER) };
    write(&mut hasher);
    hasher.flush();
    digits(&hasher.sha.finalize())
}

/// The number of bytes that are hashed at a time, because JSON is written in pieces of a few bytes.
const BUFFER: usize = 4096;

/// Hashes the text that is written to it.
struct Hasher {
    sha: Sha256,
    buffer: String,
}

impl Hasher {
    fn flush(&mut self) {
        self.sha.update(self.buffer.as_bytes());
        self.buffer.clear();
    }
}

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.buffer.len() + text.len() > BUFFER {
            self.flush();
        }
        if text.len() > BUFFER {
            self.sha.update(text.as_bytes());
        } else {
            self.buffer.push_str(text);
        }
        Ok(())
    }
}

fn digits(digest: &[u8]) -> String {
    let hexadecimal = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    hexadecimal.take(LENGTH).map(|digit| char::from(ALPHABET[usize::from(digit)])).collect()
}

/// The text that is hashed. Its object has the keys `name`, `spec`, and, unless they are empty, `references` and `rerun`.
///
/// Keys are sorted by bytes, without white space. Values are as Argo CD reads them, numbers as Go's `encoding/json` prints them, texts as raw UTF-8.
/// Null entries of maps are dropped, with one exception: `completions` is written as null if it is absent and `parallelism` is not. The API server
/// sets `completions` to 1 only if both are absent, so removing `parallelism` changes it (`SetDefaults_Job` in `pkg/apis/batch/v1/defaults.go`).
pub fn preimage(content: Content<'_>) -> String {
    let mut text = String::new();
    write_preimage(content, &mut text);
    text
}

/// Writes the preimage to `out`: a text or a digest, to which writing cannot fail.
fn write_preimage(content: Content<'_>, out: &mut impl Write) {
    push(out, "argocd-jobs/v1\n{\"name\":");
    write(&Value::String(content.name.into()), out);
    if !content.references.is_empty() {
        push(out, ",\"references\":");
        push(out, content.references);
    }
    if !content.rerun.is_empty() {
        push(out, ",\"rerun\":");
        write(&Value::String(content.rerun.into()), out);
    }
    push(out, ",\"spec\":{");
    write_spec(content.spec, out);
    push(out, "}}");
}

fn write_spec(spec: Option<&Value>, out: &mut impl Write) {
    let field = |name: &str| spec.and_then(|spec| spec.at(&[name])).filter(|value| **value != Value::Null);
    let selects = field("manualSelector") == Some(&Value::Bool(true));
    let mut names: Vec<&str> = IMMUTABLE.into_iter().chain(SELECTOR.into_iter().filter(|_| selects)).collect();
    names.sort_unstable();
    let is_cleared = |name: &str| name == "completions" && field("parallelism").is_some();
    let values = names.into_iter().filter_map(|name| match field(name) {
        None if is_cleared(name) => Some((name, &Value::Null)),
        value => value.map(|value| (name, value)),
    });
    for (index, (name, value)) in values.enumerate() {
        push(out, if index == 0 { "\"" } else { ",\"" });
        push(out, name);
        push(out, "\":");
        if name == "scheduling" {
            let mut fixed = value.clone();
            fixed.remove(&ELASTIC[2..]);
            write(&fixed, out);
        } else {
            write(value, out);
        }
    }
}

fn write(value: &Value, out: &mut impl Write) {
    json::write(value, Form::Canonical, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_jobs::kubernetes::Job;

    fn hash_of(name: &str, spec: &str, rerun: &str) -> String {
        let job = Job::read(&format!("{{spec: {spec}}}")).unwrap();
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
    fn the_hash_is_that_of_the_preimage() {
        let job = Job::read(&format!("{{spec: {TEST_JOB}}}")).unwrap();
        let content = Content { name: "n", spec: job.value().at(&["spec"]), references: "{}", rerun: "\"2\"" };
        assert_eq!(hash(content), short(&preimage(content)));
    }

    #[test]
    fn a_value_is_hashed_as_its_canonical_text() {
        let long = "é\"".repeat(BUFFER) + &"x".repeat(3 * BUFFER);
        for text in [
            "a: [1, {b: null, c: 'x'}]".to_owned(),
            format!("a: '{long}'\nb: {}", "[x, y, z, ".repeat(3) + &"w, ".repeat(3000) + "]]]"),
        ] {
            let value = Value::read(&text).unwrap();
            assert_eq!(short_of(&value), short(&json::print(&value, Form::Canonical)));
        }
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
            "scheduling: {}",
        ] {
            let spec = TEST_JOB.replacen('{', &format!("{{{immutable}, "), 1);
            assert_ne!(hash_of("test-job", &spec, ""), "fg6t5fhk55", "{immutable}");
        }
    }

    #[test]
    fn of_the_scheduling_of_a_gang_its_size_does_not_count() {
        let hash_with = |gang: &str| {
            let scheduling = format!("{{scheduling: {{schedulingPolicy: {{gang: {gang}}}}}, ");
            hash_of("test-job", &TEST_JOB.replacen('{', &scheduling, 1), "")
        };
        assert_eq!(hash_with("{}"), "9gcchbg7mf");
        assert_eq!(hash_with("{minCount: 2}"), hash_with("{}"));
        assert_ne!(hash_with("{minimum: 2}"), hash_with("{}"));
        assert_ne!(hash_with("null"), hash_with("{}"));
        assert!(!covers(&Path::of_keys(&ELASTIC)) && covers(&Path::of_keys(&ELASTIC[..4])));
    }

    #[test]
    fn preimages_are_canonical() {
        let job = Job::read(
            "{spec: {parallelism: 2, template: {b: 1e3, a: [null, {}, {x: null}], c: \"é\\u2028\\x1f\\\"<\"}}}",
        )
        .unwrap();
        let text = preimage(Content { name: "n", spec: job.value().at(&["spec"]), references: "", rerun: "" });
        let expected = "argocd-jobs/v1\n{\"name\":\"n\",\"spec\":{\"completions\":null,\"template\":{\"a\":[null,{},{}],\"b\":1000,\"c\":\"é\u{2028}\\u001f\\\"<\"}}}";
        assert_eq!(text, expected);
    }
}

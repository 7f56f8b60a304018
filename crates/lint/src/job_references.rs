//! Finds command lines that name Jobs: `kubectl wait job/migrate`, `wait_for.sh job migrate`, `kubectl get jobs -l app=migrate` and
//! `kubectl logs -l job-name=migrate`. Also finds the Jobs that `kubernetes-entrypoint` waits for.
//!
//! Only literal words are recognized: the value of a shell variable is unknown.

use std::collections::BTreeMap;

use goyaml::{Path, path};
use kube_jobs::kubernetes::Object;
use kube_jobs::kubernetes::pod::{self, Container};
use serde::Deserialize;

/// Words that mean Jobs to kubectl. The last two mean Jobs to `k8s-wait-for`.
const JOB: [&str; 8] = ["job", "jobs", "job.batch", "jobs.batch", "job.v1.batch", "jobs.v1.batch", "job-we", "job-wr"];

/// Labels of pods whose value is the name of their Job.
const JOB_NAME: [&str; 2] = ["job-name", "batch.kubernetes.io/job-name"];

/// The variable of `kubernetes-entrypoint` that lists Jobs, as `name` or `namespace:name`.
const DEPENDENCY_JOBS: &str = "DEPENDENCY_JOBS";

/// The variable of `kubernetes-entrypoint` that lists Jobs as JSON: `[{"name": "a", "namespace": "b"}, {"labels": {"c": "d"}}]`.
pub(super) const DEPENDENCY_JOBS_JSON: &str = "DEPENDENCY_JOBS_JSON";

/// Flags of kubectl whose value is the next word.
const FLAGS: [&str; 11] =
    ["-n", "--namespace", "-l", "--selector", "-o", "--output", "-c", "--container", "--for", "--timeout", "--context"];

/// A word of a command line or variable that refers to a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobReference {
    /// The path of the text with the word, in the object.
    pub(super) path: Path,
    /// The variable that contains the word. None for a command line.
    pub(super) variable: Option<&'static str>,
    /// The Jobs that the word refers to.
    pub(super) target: Target,
    /// The namespace of the Jobs, if the command line or variable names one.
    pub(super) namespace: Option<String>,
    /// Whether the command seems to wait for the Job.
    pub(super) waits: bool,
    /// Whether the word is in an init container, for which the other containers of the pod wait.
    pub(super) is_init: bool,
}

/// The Jobs that a word refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The Job with this name.
    Name(String),
    /// The Jobs with all of these labels.
    Labels(Vec<(String, String)>),
}

impl Target {
    /// Whether the target refers to this Job.
    pub(super) fn means(&self, job: &Object) -> bool {
        match self {
            Self::Name(name) => job.name() == Some(name),
            Self::Labels(labels) => {
                !labels.is_empty()
                    && labels
                        .iter()
                        .all(|(key, value)| job.value().text_at(&["metadata", "labels", key]) == Some(value))
            }
        }
    }
}

/// All words in the command lines and variables of an object's containers that refer to a Job.
pub(super) fn job_references(object: &Object) -> Vec<JobReference> {
    pod::containers(object).iter().flat_map(of_container).collect()
}

/// A word, or the end of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(Word),
    End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    path: Path,
    text: String,
}

fn of_container(container: &Container<'_>) -> Vec<JobReference> {
    let image = container.value.text_at(&["image"]).unwrap_or("");
    let tokens = tokens(container);
    let says_wait = |text: &str| text.contains("wait") || matches!(text, "until" | "while");
    let is_word = |token: Option<&Token>, text: &str| matches!(token, Some(Token::Word(word)) if word.text == text);
    // `while read` is a loop over lines.
    let is_over_lines = |index: usize| is_word(tokens.get(index), "while") && is_word(tokens.get(index + 1), "read");
    let word_waits = |(index, token): (usize, &Token)| {
        matches!(token, Token::Word(word) if says_wait(&word.text)) && !is_over_lines(index)
    };
    let waits = says_wait(image) || tokens.iter().enumerate().any(word_waits);
    let mut found = dependencies(container);
    for command in tokens.split(|token| *token == Token::End) {
        let words = command.iter().filter_map(|token| match token {
            Token::Word(word) => Some(word),
            Token::End => None,
        });
        let words: Vec<&Word> = words.collect();
        let talks = is_client(image) || words.iter().any(|word| is_client(&word.text));
        let says = |text: &str| words.iter().any(|word| word.text == text);
        // `create` names a new Job that is not in the output. A command that waits for a deletion does not wait for the Job to finish.
        if (talks || waits) && !says("create") {
            let waits = waits && !says("delete") && !says("--for=delete");
            let namespace = flag(&words, &["-n", "--namespace"]).map(|(_, namespace)| namespace);
            let namespace = namespace.filter(|found| !found.contains('$')).map(ToOwned::to_owned);
            let reference = |(word, target): (&Word, Target)| {
                let (path, namespace) = (word.path.clone(), namespace.clone());
                JobReference { path, variable: None, target, namespace, waits, is_init: container.is_init }
            };
            found.extend(of_command(&words, talks).into_iter().map(reference));
        }
    }
    found
}

/// The Jobs that `kubernetes-entrypoint` waits for.
fn dependencies(container: &Container<'_>) -> Vec<JobReference> {
    let env = container.value.items_at(&["env"]).iter().enumerate();
    let mut found = Vec::new();
    for (index, item) in env {
        let Some((name, value)) = item.text_at(&["name"]).zip(item.text_at(&["value"])) else { continue };
        let (variable, jobs) = match name {
            DEPENDENCY_JOBS => (DEPENDENCY_JOBS, listed(value)),
            DEPENDENCY_JOBS_JSON => (DEPENDENCY_JOBS_JSON, listed_in_json(value)),
            _ => continue,
        };
        let path = container.path.join(&path!["env", index, "value"]);
        found.extend(jobs.into_iter().map(|(namespace, target)| {
            let (path, variable, is_init) = (path.clone(), Some(variable), container.is_init);
            JobReference { path, variable, target, namespace, waits: true, is_init }
        }));
    }
    found
}

/// The namespaces and Jobs of a list such as `a,b:c`.
fn listed(value: &str) -> Vec<(Option<String>, Target)> {
    let items = value.split([',', ' ']).filter(|item| !item.is_empty());
    let target = |item: &str| {
        let (namespace, name) = item.split_once(':').map_or((None, item), |(namespace, name)| (Some(namespace), name));
        (namespace.map(ToOwned::to_owned), Target::Name(name.to_owned()))
    };
    items.map(target).collect()
}

/// An item of the JSON list in [`DEPENDENCY_JOBS_JSON`].
#[derive(Default, Deserialize)]
#[serde(default)]
struct Listed {
    name: String,
    namespace: String,
    labels: BTreeMap<String, String>,
}

/// The namespaces and Jobs of a JSON list. Empty if the text is not such a list.
fn listed_in_json(value: &str) -> Vec<(Option<String>, Target)> {
    let items: Vec<Listed> = serde_json::from_str(value).unwrap_or_default();
    let target = |item: Listed| {
        let namespace = Some(item.namespace).filter(|namespace| !namespace.is_empty());
        let by_name = Target::Name(item.name);
        (namespace, if item.labels.is_empty() { by_name } else { Target::Labels(item.labels.into_iter().collect()) })
    };
    items.into_iter().map(target).collect()
}

/// Whether a word is a program, or the image of a program, that asks the API server about Jobs.
fn is_client(word: &str) -> bool {
    let last = word.rsplit('/').next().unwrap_or(word);
    let name = last.split([':', '@']).next().unwrap_or(last);
    matches!(name, "kubectl" | "oc") || ["wait-for", "wait_for", "waitfor"].iter().any(|part| name.contains(part))
}

/// The words of a container's command line, without quotes.
fn tokens(container: &Container<'_>) -> Vec<Token> {
    const ENDS: [char; 7] = [';', '|', '&', '`', '(', ')', '\n'];
    let mut found = Vec::new();
    for list in ["command", "args"] {
        let items = container.value.items_at(&[list]).iter().enumerate();
        for (index, text) in items.filter_map(|(index, item)| Some((index, item.as_text()?))) {
            let path = container.path.join(&path![list, index]);
            for line in text.split_inclusive(ENDS) {
                let words = line.split(|found: char| found.is_whitespace() || ";|&`()<>{}\\".contains(found));
                let words = words.map(|word| word.replace(['"', '\''], "")).filter(|word| !word.is_empty());
                found.extend(words.map(|text| Token::Word(Word { path: path.clone(), text })));
                if line.ends_with(ENDS) && !line.ends_with("\\\n") {
                    found.push(Token::End);
                }
            }
        }
    }
    found
}

/// The Jobs that one command names, each with the word that names it.
fn of_command<'w>(words: &[&'w Word], talks: bool) -> Vec<(&'w Word, Target)> {
    let mut found = Vec::new();
    let mut after_job = None;
    let mut skip = false;
    for word in words.iter().copied() {
        let text = word.text.as_str();
        if std::mem::take(&mut skip) {
            continue;
        }
        if text.starts_with('-') {
            skip = FLAGS.contains(&text);
        } else if let Some(names) = after_slash(text) {
            found.extend(names.into_iter().map(|name| (word, Target::Name(name.to_owned()))));
        } else if JOB.contains(&text) {
            after_job = talks.then_some(word);
        } else if after_job.is_some() {
            found.push((word, Target::Name(text.to_owned())));
        }
    }
    let selector = flag(words, &["-l", "--selector"]).and_then(|(word, selector)| Some((word, labels(selector)?)));
    if let Some((word, labels)) = selector {
        match labels.iter().find(|(key, _)| JOB_NAME.contains(&key.as_str())) {
            Some((_, name)) => found.push((word, Target::Name(name.clone()))),
            None => found.extend(after_job.map(|_| (word, Target::Labels(labels)))),
        }
    }
    found
}

/// The value of a flag (`-n x`, `--namespace=x`, `-nx`), and the word that contains the value.
fn flag<'w>(words: &[&'w Word], names: &[&str]) -> Option<(&'w Word, &'w str)> {
    words.iter().enumerate().find_map(|(index, word)| {
        let name = names.iter().find(|name| word.text.starts_with(**name))?;
        match &word.text[name.len()..] {
            "" => words.get(index + 1).map(|value| (*value, value.text.as_str())),
            rest if rest.starts_with('=') => Some((*word, &rest[1..])),
            rest if !name.starts_with("--") => Some((*word, rest)),
            _ => None,
        }
    })
}

/// The names in `job/a`, in `job/a,job/b`, or in the path of a Job in the Kubernetes API.
fn after_slash(word: &str) -> Option<Vec<&str>> {
    if word.contains("/apis/batch/") {
        let mut steps = word.split(['/', '?']);
        let name = steps.by_ref().find(|step| *step == "jobs").and_then(|_| steps.next())?;
        return Some(vec![name]);
    }
    let parts = word.split(',').map(|part| part.split_once('/').filter(|(kind, _)| JOB.contains(kind)));
    let names: Option<Vec<&str>> = parts.map(|part| part.map(|(_, name)| name)).collect();
    names.filter(|names| !names.is_empty())
}

/// The labels of an equality-based selector. None for any other selector.
fn labels(selector: &str) -> Option<Vec<(String, String)>> {
    let part = |part: &str| {
        let (key, value) = part.split_once("==").or_else(|| part.split_once('='))?;
        let is_plain = !key.is_empty() && !key.ends_with('!') && !value.contains('$');
        is_plain.then(|| (key.to_owned(), value.to_owned()))
    };
    selector.split(',').map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_jobs::kubernetes::Job;

    fn found(container: &str) -> Vec<String> {
        let job = Job::read(&format!(
            "{{apiVersion: batch/v1, kind: Job, spec: {{template: {{spec: {{containers: [{container}]}}}}}}}}"
        ))
        .unwrap();
        let show = |reference: JobReference| {
            let place = reference.path.steps()[5..].iter().cloned().collect::<Path>();
            let target = match reference.target {
                Target::Name(name) => name,
                Target::Labels(labels) => format!("{labels:?}"),
            };
            format!("{place} {target} {}", reference.namespace.unwrap_or_default())
        };
        job_references(&job).into_iter().map(show).collect()
    }

    #[test]
    fn command_lines_name_jobs() {
        assert_eq!(
            found("{command: [kubectl, wait, --for=condition=complete, job/a, 'jobs/b,job.batch/c']}"),
            ["command[3] a ", "command[4] b ", "command[4] c "]
        );
        assert_eq!(found("{image: 'r.example/k8s-wait-for:v2', args: [job, a]}"), ["args[1] a "]);
        assert_eq!(
            found("{command: [sh, -c, 'set -e; until kubectl -n x get job a -o name; do sleep 1; done']}"),
            ["command[2] a x"]
        );
        assert_eq!(
            found("{command: [kubectl, wait, job, -l, a.b/c=d, --timeout, 60s]}"),
            ["command[4] [(\"a.b/c\", \"d\")] "]
        );
        assert_eq!(
            found("{command: [kubectl, get, --raw, /apis/batch/v1/namespaces/x/jobs/a/status]}"),
            ["command[3] a "]
        );
    }

    #[test]
    fn a_loop_over_lines_does_not_wait() {
        let waits = |script: &str| {
            let container = format!("{{name: a, image: kubectl, command: [sh, -c, '{script}']}}");
            let job = Job::read(&format!(
                "{{apiVersion: batch/v1, kind: Job, spec: {{template: {{spec: {{containers: [{container}]}}}}}}}}"
            ))
            .unwrap();
            job_references(&job).iter().any(|reference| reference.waits)
        };
        assert!(waits("while ! kubectl get job a; do sleep 1; done"));
        assert!(!waits("kubectl get jobs a | while read x; do echo $x; done"));
    }

    #[test]
    fn so_do_labels_of_pods_and_dependencies() {
        assert_eq!(found("{command: [sh, -c, 'kubectl logs -f -l job-name=\"a\"']}"), ["command[2] a "]);
        assert_eq!(found("{image: groundnuty/k8s-wait-for, args: [job-wr, a]}"), ["args[1] a "]);
        assert_eq!(
            found("{env: [{name: DEPENDENCY_JOBS, value: 'a,x:b'}], command: [kubernetes-entrypoint]}"),
            ["env[0].value a ", "env[0].value b x"]
        );
        assert_eq!(
            found(
                r#"{env: [{name: DEPENDENCY_JOBS_JSON, value: '[{"name": "a"}, {"namespace": "x", "labels": {"b": "c"}}]'}]}"#
            ),
            ["env[0].value a ", "env[0].value [(\"b\", \"c\")] x"]
        );
        assert_eq!(found("{env: [{name: DEPENDENCY_JOBS_JSON, value: '[{\"name\": \"a\"'}]}"), [""; 0]);
    }

    #[test]
    fn other_words_name_none() {
        assert_eq!(found("{command: [ruby, jobs/migrate]}"), [""; 0]);
        assert_eq!(found("{command: [sh, -c, 'echo this job will fail && false']}"), [""; 0]);
        assert_eq!(found("{command: [kubectl, wait, deploy/a, --for=condition=available]}"), [""; 0]);
        assert_eq!(found("{command: [app, job, migrate]}"), [""; 0]);
        assert_eq!(found("{command: [kubectl, create, job, a, --from=cronjob/a]}"), [""; 0]);
        assert_eq!(found("{command: [sh, -c, 'kubectl get pods; echo job migrate']}"), [""; 0]);
    }
}

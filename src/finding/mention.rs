//! Command lines that name Jobs: `kubectl wait job/migrate`, `wait_for.sh job migrate`, `kubectl get jobs -l app=migrate`.
//!
//! Only words are looked at. What a shell would put in the place of a variable is not known, and names nothing.

use crate::kubernetes::Object;
use crate::kubernetes::pod::{self, Container};
use crate::yaml::Value;

/// Words that mean Jobs to kubectl.
const JOB: [&str; 6] = ["job", "jobs", "job.batch", "jobs.batch", "job.v1.batch", "jobs.v1.batch"];

/// Flags of kubectl that take the next word.
const FLAGS: [&str; 11] =
    ["-n", "--namespace", "-l", "--selector", "-o", "--output", "-c", "--container", "--for", "--timeout", "--context"];

/// A word of a command line that means a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// Where the word stands in the object.
    pub(super) path: Vec<String>,
    /// What it means.
    pub(super) target: Target,
    /// The namespace, where the command line names one.
    pub(super) namespace: Option<String>,
    /// Whether it looks as if the command waited for the Job.
    pub(super) waits: bool,
    /// Whether the pod's other containers wait for this one.
    pub(super) is_init: bool,
}

/// What a word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The Job of this name.
    Name(String),
    /// The Jobs that have all of these labels.
    Labels(Vec<(String, String)>),
}

impl Target {
    /// True for a Job that is meant.
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

/// All words of the command lines of an object's containers that mean a Job.
pub(super) fn mentions(object: &Object) -> Vec<Mention> {
    pod::containers(object).iter().flat_map(of_container).collect()
}

/// A word, or what ends a command.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'o> {
    Word { path: Vec<String>, text: &'o str },
    End,
}

fn of_container(container: &Container<'_>) -> Vec<Mention> {
    let image = container.value.text_at(&["image"]).unwrap_or("");
    let tokens = tokens(container);
    let words = tokens.iter().filter_map(|token| match token {
        Token::Word { text, .. } => Some(*text),
        Token::End => None,
    });
    let waits = words.chain([image]).any(|word| word.contains("wait") || matches!(word, "until" | "while"));
    let mut found = Vec::new();
    for command in tokens.split(|token| *token == Token::End) {
        let mut words: Vec<(&[String], &str)> = Vec::new();
        for token in command {
            if let Token::Word { path, text } = token {
                words.push((path, text));
            }
        }
        let talks = is_client(image) || words.iter().any(|(_, word)| is_client(word));
        let is_init = container.is_init;
        if talks || waits {
            found.extend(of_command(&words, talks).into_iter().map(|(path, target, namespace)| Mention {
                path,
                target,
                namespace,
                waits,
                is_init,
            }));
        }
    }
    found
}

/// True for a program, or the image of one, that asks the API server about Jobs.
fn is_client(word: &str) -> bool {
    let last = word.rsplit('/').next().unwrap_or(word);
    let name = last.split([':', '@']).next().unwrap_or(last);
    matches!(name, "kubectl" | "oc") || ["wait-for", "wait_for", "waitfor"].iter().any(|part| name.contains(part))
}

/// The words of a container's command line.
fn tokens<'o>(container: &Container<'o>) -> Vec<Token<'o>> {
    let mut found = Vec::new();
    for list in ["command", "args"] {
        let items = container.value.at(&[list]).and_then(Value::as_list).into_iter().flatten().enumerate();
        for (index, text) in items.filter_map(|(index, item)| Some((index, item.as_text()?))) {
            let path: Vec<String> =
                container.path.iter().cloned().chain([list.to_owned(), index.to_string()]).collect();
            for line in text.split_inclusive([';', '|', '&', '`', '(', ')', '\n']) {
                let is_word = |word: &&str| !word.is_empty();
                let words = line.split(|found: char| found.is_whitespace() || ";|&`()\"'<>{}\\".contains(found));
                found.extend(words.filter(is_word).map(|text| Token::Word { path: path.clone(), text }));
                let goes_on = line.ends_with("\\\n") || !line.ends_with([';', '|', '&', '`', '(', ')', '\n']);
                if !goes_on {
                    found.push(Token::End);
                }
            }
        }
    }
    found
}

/// What one command means: the place, the meaning, the namespace.
fn of_command(words: &[(&[String], &str)], talks: bool) -> Vec<(Vec<String>, Target, Option<String>)> {
    let namespace = flag(words, &["-n", "--namespace"]).filter(|found| !found.contains('$'));
    let mut found = Vec::new();
    let mut after_job = false;
    let mut skip = false;
    for (path, word) in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.starts_with('-') {
            skip = FLAGS.contains(word);
        } else if let Some(names) = after_slash(word) {
            found.extend(names.into_iter().map(|name| (path.to_vec(), Target::Name(name.to_owned()))));
        } else if JOB.contains(word) {
            after_job = talks;
        } else if after_job {
            found.push((path.to_vec(), Target::Name((*word).to_owned())));
        }
    }
    if let Some(selector) = flag(words, &["-l", "--selector"]).filter(|_| after_job) {
        let path = words.iter().find(|(_, word)| JOB.contains(word)).map(|(path, _)| path.to_vec());
        found.extend(path.zip(labels(selector)).map(|(path, labels)| (path, Target::Labels(labels))));
    }
    found.into_iter().map(|(path, target)| (path, target, namespace.map(ToOwned::to_owned))).collect()
}

/// The value of a flag: `-n x`, `--namespace=x`, and of a short one `-nx`.
fn flag<'w>(words: &[(&[String], &'w str)], names: &[&str]) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(index, (_, word))| {
        let name = names.iter().find(|name| word.starts_with(**name))?;
        match &word[name.len()..] {
            "" => words.get(index + 1).map(|(_, value)| *value),
            rest if rest.starts_with('=') => Some(&rest[1..]),
            rest if !name.starts_with("--") => Some(rest),
            _ => None,
        }
    })
}

/// The names in `job/a`, `job/a,job/b`, or in the path of a Job in Kubernetes' API.
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

/// A selector of equalities; none for one that says anything else.
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
    use crate::kubernetes::job::job_of;

    fn found(container: &str) -> Vec<String> {
        let job = job_of(&format!(
            "{{apiVersion: batch/v1, kind: Job, spec: {{template: {{spec: {{containers: [{container}]}}}}}}}}"
        ));
        let show = |mention: Mention| {
            let place = mention.path[mention.path.len() - 2..].join(".");
            let target = match mention.target {
                Target::Name(name) => name,
                Target::Labels(labels) => format!("{labels:?}"),
            };
            format!("{place} {target} {}", mention.namespace.unwrap_or_default())
        };
        mentions(&job).into_iter().map(show).collect()
    }

    #[test]
    fn command_lines_name_jobs() {
        assert_eq!(
            found("{command: [kubectl, wait, --for=condition=complete, job/a, 'jobs/b,job.batch/c']}"),
            ["command.3 a ", "command.4 b ", "command.4 c "]
        );
        assert_eq!(found("{image: 'r.example/k8s-wait-for:v2', args: [job, a]}"), ["args.1 a "]);
        assert_eq!(
            found("{command: [sh, -c, 'set -e; until kubectl -n x get job a -o name; do sleep 1; done']}"),
            ["command.2 a x"]
        );
        assert_eq!(
            found("{command: [kubectl, wait, job, -l, a.b/c=d, --timeout, 60s]}"),
            ["command.2 [(\"a.b/c\", \"d\")] "]
        );
        assert_eq!(
            found("{command: [kubectl, get, --raw, /apis/batch/v1/namespaces/x/jobs/a/status]}"),
            ["command.3 a "]
        );
    }

    #[test]
    fn other_words_name_none() {
        assert_eq!(found("{command: [ruby, jobs/migrate]}"), [""; 0]);
        assert_eq!(found("{command: [sh, -c, 'echo this job will fail && false']}"), [""; 0]);
        assert_eq!(found("{command: [kubectl, wait, deploy/a, --for=condition=available]}"), [""; 0]);
        assert_eq!(found("{command: [app, job, migrate]}"), [""; 0]);
        assert_eq!(found("{command: [sh, -c, 'kubectl get pods; echo job migrate']}"), [""; 0]);
    }
}

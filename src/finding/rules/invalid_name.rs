//! `invalid-name`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::kubernetes::dns::Invalid;
use crate::kubernetes::job_name::{self, InvalidName};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "invalid-name",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "a name or namespace of a Job that the API server rejects",
    why: "The name of a Job has to be an RFC 1123 subdomain: lowercase letters, digits, `-` and `.`, with a letter or \
          digit at both ends and next to each dot (`pkg/apis/batch/validation/validation.go` in Kubernetes). A \
          `generateName` may also end with `-`. A namespace has to be an RFC 1123 label, which has no dots and at \
          most 63 bytes. Anything else makes the sync fail with `Invalid value`.\n\n\
          The plugin does not correct a name: other manifests may refer to it. A strategy that appends something to \
          the name keeps what is wrong with it. A name that is only too long for a Job is the finding \
          `name-too-long`.",
    fix: "Rename the Job: write lowercase letters, and `-` instead of `_`.",
    link: "https://kubernetes.io/docs/concepts/overview/working-with-objects/names/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.applied_jobs().flat_map(|(index, job)| of_job(index, job)).collect()
}

fn of_job(index: usize, job: &Job) -> Vec<Diagnostic> {
    let found = job_name::invalid(job).map(|InvalidName { key, text, why: invalid }| {
        let what = if key == "generateName" { "`generateName`" } else { key };
        let message = format!("the {what} `{text}` {}: the API server rejects the Job", why(invalid));
        let message = message.replacen("the `generateName`", "`generateName`", 1);
        Diagnostic::at(index, path!["metadata", key], message, help(key, invalid))
    });
    found.collect()
}

fn why(invalid: Invalid) -> String {
    match invalid {
        Invalid::Length(most) => format!("has more than {most} bytes"),
        Invalid::Character(found) if found.is_ascii_uppercase() => "has capital letters".to_owned(),
        Invalid::Character(found) if found.is_whitespace() => "has white space in it".to_owned(),
        Invalid::Character(found) => format!("has the character `{found}`"),
        Invalid::Ends => "does not begin and end with a letter or digit".to_owned(),
        Invalid::Part => "has a `.` next to `-` or another `.`".to_owned(),
    }
}

fn help(key: &str, invalid: Invalid) -> String {
    let allowed = match key {
        "namespace" => "lowercase letters, digits and `-`",
        _ => "lowercase letters, digits, `-` and `.`",
    };
    match invalid {
        Invalid::Length(most) => format!("shorten the Job's `{key}` to {most} bytes"),
        Invalid::Part => format!("write a letter or digit before and after each `.` in the Job's `{key}`"),
        Invalid::Ends if key != "generateName" => {
            format!("let the Job's `{key}` begin and end with a lowercase letter or a digit")
        }
        _ => format!("use only {allowed} in the Job's `{key}`"),
    }
}

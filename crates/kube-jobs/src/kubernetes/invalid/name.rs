//! The rules for the name of a Job, including the suffixes that Argo CD and the pods append, and for its namespace.

use goyaml::{Value, path};
use text::Help;

use super::{Found, has_placeholder, int32, set};
use crate::kubernetes::Job;
use crate::kubernetes::dns::{self, Invalid};
use crate::kubernetes::name::{MAX_JOB_NAME, generated_suffix};

/// Checks `name`, `generateName` and `namespace`.
pub(super) fn judge(job: &Job, found: &mut Found) {
    let prefix = job.generate_name();
    let name = job.name();
    let names = [
        ("name", name, name.map(dns::subdomain)),
        ("generateName", prefix, prefix.map(dns::subdomain_prefix)),
        ("namespace", job.namespace(), job.namespace().map(dns::label)),
    ];
    let mut is_valid = true;
    for (key, text, result) in names {
        if let (Some(text), Some(Err(invalid))) = (text.filter(|text| !has_placeholder(text)), result) {
            let noun = if key == "generateName" { "`generateName`".to_owned() } else { format!("the {key}") };
            found.add(path!["metadata", key], format!("{noun} `{text}` {}", why(invalid)), help(key, invalid));
            is_valid = false;
        }
    }
    if is_valid && !name.or(prefix).is_some_and(has_placeholder) {
        with_suffix(job, found);
    }
}

/// Checks the length of the name with the suffixes that Argo CD and the pods of an Indexed Job append, because it becomes the value of a pod label
/// and part of the pods' host name. Skips a `generateName` without a hook, which the API server truncates.
fn with_suffix(job: &Job, found: &mut Found) {
    let index = index_suffix(job);
    let (key, text, appended) = match (job.name(), job.generate_name()) {
        (Some(name), _) => ("name", name, 0),
        (None, Some(prefix)) if job.is_hook() => {
            let Some(suffix) = job.phases().into_iter().map(generated_suffix).max() else { return };
            ("generateName", prefix, suffix)
        }
        _ => return,
    };
    let noun = if key == "name" { "the name" } else { "`generateName`" };
    if index.is_some() && text.contains('.') {
        let what = format!("{noun} of an Indexed Job has a `.`, and its pods use it as their host name");
        found.add(path!["metadata", key], what, format!("write `-` for each `.` in the Job's `{key}`"));
        return;
    }
    // With `manualSelector: true` the pods do not get the label with the name of the Job.
    let is_limited = index.is_some() || !job.has_manual_selector();
    let index = index.unwrap_or(0);
    let most = MAX_JOB_NAME.saturating_sub(appended + index);
    if is_limited && text.len() > most {
        let of_argo_cd = if appended > 0 { format!(", Argo CD appends {appended}") } else { String::new() };
        let of_pods = if index > 0 { format!(", the index of its pods needs {index} more") } else { String::new() };
        let length = text.len();
        let what =
            format!("{noun} has {length} bytes{of_argo_cd}{of_pods}, and a Job's name can have at most {MAX_JOB_NAME}");
        let strategy = if key == "name" { "hash-name" } else { "generate-name" };
        let help = Help::from(format!("shorten the Job's `{key}` to {most} bytes"))
            .with_plugin(format!("the strategy `{strategy}` does this"));
        found.add(path!["metadata", key], what, help);
    }
}

/// The length of `-<completions - 1>`, which the pods of an Indexed Job append. None for other Jobs and for Jobs without pods.
fn index_suffix(job: &Job) -> Option<usize> {
    let spec = job.value().at(&["spec"])?;
    let is_indexed = spec.text_at(&["completionMode"]) == Some("Indexed");
    let completions = match set(spec, "completions") {
        Some(completions) => int32(completions),
        None => set(spec, "parallelism").is_none().then_some(1),
    };
    let last = completions.filter(|completions| is_indexed && *completions > 0)? - 1;
    Some(1 + last.to_string().len())
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

/// Why the value of a field that names an object or a part of the pod is not a valid name, as the rest of a sentence. None if it is valid.
pub(super) fn of_field(value: &Value, is_label: bool) -> Option<String> {
    let text = value.as_text().filter(|text| !text.is_empty() && !has_placeholder(text))?;
    let judge = if is_label { dns::label } else { dns::subdomain };
    judge(text).err().map(|invalid| format!("`{text}` {}", why(invalid)))
}

//! The rules for the `spec` of a Job that concern more than one field (`ValidateJobSpec`).

use goyaml::{Path, Value, path};

use super::{Found, has_placeholder, int32, items, set};
use crate::kubernetes::Job;
use crate::kubernetes::server_fields::LABELS;

/// The maximum `parallelism` of an Indexed Job.
const MAX_INDEXED: i64 = 100_000;
/// The allowed actions of the rules of a `podFailurePolicy`.
const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];

pub(super) fn judge(job: &Job, spec: &Value, found: &mut Found) {
    restart_policy(spec, found);
    indexes(spec, found);
    selector(job, spec, found);
    if set(spec, "podFailurePolicy").is_some() {
        failure_policy(spec, found);
    }
    let is_indexed = spec.text_at(&["completionMode"]) == Some("Indexed");
    if let Some(policy) = set(spec, "successPolicy").filter(|_| is_indexed) {
        let path = path!["spec", "successPolicy"];
        let mut rules = items(&path, policy, "rules").peekable();
        if rules.peek().is_none() {
            found.add(path, "`spec.successPolicy` has no `rules`", "add a rule, or remove `successPolicy`");
        }
        for (path, rule) in rules {
            if set(rule, "succeededCount").is_none() && set(rule, "succeededIndexes").is_none() {
                let what = format!("`{path}` has neither `succeededCount` nor `succeededIndexes`");
                found.add(path, what, "add one of them to the rule");
            }
        }
    }
}

fn restart_policy(spec: &Value, found: &mut Found) {
    let what = match spec.at(&["template", "spec", "restartPolicy"]) {
        None | Some(Value::Null) => "the pod template has no `restartPolicy`".to_owned(),
        Some(Value::String(policy)) if policy == "Never" || policy == "OnFailure" || has_placeholder(policy) => return,
        Some(Value::String(policy)) => format!("`restartPolicy: {policy}` in the pod template"),
        Some(_) => return,
    };
    let help = "set `restartPolicy: Never` or `restartPolicy: OnFailure` in the pod template of the Job";
    found.add(path!["spec", "template", "spec", "restartPolicy"], what, help);
}

/// Checks fields that only Indexed Jobs may have, and fields that an Indexed Job needs.
fn indexes(spec: &Value, found: &mut Found) {
    let number = |field| set(spec, field).and_then(int32);
    let path = |field: &str| path!["spec", field];
    match spec.text_at(&["completionMode"]) {
        Some("Indexed") => {
            if set(spec, "completions").is_none() && set(spec, "parallelism").is_some() {
                let what = "an Indexed Job with `parallelism` has no `completions`";
                found.add(path("completionMode"), what, "add `completions` to the `spec` of the Job");
            }
            if number("parallelism").is_some_and(|parallelism| parallelism > MAX_INDEXED) {
                let what = format!("`spec.parallelism` of an Indexed Job is more than {MAX_INDEXED}");
                found.add(path("parallelism"), what, format!("write at most {MAX_INDEXED}"));
            }
            if let (Some(most), Some(all)) = (number("maxFailedIndexes"), number("completions"))
                && most > all
            {
                let what = format!("`spec.maxFailedIndexes` is {most}, more than the {all} `completions`");
                found.add(path("maxFailedIndexes"), what, format!("write at most {all}"));
            }
        }
        None | Some("NonIndexed") => {
            for field in ["backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"] {
                if set(spec, field).is_some() {
                    let what = format!("`spec.{field}` of a Job that is not Indexed");
                    let help = format!("add `completionMode: Indexed` to the Job, or remove `{field}`");
                    found.add(path(field), what, help);
                }
            }
            return;
        }
        Some(_) => {}
    }
    if set(spec, "maxFailedIndexes").is_some() && set(spec, "backoffLimitPerIndex").is_none() {
        let what = "`spec.maxFailedIndexes` without `backoffLimitPerIndex`";
        found.add(path("maxFailedIndexes"), what, "add `backoffLimitPerIndex`, or remove `maxFailedIndexes`");
    }
}

/// Checks that the selector matches the pods of the template. A selector without `manualSelector` may contain only generated labels.
fn selector(job: &Job, spec: &Value, found: &mut Found) {
    let path = path!["spec", "selector"];
    let Some(selector) = set(spec, "selector") else {
        if job.has_manual_selector() {
            let help = "add a `selector` that matches the labels of the pod template, or remove `manualSelector`";
            found.add(path!["spec", "manualSelector"], "`manualSelector: true` without a `selector`", help);
        }
        return;
    };
    let entries = selector.at(&["matchLabels"]).and_then(Value::as_map).into_iter().flatten();
    for (key, value) in entries {
        let label = spec.at(&["template", "metadata", "labels", key]).and_then(Value::as_text);
        let wanted = value.as_text().unwrap_or_default();
        let path = path.with("matchLabels").with(key);
        if job.has_manual_selector() && label.unwrap_or_default() != wanted && !has_placeholder(wanted) {
            let what = format!("the pod template does not have the label `{key}` with the value in `spec.selector`");
            found.add(path, what, format!("add the label `{key}` of the selector to the pod template"));
        } else if !job.has_manual_selector() && !LABELS.contains(&key.as_str()) {
            let what = format!("`spec.selector` has the label `{key}`, without `manualSelector: true`");
            found.add(path, what, "remove `selector` from the Job: the API server generates one");
        }
    }
}

fn failure_policy(spec: &Value, found: &mut Found) {
    let Some(policy) = set(spec, "podFailurePolicy") else { return };
    if spec.text_at(&["template", "spec", "restartPolicy"]) == Some("OnFailure") {
        let path = path!["spec", "template", "spec", "restartPolicy"];
        let what = "`restartPolicy: OnFailure` of a Job with a `podFailurePolicy`";
        found.add(path, what, "set `restartPolicy: Never` in the pod template of the Job");
    }
    if spec.text_at(&["podReplacementPolicy"]) == Some("TerminatingOrFailed") {
        let what = "`podReplacementPolicy: TerminatingOrFailed` of a Job with a `podFailurePolicy`";
        found.add(path!["spec", "podReplacementPolicy"], what, "set `podReplacementPolicy: Failed`, or remove it");
    }
    for (path, rule) in items(&path!["spec", "podFailurePolicy"], policy, "rules") {
        failure_rule(spec, path, rule, found);
    }
}

fn failure_rule(spec: &Value, path: Path, rule: &Value, found: &mut Found) {
    let action = rule.text_at(&["action"]).unwrap_or_default();
    if !ACTIONS.contains(&action) && !has_placeholder(action) {
        let what = format!("Kubernetes does not know the `action` of `{path}`");
        found.add(path.with("action"), what, format!("write one of `{}`", ACTIONS.join("`, `")));
    } else if action == "FailIndex" && set(spec, "backoffLimitPerIndex").is_none() {
        let what = format!("`action: FailIndex` of `{path}` without `backoffLimitPerIndex`");
        found.add(path.with("action"), what, "add `backoffLimitPerIndex` to the `spec` of the Job");
    }
    let codes = set(rule, "onExitCodes");
    let has_conditions = items(&path, rule, "onPodConditions").next().is_some();
    if codes.is_some() == has_conditions {
        let how = if has_conditions { "both" } else { "neither" };
        let what = format!("`{path}` has {how} of `onExitCodes` and `onPodConditions`");
        found.add(path.clone(), what, "give the rule exactly one of them");
    }
    let Some(codes) = codes else { return };
    let values: Vec<i64> = items(&path, codes, "values").filter_map(|(_, value)| int32(value)).collect();
    let path = path.with("onExitCodes").with("values");
    if values.is_empty() {
        found.add(path, "`onExitCodes` has no `values`", "add the exit codes that the rule is for");
    } else if codes.text_at(&["operator"]) == Some("In") && values.contains(&0) {
        found.add(
            path,
            "`onExitCodes` with `operator: In` has the value 0",
            "remove 0: a pod with this exit code has not failed",
        );
    } else if !values.is_sorted_by(|one, next| one < next) {
        found.add(path, "the `values` of `onExitCodes` are not in ascending order", "sort them, each once");
    }
}

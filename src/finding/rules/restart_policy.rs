//! `restart-policy`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::yaml::{Path, Value};

pub(super) const RULE: Rule = Rule {
    id: "restart-policy",
    level: Level::Error,
    summary: "a Job whose pods have no `restartPolicy` of `Never` or `OnFailure`",
    why: "Without one a pod template gets `Always`, which the API server refuses for a Job: \
          `spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"` \
          (`pkg/apis/batch/validation`).",
    fix: "Write `restartPolicy: Never`, or `OnFailure`.",
    link: "https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-template",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let path = ["spec", "template", "spec", "restartPolicy"];
    // A partial Job, such as a kustomize patch, is not checked.
    let whole = context.applied_jobs().filter(|(_, job)| !job.images().is_empty());
    whole
        .filter_map(|(index, job)| {
            let message = match job.value().at(&path) {
                None | Some(Value::Null) => {
                    "no `restartPolicy` in the pod template: the API server refuses the Job".to_owned()
                }
                Some(Value::String(policy)) if policy == "Never" || policy == "OnFailure" => return None,
                Some(Value::String(policy)) => format!("`restartPolicy: {policy}`: the API server refuses the Job"),
                Some(_) => return None,
            };
            Some(Diagnostic::at(index, Path::of_keys(&path), message, "write `restartPolicy: Never`, or `OnFailure`"))
        })
        .collect()
}

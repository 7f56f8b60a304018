//! `restart-policy`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::yaml::{Path, Value};

pub(super) const RULE: Rule = Rule {
    id: "restart-policy",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job whose `restartPolicy` is neither `Never` nor `OnFailure`",
    why: "A pod template without one gets `Always`, which the API server rejects for a Job: \
          `spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"` \
          (`pkg/apis/batch/validation`).",
    fix: "Set `restartPolicy: Never` or `restartPolicy: OnFailure` in the pod template.",
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
                    "the pod template has no `restartPolicy`: the API server rejects the Job".to_owned()
                }
                Some(Value::String(policy)) if policy == "Never" || policy == "OnFailure" => return None,
                Some(Value::String(policy)) => {
                    format!("`restartPolicy: {policy}` in the pod template: the API server rejects the Job")
                }
                Some(_) => return None,
            };
            let help = "set `restartPolicy: Never` or `restartPolicy: OnFailure` in the pod template of the Job";
            Some(Diagnostic::at(index, Path::of_keys(&path), message, help))
        })
        .collect()
}

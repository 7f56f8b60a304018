//! `unstable-template-label`

use goyaml::{Value, path};
use kube_jobs::kubernetes::{Job, volatile};

use crate::{Check, Context, Diagnostic, Level, Rule};

/// The label with the version of the application, which usually changes together with the image tag.
const VERSION: &str = "app.kubernetes.io/version";

pub(super) const RULE: Rule = Rule {
    id: "unstable-template-label",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Warning,
    summary: "under `hash-name`, a label or annotation of the pod template that changes although the Job does the same",
    why: "The pod template is immutable, so all of it is part of the content hash. A label with the chart's version \
          changes with each release of the chart, a timestamp each time it is rendered: the Job gets a new name and \
          runs again, although it does the same (argo-helm #3958). `app.kubernetes.io/version` is only an info: it seldom \
          changes without the image.",
    fix: "Add the label to the parameter `strip-template-labels`, which removes it from the pod template and so from \
          the hash. Remove such an annotation from the template.",
    link: "https://github.com/argoproj/argo-helm/issues/3958",
    example: super::example!("unstable-template-label"),
    check: Check::Objects(check),
};

/// Labels with the version of a chart or a release. `app.kubernetes.io/version` is checked by its value instead.
const LABELS: [&str; 5] = ["helm.sh/chart", "chart", "helm.sh/revision", "release-revision", "chart-version"];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context
        .renamed_jobs()
        .flat_map(|(index, job)| labels(index, job).into_iter().chain(annotations(index, job)))
        .take(context.most)
        .collect()
}

fn entries<'j>(job: &'j Job, map: &str) -> impl Iterator<Item = (&'j str, &'j str)> {
    let found = job.value().at(&["spec", "template", "metadata", map]).and_then(Value::as_map);
    found.into_iter().flatten().filter_map(|(key, value)| Some((key.as_str(), value.as_text()?)))
}

fn labels(index: usize, job: &Job) -> Vec<Diagnostic> {
    let changes = |key: &str, value: &str| match key {
        VERSION => !job.images().iter().any(|(_, image)| image.contains(value)),
        _ => LABELS.contains(&key) && value.contains(|found: char| found.is_ascii_digit()),
    };
    let unstable = entries(job, "labels").filter(|(key, value)| changes(key, value));
    unstable
        .map(|(key, value)| {
            let message = format!(
                "the label `{key}: {value}` of the pod template is part of the hash: every new value runs the Job again"
            );
            let help = format!("remove the label from the pod template, or let the parameter `strip-template-labels: [{key}]` remove it");
            let found = Diagnostic::at(index, path!["spec", "template", "metadata", "labels", key], message, help);
            // This label usually changes only together with the image.
            if key == VERSION { found.at_level(Level::Info) } else { found }
        })
        .collect()
}

fn annotations(index: usize, job: &Job) -> Vec<Diagnostic> {
    let is_rolled = |key: &str| key.to_ascii_lowercase().replace(['-', '_'], "").contains("rollme");
    let unstable = entries(job, "annotations")
        .filter(|(key, value)| volatile::is_timestamp(value) || is_rolled(key) && volatile::is_random(value));
    unstable
        .map(|(key, value)| {
            let message = format!(
                "the annotation `{key}: {value}` of the pod template is part of the hash: every new value runs the Job again"
            );
            let help = format!("remove the annotation `{key}` from the pod template of the Job");
            Diagnostic::at(index, path!["spec", "template", "metadata", "annotations", key], message, help)
        })
        .collect()
}

//! `ignored-template`

use std::borrow::Cow;

use goyaml::{Path, path};
use kube_jobs::argocd::{self, Fact, IgnoredDifferences, Version, unescaped};
use kube_jobs::kubernetes::Job;
use text::Help;

use super::HASH_NAME_DOES_THIS;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "ignored-template",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "ignored differences that hide a change to the Job: it does not run again",
    why: "Some people silence `field is immutable` by ignoring differences in `/spec/template`, in \
          `spec.ignoreDifferences` of the Application or, since Argo CD 3.6, in the annotation \
          `argocd.argoproj.io/ignore-differences` of the Job (`util/argo/diff/ignore.go`). The Application then stays \
          Synced when the image of the Job changes, so auto-sync never starts, and the new image never runs. A sync \
          for another reason applies the Job all the same and fails with `field is immutable`; with \
          `RespectIgnoreDifferences=true` it succeeds, and the Job still does not run.\n\n\
          The finding is about JSON pointers to `/spec`, to the pod template, and to containers, images, commands, \
          arguments and variables in it. Ignored differences of an Application are seen only if its manifest is known.",
    fix: "Remove the ignored difference, and give the Job another name with every change. The plugin does this with \
          the strategy `hash-name`: the new name is a new object, which is compared.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/",
    example: super::example!("ignored-template"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // With server-side diff the dry run fails before differences are ignored, so `immutable-fields` is enough.
    let version = context.output.argocd_version;
    if context.survey.application.sync.as_ref().is_some_and(|sync| sync.uses_server_side_diff(version)) {
        return Vec::new();
    }
    // A Job with a new name has no live object to be compared with.
    let jobs = context.ordinary_jobs().filter(|(index, job)| job.name().is_some() && !context.is_renamed(*index));
    jobs.filter_map(|(index, job)| by_annotation(version, index, job).or_else(|| by_application(context, index, job)))
        .collect()
}

fn by_annotation(version: Version, index: usize, job: &Job) -> Option<Diagnostic> {
    let ignored = IgnoredDifferences::of_annotation(job).filter(|_| version.has(Fact::IgnoreDifferences))?;
    let pointer = ignored.pointers.iter().find(|pointer| hides_a_change(pointer))?;
    let help = "remove the annotation and rename the Job whenever you change it";
    let path = path!["metadata", "annotations", argocd::IGNORE_DIFFERENCES];
    Some(diagnostic(index, path, &format!("the annotation ignores `{pointer}`"), help))
}

fn by_application(context: &Context<'_>, index: usize, job: &Job) -> Option<Diagnostic> {
    let application = context.survey.application;
    let sync = application.sync.as_ref()?;
    let namespace = application.namespace.as_deref();
    let applies = |ignored: &&IgnoredDifferences| !ignored.is_of_argocd && ignored.is_about(job, namespace);
    let pointers = sync.ignored.iter().filter(applies).flat_map(|ignored| &ignored.pointers);
    let pointer = pointers.into_iter().find(|pointer| hides_a_change(pointer))?;
    let help = "remove it from `spec.ignoreDifferences` and rename the Job whenever you change it";
    Some(diagnostic(index, path!["metadata", "name"], &format!("the Application ignores `{pointer}` of the Job"), help))
}

fn diagnostic(index: usize, path: Path, who: &str, help: &'static str) -> Diagnostic {
    let message = format!("{who}: when that changes, the Application stays Synced, and the Job does not run again");
    Diagnostic::at(index, path, message, Help::from(help).with_plugin(HASH_NAME_DOES_THIS))
}

/// The fields of a container that decide what runs.
const RUNS: [&str; 5] = ["image", "command", "args", "env", "envFrom"];

/// Whether a change of what the Job runs goes unnoticed if the field at this JSON pointer is not compared.
fn hides_a_change(pointer: &str) -> bool {
    let steps: Vec<Cow<'_, str>> = pointer.split('/').map(unescaped).collect();
    let steps: Vec<&str> = steps.iter().map(AsRef::as_ref).collect();
    match steps.as_slice() {
        ["", "spec"] | ["", "spec", "template"] | ["", "spec", "template", "spec"] => true,
        ["", "spec", "template", "spec", "containers" | "initContainers", container @ ..] => match container {
            [] | [_] => true,
            [_, field, ..] => RUNS.contains(field),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_to_what_runs_hide_a_change() {
        let hiding =
            ["/spec", "/spec/template", "/spec/template/spec/containers/0/image", "/spec/template/spec/initContainers"];
        let harmless = [
            "",
            "/",
            "/status",
            "/spec/suspend",
            "/spec/template/metadata/labels",
            "/spec/template/spec/containers/0/resources",
            "spec",
        ];
        assert!(hiding.into_iter().all(hides_a_change));
        assert!(!harmless.into_iter().any(hides_a_change));
    }
}

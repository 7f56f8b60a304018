//! `force-without-replace`

use kube_jobs::argocd::{self, Fact};
use kube_jobs::kubernetes::Job;
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "force-without-replace",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`Force=true` without `Replace=true` on a Job",
    why: "When the API server rejects a change, `kubectl apply --force` deletes and recreates the Job. With \
          server-side apply, whether the Job or the Application asks for it, this does not work. Since Argo CD 3.6, \
          `Force=true` is then ignored (`newApplyOptions` in `gitops-engine/pkg/utils/kube/resource_ops.go`), and a \
          change to the Job fails with `field is immutable`. Before 3.6, kubectl rejects the option (`--force cannot \
          be used with --server-side`), even when the Job is first created (argo-cd #29624).\n\n\
          Without server-side apply, kubectl does not wait until the old Job is gone: if that Job has a finalizer, \
          the sync fails with `context deadline exceeded`, and the retry creates the new one.\n\n\
          If the Job or a known Application asks for server-side apply, the level is error. If the Application is \
          known and neither asks for it, the finding is not reported.",
    fix: "Add `ServerSideApply=false`. Or, with the plugin, use the strategy `hash-name`.",
    link: "https://github.com/argoproj/argo-cd/issues/29624",
    example: super::example!("force-without-replace"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    const APPLY: &str = "ServerSideApply=true";
    let is_known = context.survey.application.sync.is_some();
    let by_application = context.has_application_option(APPLY);
    let is_certain = |job: &Job| by_application || job.has_sync_option(APPLY);
    let forced = context.ordinary_jobs().filter(|(_, job)| {
        let has = |option| job.has_sync_option(option);
        let is_replaced = has("Replace=true") || context.has_application_option("Replace=true");
        has("Force=true") && !is_replaced && !has("ServerSideApply=false") && (is_certain(job) || !is_known)
    });
    let then = match context.output.argocd_version.has(Fact::ForceIsIgnored) {
        true => "`Force=true` is ignored, and a change to the Job fails with `field is immutable`",
        false => "the Job cannot even be created",
    };
    let of_job = |(index, job): (usize, &Job)| {
        let (when, level) = match is_certain(job) {
            true => ("with `ServerSideApply=true`", Level::Error),
            false => ("in an Application with server-side apply", Level::Warning),
        };
        let message = format!("`Force=true` without `Replace=true`: {when}, {then}");
        let help = Help::from("add `ServerSideApply=false` to the Job's sync options")
            .with_plugin("use the strategy `hash-name`");
        Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help).at_level(level)
    };
    forced.map(of_job).collect()
}

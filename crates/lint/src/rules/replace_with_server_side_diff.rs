//! `replace-with-server-side-diff`

use kube_jobs::argocd::{self, Fact};
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "replace-with-server-side-diff",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`Force=true,Replace=true` on a Job of an Application with server-side diff: a change blocks the Application",
    why: "With server-side diff, Argo CD compares a Job by a dry run of server-side apply. When the Job has changed, \
          the API server rejects the dry run, and the Application has a ComparisonError: `field is immutable`. \
          Auto-sync does not start, so `Replace=true` does not get its turn, and the rest of the output is not \
          applied either (argo-cd #29348). A later comparison can take the difference from a cache \
          (`useDiffCache` in `controller/state.go`); the error is then gone, the Application is Synced, and a manual \
          sync may replace the Job.\n\n\
          Since Argo CD 3.6, `ServerSideApply=true` in the sync options of an Application turns server-side diff on \
          (`shouldUseServerSideDiff` in `controller/state.go`, 3.6.1, line 1184). Before 3.6, only the annotation \
          `argocd.argoproj.io/compare-options: ServerSideDiff=true` of the Application or a flag of the controller \
          did.\n\n\
          If the manifest of the Application is known, the finding is an error, and is reported only if the \
          Application uses server-side diff. If it is not known, the finding is a warning, and is reported only from \
          `argocd-version` 3.6 on.",
    fix: "Let the Job run once per change, with the strategy `hash-name` of the plugin. Or set the annotation \
          `argocd.argoproj.io/compare-options: ServerSideDiff=false` on the Application.",
    link: "https://github.com/argoproj/argo-cd/issues/29348",
    example: super::example!("replace-with-server-side-diff").note("Change the name whenever you change the Job. With the plugin, leave the name alone: `hash-name` appends a hash."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let version = context.output.argocd_version;
    let (application, level) = match &context.survey.application.sync {
        Some(sync) if sync.uses_server_side_diff(version) => ("with server-side diff", Level::Error),
        None if version.has(Fact::ApplyTurnsDiffOn) => ("with `ServerSideApply=true`", Level::Warning),
        _ => return Vec::new(),
    };
    let message = format!(
        "`Force=true,Replace=true`: in an Application {application}, a change to the Job ends in a ComparisonError, and auto-sync does not start (Argo CD {version})"
    );
    let help = Help::from("set `argocd.argoproj.io/compare-options: ServerSideDiff=false` on the Application")
        .with_plugin("use the strategy `hash-name`");
    let of_job = |(index, _)| {
        Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message.clone(), help.clone()).at_level(level)
    };
    context.replaced_jobs().map(of_job).collect()
}

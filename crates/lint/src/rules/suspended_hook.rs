//! `suspended-hook`

use goyaml::path;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "suspended-hook",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Error,
    summary: "a hook that is a suspended Job or Workflow: the sync waits",
    why: "Kubernetes starts no pods for a Job with `suspend: true`. For Argo CD a suspended hook is still running, \
          so the sync waits for it forever (`gitops-engine/pkg/sync/sync_context.go`; argo-cd #10600). A suspended \
          Workflow of Argo Workflows starts when somebody resumes it; the level is then warning.\n\n\
          A Job with the label `kueue.x-k8s.io/queue-name` does not give the finding: Kueue resumes it.",
    fix: "Remove `suspend: true`. To leave the hook out of the sync, write `argocd.argoproj.io/hook: Skip`.",
    link: "https://github.com/argoproj/argo-cd/issues/10600",
    example: super::example!("suspended-hook"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let jobs = context.hook_jobs().filter(|(_, job)| job.is_suspended() && !job.is_queued());
    let jobs = jobs.map(|(index, _)| {
        let message = "this hook is a suspended Job: it never completes, and the sync waits forever";
        diagnostic(index, message, "Job")
    });
    let workflows = context
        .finishing_hooks()
        .filter(|(_, object)| object.kind() == "Workflow" && object.value().is_true_at(&["spec", "suspend"]));
    let workflows = workflows.map(|(index, _)| {
        let message = "this hook is a suspended Workflow: the sync waits until somebody resumes it";
        diagnostic(index, message, "Workflow").at_level(Level::Warning)
    });
    jobs.chain(workflows).collect()
}

fn diagnostic(index: usize, message: &str, kind: &str) -> Diagnostic {
    let help = format!(
        "remove `suspend: true` from the {kind}, or set `argocd.argoproj.io/hook: Skip` to leave it out of the sync"
    );
    Diagnostic::at(index, path!["spec", "suspend"], message, help)
}

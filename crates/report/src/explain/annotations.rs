//! The annotations that matter for a Job under Argo CD, as data. Each fact is from the file of Argo CD's code that its row names.
//!
//! Annotations that set a parameter are not here: the table of parameters has them.

use kube_jobs::argocd;
use lint::suppression::ANNOTATION as IGNORE;
use rewrite::plan::TRIGGER;
use rewrite::strategy::NAME;

/// What an annotation does to a Job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Annotation {
    /// The key, or what it begins with.
    pub(super) id: &'static str,
    /// What it does, on one line.
    pub(super) summary: &'static str,
    /// What it does to a Job. Whole sentences; an empty line separates paragraphs.
    pub(super) effect: &'static str,
    /// The values that count, and what each means.
    pub(super) values: &'static [(&'static str, &'static str)],
    /// The annotation with a value.
    pub(super) example: &'static str,
    /// The ids of findings about it.
    pub(super) findings: &'static [&'static str],
    /// Where Argo CD's code reads it; empty for an annotation of this program.
    pub(super) source: &'static str,
    /// A page with more about it.
    pub(super) link: &'static str,
}

const HOOKS_PAGE: &str = "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/";
const WAVES_PAGE: &str = "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/";
const HELM_PAGE: &str = "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#helm-hooks";

/// The annotations of Argo CD, the annotations of Helm that Argo CD reads, and the annotations of this program.
pub(super) const ANNOTATIONS: [Annotation; 12] = [
    Annotation {
        id: argocd::HOOK,
        summary: "makes the Job a hook that runs in the listed phases",
        effect: "The value is a comma-separated list; spaces around the items are ignored. Any value other than exactly `Skip` makes the Job a hook. Argo CD \
                 runs a hook at every full sync and waits until it has finished. A sync of selected resources, which is what self-heal does, \
                 leaves hooks out.\n\n\
                 Argo CD does not compare hooks: a commit that changes nothing but a hook leaves the Application Synced, and auto-sync does \
                 not start. Argo CD never prunes hooks either.\n\n\
                 Types must be spelled exactly. Argo CD ignores the ones that it does not know, and never applies a hook that has no known \
                 type; it reports neither.",
        values: &[
            ("PreSync", "before anything else is applied"),
            ("Sync", "together with the other manifests, in the hook's wave"),
            ("PostSync", "after everything is applied and healthy"),
            ("SyncFail", "after the sync has failed"),
            ("PreDelete", "when the Application is deleted, before its resources (Argo CD 3.3 and later)"),
            ("PostDelete", "when the Application is deleted, after its resources (Argo CD 2.10 and later)"),
            (
                "Skip",
                "alone: Argo CD neither applies the Job nor reports it as OutOfSync; next to another type it is ignored",
            ),
        ],
        example: "argocd.argoproj.io/hook: PreSync",
        findings: &[
            "unknown-hook",
            "skip-ignored",
            "hook-change-unseen",
            "hooks-only",
            "suspended-hook",
            "hook-without-deadline",
        ],
        source: "`gitops-engine/pkg/sync/hook/hook.go`, `gitops-engine/pkg/sync/sync_phase.go`, `controller/hook.go`",
        link: HOOKS_PAGE,
    },
    Annotation {
        id: argocd::HOOK_DELETE_POLICY,
        summary: "when Argo CD deletes the Job of a hook",
        effect: "The value is a comma-separated list. It has an effect on hooks only. Policies must be spelled exactly; Argo CD ignores the others, \
                 and uses `BeforeHookCreation` if none is left. It adds the policies in `helm.sh/hook-delete-policy` to these.\n\n\
                 Without `BeforeHookCreation` among them, a finished Job of the same name stays in the way of the next run.",
        values: &[
            (
                "BeforeHookCreation",
                "before the hook runs again: Argo CD deletes the Job of the same name, waits until it is gone, and creates the new one",
            ),
            ("HookSucceeded", "when the whole sync has succeeded, not as soon as the hook has"),
            ("HookFailed", "when the sync has failed, even if this hook succeeded"),
        ],
        example: "argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded",
        findings: &["unknown-delete-policy", "hook-not-recreated", "hook-piles-up", "delete-policy-without-hook"],
        source: "`gitops-engine/pkg/sync/hook/delete_policy.go`, `gitops-engine/pkg/sync/sync_context.go`",
        link: HOOKS_PAGE,
    },
    Annotation {
        id: argocd::SYNC_WAVE,
        summary: "the wave of its phase in which Argo CD applies the Job",
        effect: "Argo CD applies waves in ascending order, and by kind and name within a wave. The next wave begins when the hooks of this \
                 one have finished and all its resources are healthy; a Job is healthy when it is complete. A failed Job fails the sync, and a \
                 suspended one holds it up. Argo CD does not wait for the last wave if no hook is in it.\n\n\
                 Argo CD reads the value with Go's `strconv.Atoi`. Anything that is not an integer counts as absent: then \
                 `helm.sh/hook-weight` decides, or else the wave is 0.",
        values: &[("\"-1\"", "any integer, in quotes; the default is 0")],
        example: "argocd.argoproj.io/sync-wave: \"-1\"",
        findings: &[
            "invalid-sync-wave",
            "hook-needs-later-object",
            "wave-waits-for-suspended-job",
            "workload-waits-for-later-job",
        ],
        source: "`gitops-engine/pkg/sync/syncwaves/waves.go`, `gitops-engine/pkg/sync/sync_tasks.go`",
        link: WAVES_PAGE,
    },
    Annotation {
        id: argocd::SYNC_OPTIONS,
        summary: "how Argo CD applies and prunes the Job",
        effect: "The value is a comma-separated list of `Key=value`. Argo CD compares the items letter by letter and ignores those that it does not \
                 know. The values below are those that matter for Jobs.\n\n\
                 `Replace` and `Force` also count if only the live Job has them, so that removing one takes effect one sync later (Argo CD \
                 3.3 and later).",
        values: &[
            (
                "Force=true,Replace=true",
                "`kubectl replace --force`: deletes and recreates the Job at every sync that applies it, whether it has changed or not",
            ),
            (
                "Force=true",
                "`kubectl apply --force`: deletes and recreates the Job if the API server rejects the change; has no effect with server-side apply (before Argo CD 3.6 it makes the sync fail)",
            ),
            (
                "Replace=true",
                "without `Force=true`, `kubectl replace`: fails for a live Job, whose selector and labels are immutable and not in Git",
            ),
            (
                "ServerSideApply=true",
                "applies the Job with server-side apply; `false` does not, even if the Application does",
            ),
            ("Prune=false", "does not delete the Job when it is no longer in Git; the Application stays OutOfSync"),
            ("Prune=confirm", "waits for somebody to confirm before it prunes the Job"),
            (
                "PruneLast=true",
                "prunes the Job after everything else is applied and healthy; the live Job must have it",
            ),
        ],
        example: "argocd.argoproj.io/sync-options: Prune=false",
        findings: &["force-without-replace", "replace-without-force", "replace-reruns", "unknown-sync-option"],
        source: "`gitops-engine/pkg/sync/resource/annotations.go`, `gitops-engine/pkg/sync/sync_context.go`",
        link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    },
    Annotation {
        id: argocd::COMPARE_OPTIONS,
        summary: "whether the Job counts when Argo CD decides if the Application is OutOfSync",
        effect: "Argo CD reads it from the live Job, so it must be there when the Job is created. The parameter `prune: keep` writes it, \
                 together with the sync option `Prune=false`, so that earlier Jobs stay and the Application is Synced.",
        values: &[("IgnoreExtraneous", "a Job that is no longer in Git does not make the Application OutOfSync")],
        example: "argocd.argoproj.io/compare-options: IgnoreExtraneous",
        findings: &[],
        source: "`controller/state.go`",
        link: "https://argo-cd.readthedocs.io/en/stable/user-guide/compare-options/",
    },
    Annotation {
        id: argocd::IGNORE_DIFFERENCES,
        summary: "which fields of the Job Argo CD does not compare (Argo CD 3.6 and later)",
        effect: "The value is YAML with the key `jsonPointers`, a list as in `spec.ignoreDifferences` of an Application. Argo CD reads nothing \
                 else there.\n\n\
                 A Job whose pod template is not compared stays Synced when its image changes. Auto-sync then does not start, and the new \
                 image never runs.",
        values: &[],
        example: "argocd.argoproj.io/ignore-differences: |\n  jsonPointers:\n    - /spec/template/spec/containers/0/image",
        findings: &["ignored-template"],
        source: "`util/argo/diff/ignore.go`",
        link: "https://argo-cd.readthedocs.io/en/latest/user-guide/diffing/",
    },
    Annotation {
        id: argocd::HELM_HOOK,
        summary: "Helm's hook types, which Argo CD translates to its own",
        effect: "Argo CD renders charts with `helm template` and runs the hooks itself. It does not distinguish an installation from an \
                 upgrade: hooks for either run at every full sync.\n\n\
                 Argo CD uses these types only if `argocd.argoproj.io/hook` has no valid one.",
        values: &[
            ("pre-install", "PreSync"),
            ("pre-upgrade", "PreSync"),
            ("post-install", "PostSync"),
            ("post-upgrade", "PostSync"),
            ("pre-delete", "PreDelete"),
            ("post-delete", "PostDelete"),
            ("test", "no phase: Argo CD never applies the Job"),
            ("pre-rollback", "no phase: Argo CD never applies the Job"),
            ("post-rollback", "no phase: Argo CD never applies the Job"),
        ],
        example: "helm.sh/hook: pre-install,pre-upgrade",
        findings: &["helm-hook-without-phase", "helm-install-and-upgrade", "both-hooks", "unknown-hook"],
        source: "`gitops-engine/pkg/sync/hook/helm/hook.go`, `gitops-engine/pkg/sync/hook/helm/type.go`, `controller/hook.go`",
        link: HELM_PAGE,
    },
    Annotation {
        id: argocd::HELM_HOOK_WEIGHT,
        summary: "the Job's sync wave, unless it has `argocd.argoproj.io/sync-wave`",
        effect: "Helm reads the weight of hooks only. Argo CD uses it as the sync wave of any resource whose `argocd.argoproj.io/sync-wave` \
                 is missing or not an integer.",
        values: &[("\"5\"", "any integer, in quotes; the default is 0")],
        example: "helm.sh/hook-weight: \"5\"",
        findings: &["weight-without-hook", "both-hooks", "invalid-sync-wave"],
        source: "`gitops-engine/pkg/sync/syncwaves/waves.go`",
        link: HELM_PAGE,
    },
    Annotation {
        id: argocd::HELM_HOOK_DELETE_POLICY,
        summary: "Helm's hook delete policies, which Argo CD adds to its own",
        effect: "Argo CD adds these policies to those in `argocd.argoproj.io/hook-delete-policy`, even if the hook type is Argo CD's. With no \
                 valid policy in either, it uses `BeforeHookCreation`.",
        values: &[
            ("before-hook-creation", "BeforeHookCreation"),
            ("hook-succeeded", "HookSucceeded"),
            ("hook-failed", "HookFailed"),
        ],
        example: "helm.sh/hook-delete-policy: before-hook-creation",
        findings: &["both-hooks", "hook-not-recreated", "unknown-delete-policy"],
        source: "`gitops-engine/pkg/sync/hook/delete_policy.go`",
        link: HELM_PAGE,
    },
    Annotation {
        id: IGNORE,
        summary: "ignores a finding about the resource: `argocd-jobs/ignore.<finding>`",
        effect: "Only `check` and `preview` read it; `generate` does not. It holds for the whole resource. Without a reason it ignores \
                 nothing, and `unused-ignore` reports it.",
        values: &[("\"…\"", "the reason, in your words")],
        example: "argocd-jobs/ignore.ttl-reruns: \"running it again does no harm\"",
        findings: &["unused-ignore"],
        source: "",
        link: "",
    },
    Annotation {
        id: NAME,
        summary: "the name that you wrote, on a Job that the plugin renamed",
        effect: "The plugin writes it; do not set it. A Job that gets another name keeps the original one in this annotation and in a label with the same key: `kubectl get jobs -l argocd-jobs/name=migrate` finds it under any name.",
        values: &[],
        example: "argocd-jobs/name: migrate",
        findings: &["names-renamed-job"],
        source: "",
        link: "",
    },
    Annotation {
        id: TRIGGER,
        summary: "marks the ConfigMap that triggers auto-sync when a hook changes",
        effect: "The plugin writes it; do not set it. It is how the plugin recognizes its own ConfigMap (parameter `trigger`).",
        values: &[],
        example: "argocd-jobs/trigger: \"true\"",
        findings: &["hook-change-unseen", "hooks-only"],
        source: "",
        link: "",
    },
];

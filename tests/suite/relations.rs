//! A Job and something that it needs, for every pair of moments in a sync: `check` reports exactly what comes later
//! than the Job, and is silent when it comes at the same moment or earlier.

use kube_jobs::argocd::Application;
use lint::{Analysis, State};
use rewrite::settings::RawLayers;
use source::{Source, read_version};

/// The phases in the order of a sync; `None` means that the object is not a hook.
const PHASES: [(Option<&str>, usize); 5] =
    [(Some("PreSync"), 0), (Some("Sync"), 1), (None, 1), (Some("PostSync"), 2), (Some("SyncFail"), 3)];

type Moment = (Option<&'static str>, usize, i64);

fn moments() -> Vec<Moment> {
    let waves = |(hook, phase)| [-1, 0, 2].map(|wave| (hook, phase, wave));
    PHASES.into_iter().flat_map(waves).collect()
}

fn annotations((hook, _, wave): Moment) -> String {
    let hook = hook.map(|hook| format!("argocd.argoproj.io/hook: {hook}, ")).unwrap_or_default();
    format!("annotations: {{{hook}argocd.argoproj.io/sync-wave: \"{wave}\"}}")
}

/// The rules of the open findings.
fn found(text: String) -> Vec<&'static str> {
    let version = read_version(Source::stream(text), &RawLayers::default(), Application::default()).unwrap();
    let analysis = Analysis::of(&version);
    assert!(analysis.problems.is_empty(), "{:?}", analysis.problems);
    let open = analysis.findings().unwrap().iter().filter(|finding| finding.state == State::Open);
    open.map(|finding| finding.rule.id).collect()
}

#[test]
fn a_job_needs_what_comes_later_and_nothing_else() {
    for job in moments() {
        for needed in moments() {
            let text = format!(
                "apiVersion: v1\nkind: Secret\nmetadata: {{name: db, {}}}\n---\napiVersion: batch/v1\nkind: Job\nmetadata: \
                 {{name: migrate, {}}}\nspec: {{template: {{spec: {{containers: [{{image: a:1, envFrom: [{{secretRef: {{name: \
                 db}}}}]}}]}}}}}}\n",
                annotations(needed),
                annotations(job)
            );
            let is_later = (needed.1, needed.2) > (job.1, job.2);
            let said = found(text.clone()).contains(&"hook-needs-later-object");
            assert_eq!(said, is_later, "the Job is {job:?}, the Secret {needed:?}");
            let optional = text.replace("name: db}", "name: db, optional: true}");
            assert!(!found(optional).contains(&"hook-needs-later-object"), "optional: {job:?}, {needed:?}");
        }
    }
}

#[test]
fn a_workload_waits_in_vain_for_what_comes_later_and_for_nothing_else() {
    for job in moments() {
        for workload in moments() {
            let text = format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, {}}}\nspec: {{template: {{spec: {{initContainers: \
                 [{{command: [kubectl, wait, job, -l, app=x]}}]}}}}}}\n---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: \
                 migrate, labels: {{app: x}}, {}}}\nspec: {{template: {{spec: {{containers: [{{image: a:1}}]}}}}}}\n",
                annotations(workload),
                annotations(job)
            );
            let is_later = (job.1, job.2) > (workload.1, workload.2);
            let said = found(text).contains(&"workload-waits-for-later-job");
            assert_eq!(said, is_later, "the Job is {job:?}, the Deployment {workload:?}");
        }
    }
}

//! The tree that everything is measured on: N manifests, one object a file, every tenth a Job. The same numbers, the same bytes.
//!
//! 10 % Jobs, 40 % Deployments, 20 % Services, 20 % ConfigMaps (some long), 10 % CronJobs; fifty files a folder.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// One file.
pub(crate) struct File {
    /// Below the tree's root.
    pub(crate) path: PathBuf,
    /// One object.
    pub(crate) text: String,
}

/// The files of a tree of `count` manifests.
pub(crate) fn files(count: usize) -> Vec<File> {
    let mut dice = Dice(42);
    (0..count)
        .map(|number| {
            let (kind, text) = object(number, &mut dice);
            File { path: PathBuf::from(format!("app-{:03}/{kind}-{number}.yaml", number / 50)), text }
        })
        .collect()
}

/// Writes `files` below `dir`.
pub(crate) fn write(files: &[File], dir: &Path) {
    for file in files {
        let path = dir.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.text).unwrap();
    }
}

/// A kustomization next to the folder `tree` that makes a hook of every Job.
pub(crate) fn kustomization(files: &[File]) -> String {
    let mut text = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n".to_owned();
    for file in files {
        writeln!(text, "- tree/{}", file.path.display()).unwrap();
    }
    text + "\
patches:
- target: {group: batch, version: v1, kind: Job}
  patch: |-
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: any
      annotations:
        argocd.argoproj.io/hook: Sync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
"
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// The object of file `number`, and the first word of the file's name.
fn object(number: usize, dice: &mut Dice) -> (&'static str, String) {
    let app = number / 50;
    let namespace = number % 23;
    let head = |api: &str, kind: &str, name: &str| {
        format!("apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}-{number}\n  namespace: ns-{namespace}\n")
    };
    match number % 10 {
        0 => {
            let pod = pod(6, &format!("migrate-{number}"), number, dice);
            let head = head("batch/v1", "Job", "migrate");
            let labels = format!("labels:\n        app: app-{app}\n");
            (
                "job",
                format!(
                    "# Job {number}\n{head}  labels:\n    app: app-{app}\nspec:\n  backoffLimit: {}\n  template:\n    metadata:\n      {labels}    spec:\n{pod}      restartPolicy: Never\n",
                    number % 4
                ),
            )
        }
        1..=4 => {
            let pod = pod(6, &format!("web-{number}"), number, dice);
            let labels = format!("{{app: web-{number}}}");
            let head = head("apps/v1", "Deployment", "web");
            (
                "deploy",
                format!(
                    "{head}spec:\n  replicas: {}\n  selector:\n    matchLabels: {labels}\n  template:\n    metadata:\n      labels: {labels}\n    spec:\n{pod}",
                    1 + number % 5
                ),
            )
        }
        5 | 6 => (
            "svc",
            head("v1", "Service", "svc")
                + &format!(
                    "spec:\n  selector: {{app: web-{number}}}\n  ports:\n  - name: http\n    port: 80\n    targetPort: 8080\n"
                ),
        ),
        7 | 8 => {
            let lines: String =
                (0..20 + number % 60).map(|key| format!("    key{key} = {}\n", dice.below(1_000_000_000))).collect();
            ("cm", head("v1", "ConfigMap", "cm") + "data:\n  app.conf: |\n" + &lines)
        }
        _ => {
            let pod = pod(10, &format!("cron-{number}"), number, dice);
            let head = head("batch/v1", "CronJob", "cron");
            (
                "cron",
                format!(
                    "{head}spec:\n  schedule: \"{} * * * *\"\n  jobTemplate:\n    spec:\n      template:\n        spec:\n{pod}          restartPolicy: Never\n",
                    number % 60
                ),
            )
        }
    }
}

/// A pod's containers and volumes, `indent` deep.
fn pod(indent: usize, name: &str, number: usize, dice: &mut Dice) -> String {
    let p = " ".repeat(indent);
    let mut text = format!("{p}containers:\n");
    for container in 0..=number % 3 {
        let tag = format!("{}.{}", 1 + dice.below(89), dice.below(20));
        writeln!(text, "{p}- name: c{container}\n{p}  image: registry.example.com/team-{}/{name}:{tag}", number % 17)
            .unwrap();
        writeln!(text, "{p}  command: [\"/bin/sh\", \"-c\"]\n{p}  args:\n{p}  - |\n{p}    set -eu").unwrap();
        writeln!(text, "{p}    echo \"start {name}\"\n{p}    exec /app/run --shard={container}\n{p}  env:").unwrap();
        for variable in 0..4 + number % 8 {
            writeln!(text, "{p}  - name: VAR_{variable}\n{p}    value: \"{}\"", dice.below(1_000_000)).unwrap();
        }
        writeln!(
            text,
            "{p}  resources:\n{p}    requests: {{cpu: 100m, memory: 128Mi}}\n{p}    limits: {{memory: 256Mi}}"
        )
        .unwrap();
    }
    text + &format!("{p}volumes:\n{p}- name: cfg\n{p}  configMap:\n{p}    name: {name}-cfg\n{p}    defaultMode: 0755\n")
}

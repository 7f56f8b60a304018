//! Text that a stranger wrote stays text: in Markdown (`tree.rs` parses it as GitHub does), in a log and on a
//! terminal (`lines.rs`). And no output shows the content of a Secret (`secrets.rs`).

mod lines;
mod markdown;
mod secrets;
mod tree;

/// The places of an object where a stranger's text can be. Each `W` stands for the text, in double quotes.
const PLACES: [&str; 29] = [
    r#"metadata: {name: "W"}"#,
    r#"metadata: {name: a, namespace: "W"}"#,
    r#"metadata: {generateName: "W"}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/hook: "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/hook: "Sync,W"}}"#,
    r#"metadata: {name: "W", annotations: {argocd.argoproj.io/hook: PreSync}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/hook: Sync, argocd.argoproj.io/hook-delete-policy: "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/sync-wave: "W", argocd.argoproj.io/hook: PostSync}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/sync-options: "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/sync-options: "Replace=true,W"}}"#,
    r#"metadata: {name: a, annotations: {argocd.argoproj.io/compare-options: "W"}}"#,
    r#"metadata: {name: a, annotations: {"W": "W"}}"#,
    r#"metadata: {name: a, annotations: {"W": 1}}"#,
    r#"metadata: {name: a, annotations: {"argocd.argoproj.io/W": "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd-jobs/strategy: "W"}}"#,
    r#"metadata: {name: a, annotations: {"argocd-jobs/W": "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd-jobs/base-name: "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd-jobs/rerun: "W", "argocd-jobs/ignore.W": "W"}}"#,
    r#"metadata: {name: a, annotations: {argocd-jobs/ignore.immutable-fields: "W"}}"#,
    r#"metadata: {name: a, annotations: {helm.sh/hook: "W", helm.sh/hook-weight: "W"}}"#,
    r#"metadata: {name: a, labels: {"W": "W"}}"#,
    r#"metadata: {name: a, finalizers: ["W"], ownerReferences: [{kind: "W", name: "W"}]}"#,
    r#"metadata: {name: a}
spec: {"W": "W", template: {"W": null, spec: {containers: [{name: "W", image: "W", command: [kubectl, wait, "job/W"]}]}}}"#,
    r#"metadata: {name: a}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "app:W"}]}}}"#,
    r#"metadata: {name: a}
spec: {template: {metadata: {labels: {a: "W"}, annotations: {b: "W"}}, spec: {restartPolicy: "W", containers: [{name: a, image: app:1, args: ["W", "--x=W"]}]}}}"#,
    r#"metadata: {name: a}
spec: {template: {spec: {restartPolicy: Never, serviceAccountName: "W", containers: [{name: a, image: app:1, env: [{name: "W", value: "W"}, {name: B, valueFrom: {secretKeyRef: {name: "W", key: "W"}}}], volumeMounts: [{name: "W", mountPath: "W"}]}], volumes: [{name: "W", configMap: {name: "W"}}]}}}"#,
    r#"metadata: {name: a}
spec: {suspend: "W", parallelism: "W", selector: {matchLabels: {"W": "W"}}, template: {spec: {containers: [{name: a, image: app:1, command: [sh, -c, "W"]}]}}}"#,
    r#"metadata: {name: a}
spec: {template: {spec: {initContainers: [{name: wait, image: kubectl, args: [wait, "--for=condition=complete", "job/W", "-n", "W"]}], containers: [{name: a, image: app:1}]}}}"#,
    r#"metadata: {name: a}
"W": 1
spec: {"W": {"W": 1, "W": 2}}"#,
];

/// The objects with the text in this place: a Job, and if the place is a kind or API version, another object next to
/// a Job.
fn objects(place: &str, text: &str) -> Vec<String> {
    let quoted = quoted(text);
    let words = place.replace("\"W\"", &quoted).replace('W', &quoted[1..quoted.len() - 1]);
    let rest = if words.contains("\nspec:") {
        ""
    } else {
        "\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: app:1}]}}}"
    };
    let job = "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: seed}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: app:1, envFrom: [{configMapRef: {name: a}}]}]}}}\n";
    let object = |kind: &str| format!("apiVersion: {kind}\n{words}{rest}\n");
    vec![
        object("batch/v1\nkind: Job"),
        object("v1\nkind: ConfigMap") + job,
        object(&format!("example.com/v1\nkind: {quoted}")) + job,
        object(&format!("{quoted}\nkind: Job")) + job,
    ]
}

/// The text as a YAML scalar in double quotes, with escapes for all characters that a YAML reader would refuse.
fn quoted(text: &str) -> String {
    let escape = |found: char| match found {
        '"' | '\\' => format!("\\{found}"),
        ' '..='~' => found.to_string(),
        _ => format!("\\U{:08x}", u32::from(found)),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

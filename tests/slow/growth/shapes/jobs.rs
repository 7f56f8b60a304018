//! Many Jobs that are alike in their metadata, and many lines in the metadata of one.

use super::{Shape, alone, job, job_head, spec};

/// A Job with an annotation.
fn annotated(number: usize, annotation: &str, value: &str) -> String {
    job_head(&format!("j{number}\n  annotations:\n    {annotation}")) + &spec(&format!("image: a:{value}"))
}

/// A Job with these annotations.
fn with_annotations(lines: &str) -> String {
    job_head(&format!("a\n  annotations:\n{}", lines.trim_end())) + &spec("image: a:1")
}

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "hooks", item: |n, v| annotated(n, "argocd.argoproj.io/hook: PreSync", v), around: alone },
    Shape {
        name: "hooks with unknown words",
        item: |n, v| annotated(n, &format!("argocd.argoproj.io/hook: PreSinc{n}"), v),
        around: alone,
    },
    Shape {
        name: "Helm hooks",
        item: |n, v| annotated(n, "helm.sh/hook: pre-install,pre-upgrade\n    helm.sh/hook-weight: \"5\"", v),
        around: alone,
    },
    Shape {
        name: "waves",
        item: |n, v| annotated(n, &format!("argocd.argoproj.io/sync-wave: \"{n}\""), v),
        around: alone,
    },
    Shape {
        name: "strategies by annotation",
        item: |n, v| {
            let all = ["hash-name", "hook", "generate-name", "replace", "keep"];
            annotated(n, &format!("argocd-jobs/strategy: {}", all[n % all.len()]), v)
        },
        around: alone,
    },
    Shape {
        name: "ignore annotations",
        item: |n, v| annotated(n, "argocd-jobs/ignore.hook-without-deadline: yes\n    argocd-jobs/ignore.x: y", v),
        around: alone,
    },
    Shape {
        name: "generated names",
        item: |n, v| job(&format!("j{n}"), v).replace("  name: j", "  generateName: j"),
        around: alone,
    },
    Shape {
        name: "the same generated name, in no phase",
        item: |_, v| job("j-", v).replace("  name: j", "  generateName: j"),
        around: alone,
    },
    Shape {
        name: "aliased metadata",
        item: |n, v| {
            format!("---\nx: &m {{name: j{n}}}\napiVersion: batch/v1\nkind: Job\nmetadata: *m\nspec: {{x: {v}}}\n")
        },
        around: alone,
    },
    Shape {
        name: "server-owned fields",
        item: |n, v| {
            job_head(&format!("j{n}\n  uid: u{n}\n  creationTimestamp: null\n  resourceVersion: \"1\""))
                + &spec(&format!("image: a:{v}"))
                + "status: {succeeded: 1}\n"
        },
        around: alone,
    },
    Shape {
        name: "Jobs that are suspended",
        item: |n, v| job(&format!("j{n}"), v) + "  suspend: true\n",
        around: alone,
    },
    Shape {
        name: "Jobs with a time to live",
        item: |n, v| job(&format!("j{n}"), v) + "  ttlSecondsAfterFinished: 0\n",
        around: alone,
    },
    Shape { name: "annotations", item: |n, v| format!("    k{n}: {v}\n"), around: with_annotations },
    Shape {
        name: "annotations in a flow map",
        item: |n, v| format!("k{n}: {v}, "),
        around: |items| job_head(&format!("a\n  annotations: {{{items}}}")) + &spec("image: a:1"),
    },
    Shape {
        name: "annotations that are nearly known",
        item: |n, v| format!("    argocd-jobs/strateg{n}: {v}\n"),
        around: with_annotations,
    },
    Shape {
        name: "annotations that ignore nothing",
        item: |n, v| format!("    argocd-jobs/ignore.x{n}: {v}\n"),
        around: with_annotations,
    },
    Shape { name: "annotations that are no texts", item: |n, _| format!("    k{n}: {n}\n"), around: with_annotations },
    Shape {
        name: "sync options",
        item: |n, v| format!("PrunePropagationPolicy{n}={v},"),
        around: |items| with_annotations(&format!("    argocd.argoproj.io/sync-options: \"{items}\"\n")),
    },
    Shape {
        name: "phases",
        item: |n, v| format!("Sync{n}{v},"),
        around: |items| with_annotations(&format!("    argocd.argoproj.io/hook: \"{items}\"\n")),
    },
    Shape {
        name: "the same phase",
        item: |_, _| "PreSync,".to_owned(),
        around: |items| with_annotations(&format!("    argocd.argoproj.io/hook: \"{items}\"\n")),
    },
    Shape {
        name: "delete policies",
        item: |n, v| format!("HookSucceede{n}{v},"),
        around: |items| {
            let policies = format!("    argocd.argoproj.io/hook-delete-policy: \"{items}\"\n");
            with_annotations(&("    argocd.argoproj.io/hook: Sync\n".to_owned() + &policies))
        },
    },
    Shape {
        name: "labels",
        item: |n, v| format!("    k{n}: {v}\n"),
        around: |items| job_head(&format!("a\n  labels:\n{}", items.trim_end())) + &spec("image: a:1"),
    },
    Shape { name: "a long name", item: |_, _| "name-".to_owned(), around: |items| job(&format!("{items}x"), "1") },
    Shape {
        name: "owner references",
        item: |n, v| format!("  - {{apiVersion: v1, kind: ConfigMap, name: {v}{n}, uid: u}}\n"),
        around: |items| job_head(&format!("a\n  ownerReferences:\n{}", items.trim_end())) + &spec("image: a:1"),
    },
    Shape {
        name: "a last applied configuration",
        item: |n, v| format!(r#"\"k{n}\":\"{v}\","#),
        around: |items| {
            let text = format!(r#"{{{}}}"#, items.trim_end_matches(','));
            with_annotations(&format!("    kubectl.kubernetes.io/last-applied-configuration: \"{text}\"\n"))
        },
    },
];

//! Many lines in the pod template of one Job.

use super::{Shape, job_head, spec};

/// A Job whose container has these lines.
fn container(key: &str, items: &str) -> String {
    job_head("a") + &spec(&format!("image: a:1\n        {key}:\n{}", items.trim_end_matches('\n')))
}

/// A Job whose pod has these lines.
fn pod(key: &str, items: &str) -> String {
    job_head("a") + &spec("image: a:1") + &format!("      {key}:\n{items}")
}

/// A Job with these lines in its spec.
fn own(lines: &str) -> String {
    job_head("a") + &spec("image: a:1") + lines
}

pub(super) const SHAPES: &[Shape] = &[
    Shape {
        name: "env",
        item: |n, v| format!("        - {{name: E{n}, value: {v}}}\n"),
        around: |items| container("env", items),
    },
    Shape {
        name: "env with the same name",
        item: |n, v| format!("        - {{name: E, value: {v}{n}}}\n"),
        around: |items| container("env", items),
    },
    Shape {
        name: "env from ConfigMaps",
        item: |n, v| format!("        - {{name: E{n}, valueFrom: {{configMapKeyRef: {{name: {v}{n}, key: k}}}}}}\n"),
        around: |items| container("env", items),
    },
    Shape {
        name: "envFrom",
        item: |n, v| format!("        - {{secretRef: {{name: {v}{n}}}}}\n"),
        around: |items| container("envFrom", items),
    },
    Shape { name: "args", item: |n, v| format!("        - {v}{n}\n"), around: |items| container("args", items) },
    Shape {
        name: "the same argument",
        item: |_, v| format!("        - {v}\n"),
        around: |items| container("args", items),
    },
    Shape {
        name: "ports",
        item: |n, v| format!("        - {{name: {v}{n}, containerPort: {n}}}\n"),
        around: |items| container("ports", items),
    },
    Shape {
        name: "volume mounts",
        item: |n, v| format!("        - {{name: v, mountPath: /{n}, subPath: {v}}}\n"),
        around: |items| container("volumeMounts", items),
    },
    Shape {
        name: "containers",
        item: |n, v| format!("      - {{name: c{n}, image: \"a:{v}\"}}\n"),
        around: |items| job_head("a") + &spec("image: a:1").replace("      - name: c\n        image: a:1\n", items),
    },
    Shape {
        name: "containers without a tag",
        item: |n, v| format!("      - name: c{n}\n        image: {v}\n"),
        around: |items| job_head("a") + &spec("image: a:1") + items,
    },
    Shape {
        name: "init containers",
        item: |n, v| format!("      - {{name: c{n}, image: \"a:{v}\"}}\n"),
        around: |items| pod("initContainers", items),
    },
    Shape {
        name: "init containers that wait",
        item: |n, v| {
            format!(
                "      - {{name: c{n}, image: \"a:{v}\", command: [kubectl, wait, job/j{n}, --for=condition=complete]}}\n"
            )
        },
        around: |items| pod("initContainers", items),
    },
    Shape {
        name: "volumes",
        item: |n, v| format!("      - {{name: v{n}, configMap: {{name: {v}{n}}}}}\n"),
        around: |items| pod("volumes", items),
    },
    Shape {
        name: "sources of a projected volume",
        item: |n, v| format!("          - {{secret: {{name: {v}{n}}}}}\n"),
        around: |items| pod("volumes", &format!("      - name: v\n        projected:\n          sources:\n{items}")),
    },
    Shape {
        name: "pull secrets",
        item: |n, v| format!("      - {{name: {v}{n}}}\n"),
        around: |items| pod("imagePullSecrets", items),
    },
    Shape {
        name: "host aliases",
        item: |n, v| format!("      - {{ip: \"{n}\", hostnames: [{v}]}}\n"),
        around: |items| pod("hostAliases", items),
    },
    Shape {
        name: "tolerations",
        item: |n, v| format!("      - {{key: k{n}, value: {v}}}\n"),
        around: |items| pod("tolerations", items),
    },
    Shape {
        name: "labels of a template",
        item: |n, v| format!("        k{n}: {v}\n"),
        around: |items| {
            let labels = format!("  template:\n    metadata:\n      labels:\n{}", items.trim_end());
            job_head("a") + &spec("image: a:1").replace("  template:", &labels)
        },
    },
    Shape {
        name: "labels of a template that are different every time",
        item: |n, v| format!("        helm.sh/chart{n}: {v}\n"),
        around: |items| {
            let labels =
                format!("  template:\n    metadata:\n      labels:\n        helm.sh/chart: a-1\n{}", items.trim_end());
            job_head("a") + &spec("image: a:1").replace("  template:", &labels)
        },
    },
    Shape { name: "keys of a spec", item: |n, v| format!("  k{n}: {v}\n"), around: own },
    Shape { name: "keys of a template", item: |n, v| format!("    k{n}: {v}\n"), around: own },
    Shape { name: "nulls", item: |n, _| format!("  k{n}: null\n"), around: own },
    Shape { name: "keys that are there twice", item: |n, v| format!("  k{n}: {v}\n  k{n}: b\n"), around: own },
    Shape { name: "the same key", item: |n, v| format!("  k: {v}{n}\n"), around: own },
    Shape {
        name: "anchors and aliases",
        item: |n, v| format!("  - &a{n} {v}\n  - *a{n}\n"),
        around: |items| own(&format!("  x:\n{items}")),
    },
    Shape {
        name: "the same anchor",
        item: |_, v| format!("  - &a {v}\n  - *a\n"),
        around: |items| own(&format!("  x:\n{items}")),
    },
    Shape {
        name: "merge keys",
        item: |_, v| format!("  - {{<<: *b, c: {v}}}\n"),
        around: |items| own(&format!("  b: &b {{k: v}}\n  x:\n{items}")),
    },
    Shape {
        name: "maps that one merge key merges",
        item: |n, v| format!("{{k{n}: {v}}}, "),
        around: |items| own(&format!("  x: {{<<: [{items}]}}\n")),
    },
    Shape {
        name: "brackets side by side",
        item: |_, _| "[[]],".to_owned(),
        around: |items| own(&format!("  x: [{items}]\n")),
    },
    Shape {
        name: "rules of a failure policy",
        item: |n, _| format!("    - {{action: Ignore, onExitCodes: {{operator: In, values: [{n}]}}}}\n"),
        around: |items| own(&format!("  podFailurePolicy:\n    rules:\n{items}")),
    },
    Shape {
        name: "lists in lists",
        item: |n, v| format!("  - [a, {{b: [{n}, {v}]}}]\n"),
        around: |items| own(&format!("  x:\n{items}")),
    },
];

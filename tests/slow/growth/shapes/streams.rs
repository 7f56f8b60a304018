//! Many objects.

use super::{Shape, alone, job, job_head, object, spec};

/// An object as an item of a list.
fn item(object: &str) -> String {
    format!("- {}\n", object.trim_start_matches("---\n").trim_end().replace('\n', "\n  "))
}

fn list(items: &str) -> String {
    format!("apiVersion: v1\nkind: List\nitems:\n{items}")
}

fn json(number: usize, value: &str) -> String {
    let container = format!(r#"{{"name":"c","image":"shop:{value}"}}"#);
    let spec = format!(r#"{{"template":{{"spec":{{"restartPolicy":"Never","containers":[{container}]}}}}}}"#);
    format!(r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j{number}"}},"spec":{spec}}}"#)
}

/// A Job with three findings at least, on one line of JSON.
fn odd(number: usize, value: &str) -> String {
    let hook = r#"{"argocd.argoproj.io/hook":"presync","argocd.argoproj.io/sync-wave":"x","note":1}"#;
    format!(
        r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j{number}","annotations":{hook}}},"spec":{{"x":"{value}"}}}}"#
    )
}

fn json_list(items: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"List","items":[{}]}}"#, items.trim_end_matches(','))
}

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "Jobs in documents", item: |n, v| job(&format!("j{n}"), v), around: alone },
    Shape { name: "Jobs in a List", item: |n, v| item(&job(&format!("j{n}"), v)), around: list },
    Shape {
        name: "Jobs in Lists in a List",
        item: |n, v| item(&format!("apiVersion: v1\nkind: List\nitems:\n{}", item(&job(&format!("j{n}"), v)))),
        around: list,
    },
    Shape { name: "Jobs on one line of JSON", item: |n, v| json(n, v) + ",", around: json_list },
    Shape { name: "JSON objects one after another", item: json, around: alone },
    Shape { name: "JSON objects, one a line", item: |n, v| json(n, v) + "\n", around: alone },
    Shape { name: "findings in a stream", item: |n, v| format!("---\n{}\n", odd(n, v)), around: alone },
    Shape { name: "findings in a List", item: |n, v| format!("- {}\n", odd(n, v)), around: list },
    Shape { name: "findings on one line", item: |n, v| odd(n, v) + ",", around: json_list },
    Shape {
        name: "keys that are there twice in a List",
        item: |n, v| item(&(job(&format!("j{n}"), v) + "  x: a\n  x: b\n")),
        around: list,
    },
    Shape { name: "the same Job", item: |_, v| job("same", v), around: alone },
    Shape {
        name: "Jobs with a wrong setting",
        item: |n, v| job_head(&format!("j{n}\n  annotations: {{argocd-jobs/strategy: {v}}}")) + &spec("image: a:1"),
        around: alone,
    },
    Shape {
        name: "ConfigMaps",
        item: |n, v| object("ConfigMap", &format!("c{n}")) + &format!("data: {{a: {v}}}\n"),
        around: |items| job("a", "1") + items,
    },
    Shape {
        name: "ConfigMaps that a Job reads",
        item: |n, v| {
            let map = object("ConfigMap", &format!("c{n}")) + &format!("data: {{a: {v}}}\n");
            let from = format!("image: a:1\n        envFrom: [{{configMapRef: {{name: c{n}}}}}]");
            map + &job_head(&format!("j{n}")) + &spec(&from)
        },
        around: alone,
    },
    Shape {
        name: "Jobs that read one ConfigMap",
        item: |n, v| {
            let from = format!("image: a:{v}\n        envFrom: [{{configMapRef: {{name: c}}}}]");
            job_head(&format!("j{n}")) + &spec(&from)
        },
        around: |items| {
            let data = format!("data: {{a: \"{}\"}}\n", "x".repeat(items.len()));
            object("ConfigMap", "c") + &data + items
        },
    },
    Shape {
        name: "Secrets",
        item: |n, v| object("Secret", &format!("s{n}")) + &format!("stringData: {{a: {v}}}\n"),
        around: |items| job("a", "1") + items,
    },
    Shape {
        name: "Services",
        item: |n, v| object("Service", &format!("s{n}")) + &format!("spec: {{selector: {{app: {v}}}}}\n"),
        around: |items| job("a", "1") + items,
    },
    Shape {
        name: "ServiceAccounts with Roles",
        item: |n, v| {
            let kinds = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r";
            object("ServiceAccount", &format!("a{n}"))
                + &format!("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: r{n}}}\n")
                + &format!("rules: [{{apiGroups: [batch], resources: [jobs], verbs: [{v}]}}]\n")
                + &format!(
                    "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: b{n}}}\n"
                )
                + &format!("{kinds}{n}}}\nsubjects: [{{kind: ServiceAccount, name: a{n}}}]\n")
        },
        around: |items| job("a", "1") + items,
    },
    Shape { name: "names of Jobs in a Role", item: |n, v| job(&format!("j{n}"), "1") + &role(&[n], v), around: alone },
    Shape {
        name: "names in one Role",
        item: |n, _| format!("    - j{n}\n"),
        around: |items| {
            let role = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules:\n";
            job("j0", "1")
                + role
                + "  - apiGroups: [batch]\n    resources: [jobs]\n    verbs: [get]\n    resourceNames:\n"
                + items
        },
    },
    Shape {
        name: "ConfigMaps that name Jobs",
        item: |n, v| {
            let script = format!("data: {{run: \"kubectl wait --for=condition=complete job/j{n} # {v}\"}}\n");
            job(&format!("j{n}"), "1") + &object("ConfigMap", &format!("c{n}")) + &script
        },
        around: alone,
    },
    Shape {
        name: "mentions in one ConfigMap",
        item: |n, v| format!("    kubectl wait --for=condition=complete job/j{n} # {v}\n"),
        around: |items| {
            let jobs: String = (0..items.lines().count()).map(|n| job(&format!("j{n}"), "1")).collect();
            jobs + &object("ConfigMap", "c") + "data:\n  run: |\n" + items
        },
    },
    Shape {
        name: "Deployments that wait for Jobs",
        item: |n, v| {
            let later = format!("j{n}\n  annotations: {{argocd.argoproj.io/sync-wave: \"{}\"}}", n % 7);
            let wait = format!("command: [kubectl, wait, job/j{n}, --for=condition=complete]\n        image: {v}");
            let deployment = format!("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{n}}}\n");
            job_head(&later) + &spec("image: a:1") + &deployment + &spec(&wait)
        },
        around: alone,
    },
    Shape {
        name: "CronJobs",
        item: |n, v| {
            let inner = spec(&format!("image: a:{v}")).replace('\n', "\n    ");
            let head = format!("---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: c{n}}}\n");
            format!("{head}spec:\n  schedule: \"* * * * *\"\n  jobTemplate:\n    {}\n", inner.trim_end())
        },
        around: alone,
    },
    Shape { name: "separators", item: |_, _| "---\n".to_owned(), around: |items| items.to_owned() + &job("a", "1") },
    Shape { name: "documents with an end", item: |n, v| job(&format!("j{n}"), v) + "...\n", around: alone },
    Shape {
        name: "small documents that are no objects",
        item: |n, v| format!("---\na: {v}{n}\n"),
        around: |items| items.to_owned() + &job("a", "1"),
    },
    Shape {
        name: "namespaces",
        item: |n, v| object("Namespace", &format!("n{n}")) + &job(&format!("j\n  namespace: n{n}"), v),
        around: alone,
    },
];

/// A Role for the Jobs with these numbers.
fn role(numbers: &[usize], value: &str) -> String {
    let names: Vec<String> = numbers.iter().map(|n| format!("j{n}")).collect();
    let head = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: r";
    let rule = "apiGroups: [batch], resources: [jobs], resourceNames";
    format!("{head}{}-{value}\nrules: [{{{rule}: [{}], verbs: [get]}}]\n", numbers[0], names.join(", "))
}

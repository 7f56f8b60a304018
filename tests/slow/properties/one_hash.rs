//! A Job has the same hash in every form; every change that Kubernetes would refuse changes the hash.

use std::collections::BTreeMap;

use crate::support::program::generate;

/// The Job of the first test vector.
const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: test-job
spec:
  completions: 1
  template:
    spec:
      containers:
        - name: jobtest
          image: busybox
          command: [\"echo\", \"job-test\"]
      restartPolicy: Never
";

/// The name that this Job gets.
const NAME: &str = "test-job-fg6t5fhk55";

#[test]
fn one_job_in_many_forms_has_one_hash() {
    let mut forms: BTreeMap<&str, String> = BTreeMap::new();
    forms.insert("as it stands", JOB.to_owned());
    forms.insert("windows line ends", JOB.replace('\n', "\r\n"));
    forms.insert("old mac line ends", JOB.replace('\n', "\r"));
    forms.insert("no final newline", JOB.trim_end().to_owned());
    forms.insert("a byte order mark", format!("\u{feff}{JOB}"));
    forms.insert("comments", JOB.replace('\n', " # why\n"));
    forms.insert("single quotes", JOB.replace("busybox", "'busybox'").replace("kind", "'kind'"));
    forms.insert("double quotes", JOB.replace("Never", r#""Never""#).replace("name: jobtest", r#""name": "jobtest""#));
    forms.insert("an escape", JOB.replace("busybox", r#""b\x75sy\u0062ox""#));
    forms.insert("a block scalar", JOB.replace("busybox", "|-\n            busybox"));
    forms.insert("a folded scalar", JOB.replace("Never", ">-\n        Never"));
    forms.insert(
        "a list item a line",
        JOB.replace("[\"echo\", \"job-test\"]", "\n          - echo\n          - job-test"),
    );
    forms.insert("an anchor", JOB.replace("name: jobtest", "name: &n jobtest").replace("busybox", "&i busybox"));
    forms.insert("a merge key", JOB.replace("          image", "          <<: {image: other}\n          image"));
    forms.insert("a duplicate key", JOB.replace("          image", "          image: other\n          image"));
    forms.insert(
        "a tag",
        JOB.replace("busybox", "!!str busybox").replace("completions: 1", r#"completions: !!int "1""#),
    );
    forms.insert("another way to write a number", JOB.replace("completions: 1", "completions: 0b1"));
    forms.insert("nulls", JOB.replace("    spec:\n", "    metadata:\n    spec:\n      volumes: null\n"));
    forms.insert("what may change", JOB.replace("spec:\n  com", "spec:\n  backoffLimit: 9\n  parallelism: 3\n  com"));
    forms.insert("a time to live", JOB.replace("spec:\n  com", "spec:\n  ttlSecondsAfterFinished: 9\n  com"));
    forms.insert("labels and a namespace", JOB.replace("metadata:\n", "metadata:\n  namespace: x\n  labels: {a: b}\n"));
    forms.insert("explicit keys", JOB.replace("      restartPolicy: Never", "      ? restartPolicy\n      : Never"));
    let (head, spec) = JOB.split_once("spec:").unwrap();
    forms.insert("key order", format!("spec:{spec}{head}"));
    forms.insert("a status", format!("{JOB}status:\n  failed: 1\n"));
    forms.insert("json", JSON.to_owned());
    forms.insert("json with white space", JSON.replace(',', " ,\n\t").replace(':', " : "));
    forms.insert("flow style", JSON.replace('"', "").replace(':', ": ").replace(',', ", "));
    forms.insert("kyaml", KYAML.to_owned());
    forms.insert("a list", format!("kind: List\nitems:\n- {}", JOB.trim_end().replace('\n', "\n  ")));
    for (form, text) in forms {
        let output = generate(text.as_bytes(), &[]);
        assert!(output.is_quiet_success(), "{form}: {}\n{text}", output.stderr);
        assert!(output.text().contains(NAME), "{form} has another hash:\n{}", output.text());
    }
}

/// The same Job as JSON.
const JSON: &str = r#"{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"test-job"},"spec":{"completions":1,"template":{"spec":{"containers":[{"command":["echo","job-test"],"image":"busybox","name":"jobtest"}],"restartPolicy":"Never"}}}}"#;

/// The same Job as KYAML.
const KYAML: &str = "\
---
{
  apiVersion: \"batch/v1\",
  kind: \"Job\",
  metadata: {
    name: \"test-job\",
  },
  spec: {
    completions: 1,
    template: {
      spec: {
        containers: [{
          name: \"jobtest\",
          image: \"busybox\",
          command: [
            \"echo\",
            \"job-test\",
          ],
        }],
        restartPolicy: \"Never\",
      },
    },
  },
}
";

#[test]
fn a_change_that_kubernetes_refuses_gives_another_hash() {
    let changed = [
        JOB.replace("busybox", "nginx"),
        JOB.replace("job-test\"]", "job-tests\"]"),
        JOB.replace("completions: 1", "completions: 2"),
        JOB.replace("completions: 1", "completions: 1\n  completionMode: Indexed"),
        JOB.replace("completions: 1", "completions: 1\n  backoffLimitPerIndex: 1"),
        JOB.replace("completions: 1", "completions: 1\n  managedBy: example.com/x"),
        JOB.replace("completions: 1", "completions: 1\n  podFailurePolicy: {rules: []}"),
        JOB.replace("completions: 1", "completions: 1\n  successPolicy: {rules: []}"),
        JOB.replace("completions: 1", "completions: 1\n  manualSelector: true"),
        JOB.replace("completions: 1", "completions: 1\n  scheduling: {schedulingPolicy: {basic: {}}}"),
        JOB.replace("Never", "Never\n      securityContext: {}"),
        JOB.replace("test-job", "test-jobs"),
        JOB.replace("  template:\n", "  template:\n    metadata: {labels: {a: b}}\n"),
    ];
    for text in changed {
        let output = generate(text.as_bytes(), &[]);
        assert!(output.is_quiet_success(), "{}\n{text}", output.stderr);
        assert!(!output.text().contains("fg6t5fhk55"), "the hash stayed:\n{}", output.text());
    }
}

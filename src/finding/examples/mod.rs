//! A wrong and a right example for each finding, as `explain` and docs/findings.md show them. A test runs all of them.
//!
//! The manifests are the files `<finding>/wrong.yaml` and `<finding>/right.yaml` in this folder. The two differ in as little as possible.

/// The two examples of a finding.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The id of the finding.
    pub id: &'static str,
    /// What gives the finding.
    pub wrong: Case,
    /// What does not give it.
    pub right: Case,
    /// What else to know about the right one: whole sentences, or nothing.
    pub note: &'static str,
}

/// A manifest, and the settings with which it is one of the two.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The YAML.
    pub manifest: &'static str,
    /// The lines of `.argocd-jobs.yaml`, each `key: value`; empty when the example needs none.
    pub config: &'static [&'static str],
    /// A variable in the environment of the plugin's sidecar.
    pub variable: Option<(&'static str, &'static str)>,
}

impl Example {
    /// The example of the finding with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        EXAMPLES.iter().find(|example| example.id == id)
    }

    const fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    const fn config(mut self, wrong: &'static [&'static str], right: &'static [&'static str]) -> Self {
        self.wrong.config = wrong;
        self.right.config = right;
        self
    }

    const fn variable(mut self, name: &'static str, value: &'static str) -> Self {
        self.wrong.variable = Some((name, value));
        self.right.variable = self.wrong.variable;
        self
    }
}

const fn case(manifest: &'static str) -> Case {
    Case { manifest, config: &[], variable: None }
}

macro_rules! example {
    ($id:literal) => {
        Example {
            id: $id,
            wrong: case(include_str!(concat!($id, "/wrong.yaml"))),
            right: case(include_str!(concat!($id, "/right.yaml"))),
            note: "",
        }
    };
}

/// All examples, in the order of the table of rules.
pub static EXAMPLES: [Example; 58] = [
    example!("both-hooks"),
    example!("delete-hook-generate-name"),
    example!("delete-policy-without-hook"),
    example!("duplicate-job"),
    example!("duplicate-key"),
    example!("flux-annotation").note("If Flux applies the same manifest too, keep both annotations and ignore the finding."),
    example!("force-without-replace"),
    example!("generate-name-collision"),
    example!("generate-name-without-hook"),
    example!("helm-hook-without-phase").note("Helm still runs the Job after a rollback; under Argo CD it runs after every sync."),
    example!("helm-install-and-upgrade").note("`migrate` now has to work on an empty database too."),
    example!("helm-upgrade-hook").note("`migrate` now has to work on an empty database too."),
    example!("hook-change-unseen").config(&["trigger: false"], &["trigger: true"]).note(
        "`true` is the default. Without the plugin, change something in the ConfigMap whenever you change the hook.",
    ),
    example!("hook-failed-deletes-logs"),
    example!("hook-needs-later-object")
        .note("In the Sync phase the ServiceAccount is created before the Job, in the same wave."),
    example!("hook-not-recreated"),
    example!("hook-piles-up"),
    example!("hook-renamed").note("A PreSync or PostSync hook keeps its name."),
    example!("hook-without-deadline"),
    example!("hooks-only").note(
        "The plugin adds such a ConfigMap for you (parameter `trigger`). Without the plugin, change its data whenever you change the hook.",
    ),
    example!("ignored-template"),
    example!("immutable-fields").note(
        "As a hook, the Job is deleted and recreated at every sync. With the plugin you change nothing: it gives a changed Job a new \
         name, so that the Job runs once per change.",
    ),
    example!("invalid-job"),
    example!("invalid-sync-wave"),
    example!("job-version"),
    example!("kept-name").config(&["strategy: hook", "keep-name: true"], &["strategy: hook", "hook: PreSync"]),
    example!("locked-setting").variable("ARGOCD_JOBS_LOCK", "strategy"),
    example!("missing-reference").config(&["hash-references: true"], &["hash-references: true"]),
    example!("missing-template"),
    example!("mutable-image"),
    example!("names-renamed-job"),
    example!("non-string-annotation"),
    example!("not-rendered").config(&["strategy: hash"], &["strategy: hash-name"]).note(
        "This is a wrong setting. A chart that Helm cannot render, a kustomization with a missing file and a missing tool give the \
         same finding.",
    ),
    example!("null-value"),
    example!("owner-references"),
    example!("prune-confirm"),
    example!("refused"),
    example!("replace-reruns").config(&["argocd-version: '3.5'"], &[]).note("Change the name whenever you change the Job. With the plugin, leave the name alone: `hash-name` appends a hash."),
    example!("replace-with-server-side-diff").note("Change the name whenever you change the Job. With the plugin, leave the name alone: `hash-name` appends a hash."),
    example!("replace-without-force").note("Change the name whenever you change the Job. With the plugin, leave the name alone: `hash-name` appends a hash."),
    example!("rollout-does-not-wait"),
    example!("server-owned-fields"),
    example!("skip-ignored"),
    example!("strategic-merge-patch").note("If the file is a patch, keep `$patch` and list the file under `patches` in `kustomization.yaml`."),
    example!("suspended-hook"),
    example!("text-after-document-end"),
    example!("ttl-reruns"),
    example!("unknown-annotation"),
    example!("unknown-delete-policy"),
    example!("unknown-hook"),
    example!("unknown-sync-option"),
    example!("unreadable"),
    example!("unstable-name").note("The plugin appends a hash of the Job's content, which changes only when the Job does."),
    example!("unstable-template-label"),
    example!("unused-ignore"),
    example!("wave-waits-for-suspended-job"),
    example!("weight-without-hook"),
    example!("workload-waits-for-later-job"),
];

//! A wrong and a right example for each finding, as `explain` and docs/findings.md show them. A test runs all of them.
//!
//! The manifests are the files `<finding>/wrong.yaml` and `<finding>/right.yaml` in this folder. The two differ in as little as possible.

/// The two examples of a finding.
#[derive(Clone, Copy, Debug)]
pub struct Example {
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
    /// A word of the manifest that differs at every rendering.
    pub differing: Option<&'static str>,
}

impl Example {
    /// The two manifests, without settings.
    pub(super) const fn new(wrong: &'static str, right: &'static str) -> Self {
        let case = Case { manifest: wrong, config: &[], variable: None, differing: None };
        let (wrong, right) = (case, Case { manifest: right, ..case });
        Self { wrong, right, note: "" }
    }

    pub(super) const fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    pub(super) const fn config(mut self, wrong: &'static [&'static str], right: &'static [&'static str]) -> Self {
        self.wrong.config = wrong;
        self.right.config = right;
        self
    }

    pub(super) const fn differing(mut self, word: &'static str) -> Self {
        self.wrong.differing = Some(word);
        self
    }

    pub(super) const fn variable(mut self, name: &'static str, value: &'static str) -> Self {
        self.wrong.variable = Some((name, value));
        self.right.variable = self.wrong.variable;
        self
    }
}

/// The example of a finding, from the files in the folder with its id.
macro_rules! example {
    ($id:literal) => {
        crate::finding::examples::Example::new(
            include_str!(concat!("../examples/", $id, "/wrong.yaml")),
            include_str!(concat!("../examples/", $id, "/right.yaml")),
        )
    };
}

pub(super) use example;

//! A wrong and a right example for each finding, for `explain` and docs/findings.md. A test runs all of them.
//!
//! The manifests are the files `<finding>/wrong.yaml` and `<finding>/right.yaml` in this folder. The two differ in as little as possible.

/// The two examples of a finding.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The manifest with the finding.
    pub wrong: Case,
    /// The manifest without the finding.
    pub right: Case,
    /// More facts about the right example, in whole sentences. Can be empty.
    pub note: &'static str,
}

/// A manifest with the settings that the example needs.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The manifest, in YAML.
    pub manifest: &'static str,
    /// The lines of `.argocd-jobs.yaml`, each `key: value`. Empty if the example needs none.
    pub config: &'static [&'static str],
    /// A variable in the environment of the plugin's sidecar, and its value.
    pub variable: Option<(&'static str, &'static str)>,
    /// A sync option of the Application.
    pub sync_option: Option<&'static str>,
    /// `spec.syncPolicy.retry` of the Application, in one line of YAML.
    pub retry: Option<&'static str>,
    /// The annotation `argocd.argoproj.io/manifest-generate-paths` of the Application, whose source also reads `../base`.
    pub generate_paths: Option<&'static str>,
    /// A word of the manifest that stands for a value that differs at every rendering.
    pub differing: Option<&'static str>,
    /// An action in the template of the chart that prints the manifest.
    pub template: Option<&'static str>,
}

impl Example {
    /// An example of two manifests without settings.
    pub(super) const fn new(wrong: &'static str, right: &'static str) -> Self {
        let case = Case {
            manifest: wrong,
            config: &[],
            variable: None,
            sync_option: None,
            retry: None,
            generate_paths: None,
            differing: None,
            template: None,
        };
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

    pub(super) const fn template(mut self, wrong: &'static str, right: &'static str) -> Self {
        self.wrong.template = Some(wrong);
        self.right.template = Some(right);
        self
    }

    pub(super) const fn sync_option(mut self, option: &'static str) -> Self {
        self.wrong.sync_option = Some(option);
        self.right.sync_option = self.wrong.sync_option;
        self
    }

    pub(super) const fn retry(mut self, wrong: &'static str, right: &'static str) -> Self {
        self.wrong.retry = Some(wrong);
        self.right.retry = Some(right);
        self
    }

    pub(super) const fn generate_paths(mut self, wrong: &'static str, right: &'static str) -> Self {
        self.wrong.generate_paths = Some(wrong);
        self.right.generate_paths = Some(right);
        self
    }

    pub(super) const fn variable(mut self, name: &'static str, value: &'static str) -> Self {
        self.wrong.variable = Some((name, value));
        self.right.variable = self.wrong.variable;
        self
    }
}

/// The example of a finding, from the files in the folder named after its id.
macro_rules! example {
    ($id:literal) => {
        crate::examples::Example::new(
            include_str!(concat!("../examples/", $id, "/wrong.yaml")),
            include_str!(concat!("../examples/", $id, "/right.yaml")),
        )
    };
}

pub(super) use example;

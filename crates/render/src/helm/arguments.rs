//! The arguments of `helm template`, in Argo CD's order (`Cmd.template` in `util/helm/cmd.go`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The arguments of a `helm template` call, before they become flags.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) release_name: String,
    pub(super) namespace: Option<String>,
    pub(super) kube_version: Option<String>,
    /// Each is `name=value`. Argo CD passes them in the random order of a Go map; here they are sorted by name.
    pub(super) set: Vec<String>,
    pub(super) set_string: Vec<String>,
    pub(super) set_file: Vec<String>,
    /// Absolute paths, or URLs.
    pub(super) value_files: Vec<String>,
    /// The path of the file that contains the values written in the Application.
    pub(super) values: Option<PathBuf>,
    pub(super) api_versions: Vec<String>,
    pub(super) include_crds: bool,
    pub(super) skip_schema_validation: bool,
    pub(super) skip_tests: bool,
    /// Whether it renders as for an upgrade. Never so for Argo CD.
    pub(super) is_upgrade: bool,
}

impl Arguments {
    /// The absolute paths of value files and of the files of `--set-file`.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let of_parameters =
            self.set_file.iter().filter_map(|parameter| parameter.split_once('=').map(|(_, path)| path));
        let all = self.value_files.iter().map(String::as_str).chain(of_parameters);
        all.map(Path::new).filter(|path| path.is_absolute())
    }

    /// The arguments as flags, in Argo CD's order.
    pub(super) fn into_list(self) -> Vec<OsString> {
        let mut list: Vec<OsString> = ["template", ".", "--name-template"].map(OsString::from).into();
        list.push(self.release_name.into());
        let mut add = |flag: &str, values: Vec<OsString>| {
            list.extend(values.into_iter().flat_map(|value| [flag.into(), value]));
        };
        let texts = |values: Vec<String>| values.into_iter().map(OsString::from).collect();
        add("--namespace", texts(self.namespace.into_iter().collect()));
        add("--kube-version", texts(self.kube_version.into_iter().collect()));
        add("--set", texts(self.set));
        add("--set-string", texts(self.set_string));
        add("--set-file", texts(self.set_file));
        add("--values", texts(self.value_files));
        add("--values", self.values.into_iter().map(PathBuf::into_os_string).collect());
        add("--api-versions", texts(self.api_versions));
        let switches = [
            (self.include_crds, "--include-crds"),
            (self.skip_schema_validation, "--skip-schema-validation"),
            (self.skip_tests, "--skip-tests"),
            (self.is_upgrade, "--is-upgrade"),
        ];
        list.extend(switches.into_iter().filter(|(is_on, _)| *is_on).map(|(_, flag)| flag.into()));
        list
    }
}

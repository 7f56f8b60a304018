//! Why a tool failed, judged by its error message: the only place that does so, apart from the two that ask helm about dependencies.

/// A cause that calls for help: an error that occurs more often in a plugin, or outside Argo CD, than in Argo CD itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The tool needs the network but may not use it.
    Network,
    /// kustomize lacks an option that Argo CD's `kustomize.buildOptions` may contain.
    BuildOption,
    /// There is no git for a remote base.
    NoGit,
    /// A private base needs credentials.
    Credentials,
    /// The kustomization needs a plugin or a function, which are never run.
    KustomizePlugin,
    /// The chart requires an API that the cluster may have.
    Api,
    /// The chart lacks values.
    Values,
    /// The chart does not support the version of Kubernetes.
    KubeVersion,
    /// A file is missing, and only the directory of the source was copied.
    CutOut,
}

impl Cause {
    /// The cause of an error with this message. `is_offline` says that the tool could not use the network, and `is_cut_out` that it worked in a
    /// copy of the directory, without the folders around it.
    pub(super) fn of(said: &str, is_offline: bool, is_cut_out: bool) -> Option<Self> {
        let has = |text: &str| said.contains(text);
        let has_one = |texts: &[&str]| texts.iter().any(|text| has(text));
        // Messages of Go, of git, and of ssh, which cannot read `/etc/passwd`: tools may open it only if the network is allowed.
        let is_denied = has("permission denied") && has_one(&["dial ", "lookup "]);
        let is_unreached = has_one(&[
            "Could not resolve host",
            "ssh: connect to host",
            "Failed to connect to",
            "No user exists for uid",
        ]);
        // A chart's own `fail` and `required`, whose words the author has chosen.
        let is_refused = has("execution error at (");
        let needs_credentials =
            ["could not read Username", "Permission denied (publickey", "Host key verification failed"];
        let causes = [
            (Self::Network, is_offline && (is_denied || is_unreached)),
            (Self::BuildOption, has_one(&["must specify --enable-helm", "security; file"])),
            (Self::NoGit, has_one(&["no 'git' program on path", "\"git\": executable file not found"])),
            (Self::Credentials, has_one(&needs_credentials)),
            (Self::KustomizePlugin, has_one(&["external plugins disabled", "exec functions"])),
            (Self::Api, is_refused && has_one(&["CRD", "api-versions", "CustomResourceDefinition"])),
            (Self::Values, is_refused || has_one(&["nil pointer evaluating", "values don't meet the specifications"])),
            (Self::KubeVersion, has("incompatible with Kubernetes")),
            (Self::CutOut, is_cut_out && has("no such file or directory")),
        ];
        // Several can hold: the first one is what the user has to fix first.
        causes.into_iter().find(|(_, holds)| *holds).map(|(cause, _)| cause)
    }

    /// The `help:` line.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Network => {
                "helm and kustomize may not use the network here: commit what they would download (charts into `charts/`), or allow it \
                 with `--network allow` (`ARGOCD_JOBS_NETWORK`)"
            }
            Self::BuildOption => {
                "allow it with `--kustomize-build-options` (`ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS`): `--enable-helm`, or \
                 `--load-restrictor LoadRestrictionsNone`; an `argocd-cm` in the checkout that has them is enough"
            }
            Self::NoGit => "a remote base needs git, and there is no git on `PATH`; install git, or commit the base",
            Self::Credentials => {
                "a private base needs `provideGitCreds` in `plugin.yaml`, on the command line `GIT_ASKPASS` or `GIT_SSH_COMMAND` (`ssh -i KEY -o UserKnownHostsFile=FILE`): \
                 `~/.ssh` and the ssh agent are closed; with `LoadRestrictionsNone` kustomize gets no credentials, because a kustomization could print them"
            }
            Self::KustomizePlugin => {
                "plugins and exec functions of kustomize, such as ksops, are never run here; render the folder where they may run, and pass the \
                 manifests: `kustomize build … | argocd-jobs preview -`, or `… | argocd-jobs generate -`"
            }
            Self::Api => {
                "if the cluster has this API, name it in `helm.apiVersions` (`--helm '{apiVersions: [GROUP/VERSION/KIND]}'`): here helm knows only the APIs \
                 of Kubernetes itself, and Argo CD tells it those of the cluster"
            }
            Self::Values => {
                "give the chart the values that Argo CD gives it: `--application FILE` with its Application, or, for the directory of the chart alone, \
                 `--values FILE` (parameter `helm-value-files`) or `--set-value NAME=VALUE` (parameter `helm-parameters`)"
            }
            Self::KubeVersion => {
                "set `helm.kubeVersion` (`--helm '{kubeVersion: VERSION}'`) if no cluster is known, or use another version of the chart"
            }
            Self::CutOut => {
                "only this directory was copied, not the directories next to it; if it needs them, run the command in its Git repository"
            }
        }
    }

    /// Whether Argo CD may have what is missing: see `Error::may_work_in_argocd` of the crate `source`.
    pub(super) fn may_work_in_argocd(self, is_of_an_application: bool) -> bool {
        match self {
            Self::Network | Self::Api | Self::BuildOption | Self::CutOut => true,
            Self::Values => !is_of_an_application,
            Self::NoGit | Self::Credentials | Self::KustomizePlugin | Self::KubeVersion => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tool::cause::Cause;

    #[test]
    fn each_message_has_the_cause_that_its_user_can_remove() {
        let of = |said| Cause::of(said, false, false);
        let denied = "Get \"https://x\": dial tcp: lookup x: permission denied";
        assert_eq!(Cause::of(denied, true, false), Some(Cause::Network));
        assert_eq!(of(denied), None);
        assert_eq!(Cause::of("No user exists for uid 0", true, false), Some(Cause::Network));
        assert_eq!(of("Host key verification failed."), Some(Cause::Credentials));
        assert_eq!(Cause::of("open ../base: no such file or directory", false, true), Some(Cause::CutOut));
        assert_eq!(of("open ../base: no such file or directory"), None);
        for said in [
            "execution error at (shop/templates/job.yaml:1:4): image.tag is required",
            "template: shop/templates/job.yaml:1:4: <.Values.image.tag>: nil pointer evaluating interface {}.tag",
            "values don't meet the specifications of the schema(s) in the following chart(s):",
        ] {
            assert_eq!(of(said), Some(Cause::Values), "{said}");
        }
        assert_eq!(Cause::of("must specify --enable-helm", true, true), Some(Cause::BuildOption));
        let crds = "execution error at (shop/templates/check.yaml:1:4): ClickHouse operator CRDs not found";
        assert_eq!(of(crds), Some(Cause::Api));
        assert_eq!(Cause::of("kustomization.yaml is empty", true, false), None);
    }

    #[test]
    fn the_help_names_what_the_user_can_set() {
        for (cause, words) in [
            (Cause::Network, "`--network allow`"),
            (Cause::BuildOption, "`--kustomize-build-options`"),
            (Cause::Credentials, "`GIT_SSH_COMMAND`"),
            (Cause::Api, "`helm.apiVersions`"),
            (Cause::Values, "`--values FILE`"),
            (Cause::KubeVersion, "`helm.kubeVersion`"),
            (Cause::CutOut, "Git repository"),
        ] {
            assert!(cause.help().contains(words), "{cause:?}: {}", cause.help());
        }
    }

    #[test]
    fn argo_cd_may_have_the_network_apis_options_and_the_values_of_an_application() {
        assert!(Cause::Values.may_work_in_argocd(false) && !Cause::Values.may_work_in_argocd(true));
        assert!([Cause::Network, Cause::Api, Cause::BuildOption].iter().all(|cause| cause.may_work_in_argocd(true)));
        assert!(!Cause::KustomizePlugin.may_work_in_argocd(false));
    }
}

//! The `help:` line for a failed tool, chosen by its error message.

/// The help for a chart that requires an API of the cluster.
const API_VERSIONS: &str = "if the cluster has this API, name it in `helm.apiVersions` (`--helm '{apiVersions: [GROUP/VERSION/KIND]}'`): here helm knows only the APIs of Kubernetes \
     itself, and Argo CD tells it those of the cluster";

/// Whether a chart failed because the cluster seems to lack an API, judged by the messages that charts pass to
/// `fail`.
pub(super) fn needs_api(said: &str) -> bool {
    said.contains("execution error at (")
        && ["CRD", "api-versions", "CustomResourceDefinition"].iter().any(|word| said.contains(word))
}

/// Whether a chart failed because values are missing, judged by the messages of `required`, `fail`, nil fields and
/// schemas.
pub(super) fn needs_values(said: &str) -> bool {
    ["execution error at (", "nil pointer evaluating", "values don't meet the specifications"]
        .iter()
        .any(|text| said.contains(text))
}

/// Whether kustomize failed for lack of an option that Argo CD's `kustomize.buildOptions` may contain.
pub(super) fn needs_build_option(said: &str) -> bool {
    said.contains("must specify --enable-helm") || said.contains("security; file")
}

/// The help for a tool that needs the network but may not use it.
pub(super) const NETWORK: &str = "helm and kustomize may not use the network here: commit what they would download (charts into `charts/`), or allow it \
     with `--network allow` (`ARGOCD_JOBS_NETWORK`)";

/// The message of ssh when it cannot read `/etc/passwd`, which tools may open only if the network is allowed.
const NO_USER: &str = "No user exists for uid";

/// Whether a tool failed because it may not use the network, judged by messages of Go, git and ssh.
pub(super) fn needs_network(said: &str) -> bool {
    let is_denied = said.contains("permission denied") && ["dial ", "lookup "].iter().any(|call| said.contains(call));
    is_denied
        || ["Could not resolve host", "ssh: connect to host", "Failed to connect to", NO_USER]
            .iter()
            .any(|text| said.contains(text))
}

/// The help for errors of tools that occur more often in a plugin than in Argo CD itself.
pub(super) fn help(said: &str) -> Option<&'static str> {
    let has = |text: &str| said.contains(text);
    if needs_build_option(said) {
        return Some(
            "allow it with `--kustomize-build-options` (`--enable-helm`, or `--load-restrictor LoadRestrictionsNone`); in a plugin with `ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS`: it does not get Argo CD's `kustomize.buildOptions`",
        );
    }
    if has("no 'git' program on path") || has("\"git\": executable file not found") {
        return Some("a remote base needs git, and there is no git on `PATH`; install git, or commit the base");
    }
    if ["could not read Username", "Permission denied (publickey", "Host key verification failed"].into_iter().any(has)
    {
        return Some(
            "a private base needs `provideGitCreds` in `plugin.yaml`, on the command line `GIT_ASKPASS` or `GIT_SSH_COMMAND` (`ssh -i KEY -o UserKnownHostsFile=FILE`): \
             `~/.ssh` and the ssh agent are closed; with `LoadRestrictionsNone` kustomize gets no credentials, because a kustomization could print them",
        );
    }
    if has("external plugins disabled") || has("exec functions") {
        return Some(
            "plugins and exec functions of kustomize, such as ksops, are never run here; render the folder where they may run, and preview that: \
             `kustomize build … | argocd-jobs preview -`; in a plugin, `… | argocd-jobs generate -`",
        );
    }
    if needs_api(said) {
        return Some(API_VERSIONS);
    }
    if needs_values(said) {
        return Some(
            "give the chart the values that Argo CD gives it: `--application FILE` with its Application, or, for the directory of the chart alone, \
             `--values FILE` or `--set-value NAME=VALUE`; in an Application of the plugin the parameters `helm-value-files` and `helm-parameters`",
        );
    }
    if has("incompatible with Kubernetes") {
        return Some(
            "set `helm.kubeVersion` (`--helm '{kubeVersion: VERSION}'`) if no cluster is known, or use another version of the chart",
        );
    }
    None
}

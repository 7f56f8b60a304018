//! The rows of the table of parameters that only the platform owner sets: what the tools may do, and how much of the machine they may
//! have. In Argo CD itself these are in the ConfigMap `argocd-cm` and in the environment of repo-server.

/// Adds the rows to those before them, and passes all on.
macro_rules! platform_parameters {
    ([$then:ident $($rest:ident)*] { $($before:tt)* }) => { $then! { [$($rest)*] { $($before)*
    HelmDependencies, helm_dependencies: HelmDependencies = OneOf<HelmDependencies> {
        name: "helm-dependencies",
        title: "Dependencies of charts",
        summary: "`build` downloads the dependencies that a chart lacks, `vendored` takes only those in its folder `charts`",
        expected: "`build` or `vendored`",
        default: "build",
        scope: Scope::Platform,
    }
    HelmValuesFileSchemes, helm_values_file_schemes: Items = List {
        name: "helm-values-file-schemes",
        title: "URL schemes of value files",
        summary: "the URL schemes that value files may have; `helm.valuesFileSchemes` in `argocd-cm`",
        expected: "a list of URL schemes; `https,http` when it is not set",
        default: "",
        scope: Scope::Platform,
    }
    HelmRepositoryConfig, helm_repository_config: String = AbsolutePath {
        name: "helm-repository-config",
        title: "Helm repositories",
        summary: "a mounted `repositories.yaml` with credentials, for the dependencies of charts",
        expected: ABSOLUTE_PATH,
        default: "",
        scope: Scope::Platform,
    }
    HelmRegistryConfig, helm_registry_config: String = AbsolutePath {
        name: "helm-registry-config",
        title: "OCI registries",
        summary: "a mounted `config.json` with credentials of OCI registries, for the dependencies of charts",
        expected: ABSOLUTE_PATH,
        default: "",
        scope: Scope::Platform,
    }
    HelmCredentialsProjects, helm_credentials_projects: Items = List {
        name: "helm-credentials-projects",
        title: "AppProjects with Helm credentials",
        summary: "the AppProjects whose Applications may use the mounted Helm credentials; no other Application gets them",
        expected: "a list of names of AppProjects",
        default: "",
        scope: Scope::Platform,
    }
    KustomizeBuildOptions, kustomize_build_options: String = KustomizeOptions {
        name: "kustomize-build-options",
        title: "Options of kustomize build",
        summary: "options of `kustomize build`; `kustomize.buildOptions` in `argocd-cm`",
        expected: "`--enable-helm`, `--load-restrictor X`, `--enable-alpha-plugins`, `--helm-debug`, `--reorder X`",
        default: "",
        scope: Scope::Platform,
    }
    KustomizeVersions, kustomize_versions: TextMap = MapOfPaths {
        name: "kustomize-versions",
        title: "Versions of kustomize",
        summary: "the versions that an Application can choose, and their programs; `kustomize.path.<version>` in `argocd-cm`",
        expected: "a map from versions to absolute paths, or `version=path` in a comma list",
        default: "",
        scope: Scope::Platform,
    }
    Network, network: Network = OneOf<Network> {
        name: "network",
        title: "Network",
        summary: "whether helm and kustomize may use the network; at the command line `never` unless it is set",
        expected: "`allow` or `never`",
        default: "allow",
        scope: Scope::Platform,
    }
    RenderTimeout, render_timeout: i64 = Number<1> {
        name: "render-timeout",
        title: "Time limit for rendering",
        summary: "seconds that rendering one Application may take, all processes together; keep it below Argo CD's own limit of 60",
        expected: "a whole number of seconds from 1 to 2147483647",
        default: "50",
        scope: Scope::Platform,
    }
    RenderMemory, render_memory: i64 = Number<64> {
        name: "render-memory",
        title: "Memory limit for rendering",
        summary: "MiB of memory that each process of helm or kustomize may take",
        expected: "a whole number of MiB from 64 to 2147483647",
        default: "1024",
        scope: Scope::Platform,
    }
    } } };
}

pub(super) use platform_parameters;

//! The rows of the table for the parameters that only the platform owner can set. They restrict what the tools may
//! do, and how much time and memory they may use. Argo CD itself has these settings in the ConfigMap `argocd-cm` and
//! in the environment of the repo-server.

/// Appends these rows to the rows that it gets, and passes all rows to the next macro.
macro_rules! platform_parameters {
    ([$then:ident $($rest:ident)*] { $($before:tt)* }) => { $then! { [$($rest)*] { $($before)*
    HelmDependencies, helm_dependencies: HelmDependencies = OneOf<HelmDependencies> {
        name: "helm-dependencies", title: "Chart dependencies",
        summary: "chart dependencies: `build` downloads missing ones, `vendored` uses only those in the chart's folder `charts`",
        value_name: "build|vendored", expected: "`build` or `vendored`",
        default: "build", scope: Scope::Platform, example: "vendored",
    }
    HelmValuesFileSchemes, helm_values_file_schemes: Items = List {
        name: "helm-values-file-schemes", title: "URL schemes of value files",
        summary: "URL schemes that value files may use (`helm.valuesFileSchemes` in `argocd-cm`)",
        value_name: "SCHEMES", expected: "a list of URL schemes; `https,http` if it is not set",
        default: "", scope: Scope::Platform, example: "https",
    }
    HelmRepositoryConfig, helm_repository_config: String = AbsolutePath {
        name: "helm-repository-config", title: "Helm repositories",
        summary: "mounted `repositories.yaml` with credentials for chart dependencies",
        value_name: "FILE", expected: ABSOLUTE_PATH,
        default: "", scope: Scope::Platform, example: "/etc/helm/repositories.yaml",
    }
    HelmRegistryConfig, helm_registry_config: String = AbsolutePath {
        name: "helm-registry-config", title: "OCI registries",
        summary: "mounted `config.json` with credentials of OCI registries for chart dependencies",
        value_name: "FILE", expected: ABSOLUTE_PATH,
        default: "", scope: Scope::Platform, example: "/etc/helm/config.json",
    }
    HelmCredentialsProjects, helm_credentials_projects: Items = List {
        name: "helm-credentials-projects", title: "AppProjects with Helm credentials",
        summary: "AppProjects whose Applications may use the mounted Helm credentials; no other Application gets them",
        value_name: "PROJECTS", expected: "a list of names of AppProjects",
        default: "", scope: Scope::Platform, example: "shop",
    }
    KustomizeBuildOptions, kustomize_build_options: String = KustomizeOptions {
        name: "kustomize-build-options", title: "Options for kustomize build",
        summary: "options for `kustomize build` (`kustomize.buildOptions` in `argocd-cm`)",
        value_name: "OPTIONS", expected: "`--enable-helm`, `--load-restrictor X`, `--enable-alpha-plugins`, `--helm-debug`, `--reorder X`",
        default: "", scope: Scope::Platform, example: "--enable-helm",
    }
    KustomizeVersions, kustomize_versions: TextMap = MapOfPaths {
        name: "kustomize-versions", title: "kustomize versions",
        summary: "kustomize versions that an Application can choose, with their programs (`kustomize.path.<version>` in `argocd-cm`)",
        value_name: "VERSION=PATH,...", expected: "a map from versions to absolute paths, or a comma-separated list of `version=path`",
        default: "", scope: Scope::Platform, example: "v5.8.1=/usr/local/bin/kustomize-5.8.1",
    }
    Network, network: Network = OneOf<Network> {
        name: "network", title: "Network",
        summary: "whether helm and kustomize may use the network; on the command line the default is `never`",
        value_name: "allow|never", expected: "`allow` or `never`",
        default: "allow", scope: Scope::Platform, example: "never",
    }
    RenderTimeout, render_timeout: i64 = Number<1> {
        name: "render-timeout", title: "Time limit for rendering",
        summary: "seconds that rendering one Application may take in total; keep it below Argo CD's own limit of 60 seconds",
        value_name: "SECONDS", expected: "a whole number of seconds from 1 to 2147483647",
        default: "50", scope: Scope::Platform, example: "30",
    }
    RenderMemory, render_memory: i64 = Number<64> {
        name: "render-memory", title: "Memory limit for rendering",
        summary: "memory limit of one rendering, in MiB: helm or kustomize, with all processes that it starts",
        value_name: "MIB", expected: "a whole number of MiB from 64 to 2147483647",
        default: "1024", scope: Scope::Platform, example: "2048",
    }
    } } };
}

pub(super) use platform_parameters;

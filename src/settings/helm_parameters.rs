//! The rows of the table of parameters that are about Helm: one for each field of `spec.source.helm` that a plugin can have
//! (`ApplicationSourceHelm` in `pkg/apis/application/v1alpha1/types.go` of Argo CD), and the block as a whole.

/// Adds the rows to those before them, and passes all on.
macro_rules! helm_parameters {
    ([$then:ident $($rest:ident)*] { $($before:tt)* }) => { $then! { [$($rest)*] { $($before)*
    Helm, helm: Block = HelmBlock {
        name: "helm",
        title: "Helm",
        summary: "the `helm` block of a Helm Application, as it is: `spec.source.helm` as YAML",
        expected: "the YAML of `spec.source.helm`",
        default: "",
        scope: Scope::Application,
    }
    HelmReleaseName, helm_release_name: String = Text {
        name: "helm-release-name",
        title: "Helm release name",
        summary: "the name of the release; by default the name of the Application",
        expected: "at most 53 characters of a-z, 0-9, `-` and `.`",
        default: "",
        scope: Scope::Application,
    }
    HelmNamespace, helm_namespace: String = Text {
        name: "helm-namespace",
        title: "Helm namespace",
        summary: "the namespace of the release; by default the Application's destination",
        expected: "a namespace",
        default: "",
        scope: Scope::Application,
    }
    HelmValueFiles, helm_value_files: Items = Texts {
        name: "helm-value-files",
        title: "Helm value files",
        summary: "value files: paths relative to the chart (with a leading `/`, to the repository), globs, URLs",
        expected: "a list of paths",
        default: "",
        scope: Scope::Application,
    }
    HelmIgnoreMissingValueFiles, helm_ignore_missing_value_files: Switch = TrueOrFalse {
        name: "helm-ignore-missing-value-files",
        title: "Ignore missing Helm value files",
        summary: "value files that do not exist are left out",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    HelmValues, helm_values: String = Text {
        name: "helm-values",
        title: "Helm values",
        summary: "values as YAML; they win over the value files",
        expected: "YAML, as in a value file",
        default: "",
        scope: Scope::Application,
    }
    HelmParameters, helm_parameters: TextMap = MapOfTexts {
        name: "helm-parameters",
        title: "Helm parameters",
        summary: "single values, as with `helm --set`; they win over value files and `helm-values`",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
    }
    HelmStringParameters, helm_string_parameters: TextMap = MapOfTexts {
        name: "helm-string-parameters",
        title: "Helm string parameters",
        summary: "single values that stay strings, as with `helm --set-string` (`forceString`)",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
    }
    HelmFileParameters, helm_file_parameters: TextMap = MapOfTexts {
        name: "helm-file-parameters",
        title: "Helm file parameters",
        summary: "single values that are the content of a file, as with `helm --set-file`",
        expected: "a map from names to paths, or `name=path` in a comma list",
        default: "",
        scope: Scope::Application,
    }
    HelmKubeVersion, helm_kube_version: String = Text {
        name: "helm-kube-version",
        title: "Kubernetes version for Helm",
        summary: "the version in `.Capabilities.KubeVersion`; by default the cluster's",
        expected: "a version such as `1.34.2`",
        default: "",
        scope: Scope::Application,
    }
    HelmApiVersions, helm_api_versions: Items = Texts {
        name: "helm-api-versions",
        title: "API versions for Helm",
        summary: "versions for `.Capabilities.APIVersions`, besides those that Helm has built in; by default the cluster's",
        expected: "a list such as `monitoring.coreos.com/v1`",
        default: "",
        scope: Scope::Application,
    }
    HelmSkipCrds, helm_skip_crds: Switch = TrueOrFalse {
        name: "helm-skip-crds",
        title: "Skip CRDs of the chart",
        summary: "leave out the CustomResourceDefinitions in the folder `crds`",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    HelmSkipTests, helm_skip_tests: Switch = TrueOrFalse {
        name: "helm-skip-tests",
        title: "Skip tests of the chart",
        summary: "leave out the tests of the chart",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    HelmSkipSchemaValidation, helm_skip_schema_validation: Switch = TrueOrFalse {
        name: "helm-skip-schema-validation",
        title: "Skip the schema of the values",
        summary: "do not check the values against the chart's `values.schema.json`",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    } } };
}

pub(super) use helm_parameters;

//! The rows of the table of parameters that are about Helm: one for each field of `spec.source.helm` that a plugin can have
//! (`ApplicationSourceHelm` in `pkg/apis/application/v1alpha1/types.go` of Argo CD), and the block as a whole.

/// Adds the rows to those before them, and passes all on.
macro_rules! helm_parameters {
    ([$then:ident $($rest:ident)*] { $($before:tt)* }) => { $then! { [$($rest)*] { $($before)*
    Helm, helm: Block = HelmBlock {
        name: "helm",
        title: "Helm",
        summary: "the `helm` block of the Application as it is (`spec.source.helm`)",
        value_name: "YAML|@FILE",
        expected: "the YAML of `spec.source.helm`",
        default: "",
        scope: Scope::Application,
        example: "{releaseName: shop}",
    }
    HelmReleaseName, helm_release_name: String = Text {
        name: "helm-release-name",
        title: "Helm release name",
        summary: "name of the Helm release; by default the Application's name",
        value_name: "NAME",
        expected: "at most 53 characters of a-z, 0-9, `-` and `.`",
        default: "",
        scope: Scope::Application,
        example: "shop",
    }
    HelmNamespace, helm_namespace: String = Text {
        name: "helm-namespace",
        title: "Helm namespace",
        summary: "namespace of the Helm release; by default the Application's destination namespace",
        value_name: "NAMESPACE",
        expected: "a namespace",
        default: "",
        scope: Scope::Application,
        example: "shop",
    }
    HelmValueFiles, helm_value_files: Items = Texts {
        name: "helm-value-files",
        title: "Helm value files",
        summary: "value files: paths relative to the chart (with a leading `/`, to the repository), globs or URLs",
        value_name: "PATHS",
        expected: "a list of paths",
        default: "",
        scope: Scope::Application,
        example: "values-prod.yaml",
    }
    HelmIgnoreMissingValueFiles, helm_ignore_missing_value_files: Switch = TrueOrFalse {
        name: "helm-ignore-missing-value-files",
        title: "Ignore missing Helm value files",
        summary: "skip value files that do not exist",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    HelmValues, helm_values: String = Text {
        name: "helm-values",
        title: "Helm values",
        summary: "values as YAML; they override the value files",
        value_name: "YAML",
        expected: "YAML, as in a value file",
        default: "",
        scope: Scope::Application,
        example: "replicas: 2",
    }
    HelmParameters, helm_parameters: TextMap = MapOfTexts {
        name: "helm-parameters",
        title: "Helm parameters",
        summary: "single values, as with `helm --set`; they override value files and `helm-values`",
        value_name: "NAME=VALUE,...",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
        example: "image.tag=1.4.2",
    }
    HelmStringParameters, helm_string_parameters: TextMap = MapOfTexts {
        name: "helm-string-parameters",
        title: "Helm string parameters",
        summary: "single values that stay strings, as with `helm --set-string` (`forceString`)",
        value_name: "NAME=VALUE,...",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
        example: "build=0042",
    }
    HelmFileParameters, helm_file_parameters: TextMap = MapOfTexts {
        name: "helm-file-parameters",
        title: "Helm file parameters",
        summary: "single values that are read from files, as with `helm --set-file`",
        value_name: "NAME=PATH,...",
        expected: "a map from names to paths, or a comma-separated list of `name=path`",
        default: "",
        scope: Scope::Application,
        example: "config=files/shop.conf",
    }
    HelmKubeVersion, helm_kube_version: String = Text {
        name: "helm-kube-version",
        title: "Kubernetes version for Helm",
        summary: "Kubernetes version in `.Capabilities.KubeVersion`; by default the cluster's",
        value_name: "VERSION",
        expected: "a version such as `1.34.2`",
        default: "",
        scope: Scope::Application,
        example: "1.34.2",
    }
    HelmApiVersions, helm_api_versions: Items = Texts {
        name: "helm-api-versions",
        title: "API versions for Helm",
        summary: "API versions to add to those that Helm has built in (`.Capabilities.APIVersions`); by default the cluster's",
        value_name: "VERSIONS",
        expected: "a list such as `monitoring.coreos.com/v1`",
        default: "",
        scope: Scope::Application,
        example: "monitoring.coreos.com/v1",
    }
    HelmSkipCrds, helm_skip_crds: Switch = TrueOrFalse {
        name: "helm-skip-crds",
        title: "Skip the chart's CRDs",
        summary: "skip the CustomResourceDefinitions in the chart's folder `crds`",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    HelmSkipTests, helm_skip_tests: Switch = TrueOrFalse {
        name: "helm-skip-tests",
        title: "Skip the chart's tests",
        summary: "skip the chart's tests",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    HelmSkipSchemaValidation, helm_skip_schema_validation: Switch = TrueOrFalse {
        name: "helm-skip-schema-validation",
        title: "Skip the schema validation of values",
        summary: "do not validate the values against the chart's `values.schema.json`",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    } } };
}

pub(super) use helm_parameters;

//! The rows of the table of parameters that are about kustomize: one for each field of `spec.source.kustomize`
//! (`ApplicationSourceKustomize` in `pkg/apis/application/v1alpha1/types.go` of Argo CD), and the block as a whole.

/// Adds the rows to those before them, and passes all on.
macro_rules! kustomize_parameters {
    ([$then:ident $($rest:ident)*] { $($before:tt)* }) => { $then! { [$($rest)*] { $($before)*
    Kustomize, kustomize: Block = KustomizeBlock {
        name: "kustomize",
        title: "kustomize",
        summary: "the `kustomize` block of the Application as it is (`spec.source.kustomize`)",
        value_name: "YAML|@FILE",
        expected: "the YAML of `spec.source.kustomize`",
        default: "",
        scope: Scope::Application,
        example: "{namePrefix: shop-}",
    }
    KustomizeNamePrefix, kustomize_name_prefix: String = Text {
        name: "kustomize-name-prefix",
        title: "Name prefix",
        summary: "prefix for the names of all resources",
        value_name: "PREFIX",
        expected: "a string",
        default: "",
        scope: Scope::Application,
        example: "shop-",
    }
    KustomizeNameSuffix, kustomize_name_suffix: String = Text {
        name: "kustomize-name-suffix",
        title: "Name suffix",
        summary: "suffix for the names of all resources",
        value_name: "SUFFIX",
        expected: "a string",
        default: "",
        scope: Scope::Application,
        example: "-prod",
    }
    KustomizeNamespace, kustomize_namespace: String = Text {
        name: "kustomize-namespace",
        title: "Namespace",
        summary: "namespace of all resources",
        value_name: "NAMESPACE",
        expected: "a namespace",
        default: "",
        scope: Scope::Application,
        example: "shop",
    }
    KustomizeImages, kustomize_images: Items = Texts {
        name: "kustomize-images",
        title: "Images",
        summary: "images to replace",
        value_name: "IMAGES",
        expected: "a list of `image:tag`, `image@digest` or `image=new:tag`",
        default: "",
        scope: Scope::Application,
        example: "shop=registry.example.com/shop:1.4.2",
    }
    KustomizeReplicas, kustomize_replicas: Counts = MapOfCounts {
        name: "kustomize-replicas",
        title: "Replicas",
        summary: "replica counts of workloads, by name",
        value_name: "NAME=COUNT,...",
        expected: "a map from names to whole numbers, or a comma-separated list of `name=number`",
        default: "",
        scope: Scope::Application,
        example: "shop=2",
    }
    KustomizeCommonLabels, kustomize_common_labels: TextMap = MapOfTexts {
        name: "kustomize-common-labels",
        title: "Common labels",
        summary: "labels to add to all resources",
        value_name: "NAME=VALUE,...",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
        example: "team=orders",
    }
    KustomizeForceCommonLabels, kustomize_force_common_labels: Switch = TrueOrFalse {
        name: "kustomize-force-common-labels",
        title: "Replace common labels",
        summary: "let common labels replace labels of the same name in the kustomization",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    KustomizeLabelWithoutSelector, kustomize_label_without_selector: Switch = TrueOrFalse {
        name: "kustomize-label-without-selector",
        title: "Common labels not in selectors",
        summary: "add common labels to metadata only, not to selectors",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    KustomizeLabelIncludeTemplates, kustomize_label_include_templates: Switch = TrueOrFalse {
        name: "kustomize-label-include-templates",
        title: "Common labels in pod templates",
        summary: "add common labels to pod templates too, even if they are not added to selectors",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    KustomizeCommonAnnotations, kustomize_common_annotations: TextMap = MapOfTexts {
        name: "kustomize-common-annotations",
        title: "Common annotations",
        summary: "annotations to add to all resources",
        value_name: "NAME=VALUE,...",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
        example: "owner=orders",
    }
    KustomizeForceCommonAnnotations, kustomize_force_common_annotations: Switch = TrueOrFalse {
        name: "kustomize-force-common-annotations",
        title: "Replace common annotations",
        summary: "let common annotations replace annotations of the same name in the kustomization",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    KustomizeCommonAnnotationsEnvsubst, kustomize_common_annotations_envsubst: Switch = TrueOrFalse {
        name: "kustomize-common-annotations-envsubst",
        title: "Variables in common annotations",
        summary: "replace Argo CD's build variables in the values of common annotations",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    KustomizePatches, kustomize_patches: Items = Patches {
        name: "kustomize-patches",
        title: "Patches",
        summary: "patches, as in the field `patches` of a kustomization",
        value_name: "YAML",
        expected: "a list of YAML strings with `target` and `patch` or `path`",
        default: "",
        scope: Scope::Application,
        example: "{target: {kind: Job}, path: patch.yaml}",
    }
    KustomizeComponents, kustomize_components: Items = Texts {
        name: "kustomize-components",
        title: "Components",
        summary: "directories of components, relative to the kustomization",
        value_name: "PATHS",
        expected: "a list of paths",
        default: "",
        scope: Scope::Application,
        example: "../components/metrics",
    }
    KustomizeIgnoreMissingComponents, kustomize_ignore_missing_components: Switch = TrueOrFalse {
        name: "kustomize-ignore-missing-components",
        title: "Ignore missing components",
        summary: "skip components that do not exist",
        value_name: TRUE_OR_FALSE_NAME,
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
        example: "true",
    }
    KustomizeKubeVersion, kustomize_kube_version: String = Text {
        name: "kustomize-kube-version",
        title: "Kubernetes version for charts in kustomize",
        summary: "Kubernetes version for charts that kustomize renders; by default the cluster's",
        value_name: "VERSION",
        expected: "a version such as `1.34.2`",
        default: "",
        scope: Scope::Application,
        example: "1.34.2",
    }
    KustomizeApiVersions, kustomize_api_versions: Items = Texts {
        name: "kustomize-api-versions",
        title: "API versions for charts in kustomize",
        summary: "API versions for charts that kustomize renders; by default the cluster's",
        value_name: "VERSIONS",
        expected: "a list such as `monitoring.coreos.com/v1`",
        default: "",
        scope: Scope::Application,
        example: "monitoring.coreos.com/v1",
    }
    KustomizeVersion, kustomize_version: String = Text {
        name: "kustomize-version",
        title: "kustomize version",
        summary: "version of kustomize to run: one that the platform owner lists in `kustomize-versions`",
        value_name: "VERSION",
        expected: "a version such as `v5.8.1`",
        default: "",
        scope: Scope::Application,
        example: "v5.8.1",
    }
    } } };
}

pub(super) use kustomize_parameters;

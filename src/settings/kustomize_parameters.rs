//! The rows of the table of parameters that are about kustomize: one for each field of `spec.source.kustomize`
//! (`ApplicationSourceKustomize` in `pkg/apis/application/v1alpha1/types.go` of Argo CD), and the block as a whole.

/// Adds the rows to those before them, and passes all on.
macro_rules! kustomize_parameters {
    ([$then:ident $($rest:ident)*] { $($before:tt)* }) => { $then! { [$($rest)*] { $($before)*
    Kustomize, kustomize: Block = KustomizeBlock {
        name: "kustomize",
        title: "kustomize",
        summary: "the `kustomize` block of a kustomize Application, as it is: `spec.source.kustomize` as YAML",
        expected: "the YAML of `spec.source.kustomize`",
        default: "",
        scope: Scope::Application,
    }
    KustomizeNamePrefix, kustomize_name_prefix: String = Text {
        name: "kustomize-name-prefix",
        title: "Name prefix",
        summary: "a prefix for the names of all objects",
        expected: "a text",
        default: "",
        scope: Scope::Application,
    }
    KustomizeNameSuffix, kustomize_name_suffix: String = Text {
        name: "kustomize-name-suffix",
        title: "Name suffix",
        summary: "a suffix for the names of all objects",
        expected: "a text",
        default: "",
        scope: Scope::Application,
    }
    KustomizeNamespace, kustomize_namespace: String = Text {
        name: "kustomize-namespace",
        title: "Namespace",
        summary: "the namespace of all objects",
        expected: "a namespace",
        default: "",
        scope: Scope::Application,
    }
    KustomizeImages, kustomize_images: Items = Texts {
        name: "kustomize-images",
        title: "Images",
        summary: "images and what replaces them",
        expected: "a list of `image:tag`, `image@digest` or `image=new:tag`",
        default: "",
        scope: Scope::Application,
    }
    KustomizeReplicas, kustomize_replicas: Counts = MapOfCounts {
        name: "kustomize-replicas",
        title: "Replicas",
        summary: "the number of replicas of workloads, by their names",
        expected: "a map from names to whole numbers, or `name=number` in a comma list",
        default: "",
        scope: Scope::Application,
    }
    KustomizeCommonLabels, kustomize_common_labels: TextMap = MapOfTexts {
        name: "kustomize-common-labels",
        title: "Common labels",
        summary: "labels that are added to all objects",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
    }
    KustomizeForceCommonLabels, kustomize_force_common_labels: Switch = TrueOrFalse {
        name: "kustomize-force-common-labels",
        title: "Replace common labels",
        summary: "common labels replace labels of the same name in the kustomization",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    KustomizeLabelWithoutSelector, kustomize_label_without_selector: Switch = TrueOrFalse {
        name: "kustomize-label-without-selector",
        title: "Common labels not in selectors",
        summary: "common labels go into metadata only, not into selectors",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    KustomizeLabelIncludeTemplates, kustomize_label_include_templates: Switch = TrueOrFalse {
        name: "kustomize-label-include-templates",
        title: "Common labels in pod templates",
        summary: "common labels that are not in selectors go into pod templates too",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    KustomizeCommonAnnotations, kustomize_common_annotations: TextMap = MapOfTexts {
        name: "kustomize-common-annotations",
        title: "Common annotations",
        summary: "annotations that are added to all objects",
        expected: MAP_OF_TEXTS,
        default: "",
        scope: Scope::Application,
    }
    KustomizeForceCommonAnnotations, kustomize_force_common_annotations: Switch = TrueOrFalse {
        name: "kustomize-force-common-annotations",
        title: "Replace common annotations",
        summary: "common annotations replace annotations of the same name in the kustomization",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    KustomizeCommonAnnotationsEnvsubst, kustomize_common_annotations_envsubst: Switch = TrueOrFalse {
        name: "kustomize-common-annotations-envsubst",
        title: "Variables in common annotations",
        summary: "Argo CD's build variables are replaced in the values of common annotations",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    KustomizePatches, kustomize_patches: Items = Patches {
        name: "kustomize-patches",
        title: "Patches",
        summary: "patches, as under `patches` of a kustomization",
        expected: "a list of YAML texts with `target` and `patch` or `path`",
        default: "",
        scope: Scope::Application,
    }
    KustomizeComponents, kustomize_components: Items = Texts {
        name: "kustomize-components",
        title: "Components",
        summary: "directories of components, relative to the kustomization",
        expected: "a list of paths",
        default: "",
        scope: Scope::Application,
    }
    KustomizeIgnoreMissingComponents, kustomize_ignore_missing_components: Switch = TrueOrFalse {
        name: "kustomize-ignore-missing-components",
        title: "Ignore missing components",
        summary: "components that do not exist are left out",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    KustomizeKubeVersion, kustomize_kube_version: String = Text {
        name: "kustomize-kube-version",
        title: "Kubernetes version for charts in kustomize",
        summary: "the Kubernetes version for charts that kustomize renders; by default the cluster's",
        expected: "a version such as `1.34.2`",
        default: "",
        scope: Scope::Application,
    }
    KustomizeApiVersions, kustomize_api_versions: Items = Texts {
        name: "kustomize-api-versions",
        title: "API versions for charts in kustomize",
        summary: "the API versions for charts that kustomize renders; by default the cluster's",
        expected: "a list such as `monitoring.coreos.com/v1`",
        default: "",
        scope: Scope::Application,
    }
    KustomizeVersion, kustomize_version: String = Text {
        name: "kustomize-version",
        title: "Version of kustomize",
        summary: "the kustomize to run, one of those that the platform owner has in `kustomize-versions`",
        expected: "a version such as `v5.8.1`",
        default: "",
        scope: Scope::Application,
    }
    } } };
}

pub(super) use kustomize_parameters;

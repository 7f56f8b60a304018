//! The rows of the table of parameters for the blocks `helm` and `kustomize` of an Application: each block as a
//! whole, and the four fields that `argocd app set --plugin-env` and image updaters write as single variables.

/// Appends these rows to the rows that it gets, and passes all rows to the next macro.
macro_rules! block_parameters {
    ([$then:ident $($rest:ident)*] { $($before:tt)* }) => { $then! { [$($rest)*] { $($before)*
    Helm, helm: Block = HelmBlock {
        name: "helm", title: "Helm",
        summary: "the `helm` block of the Application as it is (`spec.source.helm`)",
        value_name: "YAML|@FILE", expected: "the YAML of `spec.source.helm`",
        default: "", scope: Scope::Application, example: "{releaseName: shop}",
    }
    HelmValueFiles, helm_value_files: Items = Texts {
        name: "helm-value-files", title: "Helm value files",
        summary: "value files: paths relative to the chart (with a leading `/`, to the repository), globs or URLs",
        value_name: "PATHS", expected: "a list of paths",
        default: "", scope: Scope::Application, example: "values-prod.yaml",
    }
    HelmValues, helm_values: String = Text {
        name: "helm-values", title: "Helm values",
        summary: "values as YAML; they override the value files",
        value_name: "YAML", expected: "YAML, as in a value file",
        default: "", scope: Scope::Application, example: "replicas: 2",
    }
    HelmParameters, helm_parameters: TextMap = MapOfTexts {
        name: "helm-parameters", title: "Helm parameters",
        summary: "single values, as with `helm --set`; they override value files and `helm-values`",
        value_name: "NAME=VALUE,...", expected: MAP_OF_TEXTS,
        default: "", scope: Scope::Application, example: "image.tag=1.4.2",
    }
    Kustomize, kustomize: Block = KustomizeBlock {
        name: "kustomize", title: "kustomize",
        summary: "the `kustomize` block of the Application as it is (`spec.source.kustomize`)",
        value_name: "YAML|@FILE", expected: "the YAML of `spec.source.kustomize`",
        default: "", scope: Scope::Application, example: "{namePrefix: shop-}",
    }
    KustomizeImages, kustomize_images: Items = Texts {
        name: "kustomize-images", title: "Images",
        summary: "images to replace",
        value_name: "IMAGES", expected: "a list of `image:tag`, `image@digest` or `image=new:tag`",
        default: "", scope: Scope::Application, example: "shop=registry.example.com/shop:1.4.2",
    }
    } } };
}

pub(super) use block_parameters;

package renderer

import (
	"fmt"
	"strconv"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

func text(name, value string) v1alpha1.ApplicationSourcePluginParameter {
	return v1alpha1.ApplicationSourcePluginParameter{Name: name, String_: &value}
}

// parameters collects those that say something.
type parameters struct {
	prefix string
	all    v1alpha1.ApplicationSourcePluginParameters
}

func (to *parameters) text(name, value string) {
	if value != "" {
		to.all = append(to.all, text(to.prefix+name, value))
	}
}

func (to *parameters) flag(name string, value bool) {
	if value {
		to.text(name, strconv.FormatBool(value))
	}
}

func (to *parameters) list(name string, items []string) {
	if items != nil {
		to.all = append(to.all, v1alpha1.ApplicationSourcePluginParameter{Name: to.prefix + name, OptionalArray: &v1alpha1.OptionalArray{Array: items}})
	}
}

func (to *parameters) mapping(name string, items map[string]string) {
	if len(items) > 0 {
		to.all = append(to.all, v1alpha1.ApplicationSourcePluginParameter{Name: to.prefix + name, OptionalMap: &v1alpha1.OptionalMap{Map: items}})
	}
}

// typed is the block as parameters with a type, one for each field.
func (one Case) typed() (v1alpha1.ApplicationSourcePluginParameters, error) {
	if one.Helm != nil {
		var helm v1alpha1.ApplicationSourceHelm
		if err := yaml.Unmarshal([]byte(*one.Helm), &helm); err != nil {
			return nil, err
		}
		return typedHelm(helm), nil
	}
	var kustomize v1alpha1.ApplicationSourceKustomize
	if err := yaml.Unmarshal([]byte(*one.Kustomize), &kustomize); err != nil {
		return nil, err
	}
	return typedKustomize(kustomize)
}

func typedHelm(helm v1alpha1.ApplicationSourceHelm) v1alpha1.ApplicationSourcePluginParameters {
	to := parameters{prefix: "helm-"}
	to.text("release-name", helm.ReleaseName)
	to.text("namespace", helm.Namespace)
	to.list("value-files", helm.ValueFiles)
	to.flag("ignore-missing-value-files", helm.IgnoreMissingValueFiles)
	if !helm.ValuesIsEmpty() {
		to.text("values", string(helm.ValuesYAML()))
	}
	plain, strings, files := map[string]string{}, map[string]string{}, map[string]string{}
	for _, parameter := range helm.Parameters {
		if parameter.ForceString {
			strings[parameter.Name] = parameter.Value
		} else {
			plain[parameter.Name] = parameter.Value
		}
	}
	for _, parameter := range helm.FileParameters {
		files[parameter.Name] = parameter.Path
	}
	to.mapping("parameters", plain)
	to.mapping("string-parameters", strings)
	to.mapping("file-parameters", files)
	to.text("kube-version", helm.KubeVersion)
	to.list("api-versions", helm.APIVersions)
	to.flag("skip-crds", helm.SkipCrds)
	to.flag("skip-tests", helm.SkipTests)
	to.flag("skip-schema-validation", helm.SkipSchemaValidation)
	return to.all
}

func typedKustomize(kustomize v1alpha1.ApplicationSourceKustomize) (v1alpha1.ApplicationSourcePluginParameters, error) {
	to := parameters{prefix: "kustomize-"}
	to.text("name-prefix", kustomize.NamePrefix)
	to.text("name-suffix", kustomize.NameSuffix)
	to.text("namespace", kustomize.Namespace)
	var images, patches []string
	for _, image := range kustomize.Images {
		images = append(images, string(image))
	}
	to.list("images", images)
	replicas := map[string]string{}
	for _, replica := range kustomize.Replicas {
		replicas[replica.Name] = replica.Count.String()
	}
	if len(replicas) != len(kustomize.Replicas) {
		return nil, fmt.Errorf("two replicas of one name cannot be typed")
	}
	to.mapping("replicas", replicas)
	to.mapping("common-labels", kustomize.CommonLabels)
	to.flag("force-common-labels", kustomize.ForceCommonLabels)
	to.flag("label-without-selector", kustomize.LabelWithoutSelector)
	to.flag("label-include-templates", kustomize.LabelIncludeTemplates)
	to.mapping("common-annotations", kustomize.CommonAnnotations)
	to.flag("force-common-annotations", kustomize.ForceCommonAnnotations)
	to.flag("common-annotations-envsubst", kustomize.CommonAnnotationsEnvsubst)
	for _, patch := range kustomize.Patches {
		written, err := yaml.Marshal(patch)
		if err != nil {
			return nil, err
		}
		patches = append(patches, string(written))
	}
	to.list("patches", patches)
	to.list("components", kustomize.Components)
	to.flag("ignore-missing-components", kustomize.IgnoreMissingComponents)
	to.text("kube-version", kustomize.KubeVersion)
	to.list("api-versions", kustomize.APIVersions)
	to.text("version", kustomize.Version)
	return to.all, nil
}

package renderer

import (
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Kustomize makes a case of kustomize.
func (from Random) Kustomize() Case {
	one := from.application()
	one.Path = from.of([]string{"kust/base", "kust/overlay", "kust/overlay", "kust/generators", "kust/third", "kust/quoted", "kust/jobs", "kust/helm", "charts/both"})
	one.BuildOptions = from.of([]string{"", "", "--load-restrictor LoadRestrictionsNone", " --load-restrictor=LoadRestrictionsNone ", "--reorder none --reorder=legacy", "--enable-alpha-plugins"})
	if one.Path == "kust/helm" || from.once(5) {
		one.BuildOptions += " --enable-helm"
	}
	var kustomize v1alpha1.ApplicationSourceKustomize
	from.fillKustomize(&kustomize, one.Path)
	one.Kustomize = from.block(kustomize)
	return one
}

func (from Random) fillKustomize(it *v1alpha1.ApplicationSourceKustomize, path string) {
	affix := []string{"", "", "pre-", "-x", "--force", "a b", "ü", "$ARGOCD_APP_NAME", "=", "0", "yes"}
	it.NamePrefix, it.NameSuffix, it.Namespace = from.of(affix), from.of(affix), from.of([]string{"", "", "other", "-n", "default", "0755"})
	for _, image := range from.some(3, []string{
		"nginx:2", "busybox=alpine:$ARGOCD_APP_REVISION_SHORT", "busybox=eu.gcr.io:5000/p/alpine@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3",
		"example/x=y", "other:1.0", "nginx=nginx", "nope:$UNKNOWN-x", "${ARGOCD_APP_NAME}:v1", "a:yes", "b:0755",
	}) {
		it.Images = append(it.Images, v1alpha1.KustomizeImage(image))
	}
	if from.once(30) {
		it.Images = append(it.Images, v1alpha1.KustomizeImage(from.of([]string{"nginx", "", "-x", "a b", "$UNKNOWN"})))
	}
	if path != "kust/jobs" && path != "kust/helm" && path != "charts/both" && from.once(2) {
		count := intstr.FromInt32(int32(from.IntN(9)))
		if from.once(3) {
			count = intstr.FromString(from.of([]string{"3", "007", "+4", "0"}))
		}
		if from.once(30) {
			count = intstr.FromString(from.of([]string{"three", "", "1.0", "0x3", " 3"}))
		}
		it.Replicas = v1alpha1.KustomizeReplicas{{Name: "web", Count: count}}
	}
	it.ForceCommonLabels, it.ForceCommonAnnotations, it.CommonAnnotationsEnvsubst = !from.once(4), !from.once(4), from.once(2)
	it.LabelWithoutSelector = from.once(2)
	it.LabelIncludeTemplates = it.LabelWithoutSelector && from.once(2) || from.once(30)
	it.CommonLabels = from.pairs([]string{"team", "app.kubernetes.io/part-of", "a.b/c", "on", "ü"}, 8)
	it.CommonAnnotations = from.pairs([]string{"note", "x/y", "yes", "a b"}, 3)
	from.patch(it)
	// One component twice is refused.
	for _, component := range from.some(2, []string{"comp1", "comp2"}) {
		it.Components = append(it.Components, from.of([]string{"../../kust/", "../../kust/./base/../"})+component+from.of([]string{"", "/"}))
	}
	if it.IgnoreMissingComponents = from.once(2); it.IgnoreMissingComponents || from.once(30) {
		it.Components = append(it.Components, from.of([]string{"../nope", "../../../../x", "nope"}))
	}
	it.KubeVersion = from.of([]string{"", "", "v1.33.1", "1.30", "1.34.2+k3s1"})
	it.APIVersions = from.some(2, []string{"monitoring.coreos.com/v1", "example.com/v1/Widget"})
}

// pairs gives some of the keys a value: a nasty one once in so many times, since few are labels.
func (from Random) pairs(keys []string, nastyOnce int) map[string]string {
	out := map[string]string{}
	for _, key := range from.some(3, keys) {
		out[key] = from.of([]string{"shop", "$ARGOCD_APP_NAME", "a-${ARGOCD_APP_REVISION_SHORT}", "true", "007", "1.0", "$UNKNOWN", "x"})
		if from.once(nastyOnce) {
			out[key] = from.of(nasty)
		}
	}
	if from.once(40) {
		// kustomize makes numbers of these, and then no JSON.
		out[from.of([]string{"0755", "1"})] = "x"
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (from Random) patch(it *v1alpha1.ApplicationSourceKustomize) {
	job := &v1alpha1.KustomizeSelector{KustomizeResId: v1alpha1.KustomizeResId{KustomizeGvk: v1alpha1.KustomizeGvk{Kind: "Job"}}}
	if from.once(3) {
		it.Patches = append(it.Patches, v1alpha1.KustomizePatch{Target: job, Patch: "- op: add\n  path: /metadata/annotations\n  value: {note: \"" + from.of([]string{"a", "$ARGOCD_APP_NAME", "yes", "ü"}) + "\"}\n"})
	}
	if from.once(4) {
		it.Patches = append(it.Patches, v1alpha1.KustomizePatch{
			Target:  &v1alpha1.KustomizeSelector{KustomizeResId: v1alpha1.KustomizeResId{KustomizeGvk: v1alpha1.KustomizeGvk{Kind: "ConfigMap"}}, LabelSelector: "nope=x"},
			Patch:   "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: any\ndata: {patched: \"" + from.of([]string{"a", "0755", "off"}) + "\"}",
			Options: map[string]bool{"allowNameChange": from.once(2)},
		})
	}
	if from.once(30) {
		it.Patches = append(it.Patches, v1alpha1.KustomizePatch{Path: "nope.yaml"})
	}
}

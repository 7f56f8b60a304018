package interop_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	core "k8s.io/kubernetes/pkg/apis/core"
	conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

const annotationTrigger = "argocd-jobs/trigger"

func isTrigger(object *unstructured.Unstructured) bool {
	return object.GetKind() == "ConfigMap" && object.GetAnnotations()[annotationTrigger] == "true"
}

// starting are the phases of the hooks that an auto-sync is to be started for.
var starting = []string{"PreSync", "Sync", "PostSync"}

// uncounted are the kinds that charts fill with random values.
var uncounted = []string{"Secret", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}

// triggerKeys are the keys that a trigger of these objects has: one for each hook that a sync runs.
func triggerKeys(objects []*unstructured.Unstructured) []string {
	var keys []string
	for _, object := range objects {
		means := argocd.Means(object)
		starts := slices.ContainsFunc(means.Types, func(phase string) bool { return slices.Contains(starting, phase) })
		if !means.IsHook || !starts || slices.Contains(uncounted, object.GetKind()) {
			continue
		}
		if kind := object.GroupVersionKind().GroupKind(); !isJob(object) {
			name := strings.TrimRight(object.GetGenerateName(), "-.")
			if object.GetName() != "" {
				name = object.GetName()
			}
			keys = append(keys, strings.ReplaceAll(kind.String()+"_"+object.GetNamespace()+"_"+name, ":", "-"))
			continue
		}
		written := object.GetAnnotations()[hashv1.AnnotationName]
		for _, name := range []string{object.GetName(), object.GetGenerateName()} {
			if written == "" {
				written = name
			}
		}
		// A `generateName` without its dash, so that a second run gives the same key.
		keys = append(keys, object.GetNamespace()+"_"+strings.TrimRight(written, "-."))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

var digest = regexp.MustCompile(`^t1-[2456789bcdfghkmt]{10}$`)

// triggerFaults says what is wrong with the trigger of an output, or that there should be one or none. The namespace is the Application's.
func triggerFaults(objects []*unstructured.Unstructured, wanted bool, namespace string) []string {
	keys := triggerKeys(objects)
	var triggers []*unstructured.Unstructured
	for _, object := range objects {
		if isTrigger(object) {
			triggers = append(triggers, object)
		}
	}
	// Without a namespace Argo CD could not apply it.
	known := namespace != "" || slices.ContainsFunc(keys, func(key string) bool { return !strings.Contains(key, "__") })
	if wanted = wanted && known && len(keys) > 0; !wanted || len(triggers) != 1 {
		if wanted || len(triggers) > 0 {
			return []string{fmt.Sprintf("%d triggers for the hooks %v", len(triggers), keys)}
		}
		return nil
	}
	var out []string
	if err := validConfigMap(triggers[0]); err != nil {
		out = append(out, "Kubernetes refuses the trigger: "+err.Error())
	}
	if means := argocd.Means(triggers[0]); means.Wave != 0 || means.IsHook || means.Ignored || namespace != "" && means.Namespace != "" {
		out = append(out, fmt.Sprintf("to Argo CD the trigger is %+v", means))
	}
	data, _, err := unstructured.NestedStringMap(triggers[0].Object, "data")
	if err != nil {
		out = append(out, err.Error())
	}
	var found []string
	for key, value := range data {
		found = append(found, key)
		if !digest.MatchString(value) {
			out = append(out, fmt.Sprintf("%s: %q is no digest", key, value))
		}
	}
	if slices.Sort(found); !slices.Equal(found, keys) {
		out = append(out, fmt.Sprintf("the hooks are %v, the trigger has %v", keys, found))
	}
	return out
}

// validConfigMap asks Kubernetes' own validation; the name has to be the value of a tracking label too.
func validConfigMap(object *unstructured.Unstructured) error {
	var versioned corev1.ConfigMap
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &versioned); err != nil {
		return err
	}
	var internal core.ConfigMap
	if err := conversion.Convert_v1_ConfigMap_To_core_ConfigMap(&versioned, &internal, nil); err != nil {
		return err
	}
	if internal.Namespace == "" {
		internal.Namespace = "default"
	}
	if len(internal.Name) > 63 || strings.TrimSpace(internal.Name) == "" {
		return fmt.Errorf("the name %q", internal.Name)
	}
	return validation.ValidateConfigMap(&internal).ToAggregate()
}

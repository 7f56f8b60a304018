package interop_test

import (
	"fmt"
	"strings"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const annotationTrigger = "argocd-jobs/trigger"

// isJob is the design's: API group batch, kind Job, any version.
func isJob(object *unstructured.Unstructured) bool {
	version, _ := object.Object["apiVersion"].(string)
	kind, _ := object.Object["kind"].(string)
	return kind == "Job" && strings.HasPrefix(version, "batch/")
}

func isTrigger(object *unstructured.Unstructured) bool {
	return object.GetKind() == "ConfigMap" && object.GetAnnotations()[annotationTrigger] == "true"
}

// pair is one object before and after.
type pair struct {
	before, after *unstructured.Unstructured
}

// match puts the objects of two readings side by side. The trigger is left out: it may only stand at
// the end of the output, once.
func match(before, after []*unstructured.Unstructured) ([]pair, error) {
	var kept []*unstructured.Unstructured
	for _, object := range before {
		if !isTrigger(object) {
			kept = append(kept, object)
		}
	}
	if len(after) > 0 && isTrigger(after[len(after)-1]) {
		after = after[:len(after)-1]
	}
	if len(kept) != len(after) {
		return nil, fmt.Errorf("%d objects go in and %d come out", len(kept), len(after))
	}
	var pairs []pair
	for i := range kept {
		if isTrigger(after[i]) {
			return nil, fmt.Errorf("object %d of the output is a trigger, and not the last", i)
		}
		pairs = append(pairs, pair{kept[i], after[i]})
	}
	return pairs, nil
}

// faults tells what is different between an object before and after that no strategy declares.
func (one pair) faults() []string {
	var out []string
	manual, _, _ := unstructured.NestedBool(one.before.Object, "spec", "manualSelector")
	for _, found := range differences(nil, any(one.before.Object), any(one.after.Object)) {
		if !isJob(one.before) || !declared(found, manual) {
			out = append(out, found.String())
		}
	}
	return out
}

// hashFault compares the hash in an emitted name with the one computed here; extra is what the
// settings of the run add. It says nothing about Jobs whose name carries none.
func (one pair) hashFault(extra hashv1.Extra) (checked bool, fault string) {
	name, prefix := one.after.GetName(), one.after.GetGenerateName()
	written := one.before.GetName()
	if !isJob(one.after) || one.after.GetAnnotations()[hashv1.AnnotationName] == "" {
		return false, ""
	}
	carrier := name
	if name == "" {
		carrier = strings.TrimSuffix(prefix, "-")
	}
	if carrier == written || argocd.Means(one.after).IsHook && name != "" {
		return false, ""
	}
	want, err := hashv1.Hash(one.before.Object, extra)
	if err != nil {
		return true, err.Error()
	}
	if !strings.HasSuffix(carrier, "-"+want) {
		text, _ := hashv1.Preimage(one.before.Object, extra)
		return true, fmt.Sprintf("the name is %q, the hash is %s, of %s", carrier, want, text)
	}
	return true, ""
}

// cleaned is a Job without what a live cluster has put into it.
func cleaned(job *unstructured.Unstructured) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: hashv1.Clean(job.Object)}
}

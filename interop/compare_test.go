package interop_test

import (
	"fmt"
	"slices"
	"strings"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// isJob is the design's: API group batch, kind Job, any version.
func isJob(object *unstructured.Unstructured) bool {
	version, _ := object.Object["apiVersion"].(string)
	kind, _ := object.Object["kind"].(string)
	return kind == "Job" && strings.HasPrefix(version, "batch/")
}

// pair is one object before and after.
type pair struct {
	before, after *unstructured.Unstructured
}

// match puts the objects of two readings side by side. The trigger is left out of both: it is no
// object of the input. Roles are compared with the names that Jobs have got.
func match(before, after []*unstructured.Unstructured) ([]pair, error) {
	before, after = withoutTrigger(before), withoutTrigger(after)
	if len(before) != len(after) {
		return nil, fmt.Errorf("%d objects go in and %d come out", len(before), len(after))
	}
	var renames []newName
	for i := range before {
		if isJob(before[i]) && isJob(after[i]) && after[i].GetName() != "" {
			for _, old := range []string{before[i].GetName(), before[i].GetAnnotations()[hashv1.AnnotationName]} {
				if old != "" {
					renames = append(renames, newName{before[i].GetNamespace(), old, after[i].GetName()})
				}
			}
		}
	}
	var pairs []pair
	for i := range before {
		pairs = append(pairs, pair{followed(before[i], after[i], renames), after[i]})
	}
	return pairs, nil
}

// newName is the name that a Job has got.
type newName struct{ namespace, old, new string }

// reaches reports whether it is the Job that a role means by a name. A ClusterRole holds for every namespace.
func (one newName) reaches(role *unstructured.Unstructured, name any) bool {
	return one.old == name && (role.GetKind() == "ClusterRole" || one.namespace == role.GetNamespace())
}

func withoutTrigger(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(objects), isTrigger)
}

// followed is a Role with the new names of Jobs where the Role of the output has them; every other
// object as it is.
func followed(before, after *unstructured.Unstructured, renames []newName) *unstructured.Unstructured {
	if kind := before.GetKind(); kind != "Role" && kind != "ClusterRole" || !strings.HasPrefix(before.GetAPIVersion(), "rbac.authorization.k8s.io/") {
		return before
	}
	before = before.DeepCopy()
	rules, _ := before.Object["rules"].([]any)
	expected, _ := after.Object["rules"].([]any)
	for i := range min(len(rules), len(expected)) {
		rule, _ := rules[i].(map[string]any)
		if !has(rule, "apiGroups", "batch") || !has(rule, "resources", "jobs") {
			continue
		}
		names, _ := rule["resourceNames"].([]any)
		other, _ := expected[i].(map[string]any)
		wanted, _ := other["resourceNames"].([]any)
		for k := range min(len(names), len(wanted)) {
			follows := func(one newName) bool { return one.reaches(before, names[k]) && one.new == wanted[k] }
			if slices.ContainsFunc(renames, follows) {
				names[k] = wanted[k]
			}
		}
	}
	return before
}

// has reports whether a rule's list names something of a Job, by itself or with a subresource, or all by `*`.
func has(rule map[string]any, list, name string) bool {
	items, _ := rule[list].([]any)
	return slices.ContainsFunc(items, func(item any) bool {
		text, _ := item.(string)
		return text == "*" || text == name || strings.HasPrefix(text, name+"/")
	})
}

// faults says what is different between an object before and after that no strategy declares.
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

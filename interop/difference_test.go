package interop_test

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"argocd-jobs.example/interop/hashv1"
)

// difference is one place at which two readings of an object are not the same; a side that has no
// value there is missing.
type difference struct {
	path          []string
	before, after any
}

type missing struct{}

func (one difference) String() string {
	return fmt.Sprintf("%s: %v -> %v", strings.Join(one.path, "."), one.before, one.after)
}

// differences compares mappings key by key and everything else as a whole.
func differences(path []string, before, after any) []difference {
	left, leftMap := before.(map[string]any)
	right, rightMap := after.(map[string]any)
	if !leftMap || !rightMap {
		if reflect.DeepEqual(before, after) {
			return nil
		}
		return []difference{{path, before, after}}
	}
	keys := map[string]bool{}
	for key := range left {
		keys[key] = true
	}
	for key := range right {
		keys[key] = true
	}
	var sorted []string
	for key := range keys {
		sorted = append(sorted, key)
	}
	sort.Strings(sorted)
	var out []difference
	for _, key := range sorted {
		out = append(out, differences(append(slices.Clone(path), key), valueOr(left, key), valueOr(right, key))...)
	}
	return out
}

func valueOr(mapping map[string]any, key string) any {
	if value, found := mapping[key]; found {
		return value
	}
	return missing{}
}

var writtenAnnotations = []string{
	"argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy", "argocd.argoproj.io/sync-options",
	"argocd.argoproj.io/compare-options", "argocd.argoproj.io/sync-wave", hashv1.AnnotationName,
}

// declared reports whether a strategy may have made this difference in a Job. What a strategy writes are
// names, annotations, a label and the TTL; what the clean-up removes must be gone, not changed.
func declared(one difference, manualSelector bool) bool {
	_, gone := one.after.(missing)
	switch path := strings.Join(one.path, "\x00"); {
	case path == "metadata\x00name" || path == "metadata\x00generateName" || path == "spec\x00ttlSecondsAfterFinished":
		return true
	case path == "metadata\x00annotations" || path == "metadata\x00labels":
		// The whole mapping is new: it was not there, or was null.
		return emptyOrMissing(one.before) && onlyOurs(one.after)
	case len(one.path) == 3 && one.path[1] == "annotations" && one.path[0] == "metadata":
		return slices.Contains(writtenAnnotations, one.path[2]) || gone && (strings.HasPrefix(one.path[2], "helm.sh/hook") ||
			one.path[2] == "kubectl.kubernetes.io/last-applied-configuration")
	case path == "metadata\x00labels\x00argocd-jobs/name":
		return true
	case path == "metadata\x00finalizers":
		return removedOnly(one)
	case path == "spec\x00template\x00metadata\x00labels" && gone && !manualSelector:
		return onlySelectorLabels(one.before)
	}
	return gone && cleanedUp(one.path, manualSelector)
}

func cleanedUp(path []string, manualSelector bool) bool {
	joined := strings.Join(path, "\x00")
	label := func(prefix string) bool {
		rest, found := strings.CutPrefix(joined, prefix)
		return found && slices.Contains(hashv1.SelectorLabels, rest)
	}
	switch {
	case joined == "status":
		return true
	case len(path) == 2 && path[0] == "metadata" && slices.Contains(hashv1.ServerMetadata, path[1]):
		return true
	case manualSelector:
		return false
	}
	return joined == "spec\x00selector" || label("metadata\x00labels\x00") || label("spec\x00template\x00metadata\x00labels\x00")
}

// onlySelectorLabels: with the last of the labels goes the mapping; one that was written empty stays.
func onlySelectorLabels(value any) bool {
	mapping, ok := value.(map[string]any)
	for key := range mapping {
		ok = ok && slices.Contains(hashv1.SelectorLabels, key)
	}
	return ok && len(mapping) > 0
}

func emptyOrMissing(value any) bool {
	if _, ok := value.(missing); ok || value == nil {
		return true
	}
	return reflect.DeepEqual(value, map[string]any{})
}

func onlyOurs(value any) bool {
	mapping, ok := value.(map[string]any)
	for key := range mapping {
		ok = ok && (slices.Contains(writtenAnnotations, key))
	}
	return ok
}

// removedOnly: the finalizers left are the others, in their order.
func removedOnly(one difference) bool {
	before, _ := one.before.([]any)
	after, _ := one.after.([]any)
	rest := slices.DeleteFunc(slices.Clone(before), func(item any) bool {
		name, ok := item.(string)
		return ok && slices.Contains(hashv1.Finalizers, name)
	})
	return len(rest) == len(after) && (len(rest) == 0 || reflect.DeepEqual(rest, after))
}

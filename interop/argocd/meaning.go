package argocd

import (
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Meaning is what Argo CD's own functions say about one object. Slices are sorted.
type Meaning struct {
	Kind           string   `json:"kind"`
	Namespace      string   `json:"namespace,omitempty"`
	Name           string   `json:"name,omitempty"`
	GenerateName   string   `json:"generateName,omitempty"`
	IsHook         bool     `json:"isHook"`
	Skip           bool     `json:"skip"`
	Ignored        bool     `json:"ignored"`
	Types          []string `json:"types"`
	DeletePolicies []string `json:"deletePolicies"`
	// NamedPolicies are what the delete-policy function says of an object whether it is a hook or not.
	NamedPolicies  []string `json:"-"`
	Wave           int      `json:"wave"`
	SyncOptions    []string `json:"syncOptions"`
	CompareOptions []string `json:"compareOptions"`
}

// Means asks Argo CD's functions about an object. DeletePolicies are only meaningful for hooks; for
// other objects the slice is empty.
func Means(object *unstructured.Unstructured) Meaning {
	meaning := Meaning{
		Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		GenerateName: object.GetGenerateName(), IsHook: isHook(object), Skip: skip(object),
		Ignored: ignored(object), Wave: wave(object),
		Types: []string{}, DeletePolicies: []string{},
		SyncOptions:    sorted(annotationCSVs(object, syncOptions)),
		CompareOptions: sorted(annotationCSVs(object, compareOptions)),
	}
	for _, kind := range hookTypes(object) {
		meaning.Types = append(meaning.Types, string(kind))
	}
	for _, policy := range deletePolicies(object) {
		meaning.NamedPolicies = append(meaning.NamedPolicies, string(policy))
	}
	sort.Strings(meaning.Types)
	meaning.Types = slices.Compact(meaning.Types)
	sort.Strings(meaning.NamedPolicies)
	meaning.NamedPolicies = slices.Compact(meaning.NamedPolicies)
	if meaning.IsHook {
		meaning.DeletePolicies = meaning.NamedPolicies
	}
	return meaning
}

const compareOptions = "argocd.argoproj.io/compare-options"

func sorted(items []string) []string {
	out := append([]string{}, items...)
	sort.Strings(out)
	return out
}

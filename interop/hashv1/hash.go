package hashv1

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The annotations of the program that the hash reads.
const (
	AnnotationName     = "argocd-jobs/name"
	AnnotationBaseName = "argocd-jobs/base-name"
	AnnotationRerun    = "argocd-jobs/rerun"
)

// Extra is what goes into the hash from outside the Job.
type Extra struct {
	// Name stands for `metadata.name` when a rule sets `base-name`.
	Name string
	// Rerun is the parameter; the Job's annotation wins over it.
	Rerun string
	// References is kind/name → data, for `hash-references`.
	References map[string]any
}

// domain are the fields of a Job's spec that the API server holds immutable.
var domain = []string{
	"template", "completions", "completionMode", "podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "managedBy",
	"scheduling",
}

// CompletionsMarker adds `"completions":null` to the preimage of a Job with parallelism and without
// completions. Without it, taking `parallelism` out of such a Job is refused under an unchanged hash.
var CompletionsMarker = true

// Preimage gives the text that is hashed for a Job.
func Preimage(job map[string]any, extra Extra) (string, error) {
	job = Clean(job)
	spec, _, _ := unstructured.NestedMap(job, "spec")
	covered := map[string]any{}
	fields := domain
	if spec["manualSelector"] == true {
		fields = append([]string{"selector", "manualSelector"}, domain...)
	}
	for _, field := range fields {
		if spec[field] != nil {
			covered[field] = spec[field]
		}
	}
	// How many pods of a gang have to be placed at once may change.
	unstructured.RemoveNestedField(covered, "scheduling", "schedulingPolicy", "gang", "minCount")
	// The API server fills in `completions: 1` only when parallelism is absent too.
	if spec["completions"] == nil && spec["parallelism"] != nil && CompletionsMarker {
		covered["completions"] = explicitNull{}
	}
	rerun := annotation(job, AnnotationRerun)
	if rerun == "" {
		rerun = extra.Rerun
	}
	whole := map[string]any{"name": writtenName(job, extra), "spec": covered}
	if rerun != "" {
		whole["rerun"] = rerun
	}
	if len(extra.References) > 0 {
		whole["references"] = extra.References
	}
	var out strings.Builder
	out.WriteString("argocd-jobs/v1\n")
	err := canonical(&out, whole)
	return out.String(), err
}

// Hash gives the ten characters for a Job.
func Hash(job map[string]any, extra Extra) (string, error) {
	text, err := Preimage(job, extra)
	if err != nil {
		return "", err
	}
	return Of(text), nil
}

// Of gives the ten characters for a preimage.
func Of(preimage string) string {
	sum := sha256.Sum256([]byte(preimage))
	digits := hex.EncodeToString(sum[:])[:10]
	return strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t").Replace(digits)
}

func writtenName(job map[string]any, extra Extra) string {
	name, _, _ := unstructured.NestedString(job, "metadata", "name")
	prefix, _, _ := unstructured.NestedString(job, "metadata", "generateName")
	for _, candidate := range []string{
		annotation(job, AnnotationName), annotation(job, AnnotationBaseName), extra.Name, name, prefix,
	} {
		if candidate != "" {
			return candidate
		}
	}
	return ""
}

func annotation(job map[string]any, key string) string {
	value, _, _ := unstructured.NestedString(job, "metadata", "annotations", key)
	return value
}

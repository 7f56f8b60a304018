package interop_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const none = "<none>"

// The annotations that the matrix crosses. Each list begins with their absence.
var axes = []struct {
	annotation string
	values     []string
}{
	{"argocd.argoproj.io/hook", []string{none, "PreSync", "Sync", "PostSync", "SyncFail", "Skip", "Skip,PreSync", "Sync,Garbage",
		"presync", "", "PreSync, PostSync", "PreDelete", "PostSync,PostDelete", ",Sync,"}},
	{policyAnnotation, []string{none, "HookSucceeded", "HookSucceeded, HookFailed", recreate, "HookFailed," + recreate, "hookfailed", ""}},
	{"helm.sh/hook", []string{none, "pre-install", "post-install, post-upgrade", "test", "pre-delete", "crd-install", "pre-rollback", "pre-upgrade,test"}},
	{"helm.sh/hook-delete-policy", []string{none, "hook-succeeded", "before-hook-creation,hook-failed"}},
	{"argocd.argoproj.io/sync-options", []string{none, "Replace=true", "Force=true,Replace=true", "Prune=false, Replace=true", "ServerSideApply=true"}},
	{"helm.sh/hook-weight", []string{none, "-5", "x"}},
	{"argocd.argoproj.io/sync-wave", []string{none, "3", "x"}},
}

// matrix gives Jobs with every pair of axes crossed in full, the others absent.
func matrix() []*unstructured.Unstructured {
	var jobs []*unstructured.Unstructured
	seen := map[string]bool{}
	for first := range axes {
		for second := first + 1; second < len(axes); second++ {
			for _, one := range axes[first].values {
				for _, other := range axes[second].values {
					annotations := map[string]any{axes[first].annotation: one, axes[second].annotation: other}
					key := fmt.Sprint(annotations)
					for annotation, value := range annotations {
						if value == none {
							delete(annotations, annotation)
							key = fmt.Sprint(annotations)
						}
					}
					if !seen[key] {
						seen[key] = true
						jobs = append(jobs, matrixJob(len(jobs), annotations))
					}
				}
			}
		}
	}
	return jobs
}

func matrixJob(number int, annotations map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"name": fmt.Sprintf("job-%d", number), "annotations": annotations},
		"spec": map[string]any{
			"ttlSecondsAfterFinished": int64(100),
			"template": map[string]any{"spec": map[string]any{
				"restartPolicy": "Never", "containers": []any{map[string]any{"name": "c", "image": "busybox:1.36"}},
			}},
		},
	}}
}

func stream(t *testing.T, jobs []*unstructured.Unstructured) string {
	t.Helper()
	var out strings.Builder
	for _, job := range jobs {
		text, err := json.Marshal(job.Object)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n" + string(text) + "\n")
	}
	return out.String()
}

func through(t *testing.T, jobs []*unstructured.Unstructured, args ...string) []pair {
	t.Helper()
	text := stream(t, jobs)
	got := filter(t, text, args...)
	if got.err != nil {
		t.Fatalf("%v: %s", got.err, got.stderr)
	}
	after, err := argocd.Decode(got.stdout)
	if err != nil {
		t.Fatalf("Argo CD refuses the output: %v", err)
	}
	before, err := argocd.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := match(before, after)
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}

// strategies returns the values of the parameter of that name, from the schema of the config file: a new one must be judged, too.
func strategies(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../schema/config.v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Strategy struct{ Enum []string }
		}
	}
	if err := json.Unmarshal(text, &schema); err != nil || len(schema.Properties.Strategy.Enum) == 0 {
		t.Fatalf("no strategies in the schema: %v", err)
	}
	return schema.Properties.Strategy.Enum
}

// Every strategy, set for the whole Application, over the crossed annotations.
func TestMeaningOfEveryStrategy(t *testing.T) {
	for _, strategy := range strategies(t) {
		for _, phase := range []string{"", "PreSync", "PostSync", "SyncFail", "PreSync,Sync"} {
			args := []string{"--strategy", strategy}
			if phase != "" {
				args = append(args, "--set", "hook="+phase)
			}
			t.Run(strings.Join(args, " "), func(t *testing.T) {
				judgeMatrix(t, through(t, matrix(), args...), map[string]string{"strategy": strategy, "hook": phase}, "")
			})
		}
	}
}

// Every strategy, chosen by the Job's own annotation: it converts.
func TestMeaningOfEveryAnnotation(t *testing.T) {
	for _, strategy := range []string{"hash-name", "hook", "replace", "keep"} {
		t.Run(strategy, func(t *testing.T) {
			jobs := matrix()
			for _, job := range jobs {
				annotations := job.GetAnnotations()
				if annotations == nil {
					annotations = map[string]string{}
				}
				if strategy == "hook" && leftAlone(job, argocd.Means(job)) {
					annotations[phaseAnnotation] = "PostSync" // there is no phase to go by
				}
				annotations[strategyAnnotation] = strategy
				job.SetAnnotations(annotations)
			}
			judgeMatrix(t, through(t, jobs), map[string]string{}, strategy)
		})
	}
}

func judgeMatrix(t *testing.T, pairs []pair, application map[string]string, own string) {
	t.Helper()
	for _, each := range pairs {
		faults := append(each.faults(), promises(each, application)...)
		if own == "" && !leftAlone(each.before, argocd.Means(each.before)) {
			faults = append(faults, forApplication(each, application)...)
		}
		if own != "" {
			faults = append(faults, converted(each, own)...)
		}
		if _, fault := each.hashFault(hashv1.Extra{}); fault != "" {
			faults = append(faults, fault)
		}
		if len(faults) > 0 {
			before, _ := json.Marshal(each.before.Object["metadata"])
			after, _ := json.Marshal(each.after.Object["metadata"])
			t.Errorf("%s\n  %s\n  %s", strings.Join(faults, "\n"), before, after)
		}
	}
}

// forApplication is what a strategy of the whole Application promises for a Job that is not left alone.
func forApplication(each pair, application map[string]string) []string {
	before := argocd.Means(each.before)
	strategy := application["strategy"]
	if strategy == "keep" {
		return same(each)
	}
	if before.IsHook {
		after := argocd.Means(each.after)
		if !after.IsHook || after.Name != before.Name && strategy != "generate-name" {
			return []string{fmt.Sprintf("a hook stays a hook of its name, but: %+v", after)}
		}
		return nil
	}
	if strategy == "auto" {
		if option(before, "Force=true") {
			return same(each)
		}
		strategy = "hash-name"
	}
	return ordinaryJob(each, strategy, application["hook"])
}

// converted is what a strategy promises for a Job that asks for it itself.
func converted(each pair, strategy string) []string {
	before, after := argocd.Means(each.before), argocd.Means(each.after)
	if strategy == "keep" {
		return same(each)
	}
	if strategy == "hook" {
		if !after.IsHook || after.Ignored {
			return []string{"not a hook that Argo CD runs"}
		}
		want := []string{"Sync"}
		if asked := each.before.GetAnnotations()[phaseAnnotation]; asked != "" {
			want = []string{asked}
		} else if before.IsHook {
			want = before.Types
		}
		if !slices.Equal(want, after.Types) {
			return []string{fmt.Sprintf("the types should be %v and are %v", want, after.Types)}
		}
		return nil
	}
	var out []string
	for key := range each.after.GetAnnotations() {
		if strings.HasPrefix(key, "helm.sh/hook") || strings.HasPrefix(key, "argocd.argoproj.io/hook") {
			out = append(out, key+" is still there")
		}
	}
	return append(out, ordinaryJob(each, strategy, "")...)
}

// ordinaryJob is what a strategy makes of a Job that is no hook, or is to be none any more.
func ordinaryJob(each pair, strategy, phases string) []string {
	before, after := argocd.Means(each.before), argocd.Means(each.after)
	ttl, found, _ := unstructured.NestedInt64(each.after.Object, "spec", "ttlSecondsAfterFinished")
	want := []string{"Sync"}
	if phases != "" {
		want = strings.Split(phases, ",")
		slices.Sort(want)
	}
	isHook := after.IsHook && slices.Equal(after.Types, want)
	ok := false
	switch strategy {
	case "hash-name":
		hash, err := hashv1.Hash(each.before.Object, hashv1.Extra{})
		ok = err == nil && !after.IsHook && after.Name == before.Name+"-"+hash && !found
	case "hook":
		name := before.Name
		if slices.Contains(want, "Sync") {
			name += "-hook"
		}
		ok = isHook && after.Name == name && ttl == 100 && slices.Equal(after.DeletePolicies, wantPolicies(before))
	case "generate-name":
		ok = isHook && after.Name == "" && strings.HasPrefix(after.GenerateName, before.Name+"-") && ttl == 100
	case "replace":
		ok = !after.IsHook && after.Name == before.Name && !found && option(after, "Force=true") && option(after, "Replace=true")
	}
	if !ok {
		return []string{fmt.Sprintf("not what %s promises: %+v, TTL %v %d", strategy, after, found, ttl)}
	}
	return nil
}

// wantPolicies are those of a Job that becomes a hook: the valid ones that its annotations have always
// named, and BeforeHookCreation.
func wantPolicies(before argocd.Meaning) []string {
	policies := slices.Clone(before.NamedPolicies)
	if !slices.Contains(policies, recreate) {
		policies = append(policies, recreate)
	}
	slices.Sort(policies)
	return policies
}

func same(each pair) []string {
	var out []string
	for _, one := range differences(nil, any(each.before.Object), any(each.after.Object)) {
		out = append(out, "kept, but "+one.String())
	}
	return out
}

package interop_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/apiserver"
	"argocd-jobs.example/interop/argocd"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	policyAnnotation   = "argocd.argoproj.io/hook-delete-policy"
	strategyAnnotation = "argocd-jobs/strategy"
	phaseAnnotation    = "argocd-jobs/hook"
	recreate           = "BeforeHookCreation"
)

// suffixes are what Argo CD appends to generateName: seven characters of the revision, the phase and
// ten digits; nothing for the revision of an Application with several sources.
func suffixes(types []string) []string {
	var out []string
	for _, phase := range types {
		for _, revision := range []string{"0123abc", ""} {
			out = append(out, fmt.Sprintf("%s-%s-1700000000", revision, strings.ToLower(phase)))
		}
	}
	return out
}

// acceptable asks Kubernetes to create a Job under each name that it can get.
func acceptable(job *unstructured.Unstructured, types []string) error {
	named := job.DeepCopy()
	if job.GetName() != "" {
		_, err := apiserver.Create(named.Object)
		return err
	}
	for _, suffix := range suffixes(types) {
		named.SetName(job.GetGenerateName() + suffix)
		if _, err := apiserver.Create(named.Object); err != nil {
			return err
		}
	}
	return nil
}

// broken reports whether a Job cannot be created whatever its name: then its output need not be either.
func broken(job *unstructured.Unstructured) bool {
	named := job.DeepCopy()
	named.SetName("x")
	named.SetGenerateName("")
	_, err := apiserver.Create(cleaned(named).Object)
	return err != nil
}

// promises are what holds for every Job that the program has rewritten, under every strategy.
func promises(each pair, application map[string]string) []string {
	before, after := argocd.Means(each.before), argocd.Means(each.after)
	own := each.before.GetAnnotations()[strategyAnnotation]
	var out []string
	fault := func(form string, values ...any) { out = append(out, fmt.Sprintf(form, values...)) }
	if own == "" && leftAlone(each.before, before) {
		if diffs := differences(nil, any(each.before.Object), any(each.after.Object)); len(diffs) > 0 {
			fault("rule 1 leaves it alone, but: %v", diffs)
		}
		return out
	}
	if own == "keep" || own == "" && application["strategy"] == "keep" {
		return out
	}
	if before.Wave != after.Wave && (before.Wave != 0 || application["wave"] != fmt.Sprint(after.Wave)) {
		fault("the wave was %d and is %d", before.Wave, after.Wave)
	}
	if before.IsHook && own == "" && !slices.Equal(before.Types, after.Types) {
		fault("the types were %v and are %v", before.Types, after.Types)
	}
	if after.IsHook {
		hookPromises(each, before, after, fault)
	} else {
		ordinaryPromises(each, before, after, fault)
	}
	if !broken(each.before) {
		if err := acceptable(each.after, after.Types); err != nil {
			fault("Kubernetes refuses it: %v", err)
		}
	}
	return out
}

// withVersion is a name that ends in something with a digit.
var withVersion = regexp.MustCompile(`-[a-z0-9.-]*[0-9][a-z0-9]*$`)

// isGate reports whether a hook that only a failed sync deletes, and whose name can change with its content, was left alone.
func isGate(each pair, before argocd.Meaning) bool {
	isOne := before.IsHook && slices.Equal(before.DeletePolicies, []string{"HookFailed"}) && withVersion.MatchString(before.Name)
	return isOne && len(differences(nil, any(each.before.Object), any(each.after.Object))) == 0
}

func hookPromises(each pair, before, after argocd.Meaning, fault func(string, ...any)) {
	if after.Ignored || len(after.Types) == 0 {
		fault("a hook that Argo CD never applies")
	}
	if !slices.Contains(after.DeletePolicies, recreate) && after.Name != "" && !isGate(each, before) {
		fault("the delete policies %v lack %s", after.DeletePolicies, recreate)
	}
	for _, policy := range before.DeletePolicies {
		if !slices.Contains(after.DeletePolicies, policy) {
			fault("the delete policy %s is lost", policy)
		}
	}
	if _, written := each.after.GetAnnotations()[policyAnnotation]; !before.IsHook && !written {
		fault("a new hook without a written delete policy")
	}
	if suspended, _, _ := unstructured.NestedBool(each.after.Object, "spec", "suspend"); suspended && !before.IsHook {
		fault("a new hook that is suspended never completes")
	}
	if after.Name != "" && after.GenerateName != "" {
		fault("both a name and generateName")
	}
	if len(after.GenerateName) > 36 || after.Name == "" && !strings.HasSuffix(after.GenerateName, "-") {
		fault("generateName %q", after.GenerateName)
	}
	if option(after, "Replace=true") || option(after, "Force=true") {
		fault("the sync options of a hook are %v", after.SyncOptions)
	}
}

func ordinaryPromises(each pair, before, after argocd.Meaning, fault func(string, ...any)) {
	if after.Name == "" {
		fault("an ordinary Job without a name cannot be applied")
	}
	if option(after, "Replace=true") && !option(after, "Force=true") {
		fault("Replace=true without Force=true fails on every Job")
	}
	hashed := after.Name != before.Name
	if hashed && (option(after, "Replace=true") || option(after, "Force=true")) {
		fault("the sync options under a hashed name are %v", after.SyncOptions)
	}
	if _, found, _ := unstructured.NestedFieldNoCopy(each.after.Object, "spec", "ttlSecondsAfterFinished"); found && hashed {
		fault("a TTL under a hashed name")
	}
	for _, kept := range before.SyncOptions {
		// Of several `Prune` options Argo CD takes the first, so `prune: keep` replaces them.
		isReplaced := strings.HasPrefix(kept, "Prune=") && option(after, "Prune=false")
		if !option(after, kept) && !isReplaced && kept != "Replace=true" && kept != "Force=true" {
			fault("the sync option %s is lost", kept)
		}
	}
}

func option(meaning argocd.Meaning, name string) bool {
	return slices.Contains(meaning.SyncOptions, name)
}

// leftAlone is rule 1 of the design, written with Argo CD's functions where they have a say.
func leftAlone(job *unstructured.Unstructured, meaning argocd.Meaning) bool {
	deletion := false
	for _, key := range []string{"argocd.argoproj.io/hook", "helm.sh/hook"} {
		for _, item := range strings.Split(job.GetAnnotations()[key], ",") {
			deletion = deletion || slices.Contains([]string{"PreDelete", "PostDelete", "pre-delete", "post-delete"}, strings.TrimSpace(item))
		}
	}
	_, patch := job.Object["$patch"]
	return deletion || patch || len(job.GetOwnerReferences()) > 0 || meaning.Skip || meaning.IsHook && (meaning.Ignored || len(meaning.Types) == 0)
}

// Every Job of the golden outputs means to Argo CD and to Kubernetes what the strategy promises.
func TestGoldenCasesMeanWhatTheyPromise(t *testing.T) {
	jobs := 0
	for _, one := range goldenCases(t) {
		t.Run(one.name, func(t *testing.T) {
			before, after, why, err := one.readings()
			if err != nil || why != "" {
				t.Logf("not compared: %s %v", why, err)
				return
			}
			pairs, err := match(before, after)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range pairs {
				if !isJob(each.before) {
					continue
				}
				jobs++
				for _, fault := range promises(each, one.settings) {
					t.Errorf("%s: %s", each.before.GetName(), fault)
				}
			}
		})
	}
	t.Logf("%d Jobs", jobs)
}

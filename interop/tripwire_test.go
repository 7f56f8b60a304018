package interop_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// tripwire is one kind of names that the program knows: where it knows them, and those of every version that this suite runs with.
type tripwire struct {
	Where string   `json:"where"`
	Names []string `json:"names"`
	// Older are those that the newest version no longer has, or has under another name.
	Older []string `json:"older"`
	// Coming are those that no release has yet, and what to do when one has: pull requests of Argo CD.
	Coming map[string]string `json:"coming"`
}

// note is what to do about a name that is new, of a sync option without its value.
func (of tripwire) note(name string) string {
	option, _, _ := strings.Cut(name, "=")
	if note, ok := of.Coming[option]; ok {
		return note
	}
	return "Decide what the program does about it in " + of.Where + "."
}

// readTripwire returns the names that are known, by what they are.
func readTripwire(t *testing.T) map[string]tripwire {
	t.Helper()
	text, err := os.ReadFile("testdata/tripwire.yaml")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]tripwire{}
	if err := yaml.UnmarshalStrict(text, &known); err != nil {
		t.Fatal(err)
	}
	return known
}

// What the Argo CD and the Kubernetes of this module have, and testdata/tripwire.yaml does not list, is new: somebody has to decide what
// the program does about it.
func TestTripwireNothingIsNew(t *testing.T) {
	known := readTripwire(t)
	present := namesOfToday(t)
	for what, one := range known {
		if len(present[what]) == 0 {
			t.Errorf("%s: nothing was found, so the test looks in the wrong place", what)
		}
		for _, name := range present[what] {
			if !slices.Contains(one.Names, name) && !slices.Contains(one.Older, name) {
				t.Errorf("%s: `%s` is new. %s Then add it to interop/testdata/tripwire.yaml.", what, name, one.note(name))
			}
		}
		for _, name := range one.Names {
			if !argocd.Before(6) && !slices.Contains(present[what], name) {
				t.Errorf("%s: `%s` is gone. See what the program says of it in %s.", what, name, one.Where)
			}
		}
	}
	for what := range present {
		if _, listed := known[what]; !listed {
			t.Errorf("%s is not in interop/testdata/tripwire.yaml", what)
		}
	}
}

// What is to be done about a name that a pull request brings is said when a release has it, and the name counts as new until then.
func TestTripwireNamesThatAreComing(t *testing.T) {
	one := tripwire{Where: "src", Names: []string{"Prune"}, Coming: map[string]string{"RunHooksOnPartialSync": "do this"}}
	for name, wanted := range map[string]string{
		"RunHooksOnPartialSync=true": "do this", "RunHooksOnPartialSync": "do this", "Other=true": "Decide what the program does about it in src.",
	} {
		if found := one.note(name); found != wanted {
			t.Errorf("%s: %s", name, found)
		}
	}
	known := readTripwire(t)
	coming := 0
	for what, one := range known {
		for name := range one.Coming {
			coming++
			if slices.Contains(one.Names, name) || slices.Contains(one.Names, name+"=true") {
				t.Errorf("%s: `%s` has come, and is still among those that are coming", what, name)
			}
		}
	}
	if coming != 2 {
		t.Errorf("%d names are coming", coming)
	}
}

func namesOfToday(t *testing.T) map[string][]string {
	t.Helper()
	present := map[string][]string{}
	for _, value := range []any{
		v1alpha1.ApplicationSource{}, v1alpha1.ApplicationSourceHelm{}, v1alpha1.ApplicationSourceKustomize{}, v1alpha1.ApplicationSourceDirectory{},
		v1alpha1.ApplicationSourcePlugin{}, v1alpha1.ApplicationSpec{}, v1alpha1.SyncPolicy{}, v1alpha1.SyncPolicyAutomated{}, v1alpha1.DrySource{},
		v1alpha1.SyncSource{}, v1alpha1.SourceHydrator{}, batchv1.JobSpec{},
	} {
		kind := reflect.TypeOf(value)
		present["fields of "+kind.Name()] = fieldsIn(kind)
	}
	for _, one := range []struct{ what, file, prefix string }{
		{"hook types", argocd.EngineSource("common/types.go"), "HookType"},
		{"hook types of a deletion", argocd.Source("controller/hook.go"), "PreDeleteHook"},
		{"hook types of a deletion", argocd.Source("controller/hook.go"), "PostDeleteHook"},
		{"hook types of a deletion", argocd.Source("controller/hook.go"), "postDeleteHook"},
		{"hook types of a deletion", argocd.Source("controller/hook.go"), "HookType"},
		{"hook delete policies", argocd.EngineSource("common/types.go"), "HookDeletePolicy"},
		{"Helm's hook types", argocd.EngineSource("hook/helm/type.go"), "Type"},
		{"Helm's hook delete policies", argocd.EngineSource("hook/helm/delete_policy.go"), "DeletePolicy"},
		{"sync options", argocd.EngineSource("common/types.go"), "SyncOption"},
		{"annotations", argocd.EngineSource("common/types.go"), "Annotation"},
		{"annotations", argocd.Source("common/common.go"), "Annotation"},
		{"annotations", argocd.Source("pkg/apis/application/v1alpha1/application_annotations.go"), "Annotation"},
	} {
		found, err := argocd.Constants(one.file, one.prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if one.what != "annotations" || strings.HasPrefix(name, "argocd.argoproj.io/") {
				present[one.what] = append(present[one.what], name)
			}
		}
	}
	return present
}

// fieldsIn are the names that a type's fields have in JSON.
func fieldsIn(kind reflect.Type) []string {
	var names []string
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		if name == "" && kind.Field(i).Anonymous {
			names = append(names, fieldsIn(kind.Field(i).Type)...)
			continue
		}
		names = append(names, name)
	}
	return names
}

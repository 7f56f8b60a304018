package interop_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
)

// What `check --fix=all` may change, as prefixes of the places of values; a step that is a number is an item.
var fixable = []string{
	"apiVersion",
	"metadata.annotations.",
	"metadata.labels.",
	"metadata.ownerReferences", "metadata.finalizers",
	"metadata.uid", "metadata.resourceVersion", "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds", "metadata.generation", "metadata.managedFields", "metadata.selfLink",
	"status",
	"spec.selector",
	"spec.ttlSecondsAfterFinished",
	"spec.template.metadata.labels.", "spec.template.metadata.creationTimestamp",
	"spec.template.spec.restartPolicy",
	// The value of a variable gets quotes; a list is compared as a whole.
	"spec.template.spec.containers", "spec.template.spec.initContainers",
}

// differing gives the places at which two values differ, and whether each is only a null that is gone.
func differing(before, after any, at string, found map[string]bool) {
	if reflect.DeepEqual(before, after) {
		return
	}
	old, isMap := before.(map[string]any)
	now, both := after.(map[string]any)
	if !isMap || !both {
		found[at] = before == nil
		return
	}
	for key := range old {
		if value, is := now[key]; is {
			differing(old[key], value, at+"."+key, found)
		} else {
			left, whole := old[key].(map[string]any)
			if whole && len(left) > 0 {
				differing(left, map[string]any{}, at+"."+key, found)
				continue
			}
			found[at+"."+key] = old[key] == nil
		}
	}
	for key := range now {
		if _, is := old[key]; is {
			continue
		}
		if added, whole := now[key].(map[string]any); whole && len(added) > 0 {
			differing(map[string]any{}, added, at+"."+key, found)
			continue
		}
		found[at+"."+key] = false
	}
}

// What Argo CD reads in files that `check --fix=all` has written differs only where a fix may write, a second run writes nothing, and every
// other file has the bytes that it had.
func TestFixesChangeOnlyWhatTheySay(t *testing.T) {
	folders, err := filepath.Glob("../testdata/check/*/*/in")
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := filepath.Glob("../testdata/shapes/like/*")
	if err != nil {
		t.Fatal(err)
	}
	fixed, read := 0, 0
	for _, folder := range append(folders, shapes...) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
			continue // A case about links that lead out.
		}
		before, refused := argocd.Directory(dir, argocd.DirectoryOptions{Root: dir})
		if refused != nil {
			continue
		}
		run := invocation{dir: dir, args: []string{"check", ".", "--source", "directory", "--plugin=false", "--fix=all", "--all"}}
		first := run.do(t)
		if strings.Contains(string(first.stdout), "fixed[") {
			fixed++
		}
		after, refused := argocd.Directory(dir, argocd.DirectoryOptions{Root: dir})
		if refused != nil {
			t.Errorf("%s: Argo CD refuses what is written: %v", folder, refused)
			continue
		}
		if len(before) != len(after) {
			t.Errorf("%s: %d objects, %d after", folder, len(before), len(after))
			continue
		}
		for index := range before {
			read++
			places := map[string]bool{}
			differing(before[index].Object, after[index].Object, "", places)
			for place, isNull := range places {
				place = strings.TrimPrefix(place, ".")
				allowed := func(prefix string) bool {
					return place == prefix || strings.HasPrefix(place, strings.TrimSuffix(prefix, ".")+".")
				}
				if !isNull && !slices.ContainsFunc(fixable, allowed) {
					t.Errorf("%s: %s %s: `%s` has changed", folder, before[index].GetKind(), before[index].GetName(), place)
				}
			}
		}
		if second := run.do(t); strings.Contains(string(second.stdout), "fixed[") {
			t.Errorf("%s: the second run fixes again:\n%s", folder, second.stdout)
		}
	}
	t.Logf("%d folders with fixes, %d objects", fixed, read)
	if fixed < 20 || read < 200 {
		t.Errorf("only %d folders with fixes and %d objects", fixed, read)
	}
}

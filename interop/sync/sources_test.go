package sync_test

import (
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// folders gives the Application a source for each of these folders; one that is called `plugin` has the plugin.
func folders(all ...string) option {
	return func(spec *v1alpha1.ApplicationSpec) {
		for _, folder := range all {
			source := *spec.Source.DeepCopy()
			source.Path = folder
			if folder != "plugin" {
				source.Plugin = nil
			}
			spec.Sources = append(spec.Sources, source)
		}
		spec.Source = nil
	}
}

// TestPreviewOfSeveralSources holds what `preview --base` says of an Application with several sources against its one sync.
func TestPreviewOfSeveralSources(t *testing.T) {
	t.Parallel()
	hook := func(name, image, phase string) string {
		return job(name, image, annotations("argocd.argoproj.io/hook: "+phase)...)
	}
	two, three := folders("a", "b"), folders("a", "b", "c")
	for name, one := range map[string]struct {
		folders       option
		before, after files
		next          change
	}{
		"a Job of one source makes the sync fail before a hook of another one": {
			two,
			files{"a/migrate.yaml": job("migrate", "migrate:1"), "b/smoke.yaml": hook("smoke", "smoke:1", "PostSync"), "b/schema.yaml": hook("schema", "schema:1", "PreSync")},
			files{"a/migrate.yaml": job("migrate", "migrate:2"), "b/smoke.yaml": hook("smoke", "smoke:2", "PostSync"), "b/schema.yaml": hook("schema", "schema:1", "PreSync")},
			change{ends: "Failed", message: "field is immutable", runs: []string{"schema"}},
		},
		"a Job moves to another source": {
			two,
			files{"a/migrate.yaml": job("migrate", "migrate:1"), "a/settings.yaml": settings("1"), "b/smoke.yaml": hook("smoke", "smoke:1", "PostSync")},
			files{"a/settings.yaml": settings("1"), "b/migrate.yaml": job("migrate", "migrate:1"), "b/smoke.yaml": hook("smoke", "smoke:1", "PostSync")},
			change{ends: "Succeeded", runs: []string{"smoke"}},
		},
		"the later of two Jobs with one name counts": {
			two,
			files{"a/migrate.yaml": job("migrate", "migrate:1"), "b/migrate.yaml": job("migrate", "migrate:1"), "b/settings.yaml": settings("1")},
			files{"a/migrate.yaml": job("migrate", "migrate:2"), "b/migrate.yaml": job("migrate", "migrate:1"), "b/settings.yaml": settings("2")},
			change{ends: "Succeeded"},
		},
		"three sources have one order": {
			three,
			files{"a/settings.yaml": settings("1"), "b/keep.yaml": job("keep", "keep:1"), "c/smoke.yaml": hook("smoke", "smoke:1", "PostSync")},
			files{"a/settings.yaml": settings("2"), "b/keep.yaml": job("keep", "keep:1"), "b/new.yaml": job("new", "new:1"), "c/smoke.yaml": hook("smoke", "smoke:1", "PostSync")},
			change{ends: "Succeeded", runs: []string{"new", "smoke"}},
		},
		"one of two sources has the plugin": {
			folders("plugin", "b"),
			files{"plugin/migrate.yaml": job("migrate", "migrate:1"), "b/smoke.yaml": hook("smoke", "smoke:1", "PostSync")},
			files{"plugin/migrate.yaml": job("migrate", "migrate:2"), "b/smoke.yaml": hook("smoke", "smoke:1", "PostSync")},
			change{ends: "Succeeded", runs: []string{"migrate-*", "smoke"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, one.before, one.folders)
			app.operateOnce()
			next := one.next
			next.files = one.after
			app.holds(map[string]bool{}, next, true)
		})
	}
}

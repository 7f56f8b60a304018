package sync_test

import (
	"strings"
	"testing"
)

// TestAdoption puts the plugin before an Application that is live with an ordinary Job, which has run.
func TestAdoption(t *testing.T) {
	t.Parallel()
	live := files{"migrate.yaml": job("migrate", "migrate:1"), "settings.yaml": settings("1")}
	changed := files{"migrate.yaml": job("migrate", "migrate:2"), "settings.yaml": settings("1")}
	strategy := func(name string, more ...option) []option {
		return append([]option{plugin, parameter("strategy", name)}, more...)
	}
	hook := func(phase string, more ...option) []option {
		return strategy("hook", append([]option{parameter("hook", phase)}, more...)...)
	}
	type result struct {
		runs   int
		left   []string
		status string
	}
	for _, one := range []struct {
		name    string
		options []option
		on, off result
	}{
		{"to hash-name runs it once more", strategy("hash-name"),
			result{2, []string{"migrate-*"}, "Synced"}, result{2, []string{"migrate", "migrate-*"}, "OutOfSync"}},
		{"to keep runs nothing", strategy("keep"),
			result{1, []string{"migrate"}, "Synced"}, result{1, []string{"migrate"}, "Synced"}},
		{"to a PreSync hook runs it", hook("PreSync"),
			result{2, []string{"migrate"}, "Synced"}, result{2, []string{"migrate"}, "Synced"}},
		{"to a PostSync hook runs it", hook("PostSync"),
			result{2, []string{"migrate"}, "Synced"}, result{2, []string{"migrate"}, "Synced"}},
		{"to a Sync hook runs it under a name of its own", hook("Sync"),
			result{2, []string{"migrate-hook"}, "Synced"}, result{2, []string{"migrate", "migrate-hook"}, "OutOfSync"}},
		{"to a Sync hook that keeps its name is the trap: the Job is deleted, nothing runs, the sync succeeds", hook("Sync", parameter("keep-name", "true")),
			result{1, nil, "Synced"}, result{1, nil, "Synced"}},
		{"to generate-name runs a Job", strategy("generate-name"),
			result{2, []string{"migrate-*"}, "Synced"}, result{2, []string{"migrate", "migrate-*"}, "OutOfSync"}},
		{"to replace runs it", strategy("replace"),
			result{2, []string{"migrate"}, "Synced"}, result{2, []string{"migrate"}, "Synced"}},
	} {
		for _, prune := range []bool{true, false} {
			want, name := one.off, one.name+", prune off"
			if prune {
				want, name = one.on, one.name+", prune on"
			}
			t.Run(name, func(t *testing.T) {
				app := given(t, live, native)
				app.sync(prune).ends("Succeeded")
				app.becomes("Synced", "Healthy")
				// It is no trap when the old Job is gone at once.
				app.lingers("migrate")
				app.reconfigure(one.options...)
				app.sync(prune).ends("Succeeded")
				app.ran([]string{"migrate:1", "migrate:1"}[:want.runs]...)
				app.left(want.left...)
				app.becomes(want.status, "Healthy")
			})
		}
	}
	t.Run("in the trap the Job runs at the next full sync", func(t *testing.T) {
		app := given(t, live, native)
		app.sync(true).ends("Succeeded")
		app.lingers("migrate")
		app.reconfigure(hook("Sync", parameter("keep-name", "true"))...)
		app.sync(true).ends("Succeeded", "pruned")
		app.ran("migrate:1")
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
		app.left("migrate")
	})
	t.Run("the trap uses up the trigger, so auto-sync leaves it at that", func(t *testing.T) {
		app := given(t, live, native, automatedWithPrune)
		app.autoSynced().ends("Succeeded")
		app.lingers("migrate")
		app.commit(changed)
		app.reconfigure(hook("Sync", parameter("keep-name", "true"))...)
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1")
		app.left()
		app.becomes("Synced", "Healthy")
		app.notAutoSyncedAgain()
	})
	t.Run("one release with hash-name in between avoids the trap", func(t *testing.T) {
		app := given(t, live, native)
		app.sync(true).ends("Succeeded")
		app.reconfigure(strategy("hash-name")...)
		app.sync(true).ends("Succeeded")
		app.reconfigure(hook("Sync", parameter("keep-name", "true"))...)
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:1", "migrate:1")
		app.left("migrate")
	})
	for name, prune := range map[string]option{"on": automatedWithPrune, "off": automated} {
		t.Run("with a baseline nothing runs until the Job changes, prune "+name, func(t *testing.T) {
			app := given(t, live, native, prune)
			app.autoSynced().ends("Succeeded")
			app.isSeen()
			app.commit(files{"migrate.yaml": live["migrate.yaml"], "settings.yaml": live["settings.yaml"],
				".argocd-jobs.yaml": "baseline:\n  migrate: " + hash(t, live["migrate.yaml"]) + "\n"})
			app.reconfigure(plugin)
			app.notAutoSynced()
			app.sync(true).ends("Succeeded", "unchanged")
			app.ran("migrate:1")
			app.left("migrate")
			app.commit(changed)
			app.autoSynced().ends("Succeeded")
			app.ran("migrate:1", "migrate:2")
		})
	}
	t.Run("auto-sync runs it once more without a baseline, although nothing was committed", func(t *testing.T) {
		app := given(t, live, native, automatedWithPrune)
		app.autoSynced().ends("Succeeded")
		app.reconfigure(plugin)
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
		app.left("migrate-*")
	})
	t.Run("a running Job that becomes a PreSync hook is gone before the hook starts", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1-holds"), "settings.yaml": settings("1")}, native)
		app.sync(true).ends("Succeeded")
		app.commit(changed)
		app.reconfigure(hook("PreSync")...)
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1-holds", "migrate:2")
		app.left("migrate")
	})
}

func TestCopyOfALiveJob(t *testing.T) {
	t.Parallel()
	t.Run("with its status, selector and generated labels it fails without the plugin, and runs with it", func(t *testing.T) {
		app := copied(t, native)
		app.sync().ends("Failed")
		app.ran()
		app.reconfigure(plugin)
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded")
		app.ran("migrate:1")
	})
	t.Run("with the plugin it is Synced", func(t *testing.T) {
		app := copied(t)
		app.sync().ends("Succeeded")
		if status := app.compare().Status.Sync.Status; status != "Synced" {
			t.Error("the Application is ", status)
		}
	})
}

// copied has the manifest of a Job that has run in another Application.
func copied(t *testing.T, options ...option) *scenario {
	t.Helper()
	origin := given(t, files{"migrate.yaml": job("migrate", "migrate:1")}, native)
	origin.sync().ends("Succeeded")
	text := strings.Replace(origin.dump("migrate"), "  namespace: "+origin.name+"\n", "", 1)
	return begin(t, files{"migrate.yaml": text}, options...)
}

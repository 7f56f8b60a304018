package sync_test

import (
	"strings"
	"testing"
)

func TestFailedJob(t *testing.T) {
	t.Parallel()
	t.Run("it is not run again by a later sync or commit, but by rerun", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1-fails")}, automatedWithPrune)
		app.autoSynced().ends("Succeeded")
		app.becomes("Synced", "Degraded")
		app.sync(true).ends("Succeeded", "unchanged")
		app.commit(files{"migrate.yaml": job("migrate", "migrate:1-fails"), "settings.yaml": settings("2")})
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1-fails")
		app.commit(files{"migrate.yaml": job("migrate", "migrate:1-fails", annotations(`argocd-jobs/rerun: "2"`)...), "settings.yaml": settings("2")})
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1-fails", "migrate:1-fails")
		app.left("migrate-*")
	})
	t.Run("in an Application with a second wave every sync fails until it is mended", func(t *testing.T) {
		later := strings.Replace(settings("1"), "  name: settings\n", "  name: settings\n  annotations:\n    argocd.argoproj.io/sync-wave: \"1\"\n", 1)
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1-fails"), "settings.yaml": later})
		app.sync(true).ends("Failed")
		app.sync(true).ends("Failed")
		app.ran("migrate:1-fails")
		app.commit(files{"migrate.yaml": job("migrate", "migrate:2"), "settings.yaml": later})
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1-fails", "migrate:2")
	})
	t.Run("as a hook it runs again at the next sync", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1-fails"), "settings.yaml": settings("1")})
		app.sync().ends("Failed")
		app.sync().ends("Failed")
		app.ran("migrate:1-fails", "migrate:1-fails")
		app.commit(files{"migrate.yaml": hook("PreSync", "migrate", "migrate:2"), "settings.yaml": settings("1")})
		app.sync().ends("Succeeded")
		app.ran("migrate:1-fails", "migrate:1-fails", "migrate:2")
		app.left("migrate")
	})
	t.Run("as a hook that is only deleted when it succeeds it blocks every sync without the plugin, and none with it", func(t *testing.T) {
		text := func(image string) files {
			return files{"migrate.yaml": job("migrate", image, annotations("argocd.argoproj.io/hook: PreSync", "argocd.argoproj.io/hook-delete-policy: HookSucceeded")...)}
		}
		app := given(t, text("migrate:1-fails"), native)
		app.sync().ends("Failed")
		app.sync().ends("Failed")
		app.ran("migrate:1-fails")
		app.commit(text("migrate:2"))
		app.sync().ends("Failed", "field is immutable")
		app.ran("migrate:1-fails")
		app.reconfigure(plugin)
		app.sync().ends("Succeeded")
		app.ran("migrate:1-fails", "migrate:2")
		app.left()
	})
}

func TestTTL(t *testing.T) {
	t.Parallel()
	short := with(job("migrate", "migrate:1"), "ttlSecondsAfterFinished: 0")
	t.Run("without the plugin the Job is run again and again", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": short, "settings.yaml": settings("1")}, native, automatedWithSelfHeal)
		app.autoSynced().ends("Succeeded")
		app.runsAtLeast(3)
	})
	t.Run("the plugin ends the loop", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": short, "settings.yaml": settings("1")}, automatedWithSelfHeal)
		app.autoSynced().ends("Succeeded")
		app.becomes("Synced", "Healthy")
		app.left("migrate-*")
		app.ran("migrate:1")
		app.notAutoSyncedAgain()
	})
	t.Run("a hook keeps its own, and self-heal does not run it again", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": with(hook("PostSync", "migrate", "migrate:1"), "ttlSecondsAfterFinished: 0"), "settings.yaml": settings("1")}, automatedWithSelfHeal)
		app.autoSynced().ends("Succeeded")
		app.gone()
		app.becomes("Synced", "Healthy")
		app.ran("migrate:1")
		app.notAutoSyncedAgain()
	})
}

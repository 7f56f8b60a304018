package sync_test

import (
	"testing"

	"argocd-jobs.example/interop/argocd"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	text := func(image string, options string) files {
		return files{"migrate.yaml": job("migrate", image, annotations("argocd.argoproj.io/sync-options: "+options)...), "settings.yaml": settings("1")}
	}
	plain := func(image string) files {
		return files{"migrate.yaml": job("migrate", image), "settings.yaml": settings("1")}
	}
	t.Run("the Job runs at each sync that applies it", func(t *testing.T) {
		app := given(t, plain("migrate:1"), parameter("strategy", "replace"))
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded", "replaced")
		app.ran("migrate:1", "migrate:1")
		app.commit(plain("migrate:2"))
		app.sync().ends("Succeeded", "replaced")
		app.ran("migrate:1", "migrate:1", "migrate:2")
		app.left("migrate")
		app.becomes("Synced", "Healthy")
	})
	t.Run("auto-sync runs it when it changes", func(t *testing.T) {
		app := given(t, plain("migrate:1"), parameter("strategy", "replace"), automated)
		app.autoSynced().ends("Succeeded")
		app.commit(plain("migrate:2"))
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
	})
	t.Run("under server-side diff a change of it blocks the Application", func(t *testing.T) {
		app := given(t, plain("migrate:1"), parameter("strategy", "replace"))
		app.annotate("argocd.argoproj.io/compare-options", "ServerSideDiff=true")
		app.sync().ends("Succeeded")
		app.commit(plain("migrate:2"))
		app.refuses("field is immutable")
		app.ran("migrate:1")
	})
	t.Run("Replace=true alone fails at the second sync without the plugin, and does no harm with it", func(t *testing.T) {
		app := given(t, text("migrate:1", "Replace=true"), native)
		app.sync().ends("Succeeded")
		app.sync().ends("Failed", "field is immutable")
		app.ran("migrate:1")
		app.reconfigure(plugin)
		app.sync(true).ends("Succeeded")
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
	})
	t.Run("Force=true alone without the plugin", func(t *testing.T) {
		app := given(t, text("migrate:1", "Force=true"), native)
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded", "unchanged")
		app.ran("migrate:1")
	})
	t.Run("Replace=true of the Application makes an unchanged hash-named Job fail at its second sync", func(t *testing.T) {
		app := given(t, plain("migrate:1"), syncOptions("Replace=true"))
		app.sync().ends("Succeeded")
		app.sync().ends("Failed", "field is immutable")
		app.ran("migrate:1")
		// Another content has another name, so that it is created.
		app.commit(plain("migrate:2"))
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
		app.reconfigure(syncOptions())
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
	})
	t.Run("a Job that leaves it for keep fails as immutable when it changes, at once or one change later", func(t *testing.T) {
		app := given(t, plain("migrate:1"), parameter("strategy", "replace"))
		app.sync().ends("Succeeded")
		app.reconfigure(plugin, parameter("strategy", "keep"))
		app.commit(plain("migrate:2"))
		if argocd.Before(3) {
			app.sync().ends("Failed", "field is immutable")
		} else {
			// The annotation of the live Job counts once more.
			app.sync().ends("Succeeded")
		}
		app.commit(plain("migrate:3"))
		app.sync().ends("Failed", "field is immutable")
	})
}

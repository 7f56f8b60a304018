package sync_test

import (
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
)

const compareOptions = "argocd.argoproj.io/compare-options"

// TestServerSide is about Applications with ServerSideApply=true. From 3.6 on they are compared by a server-side apply too, a dry run,
// which fails for a Job that has changed; before they are only when asked to.
func TestServerSide(t *testing.T) {
	t.Parallel()
	applied := syncOptions("ServerSideApply=true")
	optioned := func(image, value, options string) files {
		lines := []string{}
		if options != "" {
			lines = annotations("argocd.argoproj.io/sync-options: " + options)
		}
		return files{"migrate.yaml": job("migrate", image, lines...), "settings.yaml": settings(value)}
	}
	replaced := func(image string) files { return optioned(image, "1", `"Force=true,Replace=true"`) }
	t.Run("a changed Job with Force=true,Replace=true is never run again by auto-sync from 3.6 on", func(t *testing.T) {
		app := given(t, replaced("migrate:1"), native, applied, automated)
		app.autoSynced().ends("Succeeded")
		app.commit(replaced("migrate:2"))
		if argocd.Before(6) {
			app.autoSynced().ends("Succeeded", "replaced")
			app.ran("migrate:1", "migrate:2")
			return
		}
		app.refuses("field is immutable")
		app.notAutoSynced()
		app.ran("migrate:1")
		// The way out that the release notes name.
		app.annotate(compareOptions, "ServerSideDiff=false")
		app.autoSynced().ends("Succeeded", "replaced")
		app.ran("migrate:1", "migrate:2")
	})
	t.Run("nor is one under the strategy replace", func(t *testing.T) {
		app := given(t, optioned("migrate:1", "1", ""), parameter("strategy", "replace"), applied, automatedWithPrune)
		app.autoSynced().ends("Succeeded")
		app.commit(optioned("migrate:2", "1", ""))
		if argocd.Before(6) {
			app.autoSynced().ends("Succeeded", "replaced")
			app.ran("migrate:1", "migrate:2")
			return
		}
		app.refuses("field is immutable")
		app.notAutoSynced()
		app.ran("migrate:1")
		app.reconfigure(plugin)
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
		app.left("migrate-*")
	})
	t.Run("below 3.6 it does under server-side diff", func(t *testing.T) {
		app := given(t, replaced("migrate:1"), native, applied)
		app.annotate(compareOptions, "ServerSideDiff=true")
		app.sync().ends("Succeeded")
		app.commit(replaced("migrate:2"))
		app.refuses("field is immutable")
		app.ran("migrate:1")
	})
	t.Run("a Job's own ServerSideApply=true turns no server-side diff on", func(t *testing.T) {
		own := func(image string) files {
			return optioned(image, "1", `"Force=true,Replace=true,ServerSideApply=true"`)
		}
		app := given(t, own("migrate:1"), native)
		app.sync().ends("Succeeded")
		app.commit(own("migrate:2"))
		app.sync().ends("Succeeded", "replaced")
		app.ran("migrate:1", "migrate:2")
	})
	t.Run("a plain changed Job fails the auto-sync after the rest is applied, and from 3.6 on keeps the rest from it", func(t *testing.T) {
		app := given(t, optioned("migrate:1", "1", ""), native, applied, automated)
		app.autoSynced().ends("Succeeded")
		app.commit(optioned("migrate:2", "2", ""))
		if argocd.Before(6) {
			app.autoSynced().ends("Failed", "field is immutable")
			app.setting("2")
		} else {
			app.refuses("field is immutable")
			app.notAutoSynced()
			app.setting("1")
		}
		app.ran("migrate:1")
	})
	t.Run("a hook is not compared, so that a changed one runs", func(t *testing.T) {
		text := func(image string) files {
			return files{"migrate.yaml": hook("PreSync", "migrate", image), "settings.yaml": settings("1")}
		}
		app := given(t, text("migrate:1"), native, applied)
		app.sync().ends("Succeeded")
		app.commit(text("migrate:2"))
		app.sync().ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
	})
	t.Run("Force=true alone fails even when the Job is created, and is ignored from 3.6 on", func(t *testing.T) {
		app := given(t, optioned("migrate:1", "1", "Force=true"), native, applied)
		if argocd.Before(6) {
			app.sync().ends("Failed", "--force cannot be used with --server-side")
			app.ran()
			return
		}
		app.sync().ends("Succeeded")
		app.ran("migrate:1")
		app.commit(optioned("migrate:2", "1", "Force=true"))
		app.refuses("field is immutable")
		app.annotate(compareOptions, "ServerSideDiff=false")
		app.sync().ends("Failed", "field is immutable")
		app.ran("migrate:1")
	})
}

// TestIgnoredTemplate is about the annotation of 3.6 that leaves fields out of the comparison; before it means nothing.
func TestIgnoredTemplate(t *testing.T) {
	t.Parallel()
	text := func(image, value string) files {
		lines := annotations("argocd.argoproj.io/ignore-differences: |-", "  jsonPointers:", "  - /spec/template")
		return files{"migrate.yaml": job("migrate", image, lines...), "settings.yaml": settings(value)}
	}
	t.Run("a changed Job is Synced and never runs, and a sync for another reason fails", func(t *testing.T) {
		app := given(t, text("migrate:1", "1"), native, automated)
		app.autoSynced().ends("Succeeded")
		app.commit(text("migrate:2", "1"))
		if argocd.Before(6) {
			app.autoSynced().ends("Failed", "field is immutable")
			app.ran("migrate:1")
			return
		}
		app.notAutoSynced()
		app.becomes("Synced", "Healthy")
		app.commit(text("migrate:2", "2"))
		app.autoSynced().ends("Failed", "field is immutable")
		app.ran("migrate:1")
	})
	t.Run("with RespectIgnoreDifferences=true every sync succeeds, and it never runs", func(t *testing.T) {
		app := given(t, text("migrate:1", "1"), native, syncOptions("RespectIgnoreDifferences=true"))
		app.sync().ends("Succeeded")
		app.commit(text("migrate:2", "2"))
		if argocd.Before(6) {
			app.sync().ends("Failed", "field is immutable")
		} else {
			app.sync().ends("Succeeded")
			app.setting("2")
		}
		app.ran("migrate:1")
	})
	t.Run("under a hashed name it changes nothing", func(t *testing.T) {
		app := given(t, text("migrate:1", "1"), automatedWithPrune)
		app.autoSynced().ends("Succeeded")
		app.commit(text("migrate:2", "1"))
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
	})
}

// TestTTLOfAHook has each Job deleted as soon as it has ended, while the sync still goes on.
func TestTTLOfAHook(t *testing.T) {
	t.Parallel()
	short := "ttlSecondsAfterFinished: 0"
	for _, phase := range []string{"PreSync", "Sync", "PostSync"} {
		t.Run("a "+phase+" hook with a TTL runs once for each sync, which ends", func(t *testing.T) {
			app := given(t, files{"migrate.yaml": with(hook(phase, "migrate", "migrate:1"), short), "settings.yaml": settings("1")}, native)
			app.sync().ends("Succeeded")
			app.gone()
			app.ran("migrate:1")
			app.sync().ends("Succeeded")
			app.gone()
			app.ran("migrate:1", "migrate:1")
		})
	}
	t.Run("it is not created again while a later hook still runs", func(t *testing.T) {
		later := hook("PostSync", "report", "report:1-holds")
		app := given(t, files{"migrate.yaml": with(hook("PreSync", "migrate", "migrate:1"), short), "report.yaml": later, "settings.yaml": settings("1")}, native)
		app.begins()
		app.runsAtLeast(2)
		app.waits("waiting for completion of hook batch/Job/report")
		app.left("report")
		app.ran("migrate:1", "report:1-holds")
		app.completes()
		app.finished().ends("Succeeded")
		app.ran("migrate:1", "report:1-holds")
	})
	t.Run("a failed one fails the sync", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": with(hook("PreSync", "migrate", "migrate:1-fails"), short), "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed")
		app.ran("migrate:1-fails")
	})
	t.Run("an ordinary Job with a TTL before another wave", func(t *testing.T) {
		later := strings.Replace(settings("1"), "  name: settings\n", "  name: settings\n  annotations:\n    argocd.argoproj.io/sync-wave: \"1\"\n", 1)
		app := given(t, files{"migrate.yaml": with(job("migrate", "migrate:1"), short), "settings.yaml": later}, native)
		app.begins()
		app.runsAtLeast(1)
		app.gone()
		// It can be gone before Argo CD has seen it end.
		if argocd.Before(5) {
			app.stillWaits("waiting for healthy state of batch/Job/migrate")
			return
		}
		app.finished().ends("Failed", "batch/Job/migrate is missing, it might have been deleted")
	})
}

package sync_test

import (
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

func TestHook(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"PreSync", "Sync", "PostSync"} {
		t.Run("a "+phase+" hook runs at each sync, and blocks it until it is done", func(t *testing.T) {
			app := given(t, files{"migrate.yaml": hook(phase, "migrate", "migrate:1"), "settings.yaml": settings("1")})
			app.sync().ends("Succeeded")
			app.sync().ends("Succeeded")
			app.ran("migrate:1", "migrate:1")
			app.left("migrate")
			// Of a Job that is gone at once the controller may take the result for that of the new one.
			app.lingers("migrate")
			app.commit(files{"migrate.yaml": hook(phase, "migrate", "migrate:2-fails"), "settings.yaml": settings("1")})
			app.sync().ends("Failed", "backoff limit")
			app.ran("migrate:1", "migrate:1", "migrate:2-fails")
		})
	}
	t.Run("a retry meets a failed hook without BeforeHookCreation, and deletes it with it", func(t *testing.T) {
		text := job("migrate", "migrate:1-fails", annotations("argocd.argoproj.io/hook: PreSync", "argocd.argoproj.io/hook-delete-policy: HookSucceeded")...)
		app := given(t, files{"migrate.yaml": text, "settings.yaml": settings("1")}, native)
		app.retried(1).ends("Failed", "retried 1 times")
		app.ran("migrate:1-fails")
		app.left("migrate")
		app.reconfigure(plugin)
		app.retried(1).ends("Failed", "retried 1 times")
		// Before 3.3.15, 3.4.9 and 3.5.3 Argo CD takes the result of the first try for that of the second one, so that the hook is deleted and not run.
		if argocd.Before(4) {
			app.ran("migrate:1-fails", "migrate:1-fails")
			app.left()
		} else {
			app.ran("migrate:1-fails", "migrate:1-fails", "migrate:1-fails")
			app.left("migrate")
		}
		app.sync().ends("Failed")
		app.left("migrate")
	})
	t.Run("a SyncFail hook runs when a sync has failed", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1-fails"), "alarm.yaml": hook("SyncFail", "alarm", "alarm:1")})
		app.sync().ends("Failed")
		app.ran("migrate:1-fails", "alarm:1")
		app.sync().ends("Failed")
		app.ran("migrate:1-fails", "alarm:1", "migrate:1-fails", "alarm:1")
	})
	t.Run("a hook of two phases runs in both", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync,PostSync", "migrate", "migrate:1"), "settings.yaml": settings("1")})
		app.sync().ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
		app.left("migrate")
	})
	t.Run("a Helm hook runs at each sync too, and deletion when it succeeded stays", func(t *testing.T) {
		text := job("migrate", "migrate:1", annotations("helm.sh/hook: pre-upgrade", "helm.sh/hook-delete-policy: hook-succeeded")...)
		app := given(t, files{"migrate.yaml": text, "settings.yaml": settings("1")})
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
		app.gone()
	})
	t.Run("Replace=true of the Application does not keep a hook from running", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1"), "settings.yaml": settings("1")}, syncOptions("Replace=true"))
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
	})
	t.Run("ApplyOutOfSyncOnly=true does not keep a hook from running", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1"), "settings.yaml": settings("1")}, syncOptions("ApplyOutOfSyncOnly=true"))
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
	})
	t.Run("a sync of chosen resources and self-heal run no hook", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1"), "settings.yaml": settings("1")}, automatedWithSelfHeal)
		app.autoSynced().ends("Succeeded")
		app.operate(v1alpha1.SyncOperation{Resources: []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: "settings"}}}).ends("Succeeded")
		app.tampers("settings")
		app.heals("settings")
		app.ran("migrate:1")
	})
	t.Run("a suspended hook holds the sync, and one that was resumed counts as done while it runs", func(t *testing.T) {
		text := with(hook("PreSync", "migrate", "migrate:1-holds"), "suspend: true")
		app := given(t, files{"migrate.yaml": text, "settings.yaml": settings("1")}, native)
		app.begins()
		app.waits("waiting for completion of hook batch/Job/migrate")
		app.resumes("migrate")
		app.finished().ends("Succeeded")
		app.left("migrate")
	})
	t.Run("a Job that mentions no valid phase is never applied, and nothing is said", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("presync", "migrate", "migrate:1"), "settings.yaml": settings("1")})
		app.sync().ends("Succeeded")
		app.becomes("Synced", "Healthy")
		app.ran()
	})
}

func TestGenerateName(t *testing.T) {
	t.Parallel()
	generated := strings.Replace(job("migrate-", "migrate:1"), "  name: migrate-", "  generateName: migrate-", 1)
	t.Run("without the plugin and without a hook it cannot be applied", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": generated, "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed", "cannot use generate name with apply")
		app.ran()
	})
	t.Run("without the plugin and with Replace=true each sync runs a Job, and the Application stays OutOfSync", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": generated, "settings.yaml": settings("1")}, native, syncOptions("Replace=true"))
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
		if argocd.Before(5) {
			app.becomes("OutOfSync", "Missing")
		} else {
			app.becomes("OutOfSync", "Healthy")
		}
	})
	t.Run("with the plugin each sync runs a Job of its own, which has a TTL, and the Application is Synced", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": generated, "settings.yaml": settings("1")})
		app.sync(true).ends("Succeeded")
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:1")
		app.left("migrate-*", "migrate-*")
		app.expire()
		app.becomes("Synced", "Healthy")
	})
	t.Run("two Jobs of two contents both run", func(t *testing.T) {
		other := strings.Replace(generated, "migrate:1", "migrate:2", 1)
		app := given(t, files{"one.yaml": generated, "two.yaml": other})
		app.sync().ends("Succeeded")
		app.left("migrate-*", "migrate-*")
	})
	t.Run("of two Jobs of one prefix one runs without the plugin, which refuses them", func(t *testing.T) {
		two := strings.Replace(generated, "  generateName: migrate-\n", "  generateName: migrate-\n  annotations:\n    argocd.argoproj.io/hook: Sync\n", 1)
		app := given(t, files{"one.yaml": two, "two.yaml": two}, native)
		// It fails when both are created at once, and succeeds when the second one is patched onto the first.
		app.sync()
		app.ran("migrate:1")
		app.reconfigure(plugin)
		app.refuses("two hooks of the same phase would get `generateName")
	})
}

func TestTrigger(t *testing.T) {
	t.Parallel()
	one := files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1"), "settings.yaml": settings("1")}
	two := files{"migrate.yaml": hook("PreSync", "migrate", "migrate:2"), "settings.yaml": settings("1")}
	t.Run("a commit that changes only a hook starts an auto-sync", func(t *testing.T) {
		app := given(t, one, automated)
		app.autoSynced().ends("Succeeded")
		app.commit(two)
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
		app.becomes("Synced", "Healthy")
		app.notAutoSyncedAgain()
	})
	t.Run("without the trigger it starts none", func(t *testing.T) {
		app := given(t, one, automated, parameter("trigger", "false"))
		app.autoSynced().ends("Succeeded")
		app.isSeen()
		app.commit(two)
		app.notAutoSynced()
		app.ran("migrate:1")
	})
	t.Run("a commit that changes nothing of the hook starts none", func(t *testing.T) {
		app := given(t, one, automated)
		app.autoSynced().ends("Succeeded")
		app.isSeen()
		app.commit(files{"migrate.yaml": "# a comment\n" + one["migrate.yaml"], "settings.yaml": one["settings.yaml"]})
		app.notAutoSynced()
		app.ran("migrate:1")
	})
	t.Run("an Application of nothing but hooks is auto-synced, even the first time", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": one["migrate.yaml"]}, automatedWithPrune)
		app.autoSynced().ends("Succeeded")
		app.commit(files{"migrate.yaml": two["migrate.yaml"]})
		app.autoSynced().ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
	})
	t.Run("an Application of nothing but hooks is never auto-synced without the trigger", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": one["migrate.yaml"]}, automatedWithPrune, parameter("trigger", "false"))
		app.notAutoSynced()
		app.ran()
	})
	t.Run("a PreSync hook that fails leaves it unapplied, and the Application OutOfSync", func(t *testing.T) {
		app := given(t, one, automated)
		app.autoSynced().ends("Succeeded")
		app.commit(files{"migrate.yaml": hook("PreSync", "migrate", "migrate:2-fails"), "settings.yaml": settings("1")})
		app.autoSynced().ends("Failed")
		app.becomes("OutOfSync", "Healthy")
	})
	for _, phase := range []string{"Sync", "PostSync"} {
		t.Run("a "+phase+" hook that fails uses it up, and the Application is Synced", func(t *testing.T) {
			app := given(t, files{"migrate.yaml": hook(phase, "migrate", "migrate:1"), "settings.yaml": settings("1")}, automated)
			app.autoSynced().ends("Succeeded")
			app.lingers("migrate")
			app.commit(files{"migrate.yaml": hook(phase, "migrate", "migrate:2-fails"), "settings.yaml": settings("1")})
			app.autoSynced().ends("Failed")
			app.becomes("Synced", "Healthy")
			app.notAutoSyncedAgain()
		})
	}
	t.Run("self-heal of it runs no hook", func(t *testing.T) {
		app := given(t, one, automatedWithSelfHeal)
		app.autoSynced().ends("Succeeded")
		trigger := app.trigger()
		app.tampers(trigger)
		app.heals(trigger)
		app.ran("migrate:1")
	})
}

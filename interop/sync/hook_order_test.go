package sync_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestPhasesBeforeWaves shows that the phase comes before the wave: gitops-engine/pkg/sync/sync_tasks.go Less, and that a weight of Helm is a wave:
// gitops-engine/pkg/sync/syncwaves/waves.go.
func TestPhasesBeforeWaves(t *testing.T) {
	t.Parallel()
	weight := func(value int) string { return fmt.Sprintf("helm.sh/hook-weight: \"%d\"", value) }
	t.Run("no weight moves a pre-install hook behind the Sync phase, and none moves a post-install hook before it", func(t *testing.T) {
		app := given(t, files{
			"a.yaml": job("late", "late:1", annotations(helmHook("pre-install", weight(100))...)...),
			"b.yaml": job("early", "early:1", annotations(helmHook("pre-install", weight(-100))...)...),
			"c.yaml": configMap("database", "1", inWave(-200)),
			"d.yaml": configMap("weighed", "1", weight(7)),
			"e.yaml": job("after", "after:1", annotations(helmHook("post-install", weight(-100))...)...),
			"f.yaml": job("both", "both:1", annotations(helmHook("pre-install", weight(100), inWave(-150))...)...),
			"g.yaml": job("tested", "tested:1", annotations(helmHook("test", weight(-1))...)...),
		}, native)
		want := []string{"PreSync: Job both", "PreSync: Job early", "PreSync: Job late", "Sync: ConfigMap database", "Sync: ConfigMap weighed", "PostSync: Job after"}
		if got := app.sync().ends("Succeeded").applied(); !slices.Equal(got, want) {
			t.Fatalf("applied %q, not %q", got, want)
		}
	})
	t.Run("a pre-install hook that fails keeps everything ordinary from being applied, whatever the weight", func(t *testing.T) {
		app := given(t, files{"a.yaml": job("migrate", "migrate:1-fails", annotations(helmHook("pre-install,pre-upgrade", weight(1))...)...), "b.yaml": configMap("database", "1", inWave(-1))}, native)
		app.sync().ends("Failed")
		app.is(false, "ConfigMap", "database")
	})
}

// TestWhatAHookFinds shows which objects of the Sync phase are there while a hook of PreSync runs: gitops-engine/pkg/sync/sync_tasks.go Less.
func TestWhatAHookFinds(t *testing.T) {
	t.Parallel()
	t.Run("a PreSync hook finds nothing of the Sync phase of the first sync, and what the last sync made of it in the next one", func(t *testing.T) {
		manifests := func(value string) files {
			return files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1-holds"), "settings.yaml": settings(value), "a.yaml": secret("token", value, inWave(-10)),
				"b.yaml": object("v1", "ServiceAccount", "migrator", "", nil), "c.yaml": object("v1", "Service", "database", "spec: {ports: [{port: 5432}]}\n", nil)}
		}
		of := map[string]string{"ConfigMap": "settings", "Secret": "token", "ServiceAccount": "migrator", "Service": "database"}
		app := given(t, manifests("1"), native)
		app.begins()
		app.waits("waiting for completion of hook batch/Job/migrate")
		for kind, name := range of {
			app.is(false, kind, name)
		}
		app.completes()
		app.finished().ends("Succeeded")
		app.commit(manifests("2"))
		app.begins()
		app.runsAtLeast(2)
		app.waits("waiting for completion of hook batch/Job/migrate")
		for kind, name := range of {
			app.is(true, kind, name)
		}
		app.setting("1")
		app.completes()
		app.finished().ends("Succeeded")
		app.setting("2")
	})
	// As grafana/loki#7237: the DaemonSet needs the account to have pods.
	t.Run("a workload that needs a PostSync hook keeps the sync waiting for ever, and the hook is never applied", func(t *testing.T) {
		app := given(t, files{"a.yaml": workload("Deployment", "replicas: 2,"), "b.yaml": object("v1", "ServiceAccount", "runner", "", helmHook("post-install")),
			"c.yaml": hook("PostSync", "smoke", "smoke:1")}, native)
		app.begins()
		app.waits("waiting for healthy state of apps/Deployment/deployment")
		app.stillWaits("waiting for healthy state of apps/Deployment/deployment")
		app.is(false, "ServiceAccount", "runner")
		app.ran()
	})
}

// TestPruningOfWhatIsUsed shows that nobody looks for who uses an object that is pruned: gitops-engine/pkg/sync/sync_context.go pruneObject.
func TestPruningOfWhatIsUsed(t *testing.T) {
	t.Parallel()
	uses := func(text string) string {
		return fmt.Sprintf("{spec: {restartPolicy: Never, containers: [{name: main, image: %q, envFrom: [{configMapRef: {name: rules}}]}]}}", text)
	}
	nightly := object("batch/v1", "CronJob", "nightly", "spec: {schedule: '0 0 * * *', jobTemplate: {spec: {template: "+uses("nightly:1")+"}}}\n", nil)
	retained := object("batch/v1", "Job", "retained", "spec: {template: "+uses("retained:1")+"}\n", []string{"argocd.argoproj.io/sync-options: Prune=false"})
	hooked := object("batch/v1", "Job", "hooked", "spec: {template: "+uses("hooked:1")+"}\n", []string{in("PreSync")})
	for name, option := range map[string]option{"": native, ", with PruneLast=true too": syncOptions("PruneLast=true")} {
		t.Run("a ConfigMap goes although a CronJob, a Job that is not pruned and a hook that stays use it"+name, func(t *testing.T) {
			app := given(t, files{"a.yaml": configMap("rules", "1"), "b.yaml": nightly, "c.yaml": retained, "settings.yaml": settings("1")}, native, option)
			app.sync().ends("Succeeded")
			app.commit(files{"a.yaml": configMap("rules", "1"), "b.yaml": nightly, "d.yaml": hooked, "settings.yaml": settings("1")})
			app.sync().ends("Succeeded")
			app.commit(files{"b.yaml": nightly, "settings.yaml": settings("1")})
			app.sync(true).ends("Succeeded", "ConfigMap rules Pruned")
			app.disappears("ConfigMap", "rules")
			app.is(true, "CronJob", "nightly")
			app.is(true, "Job", "retained")
			app.is(true, "Job", "hooked")
		})
	}
}

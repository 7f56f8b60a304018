package sync_test

import (
	"slices"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// policy is the annotation of Argo CD that says when a hook is deleted.
func policy(items string) string { return "argocd.argoproj.io/hook-delete-policy: " + items }

// helmHook are the annotations of a hook that was written for Helm.
func helmHook(types string, more ...string) []string {
	return append([]string{"helm.sh/hook: " + types}, more...)
}

// dataHooks are objects of the kinds that charts make hooks for Helm's order.
func dataHooks() []waited {
	usual := map[string]bool{"PersistentVolumeClaim": true, "Ingress": true, "Deployment": true, "Service": true, "ConfigMap": true, "Secret": true,
		"ServiceAccount": true, "Role": true, "RoleBinding": true, "Seed": true, "ExternalSecret": true}
	var all []waited
	for _, it := range allWaited() {
		if usual[it.kind] && it.name != "balanced" {
			all = append(all, it)
		}
	}
	return all
}

// runs begins a sync of hooks that are data, and brings it to its end as their controllers would.
func (one *scenario) runs(hooks []waited) outcome {
	one.Helper()
	one.begins()
	running := map[string]string{}
	for _, it := range hooks {
		if it.ready != "" {
			running[it.what()] = "Running"
		}
	}
	one.reports(running)
	one.readied(hooks)
	return one.finished()
}

func (one *scenario) identities(hooks []waited) map[string]types.UID {
	one.Helper()
	all := map[string]types.UID{}
	for _, it := range hooks {
		all[it.what()] = one.identity(it.kind, it.name)
	}
	return all
}

// TestHooksThatAreData shows what happens to an object that is a hook and not a run, for what it is in itself: gitops-engine/pkg/sync/sync_context.go
// getSyncTasks and runTasks, gitops-engine/pkg/sync/hook/delete_policy.go, controller/state.go CompareAppState.
func TestHooksThatAreData(t *testing.T) {
	t.Parallel()
	t.Run("without a delete policy each sync deletes them and creates them again, whatever their kind", func(t *testing.T) {
		manifests := files{"settings.yaml": settings("1")}
		for _, it := range dataHooks() {
			manifests[it.name+".yaml"] = it.text(in("PreSync"))
		}
		app := given(t, manifests, native)
		app.runs(dataHooks()).ends("Succeeded")
		first := app.identities(dataHooks())
		app.begins()
		// Nobody else is here who would let it go.
		app.eventually("the deletion of the claim", func(*v1alpha1.Application) bool {
			return app.found("PersistentVolumeClaim", "claim").GetDeletionTimestamp() != nil
		})
		app.releases("claim")
		app.reports(map[string]string{"PersistentVolumeClaim claim": "Running", "Ingress ingress": "Running", "Deployment deployment": "Running", "ExternalSecret externalsecret": "Running"})
		app.readied(dataHooks())
		app.finished().ends("Succeeded")
		for what, uid := range app.identities(dataHooks()) {
			if uid == "" || uid == first[what] {
				t.Errorf("%s was not created again", what)
			}
		}
	})
	t.Run("they are not compared and not healed, neither when Git changes nor when somebody changes or deletes them", func(t *testing.T) {
		hooks := func(value string) files {
			return files{"a.yaml": secret("token", value, in("PreSync")), "b.yaml": configMap("rules", value, in("Sync")), "c.yaml": seed("tree", value, in("PostSync")), "settings.yaml": settings("1")}
		}
		app := given(t, hooks("1"), native, automatedWithSelfHeal)
		app.autoSynced().ends("Succeeded")
		app.merges("ConfigMap", "rules", `{"data": {"value": "tampered"}}`)
		app.removes("Secret", "token")
		app.becomes("Synced", "Healthy")
		app.notAutoSyncedAgain()
		app.is(false, "Secret", "token")
		app.commit(hooks("2"))
		app.notAutoSynced()
		app.becomes("Synced", "Healthy")
		app.is(false, "Secret", "token")
		app.sync().ends("Succeeded")
		app.is(true, "Secret", "token")
		if got := value(app.found("ConfigMap", "rules")); got != "2" {
			t.Fatalf("the value is %q", got)
		}
		// Nor are they pruned.
		app.commit(files{"settings.yaml": settings("1")})
		app.becomes("Synced", "Healthy")
		app.sync(true).ends("Succeeded")
		for kind, name := range map[string]string{"Secret": "token", "ConfigMap": "rules", "Seed": "tree"} {
			app.is(true, kind, name)
		}
	})
	t.Run("while one of a wave hangs in its deletion the others of that wave are gone, and when the sync is terminated they stay gone", func(t *testing.T) {
		app := given(t, files{"a.yaml": claim("data", in("PreSync")), "b.yaml": secret("token", "1", in("PreSync")), "c.yaml": configMap("later", "1", in("PreSync"), inWave(1)),
			"d.yaml": settings("1")}, native, automatedWithSelfHeal)
		app.compare()
		app.eventually("the claim", func(*v1alpha1.Application) bool { return app.found("PersistentVolumeClaim", "data") != nil })
		app.says("PersistentVolumeClaim", "data", bound)
		app.autoSynced().ends("Succeeded")
		later := app.identity("ConfigMap", "later")
		app.begins()
		app.disappears("Secret", "token")
		// As long as a pod uses it a claim is Terminating, by the finalizer kubernetes.io/pvc-protection.
		if argocd.Before(4) {
			app.stillWaits("one or more tasks are running")
		} else {
			app.stillWaits("waiting for deletion of hook /PersistentVolumeClaim/data")
		}
		app.is(false, "Secret", "token")
		app.is(true, "PersistentVolumeClaim", "data")
		app.terminates().ends("Failed", "Operation terminated")
		app.releases("data")
		app.disappears("PersistentVolumeClaim", "data")
		app.becomes("Synced", "Healthy")
		app.notAutoSyncedAgain()
		app.is(false, "Secret", "token")
		if app.identity("ConfigMap", "later") != later {
			t.Fatal("a hook of a wave that was not reached is another one")
		}
	})
	t.Run("the health of one does not count for the Application", func(t *testing.T) {
		app := given(t, files{"a.yaml": claim("data", in("PreSync")), "b.yaml": settings("1")}, native)
		app.begins()
		app.reports(map[string]string{"PersistentVolumeClaim data": "Running"})
		app.says("PersistentVolumeClaim", "data", bound)
		app.finished().ends("Succeeded")
		app.says("PersistentVolumeClaim", "data", `{"phase": "Lost"}`)
		app.becomes("Synced", "Healthy")
	})
	t.Run("one that becomes ordinary is kept: no sync starts, and the next one takes the annotation away", func(t *testing.T) {
		app := given(t, files{"a.yaml": secret("token", "1", in("PreSync")), "b.yaml": settings("1")}, native, automatedWithSelfHeal)
		app.autoSynced().ends("Succeeded")
		app.isSeen()
		before := app.identity("Secret", "token")
		app.commit(files{"a.yaml": secret("token", "1", inWave(-1)), "b.yaml": settings("1")})
		app.notAutoSynced()
		app.becomes("Synced", "Healthy")
		app.sync().ends("Succeeded")
		if now := app.found("Secret", "token"); now.GetUID() != before || now.GetAnnotations()["argocd.argoproj.io/hook"] != "" {
			t.Fatalf("it is another one, or still a hook: %v", now.GetAnnotations())
		}
		app.isSeen()
		app.removes("Secret", "token")
		app.compare()
		app.eventually("self-heal", func(*v1alpha1.Application) bool { return app.found("Secret", "token") != nil })
	})
	t.Run("an ordinary one that becomes a hook is deleted by the next sync, although nothing is pruned", func(t *testing.T) {
		app := given(t, files{"a.yaml": configMap("rules", "1"), "b.yaml": settings("1")}, native)
		app.sync().ends("Succeeded")
		before := app.identity("ConfigMap", "rules")
		app.commit(files{"a.yaml": configMap("rules", "1", in("PreSync")), "b.yaml": settings("1")})
		app.sync().ends("Succeeded")
		if now := app.identity("ConfigMap", "rules"); now == "" || now == before {
			t.Fatalf("it is %q and was %q", now, before)
		}
	})
}

// TestDeletePoliciesOfData shows which hooks are left, which are new and which are patched by the second of two syncs: gitops-engine/pkg/sync/hook/hook.go
// and delete_policy.go, gitops-engine/pkg/sync/hook/helm.
func TestDeletePoliciesOfData(t *testing.T) {
	t.Parallel()
	helmPolicy := func(items string) string { return "helm.sh/hook-delete-policy: " + items }
	const again, kept, gone, never = "deleted and created again", "kept and patched", "deleted when the sync succeeds", "never applied"
	all := map[string]struct {
		lines []string
		phase string
		want  string
	}{
		"helm-pre-install":          {helmHook("pre-install"), "PreSync", again},
		"helm-pre-upgrade":          {helmHook("pre-upgrade"), "PreSync", again},
		"helm-pre-both":             {helmHook("pre-install,pre-upgrade"), "PreSync", again},
		"helm-post-install":         {helmHook("post-install"), "PostSync", again},
		"helm-post-upgrade":         {helmHook("post-upgrade"), "PostSync", again},
		"helm-before-hook-creation": {helmHook("pre-install", helmPolicy("before-hook-creation")), "PreSync", again},
		"helm-hook-succeeded":       {helmHook("pre-install", helmPolicy("hook-succeeded")), "PreSync", gone},
		"helm-hook-failed":          {helmHook("pre-install", helmPolicy("hook-failed")), "PreSync", kept},
		"helm-unknown-policy":       {helmHook("pre-install", helmPolicy("before-hook-deletion")), "PreSync", again},
		"helm-resource-policy":      {helmHook("pre-install", "helm.sh/resource-policy: keep"), "PreSync", again},
		"helm-crd-install":          {helmHook("crd-install"), "Sync", kept},
		"helm-test":                 {helmHook("test"), "", never},
		"helm-test-success":         {helmHook("test-success"), "", never},
		"helm-pre-rollback":         {helmHook("pre-rollback"), "", never},
		"helm-pre-delete":           {helmHook("pre-delete"), "", never},
		"helm-post-delete":          {helmHook("post-delete"), "", never},
		"own-before-hook-creation":  {[]string{in("PreSync"), policy("BeforeHookCreation")}, "PreSync", again},
		"own-hook-succeeded":        {[]string{in("PreSync"), policy("HookSucceeded")}, "PreSync", gone},
		"own-hook-failed":           {[]string{in("PreSync"), policy("HookFailed")}, "PreSync", kept},
		"own-no-deletion":           {[]string{in("PreSync"), "argocd.argoproj.io/sync-options: \"Delete=false,Prune=false\""}, "PreSync", again},
		"own-skip":                  {[]string{in("Skip")}, "", never},
		"own-before-helm":           {append(helmHook("pre-install"), in("PostSync")), "PostSync", again},
	}
	manifests := func(value string) files {
		text := files{"settings.yaml": settings(value)}
		for name, one := range all {
			text[name+".yaml"] = configMap(name, value, one.lines...)
		}
		return text
	}
	t.Run("of hooks that are ConfigMaps, at the second of two syncs", func(t *testing.T) {
		app := given(t, manifests("1"), native)
		ended := app.sync().ends("Succeeded")
		first := map[string]types.UID{}
		for name := range all {
			first[name] = app.identity("ConfigMap", name)
		}
		app.commit(manifests("2"))
		app.sync().ends("Succeeded")
		for name, one := range all {
			was, now := first[name], app.identity("ConfigMap", name)
			is := map[bool]string{true: again, false: kept}[was != now]
			applied := slices.IndexFunc(ended.state.SyncResult.Resources, func(result *v1alpha1.ResourceResult) bool { return result.Name == name })
			switch {
			case applied < 0:
				is = never
			case now == "":
				is = gone
			}
			if is != one.want || now != "" && value(app.found("ConfigMap", name)) != "2" {
				t.Errorf("%s is %s, not %s", name, is, one.want)
			}
			if applied >= 0 && string(ended.state.SyncResult.Resources[applied].SyncPhase) != one.phase {
				t.Errorf("%s is of the phase %s", name, ended.state.SyncResult.Resources[applied].SyncPhase)
			}
		}
	})
	t.Run("HookSucceeded is the end of the whole sync, so that later phases still have the object", func(t *testing.T) {
		app := given(t, files{"a.yaml": configMap("rules", "1", in("PreSync"), policy("HookSucceeded")), "b.yaml": hook("PostSync", "smoke", "smoke:1-holds"), "c.yaml": settings("1")}, native)
		app.begins()
		app.waits("waiting for completion of hook batch/Job/smoke")
		app.is(true, "ConfigMap", "rules")
		app.completes()
		app.finished().ends("Succeeded")
		app.disappears("ConfigMap", "rules")
		app.becomes("Synced", "Healthy")
	})
	t.Run("HookFailed deletes what has succeeded too, when the sync fails", func(t *testing.T) {
		app := given(t, files{"a.yaml": configMap("rules", "1", in("PreSync"), policy("HookFailed")), "b.yaml": configMap("others", "1", in("PreSync"), policy("HookSucceeded")),
			"c.yaml": hook("PostSync", "smoke", "smoke:1-fails"), "d.yaml": settings("1")}, native)
		app.sync().ends("Failed")
		app.disappears("ConfigMap", "rules")
		app.is(true, "ConfigMap", "others")
	})
}

func value(of *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(of.Object, "data", "value")
	return text
}

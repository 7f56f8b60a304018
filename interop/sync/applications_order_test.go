package sync_test

import (
	"context"
	"fmt"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// healthOfApplications is the check of docs/operator-manual/health.md. Argo CD has none of its own for an Application since 1.8.
const healthOfApplications = `hs = {}
hs.status = "Progressing"
hs.message = ""
if obj.status ~= nil then
  if obj.status.health ~= nil then
    hs.status = obj.status.health.status
    if obj.status.health.message ~= nil then
      hs.message = obj.status.health.message
    end
  end
end
return hs
`

// checksApplications puts that check into argocd-cm, or takes it out.
func checksApplications(t *testing.T, on bool) {
	t.Helper()
	value := "null"
	if on {
		text, err := yaml.Marshal(healthOfApplications)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		value = string(encoded)
	}
	patch := fmt.Sprintf(`{"data": {"resource.customizations.health.argoproj.io_Application": %s}}`, value)
	if _, err := shared.client.CoreV1().ConfigMaps(control).Patch(context.Background(), "argocd-cm", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// child is an Application that another one renders.
func (one *scenario) child(name, folder, label string, automated bool, lines ...string) string {
	policy := "{}"
	if automated {
		policy = "{automated: {}}"
	}
	spec := fmt.Sprintf("spec:\n  project: default\n  source: {repoURL: %q, path: %s, targetRevision: main}\n  destination: {server: 'https://kubernetes.default.svc', namespace: %s}\n  syncPolicy: %s\n  info: [{name: label, value: %q}]\n",
		one.url(), folder, one.name, policy, label)
	return object("argoproj.io/v1alpha1", "Application", one.name+"-"+name, spec, lines)
}

// of is a child as a scenario. Only its Application is looked at.
func (one *scenario) of(name string) *scenario {
	return &scenario{T: one.T, name: one.name + "-" + name, repository: one.repository, head: one.head, spec: one.spec, quiet: true}
}

// hasChild reports whether a child is there, and its label.
func (one *scenario) hasChild(name string) (label string, there bool) {
	application, err := one.of(name).application()
	if err != nil {
		return "", false
	}
	return application.Spec.Info[0].Value, true
}

// root is an Application that renders Applications.
func root(spec *v1alpha1.ApplicationSpec) {
	spec.Source.Path = "root"
	spec.Destination.Namespace = control
}

// family are a root with two children in two waves. The first child has a claim that nobody binds.
func (one *scenario) family(label, folder, value string) files {
	return files{
		"root/db.yaml": one.child("db", folder, label, true, inWave(0)), "root/web.yaml": one.child("web", "web", label, true, inWave(1)),
		"root/done.yaml": namespaced(hook("PostSync", "done", "done:1"), one.name),
		"db/claim.yaml":  claim("data"),
		// A hook alone starts no sync.
		"next/claim.yaml": claim("data"), "next/migrate.yaml": hook("PreSync", "migrate", "migrate:1-holds"), "next/schema.yaml": configMap("schema", "1"),
		"web/settings.yaml": settings(value),
	}
}

// leave deletes the children with the root.
func (one *scenario) leave() {
	one.Cleanup(func() {
		for _, name := range []string{"db", "web"} {
			_ = shared.argocd.ArgoprojV1alpha1().Applications(control).Delete(context.Background(), one.name+"-"+name, metav1.DeleteOptions{})
		}
	})
}

// labelled demands the child web as this version of the root has it.
func (one *scenario) labelled(label string) {
	one.Helper()
	if got, _ := one.hasChild("web"); got != label {
		one.Fatalf("web is of %q, not of %q", got, label)
	}
}

// TestWavesOfApplicationsWithoutACheck: GetHealthCheckFunc in gitops-engine/pkg/health/health.go knows no Application, and what has no check is
// done when it is applied.
func TestWavesOfApplicationsWithoutACheck(t *testing.T) {
	t.Parallel()
	t.Run("neither the next wave nor a PostSync hook of the root waits for a child, and the root is Healthy", func(t *testing.T) {
		app := given(t, files{"root/settings.yaml": settings("1")}, native, root)
		app.leave()
		app.commit(app.family("1", "db", "1"))
		app.sync().ends("Succeeded")
		app.labelled("1")
		app.ran("done:1")
		db := app.of("db")
		db.compare()
		db.eventually("the claim that nobody binds", func(application *v1alpha1.Application) bool {
			return application.Status.Health.Status == "Progressing"
		})
		app.becomes("Synced", "Healthy")
	})
	t.Run("the PostSync hook of the root runs when the children are there and nobody has synced them", func(t *testing.T) {
		app := given(t, files{"root/settings.yaml": settings("1")}, native, root)
		app.leave()
		app.commit(files{"root/db.yaml": app.child("db", "db", "1", false), "root/done.yaml": namespaced(hook("PostSync", "done", "done:1"), app.name), "db/rules.yaml": configMap("rules", "1")})
		app.sync().ends("Succeeded")
		app.ran("done:1")
		app.is(false, "ConfigMap", "rules")
	})
}

// TestWavesOfApplications is not parallel: the health check of Applications is one for all of Argo CD.
func TestWavesOfApplications(t *testing.T) {
	checksApplications(t, true)
	t.Cleanup(func() { checksApplications(t, false) })
	missing, plain := beginIdle(t, claim("data")), beginIdle(t, configMap("rules", "1"))
	app := begin(t, files{"root/settings.yaml": settings("1")}, native, root)
	app.leave()
	app.commit(app.family("1", "db", "1"))
	db, web := app.of("db"), app.of("web")
	app.begins()
	app.waits("waiting for healthy state of argoproj.io/Application/" + db.name)
	if _, there := app.hasChild("web"); there {
		t.Fatal("the next wave is applied before the child is Healthy")
	}
	app.says("PersistentVolumeClaim", "data", bound)
	app.finished().ends("Succeeded")
	app.labelled("1")
	app.ran("done:1")

	// The sync of `db` runs for ever in its PreSync hook. Hooks are not in the health of an Application: controller/health.go
	app.commit(app.family("2", "next", "1"))
	app.sync().ends("Succeeded")
	app.labelled("2")
	db.eventually("the hook of db", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return state != nil && state.FinishedAt == nil && state.Message == "waiting for completion of hook batch/Job/migrate"
	})

	// Now only the contents of a child change. The root stays Synced, so that nothing has an order.
	before, err := app.application()
	if err != nil {
		t.Fatal(err)
	}
	app.reconfigure(automated)
	app.commit(app.family("2", "next", "2"))
	app.becomes("Synced", "Healthy")
	web.head = app.head
	web.compare()
	web.eventually("the sync of web", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return state != nil && state.FinishedAt != nil && state.SyncResult.Revision == app.head
	})
	app.setting("2")
	after, err := app.application()
	if err != nil || !after.Status.OperationState.StartedAt.Equal(&before.Status.OperationState.StartedAt) {
		t.Fatalf("the root was synced: %v", err)
	}
	if now, err := db.application(); err != nil || now.Status.OperationState.FinishedAt != nil {
		t.Fatalf("db does not migrate any more: %v", err)
	}

	// A child that nobody syncs is Missing, and held up the next wave all the time. Before 3.4 only missing kinds with a health check count.
	missing.isHeldUp()
	if argocd.Before(4) {
		plain.finished().ends("Succeeded")
		plain.labelled("1")
	} else {
		plain.isHeldUp()
	}
}

// beginIdle begins the sync of a root whose child of the first wave is synced by nobody.
func beginIdle(t *testing.T, text string) *scenario {
	t.Helper()
	app := begin(t, files{"root/settings.yaml": settings("1")}, native, root)
	app.leave()
	app.commit(files{"root/db.yaml": app.child("db", "db", "1", false, inWave(0)), "root/web.yaml": app.child("web", "web", "1", false, inWave(1)), "db/it.yaml": text, "web/settings.yaml": settings("1")})
	app.begins()
	return app
}

// isHeldUp demands that the root waits for that child.
func (one *scenario) isHeldUp() {
	one.Helper()
	one.waits("waiting for healthy state of argoproj.io/Application/" + one.name + "-db")
	if _, there := one.hasChild("web"); there {
		one.Fatal("the next wave is applied")
	}
}

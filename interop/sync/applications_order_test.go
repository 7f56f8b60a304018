package sync_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

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

// of is a child as a scenario, of which only the Application is looked at.
func (one *scenario) of(name string) *scenario {
	return &scenario{T: one.T, name: one.name + "-" + name, repository: one.repository, head: one.head, spec: one.spec, quiet: true}
}

// hasChild tells whether a child is there, and its label.
func (one *scenario) hasChild(name string) (label string, there bool) {
	application, err := one.of(name).application()
	if err != nil {
		return "", false
	}
	return application.Spec.Info[0].Value, true
}

// TestWavesOfApplications is not parallel: the health check of Applications is one for all of Argo CD.
func TestWavesOfApplications(t *testing.T) {
	root := func(spec *v1alpha1.ApplicationSpec) {
		spec.Source.Path = "root"
		spec.Destination.Namespace = control
	}
	app := begin(t, files{"root/settings.yaml": settings("1")}, native, root)
	t.Cleanup(func() {
		checksApplications(t, false)
		for _, name := range []string{"db", "web"} {
			_ = shared.argocd.ArgoprojV1alpha1().Applications(control).Delete(context.Background(), app.name+"-"+name, metav1.DeleteOptions{})
		}
	})
	manifests := func(label, folder, value string) files {
		return files{
			"root/db.yaml": app.child("db", folder, label, true, inWave(0)), "root/web.yaml": app.child("web", "web", label, true, inWave(1)),
			"root/done.yaml":  namespaced(hook("PostSync", "done", "done:1"), app.name),
			"db/claim.yaml":   claim("data"),
			"next/claim.yaml": claim("data"),
			// A hook alone starts no sync.
			"next/migrate.yaml": hook("PreSync", "migrate", "migrate:1-holds"), "next/schema.yaml": configMap("schema", "1"),
			"web/settings.yaml": settings(value),
		}
	}
	// gitops-engine/pkg/health/health.go GetHealthCheckFunc has no Application.
	app.commit(manifests("1", "db", "1"))
	app.sync().ends("Succeeded")
	app.ran("done:1")
	db := app.of("db")
	db.compare()
	db.eventually("the claim that nobody binds", func(application *v1alpha1.Application) bool {
		return application.Status.Health.Status == "Progressing"
	})
	app.becomes("Synced", "Healthy")
	t.Log("without the check the root does not wait for the health of a child, nor does its PostSync hook, and the root is Healthy")

	checksApplications(t, true)
	app.eventually("the check", func(application *v1alpha1.Application) bool {
		if _, asked := application.Annotations[v1alpha1.AnnotationKeyRefresh]; !asked {
			app.annotate(v1alpha1.AnnotationKeyRefresh, "normal")
		}
		return application.Status.Health.Status == "Progressing"
	})
	app.commit(manifests("2", "db", "1"))
	app.begins()
	app.waits("waiting for healthy state of argoproj.io/Application/" + db.name)
	if label, _ := app.hasChild("web"); label != "1" {
		t.Fatalf("web is of %q", label)
	}
	app.says("PersistentVolumeClaim", "data", bound)
	app.finished().ends("Succeeded")
	if label, _ := app.hasChild("web"); label != "2" {
		t.Fatalf("web is of %q", label)
	}
	t.Log("with it the next wave waits until the child is Healthy")

	// The sync of `db` runs for ever in its PreSync hook. A hook is not in the health of an Application: controller/health.go
	app.commit(manifests("3", "next", "1"))
	app.sync().ends("Succeeded")
	if label, _ := app.hasChild("web"); label != "3" {
		t.Fatalf("web is of %q", label)
	}
	db.eventually("the hook of db", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return state != nil && state.FinishedAt == nil && state.Message == "waiting for completion of hook batch/Job/migrate"
	})
	t.Log("and it does not wait for a sync of the child whose hooks run")

	// Now only the contents of the children change, and the root is not asked.
	started := func() *metav1.Time {
		application, err := app.application()
		if err != nil {
			t.Fatal(err)
		}
		return &application.Status.OperationState.StartedAt
	}
	before := started()
	app.reconfigure(automated)
	app.commit(manifests("3", "next", "2"))
	app.becomes("Synced", "Healthy")
	web := app.of("web")
	web.compare()
	web.eventually("the sync of web", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return application.Status.Sync.Status == "Synced" && state.FinishedAt != nil && slices.Contains([]string{state.SyncResult.Revision}, app.head)
	})
	app.setting("2")
	if !started().Equal(before) {
		t.Fatal("the root was synced")
	}
	t.Log("a change inside the children starts no sync of the root: web is rolled out while db still migrates")
}

package sync_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// temporal are the manifests of a release in examples/temporal. Its migration ends as the suffix of the tag says.
func temporal(t *testing.T, version, tag, suffix string) files {
	t.Helper()
	all := files{}
	for name, path := range map[string]string{"schema.yaml": version, "frontend.yaml": version, ".argocd-jobs.yaml": "settings.yaml"} {
		if path == version {
			path = filepath.Join(version, name)
		}
		text, err := os.ReadFile(filepath.Join("../../examples/temporal", path))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = strings.ReplaceAll(string(text), "admin-tools:"+tag, "admin-tools:"+tag+suffix)
	}
	return all
}

// TestTemporal holds what the page of a real migration says against Argo CD: adoption, a release that fails, and back.
func TestTemporal(t *testing.T) {
	const schema, server = "temporalio/admin-tools:", "temporalio/server:"
	t.Run("by hand nothing waits for the migration", func(t *testing.T) {
		app := given(t, temporal(t, "1.5.0", "1.31.1", ""), native)
		app.sync(true).ends("Succeeded")
		app.commit(temporal(t, "1.6.0", "1.31.2", "-fails"))
		app.operateOnly(pruning).ends("Succeeded")
		app.frontend(server + "1.31.2")
	})
	t.Run("in a wave before the rollout", func(t *testing.T) {
		app := given(t, temporal(t, "1.5.0", "1.31.1", ""), native)
		app.sync(true).ends("Succeeded")
		app.reconfigure(plugin)
		app.commit(temporal(t, "1.5.0", "1.31.1", ""))
		app.sync(true).ends("Succeeded")
		app.ran(schema+"1.31.1", schema+"1.31.1")
		app.left("temporal-schema-*")
		app.becomes("Synced", "Healthy")

		app.commit(temporal(t, "1.6.0", "1.31.2", "-fails"))
		app.operateOnly(pruning).ends("Failed", "one or more synchronization tasks completed unsuccessfully", "Job has reached the specified backoff limit")
		app.frontend(server + "1.31.1")
		app.ran(schema+"1.31.1", schema+"1.31.1", schema+"1.31.2-fails")
		app.operateOnly(pruning).ends("Failed")
		app.ran(schema+"1.31.1", schema+"1.31.1", schema+"1.31.2-fails")
		app.becomes("OutOfSync", "Degraded")

		app.commit(temporal(t, "1.5.0", "1.31.1", ""))
		app.operateOnly(pruning).ends("Succeeded")
		app.frontend(server + "1.31.1")
		// Its Job was pruned when the release failed.
		app.ran(schema+"1.31.1", schema+"1.31.1", schema+"1.31.2-fails", schema+"1.31.1")
		app.becomes("Synced", "Healthy")

		app.commit(temporal(t, "1.6.0", "1.31.2", ""))
		app.operateOnly(pruning).ends("Succeeded")
		app.frontend(server + "1.31.2")
		app.left("temporal-schema-*")
		app.becomes("Synced", "Healthy")
	})
}

var pruning = v1alpha1.SyncOperation{Prune: true}

// frontend demands the image that is rolled out.
func (one *scenario) frontend(image string) {
	one.Helper()
	found, err := shared.client.AppsV1().Deployments(one.name).Get(one.Context(), "temporal-frontend", metav1.GetOptions{})
	if err != nil || found.Spec.Template.Spec.Containers[0].Image != image {
		one.Fatalf("the Deployment has %v, not %s: %v", found.Spec.Template.Spec.Containers, image, err)
	}
}

package sync_test

import (
	"path/filepath"
	"strings"
	"testing"

	"argocd-jobs.example/interop/renderer"
)

// rendered is given for a source that needs helm or kustomize.
func rendered(t *testing.T, files files, options ...option) *scenario {
	t.Helper()
	if _, err := renderer.Directory(filepath.Join("..", "..")); err != nil {
		t.Skip(err)
	}
	return given(t, files, options...)
}

func TestHelm(t *testing.T) {
	t.Parallel()
	chart := func(image string) files {
		return files{
			"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n", "values.yaml": "image: " + image + "\nvalue: '1'\n",
			"templates/migrate.yaml":  job("migrate", "{{ .Values.image | quote }}"),
			"templates/settings.yaml": strings.ReplaceAll(settings("VALUE"), `"VALUE"`, "{{ .Values.value | quote }}"),
			"templates/NOTES.txt":     "kind: NotAManifest\n",
		}
	}
	t.Run("the first sync runs the Job of a chart, an unchanged one does not, an image changed by a parameter runs it once more", func(t *testing.T) {
		app := rendered(t, chart("migrate:1"))
		app.sync().ends("Succeeded")
		app.ran("migrate:1")
		app.becomes("Synced", "Healthy")

		app.commit(chart("migrate:1"))
		app.sync().ends("Succeeded", "unchanged")
		app.ran("migrate:1")

		app.reconfigure(mapping("helm-parameters", map[string]string{"image": "migrate:2"}))
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
		app.left("migrate-*")
		app.becomes("Synced", "Healthy")

		// A value that the Job does not use.
		app.reconfigure(plugin, parameter("helm", "parameters:\n- {name: image, value: 'migrate:2'}\n- {name: value, value: '2', forceString: true}\n"))
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
		app.becomes("Synced", "Healthy")
	})
	t.Run("auto-sync runs a Job whose image is changed in the values, and a hook of Helm each time", func(t *testing.T) {
		hooked := func(image string) files {
			files := chart(image)
			files["templates/gate.yaml"] = job("gate", "{{ .Values.image | replace \"migrate\" \"gate\" | quote }}", annotations(`helm.sh/hook: pre-install,pre-upgrade`)...)
			return files
		}
		app := rendered(t, hooked("migrate:1"), automatedWithPrune)
		app.autoSynced().ends("Succeeded")
		app.ran("gate:1", "migrate:1")
		app.commit(hooked("migrate:2"))
		app.autoSynced().ends("Succeeded")
		app.ran("gate:1", "migrate:1", "gate:2", "migrate:2")
		app.becomes("Synced", "Healthy")
	})
}

func TestKustomize(t *testing.T) {
	t.Parallel()
	overlay := files{"kustomization.yaml": "resources: [base]\n", "base/kustomization.yaml": "resources: [migrate.yaml, settings.yaml]\n",
		"base/migrate.yaml": job("migrate", "migrate:1"), "base/settings.yaml": settings("1")}
	t.Run("the first sync runs the Job of a kustomization, an unchanged one does not, an image that is set runs it once more", func(t *testing.T) {
		app := rendered(t, overlay)
		app.sync().ends("Succeeded")
		app.ran("migrate:1")
		app.becomes("Synced", "Healthy")

		app.commit(overlay)
		app.sync().ends("Succeeded", "unchanged")
		app.ran("migrate:1")

		app.reconfigure(list("kustomize-images", "migrate:2"))
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
		app.left("migrate-*")
		app.becomes("Synced", "Healthy")
	})
}

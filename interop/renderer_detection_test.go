package interop_test

import (
	"path/filepath"
	"testing"

	"argocd-jobs.example/interop/renderer"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

const (
	chart         = "apiVersion: v2\nname: x\nversion: 0.1.0\n"
	kustomization = "resources: [object.yml]\n"
	object        = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: object}\n"
)

// What a directory is, without a word in the Application.
var detected = map[string]struct {
	files map[string]string
	// is Argo CD's name of the type; ours is that of the program where it is another, `refused` where it refuses.
	is, ours string
}{
	"manifests":                          {files: map[string]string{"object.yml": object}, is: "Directory"},
	"a chart":                            {files: map[string]string{"Chart.yaml": chart, "templates/object.yml": object}, is: "Helm"},
	"kustomization.yaml":                 {files: map[string]string{"kustomization.yaml": kustomization, "object.yml": object}, is: "Kustomize"},
	"kustomization.yml":                  {files: map[string]string{"kustomization.yml": kustomization, "object.yml": object}, is: "Kustomize"},
	"Kustomization":                      {files: map[string]string{"Kustomization": kustomization, "object.yml": object}, is: "Kustomize"},
	"a chart and kustomization.yaml":     {files: map[string]string{"Chart.yaml": chart, "templates/object.yml": object, "kustomization.yaml": kustomization, "object.yml": object}, is: "Kustomize"},
	"a chart and Kustomization":          {files: map[string]string{"Chart.yaml": chart, "templates/object.yml": object, "Kustomization": kustomization, "object.yml": object}, is: "Kustomize"},
	"a chart and its look-alike":         {files: map[string]string{"Chart.yaml": chart, "MyChart.yaml": "x", "templates/object.yml": object}, is: "Helm"},
	"a look-alike that comes later":      {files: map[string]string{"kustomization.yaml": kustomization, "object.yml": object, "myChart.yaml": object}, is: "Helm", ours: "refused"},
	"a look-alike":                       {files: map[string]string{"MyChart.yaml": object, "object.yml": object}, is: "Helm", ours: "refused"},
	"chart.yaml":                         {files: map[string]string{"chart.yaml": object, "object.yml": object}, is: "Directory"},
	"Chart.yml":                          {files: map[string]string{"Chart.yml": "x: y", "object.yml": object}, is: "Directory"},
	"KUSTOMIZATION.yaml":                 {files: map[string]string{"KUSTOMIZATION.yaml": "x: y", "object.yml": object}, is: "Directory"},
	"a chart in a folder":                {files: map[string]string{"sub/Chart.yaml": chart, "object.yml": object}, is: "Directory"},
	"a kustomization in a folder":        {files: map[string]string{"sub/kustomization.yaml": kustomization, "object.yml": object}, is: "Directory"},
	"a chart beside a kustomized folder": {files: map[string]string{"Chart.yaml": chart, "templates/object.yml": object, "z/kustomization.yaml": kustomization}, is: "Helm"},
	"a folder called Chart.yaml":         {files: map[string]string{"Chart.yaml/x": "x", "object.yml": object}, is: "Directory"},
	"requirements alone":                 {files: map[string]string{"requirements.yaml": "dependencies: []", "object.yml": object}, is: "Directory"},
	"a chart above":                      {files: map[string]string{"../Chart.yaml": chart, "object.yml": object}, is: "Directory"},
	"Jsonnet":                            {files: map[string]string{"x.jsonnet": "{kind: 'ConfigMap', apiVersion: 'v1', metadata: {name: 'j'}}", "object.yml": object}, is: "Directory", ours: "refused"},
}

// An explicit type is stronger than the files.
func TestADirectoryIsWhatArgoCDTakesItFor(t *testing.T) {
	bench := bench(t)
	for name, one := range detected {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for path, text := range one.files {
				files[filepath.Join("detected/app", path)] = text
			}
			application := renderer.Case{Name: name, Repo: "root", Path: "detected/app", App: "shop", Files: files}
			native, err := bench.Native(application, filepath.Join(t.TempDir(), "native"))
			if err != nil {
				t.Fatal(err)
			}
			if got := typeOf(native); got != one.is {
				t.Fatalf("Argo CD takes it for %s: %v", got, native.Refusal)
			}
			ours, err := bench.Plugin(application, renderer.Pasted, filepath.Join(t.TempDir(), "ours"))
			if err != nil {
				t.Fatal(err)
			}
			wanted := one.ours
			if wanted == "" {
				wanted = one.is
			}
			got := typeOf(ours)
			if ours.Refusal != nil && len(ours.Calls) == 0 {
				got = "refused"
			}
			if got != wanted {
				t.Errorf("the program takes it for %s, and not for %s: %v", got, wanted, ours.Refusal)
			}
		})
	}
}

// typeOf says the type of a source by the tools that were run for it, and what Argo CD says.
func typeOf(result renderer.Result) string {
	if result.Type != "" {
		return result.Type
	}
	for _, call := range result.Calls {
		if call.Tool == "kustomize" {
			return string(v1alpha1.ApplicationSourceTypeKustomize)
		}
	}
	if len(result.Calls) > 0 || result.Refusal != nil {
		// Without a Chart.yaml Argo CD does not come so far as to run it.
		return string(v1alpha1.ApplicationSourceTypeHelm)
	}
	return string(v1alpha1.ApplicationSourceTypeDirectory)
}

package sync_test

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"argocd-jobs.example/interop/renderer"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// TestAdopt lets the command `adopt` put the plugin into live Applications: nothing runs that has run, and a changed image runs once.
func TestAdopt(t *testing.T) {
	t.Parallel()
	plain := func(image string) files {
		return files{"migrate.yaml": job("migrate", image), "settings.yaml": settings("1")}
	}
	with := func(all files, more files) files {
		maps.Copy(all, more)
		return all
	}
	chart := func(image string) files {
		return files{
			"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n", "values.yaml": "image: none\n", "values-prod.yaml": "image: " + image + "\n",
			"templates/migrate.yaml": job("{{ .Release.Name }}-migrate", "{{ .Values.image }}{{ .Values.suffix }}"), "templates/settings.yaml": settings("1"),
		}
	}
	for name, one := range map[string]struct {
		files   func(image string) files
		options []option
		// starts says whether the first sync starts by itself, because there are hooks.
		starts bool
		before []string
		first  []string
		then   []string
	}{
		"a directory": {files: plain, before: []string{"migrate:1"}, then: []string{"migrate:2"}},
		"a directory with Replace=true": {files: plain, options: []option{syncOptions("CreateNamespace=false", "Replace=true")},
			before: []string{"migrate:1"}, then: []string{"migrate:2"}},
		"a directory of directories": {
			files: func(image string) files {
				return files{"jobs/migrate.yaml": job("migrate", image), "settings.yaml": settings("1")}
			},
			options: []option{func(spec *v1alpha1.ApplicationSpec) {
				spec.Source.Directory = &v1alpha1.ApplicationSourceDirectory{Recurse: true}
			}},
			before: []string{"migrate:1"}, then: []string{"migrate:2"},
		},
		"with a hook": {
			files: func(image string) files {
				return with(plain(image), files{"smoke.yaml": hook("PostSync", "smoke", "smoke:1")})
			},
			starts: true, before: []string{"migrate:1", "smoke:1"}, first: []string{"smoke:1"}, then: []string{"migrate:2", "smoke:1"},
		},
		"a chart": {
			files: chart,
			options: []option{func(spec *v1alpha1.ApplicationSpec) {
				spec.Source.Helm = &v1alpha1.ApplicationSourceHelm{ReleaseName: "shop", ValueFiles: []string{"values-prod.yaml"}, Parameters: []v1alpha1.HelmParameter{{Name: "suffix", Value: "-x"}}}
			}},
			before: []string{"migrate:1-x"}, then: []string{"migrate:2-x"},
		},
		"a kustomization": {
			files: func(image string) files {
				return with(plain(image), files{"kustomization.yaml": "resources: [migrate.yaml, settings.yaml]\n"})
			},
			options: []option{func(spec *v1alpha1.ApplicationSpec) {
				spec.Source.Kustomize = &v1alpha1.ApplicationSourceKustomize{NamePrefix: "prod-"}
			}},
			before: []string{"migrate:1"}, then: []string{"migrate:2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			app := rendered(t, one.files("migrate:1"), append([]option{native, automatedWithPrune}, one.options...)...)
			app.autoSynced().ends("Succeeded")
			app.isSeen()
			ran := one.before
			app.ran(ran...)
			if said := app.adopts(); strings.Contains(said, "Starts on merge") != one.starts {
				t.Fatal(said)
			}
			if ran = append(ran, one.first...); one.starts {
				app.autoSynced().ends("Succeeded")
			} else {
				app.notAutoSyncedAgain()
			}
			app.ran(ran...)
			app.sync(true).ends("Succeeded")
			ran = append(ran, one.first...)
			app.ran(ran...)
			app.becomes("Synced", "Healthy")
			app.commit(one.files("migrate:2"))
			app.autoSynced().ends("Succeeded")
			app.ran(append(ran, one.then...)...)
			app.becomes("Synced", "Healthy")
		})
	}
}

// TestAdoptWhatIsStuck lets it do so by the live Jobs: what has run as it is in Git does not run, what `field is immutable` has held back does.
func TestAdoptWhatIsStuck(t *testing.T) {
	of := func(image string) files {
		return files{"migrate.yaml": job("migrate", image), "seed.yaml": job("seed", "seed:1", annotations(`argocd.argoproj.io/sync-wave: "-1"`)...), "settings.yaml": settings("1")}
	}
	app := rendered(t, of("migrate:1"), native, automatedWithPrune)
	app.autoSynced().ends("Succeeded")
	app.commit(of("migrate:2"))
	app.autoSynced().ends("Failed", "field is immutable")
	app.ran("seed:1", "migrate:1")
	path := filepath.Join(app.TempDir(), "live.json")
	if err := os.WriteFile(path, app.liveJobs(), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := app.adopts("--live", path); !strings.Contains(said, "1 Job runs;") {
		t.Fatal(said)
	}
	app.autoSynced().ends("Succeeded")
	app.ran("seed:1", "migrate:1", "migrate:2")
	app.left("migrate-*", "seed")
	app.becomes("Synced", "Healthy")
}

// adopts runs the command on the Application's manifest, and applies the result. It returns what the command has said.
func (one *scenario) adopts(more ...string) string {
	one.Helper()
	binary, err := program()
	if err != nil {
		one.Fatal(err)
	}
	tools, err := renderer.Directory(filepath.Join("..", ".."))
	if err != nil {
		one.Fatal(err)
	}
	written := v1alpha1.Application{TypeMeta: metav1.TypeMeta{APIVersion: "argoproj.io/v1alpha1", Kind: "Application"}, ObjectMeta: metav1.ObjectMeta{Name: one.name}, Spec: one.spec}
	text, err := yaml.Marshal(written)
	path := filepath.Join(one.TempDir(), "application.yaml")
	if err := errors.Join(err, os.WriteFile(path, text, 0o644)); err != nil {
		one.Fatal(err)
	}
	command := exec.Command(binary, append([]string{"adopt", path, "--write", "--repository-url", one.spec.Source.RepoURL}, more...)...)
	command.Dir = one.repository
	command.Env = []string{"PATH=" + tools + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + one.TempDir()}
	said, err := command.CombinedOutput()
	if err != nil {
		one.Fatalf("%v: %s", err, said)
	}
	var changed v1alpha1.Application
	text, err = os.ReadFile(path)
	if err := errors.Join(err, yaml.UnmarshalStrict(text, &changed)); err != nil {
		one.Fatalf("%v: %s", err, text)
	}
	one.reconfigure(func(spec *v1alpha1.ApplicationSpec) { *spec = changed.Spec })
	return string(said)
}

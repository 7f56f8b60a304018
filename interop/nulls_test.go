package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The nulls that testdata/render/nulls has are printed by this helm and this kustomize as the files next to them say: one for each version of helm,
// and one for all of kustomize. The table in crates/kube-jobs/src/argocd/shipped.rs agrees with these files.
func TestNullsOfTheTools(t *testing.T) {
	dir := os.Getenv("TOOLS")
	if dir == "" {
		t.Skip("TOOLS does not name the directory with helm and kustomize")
	}
	nulls := filepath.Join("..", "testdata", "render", "nulls")
	run := func(tool string, arguments ...string) string {
		t.Helper()
		printed, err := exec.Command(filepath.Join(dir, tool), arguments...).Output()
		if err != nil {
			t.Fatal(tool, err)
		}
		return string(printed)
	}
	version := strings.TrimPrefix(run("helm", "version", "--template", "{{.Version}}"), "v")
	for wanted, printed := range map[string]string{
		"helm-" + version + ".yaml": run("helm", "template", "nulls", filepath.Join(nulls, "chart")),
		"kustomize.yaml":            run("kustomize", "build", filepath.Join(nulls, "kustomization")),
	} {
		known, err := os.ReadFile(filepath.Join(nulls, wanted))
		if err != nil {
			t.Fatal(err)
		}
		if printed != string(known) {
			t.Errorf("%s: printed\n%s", wanted, printed)
		}
	}
}

package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// applicationCase is a case of testdata/applications.yaml.
type applicationCase struct {
	Name string `json:"name"`
	// Application is the text of an Application, in which {url} stands for the URL of the repository.
	Application string `json:"application"`
	// Files and Links are what the repository has besides the fixtures, path → text or target.
	Files map[string]string `json:"files"`
	Links map[string]string `json:"links"`
	// Type is Argo CD's name for the type of the source.
	Type string `json:"type"`
	// Says is part of what Argo CD says when it refuses, Message part of what the program says; both are empty where neither does.
	Says    string `json:"says"`
	Message string `json:"message"`
}

// `generate --application` gives the objects that Argo CD's own code gives for the Application, in the same order, or both refuse: those
// that Argo CD renders itself, and those that the plugin renders behind argocd-cmp-server.
func TestAnApplicationIsRenderedAsArgoCDRendersIt(t *testing.T) {
	tools(t)
	text, err := os.ReadFile(filepath.Join("testdata", "applications.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []applicationCase
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		t.Fatal(err)
	}
	level := logrus.GetLevel()
	logrus.SetLevel(logrus.PanicLevel)
	t.Cleanup(func() { logrus.SetLevel(level) })
	startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	for _, one := range cases {
		t.Run(one.Name, func(t *testing.T) {
			root := one.repository(t)
			url := "file://" + root
			manifest := strings.ReplaceAll(one.Application, "{url}", url)
			theirs, types, refusal := byArgoCD(server, manifest)
			if refusal == nil && (one.Says != "" || !slices.Equal(types, []string{one.Type})) {
				t.Fatalf("Argo CD renders it as %v: %v", types, names(theirs))
			} else if refusal != nil && (one.Says == "" || !strings.Contains(refusal.Error(), one.Says)) {
				t.Fatalf("Argo CD says: %v", refusal)
			}
			ours := generated(t, root, manifest)
			said := string(ours.stderr)
			switch {
			case refusal != nil && ours.err == nil:
				t.Fatalf("Argo CD refuses it, the program does not: %v\n%s", refusal, ours.stdout)
			case refusal != nil && (one.Message == "" || !strings.Contains(said, one.Message)):
				t.Fatalf("the program says: %s", said)
			case refusal != nil:
				return
			case ours.err != nil:
				t.Fatalf("the program refuses it, Argo CD does not: %s", said)
			}
			objects, err := argocd.Decode(ours.stdout)
			if err != nil {
				t.Fatal(err)
			}
			sameInOrder(t, theirs, objects)
		})
	}
}

// repository is a Git repository with the fixtures and what the case adds.
func (one applicationCase) repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join("testdata", "render", "repos", "main"))); err != nil {
		t.Fatal(err)
	}
	write(t, root, one.Files)
	for path, target := range one.Links {
		if err := os.Symlink(target, filepath.Join(root, path)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, root)
	return root
}

// byArgoCD is what Argo CD makes of an Application.
func byArgoCD(server *argocd.RepoServer, manifest string) ([]*unstructured.Unstructured, []string, error) {
	var application v1alpha1.Application
	// Not at once: with a type at hand the library makes texts of numbers.
	text, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(text, &application); err != nil {
		return nil, nil, err
	}
	return server.GenerateOf(context.Background(), &application)
}

// generated is what the program makes of an Application in a clone of its repository, with what Argo CD knows of the cluster and the commit.
func generated(t *testing.T, root, manifest string) outcome {
	t.Helper()
	dir := t.TempDir()
	clone, file, tmp := filepath.Join(dir, "clone"), filepath.Join(dir, "application.yaml"), filepath.Join(dir, "tmp")
	if err := os.WriteFile(file, []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		command := exec.Command("git", args...)
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("clone", "-q", "file://"+root, clone)
	revision := git("-C", clone, "rev-parse", "HEAD")
	return invocation{
		dir: clone, args: []string{"generate", "--application", file, "--argocd-namespace", argocd.ControlNamespace, "--allow-empty"},
		env: []string{"TMPDIR=" + tmp, "KUBE_VERSION=1.34.2", "ARGOCD_APP_REVISION=" + revision, "ARGOCD_ENV_ARGOCD_JOBS_STRATEGY=replace"},
	}.do(t)
}

// sameInOrder fails where the objects are not the same, in the same order.
func sameInOrder(t *testing.T, wanted, found []*unstructured.Unstructured) {
	t.Helper()
	texts := func(objects []*unstructured.Unstructured) []string {
		var all []string
		for _, object := range objects {
			text, err := object.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, strings.TrimSpace(string(text)))
		}
		return all
	}
	ours, theirs := texts(found), texts(wanted)
	if len(theirs) == 0 || !slices.Equal(ours, theirs) {
		t.Fatal(fmt.Sprintf("the program gives\n%s\nand Argo CD\n%s", strings.Join(ours, "\n"), strings.Join(theirs, "\n")))
	}
}

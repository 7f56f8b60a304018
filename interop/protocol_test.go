package interop_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const migration = `apiVersion: batch/v1
kind: Job
metadata:
  name: NAME
spec:
  template:
    spec:
      containers:
        - {name: migrate, image: "shop/migrate:1"}
      restartPolicy: Never
`

const gate = `apiVersion: batch/v1
kind: Job
metadata:
  name: NAME
  annotations:
    argocd.argoproj.io/hook: PreSync
spec:
  template:
    spec:
      containers:
        - {name: gate, image: "shop/gate:1"}
      restartPolicy: Never
`

// shop is a repository with one Application that has an ordinary Job, one in a list, and no hook.
var shop = map[string]string{
	"README.md":              "# Shop\n",
	"apps/shop/migrate.yaml": named(migration, "migrate"),
	"apps/shop/config.yaml":  named(ordinary, "config") + "data:\n  on: off\n  mode: 0644\n---\n" + named(ordinary, "more"),
	"apps/shop/list.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: s}\n- apiVersion: batch/v1\n  kind: Job\n" +
		"  metadata: {name: seed}\n  spec: {template: {spec: {restartPolicy: Never, containers: [{name: seed, image: shop/seed}]}}}\n",
}

// committed is a Git repository with these files, and its URL.
func committed(t *testing.T, tree map[string]string) (root, url string) {
	t.Helper()
	root = t.TempDir()
	write(t, root, tree)
	commit(t, root)
	return root, "file://" + root
}

func commit(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "t"}} {
		command := exec.Command("git", args...)
		command.Dir = root
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

func repoServer(t *testing.T, options argocd.RepoServerOptions) *argocd.RepoServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "repos")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The repo-server takes all permissions from what it has checked out.
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if entry != nil && entry.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
		_ = os.RemoveAll(dir)
	})
	// Since 3.5 this script of Argo CD's image is asked about the signature of each commit; here there is none.
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "git-verify-wrapper.sh"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	server, err := argocd.NewRepoServer(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// byName is an Application that names the plugin.
func byName(url, path string) argocd.Application {
	application := native(url, path)
	application.Source.Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "argocd-jobs"}
	return application
}

// native is the same Application before it was moved to the plugin.
func native(url, path string) argocd.Application {
	return argocd.Application{
		Name: "shop", Namespace: "shop-live", RepoURL: url, APIVersions: []string{"batch/v1", "batch/v1/Job", "v1"},
		Source: v1alpha1.ApplicationSource{RepoURL: url, Path: path, TargetRevision: "HEAD"},
	}
}

func generate(t *testing.T, server *argocd.RepoServer, application argocd.Application) []*unstructured.Unstructured {
	t.Helper()
	objects, _, err := server.Generate(context.Background(), application)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// sameButJobs fails where the objects of the plugin are not those of the native source with rewritten Jobs, and
// gives the number of hashes it has compared.
func sameButJobs(t *testing.T, before, after []*unstructured.Unstructured) int {
	t.Helper()
	pairs, err := match(before, after)
	if err != nil {
		t.Fatal(err)
	}
	hashes := 0
	for _, each := range pairs {
		for _, fault := range each.faults() {
			t.Errorf("%s: %s", each.before.GetName(), fault)
		}
		checked, fault := each.hashFault(hashv1.Extra{})
		if fault != "" {
			t.Error(fault)
		}
		if checked {
			hashes++
		}
	}
	return hashes
}

func names(objects []*unstructured.Unstructured) []string {
	var out []string
	for _, object := range objects {
		out = append(out, object.GetKind()+"/"+object.GetName()+object.GetGenerateName())
	}
	return out
}

func TestAnApplicationThatNamesThePluginGetsItsDirectoryWithRewrittenJobs(t *testing.T) {
	one := startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	_, url := committed(t, shop)

	after, kind, err := server.Generate(context.Background(), byName(url, "apps/shop"))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "Plugin" {
		t.Errorf("the source type is %q", kind)
	}
	if log := one.log(t); !regexp.MustCompile(`msg="Plugin command successful".* stderr="application=\S+ source=directory jobs=2 strategies=hash-name:2 seconds=0\.\d+\\n"`).MatchString(log) {
		t.Errorf("the log does not say what was rendered:\n%s", log)
	}
	before, kind, err := server.Generate(context.Background(), native(url, "apps/shop"))
	if err != nil || kind != "Directory" {
		t.Fatalf("without a name: %s %v", kind, err)
	}
	if hashes := sameButJobs(t, before, after); hashes != 2 {
		t.Errorf("%d Jobs with a hash: %v", hashes, names(after))
	}
	// Without a discover rule nobody else gets the plugin.
	if got := names(before); !slices.Contains(got, "Job/migrate") || !slices.Contains(got, "Job/seed") {
		t.Errorf("an Application that does not name the plugin gets %v", got)
	}
}

func TestResourceTrackingChangesNothingAboutARewrittenJob(t *testing.T) {
	startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	_, url := committed(t, shop)
	plain := generate(t, server, byName(url, "apps/shop"))
	for _, method := range []v1alpha1.TrackingMethod{v1alpha1.TrackingMethodAnnotation, v1alpha1.TrackingMethodLabel, v1alpha1.TrackingMethodAnnotationAndLabel} {
		application := byName(url, "apps/shop")
		application.LabelKey, application.TrackingMethod = "app.kubernetes.io/instance", method
		tracked := generate(t, server, application)
		if !slices.Equal(names(tracked), names(plain)) {
			t.Errorf("%s: %v instead of %v", method, names(tracked), names(plain))
		}
		for _, object := range tracked {
			if !isJob(object) {
				continue
			}
			if err := acceptable(object, nil); err != nil {
				t.Errorf("%s: Kubernetes refuses it: %v", method, err)
			}
			written := object.GetAnnotations()[hashv1.AnnotationName]
			if written == "" || object.GetLabels()[hashv1.AnnotationName] != written {
				t.Errorf("%s: the written name is %q, its label %q", method, written, object.GetLabels()[hashv1.AnnotationName])
			}
		}
	}
}

func TestATriggerComesWithHooksAndIsNotSharedBetweenSources(t *testing.T) {
	startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	_, url := committed(t, map[string]string{
		"a/gate.yaml": named(gate, "gate"), "b/gate.yaml": named(gate, "gate"), "c/migrate.yaml": named(migration, "migrate"),
	})
	seen := map[string]bool{}
	for _, path := range []string{"a", "b"} {
		// An Application outside the control namespace.
		application := byName(url, path)
		application.Name = "team_shop"
		objects := generate(t, server, application)
		for _, fault := range triggerFaults(objects, true, "shop") {
			t.Error(fault)
		}
		name := objects[len(objects)-1].GetName()
		if !strings.HasPrefix(name, "team-shop-job-hooks-") || seen[name] {
			t.Errorf("the trigger of %s is called %q", path, name)
		}
		seen[name] = true
		again := generate(t, server, application)
		if !slices.Equal(names(again), names(objects)) || differences(nil, any(again[1].Object), any(objects[1].Object)) != nil {
			t.Errorf("the second time it is %v", again[1].Object)
		}
	}
	for _, fault := range triggerFaults(generate(t, server, byName(url, "c")), false, "shop") {
		t.Error(fault)
	}
}

func TestManyApplicationsAtOnceGetTheirOwnManifests(t *testing.T) {
	one := startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	tree := map[string]string{}
	for i := range 8 {
		tree[fmt.Sprintf("app%d/job.yaml", i)] = named(migration, fmt.Sprintf("job%d", i))
	}
	_, url := committed(t, tree)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			objects, _, err := server.Generate(context.Background(), byName(url, fmt.Sprintf("app%d", i)))
			if err != nil || len(objects) != 1 || !strings.HasPrefix(objects[0].GetName(), fmt.Sprintf("job%d-", i)) {
				t.Errorf("application %d: %v %v", i, names(objects), err)
			}
		})
	}
	all.Wait()
	if left := one.leftovers(t); len(left) > 0 {
		t.Errorf("files stay: %v", left)
	}
}

func TestLinksInTheRepositoryAreFollowedWhateverPartOfItIsSent(t *testing.T) {
	startSidecar(t, plugin(t, nil))
	_, url := committed(t, map[string]string{
		"apps/shared/migrate.yaml": named(migration, "migrate"), "apps/shop/migrate.yaml": "-> ../shared/migrate.yaml", "other/x.yaml": named(ordinary, "x"),
	})
	before := generate(t, repoServer(t, argocd.RepoServerOptions{}), native(url, "apps/shop"))
	for name, sent := range map[string]struct {
		options argocd.RepoServerOptions
		paths   string
	}{
		"the whole repository":        {},
		"no Git files":                {options: argocd.RepoServerOptions{TarExclusions: []string{".git", ".git/*"}}},
		"paths that have the root":    {argocd.RepoServerOptions{ManifestGeneratePaths: true}, "/apps/shop;/other"},
		"paths below a common folder": {argocd.RepoServerOptions{ManifestGeneratePaths: true}, ".;../shared"},
	} {
		t.Run(name, func(t *testing.T) {
			application := byName(url, "apps/shop")
			application.Annotations = map[string]string{v1alpha1.AnnotationKeyManifestGeneratePaths: sent.paths}
			after, _, err := repoServer(t, sent.options).Generate(context.Background(), application)
			if err != nil {
				t.Fatal(err)
			}
			if sameButJobs(t, before, after) != 1 {
				t.Errorf("%v", names(after))
			}
		})
	}
}

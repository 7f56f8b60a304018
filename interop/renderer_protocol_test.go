package interop_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/renderer"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// kept are parameters under which no object is changed or added.
func kept(more ...v1alpha1.ApplicationSourcePluginParameter) *v1alpha1.ApplicationSourcePlugin {
	return &v1alpha1.ApplicationSourcePlugin{Name: "argocd-jobs", Parameters: append(v1alpha1.ApplicationSourcePluginParameters{text("strategy", "keep"), text("trigger", "false")}, more...)}
}

// fixtures is a Git repository with the repository of the rendered cases, and its URL.
func fixtures(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join("testdata", "render", "repos", "main"))); err != nil {
		t.Fatal(err)
	}
	commit(t, root)
	return "file://" + root
}

// helmRepository serves a chart of the fixtures as a Helm repository does.
func helmRepository(t *testing.T, chart, name, version string) string {
	t.Helper()
	dir, file := t.TempDir(), name+"-"+version+".tgz"
	copied := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(copied, os.DirFS(filepath.Join("testdata", "render", "repos", "main", chart))); err != nil {
		t.Fatal(err)
	}
	if err := renderer.Pack(copied, filepath.Join(dir, file)); err != nil {
		t.Fatal(err)
	}
	index := "apiVersion: v1\nentries:\n  " + name + ":\n  - {apiVersion: v2, name: " + name + ", version: " + version + ", urls: [" + file + "]}\n"
	if err := os.WriteFile(filepath.Join(dir, "index.yaml"), []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL
}

// sameObjects fails where two readings are not the same, object by object.
func sameObjects(t *testing.T, before, after []*unstructured.Unstructured) {
	t.Helper()
	if len(before) == 0 || !slices.Equal(names(before), names(after)) {
		t.Fatalf("%v instead of %v", names(after), names(before))
	}
	for i := range before {
		for _, found := range differences(nil, any(before[i].Object), any(after[i].Object)) {
			t.Errorf("%s: %s", before[i].GetName(), found)
		}
	}
}

// both are an Application's objects by Argo CD itself and by the plugin.
func both(t *testing.T, server *argocd.RepoServer, native argocd.Application, plugin *v1alpha1.ApplicationSourcePlugin) (before, after []*unstructured.Unstructured) {
	t.Helper()
	before = generate(t, server, native)
	native.Source.Helm, native.Source.Kustomize, native.Source.Plugin = nil, nil, plugin
	after, kind, err := server.Generate(context.Background(), native)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "Plugin" {
		t.Errorf("the source type is %q", kind)
	}
	return before, after
}

func TestAChartOfAHelmRepositoryIsRenderedAsArgoCDDoes(t *testing.T) {
	tools(t)
	one := startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	url := helmRepository(t, "charts/shop", "shop", "1.2.3")
	application := argocd.Application{
		Name: "team_shop", Namespace: "shop-live", RepoURL: url, APIVersions: []string{"monitoring.coreos.com/v1"},
		Source: v1alpha1.ApplicationSource{RepoURL: url, Chart: "shop", TargetRevision: "1.2.3", Helm: &v1alpha1.ApplicationSourceHelm{
			ValueFiles: []string{"values-prod.yaml", "/env/a.yaml"}, Parameters: []v1alpha1.HelmParameter{{Name: "str", Value: "$ARGOCD_APP_NAME at $ARGOCD_APP_REVISION in <$ARGOCD_APP_SOURCE_PATH>"}},
		}},
	}
	// A package is unpacked without the hidden files of its directory being known to Git: the chart is the root.
	block := text("helm", "valueFiles: [values-prod.yaml, /env/a.yaml]\nparameters:\n- {name: str, value: $ARGOCD_APP_NAME at $ARGOCD_APP_REVISION in <$ARGOCD_APP_SOURCE_PATH>}\n")
	before, after := both(t, server, application, kept(block))
	sameObjects(t, before, after)
	typed := kept(list("helm-value-files", "values-prod.yaml", "/env/a.yaml"),
		mapping("helm-parameters", map[string]string{"str": "$ARGOCD_APP_NAME at $ARGOCD_APP_REVISION in <$ARGOCD_APP_SOURCE_PATH>"}))
	_, after = both(t, server, application, typed)
	sameObjects(t, before, after)

	// Its Jobs are rewritten by default.
	_, after = both(t, server, application, &v1alpha1.ApplicationSourcePlugin{Name: "argocd-jobs", Parameters: v1alpha1.ApplicationSourcePluginParameters{block}})
	if sameButJobs(t, before, after) == 0 {
		t.Errorf("no Job is rewritten: %v", names(after))
	}
	if left := one.leftovers(t); len(left) > 0 {
		t.Errorf("files stay: %v", left)
	}
}

func TestSourcesInGitComeThroughTheProtocolAsArgoCDRendersThem(t *testing.T) {
	tools(t)
	one := startSidecar(t, plugin(t, nil), "ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS=--enable-helm")
	server := repoServer(t, argocd.RepoServerOptions{})
	url := fixtures(t)
	for name, source := range map[string]struct {
		path   string
		change func(*v1alpha1.ApplicationSource)
		plugin *v1alpha1.ApplicationSourcePlugin
	}{
		"a chart":                               {path: "charts/shop", plugin: kept()},
		"a chart whose dependency is beside it": {path: "charts/umbrella", plugin: kept()},
		"a chart by a value file of the repository": {"charts/shop",
			func(source *v1alpha1.ApplicationSource) {
				source.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"/other/values.yaml"}}
			},
			kept(list("helm-value-files", "/other/values.yaml"))},
		"a kustomization": {path: "kust/generators", plugin: kept()},
		"a kustomization with fields": {"kust/overlay",
			func(source *v1alpha1.ApplicationSource) {
				source.Kustomize = &v1alpha1.ApplicationSourceKustomize{NamePrefix: "x-", Images: v1alpha1.KustomizeImages{"nginx:$ARGOCD_APP_REVISION_SHORT"}, Components: []string{"../comp1"}}
			},
			kept(text("kustomize", "{namePrefix: x-, components: [../comp1]}"), list("kustomize-images", "nginx:$ARGOCD_APP_REVISION_SHORT"))},
	} {
		t.Run(name, func(t *testing.T) {
			application := native(url, source.path)
			if source.change != nil {
				source.change(&application.Source)
			}
			before, after := both(t, server, application, source.plugin)
			sameObjects(t, before, after)
			// For a source hydrator there is no cluster.
			application.Hydrated = true
			before, after = both(t, server, application, source.plugin)
			sameObjects(t, before, after)
		})
	}
	if left := one.leftovers(t); len(left) > 0 {
		t.Errorf("files stay: %v", left)
	}
}

// Argo CD puts the block into the source before it asks the plugin.
func TestASourceFileWithABlockOfHelmIsRefusedByArgoCDItself(t *testing.T) {
	tools(t)
	startSidecar(t, plugin(t, nil))
	application := native(fixtures(t), "charts/overridden")
	application.Source.Plugin = kept()
	_, _, err := repoServer(t, argocd.RepoServerOptions{}).Generate(context.Background(), application)
	if err == nil || !strings.Contains(err.Error(), "multiple application sources defined: Helm,Plugin") {
		t.Errorf("%v", err)
	}
}

func TestTheUIShowsWhatTheToolsSay(t *testing.T) {
	tools(t)
	one := startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	url := fixtures(t)
	for path, says := range map[string]string{
		"charts/broken": "the chart says no: $(x)", "charts/locked": "Chart.lock", "kust/two": "Found multiple kustomization files", "kust/outside": "is not in or below",
	} {
		application := byName(url, path)
		_, _, err := server.Generate(context.Background(), application)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), one.work) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestTheUIIsOfferedTheParametersOfItsSource(t *testing.T) {
	tools(t)
	startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	url := fixtures(t)
	for path, prefix := range map[string]string{"charts/shop": "helm-", "kust/overlay": "kustomize-", "plain": ""} {
		announced, err := server.Announcements(context.Background(), byName(url, path))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, one := range announced {
			switch {
			case prefix != "" && strings.HasPrefix(one.Name, prefix):
				found++
			case strings.HasPrefix(one.Name, "helm") || strings.HasPrefix(one.Name, "kustomize"):
				if one.Name+"-" != prefix {
					t.Errorf("%s: %s is offered", path, one.Name)
				}
			}
		}
		if (found > 0) != (prefix != "") {
			t.Errorf("%s: %d parameters are called %s…", path, found, prefix)
		}
	}
}

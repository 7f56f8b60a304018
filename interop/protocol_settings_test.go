package interop_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func text(name, value string) v1alpha1.ApplicationSourcePluginParameter {
	return v1alpha1.ApplicationSourcePluginParameter{Name: name, String_: &value}
}

func list(name string, items ...string) v1alpha1.ApplicationSourcePluginParameter {
	return v1alpha1.ApplicationSourcePluginParameter{Name: name, OptionalArray: &v1alpha1.OptionalArray{Array: items}}
}

func mapping(name string, items map[string]string) v1alpha1.ApplicationSourcePluginParameter {
	return v1alpha1.ApplicationSourcePluginParameter{Name: name, OptionalMap: &v1alpha1.OptionalMap{Map: items}}
}

// needsParameters skips a test for a program that takes no settings from Argo CD yet.
func needsParameters(t *testing.T) {
	t.Helper()
	if (invocation{dir: t.TempDir(), args: []string{"parameters"}}).do(t).err != nil {
		t.Skip("the program announces no parameters")
	}
}

// theMigration is the Job called migrate, however it is written.
func theMigration(t *testing.T, objects []*unstructured.Unstructured) argocd.Meaning {
	t.Helper()
	for _, object := range objects {
		if isJob(object) && strings.HasPrefix(object.GetName()+object.GetGenerateName(), "migrate") {
			return argocd.Means(object)
		}
	}
	t.Fatalf("no Job migrate in %v", names(objects))
	return argocd.Meaning{}
}

func TestParametersOfAnApplicationReachTheProgramInEveryWayArgoCDPassesThem(t *testing.T) {
	needsParameters(t)
	tree := map[string]string{".argocd-jobs.yaml": "strategy: replace\n"}
	for path, text := range shop {
		tree[path] = text
	}
	tree["apps/shop/.argocd-jobs.yaml"] = "hook: PostSync\n"
	_, url := committed(t, tree)
	// The owner of the platform sets a default in the sidecar.
	startSidecar(t, plugin(t, nil), "ARGOCD_JOBS_STRATEGY=hook")
	server := repoServer(t, argocd.RepoServerOptions{})
	for name, set := range map[string]struct {
		parameters v1alpha1.ApplicationSourcePluginParameters
		env        v1alpha1.Env
		types      []string
		name       string
	}{
		"nothing: the sidecar and the config file count": {types: []string{"PostSync"}, name: "migrate"},
		"plugin.env is stronger than the config file": {
			env: v1alpha1.Env{{Name: "ARGOCD_JOBS_HOOK", Value: "PreSync"}}, types: []string{"PreSync"}, name: "migrate"},
		"plugin.env may use what Argo CD expands": {
			env:   v1alpha1.Env{{Name: "ARGOCD_JOBS_HOOK", Value: "PreSync"}, {Name: "ARGOCD_JOBS_RERUN", Value: "$ARGOCD_APP_REVISION"}},
			types: []string{"PreSync"}, name: "migrate"},
		"a parameter is stronger than plugin.env": {
			env:        v1alpha1.Env{{Name: "ARGOCD_JOBS_HOOK", Value: "PreSync"}},
			parameters: v1alpha1.ApplicationSourcePluginParameters{text("hook", "SyncFail")}, types: []string{"SyncFail"}, name: "migrate"},
		"lists and maps": {
			parameters: v1alpha1.ApplicationSourcePluginParameters{list("hook", "PreSync", "PostSync"), list("strip-template-labels", "helm.sh/chart"), mapping("baseline", map[string]string{"other": "fg6t5fhk55"})},
			types:      []string{"PostSync", "PreSync"}, name: "migrate"},
		"a strategy": {parameters: v1alpha1.ApplicationSourcePluginParameters{text("strategy", "replace"), text("hook", "Sync")}, types: []string{}, name: "migrate"},
	} {
		t.Run(name, func(t *testing.T) {
			application := byName(url, "apps/shop")
			application.Source.Plugin.Parameters, application.Source.Plugin.Env = set.parameters, set.env
			means := theMigration(t, generate(t, server, application))
			if !slices.Equal(means.Types, set.types) || means.Name != set.name {
				t.Errorf("%+v", means)
			}
		})
	}
}

func TestAParameterThatIsNotUnderstoodIsAnErrorThatNamesIt(t *testing.T) {
	needsParameters(t)
	startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	_, url := committed(t, shop)
	for _, parameter := range []v1alpha1.ApplicationSourcePluginParameter{text("stratgy", "hook"), text("strategy", "hok"), list("ttl", "1", "2"), mapping("strategy", map[string]string{"a": "b"})} {
		application := byName(url, "apps/shop")
		application.Source.Plugin.Parameters = v1alpha1.ApplicationSourcePluginParameters{parameter}
		_, _, err := server.Generate(context.Background(), application)
		if err == nil || !strings.Contains(err.Error(), parameter.Name) {
			t.Errorf("%+v: %v", parameter, err)
		}
	}
}

func TestTheUIIsOfferedEveryParameterAndSettingItsDefaultChangesNothing(t *testing.T) {
	needsParameters(t)
	startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	tree := map[string]string{"apps/shop/gate.yaml": named(gate, "gate")}
	for path, text := range shop {
		tree[path] = text
	}
	_, url := committed(t, tree)
	announced, err := server.Announcements(context.Background(), byName(url, "apps/shop"))
	if err != nil {
		t.Fatal(err)
	}
	var fromFile struct {
		Spec struct {
			Parameters struct {
				Static []*apiclient.ParameterAnnouncement
			}
		}
	}
	file, err := os.ReadFile("../plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(file, &fromFile); err != nil {
		t.Fatal(err)
	}
	// The UI takes the first announcement of a name.
	first := map[string]*apiclient.ParameterAnnouncement{}
	for _, one := range announced {
		if first[one.Name] == nil {
			first[one.Name] = one
		}
	}
	for _, one := range fromFile.Spec.Parameters.Static {
		if got, _ := json.Marshal(first[one.Name]); string(got) != string(must(json.Marshal(one))) {
			t.Errorf("the file announces %+v, the program %s", one, got)
		}
	}
	if len(first) == 0 || len(first) != len(fromFile.Spec.Parameters.Static) {
		t.Errorf("%d parameters are announced, %d in the file", len(first), len(fromFile.Spec.Parameters.Static))
	}
	plain := generate(t, server, byName(url, "apps/shop"))
	for name, one := range first {
		application := byName(url, "apps/shop")
		parameter := text(name, one.String_)
		switch one.CollectionType {
		case "array":
			parameter = list(name, one.Array...)
		case "map":
			parameter = mapping(name, one.Map)
		}
		application.Source.Plugin.Parameters = v1alpha1.ApplicationSourcePluginParameters{parameter}
		after, _, err := server.Generate(context.Background(), application)
		if err != nil {
			t.Errorf("the default of %s, %+v, is refused: %v", name, one, err)
			continue
		}
		if diffs := changed(plain, after); len(diffs) > 0 {
			t.Errorf("the default of %s changes %v", name, diffs)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// changed compares two readings object by object.
func changed(before, after []*unstructured.Unstructured) []difference {
	if len(before) != len(after) {
		return []difference{{nil, names(before), names(after)}}
	}
	var out []difference
	for i := range before {
		out = append(out, differences([]string{before[i].GetName()}, any(before[i].Object), any(after[i].Object))...)
	}
	return out
}

func TestWithADiscoverRuleMatchingApplicationsAreTakenOverWithoutNamingThePlugin(t *testing.T) {
	needsParameters(t)
	for name, discover := range map[string]map[string]any{
		"a file name":        {"fileName": ".argocd-jobs.yaml"},
		"a glob":             {"find": map[string]any{"glob": "**/.argocd-jobs.yaml"}},
		"our own subcommand": {"find": map[string]any{"command": []any{program(t), "discover"}}},
	} {
		t.Run(name, func(t *testing.T) {
			startSidecar(t, plugin(t, func(spec map[string]any) { spec["discover"] = discover }))
			server := repoServer(t, argocd.RepoServerOptions{})
			_, url := committed(t, map[string]string{
				"with/.argocd-jobs.yaml": "hook: PostSync\n", "with/job.yaml": named(migration, "migrate"), "without/job.yaml": named(migration, "migrate"),
			})
			application := native(url, "with")
			objects, kind, err := server.Generate(context.Background(), application)
			if err != nil {
				t.Fatal(err)
			}
			if means := theMigration(t, objects); kind != "Plugin" || means.Name == "migrate" {
				t.Errorf("%s, %+v", kind, means)
			}
			if objects, kind, err = server.Generate(context.Background(), native(url, "without")); err != nil {
				t.Fatal(err)
			}
			if means := theMigration(t, objects); kind != "Directory" || means.Name != "migrate" {
				t.Errorf("%s, %+v", kind, means)
			}
			// Named and matching; named and not matching, which Argo CD refuses.
			if means := theMigration(t, generate(t, server, byName(url, "with"))); means.Name == "migrate" {
				t.Errorf("%+v", means)
			}
			if _, _, err = server.Generate(context.Background(), byName(url, "without")); err == nil || !strings.Contains(err.Error(), "could not find cmp-server plugin") {
				t.Errorf("named, but the rule does not match: %v", err)
			}
		})
	}
}

// caseRepositories are the inputs of all golden cases that are a directory and `generate`, each a repository.
func caseRepositories(t *testing.T) (roots []string) {
	t.Helper()
	dir := t.TempDir()
	for _, one := range goldenCases(t) {
		in := filepath.Join(one.dir, "in")
		odd := len(one.env) > 0 || len(one.settings) > 0 || !slices.Equal(one.args, []string{"generate"}) || one.stdin != ""
		if info, err := os.Stat(in); err != nil || !info.IsDir() || odd || linked(t, in) {
			continue
		}
		root := filepath.Join(dir, one.name)
		if err := os.CopyFS(filepath.Join(root, "app"), os.DirFS(in)); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		roots = append(roots, root)
	}
	return roots
}

// linked reports whether a tree has something that stands for the repository around it: links, Git's own files, nothing at all.
func linked(t *testing.T, dir string) bool {
	t.Helper()
	files := 0
	odd := false
	err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			files++
		}
		odd = odd || entry.Name() == ".git" || !entry.IsDir() && !entry.Type().IsRegular()
		return nil
	})
	return err != nil || odd || files == 0
}

func TestEveryGoldenCaseComesThroughTheProtocolAsItDoesAtTheCommandLine(t *testing.T) {
	one := startSidecar(t, plugin(t, nil))
	manifests, messages := 0, 0
	for _, root := range caseRepositories(t) {
		path := filepath.Base(root)
		application := byName("file://"+root, "app")
		direct := invocation{dir: filepath.Join(root, "app"), args: []string{"generate"}, env: []string{
			"ARGOCD_APP_NAME=shop", "ARGOCD_APP_NAMESPACE=shop-live", "ARGOCD_APP_SOURCE_REPO_URL=file://" + root, "ARGOCD_APP_SOURCE_PATH=app",
		}}.do(t)
		objects, err := argocd.GenerateFrom(context.Background(), root, application)
		if direct.err != nil {
			messages++
			if len(direct.stdout) > 0 {
				t.Errorf("%s: refused, with something on standard output", path)
			}
			wanted := "CMP processing failed for application \"shop\": error generating manifests in cmp: rpc error: code = Unknown desc = " +
				"error generating manifests: `" + program(t) + " generate --summary` failed exit status 2: " + strings.TrimSpace(string(direct.stderr))
			if err == nil || err.Error() != wanted {
				t.Errorf("%s: the UI shows\n%v\nand not\n%s", path, err, wanted)
			}
			continue
		}
		manifests++
		expected, decoded := argocd.Decode(direct.stdout)
		if err != nil || decoded != nil {
			t.Errorf("%s: %v, %v", path, err, decoded)
			continue
		}
		if diffs := changed(expected, objects); len(diffs) > 0 {
			t.Errorf("%s: %v", path, diffs)
		}
	}
	if manifests == 0 || messages == 0 || strings.Contains(one.log(t), "panic") {
		t.Errorf("%d cases with manifests, %d with messages", manifests, messages)
	}
	t.Logf("%d cases with manifests, %d with messages", manifests, messages)
}

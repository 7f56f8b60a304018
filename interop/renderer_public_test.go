package interop_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/renderer"
	"sigs.k8s.io/yaml"
)

var public = flag.String("public", "", "a directory with the charts and kustomizations of testdata/public.yaml (go run ./cmd/public DIR)")

// publicSource is one entry of public.yaml: the files that it needs are in a folder of its name, the Application is at Path in them.
type publicSource struct {
	Name, Path, App, Namespace, KubeVersion string
	Helm, Kustomize                         any
}

// Charts and kustomizations that others have written give the same objects as in Argo CD, by the same commands. Only the list of them is in
// this repository.
func TestPublicSourcesAreWhatArgoCDRenders(t *testing.T) {
	dir, cases := publicCases(t)
	compareAll(t, dir, cases)
}

// publicCases are those of public.yaml, and the directory that has their files.
func publicCases(t *testing.T) (dir string, cases []renderer.Case) {
	t.Helper()
	if *public == "" {
		t.Skip("not run: charts and kustomizations of others: -public names no directory that has them (interop/README.md)")
	}
	dir, err := filepath.Abs(*public)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "public.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var sources []publicSource
	if err := yaml.Unmarshal(text, &sources); err != nil {
		t.Fatal(err)
	}
	for _, one := range sources {
		cases = append(cases, renderer.Case{
			Name: one.Name, Repo: one.Name, Path: one.Path, App: one.App, Namespace: one.Namespace, Cluster: one.KubeVersion,
			Helm: block(t, one.Helm), Kustomize: block(t, one.Kustomize), Schemes: []string{"https", "http"},
		})
	}
	return dir, cases
}

func block(t *testing.T, value any) *string {
	if value == nil {
		return nil
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	block := string(text)
	return &block
}

// corpusCases are the kustomizations and charts of the corpus, and the directory that has their files.
func corpusCases(t *testing.T) (corpus string, cases []renderer.Case) {
	t.Helper()
	corpus, err := filepath.Abs(filepath.Join("..", "testdata", "corpus", "trees"))
	if err != nil {
		t.Fatal(err)
	}
	return corpus, casesBelow(t, corpus)
}

// casesBelow are the kustomizations and charts of a directory of trees, each in a folder `tree`.
func casesBelow(t *testing.T, trees string) (cases []renderer.Case) {
	t.Helper()
	err := filepath.WalkDir(trees, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization", "Chart.yaml"}, entry.Name()) {
			return err
		}
		below, err := filepath.Rel(trees, filepath.Dir(path))
		tree, rest, _ := strings.Cut(filepath.ToSlash(below), "/tree/")
		if strings.HasSuffix(tree, "/tree") {
			tree, rest = strings.TrimSuffix(tree, "/tree"), "."
		}
		cases = append(cases, renderer.Case{
			Name: below, Repo: tree + "/tree", Path: rest, App: "shop", Namespace: "default", Cluster: "1.34.2", Schemes: []string{"https", "http"},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// The kustomizations and charts of the corpus give the same objects as in Argo CD, by the same commands; or both refuse.
func TestTheCorpusIsRenderedAsArgoCDRendersIt(t *testing.T) {
	corpus, cases := corpusCases(t)
	if len(cases) < 80 {
		t.Fatalf("the corpus has %d sources", len(cases))
	}
	if testing.Short() {
		// Every sixth: they are much alike, and each is rendered from a copy of its whole tree.
		some := cases[:0]
		for i := 0; i < len(cases); i += 6 {
			some = append(some, cases[i])
		}
		cases = some
	}
	compareAll(t, corpus, cases)
}

// compareAll renders cases whose repositories are below a directory.
func compareAll(t *testing.T, repositories string, cases []renderer.Case) {
	bench := bench(t)
	bench.Repositories = repositories
	rendered := make([]int, len(cases))
	t.Run("each", func(t *testing.T) {
		for i, one := range cases {
			t.Run(one.Name, func(t *testing.T) {
				t.Parallel()
				native, err := bench.Native(one, filepath.Join(t.TempDir(), "native"))
				if err != nil {
					t.Fatal(err)
				}
				rendered[i] = len(native.Objects)
				for _, way := range one.Ways() {
					for _, fault := range compare(bench, one, way, native, t.TempDir()) {
						t.Errorf("%s: %s", way, fault)
					}
				}
			})
		}
	})
	objects, refused := 0, 0
	for _, count := range rendered {
		objects += count
		if count == 0 {
			refused++
		}
	}
	t.Logf("%d sources, %d objects; %d give none in Argo CD either", len(cases), objects, refused)
}

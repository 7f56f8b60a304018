package interop_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"argocd-jobs.example/interop/renderer"
	"sigs.k8s.io/yaml"
)

var renders = flag.Int("renders", 2000, "how many random Applications are rendered with Helm, and as many with kustomize")

// Random combinations of all fields come out as Argo CD has them, by the same commands, or are refused by both.
func TestRandomFieldsOfHelmMeanWhatTheyMeanToArgoCD(t *testing.T) {
	randomFields(t, 1, func(from renderer.Random) renderer.Case { return from.Helm() })
}

func TestRandomFieldsOfKustomizeMeanWhatTheyMeanToArgoCD(t *testing.T) {
	randomFields(t, 2, func(from renderer.Random) renderer.Case { return from.Kustomize() })
}

func randomFields(t *testing.T, stream uint64, make func(renderer.Random) renderer.Case) {
	bench := bench(t)
	count := *renders
	if testing.Short() {
		count = min(count, 100)
	}
	var rendered, failed atomic.Int32
	atOnce(count, 2, func(i int) {
		if failed.Load() >= 20 {
			return
		}
		from := renderer.Random{Rand: rand.New(rand.NewPCG(*seed, stream<<32+uint64(i)))}
		one := make(from)
		ways := one.Ways()
		way := ways[from.IntN(len(ways))]
		faults, ok := randomCase(bench, one, way, t.TempDir())
		if ok {
			rendered.Add(1)
		}
		if len(faults) > 0 {
			failed.Add(1)
			text, _ := yaml.Marshal(one)
			t.Errorf("seed %d, number %d, %s:\n%s\n%s", *seed, i, way, strings.Join(faults, "\n"), text)
		}
	})
	t.Logf("%d of %d are rendered", rendered.Load(), count)
	if failed.Load() == 0 && int(rendered.Load())*2 <= count {
		t.Errorf("no more than %d of %d are rendered: the pool is too nasty", rendered.Load(), count)
	}
}

// randomCase says what is different, and whether Argo CD renders the case.
func randomCase(bench *renderer.Bench, one renderer.Case, way renderer.Way, dir string) ([]string, bool) {
	native, err := bench.Native(one, filepath.Join(dir, "native"))
	if err != nil {
		return []string{err.Error()}, false
	}
	faults := compare(bench, one, way, native, dir)
	if native.Refusal != nil && len(faults) > 0 {
		faults = append(faults, fmt.Sprintf("Argo CD refuses it: %v", native.Refusal))
	}
	return faults, native.Refusal == nil
}

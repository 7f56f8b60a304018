package interop_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/apiserver"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

var (
	allUpdates  = flag.String("all-updates", "", "a file to which every update is written with its verdict")
	someUpdates = flag.String("some-updates", "", "a file to which a choice of the updates is written with their verdicts")
)

// updates is the file that the program's own tests read, and how much of it a base and a path may take.
const (
	updates = "../testdata/update/pairs.jsonl"
	perPath = 2
)

// update is one line of the file: what two manifests have as their spec, and which fields Kubernetes names when it refuses to make
// the second of the first; none when it does not.
type update struct {
	Old     map[string]any `json:"old"`
	New     map[string]any `json:"new"`
	Refused []string       `json:"refused"`
}

// judge reports nothing when one of the two Jobs cannot be created at all, or has a field that is newer than this Kubernetes: no manifest
// says which version a cluster has.
func (one *update) judge() bool {
	if _, known := reflect.TypeFor[batchv1.JobSpec]().FieldByName("Scheduling"); !known && (one.Old["scheduling"] != nil || one.New["scheduling"] != nil) {
		return false
	}
	live, err := apiserver.Create(withSpec(one.Old))
	if err != nil {
		return false
	}
	if _, err := apiserver.Create(withSpec(one.New)); err != nil {
		return false
	}
	one.Refused = []string{}
	if _, err := live.Settled().Apply(withSpec(one.New)); err != nil {
		one.Refused = fieldsOf(err)
	}
	return true
}

func withSpec(spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "job"}, "spec": runtime.DeepCopyJSON(spec),
	}
}

// fieldsOf gives the first two parts of each field that a refusal names, or the refusal itself.
func fieldsOf(refused error) []string {
	var status *apierrors.StatusError
	if !errors.As(refused, &status) || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return []string{refused.Error()}
	}
	var fields []string
	for _, cause := range status.ErrStatus.Details.Causes {
		parts := strings.SplitN(cause.Field, ".", 3)
		fields = append(fields, strings.Join(parts[:min(2, len(parts))], "."))
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// mutableResources reports whether this Kubernetes lets the resources of a suspended Job change, as 1.36 does.
func mutableResources() bool {
	gate, known := utilfeature.DefaultMutableFeatureGate.GetAll()["MutablePodResourcesForSuspendedJobs"]
	return known && gate.Default
}

// The program expects what Kubernetes says; a newer one may allow more of a suspended Job.
func TestUpdateVerdictsAreThoseOfKubernetes(t *testing.T) {
	file, err := os.Open(updates)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var told update
		if err := kubejson.Unmarshal(lines.Bytes(), &told); err != nil {
			t.Fatal(err)
		}
		asked := told
		if !asked.judge() {
			t.Errorf("line %d: cannot be created", number)
		}
		newer := mutableResources() && told.Old["suspend"] == true && len(asked.Refused) == 0
		if !newer && !slices.Equal(told.Refused, asked.Refused) {
			t.Errorf("line %d: %q, and Kubernetes says %q", number, told.Refused, asked.Refused)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// Writes the files, when asked to: every value of the table in every Job to start from, there and back, and random pairs.
func TestUpdateVerdictsAreWritten(t *testing.T) {
	if *allUpdates == "" && *someUpdates == "" {
		return
	}
	all, choice := &writer{seen: map[string]bool{}}, &writer{seen: map[string]bool{}}
	table, bases := load(t)
	taken := map[string]int{}
	for _, base := range bases {
		for _, change := range table.Single() {
			if !strings.HasPrefix(change[0].Path, "spec.") {
				continue
			}
			there := update{Old: specOf(base), New: specOf(change.Apply(base))}
			back := update{Old: there.New, New: there.Old}
			for way, one := range []update{there, back} {
				if !one.judge() {
					continue
				}
				all.add(t, one)
				// Of each path, each direction and each verdict a few, and as many of a suspended Job, for which rules of
				// their own hold; the first Job to start from is the plainest.
				kind := fmt.Sprint(change[0].Path, way, one.Refused)
				if name(base) == "suspended" {
					kind += " of a suspended Job"
				}
				if taken[kind] < perPath {
					taken[kind]++
					choice.add(t, one)
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(*seed, 7))
	for made := 0; made < *pairs; {
		before := table.Random(random, 4).Apply(bases[random.IntN(len(bases))])
		one := update{Old: specOf(before), New: specOf(table.Random(random, 3).Apply(before))}
		if one.judge() {
			made++
			all.add(t, one)
		}
	}
	all.write(t, *allUpdates)
	choice.write(t, *someUpdates)
}

func specOf(job map[string]any) map[string]any {
	spec, _ := job["spec"].(map[string]any)
	return spec
}

// writer collects lines, each once.
type writer struct {
	text strings.Builder
	seen map[string]bool
}

func (out *writer) add(t *testing.T, one update) {
	t.Helper()
	line, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	if !out.seen[string(line)] {
		out.seen[string(line)] = true
		out.text.Write(append(line, '\n'))
	}
}

func (out *writer) write(t *testing.T, path string) {
	t.Helper()
	t.Logf("%d updates", len(out.seen))
	if path == "" {
		return
	}
	if err := os.WriteFile(path, []byte(out.text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

package interop_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/apiserver"
	"argocd-jobs.example/interop/mutate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// anything is what a random mutation may put in the place of any value.
var anything = []any{
	nil, true, false, int64(0), int64(1), int64(-1), int64(70000), int64(1) << 31, 1.5, "", "1", "x", "A_b", "a.b", "-", "a b", "=", "1Gi",
	"512MB", strings.Repeat("a", 64), []any{}, []any{nil}, []any{int64(1)}, []any{"x"}, []any{map[string]any{}}, map[string]any{},
	map[string]any{"a": "b"}, map[string]any{"a b": int64(1)}, map[string]any{"name": "x"},
}

// places lists every place of a value, in an order that is always the same.
func places(value any, path []any, found *[][]any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			places(value[key], append(path[:len(path):len(path)], key), found)
		}
	case []any:
		for index := range value {
			places(value[index], append(path[:len(path):len(path)], index), found)
		}
	}
	if len(path) > 1 { // not a whole `spec`
		*found = append(*found, path)
	}
}

// put writes a value at a place.
func put(into any, path []any, value any) {
	last := path[len(path)-1]
	for _, step := range path[:len(path)-1] {
		switch step := step.(type) {
		case string:
			into = into.(map[string]any)[step]
		case int:
			into = into.([]any)[step]
		}
	}
	switch step := last.(type) {
	case string:
		into.(map[string]any)[step] = value
	case int:
		into.([]any)[step] = value
	}
}

// mutilated is a Job in which something may be wrong.
func mutilated(random *rand.Rand, table, wrong *mutate.Table, bases []map[string]any) map[string]any {
	job := table.Random(random, 4).Apply(bases[random.IntN(len(bases))])
	if random.IntN(3) > 0 {
		job = wrong.Random(random, 2).Apply(job)
	}
	if random.IntN(3) > 0 {
		var all [][]any
		places(job["spec"], []any{"spec"}, &all)
		put(job, all[random.IntN(len(all))], anything[random.IntN(len(anything))])
	}
	return job
}

// Whatever `check` calls an invalid Job the API server refuses, on both ways of applying one.
func TestWhatIsCalledInvalidIsRefused(t *testing.T) {
	table, bases := load(t)
	wrong, err := mutate.LoadWrong()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(*seed, 11))
	var jobs []map[string]any
	for _, base := range bases {
		for _, change := range wrong.Single() {
			jobs = append(jobs, change.Apply(base))
		}
	}
	for range some(*pairs) {
		jobs = append(jobs, mutilated(random, table, wrong, bases))
	}
	refused, called := 0, 0
	missed := map[string]int{}
	// A report has a most of findings.
	const together = 500
	var said map[int][]string
	for number, job := range jobs {
		if number%together == 0 {
			said = calledInvalid(t, jobs[number:min(number+together, len(jobs))])
		}
		for _, way := range apiserver.Ways {
			_, err := way.Create(job)
			if told := said[number%together]; told != nil {
				called++
				if err == nil {
					text, _ := json.Marshal(job)
					t.Errorf("%s apply takes what is called invalid: %s\n  %s", way.Name, told, text)
				}
			} else if err != nil {
				missed[kindOf(err)]++
			}
			if err != nil {
				refused++
			}
		}
	}
	t.Logf("%d Jobs, %d times refused, %d of them foreseen", len(jobs), refused, called)
	kinds := slices.Collect(maps.Keys(missed))
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(missed[b]-missed[a], strings.Compare(a, b)) })
	for _, kind := range kinds[:min(25, len(kinds))] {
		t.Logf("%7d not foreseen: %s", missed[kind], kind)
	}
	if called < len(jobs)/4 {
		t.Error("too few are called invalid for the test to mean anything")
	}
}

// calledInvalid gives the messages of `invalid-job` for each Job by its number.
func calledInvalid(t *testing.T, jobs []map[string]any) map[int][]string {
	t.Helper()
	dir := t.TempDir()
	for number, job := range jobs {
		text, err := json.Marshal(job)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.json", number)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(program(t), "check", dir, "--format", "json", "--plugin=false")
	out, err := command.Output()
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1) {
		t.Fatalf("%v: %s", err, out)
	}
	var answer struct {
		Findings []struct {
			ID, Message string
			Path        string
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	said := map[int][]string{}
	for _, one := range answer.Findings {
		if one.ID != "invalid-job" {
			continue
		}
		var number int
		if _, err := fmt.Sscanf(filepath.Base(one.Path), "%d.json", &number); err != nil {
			t.Fatal(one, err)
		}
		said[number] = append(said[number], one.Message)
	}
	return said
}

// kindOf is the field of a refusal without the numbers, and what is wrong with it.
func kindOf(err error) string {
	var status *apierrors.StatusError
	if errors.As(err, &status) && status.ErrStatus.Details != nil && len(status.ErrStatus.Details.Causes) > 0 {
		cause := status.ErrStatus.Details.Causes[0]
		return string(cause.Type) + " " + strings.Map(func(letter rune) rune {
			if letter >= '0' && letter <= '9' {
				return -1
			}
			return letter
		}, cause.Field)
	}
	return fmt.Sprintf("%.60s", err)
}

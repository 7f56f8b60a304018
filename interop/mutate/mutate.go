// Package mutate makes changed copies of Jobs from a table of paths and values.
package mutate

import (
	_ "embed" // the table and the Jobs to start from
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"

	"argocd-jobs.example/interop/argocd"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

//go:embed table.yaml
var tableText []byte

//go:embed wrong.yaml
var wrongText []byte

//go:embed bases.yaml
var basesText []byte

const absent = "<absent>"

// Table is the set of mutations, in the order of their paths.
type Table struct {
	paths  []string
	values map[string][]any
}

// Load reads the table of values that a Job can have.
func Load() (*Table, error) { return read(tableText) }

// LoadWrong reads the table of values that a Job cannot have.
func LoadWrong() (*Table, error) { return read(wrongText) }

func read(table []byte) (*Table, error) {
	text, err := yaml.YAMLToJSON(table)
	if err != nil {
		return nil, err
	}
	found := &Table{}
	if err := json.Unmarshal(text, &found.values); err != nil {
		return nil, err
	}
	for path, values := range found.values {
		found.paths = append(found.paths, path)
		for i := range values {
			if err := json.ConvertInterfaceNumbers(&values[i], 0); err != nil {
				return nil, err
			}
		}
	}
	sort.Strings(found.paths)
	return found, nil
}

// Bases gives the Jobs to start from.
func Bases() ([]map[string]any, error) {
	objects, err := argocd.Decode(basesText)
	if err != nil {
		return nil, err
	}
	var jobs []map[string]any
	for _, object := range objects {
		jobs = append(jobs, object.Object)
	}
	return jobs, nil
}

// Step is one mutation: what is written where.
type Step struct {
	Path  string
	Value any
}

// Change is a list of mutations.
type Change []Step

// Single gives every mutation of the table.
func (table *Table) Single() []Change {
	var changes []Change
	for _, path := range table.paths {
		for _, value := range table.values[path] {
			changes = append(changes, Change{{path, value}})
		}
	}
	return changes
}

// Random gives up to most mutations.
func (table *Table) Random(random *rand.Rand, most int) Change {
	var change Change
	for range 1 + random.IntN(most) {
		path := table.paths[random.IntN(len(table.paths))]
		values := table.values[path]
		change = append(change, Step{path, values[random.IntN(len(values))]})
	}
	return change
}

// Apply gives a changed copy of a Job.
func (change Change) Apply(job map[string]any) map[string]any {
	job = runtime.DeepCopyJSON(job)
	for _, step := range change {
		set(job, strings.Split(step.Path, "."), step.Value)
	}
	return job
}

// String describes a change in one line.
func (change Change) String() string {
	var out []string
	for _, step := range change {
		text, _ := json.Marshal(step.Value)
		out = append(out, fmt.Sprintf("%s=%s", step.Path, text))
	}
	return strings.Join(out, " ")
}

// set writes a value at a path; mappings on the way are made, list items must be there.
func set(node map[string]any, path []string, value any) {
	key := path[0]
	if len(path) == 1 {
		if value == absent {
			delete(node, key)
		} else {
			node[key] = runtime.DeepCopyJSONValue(value)
		}
		return
	}
	if items, ok := node[key].([]any); ok {
		index, err := strconv.Atoi(path[1])
		if err != nil || index >= len(items) {
			return
		}
		if item, ok := items[index].(map[string]any); ok {
			set(item, path[2:], value)
		}
		return
	}
	child, ok := node[key].(map[string]any)
	if !ok {
		child = map[string]any{}
		node[key] = child
	}
	set(child, path[1:], value)
}

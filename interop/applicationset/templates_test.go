package applicationset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
)

// templates is the table that the tests of the crate gotemplate read too.
const templates = "../../crates/gotemplate/testdata/templates.jsonl"

// templateRow is a Go template with what Argo CD makes of it.
type templateRow struct {
	Template   string         `json:"template"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Options    []string       `json:"options,omitempty"`
	// The paths of parameters that are a map[string]string or a []string.
	Texts []string `json:"texts,omitempty"`
	// What Argo CD prints. None where it fails.
	Prints *string `json:"prints"`
	// What the program does not implement. Such a row is not judged: Argo CD may print something else each time.
	Unknown string `json:"unknown,omitempty"`
	// The first minor version of Argo CD that prints this.
	Since int `json:"since,omitempty"`
}

// render is what Argo CD prints, or why it does not. An option that Go does not know makes it panic.
func (row templateRow) render() (printed string, err error) {
	defer func() {
		if found := recover(); found != nil {
			err = fmt.Errorf("%v", found)
		}
	}()
	// A template may change its parameters.
	data, err := json.Marshal(row.Parameters)
	if err != nil {
		return "", err
	}
	parameters := map[string]any{}
	if err := json.Unmarshal(data, &parameters); err != nil {
		return "", err
	}
	for _, path := range row.Texts {
		keys := strings.Split(path, ".")
		parent := parameters
		for _, key := range keys[:len(keys)-1] {
			parent = parent[key].(map[string]any)
		}
		last := keys[len(keys)-1]
		parent[last] = texts(parent[last])
	}
	return new(utils.Render).Replace(row.Template, parameters, true, row.Options)
}

// texts is a map or list of texts with the type that generators give it.
func texts(value any) any {
	switch value := value.(type) {
	case map[string]any:
		typed := map[string]string{}
		for key, text := range value {
			typed[key] = text.(string)
		}
		return typed
	case []any:
		typed := []string{}
		for _, text := range value {
			typed = append(typed, text.(string))
		}
		return typed
	}
	panic("neither a map nor a list")
}

// judged is the row with what Argo CD prints.
func (row templateRow) judged() templateRow {
	row.Prints = nil
	if printed, err := row.render(); err == nil {
		row.Prints = &printed
	}
	return row
}

func (row templateRow) line(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(row); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readTemplates(t *testing.T) []templateRow {
	t.Helper()
	data, err := os.ReadFile(templates)
	if err != nil {
		t.Fatal(err)
	}
	var rows []templateRow
	decoder := json.NewDecoder(bytes.NewReader(data))
	for decoder.More() {
		var row templateRow
		if err := decoder.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if len(rows) < 500 {
		t.Fatalf("%d rows only", len(rows))
	}
	return rows
}

// Argo CD prints what the table says. UPDATE=1 writes the table.
func TestTemplates(t *testing.T) {
	var out []byte
	for _, row := range readTemplates(t) {
		judged := row.judged()
		if row.Unknown != "" {
			judged.Prints = nil
		}
		if argocd.Before(row.Since) {
			if judged.Prints != nil {
				t.Errorf("%s\nprints %q already", row.Template, *judged.Prints)
			}
			judged = row
		}
		out = append(out, judged.line(t)...)
		if !bytes.Equal(row.line(t), judged.line(t)) && os.Getenv("UPDATE") == "" {
			t.Errorf("the table has\n%sand Argo CD\n%s", row.line(t), judged.line(t))
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(templates, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

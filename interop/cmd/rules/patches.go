package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/git"
	"github.com/argoproj/argo-cd/v3/util/kustomize"
	"sigs.k8s.io/yaml"
)

// A kustomization, the patches of the Application as JSON, and what is in the file afterwards.
type patchRow struct {
	Text    string          `json:"text"`
	Patches json.RawMessage `json:"patches"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
}

func patches() []any {
	one := `[{"patch":"- op: replace\n  path: /spec/replicas\n  value: 3\n","target":{"kind":"Deployment","name":"web"}}]`
	two := `[{"path":"p.yaml"},{"patch":"{\"a\":\"ä\\u0085\\u2028 yes\"}","options":{"allowNameChange":true},"target":{"labelSelector":"a=b,c in (d)"}}]`
	var rows []any
	for _, text := range []string{
		"", "{}\n", "resources: [job.yaml]\n", "# a comment\nresources:\n- job.yaml # why\n", "resources: [job.yaml]\npatches: []\n", "resources: [job.yaml]\npatches:\n- path: first.yaml\n",
		"patches: null\n", "patches:\n", "patches: {a: b}\n", "patches: text\n", "[]\n", "text\n", "null\n", "1\n", "a: [\n",
		"commonAnnotations: {a: 'yes', b: \"0755\", c: \"1e3\", d: '', e: \"null\", f: 'ä', g: \"~\"}\nreplicas: [{name: web, count: 3}]\n",
		"commonLabels: {a: yes, b: 0755, c: 1e3, d: ~, e: 1_000, f: 12:30:45, g: 2001-01-01, h: 0x10, i: 1.5, j: .5, k: 1e400}\n",
		"commonLabels: {a: yes, b: 0755, c: 1e3, d: ~, e: 1_000, f: 12:30:45, g: 2001-01-01, h: 0x10, i: 1.5, j: .5}\n",
		"x: &x {a: 1}\nresources: [a]\npatches:\n- <<: *x\n  b: 2\n", "resources: [a]\nresources: [b]\n", "patches:\n- patch: |-\n    - op: add\n      path: /a\n      value: \"x\"\n  target: {kind: Job}\n",
		"patches:\n- patch: |+\n    a:   b  \n\n\n- patch: >\n    folded\n    text\n", "a: \"\\x85 \\N \\u2028 \\ufeff \\t \\u00a0\"\nresources: []\n", "---\nresources: [a]\n", "resources: [a]\n---\nresources: [b]\n",
		"resources: [a]\n...\ngarbage: [\n", "%YAML 1.1\n---\nresources: [a]\n", "1: a\ntrue: b\nresources: []\n", "a: !!binary aGVsbG8=\n", "a: !!str 1\nb: !x y\n", "a: \"\\x07\\x7f\"\n", "\ufeffresources: [a]\n",
		"a: 1234567\n", "a: 1234567890123456789012\n", "a: 100000000000000000000000\nb: 0.1\nc: -0.0\nd: 1e-7\n", "resources: [a]\r\npatches:\r\n- path: a\r\n", "\t\n", "resources:\n\t- a\n",
	} {
		for _, given := range []string{one, two} {
			rows = append(rows, appendPatches(text, given))
		}
	}
	return rows
}

func appendPatches(text, given string) patchRow {
	row := patchRow{Text: text, Patches: json.RawMessage(given)}
	folder, err := os.MkdirTemp("", "rules")
	check(err)
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "kustomization.yaml")
	check(os.WriteFile(file, []byte(text), 0o644))
	var options v1alpha1.ApplicationSourceKustomize
	check(json.Unmarshal([]byte(given), &options.Patches))
	// `true` prints nothing, which is a build without objects.
	app := kustomize.NewKustomizeApp(folder, folder, git.NopCreds{}, "", "/bin/true", "", "")
	if _, _, _, err := app.Build(&options, nil, &v1alpha1.Env{}, nil); err != nil {
		row.Error = err.Error()
		return row
	}
	written, err := os.ReadFile(file)
	check(err)
	row.Result, err = yaml.YAMLToJSON(written)
	check(err)
	return row
}

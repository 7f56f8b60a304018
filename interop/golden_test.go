package interop_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// goldenCase is one folder of testdata/generate.
type goldenCase struct {
	name, dir string
	env, args []string
	stdin     string
	// settings are the parameters that the case sets, by any layer but files and annotations.
	settings map[string]string
	// stdout is nil when the case expects a refusal.
	stdout []byte
}

var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)

// goldenCases reads every case of `generate` in the repository.
func goldenCases(t *testing.T) []goldenCase {
	t.Helper()
	files, err := filepath.Glob("../testdata/generate/*/*/case")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden cases at ../testdata/generate: %v", err)
	}
	var cases []goldenCase
	for _, file := range files {
		one := goldenCase{dir: filepath.Dir(file), name: filepath.Base(filepath.Dir(file)), settings: map[string]string{}}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case variable.MatchString(line) && one.args == nil:
				one.env = append(one.env, line)
			default:
				// Arguments that are wrong on purpose.
				one.words(strings.TrimPrefix(line, "!"))
			}
		}
		one.readSettings(t)
		if status, err := os.ReadFile(filepath.Join(one.dir, "status")); err != nil || strings.TrimSpace(string(status)) == "0" {
			if one.stdout, err = os.ReadFile(filepath.Join(one.dir, "stdout.yaml")); err != nil {
				one.stdout = []byte{}
			}
		}
		cases = append(cases, one)
	}
	return cases
}

func (one *goldenCase) readSettings(t *testing.T) {
	t.Helper()
	for _, prefix := range []string{"ARGOCD_JOBS_", "ARGOCD_ENV_ARGOCD_JOBS_"} {
		for _, entry := range one.env {
			if rest, found := strings.CutPrefix(entry, prefix); found {
				key, value, _ := strings.Cut(rest, "=")
				one.settings[strings.ToLower(strings.ReplaceAll(key, "_", "-"))] = value
			}
		}
	}
	for _, entry := range one.env {
		text, found := strings.CutPrefix(entry, "ARGOCD_APP_PARAMETERS=")
		if !found || slices.Contains(one.args, "-") {
			continue
		}
		var parameters []struct{ Name, String string }
		if json.Unmarshal([]byte(text), &parameters) == nil {
			for _, parameter := range parameters {
				one.settings[parameter.Name] = parameter.String
			}
		}
	}
	one.readFlags()
}

// switches are the flags that take no value.
var switches = []string{"recurse", "keep-name", "allow-empty"}

// readFlags takes `--set name=value`, `--name value` and the switches.
func (one *goldenCase) readFlags() {
	var rest []string
	for i := 0; i < len(one.args); i++ {
		flag, found := strings.CutPrefix(one.args[i], "--")
		key, value, joined := strings.Cut(flag, "=")
		switch {
		case !found:
			rest = append(rest, one.args[i])
			continue
		case joined:
		case slices.Contains(switches, key):
			value = "true"
		case i+1 < len(one.args):
			i++
			value = one.args[i]
		}
		if key == "set" {
			key, value, _ = strings.Cut(value, "=")
		}
		one.settings[key] = value
	}
	one.args = rest
}

var word = regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`)

// words adds a line of arguments; `< file` at its end names standard input.
func (one *goldenCase) words(line string) {
	line, stdin, _ := strings.Cut(line, " < ")
	one.stdin = strings.TrimSpace(stdin)
	for _, found := range word.FindAllStringSubmatch(line, -1) {
		one.args = append(one.args, found[1]+found[2]+found[3])
	}
}

// setting finds a parameter by its last word, so that `recurse` and `directory-recurse` are one.
func (one *goldenCase) setting(name string) string {
	for key, value := range one.settings {
		if key == name || strings.HasSuffix(key, "-"+name) {
			return value
		}
	}
	return ""
}

// source is the case's directory; "" when its manifests come from a tool or from standard input.
func (one *goldenCase) source() string {
	dir := filepath.Join(one.dir, "in")
	if len(one.args) > 1 {
		dir = filepath.Join(dir, one.args[1])
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	if one.settings["source"] == "directory" {
		return resolved
	}
	for _, tool := range []string{"Chart.yaml", "kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if _, err := os.Stat(filepath.Join(resolved, tool)); err == nil {
			return ""
		}
	}
	return resolved
}

// readings gives the objects of a case before and after, or why they cannot be compared.
func (one *goldenCase) readings() (before, after []*unstructured.Unstructured, why string, err error) {
	if one.stdout == nil {
		return nil, nil, "the program refuses the input", nil
	}
	if after, err = argocd.Decode(one.stdout); err != nil {
		return nil, nil, "", fmt.Errorf("Argo CD refuses the output: %w", err)
	}
	if one.stdin != "" {
		text, err := os.ReadFile(filepath.Join(one.dir, one.stdin))
		if err == nil {
			before, err = argocd.Decode(text)
		}
		return before, after, "", err
	}
	dir := one.source()
	if dir == "" {
		return nil, after, "the manifests come from a tool", nil
	}
	options := argocd.DirectoryOptions{
		Root: "..", Recurse: one.setting("recurse") == "true", Include: one.setting("include"), Exclude: one.setting("exclude"),
	}
	if info, err := os.Stat(dir); err == nil && info.Mode().IsRegular() {
		// A file is that file of its directory; one that Argo CD would not read there is a stream.
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(dir)) {
			text, err := os.ReadFile(dir)
			if err == nil {
				before, err = argocd.Decode(text)
			}
			return before, after, "", err
		}
		options = argocd.DirectoryOptions{Root: "..", Include: filepath.Base(dir)}
		dir = filepath.Dir(dir)
	}
	before, err = argocd.Directory(dir, options)
	if err != nil {
		return nil, after, "", fmt.Errorf("Argo CD refuses the input that the program takes: %w", err)
	}
	return before, after, "", nil
}

// Every golden case: Argo CD's reading of the directory and of the expected output differ only in Jobs,
// and there only where a strategy says; the hash in a name is the one computed here.
func TestGoldenCasesDecodeEqual(t *testing.T) {
	compared, hashes := 0, 0
	for _, one := range goldenCases(t) {
		t.Run(one.name, func(t *testing.T) {
			before, after, why, err := one.readings()
			if err != nil {
				t.Fatal(err)
			}
			if why != "" {
				t.Logf("not compared: %s", why)
				return
			}
			compared++
			pairs, err := match(before, after)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range triggerFaults(after, one.triggers(), one.variable("ARGOCD_APP_NAMESPACE")) {
				t.Error(fault)
			}
			for _, each := range pairs {
				asked := one.withoutAsked(each)
				if faults := asked.faults(); len(faults) > 0 {
					t.Errorf("%s: %s", each.before.GetName(), strings.Join(faults, "\n"))
				}
				hashes += one.checkHash(t, asked)
			}
		})
	}
	t.Logf("%d cases compared, %d hashes", compared, hashes)
}

// withoutAsked takes away what the case's own settings ask for beyond a strategy: labels off the pod
// template before, a deadline after. They may only go, and only come, where a setting says.
func (one *goldenCase) withoutAsked(each pair) pair {
	each = pair{each.before.DeepCopy(), each.after.DeepCopy()}
	if !isJob(each.before) {
		return each
	}
	var stripped []string
	for _, label := range strings.Split(one.settings["strip-template-labels"], ",") {
		path := []string{"spec", "template", "metadata", "labels", strings.TrimSpace(label)}
		if _, stays, _ := unstructured.NestedFieldNoCopy(each.after.Object, path...); !stays {
			stripped = append(stripped, strings.TrimSpace(label))
		}
	}
	hashv1.RemoveTemplateLabels(each.before.Object, stripped)
	path := []string{"spec", "activeDeadlineSeconds"}
	if _, own, _ := unstructured.NestedFieldNoCopy(each.before.Object, path...); !own && one.settings["deadline"] != "" {
		unstructured.RemoveNestedField(each.after.Object, path...)
	}
	return each
}

func (one *goldenCase) checkHash(t *testing.T, each pair) int {
	t.Helper()
	if one.settings["hash-references"] == "true" || hasConfigFile(one.source()) {
		t.Logf("%s: the hash is not compared, a config file or references have a part in it", each.before.GetName())
		return 0
	}
	checked, fault := each.hashFault(hashv1.Extra{Name: one.settings["base-name"], Rerun: one.settings["rerun"]})
	if fault != "" {
		t.Error(fault)
	}
	if checked {
		return 1
	}
	return 0
}

// triggers reports whether the case knows its Application and has not switched the trigger off.
func (one *goldenCase) triggers() bool {
	return one.variable("ARGOCD_APP_NAME") != "" && one.settings["trigger"] != "false"
}

// variable is a variable of the case; empty when it has none.
func (one *goldenCase) variable(name string) string {
	for _, entry := range one.env {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

func hasConfigFile(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".argocd-jobs.yaml"))
	return err == nil
}

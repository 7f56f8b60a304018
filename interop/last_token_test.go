package interop_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// lastTokens are values with which a file can end; IN is the indentation of what belongs to them.
var lastTokens = map[string]string{
	"plain":                           "text",
	"plain, two lines":                "text\nINmore",
	"number":                          "\"1\" # one",
	"null":                            "",
	"tilde":                           "~",
	"single quotes":                   "'text'",
	"single quotes, two lines":        "'text\n\nINmore '",
	"double quotes":                   "\"text\"",
	"double quotes, escaped line end": "\"text \\\nINmore\\n\"",
	"double quotes, blank line":       "\"text\n\nINmore\"",
	"literal":                         "|\nINtext",
	"literal, two lines":              "|\nINtext\nINmore",
	"literal, strip":                  "|-\nINtext",
	"literal, keep":                   "|+\nINtext",
	"literal, blank line inside":      "|\nINtext\n\nINmore",
	"literal, keep, blank lines":      "|+\nINtext\n\nIN\nIN ",
	"literal, clip, blank lines":      "|\nINtext\n\nIN\nIN ",
	"literal, strip, blank lines":     "|-\nINtext\n\nIN\nIN ",
	"literal, indentation":            "|2\nINtext",
	"literal, indentation and keep":   "|2+\nINtext",
	"literal, leading blank":          "|\n\nINtext",
	"literal, comment in the header":  "| # why\nINtext",
	"literal, nothing in it":          "|",
	"literal, keep, nothing in it":    "|+",
	"literal, a comment behind it":    "|\nINtext\n# why",
	"literal, hash in it":             "|\nINtext\nIN# text",
	"literal, separator in it":        "|\nIN---",
	"literal, carriage returns":       "|\r\nINtext\r\nINmore",
	"folded":                          ">\nINtext",
	"folded, two lines":               ">\nINtext\nINmore",
	"folded, strip":                   ">-\nINtext",
	"folded, keep":                    ">+\nINtext",
	"folded, keep, blank lines":       ">+\nINtext\n\nIN\nIN ",
	"folded, more indented":           ">\nINtext\nIN  more",
	"folded, nothing in it":           ">",
	"tagged literal":                  "!!str |\nINtext",
	"anchored literal":                "&a |\nINtext",
	"flow list":                       "[a, 'b']",
	"flow map":                        "{a: b}",
	"flow list, literal look-alike":   "['|\n\nINtext']",
	"list of literals":                "\nIN- a\nIN- |\nIN  text",
	"list of kept literals":           "\nIN- |+\nIN  text",
	"map in a map":                    "\nINa: >\nIN  text",
	"alias":                           "&b text\nINNER: *b",
	"comment":                         "text\n# why",
	"document end":                    "text\n...",
	"literal, document end":           "|\nINtext\n...",
	"literal, keep, document end":     "|+\nINtext\n\n...",
	"separator":                       "|\nINtext\n---",
}

// lastBytes are what can follow the token.
var lastBytes = []string{"", "\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", "\r", " ", "\t", "\n ", "\n\t", "\n          ", "\n          \n", "\n# why", " # why", "\n---", "\n---\n", "\n..."}

// ends are the objects that end in the token: one that no strategy touches, and a Job in whose hash the token is.
var ends = map[string]string{
	"ConfigMap": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: end\ndata:\n  k: TOKEN",
	"Job": "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: end\nspec:\n  template:\n" +
		"    spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}\n    metadata:\n      annotations:\n        k: TOKEN",
}

const hook = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hook\n  annotations: {argocd.argoproj.io/hook: PreSync}\n" +
	"spec:\n  template:\n    spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}\n"

// followers are the files after the file that ends in the token.
var followers = map[string]map[string]string{
	"nothing":         {},
	"a manifest":      {"app/z.yaml": named(ordinary, "z")},
	"a separator":     {"app/z.yaml": "---\n" + named(ordinary, "z")},
	"JSON":            {"app/z.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z"}}`},
	"JSON in YAML":    {"app/z.yaml": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z"}}`},
	"a comment":       {"app/z.yaml": "# nothing\n"},
	"an empty file":   {"app/z.yaml": ""},
	"a trigger":       {"app/a.yaml": hook},
	"one, a trigger":  {"app/a.yaml": hook, "app/z.yaml": named(ordinary, "z")},
	"not a manifest":  {"app/z.yaml": "a: [\n"},
	"an indented one": {"app/z.yaml": "  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: z}"},
}

func ending(kind, token, last string) string {
	indentation := map[string]string{"ConfigMap": "    ", "Job": "          "}[kind]
	token = strings.ReplaceAll(token, "INNER", indentation[2:]+"n")
	text := strings.ReplaceAll(ends[kind], "TOKEN", strings.ReplaceAll(token, "IN", indentation))
	return text + last
}

// sample counts combinations; a short run takes every tenth, others with another seed.
type sample struct{ seen uint64 }

func (one *sample) takes() bool {
	one.seen++
	return !testing.Short() || one.seen%10 == *seed%10
}

func sorted[V any](table map[string]V) []string {
	return slices.Sorted(maps.Keys(table))
}

// Whatever a file ends in, and whatever comes behind it in the output, Argo CD reads the same as in the directory; and so
// does the hash.
func TestLastTokenOfAFile(t *testing.T) {
	counts, sample := map[string]int{}, sample{}
	for _, kind := range sorted(ends) {
		for _, name := range sorted(lastTokens) {
			for _, last := range lastBytes {
				for _, follower := range sorted(followers) {
					if !sample.takes() {
						continue
					}
					tree := map[string]string{"app/m.yaml": ending(kind, lastTokens[name], last)}
					maps.Copy(tree, followers[follower])
					verdict, err := sameInDirectory(t, tree)
					counts[verdict]++
					if err != nil {
						t.Errorf("%s ends in %s and %q, followed by %s: %v", kind, name, last, follower, err)
					}
				}
			}
		}
	}
	t.Logf("%v", counts)
}

func sameInDirectory(t *testing.T, tree map[string]string) (string, error) {
	t.Helper()
	root := t.TempDir()
	write(t, root, tree)
	before, refused := argocd.Directory(filepath.Join(root, "app"), argocd.DirectoryOptions{Root: root})
	got := invocation{dir: filepath.Join(root, "app"), args: []string{"generate"}, env: []string{"ARGOCD_APP_NAME=shop"}}.do(t)
	return sameReading(before, refused, got)
}

// sameReading compares what Argo CD reads in the output with what it reads without the program.
func sameReading(before []*unstructured.Unstructured, refused error, got outcome) (string, error) {
	switch {
	case refused != nil && got.err == nil:
		return "", fmt.Errorf("Argo CD refuses it, the program does not: %v\n%s", refused, got.stdout)
	case refused == nil && got.err != nil:
		return "", fmt.Errorf("the program refuses it, Argo CD does not: %s", got.stderr)
	case refused != nil:
		return "refused", nil
	}
	after, err := argocd.Decode(got.stdout)
	if err != nil {
		return "", fmt.Errorf("Argo CD refuses the output: %v\n%s", err, got.stdout)
	}
	pairs, err := match(before, after)
	if err != nil {
		return "", fmt.Errorf("%v\n%s", err, got.stdout)
	}
	for _, each := range pairs {
		if faults := each.faults(); len(faults) > 0 {
			return "", fmt.Errorf("%s\n%q", strings.Join(faults, "\n"), got.stdout)
		}
		if _, fault := each.hashFault(hashv1.Extra{}); fault != "" {
			return "", fmt.Errorf("%s\n%q", fault, got.stdout)
		}
	}
	return "same", nil
}

// The same for a stream on standard input. Argo CD's own reading gets one more newline, because the cmp-server trims one off
// a plugin's output.
func TestLastTokenOfAStream(t *testing.T) {
	counts, sample := map[string]int{}, sample{}
	for _, kind := range sorted(ends) {
		for _, name := range sorted(lastTokens) {
			for _, last := range lastBytes {
				for _, first := range []string{"", hook + "---\n"} {
					if !sample.takes() {
						continue
					}
					stream := first + ending(kind, lastTokens[name], last)
					before, refused := argocd.Decode([]byte(stream + "\n"))
					got := invocation{dir: t.TempDir(), args: []string{"generate", "-"}, env: []string{"ARGOCD_APP_NAME=shop"}, stdin: []byte(stream)}.do(t)
					verdict, err := sameReading(before, refused, got)
					counts[verdict]++
					if err != nil {
						t.Errorf("%s ends in %s and %q, trigger %v: %v", kind, name, last, first != "", err)
					}
				}
			}
		}
	}
	t.Logf("%v", counts)
}

// A newline at the end of a file that has none changes nothing that Argo CD reads: its line reader
// (`LineReader` in `k8s.io/apimachinery/pkg/util/yaml/decoder.go`) puts one behind every line, the last one too.
func TestArgoCDEndsEveryLastLine(t *testing.T) {
	for _, kind := range sorted(ends) {
		for _, name := range sorted(lastTokens) {
			read := func(last string) ([]*unstructured.Unstructured, error) {
				root := t.TempDir()
				write(t, root, map[string]string{"app/m.yaml": ending(kind, lastTokens[name], last)})
				return argocd.Directory(filepath.Join(root, "app"), argocd.DirectoryOptions{Root: root})
			}
			without, refusedWithout := read("")
			with, refusedWith := read("\n")
			if (refusedWith == nil) != (refusedWithout == nil) || !reflect.DeepEqual(without, with) {
				t.Errorf("%s ends in %s: %v %v without a newline, %v %v with one", kind, name, without, refusedWithout, with, refusedWith)
			}
		}
	}
}

// A last line that fills the buffer of Argo CD's line reader is lost when it has no newline. In a directory the program refuses such a
// file; in its own output, whose last newline the cmp-server trims, it puts a separator behind the line.
func TestLongLastLine(t *testing.T) {
	lines := map[string]func(length int) string{
		"literal": func(length int) string { return "|\n    first\n    " + strings.Repeat("x", length-4) },
		"plain":   func(length int) string { return "first\n    " + strings.Repeat("x", length-4) },
		"flow":    func(length int) string { return "\n    {a: b,\n    c: " + strings.Repeat("x", length-8) + "}" },
		"comment": func(length int) string { return "text\n#" + strings.Repeat("x", length-1) },
		"carriage return": func(length int) string {
			return "\"first\n    " + strings.Repeat("x", 4091) + "\r" + strings.Repeat("x", max(length-4097, 0)) + "\""
		},
	}
	counts := map[string]int{}
	check := func(name string, tree map[string]string) {
		root := t.TempDir()
		write(t, root, tree)
		app := filepath.Join(root, "app")
		before, refused := argocd.Directory(app, argocd.DirectoryOptions{Root: root})
		got := invocation{dir: app, args: []string{"generate"}, env: []string{"ARGOCD_APP_NAME=shop"}}.do(t)
		if got.err != nil && strings.Contains(string(got.stderr), "Argo CD loses this line") {
			tree["app/m.yaml"] += "\n"
			write(t, root, tree)
			whole, err := argocd.Directory(app, argocd.DirectoryOptions{Root: root})
			if refused == nil && err == nil && reflect.DeepEqual(before, whole) && !strings.HasPrefix(name, "comment") {
				t.Errorf("%s: refused, and Argo CD loses nothing: %s", name, got.stderr)
			}
			counts["refused"]++
			return
		}
		verdict, err := sameReading(before, refused, got)
		counts[verdict]++
		if err != nil {
			t.Errorf("%s: %.3000s", name, err.Error())
		}
	}
	for _, name := range sorted(lines) {
		for _, length := range []int{4094, 4095, 4096, 4097, 4098, 8191, 8192, 8193, 12288} {
			for _, last := range []string{"", "\n", "\r", "\r\n", "\n\n"} {
				for _, follower := range []string{"nothing", "a manifest", "a trigger"} {
					tree := map[string]string{"app/m.yaml": ends["ConfigMap"]}
					tree["app/m.yaml"] = strings.ReplaceAll(ends["ConfigMap"], "TOKEN", lines[name](length)) + last
					maps.Copy(tree, followers[follower])
					check(fmt.Sprintf("%s of %d bytes, %q, %s", name, length, last, follower), tree)
				}
			}
		}
	}
	object := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"k":"`
	for _, length := range []int{4095, 4096, 4097, 8192} {
		for _, last := range []string{"", "\n"} {
			text := object + strings.Repeat("x", length-len(object)-3) + `"}}` + last
			for _, path := range []string{"app/m.yaml", "app/m.json"} {
				for _, others := range []map[string]string{{}, {"app/a.yaml": named(job, "a")}} {
					tree := maps.Clone(others)
					tree[path] = text
					check(fmt.Sprintf("%s of %d bytes, %q, beside %d", path, length, last, len(others)), tree)
				}
			}
		}
	}
	t.Logf("%v", counts)
}

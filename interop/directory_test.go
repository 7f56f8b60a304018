package interop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
)

const ordinary = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n"

const job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: NAME\nspec:\n  template:\n    spec:\n      containers: []\n"

func named(text, name string) string { return strings.ReplaceAll(text, "NAME", name) }

// trees are directories, path → text; a text `-> target` is a symlink. The application is in `app`.
var trees = map[string]map[string]string{
	"order":               {"app/b.yaml": named(job, "b"), "app/a.yml": named(ordinary, "a"), "app/B.yaml": named(ordinary, "big"), "app/a-1.yaml": named(ordinary, "a1")},
	"extensions":          {"app/a.yaml": named(job, "a"), "app/b.YAML": named(job, "b"), "app/c.txt": named(job, "c"), "app/.yaml": named(job, "dot"), "app/d.yaml.bak": "x"},
	"no recursion":        {"app/a.yaml": named(job, "a"), "app/sub/b.yaml": named(job, "b"), "app/.hidden/c.yaml": named(job, "c")},
	"hidden file":         {"app/.a.yaml": named(job, "a"), "app/b.yaml": named(ordinary, "b")},
	"skip marker":         {"app/a.yaml": "# +argocd:skip-file-rendering\n" + named(job, "a"), "app/b.yaml": named(ordinary, "b")},
	"skip marker in text": {"app/a.yaml": named(job, "a") + "# see +argocd:skip-file-rendering\n", "app/b.yaml": named(ordinary, "b")},
	"values file":         {"app/values.yaml": "image: {tag: v1}\n", "app/a.yaml": named(job, "a")},
	"broken, no manifest": {"app/notes.yaml": "a: [\n", "app/a.yaml": named(job, "a")},
	"broken manifest":     {"app/x.yaml": "apiVersion: v1\nkind: X\nmetadata: [\n", "app/a.yaml": named(job, "a")},
	"broken second":       {"app/x.yaml": named(ordinary, "a") + "---\na: [\n", "app/a.yaml": named(job, "a")},
	"words in a comment":  {"app/x.yaml": "# apiVersion: kind: metadata:\nfoo: bar\n", "app/a.yaml": named(job, "a")},
	"list":                {"app/x.yaml": "kind: List\napiVersion: v1\nitems:\n- {apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {template: {}}}\n- {kind: Secret, metadata: {name: s}}\n"},
	"empty list":          {"app/x.yaml": "kind: ConfigMapList\napiVersion: v1\nitems: null\n", "app/a.yaml": named(job, "a")},
	"json":                {"app/a.json": `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a","annotations":{"x":"\ud83d\ude00 \/"}},"spec":{"template":{}}}`},
	"two json objects":    {"app/a.json": `{"kind":"A","apiVersion":"v1"}{"kind":"B","apiVersion":"v1"}`},
	"json with yaml text": {"app/a.json": "kind: A\n"},
	"json number":         {"app/a.json": `{"kind":"A","apiVersion":"v1","n":1.0,"m":1e3,"big":12345678901234567890,"s":"0755"}`},
	"json in yaml file":   {"app/a.yaml": `{"kind":"A","apiVersion":"v1"}` + "\n---\n" + named(job, "a")},
	"no last newline":     {"app/a.yaml": strings.TrimSuffix(named(job, "a"), "\n"), "app/b.yaml": named(ordinary, "b")},
	"keep chomping":       {"app/a.yaml": "kind: A\napiVersion: v1\ndata: |+\n  text\n\n\n", "app/b.yaml": named(ordinary, "b")},
	"keep chomping last":  {"app/a.yaml": named(ordinary, "a"), "app/b.yaml": "kind: A\napiVersion: v1\ndata: |+\n  text\n\n\n"},
	"document end":        {"app/a.yaml": named(ordinary, "a") + "...\nignored: true\n", "app/b.yaml": named(job, "b")},
	"bom":                 {"app/a.yaml": "\ufeff" + named(job, "a"), "app/b.yaml": "\ufeff---\n" + named(ordinary, "b")},
	"utf-16":              {"app/a.yaml": "\xff\xfek\x00i\x00n\x00d\x00:\x00 \x00A\x00\n\x00", "app/b.yaml": named(job, "b")},
	"windows":             {"app/a.yaml": strings.ReplaceAll(named(job, "a"), "\n", "\r\n"), "app/b.yaml": strings.ReplaceAll(named(ordinary, "b"), "\n", "\r\n")},
	"comments only":       {"app/a.yaml": "# nothing\n", "app/b.yaml": "---\n---\n" + named(job, "b") + "---\n"},
	"link in the repo":    {"shared/a.yaml": named(job, "a"), "app/a.yaml": "-> ../shared/a.yaml"},
	"link out":            {"app/a.yaml": "-> /etc/hostname", "app/b.yaml": named(job, "b")},
	"dangling link":       {"app/a.yaml": "-> nowhere.yaml", "app/b.yaml": named(job, "b")},
	"link to a directory": {"shared/a.yaml": named(job, "a"), "app/sub": "-> ../shared", "app/dir.yaml": "-> ../shared", "app/b.yaml": named(job, "b")},
	"kind missing":        {"app/a.yaml": "apiVersion: v1\nmetadata: {name: a}\n", "app/b.yaml": named(job, "b")},
	"kind missing plus":   {"app/a.yaml": "kind:\napiVersion: v1\nmetadata: {name: a}\n", "app/b.yaml": named(job, "b")},
	"fifty files":         fifty(),
}

func fifty() map[string]string {
	tree := map[string]string{}
	for _, letter := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		tree["app/"+letter+".yaml"] = named(job, "f"+letter)
		tree["app/"+letter+".json"] = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"f` + letter + `"}}`
	}
	return tree
}

// The program's directory source and Argo CD's own read the same objects, or both refuse.
func TestDirectorySource(t *testing.T) {
	for name, tree := range trees {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, tree)
			options := argocd.DirectoryOptions{Root: root}
			before, refused := argocd.Directory(filepath.Join(root, "app"), options)
			got := invocation{dir: filepath.Join(root, "app"), args: []string{"generate"}}.do(t)
			switch {
			case refused != nil && got.err == nil:
				t.Fatalf("Argo CD refuses it, the program does not: %v\n%s", refused, got.stdout)
			case refused == nil && got.err != nil:
				t.Fatalf("the program refuses it, Argo CD does not: %s", got.stderr)
			case refused != nil:
				t.Logf("both refuse:\n%v\n%s", refused, got.stderr)
				return
			}
			after, err := argocd.Decode(got.stdout)
			if err != nil {
				t.Fatalf("Argo CD refuses the output: %v\n%s", err, got.stdout)
			}
			pairs, err := match(before, after)
			if err != nil {
				t.Fatalf("%v\n%s", err, got.stdout)
			}
			for _, each := range pairs {
				if faults := each.faults(); len(faults) > 0 {
					t.Errorf("%s: %s", each.before.GetName(), strings.Join(faults, "\n"))
				}
			}
		})
	}
}

func write(t *testing.T, root string, tree map[string]string) {
	t.Helper()
	// The root of the repository is where `.git` is.
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range tree {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

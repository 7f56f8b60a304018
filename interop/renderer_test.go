package interop_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/renderer"
	"github.com/sirupsen/logrus"
)

// recorders stand before helm and kustomize for as long as this process lives: Argo CD keeps the path of the helm that it has found first.
var recorders = sync.OnceValues(func() (*renderer.Tools, error) {
	repository, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "recorders")
	if err != nil {
		return nil, err
	}
	atTheEnd = append(atTheEnd, func() { _ = os.RemoveAll(home) })
	return renderer.Find(repository, home)
})

// tools puts helm and kustomize, behind the recorders, on PATH of this process, and with it on that of the sidecar and of the repo-server. The program is
// started without Landlock from here on: behind the wall no recorder could write.
func tools(t *testing.T) *renderer.Tools {
	t.Helper()
	found, err := recorders()
	if errors.Is(err, renderer.ErrNoTools) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", found.Bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	behind, err := found.Behind(program(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARGOCD_JOBS", behind)
	return found
}

// bench is where cases are rendered.
func bench(t *testing.T) *renderer.Bench {
	t.Helper()
	tools := tools(t)
	before, err := tools.Stray()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if stray, err := tools.Stray(); err != nil || len(stray) > len(before) {
			t.Errorf("tools have run outside of every repository: %v %v", stray[len(before):], err)
		}
	})
	// Argo CD logs every command, and every refusal twice.
	level := logrus.GetLevel()
	logrus.SetLevel(logrus.PanicLevel)
	t.Cleanup(func() { logrus.SetLevel(level) })
	return &renderer.Bench{Tools: tools, Program: program(t), Repositories: filepath.Join("testdata", "render", "repos"), Older: argocd.Before(4)}
}

// atOnce runs something for each of some numbers, as many at a time as there are processors.
func atOnce(count, workers int, run func(i int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range workers {
		all.Go(func() {
			for i := range next {
				run(i)
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	all.Wait()
}

// Every case gives the same objects in the same order as Argo CD, by the same commands, in whichever way its fields are given; or both
// refuse; or it is one that the program refuses by decision.
func TestARenderedSourceIsWhatArgoCDRenders(t *testing.T) {
	cases, err := renderer.Read(filepath.Join("testdata", "render", "cases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	bench := bench(t)
	seen := map[string]bool{}
	for i := range cases {
		one := cases[i]
		if seen[one.Name] {
			t.Fatalf("two cases are called %q", one.Name)
		}
		seen[one.Name] = true
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			native := judged(t, bench, one)
			for _, way := range one.Ways() {
				for _, fault := range compare(bench, one, way, native, t.TempDir()) {
					t.Errorf("%s: %s", way, fault)
				}
			}
		})
	}
}

// judged is Argo CD's own result, which has to be what is known of it.
func judged(t *testing.T, bench *renderer.Bench, one renderer.Case) renderer.Result {
	t.Helper()
	native, err := bench.Native(one, filepath.Join(t.TempDir(), "native"))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case one.Says == "" && native.Refusal != nil:
		t.Fatalf("Argo CD refuses it: %v", native.Refusal)
	case one.Says != "" && native.Refusal == nil:
		t.Fatalf("Argo CD does not refuse it: %v", native.Objects)
	case one.Says != "" && !strings.Contains(native.Refusal.Error(), one.Says):
		t.Fatalf("Argo CD says %v", native.Refusal)
	}
	if said := commands(native.Calls); one.Calls != nil && !slices.Equal(said, one.Calls) {
		t.Fatalf("Argo CD runs\n%s\nand not\n%s", strings.Join(said, "\n"), strings.Join(one.Calls, "\n"))
	}
	return native
}

// compare lets the program render a case and says what is different from what Argo CD has made of it.
func compare(bench *renderer.Bench, one renderer.Case, way renderer.Way, native renderer.Result, dir string) []string {
	ours, err := bench.Plugin(one, way, filepath.Join(dir, string(way)), "--allow-empty")
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if len(ours.Left) > 0 {
		fault("files stay: %v", ours.Left)
	}
	if ours.Refusal != nil && one.Message != "" && !strings.Contains(ours.Refusal.Error(), one.Message) {
		fault("the message does not name %q: %v", one.Message, ours.Refusal)
	}
	faults = append(faults, environments(one, ours, native)...)
	switch said, wanted := commands(ours.Calls), commands(native.Calls); {
	case ours.Refusal == nil && native.Refusal != nil:
		fault("Argo CD refuses it, the program does not: %v\n%s", native.Refusal, strings.Join(ours.Objects, "\n"))
	case ours.Refusal == nil && one.Says == "" && one.Message != "":
		fault("the program is to refuse it with a message that names %q", one.Message)
	case ours.Refusal != nil && native.Refusal == nil && one.Message == "":
		fault("the program refuses it, Argo CD does not: %v", ours.Refusal)
	case ours.Refusal != nil:
		// It may see sooner that this comes to nothing.
		if native.Refusal != nil && (len(said) > len(wanted) || !slices.Equal(said, wanted[:len(said)])) {
			fault("on the way to its refusal the program runs\n%s\nand Argo CD\n%s", strings.Join(said, "\n"), strings.Join(wanted, "\n"))
		}
	case !slices.Equal(said, wanted):
		fault("the program runs\n%s\nand Argo CD\n%s", strings.Join(said, "\n"), strings.Join(wanted, "\n"))
	case !slices.Equal(ours.Objects, native.Objects):
		fault("the program gives\n%s\nand Argo CD\n%s", strings.Join(ours.Objects, "\n"), strings.Join(native.Objects, "\n"))
	}
	return faults
}

func commands(calls []renderer.Call) []string {
	said := []string{}
	for _, call := range calls {
		said = append(said, call.Said)
	}
	return said
}

// allowed are the variables that a tool may see.
var allowed = regexp.MustCompile(`^(PATH|HOME|TMPDIR|XDG_(CACHE|CONFIG|DATA)_HOME|` +
	`GOMEMLIMIT|HELM_(CACHE|CONFIG|DATA)_HOME|HELM_PLUGINS|HELM_NO_PLUGINS|HELM_CONTENT_CACHE|HELM_REGISTRY_CONFIG|HELM_REPOSITORY_(CONFIG|CACHE)|` +
	`(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR))$`)

// ofKustomize are what kustomize sees besides: what Argo CD gives a plugin for bases in Git, and what our own helm and git, which
// kustomize runs, have to know.
var ofKustomize = regexp.MustCompile(`^(GIT_(ASKPASS|SSH_COMMAND|SSL_[A-Z_]+|TERMINAL_PROMPT)|ARGOCD_GIT_[A-Z_]+|ARGOCD_ASK_PASS_SOCK|` +
	`ARGOCD_JOBS_(CHARTS|HELM_HOME|REAL_(HELM|GIT)))$`)

// environments says which tool sees what it may not see, or not what Argo CD shows it.
func environments(one renderer.Case, ours, native renderer.Result) []string {
	var faults []string
	plugins := strings.Contains(one.BuildOptions, "--enable-alpha-plugins")
	for i, call := range ours.Calls {
		var application []string
		for _, entry := range call.Env {
			name, value, _ := strings.Cut(entry, "=")
			switch {
			case strings.HasPrefix(name, "ARGOCD_APP_") && name != "ARGOCD_APP_PARAMETERS":
				application = append(application, entry)
			case call.Tool == "kustomize" && ofKustomize.MatchString(name):
			case name == "KUSTOMIZE_PLUGIN_HOME":
				// That of the platform owner is for those who may use plugins.
				if value == "/plugins" && !plugins {
					faults = append(faults, fmt.Sprintf("%s sees %s", call.Said, entry))
				}
			case !allowed.MatchString(name) || strings.Contains(value, "poison"):
				faults = append(faults, fmt.Sprintf("%s sees %s", call.Said, entry))
			}
		}
		// Argo CD gives them to `edit add component` too, which does nothing with them.
		if i >= len(native.Calls) || call.Said != native.Calls[i].Said || call.Args[0] == "edit" {
			continue
		}
		wanted := slices.DeleteFunc(slices.Clone(native.Calls[i].Env), func(entry string) bool { return !strings.HasPrefix(entry, "ARGOCD_APP_") })
		slices.Sort(application)
		slices.Sort(wanted)
		if !slices.Equal(application, wanted) {
			faults = append(faults, fmt.Sprintf("%s sees %v of the Application, and Argo CD shows it %v", call.Said, application, wanted))
		}
	}
	return faults
}

// What a source renders to nothing is refused, as an empty directory is, unless that is allowed.
func TestASourceThatRendersNothingIsRefused(t *testing.T) {
	bench := bench(t)
	for _, path := range []string{"kust/empty", "charts/nothing"} {
		ours, err := bench.Plugin(renderer.Case{Repo: "main", Path: path, App: "shop"}, renderer.Pasted, t.TempDir())
		if err != nil || ours.Refusal == nil || !strings.Contains(ours.Refusal.Error(), "allow-empty") {
			t.Errorf("%s: %v %v", path, ours.Refusal, err)
		}
	}
}

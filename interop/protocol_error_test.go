package interop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"argocd-jobs.example/interop/argocd"
)

func TestTheUIShowsOurMessageWithThePlaceFirstAndNothingOfTheWorkDirectory(t *testing.T) {
	one := startSidecar(t, plugin(t, nil))
	server := repoServer(t, argocd.RepoServerOptions{})
	_, url := committed(t, map[string]string{
		"broken/a.yaml": named(ordinary, "a"), "broken/job.yaml": named(migration, "[x"),
		"twice/a.yaml": named(migration, "migrate"), "twice/b.yaml": named(migration, "migrate"),
		"empty/notes.yaml": "# nothing here\n",
	})
	for path, place := range map[string]string{"broken": `^job\.yaml:\d+:\d+: `, "twice": `^b\.yaml:4:9: `, "empty": `^notes\.yaml: `} {
		_, _, err := server.Generate(context.Background(), byName(url, path))
		if err == nil {
			t.Errorf("%s: no error", path)
			continue
		}
		_, message, found := strings.Cut(err.Error(), "` failed exit status 2: ")
		if !found || !regexp.MustCompile(place).MatchString(message) {
			t.Errorf("%s: the message is %q", path, message)
		}
		if strings.Contains(message, one.work) {
			t.Errorf("%s: the message names the work directory: %q", path, message)
		}
		t.Logf("%s", err)
	}
	if left := one.leftovers(t); len(left) > 0 {
		t.Errorf("files stay: %v", left)
	}
}

// large is a directory that takes the program more than a second.
func large(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "apps", "shop")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var document strings.Builder
	for i := range 40 {
		fmt.Fprintf(&document, "  key%d: some text %d\n", i, i)
	}
	for file := range 8 {
		var text strings.Builder
		for text.Len() < 8<<20 {
			fmt.Fprintf(&text, "---\n%sdata:\n%s", named(ordinary, fmt.Sprintf("c%d-%d", file, text.Len())), document.String())
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", file)), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// nothingStays fails when a process of the program, or one that it has started, or a file is there a second later.
func nothingStays(t *testing.T, one *sidecar, program int) {
	t.Helper()
	if !within(time.Second, func() bool { return len(one.children(t)) == 0 && syscall.Kill(-program, 0) == syscall.ESRCH }) {
		t.Errorf("processes stay: %v, or others of the group %d", one.children(t), program)
	}
	if !within(time.Second, func() bool { return len(one.leftovers(t)) == 0 }) {
		t.Errorf("files stay: %v", one.leftovers(t))
	}
}

func TestWhenArgoCDGivesUpInTheMiddleNoProcessAndNoFileStays(t *testing.T) {
	one := startSidecar(t, plugin(t, nil))
	root := large(t)
	application := byName("file://"+root, "apps/shop")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := argocd.GenerateFrom(ctx, root, application)
		failed <- err
	}()
	running := one.running(t)
	time.Sleep(100 * time.Millisecond)
	if len(one.children(t)) == 0 {
		t.Fatal("the program was too quick to be killed")
	}
	cancel()
	if err := <-failed; err == nil {
		t.Error("there is a result")
	}
	nothingStays(t, one, running)

	// The server is still of use, and so is the program.
	_, url := committed(t, shop)
	if got := generate(t, repoServer(t, argocd.RepoServerOptions{}), byName(url, "apps/shop")); len(got) == 0 {
		t.Error("no manifests")
	}
}

func TestWhenTheDeadlineComesTheProgramIsKilledAndTheUIIsTold(t *testing.T) {
	one := startSidecar(t, plugin(t, nil))
	root := large(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// Packing and unpacking take their time, and then the program starts; it is the deadline's to end it.
	start := time.Now()
	go func() { _, _ = argocd.GenerateFrom(ctx, root, byName("file://"+root, "apps/shop")) }()
	first := one.running(t)
	before := time.Since(start)
	cancel()
	nothingStays(t, one, first)

	var err error
	// On a quick machine the program is done before a late deadline; then an earlier one is tried.
	for more := 500 * time.Millisecond; err == nil && more > 10*time.Millisecond; more /= 2 {
		limited, stop := context.WithTimeout(context.Background(), before+more)
		_, err = argocd.GenerateFrom(limited, root, byName("file://"+root, "apps/shop"))
		stop()
	}
	if err == nil {
		t.Fatal("there is a result before every deadline")
	}
	t.Logf("%s", err)
	// The process group gets SIGTERM and the process SIGKILL at the same time: either can be reported.
	told := []string{"generate --summary` failed signal: killed", "generate --summary` failed signal: terminated", "context deadline exceeded", "DeadlineExceeded"}
	if !slices.ContainsFunc(told, func(words string) bool { return strings.Contains(err.Error(), words) }) {
		t.Errorf("the UI shows %v", err)
	}
	if !within(time.Second, func() bool { return len(one.children(t)) == 0 && len(one.leftovers(t)) == 0 }) {
		t.Errorf("processes stay: %v, or files: %v", one.children(t), one.leftovers(t))
	}
}

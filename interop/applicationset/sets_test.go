package applicationset

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/sirupsen/logrus"
	"sigs.k8s.io/yaml"
)

var (
	seed    = flag.Uint64("seed", 1, "the seed of the random sets")
	verbose = flag.Bool("say", false, "what Argo CD says of each set")
	sets    = flag.Int("sets", 4000, "how many random sets are compared")
	folder  = flag.String("folder", filepath.Join("..", "..", "crates", "applicationset", "testdata", "sets"), "where the rows are")
	alone   = flag.Bool("alone", false, "only ask Argo CD")
	most    = flag.Int("most", 10, "how many differences are shown")
	only    = flag.String("row", "", "only the rows that have this in their names, with both outcomes")
)

// judge is Argo CD, with a repo-server of its own.
func judge(t *testing.T) Judge {
	t.Helper()
	level := logrus.GetLevel()
	logrus.SetLevel(logrus.PanicLevel)
	t.Cleanup(func() { logrus.SetLevel(level) })
	// Since 3.5 this script of Argo CD's image is asked about the signature of each commit; here there is none.
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "git-verify-wrapper.sh"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir := t.TempDir()
	t.Cleanup(func() {
		// The repo-server takes all permissions from what it has checked out.
		_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if entry != nil && entry.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
	})
	server, err := argocd.NewRepoServer(dir, argocd.RepoServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return Judge{server, t.TempDir()}
}

// program is the example of the program: $APPLICATIONSET, else what `cargo test` has built in this repository.
func program(t *testing.T) *Program {
	t.Helper()
	path := cmp.Or(os.Getenv("APPLICATIONSET"), "../../target/debug/examples/applicationset")
	started, err := Start(path)
	if err != nil {
		t.Fatalf("%v: run `cargo build --example applicationset` in the repository's root, or set APPLICATIONSET", err)
	}
	t.Cleanup(func() {
		if err := started.Stop(); err != nil {
			t.Error(err)
		}
	})
	return started
}

// minor is that of this Argo CD 3.
func minor(t *testing.T) int {
	t.Helper()
	var major, minor int
	if _, err := fmt.Sscanf(argocd.Version(), "%d.%d", &major, &minor); err != nil || major != 3 {
		t.Fatalf("Argo CD %s: %v", argocd.Version(), err)
	}
	return minor
}

// differences reads differences.txt: the names of rows that come out differently, each with its reason, and `name @ 2` for one minor version.
func differences(t *testing.T) map[string]bool {
	t.Helper()
	file, err := os.Open("differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	known := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, " # ")
		if reason == "" {
			t.Errorf("differences.txt: %s has no reason", name)
		}
		name, version, versioned := strings.Cut(strings.TrimSpace(name), " @ ")
		if !versioned || version == fmt.Sprint(minor(t)) {
			known[name] = true
		}
	}
	return known
}

// Of each set in crates/applicationset/testdata the program makes the Applications that Argo CD's controller makes, or both fail.
func TestSets(t *testing.T) {
	rows, err := Rows(*folder)
	if err != nil {
		t.Fatal(err)
	}
	argo, known := judge(t), differences(t)
	var ours *Program
	if !*alone {
		ours = program(t)
	}
	made, failed, applications := 0, 0, 0
	for _, row := range rows {
		if !strings.Contains(row.Name, *only) {
			continue
		}
		row.Minor = minor(t)
		wanted, fault, _ := compare(t, argo, ours, row)
		switch {
		case known[row.Name] && fault == "":
			t.Errorf("%s: differences.txt has it, and it comes out as Argo CD's", row.Name)
		case !known[row.Name] && fault != "":
			t.Errorf("%s: %s", row.Name, fault)
		}
		if *only != "" {
			t.Logf("%s: %q\n%s", row.Name, wanted.Failed, strings.Join(wanted.Applications, "\n"))
		}
		applications += len(wanted.Applications)
		if wanted.Failed != "" {
			failed++
		} else if len(wanted.Applications) > 0 {
			made++
		}
	}
	t.Logf("%d sets: %d make %d Applications, %d fail in Argo CD %s", len(rows), made, applications, failed, argocd.Version())
	if *only == "" && *folder == flag.Lookup("folder").DefValue && made+failed < 340 {
		t.Errorf("only %d sets make an Application or fail", made+failed)
	}
}

// Random sets are expanded as Argo CD does it.
func TestRandomSets(t *testing.T) {
	argo := judge(t)
	var ours *Program
	if !*alone {
		ours = program(t)
	}
	count, faults, made, failed, without := *sets, 0, 0, 0, map[string]int{}
	if testing.Short() {
		count /= 10
	}
	for i := range count {
		row := Random{Rand: rand.New(rand.NewPCG(*seed, uint64(i)))}.Row()
		row.Name, row.Minor = fmt.Sprintf("seed %d, number %d", *seed, i), minor(t)
		if *only != "" && *only != row.Name {
			continue
		}
		wanted, fault, missing := compare(t, argo, ours, row)
		if len(missing) > 0 {
			for _, function := range missing {
				without[function]++
			}
			continue
		}
		if wanted.Failed != "" {
			failed++
		} else if len(wanted.Applications) > 0 {
			made++
		}
		if *verbose {
			t.Logf("%s: %q", row.Name, wanted.Failed)
		}
		if fault == "" {
			continue
		}
		text, _ := yaml.JSONToYAML(row.Set)
		t.Errorf("%s: %s\n%s", row.Name, fault, text)
		if faults++; faults >= *most {
			t.Fatalf("no more than %d are shown", *most)
		}
	}
	t.Logf("%d sets: %d make Applications, %d fail in Argo CD %s; not compared for a function that the program does not have: %v", count, made, failed, argocd.Version(), without)
}

// compare says in what the two differ, and which functions the program does not have.
func compare(t *testing.T, argo Judge, ours *Program, row Row) (wanted Outcome, fault string, missing []string) {
	t.Helper()
	wanted, err := argo.Expand(row)
	if err != nil {
		return wanted, fmt.Sprintf("Argo CD: %v", err), nil
	}
	if ours == nil {
		return wanted, "", nil
	}
	found, err := ours.Expand(row)
	if err != nil {
		t.Fatalf("%s: the program: %v", row.Name, err)
	}
	// The order in which Argo CD goes through maps is another each time, and can be seen in lists.
	for range 100 {
		if slices.Equal(wanted.Applications, found.Applications) || wanted.Failed == "" && found.Failed != "" {
			break
		}
		if wanted, err = argo.Expand(row); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case (wanted.Failed == "") != (found.Failed == ""):
		fault = fmt.Sprintf("Argo CD says %q, the program %q", wanted.Failed, found.Failed)
	case !slices.Equal(wanted.Applications, found.Applications):
		fault = fmt.Sprintf("the program makes\n%s\nand Argo CD\n%s\n(%s)", strings.Join(found.Applications, "\n"), strings.Join(wanted.Applications, "\n"), wanted.Failed)
	}
	return wanted, fault, found.Functions
}

package sync_test

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
)

// TestHealthChecks holds the program's table of the kinds that have a health check against what this Argo CD has.
func TestHealthChecks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../crates/kube-jobs/src/argocd/health.txt")
	if err != nil {
		t.Fatal(err)
	}
	scripts := argocd.HealthScripts()
	has := func(all [][2]string, group, kind string) bool {
		return slices.ContainsFunc(all, func(one [2]string) bool {
			isGroup, _ := path.Match(one[0], group)
			isKind, _ := path.Match(one[1], kind)
			return isGroup && isKind
		})
	}
	var table [][2]string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		minor, err := strconv.Atoi(strings.Split(words[0], ".")[1])
		if err != nil {
			t.Fatal(line)
		}
		for _, kind := range words[2:] {
			group := words[1]
			if !argocd.Before(minor) {
				table = append(table, [2]string{group, kind})
			}
			if found := has(scripts, group, kind) || argocd.IsWatched(group, kind); found == argocd.Before(minor) {
				t.Errorf("%s %s since %s: Argo CD %s has it: %t", group, kind, words[0], argocd.Version(), found)
			}
		}
	}
	for _, one := range scripts {
		if !has(table, one[0], one[1]) {
			t.Errorf("%s %s of Argo CD %s is not in the table", one[0], one[1], argocd.Version())
		}
	}
}

package sync_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ways are the ways to write a Job, by the words of docs/adopt.md.
func ways(t *testing.T) map[string]func(name string) string {
	set := func(items ...string) func(name string) string {
		return func(name string) string { return job(name, "migrate:1", annotations(items...)...) }
	}
	hooked := func(phase string) func(name string) string {
		return set("argocd-jobs/strategy: hook", "argocd-jobs/hook: "+phase)
	}
	return map[string]func(name string) string{
		"keep": set("argocd-jobs/strategy: keep"),
		"baseline": func(name string) string {
			return set("argocd-jobs/baseline: " + hash(t, job(name, "migrate:1")))(name)
		},
		"hash-name":       set("argocd-jobs/strategy: hash-name"),
		"PreSync":         hooked("PreSync"),
		"Sync":            hooked("Sync"),
		"Sync, same name": set(in("Sync")),
		"PostSync":        hooked("PostSync"),
		"generate-name":   set("argocd-jobs/strategy: generate-name"),
		"replace":         set("argocd-jobs/strategy: replace"),
		"gate": func(name string) string {
			return set("argocd-jobs/strategy: keep", in("PreSync"), "argocd.argoproj.io/hook-delete-policy: HookFailed")(name + "-gate")
		},
	}
}

// conversions are the table of docs/adopt.md, each line without its borders: from the way on the left to the way on top.
func conversions(t *testing.T) [][]string {
	text, err := os.ReadFile("../../docs/adopt.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| from, to |")
	table, _, _ = strings.Cut("| from, to |"+table, "\n\n")
	var rows [][]string
	for line := range strings.Lines(table) {
		var row []string
		for _, cell := range strings.Split(strings.Trim(line, "|\n "), "|") {
			row = append(row, strings.Trim(cell, " `*"))
		}
		rows = append(rows, row)
	}
	return append(rows[:1], rows[2:]...)
}

// ofRevision is what Argo CD appends to a prefix.
var ofRevision = regexp.MustCompile(`-[0-9a-f]{7}-[a-z]+-[0-9]+$`)

// TestConversions holds the table of docs/adopt.md, and what `preview --base` says, against Argo CD. One Application has a Job for each way to go.
func TestConversions(t *testing.T) {
	t.Parallel()
	rows := conversions(t)
	to := rows[0][1:]
	if len(to) != len(ways(t)) || len(rows) != len(to) {
		t.Fatal("the table has other ways: ", rows)
	}
	for _, row := range rows[1:] {
		from, cells := row[0], row[1:]
		for name, prune := range map[string]bool{"on": true, "off": false} {
			if testing.Short() && !prune {
				continue
			}
			t.Run("from "+from+", prune "+name, func(t *testing.T) {
				ways := ways(t)
				before, after := files{"settings.yaml": settings("1")}, files{"settings.yaml": settings("1")}
				for at, way := range to {
					job := string(rune('a' + at))
					before[job+".yaml"], after[job+".yaml"] = ways[from](job), ways[way](job)
				}
				app := given(t, before)
				app.sync(prune).ends("Succeeded")
				known := map[string]bool{}
				app.started(known)
				for _, job := range app.live() {
					// It is no trap when the old Job is gone at once.
					app.lingers(job)
				}
				app.commit(after)
				said := app.foreseen()
				starts := app.compare().Status.Sync.Status == "OutOfSync"
				app.sync(prune).ends("Succeeded")
				ran := app.started(known)
				for at, way := range to {
					job := string(rune('a' + at))
					of := func(name string) bool { return name == job || strings.HasPrefix(name, job+"-") }
					wanted, known := map[string]bool{"runs": true, "no": false, "trap": false, "runs since 3.3": !argocd.Before(3)}[cells[at]]
					if !known {
						t.Fatal("the table has: ", cells[at])
					}
					if did := slices.ContainsFunc(ran, of); did != wanted {
						t.Errorf("from %s to %s: it ran: %t", from, way, did)
					}
				}
				for at, name := range ran {
					ran[at] = ofRevision.ReplaceAllString(name, "-…")
				}
				if !slices.Equal(ran, said.runs) {
					t.Errorf("ran %v; the preview says %v\n%s", ran, said.runs, said.text)
				}
				if starts != said.starts || said.fails || said.waits {
					t.Errorf("the Application is OutOfSync: %t; the preview says %t, fails %t, waits %t\n%s", starts, said.starts, said.fails, said.waits, said.text)
				}
				app.failsAs(said)
				status := "Synced"
				if !prune && slices.Contains([]string{"keep", "hash-name", "replace"}, from) {
					status = "OutOfSync"
				}
				app.becomes(status, "Healthy")
			})
		}
	}
}

// live are the names of the Jobs that are there.
func (one *scenario) live() []string {
	one.Helper()
	jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
	if err != nil {
		one.Fatal(err)
	}
	var names []string
	for _, job := range jobs.Items {
		names = append(names, job.Name)
	}
	return names
}

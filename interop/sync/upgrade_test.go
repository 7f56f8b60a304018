package sync_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// upgrade puts the repo-server and the controller of another test binary in the place of ours, with its CRDs, on the same API server.
func (one *cluster) upgrade(ctx context.Context, program string) error {
	command := exec.Command(program)
	command.Env = []string{asServer + "=module"}
	// The server ends when its input does.
	if _, err := command.StdinPipe(); err != nil {
		return err
	}
	module, err := command.Output()
	if err != nil {
		return err
	}
	directory := strings.TrimSpace(string(module))
	version, err := os.ReadFile(filepath.Join(directory, "VERSION"))
	if err != nil {
		return err
	}
	one.kill("argocd-application-controller")
	one.kill("argocd-repo-server")
	if err := one.installOwnCRDs(ctx, directory); err != nil {
		return err
	}
	one.program = program
	return one.startRepoServerAndController(ctx, strings.HasPrefix(string(version), "3.2."))
}

// TestUpgrade does the first half of some scenarios of TestOncePerChange with this Argo CD, and the second half with that of the test binary UPGRADE.
// It has to run alone.
func TestUpgrade(t *testing.T) {
	to := os.Getenv("UPGRADE")
	if to == "" {
		t.Skip("UPGRADE is not set")
	}
	rows := []struct {
		options       []option
		before, after func(of *once)
		expected      map[string]string
	}{
		{ // Done before the upgrade: auto-sync starts nothing after it. Then a sync by hand.
			options: []option{automatedWithPrune},
			before:  func(of *once) { of.notes(of.autoSynced()) },
			after:   func(of *once) { of.notAutoSyncedAgain(); of.changes("1"); of.notAutoSyncedAgain(); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
				"wave": "Succeeded Succeeded; ran 1; 1 is rolled out",
				"gate": "Succeeded Succeeded; ran 1; 1 is rolled out",
			},
		},
		{ // Failed before it.
			before: func(of *once) { of.syncs(); of.changes("3-fails"); of.syncs() },
			after:  func(of *once) { of.syncs(); of.changes("4"); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Failed Failed Succeeded; ran 1 3-fails 3-fails 4; 4 is rolled out",
				"wave": "Succeeded Failed Failed Succeeded; ran 1 3-fails 4; 4 is rolled out",
				"gate": "Succeeded Failed Failed Succeeded; ran 1 3-fails 3-fails 4; 4 is rolled out",
			},
		},
		{ // It runs meanwhile.
			before: func(of *once) {
				of.changes("5-holds")
				of.starts()
			},
			after: func(of *once) { of.completes(); of.notes(of.finished()) },
			expected: map[string]string{
				"hook": "Succeeded; ran 5-holds; 5-holds is rolled out",
				"wave": "Succeeded; ran 5-holds; 5-holds is rolled out",
				"gate": "Succeeded; ran 5-holds; 5-holds is rolled out",
			},
		},
	}
	var all []*once
	for _, row := range rows {
		for form := range forms {
			of := &once{form: form}
			of.scenario = begin(t, of.files("1"), append([]option{native}, row.options...)...)
			row.before(of)
			all = append(all, of)
		}
	}
	if err := shared.upgrade(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	for at, of := range all {
		row := rows[at/len(forms)]
		row.after(of)
		if seen := of.seen(); seen != row.expected[of.form] {
			t.Errorf("%s, seen:\n  %s\nexpected:\n  %s", of.form, seen, row.expected[of.form])
		}
	}
}

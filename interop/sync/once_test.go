package sync_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// forms are the ways to run a migration before a rollout, as a Job for a content: a hook, a Job whose name has the hash of its content in an early
// wave, and a gate, which is a hook with such a name that is only deleted when it fails.
var forms = map[string]func(content string) string{
	"hook": func(content string) string { return hook("PreSync", "migrate", "migrate:"+content) },
	"wave": func(content string) string {
		return job("migrate-"+content, "migrate:"+content, annotations(inWave(-2))...)
	},
	"gate": func(content string) string {
		return job("migrate-"+content, "migrate:"+content, annotations(in("PreSync"), "argocd.argoproj.io/hook-delete-policy: HookFailed")...)
	},
}

// once is a scenario of one form, and what was seen of it: how each sync has ended.
type once struct {
	*scenario
	form  string
	ended []string
	// more is what every commit has besides the migration and what is rolled out, and as is how the migration is written otherwise than the form does.
	more files
	as   func(text string) string
}

// onceRow is what is done in each form, and what is expected to be seen.
type onceRow struct {
	do       func(of *once)
	options  []option
	more     files
	as       func(text string) string
	expected map[string]string
}

// inEachForm runs each row in all forms. With -short each row has one form: the first row the first one, the second row the second one, and so on.
func inEachForm(t *testing.T, rows map[string]onceRow) {
	t.Helper()
	all := slices.Sorted(maps.Keys(forms))
	for at, name := range slices.Sorted(maps.Keys(rows)) {
		row, each := rows[name], all
		if testing.Short() {
			each = all[at%len(all) : at%len(all)+1]
		}
		for _, form := range each {
			t.Run(name+": "+form, func(t *testing.T) {
				t.Parallel()
				of := &once{form: form, more: row.more, as: row.as}
				of.scenario = begin(t, of.files("1"), append([]option{native}, row.options...)...)
				row.do(of)
				time.Sleep(time.Second)
				if seen := of.seen(); seen != row.expected[form] {
					t.Errorf("seen:\n  %s\nexpected:\n  %s", seen, row.expected[form])
				}
			})
		}
	}
}

// files are a migration of that content, and a rollout of the same name.
func (of *once) files(content string) files {
	migration := forms[of.form](content)
	if of.as != nil {
		migration = of.as(migration)
	}
	all := files{"migrate.yaml": migration, "settings.yaml": settings(content)}
	maps.Copy(all, of.more)
	return all
}

func (of *once) changes(content string) {
	of.Helper()
	of.commit(of.files(content))
}

// starts starts a sync with pruning, and waits until it waits for something.
func (of *once) starts() {
	of.Helper()
	of.begin(v1alpha1.SyncOperation{Prune: true}, v1alpha1.RetryStrategy{})
	of.waits("waiting for")
}

// syncs syncs by hand, with pruning, and notes how that ends.
func (of *once) syncs() {
	of.Helper()
	of.notes(of.sync(true))
}

func (of *once) notes(got outcome) { of.ended = append(of.ended, string(got.state.Phase)) }

// terminates ends the operation as Argo CD's API server does, and notes how. The controller can overwrite it with its own state.
func (of *once) terminates() {
	of.Helper()
	if err := until(of.Context(), patience, func() error {
		application, err := of.application()
		if err != nil || application.Operation == nil {
			return err
		}
		if application.Status.OperationState.Phase != "Terminating" {
			application.Status.OperationState.Phase = "Terminating"
			_, _ = shared.argocd.ArgoprojV1alpha1().Applications(control).Update(of.Context(), application, metav1.UpdateOptions{})
		}
		return errors.New("the operation goes on")
	}); err != nil {
		of.Fatal(err)
	}
	of.notes(of.finished())
}

// seen is how the syncs have ended, the contents that ran, and what is rolled out.
func (of *once) seen() string {
	of.Helper()
	jobs, err := shared.jobs.in(of.Context(), of.name)
	if err != nil {
		of.Fatal(err)
	}
	var ran []string
	for _, job := range jobs {
		_, content, _ := strings.Cut(job.Spec.Template.Spec.Containers[0].Image, ":")
		ran = append(ran, content)
	}
	rolledOut := "nothing"
	if found, err := shared.client.CoreV1().ConfigMaps(of.name).Get(of.Context(), "settings", metav1.GetOptions{}); err == nil {
		rolledOut = found.Data["value"]
	}
	return fmt.Sprintf("%s; ran %s; %s is rolled out", strings.Join(of.ended, " "), strings.Join(ran, " "), rolledOut)
}

// TestOncePerChange holds what docs/strategies.md says of each form against Argo CD: the expectations were written before they were run.
func TestOncePerChange(t *testing.T) {
	t.Parallel()
	retry := map[bool]string{true: "3-fails", false: "3-fails 3-fails"}[argocd.Before(5)]
	smoke := files{"smoke.yaml": hook("PostSync", "smoke", "smoke:smoke-fails")}
	inEachForm(t, map[string]onceRow{
		"the same content three times": {
			do: func(of *once) { of.syncs(); of.changes("1"); of.syncs(); of.changes("1"); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded Succeeded; ran 1 1 1; 1 is rolled out",
				"wave": "Succeeded Succeeded Succeeded; ran 1; 1 is rolled out",
				"gate": "Succeeded Succeeded Succeeded; ran 1; 1 is rolled out",
			},
		},
		"new content, and back": {
			do: func(of *once) { of.syncs(); of.changes("2"); of.syncs(); of.changes("1"); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded Succeeded; ran 1 2 1; 1 is rolled out",
				"wave": "Succeeded Succeeded Succeeded; ran 1 2 1; 1 is rolled out",
				"gate": "Succeeded Succeeded Succeeded; ran 1 2; 1 is rolled out",
			},
		},
		"it fails, and the next sync": {
			do: func(of *once) { of.syncs(); of.changes("3-fails"); of.syncs(); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Failed Failed; ran 1 3-fails 3-fails; 1 is rolled out",
				"wave": "Succeeded Failed Failed; ran 1 3-fails; 1 is rolled out",
				"gate": "Succeeded Failed Failed; ran 1 3-fails 3-fails; 1 is rolled out",
			},
		},
		"it fails, and a retry": {
			do: func(of *once) { of.syncs(); of.changes("3-fails"); of.notes(of.retried(1)) },
			expected: map[string]string{
				"hook": "Succeeded Failed; ran 1 " + retry + "; 1 is rolled out",
				"wave": "Succeeded Failed; ran 1 3-fails; 1 is rolled out",
				"gate": "Succeeded Failed; ran 1 3-fails 3-fails; 1 is rolled out",
			},
		},
		"it fails, and what mends it": {
			do: func(of *once) { of.syncs(); of.changes("3-fails"); of.syncs(); of.changes("4"); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Failed Succeeded; ran 1 3-fails 4; 4 is rolled out",
				"wave": "Succeeded Failed Succeeded; ran 1 3-fails 4; 4 is rolled out",
				"gate": "Succeeded Failed Succeeded; ran 1 3-fails 4; 4 is rolled out",
			},
		},
		"it fails, with ApplyOutOfSyncOnly=true": {
			options: []option{syncOptions("ApplyOutOfSyncOnly=true")},
			do:      func(of *once) { of.syncs(); of.changes("3-fails"); of.syncs(); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Failed Failed; ran 1 3-fails 3-fails; 1 is rolled out",
				"wave": "Succeeded Failed Succeeded; ran 1 3-fails; 3-fails is rolled out",
				"gate": "Succeeded Failed Failed; ran 1 3-fails 3-fails; 1 is rolled out",
			},
		},
		"a commit while it runs": {
			do: func(of *once) {
				of.syncs()
				of.changes("5-holds")
				of.starts()
				of.changes("2")
				of.completes()
				of.notes(of.finished())
				of.syncs()
			},
			expected: map[string]string{
				"hook": "Succeeded Succeeded Succeeded; ran 1 5-holds 2; 2 is rolled out",
				"wave": "Succeeded Succeeded Succeeded; ran 1 5-holds 2; 2 is rolled out",
				"gate": "Succeeded Succeeded Succeeded; ran 1 5-holds 2; 2 is rolled out",
			},
		},
		"terminated while it runs, and synced at once": {
			do: func(of *once) {
				of.changes("5-holds")
				of.starts()
				of.terminates()
				of.starts()
				of.completes()
				of.notes(of.finished())
			},
			expected: map[string]string{
				"hook": "Failed Succeeded; ran 5-holds 5-holds; 5-holds is rolled out",
				"wave": "Failed Succeeded; ran 5-holds; 5-holds is rolled out",
				"gate": "Failed Succeeded; ran 5-holds 5-holds; 5-holds is rolled out",
			},
		},
		"a hook after the rollout fails": {
			more: smoke,
			do:   func(of *once) { of.syncs(); of.syncs() },
			expected: map[string]string{
				"hook": "Failed Failed; ran 1 smoke-fails 1 smoke-fails; 1 is rolled out",
				"wave": "Failed Failed; ran 1 smoke-fails smoke-fails; 1 is rolled out",
				"gate": "Failed Failed; ran 1 smoke-fails 1 smoke-fails; 1 is rolled out",
			},
		},
		"a Deployment is refused, later": {
			more: files{"api.yaml": deployment("api", "api:1")},
			do: func(of *once) {
				of.syncs()
				of.more = files{"api.yaml": selected("other")}
				of.changes("1")
				of.syncs()
				of.more = files{"api.yaml": deployment("api", "api:1")}
				of.changes("1")
				of.syncs()
			},
			expected: map[string]string{
				"hook": "Succeeded Failed Succeeded; ran 1 1 1; 1 is rolled out",
				"wave": "Succeeded Failed Succeeded; ran 1; 1 is rolled out",
				"gate": "Succeeded Failed Succeeded; ran 1 1; 1 is rolled out",
			},
		},
		"Replace=true of the Application": {
			options: []option{syncOptions("Replace=true")},
			do:      func(of *once) { of.syncs(); of.changes("1"); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
				"wave": "Succeeded Failed; ran 1; 1 is rolled out",
				"gate": "Succeeded Failed; ran 1; 1 is rolled out",
			},
		},
		"selected resources without the Job": {
			do: func(of *once) {
				of.syncs()
				of.changes("2")
				of.notes(of.operate(v1alpha1.SyncOperation{Resources: []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: "settings"}}}))
			},
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1; 2 is rolled out",
				"wave": "Succeeded Succeeded; ran 1; 2 is rolled out",
				"gate": "Succeeded Succeeded; ran 1; 2 is rolled out",
			},
		},
		"the sync strategy apply": {
			do: func(of *once) {
				of.syncs()
				of.changes("2")
				of.notes(of.operate(v1alpha1.SyncOperation{Prune: true, SyncStrategy: &v1alpha1.SyncStrategy{Apply: &v1alpha1.SyncStrategyApply{}}}))
			},
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1; 2 is rolled out",
				"wave": "Succeeded Succeeded; ran 1 2; 2 is rolled out",
				"gate": "Succeeded Succeeded; ran 1; 2 is rolled out",
			},
		},
		"self-heal": {
			options: []option{automatedWithSelfHeal},
			do: func(of *once) {
				of.notes(of.autoSynced())
				of.tampers("settings")
				of.heals("settings")
			},
			expected: map[string]string{
				"hook": "Succeeded; ran 1; 1 is rolled out",
				"wave": "Succeeded; ran 1; 1 is rolled out",
				"gate": "Succeeded; ran 1; 1 is rolled out",
			},
		},
		"from client-side to server-side apply": {
			do: func(of *once) {
				of.syncs()
				of.reconfigure(syncOptions("ServerSideApply=true"))
				of.changes("1")
				of.syncs()
			},
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
				"wave": "Succeeded Succeeded; ran 1; 1 is rolled out",
				"gate": "Succeeded Succeeded; ran 1; 1 is rolled out",
			},
		},
	})
}

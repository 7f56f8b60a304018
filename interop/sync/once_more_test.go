package sync_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// second is another migration, in the wave after the first one.
func (of *once) second(content string) files {
	later := strings.NewReplacer("migrate", "backfill", inWave(-2), inWave(-1), in("PreSync"), in("PreSync")+"\n    "+inWave(1))
	return files{"backfill.yaml": later.Replace(forms[of.form](content))}
}

// syncsOrWaits gives up a sync that does not end, and notes that.
func (of *once) syncsOrWaits() {
	of.Helper()
	of.begin(v1alpha1.SyncOperation{Prune: true}, v1alpha1.RetryStrategy{})
	if err := until(of.Context(), 40*time.Second, func() error {
		application, err := of.application()
		if err == nil && application.Operation != nil {
			err = errors.New("the operation goes on")
		}
		return err
	}); err != nil {
		of.ended = append(of.ended, "waits")
		of.terminates()
	} else {
		of.notes(of.finished())
	}
	of.settle()
}

// beside is another Application with a migration of its own of the same content, in the same namespace.
func (of *once) beside(content string) *once {
	of.Helper()
	other := &once{form: of.form}
	other.scenario = begin(of.T, other.files(content), native, func(spec *v1alpha1.ApplicationSpec) { spec.Destination.Namespace = of.name })
	return other
}

// isCreatedAgain deletes the Application, with its objects or without, and creates it once more.
func (of *once) isCreatedAgain(objects bool) {
	of.Helper()
	if objects {
		of.patch(map[string]any{"metadata": map[string]any{"finalizers": []string{v1alpha1.ResourcesFinalizerName}}})
	}
	applications := shared.argocd.ArgoprojV1alpha1().Applications(control)
	if err := applications.Delete(of.Context(), of.name, metav1.DeleteOptions{}); err != nil {
		of.Fatal(err)
	}
	if err := until(of.Context(), patience, func() error {
		if _, err := of.application(); !apierrors.IsNotFound(err) {
			return errors.New("the Application is still there")
		}
		return nil
	}); err != nil {
		of.Fatal(err)
	}
	if objects {
		of.gone()
	}
	if _, err := applications.Create(of.Context(), &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: of.name}, Spec: of.spec}, metav1.CreateOptions{}); err != nil {
		of.Fatal(err)
	}
}

// lasts keeps the pod that runs when it is deleted, as one that takes its time to end, until the function that it returns is called.
func (of *once) lasts() (release func()) {
	of.Helper()
	const finalizer = "interop.example.com/held"
	pods, name := shared.client.CoreV1().Pods(of.name), ""
	change := func(finalizers func([]string) []string) error {
		return until(of.Context(), patience, func() error {
			all, err := pods.List(of.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			at := slices.IndexFunc(all.Items, func(pod corev1.Pod) bool {
				return pod.Status.Phase == corev1.PodRunning && (name == "" || pod.Name == name)
			})
			if at < 0 {
				return errors.New("no pod runs")
			}
			pod := &all.Items[at]
			name, pod.Finalizers = pod.Name, finalizers(pod.Finalizers)
			_, err = pods.Update(of.Context(), pod, metav1.UpdateOptions{})
			return err
		})
	}
	if err := change(func(all []string) []string { return append(all, finalizer) }); err != nil {
		of.Fatal(err)
	}
	return func() {
		of.Helper()
		if err := change(func(all []string) []string {
			return slices.DeleteFunc(all, func(one string) bool { return one == finalizer })
		}); err != nil {
			of.Fatal(err)
		}
	}
}

// notesOverlap notes whether the first pass of the sync creates another Job, while the pod of the last one is there.
func (of *once) notesOverlap(jobs int) {
	of.Helper()
	// 3.2 does not say that it waits for a deletion.
	of.eventually("the first pass", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return state != nil && (strings.Contains(state.Message, "waiting for") || strings.Contains(state.Message, "tasks are running") ||
			of.isOfTheLast(state) && state.Phase.Completed())
	})
	created, err := shared.jobs.in(of.Context(), of.name)
	if err != nil {
		of.Fatal(err)
	}
	of.ended = append(of.ended, map[bool]string{true: "(both at once)", false: "(one by one)"}[len(created) > jobs])
}

// deleted deletes the Jobs that are there, as a person would.
func (of *once) deleted() {
	of.Helper()
	if err := shared.client.BatchV1().Jobs(of.name).DeleteCollection(of.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		of.Fatal(err)
	}
}

// TestOncePerChangeInLessUsualCases is TestOncePerChange for what happens to few.
func TestOncePerChangeInLessUsualCases(t *testing.T) {
	t.Parallel()
	withTTL := map[bool]string{true: "waits Failed waits Failed; ran 1 1; nothing is rolled out", false: "Failed Failed; ran 1 1; nothing is rolled out"}[argocd.Before(5)]
	inEachForm(t, map[string]onceRow{
		"two in waves, and the second one fails": {
			do: func(of *once) {
				of.more = of.second("b1")
				of.changes("1")
				of.syncs()
				of.more = of.second("b2-fails")
				of.changes("2")
				of.syncs()
				of.syncs()
				of.more = of.second("b3")
				of.changes("2")
				of.syncs()
			},
			expected: map[string]string{
				"hook": "Succeeded Failed Failed Succeeded; ran 1 b1 2 b2-fails 2 b2-fails 2 b3; 2 is rolled out",
				"wave": "Succeeded Failed Failed Succeeded; ran 1 b1 2 b2-fails b3; 2 is rolled out",
				"gate": "Succeeded Failed Failed Succeeded; ran 1 b1 2 b2-fails 2 b2-fails 2 b3; 2 is rolled out",
			},
		},
		"two Applications of one namespace": {
			do: func(of *once) {
				of.syncs()
				other := of.beside("1")
				of.notes(other.sync(true))
				of.settle()
				other.changes("2")
				of.notes(other.sync(true))
				of.settle()
				of.syncs()
			},
			expected: map[string]string{
				"hook": "Succeeded Succeeded Succeeded Succeeded; ran 1 1 2 1; 1 is rolled out",
				"wave": "Succeeded Succeeded Succeeded Succeeded; ran 1 2 1; 1 is rolled out",
				"gate": "Succeeded Succeeded Succeeded Succeeded; ran 1 2; 1 is rolled out",
			},
		},
		"the Application is deleted with its objects, and created again": {
			do: func(of *once) { of.syncs(); of.changes("2"); of.syncs(); of.isCreatedAgain(true); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded Succeeded; ran 1 2 2; 2 is rolled out",
				"wave": "Succeeded Succeeded Succeeded; ran 1 2 2; 2 is rolled out",
				"gate": "Succeeded Succeeded Succeeded; ran 1 2 2; 2 is rolled out",
			},
		},
		"the Application alone is deleted, and created again": {
			do: func(of *once) { of.syncs(); of.isCreatedAgain(false); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
				"wave": "Succeeded Succeeded; ran 1; 1 is rolled out",
				"gate": "Succeeded Succeeded; ran 1; 1 is rolled out",
			},
		},
		"Force=true,Replace=true of the Job": {
			as: func(text string) string {
				return strings.Replace(text, "  annotations:\n", "  annotations:\n    argocd.argoproj.io/sync-options: Force=true,Replace=true\n", 1)
			},
			do: func(of *once) { of.syncs(); of.syncs() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
				"wave": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
				"gate": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
			},
		},
		"a TTL that is over before Argo CD looks": {
			as: func(text string) string { return with(text, "ttlSecondsAfterFinished: 0") },
			do: func(of *once) { of.syncsOrWaits(); of.syncsOrWaits() },
			expected: map[string]string{
				"hook": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
				"wave": withTTL,
				"gate": "Succeeded Succeeded; ran 1 1; 1 is rolled out",
			},
		},
		"terminated while it runs, then new content": {
			do: func(of *once) {
				of.changes("5-holds")
				of.starts()
				release := of.lasts()
				of.terminates()
				of.changes("2")
				of.begin(v1alpha1.SyncOperation{Prune: true}, v1alpha1.RetryStrategy{})
				of.notesOverlap(1)
				release()
				of.notes(of.finished())
			},
			expected: map[string]string{
				"hook": "Failed (one by one) Succeeded; ran 5-holds 2; 2 is rolled out",
				"wave": "Failed (both at once) Succeeded; ran 5-holds 2; 2 is rolled out",
				"gate": "Failed (both at once) Succeeded; ran 5-holds 2; 2 is rolled out",
			},
		},
		"its finished Job is deleted, with self-heal": {
			options: []option{automatedWithSelfHeal},
			do: func(of *once) {
				of.notes(of.autoSynced())
				of.deleted()
				of.compare()
				if of.form == "wave" {
					of.runsAtLeast(2)
				}
				time.Sleep(10 * time.Second)
				of.settle()
			},
			expected: map[string]string{
				"hook": "Succeeded; ran 1; 1 is rolled out",
				"wave": "Succeeded; ran 1 1; 1 is rolled out",
				"gate": "Succeeded; ran 1; 1 is rolled out",
			},
		},
	})
}

package sync_test

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

func (one *scenario) annotate(key, value string) {
	one.Helper()
	one.patch(map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
}

// held keeps a Job when it is deleted, as one whose pods take their time, until the function that it returns is called.
func (one *scenario) held(name string) (release func()) {
	one.Helper()
	jobs := shared.client.BatchV1().Jobs(one.name)
	finalizer := func(text string) error {
		_, err := jobs.Patch(one.Context(), name, types.MergePatchType, []byte(`{"metadata": {"finalizers": `+text+`}}`), metav1.PatchOptions{})
		return err
	}
	if err := finalizer(`["interop.example.com/held"]`); err != nil {
		one.Fatal(err)
	}
	return func() { _ = until(one.Context(), patience, func() error { return finalizer("null") }) }
}

// lingers holds a Job for two seconds when it is deleted. Some operations wait until it is gone, so that it cannot be held until
// they end.
func (one *scenario) lingers(name string) {
	one.Helper()
	release := one.held(name)
	go func() {
		_ = until(one.Context(), patience, func() error {
			job, err := shared.client.BatchV1().Jobs(one.name).Get(one.Context(), name, metav1.GetOptions{})
			if err != nil || job.DeletionTimestamp == nil {
				return errors.New("it is not being deleted")
			}
			return nil
		})
		time.Sleep(2 * time.Second)
		release()
	}()
}

// resumes takes the suspension of a Job back.
func (one *scenario) resumes(name string) {
	one.Helper()
	if _, err := shared.client.BatchV1().Jobs(one.name).Patch(one.Context(), name, types.MergePatchType, []byte(`{"spec": {"suspend": false}}`), metav1.PatchOptions{}); err != nil {
		one.Fatal(err)
	}
}

// completes lets every pod that is held end well.
func (one *scenario) completes() {
	one.Helper()
	one.podsEnd(corev1.PodSucceeded)
}

// podsEnd ends every pod that is held. It waits until they run: a sync says that it waits for a hook before the hook has
// a pod, and a pod that ends before it is set to run would run from then on.
func (one *scenario) podsEnd(phase corev1.PodPhase) {
	one.Helper()
	pods := shared.client.CoreV1().Pods(one.name)
	if err := until(one.Context(), patience, func() error {
		all, err := pods.List(one.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		pending := slices.ContainsFunc(all.Items, func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodPending })
		running := slices.DeleteFunc(all.Items, func(pod corev1.Pod) bool { return pod.Status.Phase != corev1.PodRunning })
		if pending || len(running) == 0 {
			return errors.New("no pod runs yet")
		}
		for _, pod := range running {
			if _, err := pods.Patch(one.Context(), pod.Name, types.MergePatchType, fmt.Appendf(nil, `{"status": {"phase": %q}}`, phase), metav1.PatchOptions{}, "status"); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		shared.inVain.Add(1)
		one.Fatal(err)
	}
}

// deployed demands that a Deployment is there, or that it is not.
func (one *scenario) deployed(name string, wanted bool) {
	one.Helper()
	_, err := shared.client.AppsV1().Deployments(one.name).Get(one.Context(), name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		one.Fatal(err)
	}
	if (err == nil) != wanted {
		one.Fatalf("the Deployment %s exists: %t", name, err == nil)
	}
}

// waits waits until the operation that was begun says what it waits for.
func (one *scenario) waits(message string) {
	one.Helper()
	one.eventually("the sync to say "+message, func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return state != nil && strings.Contains(state.Message, message)
	})
}

// stillWaits demands that after ten seconds the operation waits for that.
func (one *scenario) stillWaits(message string) {
	one.Helper()
	time.Sleep(10 * time.Second)
	application, err := one.application()
	if err != nil || application.Status.OperationState.FinishedAt != nil || !strings.Contains(application.Status.OperationState.Message, message) {
		one.Fatalf("the sync does not say %q: %v", message, err)
	}
}

// runsAtLeast waits until that many Jobs have been created.
func (one *scenario) runsAtLeast(count int) {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		jobs, err := shared.jobs.in(one.Context(), one.name)
		if err == nil && len(jobs) < count {
			err = fmt.Errorf("only %d Jobs were created", len(jobs))
		}
		return err
	}); err != nil {
		one.Fatal(err)
	}
}

// gone waits until no Job is left.
func (one *scenario) gone() {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
		if err == nil && len(jobs.Items) > 0 {
			err = fmt.Errorf("%d Jobs are left", len(jobs.Items))
		}
		return err
	}); err != nil {
		one.Fatal(err)
	}
}

// notAutoSyncedAgain shows that one more comparison starts no operation.
func (one *scenario) notAutoSyncedAgain() {
	one.Helper()
	before := one.compare().Status.OperationState.StartedAt
	after := one.compare()
	if after.Operation != nil || !after.Status.OperationState.StartedAt.Equal(&before) {
		one.Fatalf("an auto-sync was started: %+v", after.Operation)
	}
}

// tampers deletes a ConfigMap in the cluster.
func (one *scenario) tampers(name string) {
	one.Helper()
	if err := shared.client.CoreV1().ConfigMaps(one.name).Delete(one.Context(), name, metav1.DeleteOptions{}); err != nil {
		one.Fatal(err)
	}
}

// heals waits until self-heal has taken that back, by a sync of what is not Synced alone.
func (one *scenario) heals(name string) {
	one.Helper()
	one.eventually("self-heal", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		if state == nil || state.FinishedAt == nil || !state.Operation.InitiatedBy.Automated ||
			!slices.ContainsFunc(state.Operation.Sync.Resources, func(chosen v1alpha1.SyncOperationResource) bool { return chosen.Name == name }) {
			return false
		}
		_, err := shared.client.CoreV1().ConfigMaps(one.name).Get(one.Context(), name, metav1.GetOptions{})
		return err == nil
	})
	one.settle()
}

// trigger is the name of the ConfigMap that stands for the hooks.
func (one *scenario) trigger() string {
	one.Helper()
	all, err := shared.client.CoreV1().ConfigMaps(one.name).List(one.Context(), metav1.ListOptions{})
	if err != nil {
		one.Fatal(err)
	}
	for _, found := range all.Items {
		if found.Annotations["argocd-jobs/trigger"] == "true" {
			return found.Name
		}
	}
	one.Fatal("there is no trigger")
	return ""
}

// expire shows that every Job has a TTL.
func (one *scenario) expire() {
	one.Helper()
	jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
	if err != nil {
		one.Fatal(err)
	}
	for _, job := range jobs.Items {
		if job.Spec.TTLSecondsAfterFinished == nil {
			one.Fatalf("%s stays for ever", job.Name)
		}
	}
}

// refuses waits until the Application cannot be compared, for a reason. That can be seen for a moment only: under server-side diff the
// next comparison takes the diff out of a cache, in which there is no error. So it is asked for again.
func (one *scenario) refuses(reason string) {
	one.Helper()
	one.eventually("an error: "+reason, func(application *v1alpha1.Application) bool {
		if _, asked := application.Annotations[v1alpha1.AnnotationKeyRefresh]; !asked {
			one.annotate(v1alpha1.AnnotationKeyRefresh, "normal")
		}
		return slices.ContainsFunc(application.Status.Conditions, func(condition v1alpha1.ApplicationCondition) bool {
			return condition.Type == v1alpha1.ApplicationConditionComparisonError && strings.Contains(condition.Message, reason)
		})
	})
}

// dump is a Job as the cluster has it.
func (one *scenario) dump(name string) string {
	one.Helper()
	job, err := shared.client.BatchV1().Jobs(one.name).Get(one.Context(), name, metav1.GetOptions{})
	if err != nil {
		one.Fatal(err)
	}
	job.APIVersion, job.Kind = "batch/v1", "Job"
	text, err := yaml.Marshal(job)
	if err != nil {
		one.Fatal(err)
	}
	return string(text)
}

// hash is the hash in the name that the program gives a Job.
func hash(t *testing.T, text string) string {
	t.Helper()
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, "generate", "-")
	command.Stdin = strings.NewReader(text)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if name, found := strings.CutPrefix(line, "  name: "); found && withoutHash.MatchString(name) {
			return strings.TrimPrefix(withoutHash.FindString(name), "-")
		}
	}
	t.Fatalf("no hashed name in:\n%s", out)
	return ""
}

// running demands that a Job is there and has not ended.
func (one *scenario) running(name string) {
	one.Helper()
	job, err := shared.client.BatchV1().Jobs(one.name).Get(one.Context(), name, metav1.GetOptions{})
	if err != nil || job.Status.CompletionTime != nil || job.DeletionTimestamp != nil {
		one.Fatalf("the Job %s does not run: %v", name, err)
	}
}

// setting demands a value in the ConfigMap of the scenario.
func (one *scenario) setting(value string) {
	one.Helper()
	found, err := shared.client.CoreV1().ConfigMaps(one.name).Get(one.Context(), "settings", metav1.GetOptions{})
	if err != nil || found.Data["value"] != value {
		one.Fatalf("the ConfigMap has %q, not %q: %v", found.Data["value"], value, err)
	}
}

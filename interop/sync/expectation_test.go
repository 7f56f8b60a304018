package sync_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// outcome is how an operation has ended.
type outcome struct {
	one   *scenario
	state *v1alpha1.OperationState
}

// ends demands a phase, and a message of the operation or of one of its objects.
func (got outcome) ends(phase string, messages ...string) outcome {
	got.one.Helper()
	said := got.state.Message
	if got.state.SyncResult != nil {
		for _, resource := range got.state.SyncResult.Resources {
			said += fmt.Sprintf("\n%s %s %s%s: %s", resource.Kind, resource.Name, resource.Status, resource.HookPhase, resource.Message)
		}
	}
	if string(got.state.Phase) != phase {
		got.one.Fatalf("the sync ended as %s, not as %s: %s", got.state.Phase, phase, said)
	}
	for _, message := range messages {
		if !strings.Contains(said, message) {
			got.one.Fatalf("no %q in:\n%s", message, said)
		}
	}
	return got
}

// ran demands the Jobs that were ever created, in order, by the images that they ran.
func (one *scenario) ran(images ...string) {
	one.Helper()
	one.ranIn(one.name, images...)
}

// ranIn is ran for another namespace than that of the scenario.
func (one *scenario) ranIn(namespace string, images ...string) {
	one.Helper()
	jobs, err := shared.jobs.in(one.Context(), namespace)
	if err != nil {
		one.Fatal(err)
	}
	var got []string
	for _, job := range jobs {
		got = append(got, job.Spec.Template.Spec.Containers[0].Image)
	}
	if !slices.Equal(got, images) {
		one.Fatalf("ran %v, not %v", got, images)
	}
}

// left demands the Jobs that are there, sorted, by their names with the hash as `*`.
func (one *scenario) left(names ...string) {
	one.Helper()
	jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
	if err != nil {
		one.Fatal(err)
	}
	var got []string
	for _, job := range jobs.Items {
		got = append(got, withoutHash.ReplaceAllString(job.Name, "-*"))
	}
	slices.Sort(got)
	if !slices.Equal(got, names) {
		one.Fatalf("Jobs left: %v, not %v", got, names)
	}
}

// becomes waits for a sync status and a health.
func (one *scenario) becomes(sync, health string) {
	one.Helper()
	one.compare()
	one.eventually(sync+" and "+health, func(application *v1alpha1.Application) bool {
		return string(application.Status.Sync.Status) == sync && string(application.Status.Health.Status) == health
	})
}

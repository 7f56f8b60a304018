package sync_test

import (
	"slices"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
)

// TestRetries shows which commit a retry takes, as the finding retry-without-refresh says.
func TestRetries(t *testing.T) {
	t.Parallel()
	endless := func(refresh bool) option {
		return func(spec *v1alpha1.ApplicationSpec) {
			automated(spec)
			spec.SyncPolicy.Retry = &v1alpha1.RetryStrategy{Limit: -1, Refresh: refresh, Backoff: &v1alpha1.Backoff{Duration: "1s", MaxDuration: "2s"}}
		}
	}
	broken := files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1-fails"), "settings.yaml": settings("1")}
	mended := files{"migrate.yaml": hook("PreSync", "migrate", "migrate:2"), "settings.yaml": settings("2")}
	retries := func(app *scenario, count int64) *v1alpha1.Application {
		return app.eventually("retries", func(application *v1alpha1.Application) bool {
			state := application.Status.OperationState
			return state != nil && state.RetryCount >= count
		})
	}
	ran := func(app *scenario, image string) bool {
		jobs, err := shared.jobs.in(app.Context(), app.name)
		if err != nil {
			app.Fatal(err)
		}
		return slices.ContainsFunc(jobs, func(job *batchv1.Job) bool { return job.Spec.Template.Spec.Containers[0].Image == image })
	}
	t.Run("without refresh, the commit that mends the hook waits as long as there are retries", func(t *testing.T) {
		app := given(t, broken, native, endless(false))
		first := app.head
		tried := retries(app, 2).Status.OperationState.RetryCount
		app.commit(mended)
		app.compare()
		state := retries(app, tried+3).Status.OperationState
		if state.Operation.Sync.Revision != first || state.Phase.Completed() {
			t.Fatalf("the operation is %s, of the commit %s, and not of %s", state.Phase, state.Operation.Sync.Revision, first)
		}
		if ran(app, "migrate:2") {
			t.Fatal("the new hook runs")
		}
	})
	t.Run("with refresh, a retry takes the commit that mends the hook", func(t *testing.T) {
		app := given(t, broken, native, endless(true))
		retries(app, 2)
		app.commit(mended)
		app.compare()
		app.eventually("the newest commit", func(application *v1alpha1.Application) bool {
			state := application.Status.OperationState
			return state != nil && state.Phase == "Succeeded" && state.SyncResult.Revision == app.head
		})
		if !ran(app, "migrate:2") {
			t.Fatal("the new hook has not run")
		}
	})
}

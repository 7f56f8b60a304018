package sync_test

import (
	"fmt"
	"slices"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/argo"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// compare lets Argo CD read the repository and compare, as its Refresh button does, and waits until that is done. Whether it
// starts an auto-sync is decided by then.
func (one *scenario) compare() *v1alpha1.Application {
	one.Helper()
	one.patch(map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1alpha1.AnnotationKeyRefresh: "normal"}}})
	return one.eventually("the comparison", func(application *v1alpha1.Application) bool {
		_, asked := application.Annotations[v1alpha1.AnnotationKeyRefresh]
		seen := append(slices.Clone(application.Status.Sync.Revisions), application.Status.Sync.Revision)
		return !asked && (slices.Contains(seen, one.head) || len(application.Status.Conditions) > 0)
	})
}

// sync syncs by hand, with pruning if asked for, and waits until the operation has ended and the Jobs have.
func (one *scenario) sync(prune ...bool) outcome {
	one.Helper()
	return one.operate(v1alpha1.SyncOperation{Prune: len(prune) > 0 && prune[0]})
}

func (one *scenario) operate(operation v1alpha1.SyncOperation) outcome {
	one.Helper()
	got := one.operateOnly(operation)
	one.settle()
	return got
}

// retried syncs with so many retries, one after the other without a pause.
func (one *scenario) retried(times int64) outcome {
	one.Helper()
	got := one.start(v1alpha1.SyncOperation{}, v1alpha1.RetryStrategy{Limit: times, Backoff: &v1alpha1.Backoff{Duration: "1s"}})
	one.settle()
	return got
}

// operateOnly does not wait for the Jobs.
func (one *scenario) operateOnly(operation v1alpha1.SyncOperation) outcome {
	one.Helper()
	return one.start(operation, v1alpha1.RetryStrategy{})
}

func (one *scenario) start(operation v1alpha1.SyncOperation, retry v1alpha1.RetryStrategy) outcome {
	one.Helper()
	one.begin(operation, retry)
	return one.finished()
}

// begins starts a sync and does not wait for it.
func (one *scenario) begins() {
	one.Helper()
	one.begin(v1alpha1.SyncOperation{}, v1alpha1.RetryStrategy{})
}

// begin starts an operation.
func (one *scenario) begin(operation v1alpha1.SyncOperation, retry v1alpha1.RetryStrategy) {
	one.Helper()
	one.idle()
	one.operations++
	number := fmt.Sprint(one.operations)
	// As Argo CD's API server fills it in.
	if operation.Revision = one.head; len(one.spec.Sources) > 0 {
		operation.Revision, operation.Revisions = "", slices.Repeat([]string{one.head}, len(one.spec.Sources))
	}
	operation.SyncOptions = one.spec.SyncPolicy.SyncOptions
	start := &v1alpha1.Operation{Sync: &operation, Retry: retry, InitiatedBy: v1alpha1.OperationInitiator{Username: "interop"}, Info: []*v1alpha1.Info{{Name: "number", Value: number}}}
	// As the API server does it. A patch of `operation` would leave the results of the last one in place, and they would count.
	if _, err := argo.SetAppOperation(shared.argocd.ArgoprojV1alpha1().Applications(control), one.name, start); err != nil {
		one.Fatal(err)
	}
}

// isOfTheLast reports whether this is the state of the last operation that was started by hand.
func (one *scenario) isOfTheLast(state *v1alpha1.OperationState) bool {
	return len(state.Operation.Info) > 0 && state.Operation.Info[0].Value == fmt.Sprint(one.operations)
}

// finished waits until the last operation that was started by hand has ended.
func (one *scenario) finished() outcome {
	one.Helper()
	done := one.eventually("the sync", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return application.Operation == nil && state != nil && state.Phase.Completed() && one.isOfTheLast(state)
	})
	return outcome{one, done.Status.OperationState}
}

// autoSynced waits until auto-sync has synced the last commit, and the Jobs have ended.
func (one *scenario) autoSynced() outcome {
	one.Helper()
	one.compare()
	done := one.eventually("the auto-sync", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return application.Operation == nil && state != nil && state.FinishedAt != nil && state.Operation.InitiatedBy.Automated &&
			state.Operation.Sync.Revision == one.head && state.SyncResult != nil && state.SyncResult.Source.Equals(&application.Status.Sync.ComparedTo.Source) &&
			application.Status.Sync.ComparedTo.Source.Equals(one.spec.Source)
	})
	one.settle()
	return outcome{one, done.Status.OperationState}
}

// isSeen waits until Argo CD's cache has what the last sync applied. Before that, it calls the next commit OutOfSync, whatever is in it.
func (one *scenario) isSeen() {
	one.Helper()
	one.compare()
	one.eventually("the cache", func(application *v1alpha1.Application) bool {
		return !slices.ContainsFunc(application.Status.Resources, func(row v1alpha1.ResourceStatus) bool {
			return row.Status == v1alpha1.SyncStatusCodeOutOfSync && !row.RequiresPruning
		})
	})
}

// notAutoSynced shows that the last commit is known and no operation for it was started.
func (one *scenario) notAutoSynced() {
	one.Helper()
	application := one.compare()
	if state := application.Status.OperationState; application.Operation != nil || state != nil && state.Operation.Sync.Revision == one.head {
		one.Fatalf("an auto-sync was started: %+v", application.Operation)
	}
}

// idle waits until no operation goes on.
func (one *scenario) idle() {
	one.Helper()
	one.eventually("the end of the operation", func(application *v1alpha1.Application) bool {
		return application.Operation == nil && (application.Status.OperationState == nil || application.Status.OperationState.FinishedAt != nil)
	})
}

// settle waits until all Jobs that are there have ended, and those that are being deleted are gone.
func (one *scenario) settle() {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, job := range jobs.Items {
			if !finished(&job) || job.DeletionTimestamp != nil {
				return fmt.Errorf("%s still runs: %+v", job.Name, job.Status)
			}
		}
		return nil
	}); err != nil {
		shared.inVain.Add(1)
		one.Fatal(err)
	}
}

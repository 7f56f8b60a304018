package sync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/argo"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// patience is how long one step of a scenario may take on a busy machine.
const patience = 3 * time.Minute

// scenario is an Application with a Git repository and a namespace of its own, all of one name.
type scenario struct {
	*testing.T
	name, repository, head string
	operations             int
	spec                   v1alpha1.ApplicationSpec
}

// option changes the Application before it is created: by default it goes through the plugin and is synced by hand, without pruning.
type option func(spec *v1alpha1.ApplicationSpec)

func native(spec *v1alpha1.ApplicationSpec) { spec.Source.Plugin = nil }

// plugin puts our plugin before a native Application, as its owner would.
func plugin(spec *v1alpha1.ApplicationSpec) {
	spec.Source.Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "argocd-jobs"}
}

// automated is auto-sync without retries, which only take time.
func automated(spec *v1alpha1.ApplicationSpec) {
	spec.SyncPolicy.Automated = &v1alpha1.SyncPolicyAutomated{}
	spec.SyncPolicy.Retry = &v1alpha1.RetryStrategy{}
}

func automatedWithPrune(spec *v1alpha1.ApplicationSpec) {
	automated(spec)
	spec.SyncPolicy.Automated.Prune = true
}

func automatedWithSelfHeal(spec *v1alpha1.ApplicationSpec) {
	automated(spec)
	spec.SyncPolicy.Automated.SelfHeal = true
}

func syncOptions(items ...string) option {
	return func(spec *v1alpha1.ApplicationSpec) { spec.SyncPolicy.SyncOptions = items }
}

// parameter sets a parameter of the plugin.
func parameter(name, value string) option {
	return func(spec *v1alpha1.ApplicationSpec) {
		spec.Source.Plugin.Parameters = append(spec.Source.Plugin.Parameters, v1alpha1.ApplicationSourcePluginParameter{Name: name, String_: &value})
	}
}

// given starts a scenario. Its files are those of the first commit.
func given(t *testing.T, files files, options ...option) *scenario {
	t.Helper()
	t.Parallel()
	shared.names.Lock()
	shared.count++
	name := fmt.Sprintf("app-%d", shared.count)
	shared.names.Unlock()
	one := &scenario{T: t, name: name, repository: filepath.Join(t.TempDir(), "repository")}
	one.git("init", "-q", "-b", "main", one.repository)
	one.commit(files)
	one.spec = v1alpha1.ApplicationSpec{
		Project: "default", Destination: v1alpha1.ApplicationDestination{Server: "https://kubernetes.default.svc", Namespace: name},
		Source: &v1alpha1.ApplicationSource{RepoURL: "file://" + one.repository, Path: ".", TargetRevision: "main",
			Plugin: &v1alpha1.ApplicationSourcePlugin{Name: "argocd-jobs"}},
		SyncPolicy: &v1alpha1.SyncPolicy{},
	}
	for _, change := range options {
		change(&one.spec)
	}
	if err := shared.namespace(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	application := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: one.spec}
	if _, err := shared.argocd.ArgoprojV1alpha1().Applications(control).Create(t.Context(), application, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(one.end)
	return one
}

// end keeps the Application from being compared for the rest of the tests, and shows it when the scenario has failed.
func (one *scenario) end() {
	if one.Failed() {
		if application, err := one.application(); err == nil {
			text, _ := json.MarshalIndent(application.Status, "", " ")
			one.Logf("%s", text)
		}
	}
	_ = shared.argocd.ArgoprojV1alpha1().Applications(control).Delete(context.Background(), one.name, metav1.DeleteOptions{})
}

// files are the names and contents of a commit.
type files map[string]string

func (one *scenario) git(args ...string) string {
	one.Helper()
	command := exec.Command("git", args...)
	if args[0] != "init" {
		command.Dir = one.repository
	}
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + one.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=interop", "GIT_AUTHOR_EMAIL=interop@example.com", "GIT_COMMITTER_NAME=interop", "GIT_COMMITTER_EMAIL=interop@example.com"}
	out, err := command.CombinedOutput()
	if err != nil {
		one.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes these files the only ones of the repository.
func (one *scenario) commit(files files) {
	one.Helper()
	present, _ := filepath.Glob(filepath.Join(one.repository, "*.yaml"))
	for _, path := range present {
		_ = os.Remove(path)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(one.repository, name), []byte(text), 0o644); err != nil {
			one.Fatal(err)
		}
	}
	one.git("add", "-A")
	one.git("commit", "-q", "--allow-empty", "-m", "next")
	one.head = one.git("rev-parse", "HEAD")
}

func (one *scenario) application() (*v1alpha1.Application, error) {
	return shared.argocd.ArgoprojV1alpha1().Applications(control).Get(context.Background(), one.name, metav1.GetOptions{})
}

func (one *scenario) patch(change map[string]any) {
	one.Helper()
	text, err := json.Marshal(change)
	if err != nil {
		one.Fatal(err)
	}
	if _, err := shared.argocd.ArgoprojV1alpha1().Applications(control).Patch(one.Context(), one.name, types.MergePatchType, text, metav1.PatchOptions{}); err != nil {
		one.Fatal(err)
	}
}

// eventually waits until an Application is as wanted.
func (one *scenario) eventually(what string, holds func(*v1alpha1.Application) bool) *v1alpha1.Application {
	one.Helper()
	var last *v1alpha1.Application
	if err := until(one.Context(), patience, func() error {
		application, err := one.application()
		if err != nil {
			return err
		}
		if last = application; !holds(application) {
			return errors.New("it is not so")
		}
		return nil
	}); err != nil {
		one.Fatalf("waited for %s: %v", what, err)
	}
	return last
}

// reconfigure changes the Application itself.
func (one *scenario) reconfigure(options ...option) {
	one.Helper()
	for _, change := range options {
		change(&one.spec)
	}
	// An Update and not a patch: what is gone is to go.
	if err := until(one.Context(), patience, func() error {
		application, err := one.application()
		if err != nil {
			return err
		}
		application.Spec = one.spec
		_, err = shared.argocd.ArgoprojV1alpha1().Applications(control).Update(one.Context(), application, metav1.UpdateOptions{})
		return err
	}); err != nil {
		one.Fatal(err)
	}
}

// compare lets Argo CD read the repository and compare, as its Refresh button does, and waits until that is done. Whether it
// starts an auto-sync is decided by then.
func (one *scenario) compare() *v1alpha1.Application {
	one.Helper()
	one.patch(map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1alpha1.AnnotationKeyRefresh: "normal"}}})
	return one.eventually("the comparison", func(application *v1alpha1.Application) bool {
		_, asked := application.Annotations[v1alpha1.AnnotationKeyRefresh]
		return !asked && (application.Status.Sync.Revision == one.head || len(application.Status.Conditions) > 0)
	})
}

// sync syncs by hand, with pruning if asked for, and waits until the operation has ended and the Jobs have.
func (one *scenario) sync(prune ...bool) outcome {
	one.Helper()
	return one.operate(v1alpha1.SyncOperation{Prune: len(prune) > 0 && prune[0]})
}

func (one *scenario) operate(operation v1alpha1.SyncOperation) outcome {
	one.Helper()
	one.idle()
	one.operations++
	number := fmt.Sprint(one.operations)
	// As Argo CD's API server fills it in.
	operation.Revision = one.head
	operation.SyncOptions = one.spec.SyncPolicy.SyncOptions
	start := &v1alpha1.Operation{Sync: &operation, InitiatedBy: v1alpha1.OperationInitiator{Username: "interop"}, Info: []*v1alpha1.Info{{Name: "number", Value: number}}}
	// As the API server does it. A patch of `operation` would leave the results of the last one in place, and they would count.
	if _, err := argo.SetAppOperation(shared.argocd.ArgoprojV1alpha1().Applications(control), one.name, start); err != nil {
		one.Fatal(err)
	}
	done := one.eventually("the sync", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return application.Operation == nil && state != nil && state.FinishedAt != nil && len(state.Operation.Info) > 0 && state.Operation.Info[0].Value == number
	})
	one.settle()
	return outcome{one, done.Status.OperationState}
}

// autoSynced waits until auto-sync has synced the last commit, and the Jobs have ended.
func (one *scenario) autoSynced() outcome {
	one.Helper()
	one.compare()
	done := one.eventually("the auto-sync", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return application.Operation == nil && state != nil && state.FinishedAt != nil && state.Operation.InitiatedBy.Automated &&
			state.Operation.Sync.Revision == one.head
	})
	one.settle()
	return outcome{one, done.Status.OperationState}
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
		one.Fatal(err)
	}
}

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
	jobs, err := shared.jobs.in(one.Context(), one.name)
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

func (one *scenario) annotate(key, value string) {
	one.Helper()
	one.patch(map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
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

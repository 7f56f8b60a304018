package sync_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// seen is what the controller did with a commit.
type seen struct {
	// started says that it began a sync without being asked.
	started bool
	// status is what it compared before the sync, and refused that it could not.
	status  v1alpha1.SyncStatusCode
	refused bool
	// resources are what it compared.
	resources []string
	// ends is the phase of the sync, Running if it waits, and said its messages.
	ends, said string
	// failed are the objects that it could not apply.
	failed []refusal
	// ran are the pieces that ran, each with the revisions of the store at which its objects were created; 0 for a Job that was resumed.
	ran map[string][]int
	// names are the names of the Jobs that ran.
	names []string
}

// asked is what the program says about the last commit.
func (one *scenario) asked() (told, error) {
	one.Helper()
	application, err := one.application()
	if err != nil {
		one.Fatal(err)
	}
	base := filepath.Join(one.TempDir(), "base")
	one.git("worktree", "add", "-q", "--detach", base, "HEAD~1")
	defer one.git("worktree", "remove", "--force", base)
	out, err := one.previews(nil, nil, "--base", base, "--application", one.manifest(application), "--repository-url", one.spec.Source.RepoURL)
	if err != nil {
		return told{}, err
	}
	return read(out)
}

// concluded waits until an operation has ended, or has waited for the same for a while, and notes how, with its messages.
func (one *scenario) concluded(found *seen, is func(*v1alpha1.OperationState) bool, waits bool) {
	one.Helper()
	limit := 40 * time.Second
	if waits {
		limit = 12 * time.Second
	}
	since, last := time.Now(), ""
	done := one.eventually("the sync", func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		if application.Operation == nil && state != nil && state.FinishedAt != nil && is(state) {
			return true
		}
		message := ""
		if state != nil && is(state) {
			message = state.Message
		}
		if message != last || !strings.Contains(message, "aiting for ") {
			since, last = time.Now(), message
		}
		// On a busy machine, what it waits for may still run.
		return time.Since(since) > limit && !one.works()
	})
	state := done.Status.OperationState
	found.said, found.failed = state.Message[:min(len(state.Message), 300)], refusals(state)
	if state.SyncResult != nil {
		for _, result := range state.SyncResult.Resources {
			line := strings.Join([]string{string(result.SyncPhase), result.Kind, result.Name, string(result.Status), string(result.HookPhase), result.Message}, " ")
			found.said += "\n" + line[:min(len(line), 300)]
		}
	}
	if found.ends = string(state.Phase); state.FinishedAt == nil {
		found.ends = "Running"
	}
}

// works reports whether a Job runs.
func (one *scenario) works() bool {
	jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
	return err != nil || slices.ContainsFunc(jobs.Items, func(job batchv1.Job) bool { return job.Status.Active > 0 })
}

// reacts lets Argo CD see a commit, and syncs by hand if it does not.
func (one *scenario) reacts(said told, prune bool) seen {
	one.Helper()
	created := len(shared.kinds.of(one.name))
	jobs := one.revisions()
	known := map[string]bool{}
	one.started(known)
	application := one.compare()
	isOurs := func(state *v1alpha1.OperationState) bool {
		return state.Operation.InitiatedBy.Automated && state.Operation.Sync.Revision == one.head
	}
	isStarted := func(application *v1alpha1.Application) bool {
		state := application.Status.OperationState
		return application.Operation != nil || state != nil && isOurs(state)
	}
	found := seen{status: application.Status.Sync.Status, started: isStarted(application)}
	for _, status := range application.Status.Resources {
		found.resources = append(found.resources, fmt.Sprintf("%s %s %s hook:%t prune:%t", status.Kind, status.Name, status.Status, status.Hook, status.RequiresPruning))
	}
	found.refused = slices.ContainsFunc(application.Status.Conditions, func(condition v1alpha1.ApplicationCondition) bool {
		return strings.HasPrefix(condition.Type, "ComparisonError")
	})
	if said.starts && !found.started {
		time.Sleep(3 * time.Second)
		if application, err := one.application(); err == nil {
			found.started = isStarted(application)
		}
	}
	if !found.started {
		one.begin(v1alpha1.SyncOperation{Prune: prune}, v1alpha1.RetryStrategy{})
		number := strconv.Itoa(one.operations)
		isOurs = func(state *v1alpha1.OperationState) bool {
			return len(state.Operation.Info) > 0 && state.Operation.Info[0].Value == number
		}
	}
	one.concluded(&found, isOurs, said.waits)
	one.settle()
	one.collect(&found, said, created, jobs, known)
	return found
}

// collect finds what has run since, and waits a little while that is not what is wanted, because a watch may be behind.
func (one *scenario) collect(found *seen, said told, created int, jobs map[string]int, known map[string]bool) {
	one.Helper()
	found.names = one.started(known)
	_ = until(one.Context(), 2*time.Second, func() error {
		found.ran = map[string][]int{}
		for _, name := range found.names {
			found.ran[pieceOf(name)] = []int{0}
		}
		for name, revision := range one.revisions() {
			if _, before := jobs[name]; !before && found.ran[pieceOf(strings.Split(name, " ")[0])] != nil {
				piece := pieceOf(name)
				found.ran[piece] = append(found.ran[piece], revision)
			}
		}
		for _, one := range shared.kinds.of(one.name)[created:] {
			_, name, _ := strings.Cut(one.what, " ")
			found.ran[pieceOf(name)] = append(found.ran[pieceOf(name)], one.revision)
		}
		for name := range said.order {
			if found.ran[name] == nil {
				return errors.New("not yet")
			}
		}
		return nil
	})
	for name, revisions := range found.ran {
		if len(revisions) > 1 && revisions[0] == 0 {
			found.ran[name] = revisions[1:]
		}
		slices.Sort(found.ran[name])
	}
}

// revisions are those at which the Jobs were created, by name and UID.
func (one *scenario) revisions() map[string]int {
	one.Helper()
	jobs, err := shared.jobs.in(one.Context(), one.name)
	if err != nil {
		one.Fatal(err)
	}
	found := map[string]int{}
	for _, job := range jobs {
		found[job.Name+" "+string(job.UID)], _ = strconv.Atoi(job.ResourceVersion)
	}
	return found
}

// expired waits until the TTL controller has deleted what it will soon.
func (one *scenario) expired() {
	one.Helper()
	_ = until(one.Context(), 30*time.Second, func() error {
		jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
		for _, job := range jobs.Items {
			if ttl := job.Spec.TTLSecondsAfterFinished; ttl != nil && *ttl <= 5 && (job.Spec.Suspend == nil || !*job.Spec.Suspend) {
				return errors.New(job.Name + " is still there")
			}
		}
		return err
	})
}

// configRevision is the revision at which a ConfigMap was last written; 0 if there is none.
func (one *scenario) configRevision(name string) int {
	one.Helper()
	found, err := shared.client.CoreV1().ConfigMaps(one.name).Get(one.Context(), name, metav1.GetOptions{})
	if err != nil {
		return 0
	}
	revision, _ := strconv.Atoi(found.ResourceVersion)
	return revision
}

// leftToPrune reports whether the cluster has something that the commit does not, and that Argo CD prunes: no hook.
func (one *scenario) leftToPrune() bool {
	one.Helper()
	application := one.compare()
	return slices.ContainsFunc(application.Status.Resources, func(status v1alpha1.ResourceStatus) bool { return status.RequiresPruning && !status.Hook })
}

// inJSON is for messages.
func inJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// lingersIfThere holds a Job for two seconds when it is deleted, so that what its deletion leads to is no race.
func (one *scenario) lingersIfThere(name string) {
	one.Helper()
	if _, err := shared.client.BatchV1().Jobs(one.name).Get(one.Context(), name, metav1.GetOptions{}); err == nil {
		one.lingers(name)
	}
}

package sync_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// liveJobs is what `kubectl get jobs -o json` prints.
func (one *scenario) liveJobs() []byte {
	one.Helper()
	jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
	if err != nil {
		one.Fatal(err)
	}
	for index := range jobs.Items {
		job := &jobs.Items[index]
		job.APIVersion, job.Kind, job.ManagedFields = "batch/v1", "Job", nil
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": jobs.Items, "metadata": map[string]any{"resourceVersion": ""}})
	if err != nil {
		one.Fatal(err)
	}
	return text
}

// askedAlive asks the program what a sync of the last commit does to the Jobs that are there.
func (one *scenario) askedAlive(arguments ...string) (jobs []row, text string) {
	one.Helper()
	out, err := one.previews(one.liveJobs(), one.named(), append(arguments, "--live", "-")...)
	if err != nil {
		one.Fatal(err)
	}
	read, err := readPreview(out)
	if err != nil {
		one.Fatal(err)
	}
	return read.Rows, string(out)
}

// outcomes are those of the Jobs in a sync of the last commit: `migrate-* runs`, sorted.
func (one *scenario) outcomes() ([]string, string) {
	one.Helper()
	var arguments []string
	if one.spec.Source.Plugin == nil {
		arguments = append(arguments, "--plugin=false")
	}
	jobs, said := one.askedAlive(arguments...)
	var found []string
	for _, job := range jobs {
		found = append(found, withoutHash.ReplaceAllString(job.Name, "-*")+" "+job.Outcome)
	}
	slices.Sort(found)
	return found, said
}

// runsAlive says of each piece whether its Job runs, as `preview --live` says it; not of one of which it does not know that.
func (one *scenario) runsAlive() map[string]bool {
	one.Helper()
	application, err := one.application()
	if err != nil {
		one.Fatal(err)
	}
	jobs, _ := one.askedAlive("--application", one.manifest(application), "--repository-url", one.spec.Source.RepoURL)
	runs, unknown := map[string]bool{}, map[string]bool{}
	for _, job := range jobs {
		name := pieceOf(job.Name)
		runs[name] = runs[name] || job.Runs
		unknown[name] = unknown[name] || job.Outcome == "unknown"
	}
	maps.DeleteFunc(runs, func(name string, _ bool) bool { return unknown[name] })
	return runs
}

// alive is a scenario about live Jobs: what is live and is committed then, what the program says of it, and what the sync does.
type alive struct {
	before, next files
	// meanwhile is done before the program is asked.
	meanwhile func(*scenario)
	outcomes  []string
	// keeps says that the sync does not prune.
	keeps bool
	// ends and message are how it ends; waits is what it waits for instead.
	ends, message, waits string
	// ran are the images of all Jobs that were ever created, and left those that are there.
	ran, left []string
	// then is done and demanded in the end.
	then func(*scenario)
}

func (one alive) holds(app *scenario) {
	app.Helper()
	app.sync()
	app.commit(one.next)
	if one.meanwhile != nil {
		one.meanwhile(app)
	}
	found, said := app.outcomes()
	if !slices.Equal(found, one.outcomes) {
		app.Errorf("the outcomes are %q, not %q:\n%s", found, one.outcomes, said)
	}
	if slices.ContainsFunc(one.outcomes, func(outcome string) bool { return strings.HasSuffix(outcome, " unknown") }) {
		return
	}
	if one.waits != "" {
		app.begin(v1alpha1.SyncOperation{Prune: !one.keeps}, v1alpha1.RetryStrategy{})
		app.waits(one.waits)
		time.Sleep(4 * time.Second)
		app.waits(one.waits)
	} else if one.ends != "" {
		app.sync(!one.keeps).ends(one.ends, one.message)
	} else {
		app.sync(!one.keeps).ends("Succeeded")
	}
	app.ran(one.ran...)
	app.left(one.left...)
	if one.then != nil {
		one.then(app)
	}
}

// deletes deletes a Job, as `kubectl delete` does.
func (one *scenario) deletes(name string) {
	one.Helper()
	background := metav1.DeletePropagationBackground
	if err := shared.client.BatchV1().Jobs(one.name).Delete(one.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		one.Fatal(err)
	}
}

// condition waits until a condition of a Job holds.
func (one *scenario) condition(name string, kind batchv1.JobConditionType) {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		job, err := shared.client.BatchV1().Jobs(one.name).Get(one.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(job.Status.Conditions, func(found batchv1.JobCondition) bool {
			return found.Type == kind && found.Status == corev1.ConditionTrue
		}) {
			return fmt.Errorf("%s is not %s: %+v", name, kind, job.Status)
		}
		return nil
	}); err != nil {
		one.Fatal(err)
	}
}

// TestLive holds what `preview --live` says of the Jobs that the real API server has against what the real sync then does to them.
func TestLive(t *testing.T) {
	t.Parallel()
	and := besideSettings
	later := job("later", "later:1", annotations(`argocd.argoproj.io/sync-wave: "1"`)...)
	seed := job("seed", "seed:1")
	plain, changed := job("migrate", "migrate:1"), job("migrate", "migrate:2")
	holds, fails := job("migrate", "migrate:1-holds"), job("migrate", "migrate:1-fails")
	const gate, immutable = "migrate-7f6g2b9kdt", "field is immutable"
	is := func(outcomes ...string) []string { return outcomes }
	lingers := func(app *scenario) { app.lingers("migrate") }
	for name, one := range map[string]alive{
		"a Job that is not there runs":                      {before: and(), next: and(plain), outcomes: is("migrate runs"), ran: is("migrate:1"), left: is("migrate")},
		"a complete Job does nothing":                       {before: and(plain), next: and(plain, seed), outcomes: is("migrate untouched", "seed runs"), ran: is("migrate:1", "seed:1"), left: is("migrate", "seed")},
		"a running Job does nothing":                        {before: and(holds), next: and(holds), outcomes: is("migrate untouched"), ran: is("migrate:1-holds"), left: is("migrate")},
		"a field that may change does nothing":              {before: and(plain), next: and(with(plain, "ttlSecondsAfterFinished: 9999")), outcomes: is("migrate untouched"), ran: is("migrate:1"), left: is("migrate")},
		"a defaulted and then written field does nothing":   {before: and(plain), next: and(with(plain, "completions: 1", "completionMode: NonIndexed")), outcomes: is("migrate untouched"), ran: is("migrate:1"), left: is("migrate")},
		"a failed Job does nothing, and runs when deleted":  {before: and(fails), next: and(fails), outcomes: is("migrate untouched"), ran: is("migrate:1-fails"), left: is("migrate"), then: func(app *scenario) { app.deletes("migrate"); app.sync(); app.ran("migrate:1-fails", "migrate:1-fails") }},
		"a failed Job makes a sync fail that comes further": {before: and(fails), next: and(fails, later), outcomes: is("later not-reached", "migrate fails"), ends: "Failed", ran: is("migrate:1-fails"), left: is("migrate")},
		"a suspended Job that is resumed runs":              {before: and(with(plain, "suspend: true")), next: and(plain), outcomes: is("migrate resumes"), ran: is("migrate:1"), left: is("migrate"), then: func(app *scenario) { app.condition("migrate", batchv1.JobComplete) }},
		"a suspended Job does nothing, and what is later waits": {before: and(with(plain, "suspend: true")), next: and(with(plain, "suspend: true"), later), outcomes: is("later not-reached", "migrate waits"),
			waits: "waiting for healthy state", ran: is("migrate:1"), left: is("migrate")},
		"a running Job that becomes a hook is killed":              {before: and(holds), next: and(hook("PreSync", "migrate", "migrate:2")), outcomes: is("migrate killed-and-runs"), ran: is("migrate:1-holds", "migrate:2"), left: is("migrate")},
		"a running Job that is replaced is killed":                 {before: and(optioned("Force=true,Replace=true", "migrate:1-holds")), next: and(optioned("Force=true,Replace=true", "migrate:2")), outcomes: is("migrate killed-and-runs"), ran: is("migrate:1-holds", "migrate:2"), left: is("migrate")},
		"a running Job whose update is refused by force is killed": {before: and(optioned("Force=true", "migrate:1-holds")), next: and(optioned("Force=true", "migrate:2")), outcomes: is("migrate killed-and-runs"), ran: is("migrate:1-holds", "migrate:2"), left: is("migrate")},
		"a running Job that is removed is killed":                  {before: and(holds), next: and(), outcomes: is("migrate killed"), ran: is("migrate:1-holds")},
		"a running Job that is suspended is killed":                {before: and(holds), next: and(with(holds, "suspend: true")), outcomes: is("migrate killed"), ran: is("migrate:1-holds"), left: is("migrate"), then: func(app *scenario) { app.condition("migrate", batchv1.JobSuspended) }},
		"a changed Job is refused":                                 {before: and(plain), next: and(changed), outcomes: is("migrate fails"), ends: "Failed", message: immutable, ran: is("migrate:1"), left: is("migrate")},
		"what is only removed is refused":                          {before: and(with(plain, "completionMode: Indexed", "completions: 1")), next: and(plain), outcomes: is("migrate fails"), ends: "Failed", message: immutable, ran: is("migrate:1"), left: is("migrate")},
		"Replace=true alone is refused":                            {before: and(plain), next: and(optioned("Replace=true", "migrate:1")), outcomes: is("migrate fails"), ends: "Failed", ran: is("migrate:1"), left: is("migrate")},
		"a hook is deleted and runs":                               {before: and(hook("PreSync", "migrate", "migrate:1")), next: and(hook("PreSync", "migrate", "migrate:1")), outcomes: is("migrate runs-again"), ran: is("migrate:1", "migrate:1"), left: is("migrate")},
		"a hook that becomes ordinary does nothing":                {before: and(hook("PreSync", "migrate", "migrate:1")), next: and(plain), outcomes: is("migrate untouched"), ran: is("migrate:1"), left: is("migrate")},
		"a gate is done":                                           {before: and(hookedWith("PreSync", "HookFailed", gate, "migrate:1")), next: and(hookedWith("PreSync", "HookFailed", gate, "migrate:1")), outcomes: is("migrate-* untouched"), ran: is("migrate:1"), left: is("migrate-*")},
		"a failed hook that nothing deletes makes the sync fail":   {before: and(hookedWith("PreSync", "HookSucceeded", "migrate", "migrate:1-fails")), next: and(hookedWith("PreSync", "HookSucceeded", "migrate", "migrate:1-fails"), seed), outcomes: is("migrate fails", "seed not-reached"), ends: "Failed", ran: is("migrate:1-fails"), left: is("migrate")},
		"an ordinary Job that becomes a Sync hook is the trap":     {before: and(plain), meanwhile: lingers, next: and(hook("Sync", "migrate", "migrate:2")), outcomes: is("migrate lost"), ran: is("migrate:1")},
		"a removed Job is left without prune":                      {before: and(plain), next: and(), keeps: true, outcomes: is("migrate deleted-if-pruned"), ran: is("migrate:1"), left: is("migrate")},
		"a removed Job with Prune=false is left":                   {before: and(optioned("Prune=false", "migrate:1")), next: and(), outcomes: is("migrate stays"), ran: is("migrate:1"), left: is("migrate")},
		"a removed hook is left":                                   {before: and(hook("PreSync", "migrate", "migrate:1")), next: and(), outcomes: is("migrate stays"), ran: is("migrate:1"), left: is("migrate")},
		"a skipped Job does not run":                               {before: and(), next: and(hook("Skip", "migrate", "migrate:1")), outcomes: is("migrate never")},
		"a SyncFail hook runs if another Job is refused":           {before: and(plain), next: and(changed, hook("SyncFail", "alarm", "alarm:1"), later), outcomes: is("alarm runs", "later not-reached", "migrate fails"), ends: "Failed", ran: is("migrate:1", "alarm:1"), left: is("alarm", "migrate")},
		"a Job that is being deleted is unknown": {before: and(plain), next: and(plain), meanwhile: func(app *scenario) { app.Cleanup(app.held("migrate")); app.deletes("migrate") },
			outcomes: is("migrate unknown")},
	} {
		t.Run(name, func(t *testing.T) { one.holds(given(t, one.before, native)) })
	}
	for name, one := range map[string]alive{
		"a new hash runs, and the old one is deleted": {before: and(plain), next: and(changed), outcomes: is("migrate-* deleted-if-pruned", "migrate-* runs"), ran: is("migrate:1", "migrate:2"), left: is("migrate-*")},
		"a new hash kills the Job that runs":          {before: and(holds), next: and(changed), outcomes: is("migrate-* killed", "migrate-* runs"), ran: is("migrate:1-holds", "migrate:2"), left: is("migrate-*")},
		"a failed Job does nothing until rerun changes": {before: and(fails), next: and(fails), outcomes: is("migrate-* untouched"), ran: is("migrate:1-fails"), left: is("migrate-*"), then: func(app *scenario) {
			app.commit(and(job("migrate", "migrate:1-fails", annotations(`argocd-jobs/rerun: "2"`)...)))
			app.sync(true)
			app.ran("migrate:1-fails", "migrate:1-fails")
		}},
	} {
		t.Run(name+", with the plugin", func(t *testing.T) { one.holds(given(t, one.before)) })
	}
}

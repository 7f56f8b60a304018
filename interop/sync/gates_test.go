package sync_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// labelled is a gate with the labels by which docs/strategies.md cleans up.
func labelled(version string) string {
	more := append(annotations(in("PreSync"), "argocd.argoproj.io/hook-delete-policy: HookFailed"), "labels:", "  gate: migrate", fmt.Sprintf("  gate-version: %q", version))
	return job("migrate-"+version, "migrate:"+version, more...)
}

// TestOldGates measures what fifty gates of earlier versions cost, and cleans them up.
func TestOldGates(t *testing.T) {
	first := files{"settings.yaml": settings("1")}
	for version := range 50 {
		first[fmt.Sprintf("%d.yaml", version)] = labelled(fmt.Sprint("v", version))
	}
	app := given(t, first, native)
	app.sync(true).ends("Succeeded")
	app.commit(files{"migrate.yaml": labelled("v50"), "settings.yaml": settings("1")})
	measured := func(what string, rows int) {
		t.Helper()
		start := time.Now()
		app.sync(true).ends("Succeeded")
		took := time.Since(start)
		app.becomes("Synced", "Healthy")
		application, err := app.application()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(application.Status.Resources)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d rows in status.resources, %d bytes; a sync takes %.1f s", what, len(application.Status.Resources), len(text), took.Seconds())
		for _, resource := range application.Status.Resources {
			// Of hooks it says that they require pruning, which never happens to them.
			if resource.Hook != (resource.Kind == "Job") || resource.Hook && (resource.Status != "" || resource.Health != nil) {
				t.Errorf("%+v", resource)
			}
		}
		if found := len(application.Status.Resources); found != rows {
			t.Errorf("%d rows in status.resources, not %d: %s", found, rows, text)
		}
	}
	measured("the new gate runs", 52)
	measured("with fifty old gates", 52)
	// kubectl delete job -l gate=migrate,gate-version!=v50
	jobs := shared.client.BatchV1().Jobs(app.name)
	if err := jobs.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "gate=migrate,gate-version!=v50"}); err != nil {
		t.Fatal(err)
	}
	app.settle()
	app.left("migrate-v50")
	measured("without them", 2)
	jobs51, err := shared.jobs.in(t.Context(), app.name)
	if err != nil || len(jobs51) != 51 {
		t.Errorf("%d Jobs ran: %v", len(jobs51), err)
	}
}

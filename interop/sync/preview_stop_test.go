package sync_test

import (
	"strings"
	"testing"
)

// TestPreviewOfWhatStopsFirst holds `preview --base` against syncs in which several objects would fail: the first one ends the sync, and
// of what is behind it the preview says neither that it fails nor that it runs.
func TestPreviewOfWhatStopsFirst(t *testing.T) {
	t.Parallel()
	inWaveOf := func(wave int, image string) string { return job("migrate", image, annotations(inWave(wave))...) }
	late := job("late", "late:1", annotations(inWave(3))...)
	invalid := strings.Replace(late, "restartPolicy: Never", "restartPolicy: Always", 1)
	for name, one := range map[string]struct {
		before, after string
		// says is in what the preview prints, and conceals is not.
		says, conceals string
		message        string
	}{
		"a Job in an earlier wave than the Deployment":    {inWaveOf(-1, "migrate:1"), inWaveOf(-1, "migrate:2"), "fails: `field is immutable`: image `migrate`", "immutable: `spec.selector`", "field is immutable"},
		"a Job in a later wave than the Deployment":       {inWaveOf(1, "migrate:1"), inWaveOf(1, "migrate:2"), "immutable: `spec.selector`", "fails: `field is immutable`", "field is immutable"},
		"a hook of PreSync that is not deleted before it": {hookedWith("PreSync", "HookFailed", "migrate", "migrate:1"), hookedWith("PreSync", "HookFailed", "migrate", "migrate:2"), "fails: `field is immutable`: image `migrate`", "immutable: `spec.selector`", "field is immutable"},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, files{"migrate.yaml": one.before, "api.yaml": selected("a"), "late.yaml": late}, native)
			app.operateOnce()
			after := files{"migrate.yaml": one.after, "api.yaml": selected("b"), "late.yaml": invalid}
			app.holds(map[string]bool{}, change{files: after, ends: "Failed", message: one.message, says: one.says, conceals: one.conceals}, true)
		})
	}
}

// TestPreviewOfWhatTheServerReads holds it against what the API server refuses or drops of a Job: a Job without an image, unknown fields, and two
// items of one key.
func TestPreviewOfWhatTheServerReads(t *testing.T) {
	t.Parallel()
	onServer := syncOptions("ServerSideApply=true")
	// With an option the program is asked about the Application, and not about a folder.
	asApplication := syncOptions("ApplyOutOfSyncOnly=false")
	twice := job("migrate", "migrate:1") + "        env: [{name: A, value: one}, {name: A, value: two}]\n"
	ports := job("migrate", "migrate:1") + "        ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]\n"
	unknown := with(job("migrate", "migrate:1"), "retries: 3")
	for name, one := range map[string]struct {
		options []option
		object  string
		// message is that of a sync that fails.
		message string
	}{
		"a Job without an image":                                {[]option{asApplication}, strings.Replace(job("migrate", "migrate:1"), "        image: migrate:1\n", "", 1), "image"},
		"a hook without an image":                               {[]option{asApplication}, strings.Replace(hook("PreSync", "migrate", "migrate:1"), "        image: migrate:1\n", "", 1), "image"},
		"an unknown field with client-side apply":               {[]option{asApplication}, unknown, ""},
		"an unknown field with server-side apply":               {[]option{onServer}, unknown, "field not declared in schema"},
		"a variable twice with client-side apply":               {[]option{asApplication}, twice, ""},
		"a variable twice with server-side apply":               {[]option{onServer}, twice, "duplicate entries for key"},
		"a port twice with server-side apply, once by default":  {[]option{onServer}, ports, "duplicate entries for key"},
		"an unknown field with server-side apply off for a Job": {[]option{onServer}, with(optioned("ServerSideApply=false", "migrate:1"), "retries: 3"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, files{"settings.yaml": settings("1")}, append([]option{native}, one.options...)...)
			app.operateOnce()
			next := change{files: files{"settings.yaml": settings("1"), "migrate.yaml": one.object}, ends: "Succeeded", runs: []string{"migrate"}}
			if one.message != "" {
				next.ends, next.message, next.runs = "Failed", one.message, []string{}
			}
			app.holds(map[string]bool{}, next, true)
		})
	}
	t.Run("an unknown field of a live pod template is dropped", func(t *testing.T) {
		template := strings.Replace(job("migrate", "migrate:1"), "      restartPolicy: Never\n", "      restartPolicy: Never\n      restartpolicy: Never\n", 1)
		app := given(t, files{"settings.yaml": settings("1"), "migrate.yaml": job("migrate", "migrate:1")}, native)
		app.operateOnce()
		// Something else starts the sync: Argo CD does not see the field either.
		app.holds(map[string]bool{}, change{files: files{"settings.yaml": settings("2"), "migrate.yaml": template}, ends: "Succeeded", runs: []string{}}, true)
	})
}

// TestLiveConfirmation holds `preview --live` against a sync that waits for the confirmation of a pruning: no Job runs before that.
func TestLiveConfirmation(t *testing.T) {
	t.Parallel()
	t.Run("a changed Job with Prune=confirm", func(t *testing.T) {
		one := alive{
			before:   besideSettings(optioned("Prune=confirm", "migrate:1")),
			next:     besideSettings(optioned("Prune=confirm", "migrate:2")),
			outcomes: []string{"migrate-* not-reached", "migrate-* waits"},
			waits:    "aiting for pruning confirmation", ran: []string{"migrate:1"}, left: []string{"migrate-*"},
		}
		one.holds(given(t, one.before))
	})
}

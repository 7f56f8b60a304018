package sync_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestPreview holds what `preview --base` says against what the sync does.
func TestPreview(t *testing.T) {
	t.Parallel()
	and := besideSettings
	wave := func(number, name, image string) string {
		return job(name, image, annotations(`argocd.argoproj.io/sync-wave: "`+number+`"`)...)
	}
	plain, changed := job("migrate", "migrate:1"), job("migrate", "migrate:2")
	suspended := with(plain, "suspend: true")
	long := strings.Repeat("a", 64)
	invalid := strings.Replace(changed, "      restartPolicy: Never\n", "", 1)
	migrate := []string{"migrate"}
	lingers := func(app *scenario) { app.lingers("migrate") }
	expires := func(app *scenario) { app.gone() }
	succeeds := change{ends: "Succeeded"}
	fails := change{ends: "Failed", message: "field is immutable"}
	// to makes the change lead to these manifests, and to these Jobs that run.
	to := func(next change, runs []string, texts ...string) change {
		next.files, next.runs = and(texts...), runs
		return next
	}
	after := func(next change, before func(*scenario)) change { next.before = before; return next }
	says := func(next change, text string) change { next.says = text; return next }
	status := func(next change, status string) change { next.status = status; return next }

	for name, one := range map[string]struct {
		before files
		next   change
	}{
		"a hook that is only deleted when it fails does not run unchanged":          {and(hookedWith("PreSync", "HookFailed", "migrate", "migrate:1")), to(succeeds, nil, hookedWith("PreSync", "HookFailed", "migrate", "migrate:1"))},
		"a hook that is only deleted when it fails fails the sync when changed":     {and(hookedWith("PreSync", "HookFailed", "migrate", "migrate:1")), to(fails, nil, hookedWith("PreSync", "HookFailed", "migrate", "migrate:2"))},
		"a hook that is deleted when it succeeds runs":                              {and(hookedWith("PreSync", "HookSucceeded", "migrate", "migrate:1")), to(succeeds, migrate, hookedWith("PreSync", "HookSucceeded", "migrate", "migrate:2"))},
		"an unchanged hook that becomes ordinary does not run":                      {and(hook("PreSync", "migrate", "migrate:1")), to(succeeds, nil, plain)},
		"a changed hook that becomes ordinary fails the sync":                       {and(hook("PreSync", "migrate", "migrate:1")), to(fails, nil, changed)},
		"a hook that is gone and becomes ordinary runs":                             {and(hookedWith("PreSync", "HookSucceeded", "migrate", "migrate:1")), to(succeeds, migrate, plain)},
		"a skipped Job that becomes ordinary runs":                                  {and(hook("Skip", "migrate", "migrate:1")), to(succeeds, migrate, plain)},
		"a test of Helm that becomes ordinary runs":                                 {and(job("migrate", "migrate:1", annotations("helm.sh/hook: test")...)), to(succeeds, migrate, plain)},
		"an ordinary Job that becomes a Sync hook is the trap":                      {and(plain), after(to(succeeds, nil, hook("Sync", "migrate", "migrate:2")), lingers)},
		"an ordinary Job that becomes a PreSync hook runs":                          {and(plain), to(succeeds, migrate, hook("PreSync", "migrate", "migrate:2"))},
		"an ordinary Job that becomes a Sync hook of an earlier wave runs":          {and(plain), to(succeeds, migrate, job("migrate", "migrate:2", annotations("argocd.argoproj.io/hook: Sync", `argocd.argoproj.io/sync-wave: "-1"`)...))},
		"an ordinary Job that becomes a Sync hook of a later wave is the trap":      {and(plain), after(to(succeeds, nil, job("migrate", "migrate:2", annotations("argocd.argoproj.io/hook: Sync", `argocd.argoproj.io/sync-wave: "1"`)...)), lingers)},
		"with PruneLast=true an ordinary Job that becomes a Sync hook runs":         {and(optioned("PruneLast=true", "migrate:1")), to(succeeds, migrate, hook("Sync", "migrate", "migrate:2"))},
		"an ordinary Job that becomes skipped stays, and the Application is Synced": {and(plain), status(to(succeeds, nil, hook("Skip", "migrate", "migrate:2")), "Synced")},
		"of two Jobs of one name the last one counts":                               {and(plain, changed), to(succeeds, nil, job("migrate", "migrate:3"), changed)},
		"of two Jobs of one name a change of the last one fails the sync":           {and(plain, changed), to(fails, nil, plain, job("migrate", "migrate:3"))},
		"a SyncFail hook runs after a wave that fails, and what is later does not": {and(plain, hook("SyncFail", "alarm", "alarm:1"), wave("1", "late", "late:1")),
			to(fails, []string{"alarm"}, changed, hook("SyncFail", "alarm", "alarm:1"), wave("1", "late", "late:1"), hook("PostSync", "smoke", "smoke:1"))},
		"a Job that its TTL has deleted runs again unchanged":                    {and(with(plain, "ttlSecondsAfterFinished: 1")), after(to(succeeds, migrate, with(plain, "ttlSecondsAfterFinished: 1")), expires)},
		"a Job that its TTL has deleted runs again changed":                      {and(with(plain, "ttlSecondsAfterFinished: 0")), after(to(succeeds, migrate, with(changed, "ttlSecondsAfterFinished: 0")), expires)},
		"a name that is too long fails the sync, and what is later does not run": {and(), to(change{ends: "Failed", message: "must be no more than 63"}, nil, hook("PreSync", long, "migrate:1"), plain)},
		"a Job without a restartPolicy fails the sync":                           {and(), to(change{ends: "Failed", message: "restartPolicy"}, nil, invalid, wave("1", "late", "late:1"))},
		"a suspended hook holds what comes after it":                             {and(), to(change{waits: "waiting for completion of hook"}, nil, with(hook("PreSync", "migrate", "migrate:1"), "suspend: true"), job("late", "late:1"))},
		"a suspended Job holds later waves":                                      {and(), to(change{waits: "waiting for healthy state"}, nil, suspended, wave("1", "late", "late:1"))},
		"a suspended Job in the last wave holds nothing":                         {and(), to(succeeds, []string{"early"}, wave("-1", "early", "early:1"), suspended)},
		"a Job that is resumed starts":                                           {and(suspended), to(succeeds, migrate, plain)},
		"a removed Job with Prune=false stays, and the Application is OutOfSync": {and(optioned("Prune=false", "migrate:1")), says(status(to(succeeds, nil), "OutOfSync"), "stays in the cluster: `Prune=false`; the Application is OutOfSync")},
		"a removed Job with IgnoreExtraneous starts nothing":                     {and(job("migrate", "migrate:1", annotations("argocd.argoproj.io/compare-options: IgnoreExtraneous")...)), to(succeeds, nil)},
		"a Job with Prune=confirm that becomes a PreSync hook waits for nothing": {and(optioned("Prune=confirm", "migrate:1")), to(succeeds, migrate, hook("PreSync", "migrate", "migrate:2"))},
		"a Job with Prune=confirm that becomes a later Sync hook waits": {and(optioned("Prune=confirm", "migrate:1")),
			change{files: and(job("migrate", "migrate:2", annotations("argocd.argoproj.io/hook: Sync", `argocd.argoproj.io/sync-wave: "1"`)...)), waits: "aiting for pruning confirmation"}},
		"a removed Job with Prune=confirm waits":    {and(optioned("Prune=confirm", "migrate:1")), change{files: and(hook("PreSync", "early", "early:1"), hook("PostSync", "late", "late:1")), runs: []string{"early"}, waits: "aiting for pruning confirmation"}},
		"a removed object with Prune=confirm waits": {files{"settings.yaml": strings.Replace(settings("1"), "metadata:\n", "metadata:\n  annotations: {argocd.argoproj.io/sync-options: Prune=confirm}\n", 1), "a.yaml": plain}, change{files: files{"a.yaml": plain, "b.yaml": job("late", "late:1")}, waits: "aiting for pruning confirmation"}},
	} {
		t.Run(name+", without the plugin", func(t *testing.T) {
			app := given(t, one.before, native)
			app.operateOnce()
			app.holds(map[string]bool{}, one.next, true)
		})
	}
	for name, one := range map[string]struct {
		before files
		next   change
		then   change
	}{
		"a Job that is resumed starts":          {before: and(suspended), next: to(succeeds, []string{"migrate-*"}, plain), then: to(succeeds, nil, plain)},
		"a Job that is resumed by false starts": {before: and(suspended), next: to(succeeds, []string{"migrate-*"}, with(plain, "suspend: false"))},
		"a changed Job with Prune=confirm waits before it runs": {before: and(optioned("Prune=confirm", "migrate:1")),
			next: change{files: and(optioned("Prune=confirm", "migrate:2")), waits: "aiting for pruning confirmation", confirms: true}},
		"a changed Job with Prune=confirm and PruneLast=true runs before the sync waits": {before: and(optioned("Prune=confirm,PruneLast=true", "migrate:1")),
			next: change{files: and(optioned("Prune=confirm", "migrate:2")), runs: []string{"migrate-*"}, waits: "aiting for pruning confirmation"}},
		"a changed Job with Prune=false leaves the old one": {before: and(optioned("Prune=false", "migrate:1")),
			next: says(status(to(succeeds, []string{"migrate-*"}, optioned("Prune=false", "migrate:2")), "OutOfSync"), `"is kept"`)},
		"a name that is too long fails the sync":       {before: and(), next: to(change{ends: "Failed", message: "must be no more than 63"}, nil, hook("PreSync", long, "migrate:1"), plain)},
		"a Job without a restartPolicy fails the sync": {before: and(), next: to(change{ends: "Failed", message: "restartPolicy"}, nil, invalid, hook("PostSync", "late", "late:1"))},
		"a new Job with its own hash as baseline runs": {before: and(), next: to(succeeds, migrate, job("migrate", "migrate:1", annotations("argocd-jobs/baseline: "+hash(t, plain))...))},
	} {
		t.Run(name+", with the plugin", func(t *testing.T) {
			app := given(t, one.before)
			app.operateOnce()
			known := map[string]bool{}
			app.holds(known, one.next, true)
			if one.then.ends != "" {
				app.holds(known, one.then, true)
			}
		})
	}
}

// TestPreviewOfASuspendedJob holds it against what a sync still has to do after a suspended Job.
func TestPreviewOfASuspendedJob(t *testing.T) {
	t.Parallel()
	late := func(value string) string {
		return object("v1", "ConfigMap", "late", fmt.Sprintf("data: {value: %q}\n", value), []string{`argocd.argoproj.io/sync-wave: "1"`})
	}
	suspended, beside := with(job("migrate", "migrate:1"), "suspend: true"), hook("Sync", "now", "now:1")
	waits, succeeds := change{waits: "waiting for healthy state"}, change{ends: "Succeeded"}
	to := func(next change, runs []string, files files) change {
		next.files, next.runs = files, runs
		return next
	}
	const only = "ApplyOutOfSyncOnly=true"
	for name, one := range map[string]struct {
		before files
		option string
		next   change
	}{
		"it holds the pruning of a later wave":           {files{"late.yaml": late("1"), "settings.yaml": settings("1")}, "", to(waits, nil, files{"migrate.yaml": suspended, "settings.yaml": settings("1")})},
		"it holds what has changed":                      {files{"late.yaml": late("1")}, only, to(waits, nil, files{"migrate.yaml": suspended, "late.yaml": late("2")})},
		"it does not hold what has not changed":          {files{"late.yaml": late("1")}, only, to(succeeds, nil, files{"migrate.yaml": suspended, "late.yaml": late("1")})},
		"it is waited for beside a hook":                 {files{"late.yaml": late("1")}, only, to(waits, []string{"now"}, files{"migrate.yaml": suspended, "late.yaml": late("1"), "now.yaml": beside})},
		"it is not waited for beside a hook in one wave": {files{"settings.yaml": settings("1")}, only, to(succeeds, []string{"now"}, files{"migrate.yaml": suspended, "settings.yaml": settings("1"), "now.yaml": beside})},
	} {
		t.Run(strings.TrimSpace(name+" "+one.option), func(t *testing.T) {
			app := given(t, one.before, native, syncOptions(one.option))
			app.operateOnce()
			app.holds(map[string]bool{}, one.next, true)
		})
	}
}

package sync_test

import (
	"strings"
	"testing"
)

// TestPreviewOfHooksForAFailedSync holds `preview --base` against what happens to SyncFail hooks that the API server would refuse: no sync comes to
// them that does not fail for another reason.
func TestPreviewOfHooksForAFailedSync(t *testing.T) {
	t.Parallel()
	and := besideSettings
	plain, changed := job("migrate", "migrate:1"), job("migrate", "migrate:2")
	invalid := func(text string) string { return strings.Replace(text, "      restartPolicy: Never\n", "", 1) }
	ordinary, kept := job("alarm", "alarm:1"), hookedWith("SyncFail", "HookFailed", "alarm", "alarm:2")
	succeeds, fails := change{ends: "Succeeded"}, change{ends: "Failed", message: "field is immutable"}
	to := func(next change, runs []string, texts ...string) change {
		next.files, next.runs = and(texts...), runs
		return next
	}
	for name, one := range map[string]struct {
		before files
		next   change
	}{
		"an invalid one":                               {and(hook("SyncFail", "alarm", "alarm:1")), to(succeeds, nil, invalid(hook("SyncFail", "alarm", "alarm:1")))},
		"an invalid one in a sync that fails":          {and(plain), to(fails, nil, changed, invalid(hook("SyncFail", "alarm", "alarm:1")))},
		"an invalid one of two phases":                 {and(plain), to(fails, nil, changed, invalid(hook("PostSync,SyncFail", "alarm", "alarm:1")))},
		"a suspended one holds a sync that fails":      {and(plain), to(change{waits: "waiting for completion of hook"}, nil, changed, with(hook("SyncFail", "alarm", "alarm:1"), "suspend: true"))},
		"it was an ordinary Job":                       {and(ordinary), to(succeeds, nil, kept)},
		"it was an ordinary Job, in a sync that fails": {and(plain, ordinary), to(fails, []string{"alarm"}, changed, kept)},
		"it was in PreSync":                            {and(hookedWith("PreSync", "HookFailed", "alarm", "alarm:1")), to(succeeds, nil, kept)},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, one.before, native)
			app.operateOnce()
			app.holds(map[string]bool{}, one.next, true)
		})
	}
}

// TestPreviewOfWhatIsSkipped holds it against syncs that do not apply what Argo CD does not see: nothing of it is refused.
func TestPreviewOfWhatIsSkipped(t *testing.T) {
	t.Parallel()
	plain := job("migrate", "migrate:1")
	fixed := func(value string) string {
		return object("v1", "ConfigMap", "fixed", "immutable: true\ndata: {value: \""+value+"\"}\n", nil)
	}
	const ofPods = "[{group: '*', kind: '*', jsonPointers: [/spec/selector, /spec/template]}]"
	for name, one := range map[string]struct{ before, after, ignored, option string }{
		"a Job":                         {plain, job("migrate", "migrate:2"), ofPods, "ApplyOutOfSyncOnly=true"},
		"a Job that is invalid":         {plain, strings.Replace(plain, "      restartPolicy: Never\n", "", 1), ofPods, "ApplyOutOfSyncOnly=true"},
		"a selector of a Deployment":    {selected("a"), selected("b"), ofPods, "ApplyOutOfSyncOnly=true"},
		"a ConfigMap that is immutable": {fixed("1"), fixed("2"), "[{group: '*', kind: ConfigMap, jsonPointers: [/data]}]", "ApplyOutOfSyncOnly=true"},
		"that a Job is resumed":         {with(plain, "suspend: true"), plain, "[{group: batch, kind: Job, jsonPointers: [/spec/suspend]}]", "RespectIgnoreDifferences=true"},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, files{"object.yaml": one.before}, native, ignoring(one.ignored), syncOptions(one.option))
			app.operateOnce()
			app.holds(map[string]bool{}, change{files: files{"object.yaml": one.after}, ends: "Succeeded"}, true)
		})
	}
}

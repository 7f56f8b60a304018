package sync_test

import (
	"fmt"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
)

// TestPreviewOfWhatIsRefused holds what `preview --base` says against syncs in which the API server refuses something: hooks of earlier
// phases run, and so do the other Jobs of that wave; nothing later does.
func TestPreviewOfWhatIsRefused(t *testing.T) {
	t.Parallel()
	wave := func(number, name string) string {
		return job(name, name+":1", annotations(`argocd.argoproj.io/sync-wave: "`+number+`"`)...)
	}
	container := func(line string) string { return job("migrate", "migrate:1") + "        " + line + "\n" }
	without := func(job string) string { return strings.Replace(job, "      restartPolicy: Never\n", "", 1) }
	plain, long := job("migrate", "migrate:1"), strings.Repeat("a", 64)
	indexed := with(job("migrate.db", "migrate:1"), "completionMode: Indexed", "completions: 2")
	for name, one := range map[string]struct {
		// before and after are two versions of the object that is refused; before may be empty.
		before, after, message string
		// options are those of the Application.
		options []option
	}{
		"a Deployment that changes its selector":                     {selected("a"), selected("b"), "field is immutable", nil},
		"a Deployment that is replaced":                              {selected("a"), selected("b", "Replace=true"), "field is immutable", nil},
		"a Deployment that is replaced, as everything":               {selected("a"), selected("b"), "field is immutable", []option{syncOptions("Replace=true")}},
		"a Deployment of an Application with Force=true":             {selected("a"), selected("b"), "field is immutable", []option{syncOptions("Force=true")}},
		"a Deployment with Force=true that is applied on the server": {selected("a"), selected("b", "Force=true", "ServerSideApply=true"), "", nil},
		"an environment value that is a number":                      {"", container("env: [{name: A, value: 1}]"), "", nil},
		"a backoffLimit that is a text":                              {"", strings.Replace(plain, "backoffLimit: 0", `backoffLimit: "3"`, 1), "", nil},
		"a mount without its volume":                                 {"", container("volumeMounts: [{name: data, mountPath: /data}]"), "Not found", nil},
		"a request above its limit":                                  {"", container("resources: {requests: {cpu: 2}, limits: {cpu: 1}}"), "must be less than or equal to cpu limit", nil},
		"an Indexed Job with a dot in its name":                      {"", indexed, "invalid DNS label", nil},
		"a hook with a name that is too long":                        {"", hook("PreSync", long, "migrate:1"), "must be no more than 63", nil},
		"a Job without a restartPolicy":                              {"", without(plain), "restartPolicy", nil},
		"a hook without a restartPolicy":                             {"", without(hook("PreSync", "migrate", "migrate:1")), "restartPolicy", nil},
		"a changed Job that is refused":                              {plain, without(job("migrate", "migrate:2")), "restartPolicy", nil},
	} {
		for _, way := range []struct {
			name, suffix string
			options      []option
		}{{"with the plugin", "-*", nil}, {"without the plugin", "", []option{native}}} {
			t.Run(name+", "+way.name, func(t *testing.T) {
				before := files{"settings.yaml": settings("1")}
				if one.before != "" {
					before["object.yaml"] = one.before
				}
				app := given(t, before, append(way.options, one.options...)...)
				app.operateOnce()
				after := files{"settings.yaml": settings("1"), "object.yaml": one.after, "early.yaml": hook("PreSync", "early", "early:1"),
					"beside.yaml": wave("0", "beside"), "late.yaml": wave("1", "late"), "last.yaml": hook("PostSync", "last", "last:1")}
				runs := []string{"beside" + way.suffix, "early"}
				if strings.Contains(one.after, "PreSync") {
					runs = runs[1:]
				}
				app.holds(map[string]bool{}, change{files: after, ends: "Failed", message: one.message, runs: runs}, true)
			})
		}
	}
}

// TestPreviewOfWhatIsForced holds what `preview --base` says of immutable fields against syncs that delete the object and create it.
func TestPreviewOfWhatIsForced(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		after   string
		options []option
	}{
		"a Deployment with Force=true":                                            {selected("b", "Force=true"), nil},
		"a Deployment with Force=true,Replace=true":                               {selected("b", "Force=true", "Replace=true"), nil},
		"a forced Deployment where everything is replaced":                        {selected("b", "Force=true"), []option{syncOptions("Replace=true")}},
		"a Deployment with Force=true,Replace=true that is applied on the server": {selected("b", "Force=true", "Replace=true", "ServerSideApply=true"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, files{"object.yaml": selected("a")}, append([]option{native}, one.options...)...)
			app.operateOnce()
			after := files{"object.yaml": one.after, "beside.yaml": job("beside", "beside:1")}
			app.holds(map[string]bool{}, change{files: after, ends: "Succeeded", runs: []string{"beside"}}, true)
		})
	}
}

// TestPreviewOfServerSide holds it against syncs of Jobs that the API server compares or applies.
func TestPreviewOfServerSide(t *testing.T) {
	t.Parallel()
	of := func(image, value, options string) files {
		return files{"migrate.yaml": job("migrate", image, annotations("argocd.argoproj.io/sync-options: '"+options+"'")...), "settings.yaml": settings(value)}
	}
	const replaced, served = "Force=true,Replace=true", "Force=true,ServerSideApply=true"
	t.Run("a replaced Job that the API server compares runs again unchanged", func(t *testing.T) {
		app := given(t, of("migrate:1", "1", replaced), native)
		app.annotate(compareOptions, "ServerSideDiff=true")
		app.operateOnce()
		app.holds(map[string]bool{}, change{files: of("migrate:1", "2", replaced), ends: "Succeeded", runs: []string{"migrate"}}, true)
	})
	t.Run("a Job with Force=true alone is applied by the API server", func(t *testing.T) {
		message := "field is immutable"
		if argocd.Before(6) {
			message = "--force cannot be used with --server-side"
		}
		app := given(t, of("migrate:1", "1", ""), native)
		app.operateOnce()
		app.holds(map[string]bool{}, change{files: of("migrate:2", "1", served), ends: "Failed", message: message}, true)
	})
	t.Run("a Job leaves Replace=true and Force=true", func(t *testing.T) {
		next := change{files: of("migrate:1", "1", ""), ends: "Succeeded"}
		if !argocd.Before(3) {
			next.runs = []string{"migrate"}
		}
		app := given(t, of("migrate:1", "1", replaced), native)
		app.operateOnce()
		app.holds(map[string]bool{}, next, true)
	})
	t.Run("a changed Job leaves Replace=true and Force=true", func(t *testing.T) {
		next := change{files: of("migrate:2", "1", ""), ends: "Failed", message: "field is immutable"}
		if !argocd.Before(3) {
			next = change{files: next.files, ends: "Succeeded", runs: []string{"migrate"}}
		}
		app := given(t, of("migrate:1", "1", replaced), native)
		app.operateOnce()
		app.holds(map[string]bool{}, next, true)
	})
}

// TestPreviewOfGeneratedNames holds it against syncs of an object of another kind than Job that is not a hook and has a generateName.
func TestPreviewOfGeneratedNames(t *testing.T) {
	t.Parallel()
	generated := func(lines ...string) string {
		return strings.Replace(workflow("one", "one", lines...), "  name: one", "  generateName: one-", 1)
	}
	with := func(text, value string) files {
		return files{"one.yaml": text, "settings.yaml": settings(value), "early.yaml": hook("PreSync", "early", "early:"+value)}
	}
	t.Run("it cannot be applied, and nothing runs", func(t *testing.T) {
		app := given(t, files{"settings.yaml": settings("1")}, native)
		app.operateOnce()
		app.holds(map[string]bool{}, change{files: with(generated(), "1"), ends: "Failed", message: "cannot use generate name with apply"}, true)
		app.holds(map[string]bool{}, change{files: with(generated(), "2"), ends: "Failed", message: "cannot use generate name with apply"}, true)
	})
	// With another wave Argo CD 3.2 waits for an object of its name, without an end.
	t.Run("with Replace=true it is created", func(t *testing.T) {
		replaced := func(value string) files {
			return files{"one.yaml": generated("argocd.argoproj.io/sync-options: Replace=true"), "settings.yaml": settings(value)}
		}
		app := given(t, replaced("1"), native)
		app.operateOnce()
		app.holds(map[string]bool{}, change{files: replaced("2"), ends: "Succeeded"}, true)
	})
}

// TestPreviewOfWhatIsRemoved holds it against what Argo CD sees of a change that only removes something.
func TestPreviewOfWhatIsRemoved(t *testing.T) {
	t.Parallel()
	const whole, rest = "data: {one: a, two: b}\n", "data: {two: b}\n"
	config := func(data string, lines ...string) string { return object("v1", "ConfigMap", "config", data, lines) }
	forced := func(lines ...string) string {
		text := job("migrate", "migrate:1", annotations("argocd.argoproj.io/sync-options: 'Force=true,Replace=true'")...)
		return text + strings.Join(append([]string{""}, lines...), "        ")
	}
	replaced, onServer := "argocd.argoproj.io/sync-options: Replace=true", "argocd.argoproj.io/sync-options: ServerSideApply=true"
	for name, one := range map[string]struct {
		before, after string
		runs          []string
	}{
		"a key of a ConfigMap that is applied":                                {config(whole), config(rest), nil},
		"a key of a ConfigMap that is replaced":                               {config(whole, replaced), config(rest, replaced), nil},
		"a variable of a Job that is replaced":                                {forced("env: [{name: A, value: a}]\n"), forced(), []string{"migrate"}},
		"a variable of a Job that is replaced, with server-side diff":         {forced("env: [{name: A, value: a}]\n"), forced(), []string{"migrate"}},
		"an argument of a Job that is replaced":                               {forced("args: [one, two]\n"), forced("args: [one]\n"), []string{"migrate"}},
		"all arguments of a Job that is replaced":                             {forced("args: [one, two]\n"), forced(), []string{"migrate"}},
		"a key of a ConfigMap that is applied, with server-side diff":         {config(whole), config(rest), nil},
		"a key of a ConfigMap that the server applies, with server-side diff": {config(whole, onServer), config(rest, onServer), nil},
		"a key of a ConfigMap that the server applies":                        {config(whole, onServer), config(rest, onServer), nil},
		"a key of a ConfigMap that the server does not apply any more":        {config(whole, onServer), config(rest), nil},
		"an argument of a Deployment, with server-side diff":                  {withArgs("[one, two]"), withArgs("[one]"), nil},
		"a volume of a Job that is replaced":                                  {forced("volumeMounts: [{name: a, mountPath: /a}]\n      volumes: [{name: a, emptyDir: {}}]\n"), forced(), []string{"migrate"}},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, files{"object.yaml": one.before, "settings.yaml": settings("1")}, native)
			if strings.HasSuffix(name, "server-side diff") {
				app.annotate(compareOptions, "ServerSideDiff=true")
			}
			app.operateOnce()
			app.holds(map[string]bool{}, change{files: files{"object.yaml": one.after, "settings.yaml": settings("1")}, ends: "Succeeded", runs: one.runs}, true)
		})
	}
}

// TestPreviewOfAHookThatIsNotDeletedFirst holds it against what happens to a hook without BeforeHookCreation over an ordinary Job of its name.
func TestPreviewOfAHookThatIsNotDeletedFirst(t *testing.T) {
	t.Parallel()
	const before = 0
	for _, one := range []struct {
		phase string
		wave  int
		ends  string
		runs  bool
	}{
		{"PreSync", 0, "Succeeded", false}, {"PreSync", 1, "Succeeded", false},
		{"Sync", -1, "Succeeded", false}, {"Sync", before, "Failed", false}, {"Sync", 1, "Succeeded", false},
		{"PostSync", -1, "Succeeded", true}, {"PostSync", before, "Succeeded", true}, {"PostSync", 1, "Succeeded", true},
		{"Sync,PostSync", before, "Failed", false}, {"Sync,PostSync", 1, "Succeeded", true}, {"PreSync,Sync", before, "Succeeded", false},
	} {
		for _, prune := range []string{`{}`, `{"prune": true}`} {
			t.Run(fmt.Sprintf("%s in wave %d, %s", one.phase, one.wave, prune), func(t *testing.T) {
				more := annotations("argocd.argoproj.io/hook: "+one.phase, "argocd.argoproj.io/hook-delete-policy: HookFailed", inWave(one.wave))
				app := given(t, files{"migrate.yaml": job("migrate", "migrate:1"), "settings.yaml": settings("1")}, native, syncOptions("ApplyOutOfSyncOnly=false"))
				app.operateOnce()
				app.lingers("migrate")
				isPruned := prune != "{}"
				next := change{files: files{"migrate.yaml": job("migrate", "migrate:1", more...), "settings.yaml": settings("1")}, ends: "Succeeded"}
				if isPruned {
					next.ends = one.ends
				}
				if isPruned && one.runs {
					next.runs = []string{"migrate"}
				}
				automatedBy(&app.spec, prune)
				app.holds(map[string]bool{}, next, isPruned)
			})
		}
	}
}

// withArgs is a Deployment with arguments.
func withArgs(args string) string {
	return strings.Replace(deployment("api", "api:1"), "image: api:1\n", "image: api:1\n        args: "+args+"\n", 1)
}

// selected is a Deployment with an immutable selector, and its sync options.
func selected(part string, options ...string) string {
	api := strings.ReplaceAll(deployment("api", "api:1"), "app: api}", "app: api, part: "+part+"}")
	return strings.Replace(api, "  name: api\n", "  name: api\n  annotations: {argocd.argoproj.io/sync-options: '"+strings.Join(options, ",")+"'}\n", 1)
}

package sync_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

// ignoring sets `spec.ignoreDifferences`.
func ignoring(text string) option {
	return func(spec *v1alpha1.ApplicationSpec) {
		if err := yaml.Unmarshal([]byte(text), &spec.IgnoreDifferences); err != nil {
			panic(err)
		}
	}
}

func automatedByOption(policy string) option {
	return func(spec *v1alpha1.ApplicationSpec) { automatedBy(spec, policy) }
}

// TestWhatStartsASync holds what `preview --base` says of the start of a sync against what the controller compares: what is ignored, what means
// the same to Kubernetes, and what it never deletes by itself.
func TestWhatStartsASync(t *testing.T) {
	t.Parallel()
	const gate = "early.yaml"
	early := hook("PreSync", "early", "early:1")
	with := func(text string) files { return files{"object.yaml": text, gate: early} }
	replicas := func(line string) files {
		return with(strings.Replace(deployment("api", "api:1"), "spec:\n  selector", "spec:\n"+line+"  selector", 1))
	}
	image := func(number string) files {
		return files{"migrate.yaml": job("migrate", "migrate:"+number), "settings.yaml": settings("1")}
	}
	beside := func(number string) files {
		return files{"migrate.yaml": job("migrate", "migrate:"+number), "settings.yaml": settings(number)}
	}
	kept := func(options string) string {
		return job("kept", "kept:1", annotations("argocd.argoproj.io/sync-options: '"+options+"'")...)
	}
	const ofImages = "[{group: batch, kind: Job, jqPathExpressions: ['.spec.template.spec.containers[].image']}]"
	respects := syncOptions("RespectIgnoreDifferences=true")
	secret := func(lines string) files {
		return with("apiVersion: v1\nkind: Secret\nmetadata:\n  name: secret\n" + lines)
	}
	for name, one := range map[string]struct {
		before, after files
		options       []option
		starts        bool
		ends          string
		runs          []string
	}{
		"ignored replicas":                                {replicas("  replicas: 0\n"), replicas("  replicas: 1\n"), []option{native, automated, ignoring("[{group: apps, kind: Deployment, jsonPointers: [/spec/replicas]}]")}, false, "Succeeded", []string{"early"}},
		"replicas that are ignored elsewhere":             {replicas("  replicas: 0\n"), replicas("  replicas: 1\n"), []option{native, automated, ignoring("[{group: apps, kind: StatefulSet, jsonPointers: [/spec/replicas]}]")}, true, "Succeeded", []string{"early"}},
		"ignored data, by globs":                          {with(settings("1")), with(settings("2")), []option{native, automated, ignoring("[{group: '*', kind: '*', jqPathExpressions: [.data]}]")}, false, "Succeeded", []string{"early"}},
		"an ignored image of a Job":                       {image("1"), image("2"), []option{native, automated, ignoring(ofImages)}, false, "Failed", nil},
		"an ignored image of a Job beside another change": {beside("1"), beside("2"), []option{native, automated, ignoring(ofImages)}, true, "Failed", nil},
		"an image of a Job that stays as it is":           {beside("1"), beside("2"), []option{native, automated, ignoring(ofImages), respects}, true, "Succeeded", nil},
		"an image of a Job that stays as it is, alone":    {image("1"), image("2"), []option{native, automated, ignoring(ofImages), respects}, false, "Succeeded", nil},
		"a default":                            {replicas(""), replicas("  replicas: 1\n"), []option{native, automated}, false, "Succeeded", []string{"early"}},
		"a default that is taken out":          {replicas("  replicas: 1\n"), replicas(""), []option{native, automated}, false, "Succeeded", []string{"early"}},
		"an empty map":                         {with(settings("1")), with(strings.Replace(settings("1"), "  name: settings\n", "  name: settings\n  labels: {}\n", 1)), []option{native, automated}, false, "Succeeded", []string{"early"}},
		"the text of a Secret":                 {secret("stringData: {a: b}\n"), secret("data: {a: Yg==}\n"), []option{native, automated}, false, "Succeeded", []string{"early"}},
		"defaults of a Job":                    {image("1"), files{"migrate.yaml": strings.Replace(job("migrate", "migrate:1"), "      restartPolicy: Never\n", "      restartPolicy: Never\n      dnsPolicy: ClusterFirst\n", 1), "settings.yaml": settings("1")}, []option{native, automated}, false, "Succeeded", nil},
		"everything is gone":                   {files{"migrate.yaml": job("migrate", "migrate:1")}, files{"none.yaml": "# nothing\n"}, []option{native, automatedWithPrune}, false, "Succeeded", nil},
		"everything is gone, and one is kept":  {files{"migrate.yaml": job("migrate", "migrate:1"), "kept.yaml": kept("Prune=false")}, files{"none.yaml": "# nothing\n"}, []option{native, automatedWithPrune}, false, "Succeeded", nil},
		"everything may go":                    {files{"migrate.yaml": job("migrate", "migrate:1")}, files{"none.yaml": "# nothing\n"}, []option{native, automatedByOption(`{"prune": true, "allowEmpty": true}`)}, true, "Succeeded", nil},
		"only a hook is left":                  {files{"migrate.yaml": job("migrate", "migrate:1"), gate: early}, files{gate: early}, []option{native, automatedWithPrune}, false, "Succeeded", []string{"early"}},
		"only a hook and the trigger are left": {files{"migrate.yaml": job("migrate", "migrate:1"), gate: early}, files{gate: early}, []option{automatedWithPrune}, true, "Succeeded", []string{"early"}},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, one.before, one.options...)
			app.reacts(told{}, true)
			app.commit(one.after)
			said, err := app.asked()
			if err != nil {
				t.Fatal(err)
			}
			known := map[string]bool{}
			app.started(known)
			found := app.reacts(said, true)
			if said.starts != one.starts || found.started != one.starts {
				t.Errorf("it is to start: %t; said %t, started %t: %s", one.starts, said.starts, found.started, said.Summary)
			}
			if fails := one.ends == "Failed"; said.fails != fails || found.ends != one.ends {
				t.Errorf("it is to end %s; said that it fails: %t, ended %s: %s", one.ends, said.fails, found.ends, said.Summary)
			}
			for _, wrong := range append(said.contradictions(), said.wrongFailures(found.failed, nil)...) {
				t.Error(wrong)
			}
			if ran := app.started(known); !slices.Equal(found.names, one.runs) && !slices.Equal(ran, one.runs) {
				t.Errorf("ran %v and %v, not %v", found.names, ran, one.runs)
			}
		})
	}
}

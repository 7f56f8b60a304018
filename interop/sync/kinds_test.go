package sync_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// customKinds are the kinds of which the cluster gets a definition: one that Argo CD has a health check for, one that it has one for since 3.6, and one without.
var customKinds = map[string]schema.GroupVersionResource{
	"Workflow": {Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"},
	"TaskRun":  {Group: "tekton.dev", Version: "v1", Resource: "taskruns"},
	"Seed":     {Group: "interop.example.com", Version: "v1", Resource: "seeds"},
}

// otherKinds are all kinds besides Jobs of which the scenarios have hooks.
func otherKinds() map[string]schema.GroupVersionResource {
	kinds := map[string]schema.GroupVersionResource{"Pod": {Version: "v1", Resource: "pods"}}
	for kind, resource := range customKinds {
		kinds[kind] = resource
	}
	return kinds
}

// definition is a CustomResourceDefinition that takes everything.
func definition(kind string, of schema.GroupVersionResource) *unstructured.Unstructured {
	anything := map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": of.Resource + "." + of.Group},
		"spec": map[string]any{
			"group": of.Group, "scope": "Namespaced",
			"names":    map[string]any{"kind": kind, "plural": of.Resource, "singular": strings.ToLower(kind)},
			"versions": []any{map[string]any{"name": of.Version, "served": true, "storage": true, "schema": anything}},
		},
	}}
}

// created is every object of the other kinds that was ever created, with the revision of the store at which it was, which puts the kinds in order.
type created struct {
	lock sync.Mutex
	all  []creation
}

type creation struct {
	namespace, what string
	revision        int
}

// watchKinds also stands in for the controllers of Argo Workflows and Tekton: the entrypoint or the task says how a run ends, as the tag of
// an image does.
func watchKinds(ctx context.Context, client dynamic.Interface) *created {
	seen := &created{}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	for kind, resource := range otherKinds() {
		_, _ = factory.ForResource(resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
			found := object.(*unstructured.Unstructured)
			revision, _ := strconv.Atoi(found.GetResourceVersion())
			seen.lock.Lock()
			// A pod of a Job is not one of the Application.
			if found.GetOwnerReferences() == nil {
				seen.all = append(seen.all, creation{found.GetNamespace(), kind + " " + withoutSuffix(found), revision})
			}
			seen.lock.Unlock()
			finish(ctx, client, kind, found)
		}, UpdateFunc: func(_, object any) {
			// What is replaced has lost its status.
			if found := object.(*unstructured.Unstructured); found.Object["status"] == nil {
				finish(ctx, client, kind, found)
			}
		}})
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return seen
}

// withoutSuffix is the name of an object, or the prefix of which it was made.
func withoutSuffix(object *unstructured.Unstructured) string {
	if prefix := object.GetGenerateName(); prefix != "" {
		return prefix + "*"
	}
	return object.GetName()
}

func finish(ctx context.Context, client dynamic.Interface, kind string, run *unstructured.Unstructured) {
	entrypoint, isWorkflow, _ := unstructured.NestedString(run.Object, "spec", "entrypoint")
	task, isTask, _ := unstructured.NestedString(run.Object, "spec", "taskRef", "name")
	phase, succeeded := "Succeeded", "True"
	switch {
	case strings.HasSuffix(entrypoint+task, "-fails"):
		phase, succeeded = "Failed", "False"
	case strings.HasSuffix(entrypoint+task, "-holds"):
		phase, succeeded = "Running", "Unknown"
	}
	var patch string
	switch {
	case isWorkflow:
		patch = fmt.Sprintf(`{"status": {"phase": %q}}`, phase)
	case isTask:
		patch = fmt.Sprintf(`{"status": {"conditions": [{"type": "Succeeded", "status": %q, "reason": "Told"}]}}`, succeeded)
	default:
		return
	}
	_, _ = client.Resource(customKinds[kind]).Namespace(run.GetNamespace()).Patch(ctx, run.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
}

// of are the creations in a namespace, in order.
func (seen *created) of(namespace string) []creation {
	seen.lock.Lock()
	defer seen.lock.Unlock()
	var own []creation
	for _, one := range seen.all {
		if one.namespace == namespace {
			own = append(own, one)
		}
	}
	slices.SortFunc(own, func(a, b creation) int { return a.revision - b.revision })
	return own
}

func (seen *created) in(namespace string) []string {
	var all []string
	for _, one := range seen.of(namespace) {
		all = append(all, one.what)
	}
	return all
}

// created demands the objects of other kinds than Job that were ever created, in order.
func (one *scenario) created(wanted ...string) {
	one.Helper()
	if err := until(one.Context(), 20*time.Second, func() error {
		if got := shared.kinds.in(one.name); !slices.Equal(got, wanted) {
			return fmt.Errorf("created %q, not %q", got, wanted)
		}
		return nil
	}); err != nil {
		one.Fatal(err)
	}
	time.Sleep(time.Second)
	if got := shared.kinds.in(one.name); !slices.Equal(got, wanted) {
		one.Fatalf("created %q, not %q", got, wanted)
	}
}

// there demands how many objects of a kind are left.
func (one *scenario) there(kind string, count int) {
	one.Helper()
	if err := until(one.Context(), 20*time.Second, func() error {
		list, err := shared.dynamic.Resource(otherKinds()[kind]).Namespace(one.name).List(one.Context(), metav1.ListOptions{})
		if err == nil && len(list.Items) != count {
			err = fmt.Errorf("%d of kind %s are left, not %d", len(list.Items), kind, count)
		}
		return err
	}); err != nil {
		one.Fatal(err)
	}
}

// pod, workflow, run and seed are objects of the other kinds. The lines are those of the annotations.
func pod(name, image string, lines ...string) string {
	return object("v1", "Pod", name, fmt.Sprintf("spec: {restartPolicy: Never, containers: [{name: main, image: %q}]}\n", image), lines)
}

func workflow(name, entrypoint string, lines ...string) string {
	return object("argoproj.io/v1alpha1", "Workflow", name, fmt.Sprintf("spec: {entrypoint: %q}\n", entrypoint), lines)
}

func run(name, task string, lines ...string) string {
	return object("tekton.dev/v1", "TaskRun", name, fmt.Sprintf("spec: {taskRef: {name: %q}}\n", task), lines)
}

func seed(name, value string, lines ...string) string {
	return object("interop.example.com/v1", "Seed", name, fmt.Sprintf("value: %q\n", value), lines)
}

func object(version, kind, name, rest string, lines []string) string {
	text := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n", version, kind, name)
	if len(lines) > 0 {
		for _, line := range annotations(lines...) {
			text += "  " + line + "\n"
		}
	}
	return text + rest
}

// in is the annotation that makes a hook.
func in(phase string) string { return "argocd.argoproj.io/hook: " + phase }

func inWave(wave int) string { return fmt.Sprintf("argocd.argoproj.io/sync-wave: \"%d\"", wave) }

func TestHooksOfOtherKinds(t *testing.T) {
	t.Parallel()
	t.Run("run in their phases and waves, at each sync, and nobody waits for a kind without a health check", func(t *testing.T) {
		app := given(t, files{
			"a.yaml": run("smoke", "smoke", in("PostSync"), inWave(1)),
			"b.yaml": seed("notify", "1", in("PostSync")),
			"c.yaml": workflow("load", "load", in("Sync"), inWave(1)),
			"d.yaml": pod("check", "check:1", in("PreSync"), inWave(1)),
			"e.yaml": workflow("migrate", "migrate", in("PreSync")),
			"f.yaml": settings("1"),
		})
		once := []string{"Workflow migrate", "Pod check", "Workflow load", "Seed notify", "TaskRun smoke"}
		app.sync().ends("Succeeded")
		app.created(once...)
		app.sync().ends("Succeeded")
		app.created(append(slices.Clone(once), once...)...)
	})
	failing := map[string]struct{ fails, then string }{
		"Pod":      {pod("first", "first:1-fails", in("PreSync")), pod("then", "then:1", in("Sync"))},
		"Workflow": {workflow("first", "first-fails", in("PreSync")), workflow("then", "then", in("Sync"))},
	}
	if !argocd.Before(6) {
		failing["TaskRun"] = struct{ fails, then string }{run("first", "first-fails", in("PreSync")), run("then", "then", in("Sync"))}
	}
	for kind, one := range failing {
		t.Run("a "+kind+" that fails fails the sync, and what is later does not run", func(t *testing.T) {
			app := given(t, files{"a.yaml": one.fails, "b.yaml": one.then, "c.yaml": settings("1")})
			app.sync().ends("Failed")
			app.created(kind + " first")
		})
	}
	t.Run("a Workflow that runs holds the sync", func(t *testing.T) {
		app := given(t, files{"a.yaml": workflow("first", "first-holds", in("PreSync")), "b.yaml": pod("then", "then:1", in("Sync"))})
		app.begins()
		app.waits("waiting for completion of hook argoproj.io/Workflow/first")
		app.created("Workflow first")
	})
	t.Run("a Pod that Kubernetes refuses fails the sync", func(t *testing.T) {
		// As without its ServiceAccount, which this cluster does not look for.
		refused := strings.Replace(pod("first", "first:1", in("PreSync")), "spec: {", "spec: {priorityClassName: missing, ", 1)
		app := given(t, files{"a.yaml": refused, "b.yaml": settings("1")})
		app.sync().ends("Failed", "no PriorityClass with name missing was found")
	})
}

func TestGenerateNameOfOtherKinds(t *testing.T) {
	t.Parallel()
	generated := func(text string) string { return strings.Replace(text, "  name: one", "  generateName: one-", 1) }
	for kind, text := range map[string]string{"Pod": pod("one", "one:1"), "Workflow": workflow("one", "one"), "TaskRun": run("one", "one"), "Seed": seed("one", "1")} {
		t.Run("a "+kind+" without a hook cannot be applied, with the plugin either", func(t *testing.T) {
			app := given(t, files{"a.yaml": generated(text), "settings.yaml": settings("1")})
			app.sync().ends("Failed", "cannot use generate name with apply")
			app.created()
		})
	}
	t.Run("with Replace=true each sync creates one, and the Application stays OutOfSync", func(t *testing.T) {
		app := given(t, files{"a.yaml": generated(seed("one", "1", "argocd.argoproj.io/sync-options: Replace=true")), "settings.yaml": settings("1")})
		app.sync().ends("Succeeded")
		app.sync().ends("Succeeded")
		app.created("Seed one-*", "Seed one-*")
		app.compare()
		app.eventually("OutOfSync", func(application *v1alpha1.Application) bool {
			return application.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
		})
	})
	t.Run("as a hook each sync leaves one behind", func(t *testing.T) {
		app := given(t, files{"a.yaml": generated(pod("one", "one:1", in("PostSync"))), "settings.yaml": settings("1")})
		app.sync(true).ends("Succeeded")
		// The name has the second in which the sync starts.
		time.Sleep(time.Second)
		app.sync(true).ends("Succeeded")
		app.there("Pod", 2)
	})
	t.Run("two hooks of one prefix in one phase become one", func(t *testing.T) {
		one := generated(workflow("one", "one", in("PostSync")))
		app := given(t, files{"a.yaml": one, "b.yaml": one, "settings.yaml": settings("1")})
		app.sync()
		app.there("Workflow", 1)
	})
}

func TestDeletePoliciesOfOtherKinds(t *testing.T) {
	t.Parallel()
	policy := func(items string) string { return "argocd.argoproj.io/hook-delete-policy: " + items }
	for kind, text := range map[string]string{
		"Pod":      pod("one", "one:1-fails", in("PreSync"), policy("HookSucceeded")),
		"Workflow": workflow("one", "one-fails", in("PreSync"), policy("HookSucceeded")),
	} {
		t.Run("a retry meets a failed "+kind+" without BeforeHookCreation", func(t *testing.T) {
			app := given(t, files{"a.yaml": text, "settings.yaml": settings("1")})
			app.retried(1).ends("Failed", "retried 1 times")
			app.created(kind + " one")
		})
	}
	for kind, text := range map[string]string{
		"Pod":      pod("one", "one:1", in("PreSync"), policy("HookFailed")),
		"Workflow": workflow("one", "one", in("PreSync"), policy("HookFailed")),
		"TaskRun":  run("one", "one", in("PreSync"), policy("HookFailed")),
	} {
		t.Run("the next sync meets a successful "+kind+" without BeforeHookCreation", func(t *testing.T) {
			app := given(t, files{"a.yaml": text, "settings.yaml": settings("1")})
			app.sync().ends("Succeeded")
			app.sync().ends("Succeeded")
			app.created(kind + " one")
		})
	}
	t.Run("a hook whose name has a hash of its content stays behind", func(t *testing.T) {
		app := given(t, files{"a.yaml": seed("one-m7kf6hgbt4", "1", in("PreSync")), "settings.yaml": settings("1")})
		app.sync(true).ends("Succeeded")
		app.commit(files{"a.yaml": seed("one-hm48tk5dkf", "2", in("PreSync")), "settings.yaml": settings("1")})
		app.sync(true).ends("Succeeded")
		app.there("Seed", 2)
	})
}

func TestTriggerOfOtherKinds(t *testing.T) {
	t.Parallel()
	secret := func(value string) string {
		return object("v1", "Secret", "one", fmt.Sprintf("stringData: {value: %q}\n", value), []string{in("PreSync")})
	}
	settingsHook := func(value string) string {
		return object("v1", "ConfigMap", "one", fmt.Sprintf("data: {value: %q}\n", value), []string{in("PreSync")})
	}
	for kind, one := range map[string]struct{ before, after string }{
		"a Pod":       {pod("one", "one:1", in("PreSync")), pod("one", "one:2", in("PreSync"))},
		"a Workflow":  {workflow("one", "one", in("PostSync")), workflow("one", "two", in("PostSync"))},
		"a TaskRun":   {run("one", "one", in("Sync")), run("one", "two", in("Sync"))},
		"a Seed":      {seed("one", "1", in("Sync")), seed("one", "2", in("Sync"))},
		"a ConfigMap": {settingsHook("1"), settingsHook("2")},
		"a phase":     {seed("one", "1", in("Sync")), seed("one", "1", in("PreSync"))},
	} {
		t.Run("a commit that changes only "+kind+" starts an auto-sync", func(t *testing.T) {
			app := given(t, files{"a.yaml": one.before, "settings.yaml": settings("1")}, automated)
			app.autoSynced().ends("Succeeded")
			app.commit(files{"a.yaml": one.after, "settings.yaml": settings("1")})
			app.autoSynced().ends("Succeeded")
			app.becomes("Synced", "Healthy")
			app.notAutoSyncedAgain()
			if name := strings.TrimPrefix(kind, "a "); otherKinds()[name].Resource != "" {
				app.created(name+" one", name+" one")
			}
		})
	}
	for kind, one := range map[string]struct {
		before, after string
		options       []option
	}{
		"a Workflow, without the trigger": {workflow("one", "one", in("PostSync")), workflow("one", "two", in("PostSync")), []option{parameter("trigger", "false")}},
		"a Secret":                        {secret("1"), secret("2"), nil},
		"a label":                         {seed("one", "1", in("Sync")), strings.Replace(seed("one", "1", in("Sync")), "metadata:\n", "metadata:\n  labels: {a: b}\n", 1), nil},
		"a SyncFail hook":                 {pod("one", "one:1", in("SyncFail")), pod("one", "one:2", in("SyncFail")), nil},
	} {
		t.Run("a commit that changes only "+kind+" starts none", func(t *testing.T) {
			app := given(t, files{"a.yaml": one.before, "settings.yaml": settings("1")}, append(one.options, automated)...)
			app.autoSynced().ends("Succeeded")
			app.isSeen()
			app.commit(files{"a.yaml": one.after, "settings.yaml": settings("1")})
			app.notAutoSynced()
		})
	}
	t.Run("an Application of nothing but such hooks is auto-synced, even the first time", func(t *testing.T) {
		app := given(t, files{"a.yaml": workflow("one", "one", in("PreSync"))}, automated)
		app.autoSynced().ends("Succeeded")
		app.created("Workflow one")
	})
	nowhere := func(spec *v1alpha1.ApplicationSpec) { spec.Destination.Namespace = "" }
	t.Run("an Application without a namespace cannot sync an object without one", func(t *testing.T) {
		app := given(t, files{"settings.yaml": settings("1")}, native, nowhere)
		app.sync().ends("Error", "Namespace for settings /v1, Kind=ConfigMap is missing")
	})
	t.Run("in an Application without a namespace it is in that of a hook", func(t *testing.T) {
		app := given(t, files{"settings.yaml": namespaced(settings("1"), "default")}, nowhere)
		app.commit(files{"a.yaml": namespaced(pod("one", "one:1", in("PreSync")), app.name), "settings.yaml": namespaced(settings("1"), app.name)})
		app.compare()
		app.reconfigure(automated)
		app.autoSynced().ends("Succeeded")
		app.created("Pod one")
		if _, err := shared.client.CoreV1().ConfigMaps(app.name).Get(app.Context(), app.trigger(), metav1.GetOptions{}); err != nil {
			t.Fatal(errors.Join(errors.New("the trigger"), err))
		}
	})
}

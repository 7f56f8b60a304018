package sync_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	cacheutil "github.com/argoproj/argo-cd/v3/util/cache"
	"github.com/argoproj/argo-cd/v3/util/cache/appstate"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/redis/go-redis/v9"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

var jobResource = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}

// withActions is Argo CD's Lua engine with the actions of deploy/after-a-sync.
func withActions(t *testing.T) lua.VM {
	t.Helper()
	text, err := os.ReadFile("../../deploy/after-a-sync/argocd-cm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := corev1.ConfigMap{}
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		t.Fatal(err)
	}
	return lua.VM{ResourceOverrides: map[string]v1alpha1.ResourceOverride{"batch/Job": {Actions: config.Data["resource.customizations.actions.batch_Job"]}}}
}

// offered are the actions in the menu of a Job.
func (one *scenario) offered(name string) []string {
	one.Helper()
	live, err := shared.dynamic.Resource(jobResource).Namespace(one.name).Get(one.Context(), name, metav1.GetOptions{})
	if err != nil {
		one.Fatal(err)
	}
	vm := withActions(one.T)
	scripts, err := vm.GetResourceActionDiscovery(live)
	if err != nil {
		one.Fatal(err)
	}
	actions, err := vm.ExecuteResourceActionDiscovery(live, scripts)
	if err != nil {
		one.Fatal(err)
	}
	names := []string{}
	for _, action := range actions {
		names = append(names, action.Name)
	}
	slices.Sort(names)
	return names
}

// rerun runs the action as Argo CD's API server does (RunResourceActionV2): in its Lua engine, and what that creates is tried first.
func (one *scenario) rerun(name string) (*batchv1.Job, error) {
	one.Helper()
	jobs := shared.dynamic.Resource(jobResource).Namespace(one.name)
	live, err := jobs.Get(one.Context(), name, metav1.GetOptions{})
	if err != nil {
		one.Fatal(err)
	}
	vm := withActions(one.T)
	action, err := vm.GetResourceAction(live, "rerun")
	if err != nil {
		one.Fatal(err)
	}
	impacted, err := vm.ExecuteResourceAction(live, action.ActionLua, nil)
	if err != nil {
		return nil, err
	}
	if len(impacted) != 1 || impacted[0].K8SOperation != lua.CreateOperation {
		one.Fatalf("%+v", impacted)
	}
	var created *unstructured.Unstructured
	for _, dryRun := range [][]string{{metav1.DryRunAll}, nil} {
		if created, err = jobs.Create(one.Context(), impacted[0].UnstructuredObj, metav1.CreateOptions{DryRun: dryRun}); err != nil {
			return nil, err
		}
	}
	return shared.client.BatchV1().Jobs(one.name).Get(one.Context(), created.GetName(), metav1.GetOptions{})
}

// shown waits until the tree that Argo CD shows has a Job below another one.
func (one *scenario) shown(child, parent string) {
	one.Helper()
	client := redis.NewClient(&redis.Options{Addr: shared.ports[0]})
	defer client.Close()
	cache := appstate.NewCache(cacheutil.NewCache(cacheutil.NewRedisCache(client, time.Hour, cacheutil.RedisCompressionGZip)), time.Hour)
	if err := until(one.Context(), patience, func() error {
		tree := v1alpha1.ApplicationTree{}
		if err := cache.GetAppResourcesTree(one.name, &tree); err != nil {
			return err
		}
		for _, node := range tree.Nodes {
			if node.Kind == "Job" && node.Name == child && len(node.ParentRefs) == 1 && node.ParentRefs[0].Name == parent {
				return nil
			}
		}
		return fmt.Errorf("%s is not below %s in %s", child, parent, inJSON(tree.Nodes))
	}); err != nil {
		one.Fatal(err)
	}
}

// only is the name of the one Job that is there.
func (one *scenario) only() string {
	one.Helper()
	jobs, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
	if err != nil || len(jobs.Items) != 1 {
		one.Fatalf("%d Jobs: %v", len(jobs.Items), err)
	}
	return jobs.Items[0].Name
}

func automatedWithAll(spec *v1alpha1.ApplicationSpec) {
	automatedBy(spec, `{"prune": true, "selfHeal": true}`)
}

func TestRerun(t *testing.T) {
	t.Parallel()
	t.Run("the copy is a child that is never OutOfSync and goes with its parent", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1-fails"), "settings.yaml": settings("1")}, automatedWithAll)
		app.autoSynced().ends("Succeeded")
		app.becomes("Synced", "Degraded")
		parent := app.only()
		child, err := app.rerun(parent)
		if err != nil {
			t.Fatal(err)
		}
		app.shown(child.Name, parent)
		app.settle()
		app.becomes("Synced", "Degraded")
		app.notAutoSyncedAgain()
		app.tampers("settings")
		app.heals("settings")
		app.sync(true).ends("Succeeded", "unchanged")
		app.ran("migrate:1-fails", "migrate:1-fails")
		if again := app.offered(child.Name); !slices.Equal(again, []string{"rerun"}) {
			t.Errorf("%v", again)
		}
		app.commit(files{"migrate.yaml": job("migrate", "migrate:2"), "settings.yaml": settings("1")})
		app.autoSynced().ends("Succeeded")
		app.becomes("Synced", "Healthy")
		app.ran("migrate:1-fails", "migrate:1-fails", "migrate:2")
		app.left("migrate-*")
	})
	t.Run("a copy that succeeds unblocks nothing; without the failed Job a sync runs it", func(t *testing.T) {
		later := strings.Replace(settings("1"), "  name: settings\n", "  name: settings\n  annotations:\n    argocd.argoproj.io/sync-wave: \"1\"\n", 1)
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1-holds"), "settings.yaml": later})
		app.begins()
		app.podsEnd(corev1.PodFailed)
		app.finished().ends("Failed")
		parent := app.only()
		child, err := app.rerun(parent)
		if err != nil {
			t.Fatal(err)
		}
		app.completes()
		if err := until(t.Context(), patience, func() error {
			found, err := shared.client.BatchV1().Jobs(app.name).Get(t.Context(), child.Name, metav1.GetOptions{})
			if err == nil && found.Status.CompletionTime == nil {
				err = fmt.Errorf("%+v", found.Status)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		app.sync().ends("Failed")
		background := metav1.DeletePropagationBackground
		if err := shared.client.BatchV1().Jobs(app.name).Delete(t.Context(), parent, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			t.Fatal(err)
		}
		app.gone()
		app.begins()
		app.completes()
		app.finished().ends("Succeeded")
	})
	t.Run("what is offered", func(t *testing.T) {
		app := given(t, files{
			"done.yaml": job("done", "migrate:1"), "failed.yaml": job("failed", "migrate:1-fails"), "running.yaml": job("running", "migrate:1-holds"),
			"suspended.yaml": with(job("suspended", "migrate:1"), "suspend: true"), "hook.yaml": hook("PreSync", "hook", "migrate:1"),
			"helm.yaml": job("helm", "migrate:1", annotations("helm.sh/hook: pre-upgrade")...),
		}, native)
		app.sync().ends("Succeeded")
		for name, wanted := range map[string]string{
			"done": "rerun", "failed": "rerun", "running": "suspend terminate", "suspended": "resume terminate", "hook": "", "helm": "",
		} {
			if found := strings.Join(app.offered(name), " "); found != wanted {
				t.Errorf("%s: %q, not %q", name, found, wanted)
			}
		}
		for name, refusal := range map[string]string{
			"running": "the Job has not finished", "suspended": "the Job has not finished", "hook": "a hook is run again by a sync", "helm": "a hook is run again by a sync",
		} {
			if _, err := app.rerun(name); err == nil || err.Error() != refusal {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("shapes", func(t *testing.T) {
		app := given(t, files{"settings.yaml": settings("1")}, native)
		for _, text := range []string{
			job(strings.Repeat("n", 63), "migrate:1"),
			job(strings.Repeat("n", 51)+".nn", "migrate:1"),
			strings.ReplaceAll(indexed, "NAME", strings.Repeat("shop-eu-", 7)+"west"),
			with(strings.Replace(job("chosen", "migrate:1"), "template:\n", "template:\n    metadata: {labels: {run: chosen}}\n", 1), "manualSelector: true", "selector: {matchLabels: {run: chosen}}"),
			with(job("ended", "migrate:1"), "activeDeadlineSeconds: 600", "ttlSecondsAfterFinished: 3600", "podReplacementPolicy: Failed"),
		} {
			parent := &batchv1.Job{}
			if err := yaml.UnmarshalStrict([]byte(text), parent); err != nil {
				t.Fatal(err)
			}
			if _, err := shared.client.BatchV1().Jobs(app.name).Create(t.Context(), parent, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			app.settle()
			app.copied(parent.Name)
		}
	})
}

// copied reruns a Job and compares the two as the API server has them.
func (one *scenario) copied(name string) {
	one.Helper()
	child, err := one.rerun(name)
	if err != nil {
		one.Fatalf("%s: %v", name, err)
	}
	parent, err := shared.client.BatchV1().Jobs(one.name).Get(one.Context(), name, metav1.GetOptions{})
	if err != nil {
		one.Fatal(err)
	}
	start, minute := child.Name[:len(child.Name)-11], child.Name[len(child.Name)-11:]
	length := len(child.Name)
	if parent.Spec.CompletionMode != nil && *parent.Spec.CompletionMode == batchv1.IndexedCompletion {
		length += len(fmt.Sprint("-", *parent.Spec.Completions-1))
	}
	if !strings.HasPrefix(name, start) || length > 63 || length < min(len(name)+11, 60) || len(strings.Trim(minute, "0123456789")) != 1 {
		one.Errorf("%s of %s", child.Name, name)
	}
	owner := metav1.NewControllerRef(parent, batchv1.SchemeGroupVersion.WithKind("Job"))
	owner.BlockOwnerDeletion = nil
	if !equality.Semantic.DeepEqual(child.OwnerReferences, []metav1.OwnerReference{*owner}) || len(child.Finalizers) > 0 {
		one.Errorf("%s: %+v", name, child.ObjectMeta)
	}
	for _, found := range []map[string]string{child.Labels, child.Annotations} {
		for key, value := range found {
			// The API server gives a Job without labels those of its own pods.
			if key != "team" && key != "argocd-jobs/name" && child.Spec.Template.Labels[key] != value {
				one.Errorf("%s: the copy has %s", name, key)
			}
		}
	}
	if parent.Labels["team"] != child.Labels["team"] || parent.Annotations["argocd-jobs/name"] != child.Annotations["argocd-jobs/name"] {
		one.Errorf("%s: %v %v", name, child.Labels, child.Annotations)
	}
	if child.Spec.Selector.MatchLabels["batch.kubernetes.io/controller-uid"] != string(child.UID) || child.Spec.Template.Labels["job-name"] != child.Name {
		one.Errorf("%s: %+v", name, child.Spec.Selector)
	}
	if !equality.Semantic.DeepEqual(bare(parent), bare(child)) {
		one.Errorf("%s:\n%s\n%s", name, inJSON(bare(parent)), inJSON(bare(child)))
	}
}

// bare is the spec of a Job without what is about this one Job.
func bare(job *batchv1.Job) batchv1.JobSpec {
	spec := *job.Spec.DeepCopy()
	spec.Selector, spec.ManualSelector = nil, nil
	for _, label := range []string{"controller-uid", "job-name", batchv1.ControllerUidLabel, batchv1.JobNameLabel} {
		delete(spec.Template.Labels, label)
	}
	// An empty map in which nothing is said.
	if context := spec.Template.Spec.Containers[0].SecurityContext; context != nil && equality.Semantic.DeepEqual(context.Capabilities, &corev1.Capabilities{}) {
		context.Capabilities = nil
	}
	return spec
}

// indexed has empty maps wherever they mean something, and all that a copy has no use for.
const indexed = `apiVersion: batch/v1
kind: Job
metadata:
  name: NAME
  finalizers: [interop.example.com/held]
  labels: {app.kubernetes.io/instance: shop, argocd.argoproj.io/instance: shop, helm.sh/chart: shop-1, job-name: old, team: a}
  annotations:
    argocd.argoproj.io/tracking-id: shop:batch/Job:shop/migrate
    argocd.argoproj.io/sync-options: Force=true,Replace=true
    argocd.argoproj.io/sync-wave: "-1"
    argocd-jobs/name: migrate
    helm.sh/resource-policy: keep
    meta.helm.sh/release-name: shop
    kubectl.kubernetes.io/last-applied-configuration: "{}"
spec:
  completionMode: Indexed
  completions: 12
  parallelism: 12
  backoffLimitPerIndex: 1
  podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [42]}}]}
  template:
    metadata: {labels: {app.kubernetes.io/instance: pods}, annotations: {sidecar.istio.io/inject: "false"}}
    spec:
      restartPolicy: Never
      securityContext: {}
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {}, namespaceSelector: {}}]
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]
      volumes:
      - {name: empty, emptyDir: {}}
      - {name: data, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], selector: {}, resources: {requests: {storage: 1Gi}}}}}}
      containers:
      - name: main
        image: migrate:1
        securityContext: {capabilities: {}, runAsUser: 1000}
        resources: {}
        env: [{name: EMPTY, value: ""}, {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
`

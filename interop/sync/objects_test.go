package sync_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// checkedKinds are custom kinds whose health Argo CD checks in all versions. Nobody reconciles them here.
var checkedKinds = map[string]schema.GroupVersionResource{
	"Certificate":    {Group: "cert-manager.io", Version: "v1", Resource: "certificates"},
	"ExternalSecret": {Group: "external-secrets.io", Version: "v1", Resource: "externalsecrets"},
	"SealedSecret":   {Group: "bitnami.com", Version: "v1alpha1", Resource: "sealedsecrets"},
	"Cluster":        {Group: "postgresql.cnpg.io", Version: "v1", Resource: "clusters"},
	"Rollout":        {Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"},
}

// plainKinds are those of Kubernetes' own kinds that scenarios apply.
var plainKinds = map[string]schema.GroupVersionResource{
	"ConfigMap":               {Version: "v1", Resource: "configmaps"},
	"Secret":                  {Version: "v1", Resource: "secrets"},
	"ServiceAccount":          {Version: "v1", Resource: "serviceaccounts"},
	"Service":                 {Version: "v1", Resource: "services"},
	"PersistentVolumeClaim":   {Version: "v1", Resource: "persistentvolumeclaims"},
	"Role":                    {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":             {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	"Ingress":                 {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
	"NetworkPolicy":           {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	"Deployment":              {Group: "apps", Version: "v1", Resource: "deployments"},
	"StatefulSet":             {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"DaemonSet":               {Group: "apps", Version: "v1", Resource: "daemonsets"},
	"ReplicaSet":              {Group: "apps", Version: "v1", Resource: "replicasets"},
	"Job":                     {Group: "batch", Version: "v1", Resource: "jobs"},
	"CronJob":                 {Group: "batch", Version: "v1", Resource: "cronjobs"},
	"HorizontalPodAutoscaler": {Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	"PodDisruptionBudget":     {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
}

func resource(kind string) schema.GroupVersionResource {
	for _, all := range []map[string]schema.GroupVersionResource{plainKinds, checkedKinds, otherKinds()} {
		if found, known := all[kind]; known {
			return found
		}
	}
	panic("a kind that no scenario knows: " + kind)
}

// installCheckedKinds creates their definitions, with a status of its own as the real ones have.
func (one *cluster) installCheckedKinds(ctx context.Context) error {
	for kind, of := range checkedKinds {
		crd := definition(kind, of)
		versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
		versions[0].(map[string]any)["subresources"] = map[string]any{"status": map[string]any{}}
		if err := unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"); err != nil {
			return err
		}
		if _, err := one.dynamic.Resource(definitions).Create(ctx, crd, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return until(ctx, time.Minute, func() error {
		for _, of := range checkedKinds {
			if _, err := one.dynamic.Resource(of).List(ctx, metav1.ListOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// found is an object as the cluster has it, or nil.
func (one *scenario) found(kind, name string) *unstructured.Unstructured {
	one.Helper()
	found, err := shared.dynamic.Resource(resource(kind)).Namespace(one.name).Get(one.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		one.Fatal(err)
	}
	return found
}

// identity distinguishes one object of a name from the next; it is empty where there is none.
func (one *scenario) identity(kind, name string) types.UID {
	one.Helper()
	if it := one.found(kind, name); it != nil {
		return it.GetUID()
	}
	return ""
}

// is demands that an object is there, or that it is not.
func (one *scenario) is(there bool, kind, name string) {
	one.Helper()
	if it := one.found(kind, name); (it != nil) != there {
		one.Fatalf("%s %s is there: %t", kind, name, it != nil)
	}
}

// disappears waits until an object is gone.
func (one *scenario) disappears(kind, name string) {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		if one.found(kind, name) != nil {
			return fmt.Errorf("%s %s is still there", kind, name)
		}
		return nil
	}); err != nil {
		one.Fatal(err)
	}
}

// removes deletes an object as a person does.
func (one *scenario) removes(kind, name string) {
	one.Helper()
	if err := shared.dynamic.Resource(resource(kind)).Namespace(one.name).Delete(one.Context(), name, metav1.DeleteOptions{}); err != nil {
		one.Fatal(err)
	}
}

// merges changes an object as a person does, or with "status" what its controller says about it.
func (one *scenario) merges(kind, name, change string, subresource ...string) {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		_, err := shared.dynamic.Resource(resource(kind)).Namespace(one.name).
			Patch(one.Context(), name, types.MergePatchType, []byte(change), metav1.PatchOptions{}, subresource...)
		return err
	}); err != nil {
		one.Fatal(err)
	}
}

// says stands in for the controller of an object.
func (one *scenario) says(kind, name, status string) {
	one.Helper()
	one.merges(kind, name, `{"status": `+status+`}`, "status")
}

// releases stands in for the controller that protects a claim while a pod uses it: no pod does any more.
func (one *scenario) releases(claim string) {
	one.Helper()
	one.merges("PersistentVolumeClaim", claim, `{"metadata": {"finalizers": null}}`)
}

// terminates ends a sync as its button does.
func (one *scenario) terminates() outcome {
	one.Helper()
	one.patch(map[string]any{"status": map[string]any{"operationState": map[string]any{"phase": "Terminating"}}})
	return one.finished()
}

// results are what a sync says of its objects until now: of "Kind name" its phase, Running, Succeeded or Failed.
func results(application *v1alpha1.Application) map[string]string {
	all := map[string]string{}
	if state := application.Status.OperationState; state != nil && state.SyncResult != nil {
		for _, result := range state.SyncResult.Resources {
			all[result.Kind+" "+result.Name] = string(result.HookPhase)
		}
	}
	return all
}

// reports waits until the sync that was begun says this of its objects, and goes on.
func (one *scenario) reports(wanted map[string]string) {
	one.Helper()
	var wrong []string
	last := func(application *v1alpha1.Application) bool {
		wrong = nil
		state := application.Status.OperationState
		if state == nil || !one.isOfTheLast(state) {
			return false
		}
		got := results(application)
		for _, what := range slices.Sorted(maps.Keys(wanted)) {
			if got[what] != wanted[what] {
				wrong = append(wrong, fmt.Sprintf("%s is %q and not %q", what, got[what], wanted[what]))
			}
		}
		return len(wrong) == 0
	}
	var state *v1alpha1.OperationState
	if err := until(one.Context(), time.Minute, func() error {
		application, err := one.application()
		if err != nil {
			return err
		}
		if state = application.Status.OperationState; last(application) {
			return nil
		}
		return errors.New(strings.Join(wrong, "; "))
	}); err != nil {
		one.Fatalf("the sync says otherwise: %v", err)
	}
	if state.Phase.Completed() {
		one.Fatalf("the sync has ended as %s: %s", state.Phase, state.Message)
	}
}

// applied are the objects of a sync in the order in which it applied them, with their phases.
func (got outcome) applied() (all []string) {
	for _, result := range got.state.SyncResult.Resources {
		all = append(all, fmt.Sprintf("%s: %s %s", result.SyncPhase, result.Kind, result.Name))
	}
	return all
}

// claim is a PersistentVolumeClaim. Nobody binds it here.
func claim(name string, lines ...string) string {
	return object("v1", "PersistentVolumeClaim", name, "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n", lines)
}

// configMap is an object that nobody waits for.
func configMap(name, value string, lines ...string) string {
	return object("v1", "ConfigMap", name, fmt.Sprintf("data: {value: %q}\n", value), lines)
}

func secret(name, value string, lines ...string) string {
	return object("v1", "Secret", name, fmt.Sprintf("stringData: {value: %q}\n", value), lines)
}

// consumer is a Deployment whose pod mounts a claim.
func consumer(name, claim string, lines ...string) string {
	pod := fmt.Sprintf("{containers: [{name: main, image: \"web:1\", volumeMounts: [{name: data, mountPath: /data}]}], volumes: [{name: data, persistentVolumeClaim: {claimName: %s}}]}", claim)
	return object("apps/v1", "Deployment", name, fmt.Sprintf("spec: {selector: {matchLabels: {app: %[1]s}}, template: {metadata: {labels: {app: %[1]s}}, spec: %[2]s}}\n", name, pod), lines)
}

// bound is the status of a claim that has its volume, addressed that of what got an address.
const (
	bound     = `{"phase": "Bound"}`
	addressed = `{"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}`
)

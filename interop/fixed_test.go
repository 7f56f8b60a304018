package interop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/node"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"
	schedulingapi "k8s.io/kubernetes/pkg/apis/scheduling"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	"sigs.k8s.io/yaml"
)

// versions are those of one object, by the beginning of a manifest: each is made of each.
var versions = map[string][]string{
	"apiVersion: apps/v1, kind: Deployment":  workload("{replicas: 1}", "{replicas: 2, strategy: {type: Recreate}}"),
	"apiVersion: apps/v1, kind: DaemonSet":   workload("{}", "{minReadySeconds: 2}"),
	"apiVersion: apps/v1, kind: ReplicaSet":  workload("{replicas: 1}", "{replicas: 2}"),
	"apiVersion: apps/v1, kind: StatefulSet": append(workload("{}", "{replicas: 2, podManagementPolicy: OrderedReady}", "{podManagementPolicy: Parallel}", "{serviceName: a}", "{serviceName: b, minReadySeconds: 1}"), claims()...),
	"apiVersion: v1, kind: Secret": {
		"data: {a: YQ==}", "data: {a: YQ==}, type: Opaque", "data: {a: Yg==}, immutable: true", "data: {a: YQ==}, immutable: true", "data: {a: YQ==}, immutable: false", "type: example.com/x",
	},
	"apiVersion: v1, kind: ConfigMap": {
		"data: {a: b}", "data: {a: c}", "data: {a: b}, immutable: true", "data: {a: c}, immutable: true", "binaryData: {d: YQ==}, immutable: true", "data: {a: b}, immutable: true, binaryData: {}",
	},
	"apiVersion: v1, kind: PersistentVolumeClaim": {
		claim("storageClassName: a"), claim("storageClassName: b"), claim("storageClassName: a, volumeMode: Filesystem"), claim("storageClassName: a, volumeMode: Block"), claim("storageClassName: a, volumeName: v"),
		strings.Replace(claim("storageClassName: a"), "ReadWriteOnce", "ReadWriteMany", 1),
	},
	"apiVersion: storage.k8s.io/v1, kind: StorageClass": {
		"provisioner: a.b/c", "provisioner: a.b/d", "provisioner: a.b/c, reclaimPolicy: Delete, allowVolumeExpansion: true", "provisioner: a.b/c, reclaimPolicy: Retain",
		"provisioner: a.b/c, volumeBindingMode: WaitForFirstConsumer", "provisioner: a.b/c, parameters: {a: b}", "provisioner: a.b/c, parameters: {}",
	},
	"apiVersion: scheduling.k8s.io/v1, kind: PriorityClass": {"value: 1", "value: 2", "value: 1, preemptionPolicy: PreemptLowerPriority", "value: 1, preemptionPolicy: Never, description: x"},
	"apiVersion: networking.k8s.io/v1, kind: IngressClass":  {"spec: {controller: a.b/c}", "spec: {controller: a.b/d}"},
	"apiVersion: node.k8s.io/v1, kind: RuntimeClass":        {"handler: a", "handler: b"},
}

func workload(specs ...string) []string {
	var all []string
	for _, labels := range []string{"{app: a}", "{app: b}", "{app: a, tier: x}"} {
		for _, spec := range specs {
			pod := "template: {metadata: {labels: " + labels + "}, spec: {containers: [{name: c, image: a}]}}"
			all = append(all, "spec: "+strings.Replace(strings.TrimSuffix(spec, "}")+", selector: {matchLabels: "+labels+"}, "+pod+"}", "{, ", "{", 1))
		}
	}
	return all
}

func claim(fields string) string {
	return "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, " + fields + "}"
}

func claims() []string {
	var all []string
	for _, spec := range []string{"resources: {requests: {storage: 1Gi}}", "resources: {requests: {storage: 1024Mi}}, volumeMode: Filesystem", "resources: {requests: {storage: 2Gi}}", "resources: {requests: {storage: 1Gi}}, storageClassName: a"} {
		template := "volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], " + spec + "}}]"
		all = append(all, strings.Replace(workload("{}")[0], "spec: {", "spec: {"+template+", ", 1))
	}
	return all
}

// What `preview --base` says that the API server refuses of other objects is what Kubernetes' own validation refuses.
func TestRefusedUpdatesOfOtherObjects(t *testing.T) {
	old, now := t.TempDir(), t.TempDir()
	refused := map[string]field.ErrorList{}
	number := 0
	for head, all := range versions {
		for _, before := range all {
			for _, after := range all {
				number++
				_, kind, _ := strings.Cut(head, "kind: ")
				name := fmt.Sprintf("o%d", number)
				text := func(body string) string { return "{" + head + ", metadata: {name: " + name + "}, " + body + "}\n" }
				for dir, body := range map[string]string{old: before, now: after} {
					if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text(body)), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				refused[kind+" "+name] = validated(t, text(before), text(after))
			}
		}
	}
	command := exec.Command(program(t), "preview", now, "--base", old, "--format", "json")
	out, err := command.Output()
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1) {
		t.Fatalf("%v: %s", err, out)
	}
	var answer struct {
		Applications []struct {
			Rows []struct {
				Kind, Name, Outcome string
				Why                 []struct{ Reason, Field string }
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	said := map[string][]string{}
	for _, application := range answer.Applications {
		for _, row := range application.Rows {
			if row.Kind != "Job" && row.Outcome == "fails" {
				said[row.Kind+" "+row.Name] = []string{row.Why[0].Field}
			}
		}
	}
	missed := 0
	for name, errs := range refused {
		if len(errs) > 0 && said[name] == nil {
			missed++ // such as a map that is empty on one side and absent on the other
		}
		if len(errs) == 0 && said[name] != nil {
			t.Errorf("%s: the program says %q, Kubernetes %v", name, said[name], errs)
		}
	}
	t.Logf("%d updates, %d refused as foreseen, %d more", len(refused), len(said), missed)
	if len(said) < 100 {
		t.Error("too few are refused for the test to mean anything")
	}
}

// validated is what the validation of an update says.
func validated(t *testing.T, before, after string) field.ErrorList {
	t.Helper()
	read := func(text string) runtime.Object {
		raw, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		object, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), raw)
		if err != nil {
			t.Fatal(text, err)
		}
		found, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		found.SetNamespace(namespaceOf(object))
		found.SetUID("u")
		found.SetResourceVersion("1")
		return object
	}
	old, now := read(before), read(after)
	options := corevalidation.PodValidationOptions{}
	switch now := now.(type) {
	case *apps.Deployment:
		errs := appsvalidation.ValidateDeploymentUpdate(now, old.(*apps.Deployment), options)
		// The strategy adds this for `apps/v1`.
		return append(errs, corevalidation.ValidateImmutableField(now.Spec.Selector, old.(*apps.Deployment).Spec.Selector, field.NewPath("spec", "selector"))...)
	case *apps.DaemonSet:
		return appsvalidation.ValidateDaemonSetUpdate(now, old.(*apps.DaemonSet), options)
	case *apps.ReplicaSet:
		errs := appsvalidation.ValidateReplicaSetUpdate(now, old.(*apps.ReplicaSet), options)
		return append(errs, corevalidation.ValidateImmutableField(now.Spec.Selector, old.(*apps.ReplicaSet).Spec.Selector, field.NewPath("spec", "selector"))...)
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSetUpdate(now, old.(*apps.StatefulSet), options)
	case *core.Secret:
		return corevalidation.ValidateSecretUpdate(now, old.(*core.Secret))
	case *core.ConfigMap:
		return corevalidation.ValidateConfigMapUpdate(now, old.(*core.ConfigMap))
	case *core.PersistentVolumeClaim:
		return corevalidation.ValidatePersistentVolumeClaimUpdate(now, old.(*core.PersistentVolumeClaim), corevalidation.PersistentVolumeClaimSpecValidationOptions{})
	case *storage.StorageClass:
		return storagevalidation.ValidateStorageClassUpdate(now, old.(*storage.StorageClass))
	case *schedulingapi.PriorityClass:
		return schedulingvalidation.ValidatePriorityClassUpdate(now, old.(*schedulingapi.PriorityClass))
	case *networking.IngressClass:
		return networkingvalidation.ValidateIngressClassUpdate(now, old.(*networking.IngressClass))
	case *node.RuntimeClass:
		return nodevalidation.ValidateRuntimeClassUpdate(now, old.(*node.RuntimeClass))
	}
	t.Fatalf("no validation of a %T", now)
	return nil
}

// namespaceOf is empty for what is in none.
func namespaceOf(object runtime.Object) string {
	if strings.HasSuffix(fmt.Sprintf("%T", object), "Class") {
		return ""
	}
	return "default"
}

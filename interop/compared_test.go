package interop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	argodiff "github.com/argoproj/argo-cd/v3/util/argo/diff"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"sigs.k8s.io/yaml"
)

// choice is a field that an object has with one of these values, or does not have (an empty text).
type choice struct {
	path   string
	values []string
}

var ofPods = []choice{
	{"dnsPolicy", []string{"", "ClusterFirst", "Default"}},
	{"hostNetwork", []string{"", "false", "true"}},
	{"schedulerName", []string{"", "default-scheduler", "x"}},
	{"securityContext", []string{"", "{}", "{runAsUser: 1}"}},
	{"terminationGracePeriodSeconds", []string{"", "30", "0"}},
	{"enableServiceLinks", []string{"", "true", "false"}},
	{"serviceAccountName", []string{"", "a", "''"}},
	{"serviceAccount", []string{"", "", "a"}},
	{"nodeSelector", []string{"", "{}", "{a: b}", "{a: ''}"}},
	{"tolerations", []string{"", "[]", "[{key: a, operator: Exists}]"}},
	{"affinity", []string{"", "{}"}},
	{"volumes", []string{"", "[]", "[{name: v}]", "[{name: v, emptyDir: {}}]", "[{name: v, configMap: {name: c}}]", "[{name: v, configMap: {name: c, defaultMode: 420}}]", "[{name: v, hostPath: {path: /a}}]", "[{name: v, hostPath: {path: /a, type: ''}}]", "[{name: v, emptyDir: {sizeLimit: 1Gi}}]", "[{name: v, emptyDir: {sizeLimit: 1024Mi}}]"}},
	{"containers.0.image", []string{"a:1", "a:2", "a", "a:latest"}},
	{"containers.0.imagePullPolicy", []string{"", "IfNotPresent", "Always"}},
	{"containers.0.resources", []string{"", "{}", "{limits: {cpu: 1}}", "{limits: {cpu: 1000m}}", "{limits: {cpu: '1.0'}, requests: {}}", "{limits: {cpu: 2}}", "{limits: {memory: 1Gi}}", "{limits: {memory: 1024Mi}}"}},
	{"containers.0.terminationMessagePath", []string{"", "/dev/termination-log"}},
	{"containers.0.args", []string{"", "[]", "[a]", "[b]", "[null]", "['']"}},
	{"containers.0.env", []string{"", "[]", "[{name: A}]", "[{name: A, value: ''}]", "[{name: A, value: b}]", "[{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]", "[{name: A, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]"}},
	{"containers.0.ports", []string{"", "[{containerPort: 80}]", "[{containerPort: 80, protocol: TCP}]", "[{containerPort: 80, hostPort: 0}]", "[{containerPort: 81}]"}},
	{"containers.0.livenessProbe", []string{"", "{httpGet: {port: 80}}", "{httpGet: {port: 80, path: /, scheme: HTTP}, periodSeconds: 10}", "{httpGet: {port: 80}, failureThreshold: 3, timeoutSeconds: 0}", "{httpGet: {port: 80}, failureThreshold: 5}"}},
	{"containers.0.tty", []string{"", "false", "true"}},
}

func inTemplate(prefix string, more ...choice) []choice {
	for _, one := range ofPods {
		more = append(more, choice{prefix + one.path, one.values})
	}
	return more
}

const template = "template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: 'a:1'}]}}"
const selected = "selector: {matchLabels: {app: a}}, " + template

// comparedKinds are the kinds, by the beginning of a manifest.
var comparedKinds = map[string][]choice{
	"apiVersion: apps/v1, kind: Deployment, spec: {" + selected + "}": inTemplate("spec.template.spec.",
		choice{"spec.replicas", []string{"", "1", "2", "0"}}, choice{"spec.revisionHistoryLimit", []string{"", "10", "3"}}, choice{"spec.progressDeadlineSeconds", []string{"", "600", "60"}},
		choice{"spec.paused", []string{"", "false"}}, choice{"spec.minReadySeconds", []string{"", "0", "1"}}, choice{"spec.template.metadata.annotations", []string{"", "{}", "{a: b}"}},
		choice{"spec.strategy", []string{"", "{}", "{type: RollingUpdate}", "{type: Recreate}", "{rollingUpdate: {maxSurge: 25%}}", "{rollingUpdate: {maxSurge: 1, maxUnavailable: 25%}}", "{type: RollingUpdate, rollingUpdate: {}}"}}),
	"apiVersion: apps/v1, kind: StatefulSet, spec: {" + selected + "}": inTemplate("spec.template.spec.",
		choice{"spec.replicas", []string{"", "1", "2"}}, choice{"spec.podManagementPolicy", []string{"", "OrderedReady"}}, choice{"spec.serviceName", []string{"", "''"}}, choice{"spec.volumeClaimTemplates", []string{"", "[]"}},
		choice{"spec.updateStrategy", []string{"", "{}", "{type: RollingUpdate}", "{type: OnDelete}", "{rollingUpdate: {partition: 0}}", "{rollingUpdate: {partition: 1}}", "{rollingUpdate: {}}"}}),
	"apiVersion: apps/v1, kind: DaemonSet, spec: {" + selected + "}": inTemplate("spec.template.spec.",
		choice{"spec.revisionHistoryLimit", []string{"", "10", "3"}}, choice{"spec.updateStrategy", []string{"", "{type: RollingUpdate}", "{type: OnDelete}", "{rollingUpdate: {maxSurge: 0}}", "{rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}", "{rollingUpdate: {maxUnavailable: 2}}"}}),
	"apiVersion: batch/v1, kind: Job, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'a:1'}]}}}": inTemplate("spec.template.spec.",
		choice{"spec.backoffLimit", []string{"", "6", "0"}}, choice{"spec.completions", []string{"", "1", "2"}}, choice{"spec.parallelism", []string{"", "1"}}, choice{"spec.suspend", []string{"", "false"}},
		choice{"spec.completionMode", []string{"", "NonIndexed"}}, choice{"spec.activeDeadlineSeconds", []string{"", "60"}}, choice{"spec.template.metadata", []string{"", "{}", "{labels: {}}", "{labels: {a: b}}"}}, choice{"spec.podReplacementPolicy", []string{"", "TerminatingOrFailed"}}),
	"apiVersion: batch/v1, kind: CronJob, spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'a:1'}]}}}}}": inTemplate("spec.jobTemplate.spec.template.spec.",
		choice{"spec.concurrencyPolicy", []string{"", "Allow", "Forbid"}}, choice{"spec.suspend", []string{"", "false", "true"}}, choice{"spec.successfulJobsHistoryLimit", []string{"", "3", "1"}}, choice{"spec.failedJobsHistoryLimit", []string{"", "1"}}, choice{"spec.jobTemplate.spec.backoffLimit", []string{"", "6"}}),
	"apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: 'a:1'}]}": inTemplate("spec.", choice{"spec.restartPolicy", []string{"", "Always", "Never"}}),
	"apiVersion: v1, kind: Service, spec: {selector: {a: b}}": {
		{"spec.type", []string{"", "ClusterIP", "NodePort", "''"}}, {"spec.sessionAffinity", []string{"", "None", "ClientIP"}}, {"spec.selector", []string{"", "{}", "{a: b}", "{a: c}"}}, {"spec.publishNotReadyAddresses", []string{"", "false", "true"}},
		{"spec.ports", []string{"[{port: 80}]", "[{port: 80, protocol: TCP}]", "[{port: 80, targetPort: 80}]", "[{port: 80, targetPort: 8080}]", "[{port: 80, name: ''}]", "[{port: 80, name: a}]", "[{port: 80, protocol: UDP}]"}}, {"spec.internalTrafficPolicy", []string{"", "Cluster"}},
		{"spec.externalIPs", []string{"", "[]"}}, {"spec.clusterIP", []string{"", "''"}},
	},
	"apiVersion: v1, kind: Secret": {
		{"data", []string{"", "{}", "{a: YQ==}", "{a: Yg==}", "{a: ''}", "{a: YQ==, b: Yg==}", "null"}}, {"stringData", []string{"", "", "{a: a}", "{a: b}", "{a: ''}", "{b: b}", "{}", "null"}}, {"type", []string{"", "Opaque", "x/y", "''"}}, {"immutable", []string{"", "false"}},
	},
	"apiVersion: v1, kind: ConfigMap": {
		{"data", []string{"", "{}", "{a: b}", "{a: ''}", "{a: c}", "null"}}, {"binaryData", []string{"", "{}", "{b: YQ==}"}}, {"immutable", []string{"", "false"}},
	},
	"apiVersion: v1, kind: PersistentVolumeClaim, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}": {
		{"spec.volumeMode", []string{"", "Filesystem", "Block"}}, {"spec.resources.requests.storage", []string{"1Gi", "1024Mi", "2Gi"}}, {"spec.storageClassName", []string{"", "''", "a"}}, {"spec.volumeName", []string{"", "''"}},
	},
	"apiVersion: v1, kind: ServiceAccount": {{"automountServiceAccountToken", []string{"", "true", "false"}}, {"secrets", []string{"", "[]"}}},
	"apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: a}}": {
		{"spec.minReplicas", []string{"", "1", "2"}}, {"spec.scaleTargetRef.apiVersion", []string{"", "apps/v1"}},
	},
	"apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {}}": {
		{"spec.ingress", []string{"", "[]", "[{}]", "[{ports: [{port: 80}]}]", "[{ports: [{port: 80, protocol: TCP}]}]", "[{ports: [{port: 80, protocol: UDP}]}]"}}, {"spec.egress", []string{"", "[]", "[{}]"}}, {"spec.policyTypes", []string{"", "[Ingress]"}},
	},
	"apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {rules: [{host: a.b}]}": {
		{"spec.ingressClassName", []string{"", "a", "''"}}, {"spec.tls", []string{"", "[]", "[{hosts: [a.b]}]"}},
	},
	"apiVersion: rbac.authorization.k8s.io/v1, kind: Role": {
		{"rules", []string{"", "[]", "[{apiGroups: [''], resources: [pods], verbs: [get]}]", "[{apiGroups: [''], resources: [pods], verbs: [get], resourceNames: []}]"}},
	},
	"apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}": {
		{"subjects", []string{"", "[]", "[{kind: ServiceAccount, name: a}]", "[{kind: ServiceAccount, name: a, apiGroup: ''}]", "[{kind: User, name: a}]", "[{kind: User, name: a, apiGroup: rbac.authorization.k8s.io}]"}},
	},
	"apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {selector: {matchLabels: {a: b}}}": {{"spec.maxUnavailable", []string{"", "1", "50%"}}, {"spec.minAvailable", []string{"", "0"}}},
	"apiVersion: example.com/v1, kind: Seed, spec: {a: b}": {
		{"spec.replicas", []string{"", "1", "null"}}, {"spec.m", []string{"", "{}", "{a: 1}"}}, {"spec.l", []string{"", "[]", "[1]"}},
	},
}

var ofMetadata = []choice{
	{"metadata.labels", []string{"", "", "{}", "{a: b}", "null", "{a: ''}"}}, {"metadata.annotations", []string{"", "", "{}", "{a: b}", "{a: ''}"}}, {"metadata.namespace", []string{"", "", "default"}},
	{"metadata.creationTimestamp", []string{"", "", "null"}}, {"status", []string{"", "", "", "{}"}}, {"metadata.finalizers", []string{"", "", "[]"}},
}

// ignoredSets are the values of `spec.ignoreDifferences` of an Application.
var ignoredSets = []string{
	"[]", "[]", "[]", "[]",
	"[{group: '*', kind: '*', jsonPointers: [/spec/replicas, /data/a, /spec/template/spec/containers/0/image]}]",
	"[{group: apps, kind: Deployment, jqPathExpressions: ['.spec.template.spec.containers[].image', '.spec.template.spec.containers[]?.resources']}, {group: '', kind: S*, jsonPointers: [/spec/ports, /data]}]",
	"[{group: batch, kind: '*', jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == \"c\") | .env', '.spec.jobTemplate.spec.template.spec.containers[0].image']}, {group: '*', kind: '*', jsonPointers: [/metadata/labels, /metadata/annotations/a]}]",
	"[{group: '*', kind: '*', jqPathExpressions: ['.spec.strategy.type, .spec.updateStrategy', '.metadata.annotations[\"a\"]', '.stringData', '.spec.volumes[0]?']}, {group: 'a*', kind: '*', name: o1, jsonPointers: [/spec]}]",
	"[{group: '{apps,batch}', kind: '*', namespace: default, jsonPointers: [/spec/template]}, {group: '*', kind: '*', namespace: other, jsonPointers: [/spec]}]",
}

// choose writes a value at a path of keys and numbers; an empty one removes it.
func choose(t *testing.T, into any, path []string, text string) {
	t.Helper()
	switch into := into.(type) {
	case []any:
		choose(t, into[0], path[1:], text)
	case map[string]any:
		switch {
		case len(path) > 1:
			if into[path[0]] == nil {
				into[path[0]] = map[string]any{}
			}
			choose(t, into[path[0]], path[1:], text)
		case text == "":
			delete(into, path[0])
		default:
			var value any
			if err := yaml.Unmarshal([]byte(text), &value); err != nil {
				t.Fatal(text, err)
			}
			into[path[0]] = value
		}
	}
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(raw); err != nil {
		t.Fatal(err)
	}
	return &object
}

// tracked is a manifest as Argo CD applies it.
func tracked(object *unstructured.Unstructured) *unstructured.Unstructured {
	object = object.DeepCopy()
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["argocd.argoproj.io/tracking-id"] = "app:x"
	object.SetAnnotations(annotations)
	object.SetNamespace("default")
	return object
}

// stored is what the API server holds after Argo CD has applied a manifest; nil if it cannot decode it.
func stored(t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	applied, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	live := object
	if object.GetKind() != "Seed" {
		decoded, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), applied)
		if err != nil {
			return nil
		}
		raw, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(object.GroupVersionKind().GroupVersion()), decoded)
		if err != nil {
			t.Fatal(err)
		}
		live = parsed(t, string(raw))
	} else {
		live = object.DeepCopy()
		if len(live.GetLabels()) == 0 {
			unstructured.RemoveNestedField(live.Object, "metadata", "labels")
		}
		unstructured.RemoveNestedField(live.Object, "metadata", "creationTimestamp")
		unstructured.RemoveNestedField(live.Object, "metadata", "finalizers")
		unstructured.RemoveNestedField(live.Object, "spec", "replicas")
		if replicas, found, _ := unstructured.NestedInt64(object.Object, "spec", "replicas"); found {
			_ = unstructured.SetNestedField(live.Object, replicas, "spec", "replicas")
		}
	}
	annotations := live.GetAnnotations()
	annotations["kubectl.kubernetes.io/last-applied-configuration"] = string(applied) + "\n"
	live.SetAnnotations(annotations)
	live.SetUID("u")
	live.SetResourceVersion("1")
	return live
}

// What `preview --base` says of an object, that Argo CD compares it as changed, is what Argo CD's own diff says of the object that the old
// manifest has made and the new one. It never says that nothing has changed where something has.
func TestComparedObjects(t *testing.T) {
	random, each := rand.New(rand.NewSource(int64(*seed))), 40
	if testing.Short() {
		each = 8
	}
	unchanged, missed, total := 0, 0, 0
	for _, ignores := range ignoredSets {
		modified, texts := map[string]bool{}, map[string]string{}
		root := t.TempDir()
		for number := 0; number < each*len(comparedKinds); number++ {
			heads := slices.Sorted(maps.Keys(comparedKinds))
			head := heads[number%len(heads)]
			name := fmt.Sprintf("o%d", number)
			choices := slices.Concat(comparedKinds[head], ofMetadata)
			write := func(from string, count int) string {
				var object map[string]any
				if err := yaml.Unmarshal([]byte(from), &object); err != nil {
					t.Fatal(err)
				}
				for range count {
					one := choices[random.Intn(len(choices))]
					choose(t, object, strings.Split(one.path, "."), one.values[random.Intn(len(one.values))])
				}
				raw, err := yaml.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			before := write("{"+head+", metadata: {name: "+name+"}}", random.Intn(2*len(choices)))
			after := write(before, 1+random.Intn(2))
			live := stored(t, tracked(parsed(t, before)))
			if live == nil {
				continue
			}
			is, known := argosDiff(t, live, tracked(parsed(t, after)), ignores)
			if was, knew := argosDiff(t, live, tracked(parsed(t, before)), ignores); was || !known || !knew {
				continue // OutOfSync without any change
			}
			modified[name], texts[name] = is, before+"→\n"+after
			for dir, text := range map[string]string{"old/app": before, "app": after} {
				path := filepath.Join(root, dir, name+".yaml")
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		changed := saidToChange(t, root, ignores)
		for name, is := range modified {
			total++
			switch {
			case is && !changed[name]:
				t.Errorf("%s: the program says that nothing has changed, Argo CD sees a change; ignored: %s\n%s", name, ignores, texts[name])
			case !is && changed[name]:
				missed++
				t.Logf("missed: %s\n%s", ignores, texts[name])
			case !is:
				unchanged++
			}
		}
	}
	t.Logf("%d pairs: of %d that are the same for Argo CD the program knows %d", total, unchanged+missed, unchanged)
	if unchanged < 8*missed || unchanged < 10*each {
		t.Error("it misses too many, or there are too few for the test to mean anything")
	}
}

// argosDiff reports whether Argo CD finds a difference, and whether it could compare.
func argosDiff(t *testing.T, live, config *unstructured.Unstructured, ignores string) (modified, known bool) {
	t.Helper()
	var rules []v1alpha1.ResourceIgnoreDifferences
	if err := yaml.Unmarshal([]byte(ignores), &rules); err != nil {
		t.Fatal(err)
	}
	overrides := map[string]v1alpha1.ResourceOverride{"*/*": {IgnoreDifferences: v1alpha1.OverrideIgnoreDiff{JSONPointers: []string{"/status"}}}}
	settings, err := argodiff.NewDiffConfigBuilder().WithDiffSettings(rules, overrides, false, normalizers.IgnoreNormalizerOpts{}).
		WithTracking("app.kubernetes.io/instance", "annotation").WithNoCache().Build()
	if err != nil {
		t.Fatal(err)
	}
	result, err := argodiff.StateDiff(live, config, settings)
	return result.Modified, err == nil
}

// saidToChange are the names of the objects that the program says to start a sync.
func saidToChange(t *testing.T, root, ignores string) map[string]bool {
	t.Helper()
	application := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: app, namespace: argocd}\nspec:\n  project: default\n  destination: {namespace: default, server: 'https://kubernetes.default.svc'}\n" +
		"  source: {repoURL: 'https://git.example.com/a', path: app}\n  syncPolicy: {automated: {}}\n  ignoreDifferences: " + ignores + "\n"
	if err := os.WriteFile(filepath.Join(root, "app.yaml"), []byte(application), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program(t), "preview", "--application", "app.yaml", "--repository-url", "https://git.example.com/a", "--base", "old", "--format", "json")
	command.Dir = root
	out, err := command.Output()
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1 || len(out) == 0) {
		t.Fatalf("%v: %s", err, out)
	}
	var answer struct {
		Applications []struct {
			Start struct{ Causes []struct{ Object string } }
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, application := range answer.Applications {
		for _, one := range application.Start.Causes {
			said[one.Object[strings.LastIndexAny(one.Object, " /")+1:]] = true
		}
	}
	return said
}

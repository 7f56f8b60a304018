package sync_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

// soon is a TTL, in seconds, that deletes a Job before the next change. With a smaller one it is a race whether Argo CD sees how the Job ends.
const soon = 4

// piece is a Job, or a hook of another kind, of a random Application. Its name is in no other version that of another one.
type piece struct {
	kind, name string
	// hook are the types; none for an ordinary Job. helm says that they are Helm's.
	hook, policies []string
	helm           bool
	wave           int
	image          int
	fails          bool
	env, label     int
	ttl, backoff   int
	suspended      bool
	// unknown says that it has a field that Kubernetes does not know, which server-side apply refuses.
	unknown bool
	options []string
	// unwatched says that its health does not count for that of the Application.
	unwatched bool
	// strategy is that of the Job's own annotation.
	strategy string
	// uses is a ConfigMap, and mounted says how.
	uses      string
	mounted   bool
	generated bool
	// written says that it writes out what Kubernetes takes by default.
	written bool
	// gate says that its name has a hash of its content, and that only a failed sync deletes it.
	gate bool
}

// config is a ConfigMap that Jobs and Pods use, a hook or not.
type config struct {
	value int
	hook  bool
	wave  int
}

// version is one commit of a random Application.
type version struct {
	pieces  []piece
	configs map[string]config
	// api is the image of a Deployment, which is not there if it is 0, and selector a part of its selector.
	api, selector int
	// settings is the value of a ConfigMap that nothing uses, and comment what Argo CD does not read.
	settings, comment int
	// written says that these two write out what Kubernetes takes by default, or does not store.
	written bool
	// names counts the names that were given.
	names int
}

func (of version) clone() version {
	of.pieces, of.configs = slices.Clone(of.pieces), maps.Clone(of.configs)
	return of
}

func (of version) piece(name string) (piece, bool) {
	at := slices.IndexFunc(of.pieces, func(one piece) bool { return one.name == name })
	if at < 0 {
		return piece{}, false
	}
	return of.pieces[at], true
}

// some is one of these items. An item that is listed twice is twice as likely.
func some[T any](random *rand.Rand, items ...T) T { return items[random.Intn(len(items))] }

// oneIn is true once in so many times.
func oneIn(random *rand.Rand, times int) bool { return random.Intn(times) == 0 }

// randomOptions are the settings of an Application, the strategy among them, and the annotation that it is compared by.
func randomOptions(random *rand.Rand) (options []option, strategy, compared string) {
	if oneIn(random, 2) {
		options = append(options, native)
	} else {
		if strategy = some(random, "", "", "", "", "", "hook", "generate-name", "replace", "keep"); strategy != "" {
			options = append(options, parameter("strategy", strategy))
		}
		for _, of := range [][2]string{{"trigger", "false"}, {"hash-references", "true"}} {
			if oneIn(random, 6) {
				options = append(options, parameter(of[0], of[1]))
			}
		}
	}
	if policy := some(random, "", `{}`, `{"prune": true}`, `{"prune": true}`, `{"selfHeal": true}`, `{"prune": true, "selfHeal": true}`); policy != "" {
		options = append(options, func(spec *v1alpha1.ApplicationSpec) { automatedBy(spec, policy) })
	}
	if items := some(random, "", "", "", "", "Replace=true", "ApplyOutOfSyncOnly=true", "ApplyOutOfSyncOnly=true", "PruneLast=true", "ServerSideApply=true", "ServerSideApply=true"); items != "" {
		options = append(options, syncOptions(items))
	}
	if oneIn(random, 12) {
		compared = "ServerSideDiff=true"
	}
	if ignored := some(random, "", "", "", "[{group: batch, kind: Job, jqPathExpressions: ['.spec.template.spec.containers[].image']}]", "[{group: '*', kind: ConfigMap, jsonPointers: [/data/value]}]",
		"[{group: '*', kind: '*', jsonPointers: [/metadata/labels/label, /spec/template/spec/containers/0/image]}]"); ignored != "" {
		options = append(options, ignoring(ignored))
		if oneIn(random, 3) {
			options = append(options, func(spec *v1alpha1.ApplicationSpec) {
				spec.SyncPolicy.SyncOptions = append(spec.SyncPolicy.SyncOptions, "RespectIgnoreDifferences=true")
			})
		}
	}
	return options, strategy, compared
}

// randomVersion is a first version: nothing in it fails or waits by its content.
func randomVersion(random *rand.Rand) version {
	of := version{configs: map[string]config{}, settings: 1}
	for index := range random.Intn(3) {
		of.configs[fmt.Sprintf("config-%d", index)] = randomConfig(random)
	}
	for range random.Intn(5) {
		of.add(random)
	}
	if oneIn(random, 2) {
		of.api, of.selector = 1, 1
	}
	return of
}

func randomConfig(random *rand.Rand) config {
	return config{value: 1, hook: oneIn(random, 4), wave: some(random, 0, 0, -2, 1)}
}

// add adds a piece of a new name.
func (of *version) add(random *rand.Rand) {
	of.names++
	one := piece{kind: some(random, "Job", "Job", "Job", "Job", "Job", "Job", "Pod", "Workflow", "TaskRun", "Seed"), name: fmt.Sprintf("p%d", of.names), image: 1, label: 1}
	one.wave = some(random, 0, 0, 0, -1, 1, 2)
	if one.kind != "Job" || oneIn(random, 2) {
		one.becomeHook(random)
	}
	if one.kind == "Job" {
		one.ttl = some(random, 0, 0, 0, 0, soon, 100_000)
		one.strategy = some(random, "", "", "", "", "", "", "", "", "hash-name", "hook", "keep", "replace")
		if one.hook == nil {
			one.options = randomObjectOptions(random)
		}
	}
	one.unwatched = oneIn(random, 8)
	one.generated = one.hook != nil && !one.gate && oneIn(random, 12)
	if names := slices.Sorted(maps.Keys(of.configs)); len(names) > 0 && (one.kind == "Job" || one.kind == "Pod") && oneIn(random, 2) {
		one.uses, one.mounted = some(random, names...), oneIn(random, 2)
	}
	of.pieces = append(of.pieces, one)
}

func (one *piece) becomeHook(random *rand.Rand) {
	types := some(random, "PreSync", "PreSync", "PreSync", "Sync", "Sync", "PostSync", "PostSync", "SyncFail", "PreSync,PostSync", "Sync,SyncFail", "Skip", "Garbage")
	policies := some(random, "", "", "", "", "BeforeHookCreation", "HookSucceeded", "HookFailed", "HookSucceeded,HookFailed", "BeforeHookCreation,HookSucceeded")
	one.hook, one.policies = strings.Split(types, ","), nil
	if policies != "" {
		one.policies = strings.Split(policies, ",")
	}
	one.helm, one.strategy, one.gate = false, "", false
	if one.kind == "Job" && !one.generated && oneIn(random, 6) {
		one.gate, one.policies = true, []string{"HookFailed"}
		return
	}
	if (one.kind == "Job" || one.kind == "Pod") && oneIn(random, 6) {
		one.helm, one.hook = true, strings.Split(some(random, "pre-install,pre-upgrade", "post-install,post-upgrade", "pre-upgrade", "test"), ",")
		for index, policy := range one.policies {
			one.policies[index] = map[string]string{"BeforeHookCreation": "before-hook-creation", "HookSucceeded": "hook-succeeded", "HookFailed": "hook-failed"}[policy]
		}
	}
}

func randomObjectOptions(random *rand.Rand) []string {
	text := some(random, "", "", "", "", "", "", "Replace=true", "Force=true", "Force=true,Replace=true", "PruneLast=true", "Prune=false", "Prune=confirm", "ServerSideApply=true", "SkipDryRunOnMissingResource=true")
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// annotations are those of the manifest.
func (one piece) annotations() map[string]any {
	found := map[string]any{}
	prefix := "argocd.argoproj.io/hook"
	if one.helm {
		prefix = "helm.sh/hook"
	}
	for key, items := range map[string][]string{prefix: one.hook, prefix + "-delete-policy": one.policies, "argocd.argoproj.io/sync-options": one.options} {
		if len(items) > 0 {
			found[key] = strings.Join(items, ",")
		}
	}
	if one.wave != 0 && one.helm {
		found["helm.sh/hook-weight"] = fmt.Sprint(one.wave)
	} else if one.wave != 0 {
		found["argocd.argoproj.io/sync-wave"] = fmt.Sprint(one.wave)
	}
	if one.unwatched {
		found["argocd.argoproj.io/ignore-healthcheck"] = "true"
	}
	if one.strategy != "" {
		found["argocd-jobs/strategy"] = one.strategy
	}
	return found
}

// runs is what the piece runs, which decides how it ends.
func (one piece) runs() string {
	text := fmt.Sprintf("%s:%d", one.name, one.image)
	if one.fails {
		text += "-fails"
	}
	return text
}

// content is the manifest without its header.
func (one piece) content() map[string]any {
	switch one.kind {
	case "Workflow":
		return map[string]any{"spec": map[string]any{"entrypoint": one.runs(), "priority": one.env}}
	case "TaskRun":
		return map[string]any{"spec": map[string]any{"taskRef": map[string]any{"name": one.runs()}, "retries": one.env}}
	case "Seed":
		return map[string]any{"value": one.runs(), "more": one.env}
	case "Pod":
		return map[string]any{"spec": one.podSpec()}
	}
	spec := map[string]any{"backoffLimit": one.backoff, "template": map[string]any{"spec": one.podSpec()}}
	if one.ttl > 0 {
		spec["ttlSecondsAfterFinished"] = one.ttl
	}
	if one.suspended {
		spec["suspend"] = true
	}
	if one.unknown {
		spec["retries"] = 3
	}
	return map[string]any{"spec": spec}
}

func (one piece) podSpec() map[string]any {
	container := map[string]any{"name": "main", "image": one.runs(), "env": []any{map[string]any{"name": "A", "value": fmt.Sprint(one.env)}}}
	spec := map[string]any{"restartPolicy": "Never", "containers": []any{container}}
	if one.written {
		spec["dnsPolicy"], spec["terminationGracePeriodSeconds"], spec["nodeSelector"] = "ClusterFirst", 30, map[string]any{}
		container["resources"] = map[string]any{"requests": map[string]any{}}
	}
	switch {
	case one.uses != "" && one.mounted:
		container["volumeMounts"] = []any{map[string]any{"name": "config", "mountPath": "/config"}}
		spec["volumes"] = []any{map[string]any{"name": "config", "configMap": map[string]any{"name": one.uses}}}
	case one.uses != "":
		container["envFrom"] = []any{map[string]any{"configMapRef": map[string]any{"name": one.uses}}}
	}
	return spec
}

// isChangedFrom reports whether the content is another one, whatever the header says.
func (one piece) isChangedFrom(before piece) bool {
	return !reflect.DeepEqual(one.content(), before.content())
}

func (one piece) manifest() string {
	version := map[string]string{"Job": "batch/v1", "Pod": "v1", "Workflow": "argoproj.io/v1alpha1", "TaskRun": "tekton.dev/v1", "Seed": "interop.example.com/v1"}[one.kind]
	name := "name"
	text := one.name
	if one.gate {
		text += fmt.Sprintf("-%x", sha256.Sum256([]byte(inJSON(one.podSpec())+fmt.Sprint(one.backoff))))[:11]
	}
	if one.generated {
		name, text = "generateName", text+"-"
	}
	meta := map[string]any{name: text, "labels": map[string]any{"label": fmt.Sprint(one.label)}}
	if found := one.annotations(); len(found) > 0 {
		meta["annotations"] = found
	}
	whole := map[string]any{"apiVersion": version, "kind": one.kind, "metadata": meta}
	maps.Copy(whole, one.content())
	return printed(whole)
}

func printed(whole map[string]any) string {
	text, err := yaml.Marshal(whole)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (one config) manifest(name string) string {
	lines := []string{inWave(one.wave)}
	if one.hook {
		lines = append(lines, in("PreSync"))
	}
	return object("v1", "ConfigMap", name, fmt.Sprintf("data: {value: \"%d\"}\n", one.value), lines)
}

func (of version) files() files {
	all := files{"settings.yaml": settings(fmt.Sprint(of.settings))}
	if of.written {
		all["settings.yaml"] = strings.Replace(all["settings.yaml"], "  name: settings\n", "  name: settings\n  labels: {}\n", 1)
	}
	if of.comment > 0 {
		all["settings.yaml"] += fmt.Sprintf("# %d\n", of.comment)
	}
	for _, one := range of.pieces {
		all[one.name+".yaml"] = one.manifest()
	}
	for name, one := range of.configs {
		all[name+".yaml"] = one.manifest(name)
	}
	if of.api > 0 {
		all["api.yaml"] = strings.ReplaceAll(deployment("api", fmt.Sprintf("api:%d", of.api)), "app: api}", fmt.Sprintf("app: api, part: \"%d\"}", of.selector))
		if of.written {
			all["api.yaml"] = strings.Replace(all["api.yaml"], "spec:\n", "spec:\n  replicas: 1\n  strategy: {type: RollingUpdate}\n", 1)
		}
	}
	return all
}

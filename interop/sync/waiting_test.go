package sync_test

import (
	"fmt"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// waited is an object that is not ready when it is created.
type waited struct {
	kind, name string
	// text is the manifest with these lines among its annotations.
	text func(lines ...string) string
	// ready and bad are the statuses that its controller sets. Without ready nobody waits for the object.
	ready, bad string
	// since is the minor version of Argo CD that waits for it, where not all do.
	since int
}

// condition is a status of one condition.
func condition(kind, status, reason string) string {
	return fmt.Sprintf(`{"conditions": [{"type": %q, "status": %q, "reason": %q, "message": "said", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}`, kind, status, reason)
}

// workload is an object of apps/v1 with one pod.
func workload(kind, more string, lines ...string) string {
	name := strings.ToLower(kind)
	return object("apps/v1", kind, name, fmt.Sprintf("spec: {%s selector: {matchLabels: {app: %[2]s}}, template: {metadata: {labels: {app: %[2]s}}, spec: {containers: [{name: main, image: \"web:1\"}]}}}\n", more, name), lines)
}

// all are the kinds that a sync waits for, and the usual ones that it does not wait for.
func allWaited() []waited {
	of := func(version, kind, rest string) func(lines ...string) string {
		return func(lines ...string) string { return object(version, kind, strings.ToLower(kind), rest, lines) }
	}
	plain := func(kind, version, rest string) waited {
		return waited{kind: kind, name: strings.ToLower(kind), text: of(version, kind, rest)}
	}
	apps := func(kind, more, ready, bad string) waited {
		return waited{kind: kind, name: strings.ToLower(kind), text: func(lines ...string) string { return workload(kind, more, lines...) }, ready: ready, bad: bad}
	}
	port := "ports: [{port: 80}]"
	template := "{spec: {containers: [{name: main, image: \"web:1\"}], restartPolicy: Never}}"
	target := "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: deployment}"
	custom := func(kind, version, ready, bad string) waited {
		return waited{kind: kind, name: strings.ToLower(kind), text: of(version, kind, "spec: {a: b}\n"), ready: ready, bad: bad}
	}
	return []waited{
		{kind: "PersistentVolumeClaim", name: "claim", text: func(lines ...string) string { return claim("claim", lines...) }, ready: bound, bad: `{"phase": "Lost"}`},
		// Two replicas, because the stand-in for its controller brings one.
		apps("Deployment", "replicas: 2,", `{"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2, "conditions": null}`, condition("Progressing", "False", "ProgressDeadlineExceeded")),
		apps("StatefulSet", "serviceName: a,", `{"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1}`, ""),
		apps("DaemonSet", "", `{"observedGeneration": 1, "desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberAvailable": 1, "currentNumberScheduled": 1, "numberMisscheduled": 0, "numberReady": 1}`, ""),
		apps("ReplicaSet", "", `{"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1}`, ""),
		{kind: "Pod", name: "pod", text: func(lines ...string) string { return pod("pod", "pod:1-holds", lines...) }, ready: `{"phase": "Succeeded"}`},
		{kind: "Job", name: "job", text: func(lines ...string) string { return job("job", "job:1-holds", annotations(lines...)...) }, ready: "its pod"},
		{kind: "Service", name: "balanced", text: func(lines ...string) string {
			return object("v1", "Service", "balanced", "spec: {type: LoadBalancer, "+port+"}\n", lines)
		}, ready: addressed},
		plain("Service", "v1", "spec: {"+port+"}\n"),
		{kind: "Ingress", name: "ingress", text: of("networking.k8s.io/v1", "Ingress", "spec: {defaultBackend: {service: {name: service, port: {number: 80}}}}\n"), ready: addressed},
		{kind: "HorizontalPodAutoscaler", name: "horizontalpodautoscaler", text: of("autoscaling/v2", "HorizontalPodAutoscaler", "spec: {maxReplicas: 2, "+target+"}\n"),
			ready: strings.Replace(condition("AbleToScale", "True", "ReadyForNewScale"), "{", `{"desiredReplicas": 1, `, 1),
			bad:   strings.Replace(condition("ScalingActive", "False", "FailedGetResourceMetric"), "{", `{"desiredReplicas": 1, `, 1)},
		{kind: "PodDisruptionBudget", name: "poddisruptionbudget", text: of("policy/v1", "PodDisruptionBudget", "spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n"),
			ready: strings.Replace(condition("DisruptionAllowed", "True", "SufficientPods"), "{", `{"currentHealthy": 1, "desiredHealthy": 1, "disruptionsAllowed": 1, "expectedPods": 1, `, 1)},
		custom("Certificate", "cert-manager.io/v1", condition("Ready", "True", "Ready"), condition("Ready", "False", "Failed")),
		custom("ExternalSecret", "external-secrets.io/v1", condition("Ready", "True", "Ready"), condition("Ready", "False", "Failed")),
		custom("SealedSecret", "bitnami.com/v1alpha1", strings.Replace(condition("Synced", "True", "Synced"), "{", `{"observedGeneration": 1, `, 1), ""),
		custom("Rollout", "argoproj.io/v1alpha1", `{"observedGeneration": "1", "phase": "Healthy"}`, ""),
		{kind: "TaskRun", name: "taskrun", text: func(lines ...string) string { return run("taskrun", "one-holds", lines...) }, ready: `{"conditions": [{"type": "Succeeded", "status": "True"}]}`, since: 6},
		plain("CronJob", "batch/v1", "spec: {schedule: '0 0 * * *', jobTemplate: {spec: {template: "+template+"}}}\n"),
		plain("ConfigMap", "v1", "data: {a: b}\n"), plain("Secret", "v1", "data: {}\n"), plain("ServiceAccount", "v1", ""),
		plain("Role", "rbac.authorization.k8s.io/v1", "rules: []\n"),
		plain("RoleBinding", "rbac.authorization.k8s.io/v1", "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: role}\n"),
		plain("NetworkPolicy", "networking.k8s.io/v1", "spec: {podSelector: {}}\n"),
		{kind: "Seed", name: "seed", text: func(lines ...string) string { return seed("seed", "1", lines...) }},
	}
}

func (it waited) what() string { return it.kind + " " + it.name }

// holds reports whether this Argo CD waits for it.
func (it waited) holds() bool { return it.ready != "" && !argocd.Before(it.since) }

// readied sets what the controllers of all of them would say in the end.
func (one *scenario) readied(all []waited) {
	one.Helper()
	for _, it := range all {
		switch {
		case it.kind == "Job" || it.ready == "":
		case it.kind == "TaskRun":
			one.merges(it.kind, it.name, `{"status": `+it.ready+`}`)
		default:
			one.says(it.kind, it.name, it.ready)
		}
	}
}

// TestWhatASyncWaitsFor shows of each kind whether a sync waits until it is ready: in gitops-engine/pkg/sync/sync_context.go Sync, with
// GetResourceHealth of gitops-engine/pkg/health and the scripts of resource_customizations.
func TestWhatASyncWaitsFor(t *testing.T) {
	t.Parallel()
	for where, line := range map[string]string{"an ordinary object of an earlier wave": inWave(-1), "a hook": in("PreSync")} {
		t.Run("kind by kind, as "+where, func(t *testing.T) {
			manifests, wanted := files{"settings.yaml": settings("1")}, map[string]string{}
			for _, it := range allWaited() {
				manifests[it.name+".yaml"] = it.text(line)
				if wanted[it.what()] = "Succeeded"; it.holds() {
					wanted[it.what()] = "Running"
				}
			}
			app := given(t, manifests, native)
			app.begins()
			app.reports(wanted)
			app.is(false, "ConfigMap", "settings")
			// What is Degraded once has failed, whatever it says later, and the sync still waits for the others.
			for _, it := range allWaited() {
				if it.bad != "" {
					app.says(it.kind, it.name, it.bad)
					wanted[it.what()] = "Failed"
				}
			}
			app.reports(wanted)
			app.readied(allWaited())
			app.completes()
			app.finished().ends("Failed", "one or more synchronization tasks completed unsuccessfully")
			app.is(false, "ConfigMap", "settings")
			if line != inWave(-1) {
				return
			}
			app.sync().ends("Succeeded")
			app.is(true, "ConfigMap", "settings")
		})
	}
}

// TestWhenASyncWaits shows it for one claim that nobody binds: "the last wave" and multiStep in gitops-engine/pkg/sync/sync_context.go Sync.
func TestWhenASyncWaits(t *testing.T) {
	t.Parallel()
	ignored := "argocd.argoproj.io/ignore-healthcheck: \"true\""
	for name, one := range map[string]struct {
		files files
		waits string
	}{
		"not when all are in one wave":                                    {files{"a.yaml": claim("data"), "b.yaml": settings("1")}, ""},
		"not in the last wave":                                            {files{"a.yaml": claim("data", inWave(1)), "b.yaml": settings("1")}, ""},
		"not after a PreSync hook":                                        {files{"a.yaml": claim("data"), "b.yaml": configMap("before", "1", in("PreSync"))}, ""},
		"not with a Sync hook of the only wave":                           {files{"a.yaml": claim("data"), "b.yaml": configMap("with", "1", in("Sync"))}, ""},
		"not with a SyncFail hook":                                        {files{"a.yaml": claim("data"), "b.yaml": configMap("alarm", "1", in("SyncFail"))}, ""},
		"before a later wave":                                             {files{"a.yaml": claim("data", inWave(-1)), "b.yaml": settings("1")}, "healthy state of /PersistentVolumeClaim/data"},
		"before a PostSync hook":                                          {files{"a.yaml": claim("data"), "b.yaml": configMap("after", "1", in("PostSync"))}, "healthy state of /PersistentVolumeClaim/data"},
		"with a Sync hook of the last wave, when there is a phase before": {files{"a.yaml": claim("data"), "b.yaml": configMap("with", "1", in("Sync")), "c.yaml": configMap("before", "1", in("PreSync"))}, "healthy state of /PersistentVolumeClaim/data"},
		"although its health is ignored":                                  {files{"a.yaml": claim("data", inWave(-1), ignored), "b.yaml": settings("1")}, "healthy state of /PersistentVolumeClaim/data"},
		"for a hook in the last phase":                                    {files{"a.yaml": claim("data", in("PostSync")), "b.yaml": settings("1")}, "completion of hook /PersistentVolumeClaim/data"},
		"for a hook alone":                                                {files{"a.yaml": claim("data", in("Sync")), "b.yaml": settings("1")}, "completion of hook /PersistentVolumeClaim/data"},
		"for a hook whose health is ignored":                              {files{"a.yaml": claim("data", in("PreSync"), ignored), "b.yaml": settings("1")}, "completion of hook /PersistentVolumeClaim/data"},
	} {
		t.Run(name, func(t *testing.T) {
			app := given(t, one.files, native)
			if one.waits == "" {
				app.sync().ends("Succeeded")
				return
			}
			app.begins()
			app.reports(map[string]string{"PersistentVolumeClaim data": "Running"})
			app.waits("waiting for " + one.waits)
			app.says("PersistentVolumeClaim", "data", bound)
			app.finished().ends("Succeeded")
		})
	}
	t.Run("and fails for what is Degraded before a later wave, and not in the last one", func(t *testing.T) {
		app := given(t, files{"a.yaml": claim("data"), "b.yaml": settings("1")}, native)
		app.sync().ends("Succeeded")
		app.says("PersistentVolumeClaim", "data", `{"phase": "Lost"}`)
		app.becomes("Synced", "Degraded")
		app.sync().ends("Succeeded")
		app.commit(files{"a.yaml": claim("data"), "b.yaml": settings("1"), "c.yaml": configMap("after", "1", in("PostSync"))})
		app.sync().ends("Failed", "one or more synchronization tasks completed unsuccessfully", "PersistentVolumeClaim data Synced")
		app.is(false, "ConfigMap", "after")
	})
	// resource_customizations/postgresql.cnpg.io/Cluster/health.lua reads `obj.status.phaseReason`; so do the checks of eleven other kinds. Its operator
	// does not run, or is slower than the two seconds between waves.
	for name, one := range map[string]struct{ line, ends, message string }{
		"a hook": {in("PreSync"), "Failed", "failed to get resource health"},
		"an ordinary object, as it cannot be compared": {inWave(-1), "Error", "ComparisonError: error setting app health"},
	} {
		t.Run("and fails at once for a kind whose check cannot do without a status, as "+name, func(t *testing.T) {
			app := given(t, files{"a.yaml": object("postgresql.cnpg.io/v1", "Cluster", "database", "spec: {instances: 1}\n", []string{one.line}), "b.yaml": settings("1")}, native)
			app.sync().ends(one.ends, one.message)
			app.is(false, "ConfigMap", "settings")
		})
	}
	// resource_customizations/batch/CronJob/health.lua
	t.Run("not for a CronJob, but it fails when the last Job of one has failed", func(t *testing.T) {
		text := object("batch/v1", "CronJob", "nightly", "spec: {schedule: '0 0 * * *', jobTemplate: {spec: {template: {spec: {containers: [{name: main, image: \"nightly:1\"}], restartPolicy: Never}}}}}\n", []string{inWave(-1)})
		app := given(t, files{"a.yaml": text, "b.yaml": settings("1")}, native)
		app.sync().ends("Succeeded")
		app.says("CronJob", "nightly", `{"lastScheduleTime": "2026-01-02T00:00:00Z", "lastSuccessfulTime": "2026-01-01T00:00:10Z"}`)
		app.commit(files{"a.yaml": text, "b.yaml": settings("2")})
		app.becomes("OutOfSync", "Degraded")
		app.sync().ends("Failed", "CronJob has not completed its last execution successfully")
		app.setting("1")
	})
	// Suspended is not an end: gitops-engine/pkg/health/health_deployment.go, resource_customizations/argoproj.io/Rollout/health.lua
	t.Run("for what is paused", func(t *testing.T) {
		paused := object("apps/v1", "Deployment", "web", "spec: {paused: true, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: \"web:1\"}]}}}\n", []string{inWave(-1)})
		app := given(t, files{"a.yaml": paused, "b.yaml": object("argoproj.io/v1alpha1", "Rollout", "api", "spec: {a: b}\n", []string{inWave(-1)}), "c.yaml": settings("1")}, native)
		app.begins()
		app.reports(map[string]string{"Deployment web": "Running", "Rollout api": "Running"})
		app.says("Rollout", "api", `{"observedGeneration": "1", "phase": "Paused"}`)
		app.stillWaits("waiting for healthy state of")
		app.merges("Deployment", "web", `{"spec": {"paused": false}}`)
		app.says("Rollout", "api", `{"phase": "Healthy"}`)
		app.finished().ends("Succeeded")
	})
	t.Run("for what has not changed too, unless ApplyOutOfSyncOnly=true leaves it out", func(t *testing.T) {
		app := given(t, files{"a.yaml": claim("data", inWave(-1))}, native)
		app.sync().ends("Succeeded")
		app.isSeen()
		app.commit(files{"a.yaml": claim("data", inWave(-1)), "b.yaml": settings("1")})
		app.begins()
		app.waits("waiting for healthy state of /PersistentVolumeClaim/data")
		app.terminates().ends("Failed", "Operation terminated")
		app.is(false, "ConfigMap", "settings")
		if app.found("PersistentVolumeClaim", "data").GetDeletionTimestamp() != nil {
			t.Fatal("an ordinary claim is deleted with the sync")
		}
		app.reconfigure(syncOptions("ApplyOutOfSyncOnly=true"))
		app.sync().ends("Succeeded")
		app.is(true, "ConfigMap", "settings")
	})
	// since 3.4: "missing" in gitops-engine/pkg/sync/sync_context.go Sync
	t.Run("for what was deleted meanwhile: for ever before 3.4", func(t *testing.T) {
		app := given(t, files{"a.yaml": claim("data", inWave(-1)), "b.yaml": settings("1")}, native)
		app.begins()
		app.waits("waiting for healthy state of /PersistentVolumeClaim/data")
		app.removes("PersistentVolumeClaim", "data")
		app.releases("data")
		if argocd.Before(4) {
			app.stillWaits("waiting for healthy state of /PersistentVolumeClaim/data")
			return
		}
		app.finished().ends("Failed", "Resource /PersistentVolumeClaim/data is missing, it might have been deleted")
	})
}

// TestClaimBeforeItsConsumer shows what happens when the StorageClass has volumeBindingMode WaitForFirstConsumer: the claim is Pending
// until a pod that uses it is scheduled (gitops-engine/pkg/health/health_pvc.go).
func TestClaimBeforeItsConsumer(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ claim, waits string }{
		"a claim of an earlier wave":                                             {claim("data", inWave(-1)), "waiting for healthy state of /PersistentVolumeClaim/data"},
		"a claim that is a PreSync hook":                                         {claim("data", in("PreSync")), "waiting for completion of hook /PersistentVolumeClaim/data"},
		"a claim that is a Sync hook of an earlier wave than its first consumer": {claim("data", in("Sync"), inWave(-1)), "waiting for completion of hook /PersistentVolumeClaim/data"},
	} {
		t.Run(name+" keeps the sync waiting for ever", func(t *testing.T) {
			app := given(t, files{"a.yaml": one.claim, "b.yaml": consumer("web", "data")}, native)
			app.begins()
			app.waits(one.waits)
			app.stillWaits(one.waits)
			app.deployed("web", false)
		})
	}
	for name, text := range map[string]string{"an ordinary claim": claim("data"), "a claim that is a Sync hook": claim("data", in("Sync"))} {
		t.Run(name+" of the wave of its first consumer does not", func(t *testing.T) {
			app := given(t, files{"a.yaml": text, "b.yaml": consumer("web", "data")}, native)
			app.begins()
			app.eventually("the Deployment", func(*v1alpha1.Application) bool { return app.found("Deployment", "web") != nil })
			app.eventually("the claim", func(*v1alpha1.Application) bool { return app.found("PersistentVolumeClaim", "data") != nil })
			app.says("PersistentVolumeClaim", "data", bound)
			app.finished().ends("Succeeded")
		})
	}
	t.Run("a claim of a later wave than its consumer keeps the sync waiting for ever, because no pod of the consumer starts", func(t *testing.T) {
		// The stand-in for its controller brings one of two pods.
		web := strings.Replace(consumer("web", "data"), "spec: {", "spec: {replicas: 2, ", 1)
		app := given(t, files{"a.yaml": claim("data", inWave(1)), "b.yaml": web}, native)
		app.begins()
		app.waits("waiting for healthy state of apps/Deployment/web")
		app.stillWaits("waiting for healthy state of apps/Deployment/web")
		app.is(false, "PersistentVolumeClaim", "data")
	})
	// The claim is deleted with the sync, because it is a hook that runs: Terminate in gitops-engine/pkg/sync/sync_context.go
	t.Run("a hook that is Pending is deleted when its sync is terminated, and one that is Bound is not", func(t *testing.T) {
		app := given(t, files{"a.yaml": claim("data", in("PreSync")), "b.yaml": claim("kept", in("PreSync")), "c.yaml": settings("1")}, native)
		app.begins()
		app.reports(map[string]string{"PersistentVolumeClaim data": "Running", "PersistentVolumeClaim kept": "Running"})
		app.says("PersistentVolumeClaim", "kept", bound)
		app.reports(map[string]string{"PersistentVolumeClaim data": "Running", "PersistentVolumeClaim kept": "Succeeded"})
		app.terminates().ends("Failed", "Operation terminated")
		if app.found("PersistentVolumeClaim", "data").GetDeletionTimestamp() == nil || app.found("PersistentVolumeClaim", "kept").GetDeletionTimestamp() != nil {
			t.Fatal("other claims are deleted than the one that is Pending")
		}
		app.releases("data")
	})
}

package sync_test

import (
	"fmt"
	"regexp"
	"strings"
)

// withoutHash finds the hash at the end of a name, and what Argo CD appends to a prefix.
var withoutHash = regexp.MustCompile(`-[bcdfghkmt2456789]{10}(-[0-9a-f]{7}-[a-z]+-[0-9]+)?$`)

// job is a Job whose one container runs an image; more are lines for its metadata.
func job(name, image string, more ...string) string {
	text := fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: %s\n", name)
	for _, line := range more {
		text += "  " + line + "\n"
	}
	return text + fmt.Sprintf("spec:\n  backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n      - name: main\n        image: %s\n", image)
}

// settings is an ordinary object that is not a Job.
func settings(value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  value: %q\n", value)
}

// annotations are lines for the metadata of a Job.
func annotations(items ...string) []string {
	lines := []string{"annotations:"}
	for _, item := range items {
		lines = append(lines, "  "+item)
	}
	return lines
}

// hook is a Job that is a hook by Argo CD's annotation.
func hook(phase, name, image string) string {
	return job(name, image, annotations("argocd.argoproj.io/hook: "+phase)...)
}

// hookedWith is such a Job with a delete policy.
func hookedWith(phase, policy, name, image string) string {
	return job(name, image, annotations("argocd.argoproj.io/hook: "+phase, "argocd.argoproj.io/hook-delete-policy: "+policy)...)
}

// optioned is the Job migrate with a sync option.
func optioned(option, image string) string {
	return job("migrate", image, annotations("argocd.argoproj.io/sync-options: "+option)...)
}

// besideSettings are these manifests, each in a file of its own, and an ordinary object.
func besideSettings(texts ...string) files {
	all := files{"settings.yaml": settings("1")}
	for index, text := range texts {
		all[string(rune('a'+index))+".yaml"] = text
	}
	return all
}

// with puts further lines into the spec of a Job.
func with(job string, lines ...string) string {
	return strings.Replace(job, "spec:\n", "spec:\n  "+strings.Join(lines, "\n  ")+"\n", 1)
}

// namespaced puts a Job into a namespace.
func namespaced(job, namespace string) string {
	return strings.Replace(job, "metadata:\n", "metadata:\n  namespace: "+namespace+"\n", 1)
}

// namespace is a Namespace that an Application creates.
func namespace(name string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n", name)
}

// deployment is a workload of one container.
func deployment(name, image string) string {
	return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: %[1]s\nspec:\n  selector: {matchLabels: {app: %[1]s}}\n  template:\n"+
		"    metadata: {labels: {app: %[1]s}}\n    spec:\n      containers:\n      - name: main\n        image: %[2]s\n", name, image)
}

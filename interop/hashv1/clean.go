package hashv1

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// ServerMetadata are the keys of metadata that only a server writes.
var ServerMetadata = []string{
	"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation",
	"managedFields", "selfLink",
}

// Finalizers are those that a Job copied from a live cluster may carry.
var Finalizers = []string{"argocd.argoproj.io/hook-finalizer", "foregroundDeletion", "orphan"}

// SelectorLabels are the labels that the API server generates for a Job.
var SelectorLabels = []string{
	"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
}

// Clean gives a copy of a Job without what a live cluster has put into it.
func Clean(job map[string]any) map[string]any {
	job = runtime.DeepCopyJSON(job)
	delete(job, "status")
	for _, key := range ServerMetadata {
		unstructured.RemoveNestedField(job, "metadata", key)
	}
	if metadata, ok := job["metadata"].(map[string]any); ok {
		if old, ok := metadata["finalizers"].([]any); ok {
			metadata["finalizers"] = slices.DeleteFunc(old, func(item any) bool {
				name, ok := item.(string)
				return ok && slices.Contains(Finalizers, name)
			})
		}
	}
	if manual, _, _ := unstructured.NestedBool(job, "spec", "manualSelector"); manual {
		return job
	}
	unstructured.RemoveNestedField(job, "spec", "selector")
	for _, label := range SelectorLabels {
		unstructured.RemoveNestedField(job, "metadata", "labels", label)
	}
	RemoveTemplateLabels(job, SelectorLabels)
	return job
}

// RemoveTemplateLabels takes labels off the pod template, and the whole map with the last of them: a template with
// `labels: {}` never equals the live one. A map that was written empty stays.
func RemoveTemplateLabels(job map[string]any, names []string) {
	path := []string{"spec", "template", "metadata", "labels"}
	labels, _, _ := unstructured.NestedFieldNoCopy(job, path...)
	found, ok := labels.(map[string]any)
	if !ok || len(found) == 0 {
		return
	}
	for _, name := range names {
		delete(found, name)
	}
	if len(found) == 0 {
		unstructured.RemoveNestedField(job, path...)
	}
}

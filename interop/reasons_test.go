package interop_test

import (
	"argocd-jobs.example/interop/apiserver"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/kubernetes/pkg/apis/batch"
)

// whyAccepted names the reason why Kubernetes accepts an update although the hash differs. Each is a
// re-run that a manifest alone cannot avoid; "" means that none of them holds.
func whyAccepted(live, updated, fresh *apiserver.Live) string {
	before, now := live.Spec(), updated.Spec()
	switch {
	case sameImmutable(before, now) && sameImmutable(before, comparable(fresh, before)):
		return "the same stored Job: a default written out, another spelling of a value, or a field nobody knows"
	case sameImmutable(before, now) && before.Completions != nil && fresh.Spec().Completions == nil:
		return "completions goes from the default 1 to none: the merge leaves the stored 1"
	case *before.CompletionMode == batch.IndexedCompletion && sameBut(before, now, func(spec *batch.JobSpec) { spec.Completions = nil }):
		return "elastic scaling of an Indexed Job"
	case sameImmutable(before, now) && on(now.ManualSelector) && !on(before.ManualSelector):
		return "manualSelector switched on, the generated selector stays"
	case sameImmutable(before, now) && sameBut(before, comparable(fresh, before), serviceAccount):
		return "serviceAccountName removed: the merge leaves its stored alias, serviceAccount"
	case on(before.Suspend) && sameBut(before, now, scheduling):
		return "scheduling directives of a suspended Job that has not started"
	}
	return ""
}

// comparable gives a fresh Job's spec the generated selector and labels of another one.
func comparable(fresh *apiserver.Live, other *batch.JobSpec) *batch.JobSpec {
	spec := fresh.Spec().DeepCopy()
	if !on(spec.ManualSelector) {
		spec.Selector = other.Selector
		for _, label := range []string{"controller-uid", batch.ControllerUidLabel} {
			spec.Template.Labels[label] = other.Template.Labels[label]
		}
	}
	return spec
}

// scheduling clears what may change in the template of a suspended Job that has not started.
func scheduling(spec *batch.JobSpec) {
	template := &spec.Template
	template.Labels, template.Annotations = nil, nil
	template.Spec.NodeSelector, template.Spec.Tolerations, template.Spec.SchedulingGates = nil, nil, nil
	template.Spec.Affinity = nil
}

func on(flag *bool) bool { return flag != nil && *flag }

func serviceAccount(spec *batch.JobSpec) { spec.Template.Spec.ServiceAccountName = "" }

func sameBut(one, other *batch.JobSpec, clear func(*batch.JobSpec)) bool {
	one, other = one.DeepCopy(), other.DeepCopy()
	clear(one)
	clear(other)
	return sameImmutable(one, other)
}

func sameImmutable(one, other *batch.JobSpec) bool {
	pick := func(spec *batch.JobSpec) batch.JobSpec {
		return batch.JobSpec{
			Template: spec.Template, Completions: spec.Completions, CompletionMode: spec.CompletionMode,
			Selector: spec.Selector, PodFailurePolicy: spec.PodFailurePolicy, SuccessPolicy: spec.SuccessPolicy,
			BackoffLimitPerIndex: spec.BackoffLimitPerIndex, ManagedBy: spec.ManagedBy,
		}
	}
	return apiequality.Semantic.DeepEqual(pick(one), pick(other))
}

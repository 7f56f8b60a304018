// Package apiserver does to a Job what the Kubernetes API server does on create and on apply, with
// Kubernetes' own code: decoding, defaulting, the Job strategy (generated selector and labels, its
// validation options) and the three-way merge of kubectl, which is the one Argo CD syncs with.
package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubectl/pkg/util"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install" // the scheme of Jobs and their defaults
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // the scheme of pods and their defaults
	"k8s.io/kubernetes/pkg/registry/batch/job"
)

const namespace = "default"

// The fields of a Job that are still behind a gate are there, as in a cluster of those who use them.
func init() {
	gates, on := utilfeature.DefaultMutableFeatureGate, map[string]bool{}
	for gate := range gates.GetAll() {
		if slices.Contains([]string{"GenericWorkload", "WorkloadWithJob"}, string(gate)) {
			on[string(gate)] = true
		}
	}
	if err := gates.SetFromMap(on); err != nil {
		panic(err)
	}
}

// Live is a Job as the API server stores it.
type Live struct {
	job *batch.Job
}

// Create does what a first `kubectl apply` of a manifest does. The error is the API server's refusal.
func Create(manifest map[string]any) (*Live, error) {
	_, text, err := withLastApplied(manifest)
	if err != nil {
		return nil, err
	}
	object, err := decode(text)
	if err != nil {
		return nil, err
	}
	if object.Namespace == "" {
		object.Namespace = namespace
	}
	rest.FillObjectMetaSystemFields(object)
	object.ResourceVersion = "1" // the storage sets it
	err = guard(func() error { return rest.BeforeCreate(job.Strategy, requestContext(object), object) })
	if err != nil {
		return nil, err
	}
	return &Live{object}, nil
}

// guard makes an error of a panic, as the API server does: its validation of a success policy
// without completions is one.
func guard(do func() error) (err error) {
	defer func() {
		if told := recover(); told != nil {
			err = fmt.Errorf("panic: %v", told)
		}
	}()
	return do()
}

// Apply does what a further `kubectl apply` of a manifest does: the three-way merge on the client, the
// patch, the defaults and the Job strategy's update on the server. The error is the refusal.
func (live *Live) Apply(manifest map[string]any) (*Live, error) {
	current, err := live.JSON()
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(current); err != nil {
		return nil, err
	}
	original, err := util.GetOriginalConfiguration(object)
	if err != nil {
		return nil, err
	}
	_, modified, err := withLastApplied(manifest)
	if err != nil {
		return nil, err
	}
	lookup, err := strategicpatch.NewPatchMetaFromStruct(batchv1.Job{})
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(original, modified, current, lookup, true)
	if err != nil {
		return nil, fmt.Errorf("three-way merge: %w", err)
	}
	if string(patch) == "{}" {
		return live, nil
	}
	return live.patch(current, patch)
}

func (live *Live) patch(current, patch []byte) (*Live, error) {
	merged, err := strategicpatch.StrategicMergePatch(current, patch, batchv1.Job{})
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	updated, err := decode(merged)
	if err != nil {
		return nil, err
	}
	old := live.job.DeepCopy()
	err = guard(func() error { return rest.BeforeUpdate(job.Strategy, requestContext(old), updated, old) })
	if err != nil {
		return nil, err
	}
	return &Live{updated}, nil
}

// JSON gives the Job as a client gets it.
func (live *Live) JSON() ([]byte, error) {
	codec := legacyscheme.Codecs.LegacyCodec(batchv1.SchemeGroupVersion)
	return runtime.Encode(codec, live.job.DeepCopy())
}

// Spec gives the stored spec.
func (live *Live) Spec() *batch.JobSpec { return &live.job.Spec }

// Started marks the Job as one that the Job controller has begun to run.
func (live *Live) Started() *Live {
	started := live.job.DeepCopy()
	started.Status.StartTime = &started.CreationTimestamp
	return &Live{started}
}

// Settled marks a suspended Job as one whose suspension the Job controller has seen; Kubernetes 1.36 asks for that.
func (live *Live) Settled() *Live {
	settled := live.job.DeepCopy()
	if settled.Spec.Suspend != nil && *settled.Spec.Suspend {
		seen := batch.JobCondition{Type: batch.JobSuspended, Status: core.ConditionTrue}
		settled.Status.Conditions = append(settled.Status.Conditions, seen)
	}
	return &Live{settled}
}

// AppliedAs gives the Job with another manifest as the last one that was applied, as when a webhook has changed it on the way; with none, as when
// `kubectl apply` did not create it.
func (live *Live) AppliedAs(manifest map[string]any) (*Live, error) {
	other := live.job.DeepCopy()
	if manifest == nil {
		other.Annotations = nil
		return &Live{other}, nil
	}
	object, _, err := withLastApplied(manifest)
	if err == nil {
		other.Annotations = object.GetAnnotations()
	}
	return &Live{other}, err
}

func decode(text []byte) (*batch.Job, error) {
	decoder := legacyscheme.Codecs.UniversalDecoder(batch.SchemeGroupVersion)
	object, err := runtime.Decode(decoder, text)
	if err != nil {
		return nil, err
	}
	one, ok := object.(*batch.Job)
	if !ok {
		return nil, fmt.Errorf("a %T, not a Job", object)
	}
	return one, nil
}

// withLastApplied gives the manifest with kubectl's annotation as an object and as JSON.
func withLastApplied(manifest map[string]any) (*unstructured.Unstructured, []byte, error) {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(manifest)}
	if err := util.CreateApplyAnnotation(object, unstructured.UnstructuredJSONScheme); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(object.Object)
	return object, text, err
}

func requestContext(object runtime.Object) context.Context {
	where := namespace
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetNamespace() != "" {
		where = accessor.GetNamespace()
	}
	ctx := request.WithNamespace(request.NewContext(), where)
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, APIGroup: schema.GroupVersion(batchv1.SchemeGroupVersion).Group, APIVersion: "v1",
	})
}

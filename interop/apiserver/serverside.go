package apiserver

import (
	"encoding/json"
	"fmt"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/applyconfigurations"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/registry/batch/job"
)

// fieldManager is the name that Argo CD applies under.
const fieldManager = "argocd-controller"

var kind = batchv1.SchemeGroupVersion.WithKind("Job")

var fields = sync.OnceValues(func() (*managedfields.FieldManager, error) {
	return managedfields.NewDefaultFieldManager(
		applyconfigurations.NewTypeConverter(clientscheme.Scheme), legacyscheme.Scheme, legacyscheme.Scheme, legacyscheme.Scheme,
		kind, schema.GroupVersion{Group: batch.GroupName, Version: runtime.APIVersionInternal}, "", nil)
})

// Way is how manifests come into the cluster.
type Way struct {
	// Name is the name of the way in messages.
	Name string
	// Create is the first apply of a manifest, Apply a further one.
	Create func(map[string]any) (*Live, error)
	Apply  func(*Live, map[string]any) (*Live, error)
}

// Ways are those of Argo CD: client-side apply, the default, and `ServerSideApply=true`.
var Ways = []Way{
	{"client-side", Create, (*Live).Apply},
	{"server-side", CreateServerSide, (*Live).ApplyServerSide},
}

// CreateServerSide does what a first server-side apply of a manifest does.
func CreateServerSide(manifest map[string]any) (*Live, error) {
	merged, err := merge(&batch.Job{}, manifest)
	if err != nil {
		return nil, err
	}
	if merged.Namespace == "" {
		merged.Namespace = namespace
	}
	rest.FillObjectMetaSystemFields(merged)
	merged.ResourceVersion = "1"
	err = guard(func() error { return rest.BeforeCreate(job.Strategy, requestContext(merged), merged) })
	if err != nil {
		return nil, err
	}
	return &Live{merged}, nil
}

// ApplyServerSide does what a further server-side apply of a manifest does, with conflicts forced, as
// Argo CD does with `ServerSideApply=true`.
func (live *Live) ApplyServerSide(manifest map[string]any) (*Live, error) {
	old := live.job.DeepCopy()
	updated, err := merge(old.DeepCopy(), manifest)
	if err != nil {
		return nil, err
	}
	err = guard(func() error { return rest.BeforeUpdate(job.Strategy, requestContext(old), updated, old) })
	if err != nil {
		return nil, err
	}
	return &Live{updated}, nil
}

func merge(old *batch.Job, manifest map[string]any) (*batch.Job, error) {
	manager, err := fields()
	if err != nil {
		return nil, err
	}
	// A round trip through JSON leaves what a client would send.
	text, err := json.Marshal(manifest)
	if err != nil {
		return nil, err
	}
	patch := &unstructured.Unstructured{}
	if err := patch.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	merged, err := manager.Apply(old, patch, fieldManager, true)
	if err != nil {
		return nil, err
	}
	one, ok := merged.(*batch.Job)
	if !ok {
		return nil, fmt.Errorf("a %T, not a Job", merged)
	}
	return one, nil
}

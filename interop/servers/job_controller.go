package servers

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/job"
)

func newJobController(ctx context.Context, typed informers.SharedInformerFactory, client kubernetes.Interface) (*job.Controller, error) {
	return job.NewController(ctx, typed.Core().V1().Pods(), typed.Batch().V1().Jobs(), client)
}

package servers

import (
	"context"
	"errors"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"
)

// controllers are those of kube-controller-manager that have to do with Jobs: the Job controller, the garbage collector and the
// TTL controller, for the cluster of the kubeconfig that is given. The rest of kube-controller-manager is left out, because it
// takes twice as long to compile as kube-apiserver.
func controllers(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	bare, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	typed := informers.NewSharedInformerFactory(client, time.Hour)
	untyped := metadatainformer.NewSharedInformerFactory(bare, time.Hour)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))

	jobs, err := newJobController(ctx, typed, client)
	if err != nil {
		return err
	}
	ttl := ttlafterfinished.New(ctx, typed.Batch().V1().Jobs(), client)
	started := make(chan struct{})
	// Events come and go by the hundred and own nothing.
	ignored := map[schema.GroupResource]struct{}{{Resource: "events"}: {}, {Group: "events.k8s.io", Resource: "events"}: {}}
	collector, err := garbagecollector.NewGarbageCollector(ctx, client, bare, mapper, ignored,
		informerfactory.NewInformerFactory(typed, untyped), started)
	if err != nil {
		return err
	}
	typed.Start(ctx.Done())
	untyped.Start(ctx.Done())
	close(started)
	go jobs.Run(ctx, 4)
	go ttl.Run(ctx, 2)
	go collector.Sync(ctx, client.Discovery(), 30*time.Second)
	collector.Run(ctx, 4, 30*time.Second)
	return errors.New("the garbage collector has stopped")
}

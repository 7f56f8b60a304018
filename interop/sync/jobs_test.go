package sync_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// finishPods stands in for scheduler and kubelet. The tag of a pod's image says how it ends: `…-fails` fails, `…-holds` runs
// until it is deleted, every other one succeeds.
func finishPods(ctx context.Context, client *kubernetes.Clientset) {
	factory := informers.NewSharedInformerFactory(client, 0)
	finish := func(object any) {
		pod, known := object.(*corev1.Pod)
		if !known || pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodPending {
			return
		}
		phase := corev1.PodSucceeded
		switch image := pod.Spec.Containers[0].Image; {
		case strings.HasSuffix(image, "-fails"):
			phase = corev1.PodFailed
		case strings.HasSuffix(image, "-holds"):
			phase = corev1.PodRunning
		}
		// A pod that is gone meanwhile, or that another event is about, needs nothing more.
		_, _ = client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, []byte(fmt.Sprintf(`{"status": {"phase": %q}}`, phase)), metav1.PatchOptions{}, "status")
	}
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: finish, UpdateFunc: func(_, now any) { finish(now) },
	})
	factory.Start(ctx.Done())
}

// finishDeployments stands in for the controller of Deployments: all pods of one are there at once.
func finishDeployments(ctx context.Context, client *kubernetes.Clientset) {
	factory := informers.NewSharedInformerFactory(client, 0)
	finish := func(object any) {
		found, known := object.(*appsv1.Deployment)
		if !known || found.Status.ObservedGeneration == found.Generation {
			return
		}
		status := fmt.Sprintf(`{"status": {"observedGeneration": %d, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}}`, found.Generation)
		_, _ = client.AppsV1().Deployments(found.Namespace).Patch(ctx, found.Name, types.MergePatchType, []byte(status), metav1.PatchOptions{}, "status")
	}
	_, _ = factory.Apps().V1().Deployments().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: finish, UpdateFunc: func(_, now any) { finish(now) },
	})
	factory.Start(ctx.Done())
}

// history is every Job that was ever created, in order. It comes from a watch, so that a Job which is soon deleted counts too.
type history struct {
	client *kubernetes.Clientset
	lock   sync.Mutex
	all    []*batchv1.Job
}

func watchJobs(ctx context.Context, client *kubernetes.Clientset) *history {
	seen := &history{client: client}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Batch().V1().Jobs().Informer()
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		seen.lock.Lock()
		defer seen.lock.Unlock()
		seen.all = append(seen.all, object.(*batchv1.Job))
	}})
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	return seen
}

// in are the Jobs of a namespace that were created until now.
func (seen *history) in(ctx context.Context, namespace string) ([]*batchv1.Job, error) {
	// One Job more, which never runs: once the watch has it, it has everything before it.
	suspend := true
	last := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: "marker-"}, Spec: batchv1.JobSpec{Suspend: &suspend, Template: corev1.PodTemplateSpec{
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "marker", Image: "marker:1"}}},
	}}}
	last, err := seen.client.BatchV1().Jobs("default").Create(ctx, last, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	var found []*batchv1.Job
	err = until(ctx, time.Minute, func() error {
		seen.lock.Lock()
		defer seen.lock.Unlock()
		found = nil
		for _, job := range seen.all {
			if job.Namespace == namespace {
				found = append(found, job)
			}
			if job.UID == last.UID {
				return nil
			}
		}
		return fmt.Errorf("the watch has not seen the Job %s", last.Name)
	})
	return found, err
}

// finished reports whether a Job has ended, is suspended, or is held until it is deleted.
func finished(job *batchv1.Job) bool {
	if strings.HasSuffix(job.Spec.Template.Spec.Containers[0].Image, "-holds") || job.Spec.Suspend != nil && *job.Spec.Suspend {
		return true
	}
	for _, condition := range job.Status.Conditions {
		if condition.Status == corev1.ConditionTrue && (condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed) {
			return true
		}
	}
	return false
}

package sync_test

import (
	"errors"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDeletion shows what is left when the hooks of a deletion run, as the finding delete-hook-needs-deleted says.
func TestDeletion(t *testing.T) {
	t.Parallel()
	account := func(name string, more ...string) string {
		text := "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: " + name + "\n"
		for _, line := range more {
			text += "  " + line + "\n"
		}
		return text
	}
	t.Run("a PostDelete hook finds neither resources nor hooks of the sync, and finds what is a PostDelete hook too", func(t *testing.T) {
		app := given(t, files{
			"ordinary.yaml": account("ordinary"), "kept.yaml": account("kept", annotations("argocd.argoproj.io/sync-options: Delete=false")...),
			"installer.yaml": account("installer", annotations("helm.sh/hook: pre-install")...),
			"own.yaml":       account("own", annotations(in("PostDelete"))...), "clean-up.yaml": hook("PostDelete", "clean-up", "clean:1-holds"),
		}, native)
		app.sync().ends("Succeeded")
		app.accounts("ordinary", "kept", "installer")
		app.deleted("clean-up")
		app.accounts("kept", "own")
		app.completes()
		app.isGone()
	})
	if argocd.Before(3) {
		return
	}
	t.Run("a PreDelete hook finds the resources, and no hook that the sync has deleted", func(t *testing.T) {
		app := given(t, files{
			"ordinary.yaml": account("ordinary"), "drain.yaml": hook("PreDelete", "drain", "drain:1-holds"),
			"installer.yaml": account("installer", annotations("helm.sh/hook: pre-install", "helm.sh/hook-delete-policy: hook-succeeded")...),
			"both.yaml":      account("both", annotations("helm.sh/hook: pre-install,pre-delete", "helm.sh/hook-delete-policy: hook-succeeded")...),
		}, native)
		app.sync().ends("Succeeded")
		app.accounts("ordinary")
		app.deleted("drain")
		app.accounts("ordinary", "both")
		app.completes()
		app.isGone()
	})
}

// accounts demands that these ServiceAccounts are in the namespace, and no others.
func (one *scenario) accounts(names ...string) {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		found, err := shared.client.CoreV1().ServiceAccounts(one.name).List(one.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		there := map[string]bool{}
		for _, account := range found.Items {
			there[account.Name] = true
		}
		for _, name := range names {
			if !there[name] {
				return errors.New("no ServiceAccount " + name)
			}
		}
		if len(there) != len(names) {
			return errors.New("other ServiceAccounts too: " + inJSON(there))
		}
		return nil
	}); err != nil {
		one.Fatal(err)
	}
}

// deleted deletes the Application with its resources, and waits for the Job that is a hook of the deletion.
func (one *scenario) deleted(job string) {
	one.Helper()
	one.eventually("the finalizer for the hooks", func(application *v1alpha1.Application) bool { return len(application.Finalizers) > 0 })
	application, err := one.application()
	if err != nil {
		one.Fatal(err)
	}
	one.patch(map[string]any{"metadata": map[string]any{"finalizers": append(application.Finalizers, "resources-finalizer.argocd.argoproj.io")}})
	applications := shared.argocd.ArgoprojV1alpha1().Applications(control)
	if err := applications.Delete(one.Context(), one.name, metav1.DeleteOptions{}); err != nil {
		one.Fatal(err)
	}
	one.eventually("the hook", func(*v1alpha1.Application) bool {
		_, err := shared.client.BatchV1().Jobs(one.name).Get(one.Context(), job, metav1.GetOptions{})
		return err == nil
	})
}

// isGone waits until the Application is deleted.
func (one *scenario) isGone() {
	one.Helper()
	if err := until(one.Context(), patience, func() error {
		if _, err := one.application(); !apierrors.IsNotFound(err) {
			return errors.New("the Application is still there")
		}
		return nil
	}); err != nil {
		one.Fatal(err)
	}
}

package sync_test

import (
	"errors"
	"testing"

	"argocd-jobs.example/interop/argocd"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestVersions has those facts of docs/versions.md that no other scenario shows on both sides.
func TestVersions(t *testing.T) {
	t.Parallel()
	t.Run("a hook whose only type is PreDelete runs when the Application is deleted, from 3.3 on", func(t *testing.T) {
		app := given(t, files{"clean.yaml": hook("PreDelete", "clean", "clean:1"), "settings.yaml": settings("1")}, native)
		app.sync().ends("Succeeded")
		app.ran()
		// Those for the hooks are Argo CD's own.
		application, err := app.application()
		if err != nil {
			t.Fatal(err)
		}
		finalizers := append(application.Finalizers, "resources-finalizer.argocd.argoproj.io")
		app.patch(map[string]any{"metadata": map[string]any{"finalizers": finalizers}})
		app.deletedWhole()
		if argocd.Before(3) {
			app.ran()
			return
		}
		app.ran("clean:1")
	})
	t.Run("Prune=false of the Application holds for its Jobs, from 3.4 on", func(t *testing.T) {
		text := settings("1")
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1"), "settings.yaml": text}, native, syncOptions("Prune=false"))
		app.sync().ends("Succeeded")
		app.commit(files{"settings.yaml": text})
		app.sync(true).ends("Succeeded")
		if argocd.Before(4) {
			app.left()
			return
		}
		app.left("migrate")
	})
	t.Run("a Prune option of the Job itself comes first, in all versions", func(t *testing.T) {
		own := job("migrate", "migrate:1", annotations("argocd.argoproj.io/sync-options: Prune=true")...)
		app := given(t, files{"migrate.yaml": own, "settings.yaml": settings("1")}, native, syncOptions("Prune=false"))
		app.sync().ends("Succeeded")
		app.commit(files{"settings.yaml": settings("1")})
		app.sync(true).ends("Succeeded")
		app.left()
	})
}

// deletedWhole deletes the Application, and waits until it is gone.
func (one *scenario) deletedWhole() {
	one.Helper()
	applications := shared.argocd.ArgoprojV1alpha1().Applications(control)
	if err := applications.Delete(one.Context(), one.name, metav1.DeleteOptions{}); err != nil {
		one.Fatal(err)
	}
	if err := until(one.Context(), patience, func() error {
		_, err := one.application()
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it is still there"))
	}); err != nil {
		one.Fatal(err)
	}
}

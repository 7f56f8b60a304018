package sync_test

import (
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// TestFindings shows that Argo CD does what findings of `check` say. None goes through the plugin, which changes some of it.
func TestFindings(t *testing.T) {
	t.Parallel()
	t.Run("a Namespace of the same output is created in the phase and wave of the first hook in it", func(t *testing.T) {
		app := given(t, files{}, native)
		made := app.name + "-made"
		late := strings.Replace(namespace(made), "metadata:\n", "metadata:\n  annotations: {argocd.argoproj.io/sync-wave: '5'}\n", 1)
		app.commit(files{"namespace.yaml": late, "migrate.yaml": namespaced(hook("PreSync", "migrate", "migrate:1"), made)})
		app.sync().ends("Succeeded")
		app.ranIn(made, "migrate:1")
	})
	t.Run("a PreSync hook runs in the destination namespace that CreateNamespace=true creates", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1"), "settings.yaml": settings("1")}, native)
		made := app.name + "-made"
		app.reconfigure(syncOptions("CreateNamespace=true"), func(spec *v1alpha1.ApplicationSpec) { spec.Destination.Namespace = made })
		app.sync().ends("Succeeded")
		app.ranIn(made, "migrate:1")
	})
	t.Run("a PreSync hook runs in the destination namespace when the output has it", func(t *testing.T) {
		app := given(t, files{}, native)
		made := app.name + "-made"
		app.commit(files{"namespace.yaml": namespace(made), "migrate.yaml": hook("PreSync", "migrate", "migrate:1")})
		app.reconfigure(func(spec *v1alpha1.ApplicationSpec) { spec.Destination.Namespace = made })
		app.sync().ends("Succeeded")
		app.ranIn(made, "migrate:1")
	})
	t.Run("a Namespace that is a PreSync hook itself, in an earlier wave, is there for the hook", func(t *testing.T) {
		app := given(t, files{}, native)
		made := app.name + "-made"
		early := strings.Replace(namespace(made), "metadata:\n", "metadata:\n  annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/sync-wave: '-1'}\n", 1)
		app.commit(files{"namespace.yaml": early, "migrate.yaml": namespaced(hook("PreSync", "migrate", "migrate:1"), made)})
		app.sync().ends("Succeeded")
		app.ranIn(made, "migrate:1")
	})
	t.Run("a lone pre-upgrade hook runs at the first sync", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1", annotations("helm.sh/hook: pre-upgrade")...), "settings.yaml": settings("1")}, native)
		app.sync().ends("Succeeded")
		app.ran("migrate:1")
	})
	t.Run("HookFailed deletes the failed Job, and its pod with it", func(t *testing.T) {
		text := job("migrate", "migrate:1-fails", annotations("argocd.argoproj.io/hook: PreSync", "argocd.argoproj.io/hook-delete-policy: HookFailed")...)
		app := given(t, files{"migrate.yaml": text, "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed")
		app.gone()
		app.ran("migrate:1-fails")
	})
	t.Run("a workload does not wait for an ordinary Job of its wave", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "shop:1-holds"), "shop.yaml": deployment("shop", "shop:1")}, native)
		app.sync().ends("Succeeded")
		app.deployed("shop", true)
		app.running("migrate")
	})
	t.Run("a workload waits for an ordinary Job of an earlier wave", func(t *testing.T) {
		early := job("migrate", "shop:1-holds", annotations(`argocd.argoproj.io/sync-wave: "-1"`)...)
		app := given(t, files{"migrate.yaml": early, "shop.yaml": deployment("shop", "shop:1")}, native)
		app.begins()
		app.waits("waiting for healthy state of batch/Job/migrate")
		app.deployed("shop", false)
		app.completes()
		app.finished().ends("Succeeded")
		app.deployed("shop", true)
	})
	t.Run("a Sync hook of the workload's wave holds the sync and not the workload", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("Sync", "migrate", "shop:1-holds"), "shop.yaml": deployment("shop", "shop:1")}, native)
		app.begins()
		app.waits("waiting for completion of hook batch/Job/migrate")
		app.deployed("shop", true)
		app.completes()
		app.finished().ends("Succeeded")
	})
	t.Run("a name that is no DNS name is refused", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("Foo_bar", "migrate:1"), "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed", `Job.batch "Foo_bar" is invalid: metadata.name: Invalid value: "Foo_bar"`)
		app.ran()
	})
	t.Run("a Job without a template is refused", func(t *testing.T) {
		text, _, _ := strings.Cut(job("migrate", "migrate:1"), "  template:")
		app := given(t, files{"migrate.yaml": text, "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed", `Job.batch "migrate" is invalid`, "spec.template.spec.containers: Required value")
		app.ran()
	})
	t.Run("Flux's force annotation means nothing to Argo CD", func(t *testing.T) {
		text := func(image string) files {
			return files{"migrate.yaml": job("migrate", image, annotations("kustomize.toolkit.fluxcd.io/force: enabled")...)}
		}
		app := given(t, text("migrate:1"), native)
		app.sync().ends("Succeeded")
		app.commit(text("migrate:2"))
		app.sync().ends("Failed", "field is immutable")
		app.ran("migrate:1")
	})
}

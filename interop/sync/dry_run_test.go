package sync_test

import (
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// What a dry run of a sync says about Jobs and hooks (docs/alternatives.md): it sees no immutable field.
func TestDryRun(t *testing.T) {
	dry := v1alpha1.SyncOperation{DryRun: true}
	at := func(image string) files {
		return files{"m.yaml": job("migrate", "migrate:"+image), "h.yaml": hook("PreSync", "check", "check:"+image)}
	}
	app := given(t, at("1"), native)
	app.operate(dry).ends("Succeeded", "\nJob check ", "\nJob migrate ")
	app.ran()
	app.sync().ends("Succeeded")
	app.ran("check:1", "migrate:1")
	app.commit(at("2"))
	app.operate(dry).ends("Succeeded")
	app.ran("check:1", "migrate:1")
	app.sync().ends("Failed", "field is immutable")
	app.ran("check:1", "migrate:1", "check:2")
}

package sync_test

import "testing"

// TestMissingKind shows that a sync looks for the kinds of all hooks first, as the finding crd-from-hook says.
func TestMissingKind(t *testing.T) {
	t.Parallel()
	gadget := func(more ...string) string {
		return object("gadgets.example.org/v1", "Gadget", "one", "", append([]string{in("PostSync")}, more...))
	}
	t.Run("a hook of a kind that is not there fails the sync before any hook runs", func(t *testing.T) {
		app := given(t, files{"gadget.yaml": gadget(), "crds.yaml": hook("PreSync", "gadgets-crds", "gadgets:1"), "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed", "one or more synchronization tasks are not valid")
		app.ran()
	})
	t.Run("with SkipDryRunOnMissingResource=true the earlier hooks run", func(t *testing.T) {
		skips := gadget("argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true")
		app := given(t, files{"gadget.yaml": skips, "crds.yaml": hook("PreSync", "gadgets-crds", "gadgets:1"), "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed")
		app.ran("gadgets:1")
	})
}

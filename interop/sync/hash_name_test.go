package sync_test

import (
	"fmt"
	"regexp"
	"testing"
)

// withoutHash finds the hash at the end of a name.
var withoutHash = regexp.MustCompile(`-[bcdfghkmt2456789]{10}$`)

// job is a Job whose one container runs an image; more are lines for its metadata.
func job(name, image string, more ...string) string {
	text := fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: %s\n", name)
	for _, line := range more {
		text += "  " + line + "\n"
	}
	return text + fmt.Sprintf("spec:\n  backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n      - name: main\n        image: %s\n", image)
}

// settings is an ordinary object that is not a Job.
func settings(value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  value: %q\n", value)
}

func TestHashName(t *testing.T) {
	t.Run("the first sync runs the Job, an unchanged one does not, a changed image runs it once more", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1")})
		app.sync().ends("Succeeded")
		app.ran("migrate:1")
		app.becomes("Synced", "Healthy")

		app.sync().ends("Succeeded")
		app.ran("migrate:1")

		app.commit(files{"migrate.yaml": job("migrate", "migrate:2")})
		app.sync(true).ends("Succeeded")
		app.ran("migrate:1", "migrate:2")
		app.left("migrate-*")
		app.becomes("Synced", "Healthy")
	})
	t.Run("without the plugin a changed image fails as immutable", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1")}, native)
		app.sync().ends("Succeeded")
		app.commit(files{"migrate.yaml": job("migrate", "migrate:2")})
		app.sync().ends("Failed", "field is immutable")
		app.ran("migrate:1")
	})
}

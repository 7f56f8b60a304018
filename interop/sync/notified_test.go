package sync_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/util/notification/expression"
	"github.com/argoproj/notifications-engine/pkg/api"
	"github.com/argoproj/notifications-engine/pkg/services"
	"github.com/argoproj/notifications-engine/pkg/templates"
	"github.com/argoproj/notifications-engine/pkg/triggers"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// notified is what the notifications engine makes of an Application with the trigger and the templates of deploy/after-a-sync; nil when
// nothing is sent.
func notified(t *testing.T, application *unstructured.Unstructured) *services.Notification {
	t.Helper()
	text, err := os.ReadFile("../../deploy/after-a-sync/argocd-notifications-cm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := &corev1.ConfigMap{}
	if err := yaml.UnmarshalStrict(text, config); err != nil {
		t.Fatal(err)
	}
	for key, value := range config.Data {
		// The engine ignores a key that it does not know.
		if strings.HasPrefix(key, "template.") {
			if err := yaml.UnmarshalStrict([]byte(value), &services.Notification{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	parsed, err := api.ParseConfig(config, &corev1.Secret{})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := triggers.NewService(parsed.Triggers)
	if err != nil {
		t.Fatal(err)
	}
	vars := expression.Spawn(application, nil, map[string]any{"app": application.Object, "context": map[string]string{"argocdUrl": "https://argocd.example.com"}})
	conditions, err := asked.Run("on-job-failed", vars)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := templates.NewService(parsed.Templates)
	if err != nil {
		t.Fatal(err)
	}
	var message *services.Notification
	for _, condition := range conditions {
		if !condition.Triggered {
			continue
		}
		if message != nil {
			t.Fatal("two messages")
		}
		if message, err = rendered.FormatNotification(vars, condition.Templates...); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(message.Message, "failed.") != (condition.OncePer != "") {
			t.Errorf("once per %q", condition.OncePer)
		}
	}
	return message
}

// sent is the Application as the notifications controller gets it.
func (one *scenario) sent() *unstructured.Unstructured {
	one.Helper()
	application, err := one.application()
	if err != nil {
		one.Fatal(err)
	}
	text, err := json.Marshal(application)
	if err != nil {
		one.Fatal(err)
	}
	found := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &found.Object); err != nil {
		one.Fatal(err)
	}
	return found
}

// tells demands a message, and that the JSON of the webhook names as many objects as the message has lines about them.
func (one *scenario) tells(application *unstructured.Unstructured, wanted string, failed ...string) {
	one.Helper()
	message := notified(one.T, application)
	if message == nil {
		one.Fatal("no message")
	}
	if wanted = strings.ReplaceAll(wanted, "APP", one.name); strings.TrimSpace(message.Message) != strings.TrimSpace(wanted) {
		one.Errorf("%s\n--- and not ---\n%s", message.Message, wanted)
	}
	hook := struct {
		Application, Namespace string
		Failed                 []struct{ Name string }
	}{}
	if err := json.Unmarshal([]byte(message.Webhook["jobs"].Body), &hook); err != nil {
		one.Errorf("%v in %s", err, message.Webhook["jobs"].Body)
	}
	names := []string{}
	for _, found := range hook.Failed {
		names = append(names, found.Name)
	}
	if fmt.Sprint(names) != fmt.Sprint(failed) || hook.Application != one.name || hook.Namespace != control {
		one.Errorf("%+v", hook)
	}
	if !strings.HasPrefix(message.Email.Subject, "The sync of "+one.name) && message.Email.Subject != one.name+" is Degraded" || message.TeamsWorkflows.Title != message.Email.Subject {
		one.Errorf("%+v %+v", message.Email, message.TeamsWorkflows)
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	t.Run("a hook that failed", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": hook("PreSync", "migrate", "migrate:1-fails"), "settings.yaml": settings("1")}, native)
		app.sync().ends("Failed")
		app.tells(app.sent(), `The sync of APP failed.

Job APP/migrate, hook in phase PreSync: Job has reached the specified backoff limit
Its logs, unless a delete policy or a TTL has deleted it:
  argocd app logs argocd/APP --group batch --kind Job --name migrate
  kubectl logs -n APP -l batch.kubernetes.io/job-name=migrate --all-containers --tail=100

https://argocd.example.com/applications/argocd/APP?operation=true`, "migrate")
		app.commit(files{"migrate.yaml": hook("PreSync", "migrate", "migrate:2"), "settings.yaml": settings("1")})
		app.sync().ends("Succeeded")
		if message := notified(t, app.sent()); message != nil {
			t.Errorf("%s", message.Message)
		}
	})
	t.Run("a Job that a sync waited for, and one that it could not apply", func(t *testing.T) {
		later := strings.Replace(settings("1"), "  name: settings\n", "  name: settings\n  annotations:\n    argocd.argoproj.io/sync-wave: \"1\"\n", 1)
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1-fails"), "seed.yaml": job("seed", "seed:1"), "settings.yaml": later}, native)
		app.sync().ends("Failed")
		app.tells(app.sent(), `The sync of APP failed.

Job APP/migrate, phase Sync: Job has reached the specified backoff limit
Its logs, unless a delete policy or a TTL has deleted it:
  argocd app logs argocd/APP --group batch --kind Job --name migrate
  kubectl logs -n APP -l batch.kubernetes.io/job-name=migrate --all-containers --tail=100

https://argocd.example.com/applications/argocd/APP?operation=true`, "migrate")
		app.commit(files{"seed.yaml": job("seed", "seed:2"), "settings.yaml": later})
		app.sync().ends("Failed", "field is immutable")
		message := notified(t, app.sent())
		if message == nil || !strings.Contains(message.Message, "\n\nJob "+app.name+"/seed, phase Sync: ") || !strings.Contains(message.Message, "field is immutable") ||
			strings.Contains(message.Message, "Its logs") {
			t.Errorf("%+v", message)
		}
	})
	t.Run("a Job that failed after the sync", func(t *testing.T) {
		app := given(t, files{"migrate.yaml": job("migrate", "migrate:1-fails"), "settings.yaml": settings("1")}, native)
		app.sync().ends("Succeeded")
		app.becomes("Synced", "Degraded")
		application := app.sent()
		app.tells(application, `APP is Degraded after a sync that succeeded. It has Jobs. Open it to see whether one of them failed:

https://argocd.example.com/applications/argocd/APP`)
		// As with controller.resource.health.persist.
		resources, _, _ := unstructured.NestedSlice(application.Object, "status", "resources")
		for _, resource := range resources {
			if resource := resource.(map[string]any); resource["kind"] == "Job" {
				resource["health"] = map[string]any{"status": "Degraded", "message": `exit status 1 of "migrate"`}
			}
		}
		if err := unstructured.SetNestedSlice(application.Object, resources, "status", "resources"); err != nil {
			t.Fatal(err)
		}
		app.tells(application, `APP is Degraded after a sync that succeeded.

Job APP/migrate failed: exit status 1 of "migrate"
Its logs:
  argocd app logs argocd/APP --group batch --kind Job --name migrate
  kubectl logs -n APP -l batch.kubernetes.io/job-name=migrate --all-containers --tail=100

https://argocd.example.com/applications/argocd/APP`, "migrate")
		for _, resource := range resources {
			if resource := resource.(map[string]any); resource["kind"] == "Job" {
				resource["health"] = map[string]any{"status": "Healthy"}
			}
		}
		if err := unstructured.SetNestedSlice(application.Object, resources, "status", "resources"); err != nil {
			t.Fatal(err)
		}
		if message := notified(t, application); message != nil {
			t.Errorf("%s", message.Message)
		}
	})
	t.Run("a sync that failed at something else", func(t *testing.T) {
		app := given(t, files{"seed.yaml": job("seed", "seed:1"), "settings.yaml": strings.Replace(settings("1"), "name: settings", "name: Settings_", 1)}, native)
		app.sync().ends("Failed")
		message := notified(t, app.sent())
		if message != nil {
			t.Errorf("%s", message.Message)
		}
	})
}

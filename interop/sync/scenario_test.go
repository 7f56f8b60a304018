package sync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// patience is how long one step of a scenario may take on a busy machine.
const patience = 3 * time.Minute

// scenario is an Application with a Git repository and a namespace of its own, all of one name.
type scenario struct {
	*testing.T
	name, repository, head string
	operations             int
	spec                   v1alpha1.ApplicationSpec
	// quiet says that the Application is not shown in the end.
	quiet bool
}

// option changes the Application before it is created: by default it goes through the plugin and is synced by hand, without pruning.
type option func(spec *v1alpha1.ApplicationSpec)

func native(spec *v1alpha1.ApplicationSpec) { spec.Source.Plugin = nil }

// plugin puts our plugin before a native Application, as its owner would.
func plugin(spec *v1alpha1.ApplicationSpec) {
	spec.Source.Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "argocd-jobs"}
}

// automated is auto-sync without retries, which only take time.
func automated(spec *v1alpha1.ApplicationSpec) { automatedBy(spec, `{}`) }

func automatedWithPrune(spec *v1alpha1.ApplicationSpec) { automatedBy(spec, `{"prune": true}`) }

func automatedWithSelfHeal(spec *v1alpha1.ApplicationSpec) { automatedBy(spec, `{"selfHeal": true}`) }

// automatedBy takes JSON, because the types of the fields are others from 3.5 on.
func automatedBy(spec *v1alpha1.ApplicationSpec, automated string) {
	spec.SyncPolicy.Automated = &v1alpha1.SyncPolicyAutomated{}
	if err := json.Unmarshal([]byte(automated), spec.SyncPolicy.Automated); err != nil {
		panic(err)
	}
	spec.SyncPolicy.Retry = &v1alpha1.RetryStrategy{}
}

func syncOptions(items ...string) option {
	return func(spec *v1alpha1.ApplicationSpec) { spec.SyncPolicy.SyncOptions = items }
}

// parameter sets a parameter of the plugin.
func parameter(name, value string) option {
	return func(spec *v1alpha1.ApplicationSpec) {
		spec.Source.Plugin.Parameters = append(spec.Source.Plugin.Parameters, v1alpha1.ApplicationSourcePluginParameter{Name: name, String_: &value})
	}
}

// mapping sets a parameter of the plugin that is a map, and list one that is a list.
func mapping(name string, items map[string]string) option {
	return func(spec *v1alpha1.ApplicationSpec) {
		one := v1alpha1.ApplicationSourcePluginParameter{Name: name, OptionalMap: &v1alpha1.OptionalMap{Map: items}}
		spec.Source.Plugin.Parameters = append(spec.Source.Plugin.Parameters, one)
	}
}

func list(name string, items ...string) option {
	return func(spec *v1alpha1.ApplicationSpec) {
		one := v1alpha1.ApplicationSourcePluginParameter{Name: name, OptionalArray: &v1alpha1.OptionalArray{Array: items}}
		spec.Source.Plugin.Parameters = append(spec.Source.Plugin.Parameters, one)
	}
}

// given starts a scenario. Its files are those of the first commit.
func given(t *testing.T, files files, options ...option) *scenario {
	t.Helper()
	t.Parallel()
	return begin(t, files, options...)
}

func begin(t *testing.T, files files, options ...option) *scenario {
	t.Helper()
	if shared.inVain.Load() >= 5 {
		t.Fatal("not tried: too many scenarios have waited in vain")
	}
	name := fmt.Sprintf("app-%d", shared.count.Add(1))
	one := &scenario{T: t, name: name, repository: filepath.Join(t.TempDir(), "repository")}
	one.git("init", "-q", "-b", "main", one.repository)
	one.commit(files)
	one.spec = v1alpha1.ApplicationSpec{
		Project: "default", Destination: v1alpha1.ApplicationDestination{Server: "https://kubernetes.default.svc", Namespace: name},
		Source: &v1alpha1.ApplicationSource{RepoURL: one.url(), Path: ".", TargetRevision: "main",
			Plugin: &v1alpha1.ApplicationSourcePlugin{Name: "argocd-jobs"}},
		SyncPolicy: &v1alpha1.SyncPolicy{},
	}
	for _, change := range options {
		change(&one.spec)
	}
	if err := shared.namespace(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	application := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: one.spec}
	if _, err := shared.argocd.ArgoprojV1alpha1().Applications(control).Create(t.Context(), application, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(one.end)
	return one
}

// end keeps the Application from being compared for the rest of the tests, and shows it when the scenario has failed.
func (one *scenario) end() {
	if one.Failed() && !one.quiet {
		if application, err := one.application(); err == nil {
			text, _ := json.MarshalIndent(application.Status, "", " ")
			one.Logf("%s", text)
		}
	}
	_ = shared.argocd.ArgoprojV1alpha1().Applications(control).Delete(context.Background(), one.name, metav1.DeleteOptions{})
}

// url is that of the repository.
func (one *scenario) url() string { return "file://" + one.repository }

// files are the names and contents of a commit.
type files map[string]string

func (one *scenario) git(args ...string) string {
	one.Helper()
	command := exec.Command("git", args...)
	if args[0] != "init" {
		command.Dir = one.repository
	}
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + one.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=interop", "GIT_AUTHOR_EMAIL=interop@example.com", "GIT_COMMITTER_NAME=interop", "GIT_COMMITTER_EMAIL=interop@example.com"}
	out, err := command.CombinedOutput()
	if err != nil {
		one.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes these files the only ones of the repository.
func (one *scenario) commit(files files) {
	one.Helper()
	present, err := os.ReadDir(one.repository)
	if err != nil {
		one.Fatal(err)
	}
	for _, entry := range present {
		if entry.Name() != ".git" {
			_ = os.RemoveAll(filepath.Join(one.repository, entry.Name()))
		}
	}
	for name, text := range files {
		path := filepath.Join(one.repository, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			one.Fatal(err)
		}
	}
	one.git("add", "-A")
	one.git("commit", "-q", "--allow-empty", "-m", "next")
	one.head = one.git("rev-parse", "HEAD")
}

func (one *scenario) application() (*v1alpha1.Application, error) {
	return shared.argocd.ArgoprojV1alpha1().Applications(control).Get(context.Background(), one.name, metav1.GetOptions{})
}

func (one *scenario) patch(change map[string]any) {
	one.Helper()
	text, err := json.Marshal(change)
	if err != nil {
		one.Fatal(err)
	}
	if _, err := shared.argocd.ArgoprojV1alpha1().Applications(control).Patch(one.Context(), one.name, types.MergePatchType, text, metav1.PatchOptions{}); err != nil {
		one.Fatal(err)
	}
}

// eventually waits until an Application is as wanted.
func (one *scenario) eventually(what string, holds func(*v1alpha1.Application) bool) *v1alpha1.Application {
	one.Helper()
	var last *v1alpha1.Application
	started, nudged := time.Now(), 0
	if err := until(one.Context(), patience, func() error {
		application, err := one.application()
		if err != nil {
			return err
		}
		if last = application; holds(application) {
			return nil
		}
		// The controller puts what it has written into its cache, over what others have written since. Then it does not see that
		// until something changes once more.
		if count := int(time.Since(started) / (5 * time.Second)); count > nudged {
			nudged = count
			one.annotate("interop/nudge", fmt.Sprint(count))
		}
		return errors.New("it is not so")
	}); err != nil {
		shared.inVain.Add(1)
		text := ""
		if last != nil {
			text = inJSON(map[string]any{"operation": last.Operation, "state": last.Status.OperationState, "conditions": last.Status.Conditions})
		}
		one.Fatalf("waited for %s: %v\nthe last state is %.6000s", what, err, text)
	}
	return last
}

// reconfigure changes the Application itself.
func (one *scenario) reconfigure(options ...option) {
	one.Helper()
	for _, change := range options {
		change(&one.spec)
	}
	// An Update and not a patch: what is gone is to go.
	if err := until(one.Context(), patience, func() error {
		application, err := one.application()
		if err != nil {
			return err
		}
		application.Spec = one.spec
		_, err = shared.argocd.ArgoprojV1alpha1().Applications(control).Update(one.Context(), application, metav1.UpdateOptions{})
		return err
	}); err != nil {
		one.Fatal(err)
	}
}

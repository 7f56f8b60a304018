package sync_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// forecast is what `preview --base HEAD~1` says about the next sync.
type forecast struct {
	preview
	// runs are the Jobs that it creates or resumes, by their emitted names.
	runs []string
	// fails and waits say how it ends, and starts that the Application is OutOfSync before it.
	fails, waits, starts bool
	text, json           string
}

// previews is what `preview` prints as JSON in the repository. Status 1 says that the sync fails.
func (one *scenario) previews(stdin []byte, env []string, arguments ...string) ([]byte, error) {
	one.Helper()
	binary, err := program()
	if err != nil {
		one.Fatal(err)
	}
	command := exec.Command(binary, append([]string{"preview", "--format", "json", "--argocd-version", argocd.Version()}, arguments...)...)
	var said bytes.Buffer
	command.Dir, command.Stdin, command.Stderr = one.repository, bytes.NewReader(stdin), &said
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + one.TempDir()}, env...)
	out, err := command.Output()
	if err != nil && command.ProcessState.ExitCode() != 1 {
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	return out, nil
}

// named are the variables that say whose Jobs they are.
func (one *scenario) named() []string {
	return []string{"ARGOCD_APP_NAME=" + one.name, "ARGOCD_APP_NAMESPACE=" + one.name}
}

// foreseen asks the program about the last commit. Natively it is asked about the Jobs as they are written.
func (one *scenario) foreseen() forecast {
	one.Helper()
	var args []string
	if application, err := one.application(); err != nil {
		one.Fatal(err)
	} else if len(one.spec.Sources) > 0 || len(one.spec.SyncPolicy.SyncOptions) > 0 || len(one.spec.IgnoreDifferences) > 0 || application.Annotations[compareOptions] != "" {
		// A file that is in no commit has no version of which the program knows.
		base := filepath.Join(one.TempDir(), "base")
		one.git("worktree", "add", "-q", "--detach", base, "HEAD~1")
		args = append(args, "--base", base, "--application", one.manifest(application), "--repository-url", one.url())
	} else if args = append(args, "--base", "rev:HEAD~1"); one.spec.Source.Plugin == nil {
		args = append(args, "--plugin=false")
	} else {
		for _, parameter := range one.spec.Source.Plugin.Parameters {
			args = append(args, "--set", parameter.Name+"="+*parameter.String_)
		}
	}
	out, err := one.previews(nil, one.named(), args...)
	if err != nil {
		one.Fatal(err)
	}
	read, err := readPreview(out)
	if err != nil {
		one.Fatal(err)
	}
	found := forecast{preview: read, runs: slices.Sorted(maps.Keys(read.inOrder())), starts: len(read.Start.Causes) > 0, fails: read.End.fails(), waits: read.End.waits(), text: read.Summary, json: string(out)}
	for _, row := range read.Rows {
		found.text += "\n" + row.Name + " " + row.Text
	}
	if wrong := read.contradictions(); len(wrong) > 0 {
		one.Errorf("%s\n%s", strings.Join(wrong, "\n"), found.text)
	}
	return found
}

// manifest is a file with the Application.
func (one *scenario) manifest(application *v1alpha1.Application) string {
	one.Helper()
	meta := metav1.ObjectMeta{Name: one.name, Annotations: application.Annotations}
	text, err := json.Marshal(v1alpha1.Application{TypeMeta: metav1.TypeMeta{APIVersion: "argoproj.io/v1alpha1", Kind: "Application"}, ObjectMeta: meta, Spec: one.spec})
	path := filepath.Join(one.TempDir(), "application.json")
	if err := errors.Join(err, os.WriteFile(path, text, 0o644)); err != nil {
		one.Fatal(err)
	}
	return path
}

// started are the Jobs that were created or resumed since an earlier call with the same map, which it completes. Of a Job that a hook
// creates from a prefix it is the prefix.
func (one *scenario) started(known map[string]bool) []string {
	one.Helper()
	created, err := shared.jobs.in(one.Context(), one.name)
	if err != nil {
		one.Fatal(err)
	}
	var names []string
	add := func(key, name string) {
		if !known[key] && !slices.Contains(names, name) {
			names = append(names, name)
		}
		known[key] = true
	}
	for _, job := range created {
		// A Job that is created suspended runs when it is resumed.
		if job.Spec.Suspend == nil || !*job.Spec.Suspend {
			add(string(job.UID), job.Name)
		}
	}
	live, err := shared.client.BatchV1().Jobs(one.name).List(one.Context(), metav1.ListOptions{})
	if err != nil {
		one.Fatal(err)
	}
	for _, job := range live.Items {
		if job.Status.StartTime != nil {
			add(string(job.UID), job.Name)
		}
	}
	slices.Sort(names)
	return names
}

// change is one more commit in a scenario about the preview, and what else the test demands of the sync.
type change struct {
	files files
	// how the sync ends, as Argo CD and as its message say it.
	ends, message string
	// runs are the names of the Jobs that run.
	runs []string
	// before is done before the sync.
	before func(*scenario)
	// waits is what the sync waits for; then it is not waited for its end. Argo CD 3.5 writes the first letter of the message small.
	waits string
	// confirms says that the pruning is confirmed in the end.
	confirms bool
	// says is in what the preview prints, and conceals is not.
	says, conceals string
	// status is the sync status afterwards; empty for any.
	status string
}

// operateOnce syncs the first commit, and waits until its Jobs have ended.
func (one *scenario) operateOnce() {
	one.Helper()
	one.operate(v1alpha1.SyncOperation{}).ends("Succeeded")
}

// failsAs demands that the last sync could not apply what the preview said, and nothing else.
func (one *scenario) failsAs(said forecast) {
	one.Helper()
	application, err := one.application()
	if err != nil {
		one.Fatal(err)
	}
	if wrong := said.wrongFailures(refusals(application.Status.OperationState), nil); len(wrong) > 0 {
		one.Errorf("%s\n%s", strings.Join(wrong, "\n"), said.text)
	}
}

// holds syncs a commit and demands that the preview has said which Jobs run, whether the Application is OutOfSync, and how the sync ends.
func (one *scenario) holds(known map[string]bool, next change, prune bool) {
	one.Helper()
	if next.before != nil {
		next.before(one)
	}
	one.started(known)
	one.commit(next.files)
	said := one.foreseen()
	status := one.compare().Status.Sync.Status
	if is := status == v1alpha1.SyncStatusCodeOutOfSync; is != said.starts {
		one.Errorf("the Application is %s; the preview says that auto-sync starts: %t\n%s", status, said.starts, said.text)
	}
	if next.waits != "" {
		one.begin(v1alpha1.SyncOperation{Prune: prune}, v1alpha1.RetryStrategy{})
		one.waits(next.waits)
		time.Sleep(4 * time.Second)
		one.waits(next.waits)
	} else {
		one.operate(v1alpha1.SyncOperation{Prune: prune}).ends(next.ends, next.message)
	}
	ran := one.started(known)
	short := make([]string, 0, len(ran))
	for _, name := range ran {
		short = append(short, withoutHash.ReplaceAllString(name, "-*"))
	}
	if !slices.Equal(ran, said.runs) || !slices.Equal(short, next.runs) {
		one.Errorf("ran %v, not %v; the preview says %v\n%s", ran, next.runs, said.runs, said.text)
	}
	if said.fails != (next.ends == "Failed") || said.waits != (next.waits != "") {
		one.Errorf("the sync ends as %q; the preview says that it fails: %t, waits: %t\n%s", next.ends, said.fails, said.waits, said.text)
	}
	one.failsAs(said)
	if !strings.Contains(said.json, next.says) {
		one.Errorf("no %q in %s", next.says, said.json)
	}
	if next.conceals != "" && strings.Contains(said.json, next.conceals) {
		one.Errorf("%q in %s", next.conceals, said.json)
	}
	if next.confirms {
		one.annotate("argocd.argoproj.io/deletion-approved", time.Now().UTC().Format(time.RFC3339))
		one.finished().ends("Succeeded", "pruned")
	}
	if next.status != "" {
		one.becomes(next.status, "Healthy")
	}
}

package interop_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/renderer"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/sirupsen/logrus"
)

var moreTrees = flag.String("trees", "", "a directory with more charts and kustomizations for the image, laid out as testdata/corpus/trees")

// answer is what the repo-server has for an Application: objects as JSON, or why there are none.
type answer struct {
	objects []string
	refusal string
}

func (one answer) is(other answer) bool {
	return (one.refusal == "") == (other.refusal == "") && slices.Equal(one.objects, other.objects)
}

// moving is an Application before and after it was moved to the plugin.
type moving struct {
	name          string
	before, after argocd.Application
}

// movings commits the repositories of cases, each once.
func movings(t *testing.T, repositories string, cases []renderer.Case, urls map[string]string) (all []moving) {
	t.Helper()
	for _, one := range cases {
		from := filepath.Join(repositories, one.Repo)
		if urls[from] == "" {
			to := filepath.Join(t.TempDir(), "repo")
			if said, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			commit(t, to)
			urls[from] = "file://" + to
		}
		url := urls[from]
		path := filepath.ToSlash(filepath.Clean(one.Path))
		before, after := native(url, path), byName(url, path)
		for tool, block := range map[string]*string{"helm": one.Helm, "kustomize": one.Kustomize} {
			if block != nil {
				before, after = moved(t, url, path, tool, *block)
			}
		}
		if one.App != "" {
			before.Name, after.Name = one.App, one.App
		}
		all = append(all, moving{one.Name, before, after})
	}
	return all
}

// with is the Application with a strategy, and without the trigger, which is added where there are hooks.
func with(application argocd.Application, strategy string) argocd.Application {
	plugin := *application.Source.Plugin
	off := "false"
	plugin.Parameters = append(slices.Clone(plugin.Parameters),
		v1alpha1.ApplicationSourcePluginParameter{Name: "trigger", String_: &off}, v1alpha1.ApplicationSourcePluginParameter{Name: "strategy", String_: &strategy})
	application.Source.Plugin = &plugin
	return application
}

func answers(server *argocd.RepoServer, all []moving, of func(moving) argocd.Application) []answer {
	out := make([]answer, len(all))
	atOnce(len(all), 2, func(i int) {
		objects, _, err := server.Generate(context.Background(), of(all[i]))
		if err != nil {
			out[i].refusal = err.Error()
			return
		}
		for _, object := range objects {
			text, err := json.Marshal(object)
			if err != nil {
				out[i].refusal = err.Error()
			}
			out[i].objects = append(out[i].objects, string(text))
		}
	})
	return out
}

// The image renders the corpus and what others have written as Argo CD does, byte for byte, with the kernel's wall and without it.
func TestTheImageRendersWhatOthersHaveWritten(t *testing.T) {
	dir, cases := publicCases(t)
	urls := map[string]string{}
	all := movings(t, dir, cases, urls)
	corpus, cases := corpusCases(t)
	all = append(all, movings(t, corpus, cases, urls)...)
	if *moreTrees != "" {
		all = append(all, movings(t, *moreTrees, casesBelow(t, *moreTrees), urls)...)
	}
	found, err := recorders()
	if err != nil {
		t.Skip(err)
	}
	level := logrus.GetLevel()
	logrus.SetLevel(logrus.PanicLevel)
	t.Cleanup(func() { logrus.SetLevel(level) })
	server := repoServer(t, argocd.RepoServerOptions{})
	t.Setenv("PATH", os.Getenv("TOOLS")+string(os.PathListSeparator)+os.Getenv("PATH"))
	before := func(one moving) argocd.Application { return one.before }
	wanted, again := answers(server, all, before), answers(server, all, before)
	got := map[string][]answer{}
	for wall, without := range map[string]string{"the kernel (Landlock)": "", "has no Landlock": found.Without} {
		t.Run(wall, func(t *testing.T) {
			one := startImage(t, "with-renderers", without)
			for _, strategy := range []string{"keep", "auto"} {
				got[strategy+wall] = answers(server, all, func(one moving) argocd.Application { return with(one.after, strategy) })
			}
			if !strings.Contains(one.log(t), wall) || len(one.leftovers(t)) > 0 {
				t.Errorf("%s; files that stay: %v", one.log(t), one.leftovers(t))
			}
		})
	}
	counts := map[string]int{}
	for i, one := range all {
		kernel, reading := got["keepthe kernel (Landlock)"][i], got["keephas no Landlock"][i]
		autoKernel, autoReading := got["autothe kernel (Landlock)"][i], got["autohas no Landlock"][i]
		isEmpty := func(one answer) bool { return strings.Contains(one.refusal, "printed no resources") }
		kind := "equal"
		switch {
		case wanted[i].refusal != "" && kernel.refusal != "" && reading.refusal != "":
			kind = "refused by all"
		case wanted[i].refusal == "" && len(wanted[i].objects) == 0 && isEmpty(kernel) && isEmpty(reading):
			// By decision: everything that is live would go.
			kind = "without objects"
		case !wanted[i].is(again[i]):
			kind = "random"
		case !wanted[i].is(kernel):
			kind = "other than Argo CD"
		case !kernel.is(reading) || !autoKernel.is(autoReading):
			kind = "other without Landlock"
		}
		counts[kind]++
		counts["objects"] += len(kernel.objects)
		if kind == "other than Argo CD" || kind == "other without Landlock" {
			t.Errorf("%s: %s\nArgo CD: %s\nkernel: %s\nwithout: %s\nauto: %s\nwithout: %s", one.name, kind, wanted[i].refusal, kernel.refusal, reading.refusal, autoKernel.refusal, autoReading.refusal)
		}
	}
	t.Logf("%d sources: %v", len(all), counts)
}

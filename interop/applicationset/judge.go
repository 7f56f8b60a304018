package applicationset

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/services"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// Judge makes Applications with Argo CD's own code.
type Judge struct {
	Server *argocd.RepoServer
	// Folder is where it makes git repositories.
	Folder string
}

// Outcome is the result of expanding a set.
type Outcome struct {
	// Applications is the JSON of each, sorted.
	Applications []string
	// Failed says why there is an Application or a set that could not be made; empty when all could.
	Failed string
	// Functions are those of templates that the program does not have.
	Functions []string
}

// Expand gives the Applications that the controller makes of a set: those of GenerateApplications whose name is theirs alone.
func (judge Judge) Expand(row Row) (outcome Outcome, err error) {
	var set v1alpha1.ApplicationSet
	if err := json.Unmarshal(row.Set, &set); err != nil {
		return outcome, err
	}
	folders := map[string]string{}
	for url, files := range row.Repositories {
		if folders[url], err = judge.repository(files); err != nil {
			return outcome, err
		}
	}
	objects, err := cluster(row, &set)
	if err != nil {
		return outcome, err
	}
	applications, failure := generate(set, objects, judge.Server.Git(folders))
	failure = errors.Join(failure, named(set.Name, &applications))
	if failure != nil {
		outcome.Failed = failure.Error()
	}
	for i := range applications {
		text, err := canonical(&applications[i])
		if err != nil {
			return outcome, err
		}
		outcome.Applications = append(outcome.Applications, text)
	}
	slices.Sort(outcome.Applications)
	return outcome, nil
}

// generate is the controller's GenerateApplications. What panics in it fails.
func generate(set v1alpha1.ApplicationSet, objects []runtime.Object, git services.Repos) (made []v1alpha1.Application, err error) {
	defer func() {
		if said := recover(); said != nil {
			err = fmt.Errorf("panic: %v", said)
		}
	}()
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	var secrets []runtime.Object
	for _, object := range objects {
		if secret, is := object.(*corev1.Secret); is {
			secrets = append(secrets, secret.DeepCopy())
		}
	}
	reader := fake.NewClientBuilder().WithScheme(scheme).WithRuntimeObjects(objects...).Build()
	all := every(reader, kubernetes.NewClientset(secrets...), git)
	silent := logrus.New()
	silent.SetLevel(logrus.PanicLevel)
	made, _, err = template.GenerateApplications(logrus.NewEntry(silent), set, all, &utils.Render{}, reader)
	return made, err
}

// every gives Argo CD's generators. Since 3.5 GetGenerators takes an argument more, for the generator of cluster decision resources.
func every(reader client.Client, clientset *kubernetes.Clientset, git services.Repos) map[string]generators.Generator {
	function := reflect.ValueOf(generators.GetGenerators)
	given := []any{context.Background(), reader, clientset, argocd.ControlNamespace, git}
	var arguments []reflect.Value
	for i := range function.Type().NumIn() {
		if i < len(given) {
			arguments = append(arguments, reflect.ValueOf(given[i]))
		} else {
			arguments = append(arguments, reflect.Zero(function.Type().In(i)))
		}
	}
	return function.Call(arguments)[0].Interface().(map[string]generators.Generator)
}

// named takes out what validateGeneratedApplications of the controller refuses for its name, with all that share it.
func named(set string, applications *[]v1alpha1.Application) error {
	count := map[string]int{}
	for i := range *applications {
		count[(*applications)[i].Name]++
	}
	var failure error
	*applications = slices.DeleteFunc(*applications, func(application v1alpha1.Application) bool {
		refused := application.Name == "" || count[application.Name] > 1
		if refused {
			failure = fmt.Errorf("ApplicationSet %s has no or a duplicate name: %q", set, application.Name)
		}
		return refused
	})
	return failure
}

// canonical is an Application as JSON, with what Argo CD's type knows of it.
func canonical(application *v1alpha1.Application) (string, error) {
	text, err := json.Marshal(map[string]any{"metadata": application.ObjectMeta, "spec": application.Spec})
	return string(text), err
}

// cluster gives the objects that a set's generators ask for: the project, and the Secrets of clusters.
func cluster(row Row, set *v1alpha1.ApplicationSet) ([]runtime.Object, error) {
	var objects []runtime.Object
	for i, one := range row.Clusters {
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cluster-%d", i), Namespace: argocd.ControlNamespace, Labels: one.Labels, Annotations: one.Annotations},
			Data:       map[string][]byte{"name": []byte(one.Name), "server": []byte(one.Server), "config": []byte("{}")},
		}
		if one.Project != "" {
			secret.Data["project"] = []byte(one.Project)
		}
		objects = append(objects, secret)
	}
	if project := set.Spec.Template.Spec.Project; project != "" {
		objects = append(objects, &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: project, Namespace: argocd.ControlNamespace}})
	}
	return objects, nil
}

// repository is the folder of a git repository with these files, made once.
func (judge Judge) repository(files map[string]string) (string, error) {
	text, err := json.Marshal(files)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(judge.Folder, fmt.Sprintf("%x", sha256.Sum256(text))[:24])
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for path, content := range files {
		whole := filepath.Join(folder, path)
		if !strings.HasPrefix(whole, folder+string(filepath.Separator)) {
			return "", fmt.Errorf("%s is outside of the repository", path)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(whole), 0o755), os.WriteFile(whole, []byte(content), 0o644)); err != nil {
			return "", err
		}
	}
	for _, arguments := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "t"},
	} {
		command := exec.Command("git", arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w: %s", arguments, err, out)
		}
	}
	return folder, nil
}

package renderer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/reposerver/repository"
	"github.com/argoproj/argo-cd/v3/util/git"
	utilio "github.com/argoproj/argo-cd/v3/util/io"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"
)

// Bench is where cases are run.
type Bench struct {
	*Tools
	// Program is the binary under test, Repositories the directory of the fixtures.
	Program, Repositories string
	// Older says that this Argo CD is older than 3.4.
	Older bool
}

// Result is what one side makes of a case.
type Result struct {
	// Objects are JSON texts with sorted keys, in the order in which Argo CD has them.
	Objects []string
	// Refusal is set when there are none.
	Refusal error
	// Type is Argo CD's name for the type of the source; empty for the plugin.
	Type  string
	Calls []Call
	// Root is where the repository was.
	Root string
	// Left are files that were left outside the repository.
	Left []string
}

const revision = "0123456789012345678901234567890123456789"

// Native lets Argo CD render the case in dir, an empty directory. The recorders have to be on PATH of this process.
func (bench *Bench) Native(one Case, dir string) (Result, error) {
	root, calls := filepath.Join(dir, "repo"), filepath.Join(dir, "calls")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(calls, nil, 0o644)); err != nil {
		return Result{}, err
	}
	if err := one.lay(bench.Repositories, root, ""); err != nil {
		return Result{}, err
	}
	request, err := bench.request(one)
	if err != nil {
		return Result{}, err
	}
	result := Result{Root: root}
	response, refusal := repository.GenerateManifests(context.Background(), filepath.Join(root, one.Path), root, revision, request, false,
		git.NoopCredsStore{}, resource.MustParse("10M"), utilio.NewRandomizedTempPaths(""))
	result.Refusal = refusal
	if refusal == nil {
		result.Type = response.SourceType
		for _, text := range response.Manifests {
			object, err := v1alpha1.UnmarshalToUnstructured(text)
			if err != nil {
				return Result{}, err
			}
			// Keys are sorted by it.
			text, err := object.MarshalJSON()
			if err != nil {
				return Result{}, err
			}
			result.Objects = append(result.Objects, strings.TrimSpace(string(text)))
		}
	}
	result.Calls, err = read(calls, root)
	return result, err
}

func (bench *Bench) request(one Case) (*apiclient.ManifestRequest, error) {
	source, err := one.Source(bench.Older)
	if err != nil {
		return nil, err
	}
	options := &v1alpha1.KustomizeOptions{BuildOptions: one.BuildOptions}
	for name, path := range one.Versions {
		options.Versions = append(options.Versions, v1alpha1.KustomizeVersion{Name: name, Path: strings.ReplaceAll(path, "{tools}", bench.Bin)})
	}
	return &apiclient.ManifestRequest{
		Repo: &v1alpha1.Repository{Repo: source.RepoURL, Type: "git"}, AppName: one.App, Namespace: one.Namespace,
		ProjectName: "default", ProjectSourceRepos: []string{"*"}, ApplicationSource: source, KubeVersion: one.Cluster, ApiVersions: one.APIVersions,
		HelmOptions: &v1alpha1.HelmOptions{ValuesFileSchemes: one.Schemes}, KustomizeOptions: options, EnabledSourceTypes: one.Enabled,
	}, nil
}

// ErrNoRequest is the refusal of a case that Argo CD does not ask the plugin about.
var ErrNoRequest = errors.New("could not parse kubernetes version")

// Plugin lets our program render the case in dir, an empty directory, as the cmp-server lets it. More are further arguments.
func (bench *Bench) Plugin(one Case, way Way, dir string, more ...string) (Result, error) {
	root, calls, tmp := filepath.Join(dir, "_cmp_server", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"), filepath.Join(dir, "calls"), filepath.Join(dir, "tmp")
	if err := errors.Join(os.MkdirAll(filepath.Dir(root), 0o700), os.Mkdir(tmp, 0o755), os.WriteFile(calls, nil, 0o644)); err != nil {
		return Result{}, err
	}
	parameters, config := one.given(way)
	if err := one.lay(bench.Repositories, root, config); err != nil {
		return Result{}, err
	}
	result := Result{Root: root}
	env, err := bench.environment(one, parameters, tmp)
	if errors.Is(err, ErrNoRequest) {
		result.Refusal = err
		return result, nil
	} else if err != nil {
		return Result{}, err
	}
	command := exec.Command(bench.Program, append([]string{"generate", "--strategy", "keep", "--trigger=false"}, more...)...)
	command.Dir, command.Env, command.WaitDelay = filepath.Join(root, one.Path), env, time.Minute
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		result.Refusal = fmt.Errorf("%w: %s", err, stderr.String())
	} else if result.Objects, err = objects(stdout.Bytes()); err != nil {
		return Result{}, fmt.Errorf("Argo CD does not read the output: %w\n%s", err, stdout.Bytes())
	}
	if result.Left, err = filepath.Glob(filepath.Join(tmp, "*")); err != nil {
		return Result{}, err
	}
	result.Calls, err = read(calls, root)
	return result, err
}

func objects(stdout []byte) ([]string, error) {
	all, err := argocd.Decode(stdout)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, object := range all {
		text, err := object.MarshalJSON()
		if err != nil {
			return nil, err
		}
		out = append(out, strings.TrimSpace(string(text)))
	}
	return out, nil
}

// environment is that of the plugin: what the sidecar has, what the platform owner has set, and what Argo CD sends.
func (bench *Bench) environment(one Case, parameters v1alpha1.ApplicationSourcePluginParameters, tmp string) ([]string, error) {
	kubernetes := ""
	if one.Cluster != "" {
		parsed, err := version.ParseGeneric(one.Cluster)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoRequest, err)
		}
		kubernetes = parsed.String()
	}
	env := []string{
		"PATH=" + bench.Bin, "TMPDIR=" + tmp, "ARGOCD_JOBS_HELM_VALUES_FILE_SCHEMES=" + strings.Join(one.Schemes, ","),
		// None of these may reach a tool.
		"HELM_DEBUG=1", "HELM_NAMESPACE=poison", "HELM_PLUGINS=/poison", "HELM_KUBECONTEXT=poison", "KUBECONFIG=/poison", "KUBERNETES_SERVICE_HOST=10.0.0.1",
		"VAULT_TOKEN=poison", "ARGOCD_LOG_LEVEL=info", "KUSTOMIZE_PLUGIN_HOME=/plugins",
	}
	if one.BuildOptions != "" {
		env = append(env, "ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS="+one.BuildOptions)
	}
	var versions []string
	for name, path := range one.Versions {
		versions = append(versions, name+"="+strings.ReplaceAll(path, "{tools}", bench.Bin))
	}
	if slices.Sort(versions); versions != nil {
		env = append(env, "ARGOCD_JOBS_KUSTOMIZE_VERSIONS="+strings.Join(versions, ","))
	}
	for name, value := range one.Env {
		env = append(env, name+"="+value)
	}
	env = append(env,
		"ARGOCD_APP_NAME="+one.App, "ARGOCD_APP_NAMESPACE="+one.Namespace, "ARGOCD_APP_PROJECT_NAME=default", "ARGOCD_APP_REVISION="+revision,
		"ARGOCD_APP_REVISION_SHORT="+revision[:7], "ARGOCD_APP_REVISION_SHORT_8="+revision[:8], "ARGOCD_APP_SOURCE_REPO_URL=https://git.example.com/shop.git",
		"ARGOCD_APP_SOURCE_PATH="+one.Path, "ARGOCD_APP_SOURCE_TARGET_REVISION=main",
		"KUBE_VERSION="+kubernetes, "KUBE_API_VERSIONS="+strings.Join(one.APIVersions, ","))
	sent, err := parameters.Environ()
	return append(env, sent...), err
}

package argocd

import (
	"context"
	"fmt"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/argo"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ControlNamespace is where the Argo CD of GenerateOf runs.
const ControlNamespace = "argocd"

// GenerateOf asks for the manifests of all sources of an Application, as the controller does (GetRepoObjs in controller/state.go), and
// for the type of each source that has any.
func (server *RepoServer) GenerateOf(ctx context.Context, manifest *v1alpha1.Application) ([]*unstructured.Unstructured, []string, error) {
	application := manifest.DeepCopy()
	application.Spec = *argo.NormalizeApplicationSpec(&application.Spec)
	sources := application.Spec.GetSources()
	repository := func(_ context.Context, url, _ string) (*v1alpha1.Repository, error) {
		return &v1alpha1.Repository{Repo: url, Type: "git"}, nil
	}
	references, err := argo.GetRefSources(ctx, sources, application.Spec.Project, repository, nil)
	if err != nil {
		return nil, nil, err
	}
	var objects []*unstructured.Unstructured
	var types []string
	for i := range sources {
		repo, _ := repository(ctx, sources[i].RepoURL, "")
		response, err := server.service.GenerateManifest(ctx, &apiclient.ManifestRequest{
			Repo: repo, Revision: sources[i].TargetRevision, NoCache: true, NoRevisionCache: true,
			AppName: application.InstanceName(ControlNamespace), Namespace: application.Spec.Destination.Namespace,
			ProjectName: application.Spec.Project, ProjectSourceRepos: []string{"*"}, ApplicationSource: &sources[i],
			KubeVersion: "v1.34.2", HelmOptions: &v1alpha1.HelmOptions{ValuesFileSchemes: []string{"https", "http"}},
			HasMultipleSources: application.Spec.HasMultipleSources(), RefSources: references,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("source %d: %w", i+1, err)
		}
		found, err := received(response)
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, found...)
		if len(found) > 0 {
			types = append(types, response.SourceType)
		}
	}
	return objects, types, nil
}

package argocd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/reposerver/cache"
	"github.com/argoproj/argo-cd/v3/reposerver/metrics"
	"github.com/argoproj/argo-cd/v3/reposerver/repository"
	cacheutil "github.com/argoproj/argo-cd/v3/util/cache"
	"github.com/argoproj/argo-cd/v3/util/git"
	utilio "github.com/argoproj/argo-cd/v3/util/io"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// RepoServer is Argo CD's repository service, with an in-memory cache in the place of Redis. It
// checks repositories out with git, and finds plugins where ARGOCD_PLUGINSOCKFILEPATH says.
type RepoServer struct {
	service *repository.Service
}

// RepoServerOptions are settings of the repo-server that change what a plugin is sent.
type RepoServerOptions struct {
	// TarExclusions is ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS.
	TarExclusions []string
	// ManifestGeneratePaths is ARGOCD_REPO_SERVER_PLUGIN_USE_MANIFEST_GENERATE_PATHS.
	ManifestGeneratePaths bool
}

// NewRepoServer makes one that keeps its checkouts in dir.
func NewRepoServer(dir string, options RepoServerOptions) (*RepoServer, error) {
	memory := cacheutil.NewCache(cacheutil.NewInMemoryCache(time.Hour))
	service := repository.NewService(
		metrics.NewMetricsServer(), cache.NewCache(memory, time.Hour, time.Hour, 10*time.Second),
		repository.RepoServerInitConstants{
			MaxCombinedDirectoryManifestsSize: resource.MustParse("10M"), CMPTarExcludedGlobs: options.TarExclusions,
			HelmManifestMaxExtractedSize: 1 << 30, HelmRegistryMaxIndexSize: 1 << 30,
			CMPUseManifestGeneratePaths: options.ManifestGeneratePaths,
		}, git.NoopCredsStore{}, dir)
	if err := service.Init(); err != nil {
		return nil, err
	}
	return &RepoServer{service}, nil
}

// Application is what the controller sends to the repo-server about an Application.
type Application struct {
	// Name is `<namespace>_<name>` for an Application outside the control namespace, as Argo CD passes it.
	Name, Namespace string
	RepoURL         string
	Source          v1alpha1.ApplicationSource
	// LabelKey and TrackingMethod are the settings of resource tracking.
	LabelKey       string
	TrackingMethod v1alpha1.TrackingMethod
	APIVersions    []string
	// Hydrated says that the manifests are for Git and no cluster, as those of a source hydrator.
	Hydrated bool
	// Annotations are those of the Application.
	Annotations map[string]string
}

func (application Application) request() *apiclient.ManifestRequest {
	kind, revision, kubernetes := "git", "HEAD", "v1.34.2"
	if application.Source.Chart != "" {
		kind, revision = "helm", application.Source.TargetRevision
	}
	if application.Hydrated {
		application.APIVersions, kubernetes = nil, ""
	}
	return &apiclient.ManifestRequest{
		Repo: &v1alpha1.Repository{Repo: application.RepoURL, Type: kind}, Revision: revision, NoCache: true, NoRevisionCache: true,
		AppName: application.Name, Namespace: application.Namespace, ProjectName: "default", ProjectSourceRepos: []string{"*"},
		ApplicationSource: application.Source.DeepCopy(), KubeVersion: kubernetes, ApiVersions: application.APIVersions,
		AppLabelKey: application.LabelKey, TrackingMethod: string(application.TrackingMethod),
		HelmOptions:                     &v1alpha1.HelmOptions{ValuesFileSchemes: []string{"https", "http"}},
		AnnotationManifestGeneratePaths: application.Annotations[v1alpha1.AnnotationKeyManifestGeneratePaths],
	}
}

// Generate asks for an Application's manifests, as the controller does at each comparison.
func (server *RepoServer) Generate(ctx context.Context, application Application) ([]*unstructured.Unstructured, string, error) {
	response, err := server.service.GenerateManifest(ctx, application.request())
	if err != nil {
		return nil, "", err
	}
	objects, err := received(response)
	return objects, response.SourceType, err
}

// received unmarshals as the controller does.
func received(response *apiclient.ManifestResponse) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, text := range response.Manifests {
		object, err := v1alpha1.UnmarshalToUnstructured(text)
		if err != nil {
			return nil, fmt.Errorf("controller: %w", err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// GenerateFrom does the part of Generate that follows the checkout, with the files at root as they are.
func GenerateFrom(ctx context.Context, root string, application Application) ([]*unstructured.Unstructured, error) {
	response, err := repository.GenerateManifests(ctx, filepath.Join(root, application.Source.Path), root, strings.Repeat("0123456789", 4),
		application.request(), false, git.NoopCredsStore{}, resource.MustParse("10M"), utilio.NewRandomizedTempPaths(""))
	if err != nil {
		return nil, err
	}
	return received(response)
}

// Announcements asks for the parameters that the UI offers for an Application.
func (server *RepoServer) Announcements(ctx context.Context, application Application) ([]*apiclient.ParameterAnnouncement, error) {
	details, err := server.service.GetAppDetails(ctx, &apiclient.RepoServerAppDetailsQuery{
		Repo: &v1alpha1.Repository{Repo: application.RepoURL, Type: "git"}, Source: application.Source.DeepCopy(),
		AppName: application.Name, NoCache: true, NoRevisionCache: true,
	})
	if err != nil {
		return nil, err
	}
	return details.GetPlugin().GetParametersAnnouncement(), nil
}

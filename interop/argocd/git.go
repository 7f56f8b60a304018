package argocd

import (
	"context"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/v3/applicationset/services"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/reposerver/repository"
	"github.com/argoproj/argo-cd/v3/util/db"
	utilio "github.com/argoproj/argo-cd/v3/util/io"
	"google.golang.org/grpc"
)

// Git is what the git generator of ApplicationSets asks the repo-server for. Folders maps the URL of a repository to the folder of one, of
// which HEAD stands for every revision; another URL is an error.
func (server *RepoServer) Git(folders map[string]string) services.Repos {
	return services.NewArgoCDService(repositories{folders: folders}, false, gitClient{service: server.service}, false)
}

type repositories struct {
	db.ArgoDB
	folders map[string]string
}

func (known repositories) GetRepository(_ context.Context, url, _ string) (*v1alpha1.Repository, error) {
	folder, ok := known.folders[url]
	if !ok {
		return nil, fmt.Errorf("%s: %w", url, os.ErrNotExist)
	}
	return &v1alpha1.Repository{Repo: "file://" + folder, Type: "git"}, nil
}

// gitClient asks a service of the same process.
type gitClient struct {
	apiclient.RepoServerServiceClient
	service *repository.Service
}

func (client gitClient) NewRepoServerClient() (utilio.Closer, apiclient.RepoServerServiceClient, error) {
	return utilio.NopCloser, client, nil
}

func (client gitClient) GetGitFiles(ctx context.Context, asked *apiclient.GitFilesRequest, _ ...grpc.CallOption) (*apiclient.GitFilesResponse, error) {
	asked.Revision = "HEAD"
	return client.service.GetGitFiles(ctx, asked)
}

func (client gitClient) GetGitDirectories(ctx context.Context, asked *apiclient.GitDirectoriesRequest, _ ...grpc.CallOption) (*apiclient.GitDirectoriesResponse, error) {
	asked.Revision = "HEAD"
	return client.service.GetGitDirectories(ctx, asked)
}

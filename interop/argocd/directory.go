package argocd

import (
	"context"
	"path/filepath"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/reposerver/repository"
	"github.com/argoproj/argo-cd/v3/util/git"
	utilio "github.com/argoproj/argo-cd/v3/util/io"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// DirectoryOptions are the fields of an Application's `spec.source.directory` that our own source has too.
type DirectoryOptions struct {
	// Root is the root of the repository; empty means the directory itself.
	Root string
	// Recurse, Include and Exclude mean what they mean in an Application.
	Recurse          bool
	Include, Exclude string
}

// Directory reads a directory as Argo CD's native directory source does and unpacks the lists in it.
func Directory(dir string, options DirectoryOptions) ([]*unstructured.Unstructured, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root := dir
	if options.Root != "" {
		if root, err = filepath.Abs(options.Root); err != nil {
			return nil, err
		}
	}
	request := &apiclient.ManifestRequest{
		Repo: &v1alpha1.Repository{},
		// The types of source that could come before the directory are switched off.
		EnabledSourceTypes: map[string]bool{
			string(v1alpha1.ApplicationSourceTypeHelm):      false,
			string(v1alpha1.ApplicationSourceTypeKustomize): false,
			string(v1alpha1.ApplicationSourceTypePlugin):    false,
		},
		ApplicationSource: &v1alpha1.ApplicationSource{Directory: &v1alpha1.ApplicationSourceDirectory{
			Recurse: options.Recurse, Include: options.Include, Exclude: options.Exclude,
		}},
	}
	response, err := repository.GenerateManifests(context.Background(), dir, root, "", request, true,
		git.NoopCredsStore{}, resource.MustParse("10M"), utilio.NewRandomizedTempPaths(""))
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, text := range response.Manifests {
		object := &unstructured.Unstructured{}
		// Not object.UnmarshalJSON: an object without a kind is reported later, by the controller.
		if err := json.Unmarshal([]byte(text), &object.Object); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

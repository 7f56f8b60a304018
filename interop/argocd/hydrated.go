package argocd

import (
	"encoding/json"
	"os"
	_ "unsafe" // for go:linkname

	"github.com/argoproj/argo-cd/v3/commitserver/apiclient"
	_ "github.com/argoproj/argo-cd/v3/commitserver/commit"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// What the commit server makes of the manifests that the hydrator sends. It keeps this function to itself.
//
//go:linkname writeManifests github.com/argoproj/argo-cd/v3/commitserver/commit.writeManifests
func writeManifests(root *os.Root, dir string, manifests []*apiclient.HydratedManifestDetails) error

// Hydrate writes objects into dir as the source hydrator does (`getManifests` in controller/hydrator/hydrator.go), and gives what the
// directory source reads there, which is how a hydrated branch is synced.
func Hydrate(dir string, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	manifests := []*apiclient.HydratedManifestDetails{}
	for _, object := range objects {
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, &apiclient.HydratedManifestDetails{ManifestJSON: string(text)})
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := writeManifests(root, ".", manifests); err != nil {
		return nil, err
	}
	return Directory(dir, DirectoryOptions{})
}

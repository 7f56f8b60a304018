// Package argocd reads manifests the way Argo CD reads them: by calling its own code.
package argocd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Reading is what Argo CD makes of one stream of a plugin's standard output.
type Reading struct {
	// Strings are the JSON texts that the cmp-server sends to the repo-server.
	Strings []string
	// Objects are what the repo-server reads from them, before lists are unpacked.
	Objects []*unstructured.Unstructured
}

// Read takes a plugin's standard output through both stages: the cmp-server trims the last newline
// and splits the stream into JSON strings, the repo-server parses each string again.
func Read(stdout []byte) (Reading, error) {
	var reading Reading
	trimmed := bytes.TrimSuffix(stdout, []byte("\n"))
	texts, err := splitYAMLToString(trimmed)
	reading.Strings = texts
	if err != nil {
		return reading, fmt.Errorf("cmp-server: %w", err)
	}
	reading.Objects = []*unstructured.Unstructured{}
	for _, text := range texts {
		objects, err := splitYAML([]byte(text))
		if err != nil {
			return reading, fmt.Errorf("repo-server: %w", err)
		}
		reading.Objects = append(reading.Objects, objects...)
	}
	return reading, nil
}

// Unpack does what the repo-server's GenerateManifests does with every object of every source: an
// object with an `items` array is replaced by its items, one level deep, and one with `items: null`
// and neither spec nor status is dropped. That loop is inline there, so it is written out again here.
func Unpack(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for _, object := range objects {
		switch {
		case object == nil:
		case object.IsList():
			err := object.EachListItem(func(item runtime.Object) error {
				one, ok := item.(*unstructured.Unstructured)
				if !ok {
					return errors.New("resource list item has unexpected type")
				}
				out = append(out, one)
				return nil
			})
			if err != nil {
				return out, err
			}
		case isNullList(object):
		default:
			out = append(out, object)
		}
	}
	return out, nil
}

func isNullList(object *unstructured.Unstructured) bool {
	_, spec := object.Object["spec"]
	_, status := object.Object["status"]
	items, found := object.Object["items"]
	return found && items == nil && !spec && !status
}

// Decode reads a plugin's standard output and unpacks the lists in it.
func Decode(stdout []byte) ([]*unstructured.Unstructured, error) {
	reading, err := Read(stdout)
	if err != nil {
		return reading.Objects, err
	}
	return Unpack(reading.Objects)
}

// JSON gives an object's text as the repo-server sends it to the controller.
func JSON(object *unstructured.Unstructured) (json.RawMessage, error) {
	return json.Marshal(object.Object)
}

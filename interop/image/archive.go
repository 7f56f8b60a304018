package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/opencontainers/go-digest"
	spec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/oci"
)

// Unpack writes the root file system of an OCI archive, in its variant for this machine, to root, and returns how it is run, without the
// sources of its Copies. The archive is read by the library that Argo CD reads OCI sources with, which refuses a blob that is not what its
// descriptor says.
func Unpack(ctx context.Context, archive, tag, root string) (Image, error) {
	store, err := oci.NewFromTar(ctx, archive)
	if err != nil {
		return Image{}, err
	}
	index, err := store.Resolve(ctx, tag)
	if err != nil {
		return Image{}, err
	}
	var variants spec.Index
	if err := decode(ctx, store, index, &variants); err != nil {
		return Image{}, err
	}
	for _, variant := range variants.Manifests {
		if variant.Platform.OS == runtime.GOOS && variant.Platform.Architecture == runtime.GOARCH {
			return unpack(ctx, store, variant, root)
		}
	}
	return Image{}, fmt.Errorf("%s has no image for %s/%s", archive, runtime.GOOS, runtime.GOARCH)
}

func decode(ctx context.Context, store content.Fetcher, wanted spec.Descriptor, into any) error {
	text, err := content.FetchAll(ctx, store, wanted)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func unpack(ctx context.Context, store content.Fetcher, variant spec.Descriptor, root string) (Image, error) {
	var manifest spec.Manifest
	if err := decode(ctx, store, variant, &manifest); err != nil {
		return Image{}, err
	}
	var config spec.Image
	if err := decode(ctx, store, manifest.Config, &config); err != nil {
		return Image{}, err
	}
	if len(config.RootFS.DiffIDs) != len(manifest.Layers) {
		return Image{}, fmt.Errorf("%d layers, %d digests of them unpacked", len(manifest.Layers), len(config.RootFS.DiffIDs))
	}
	image := Image{Env: config.Config.Env, User: config.Config.User, Labels: config.Config.Labels}
	for at, layer := range manifest.Layers {
		packed, err := content.FetchAll(ctx, store, layer)
		if err != nil {
			return Image{}, err
		}
		unzipped, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return Image{}, err
		}
		unpacked, err := io.ReadAll(unzipped)
		if err != nil {
			return Image{}, err
		}
		if got := digest.FromBytes(unpacked); got != config.RootFS.DiffIDs[at] {
			return Image{}, fmt.Errorf("layer %d is %s unpacked, not %s", at, got, config.RootFS.DiffIDs[at])
		}
		copies, err := write(unpacked, root)
		if err != nil {
			return Image{}, err
		}
		image.Copies = append(image.Copies, copies...)
	}
	return image, nil
}

func write(layer []byte, root string) ([]Copy, error) {
	var copies []Copy
	reader := tar.NewReader(bytes.NewReader(layer))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return copies, nil
		}
		if err != nil {
			return nil, err
		}
		to := filepath.Join(root, filepath.Clean("/"+header.Name))
		switch header.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(to, header.FileInfo().Mode().Perm())
		case tar.TypeReg:
			var text []byte
			if text, err = io.ReadAll(reader); err == nil {
				err = os.WriteFile(to, text, header.FileInfo().Mode().Perm())
			}
			copies = append(copies, Copy{Target: "/" + header.Name})
		default:
			err = fmt.Errorf("%s is neither a file nor a directory", header.Name)
		}
		if err != nil {
			return nil, err
		}
	}
}

package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// descriptor names a blob: https://github.com/opencontainers/image-spec/blob/main/descriptor.md
type descriptor struct {
	Digest   string
	Size     int
	Platform struct{ OS, Architecture string }
}

// Unpack writes the root file system of an OCI archive, in its variant for this machine, to root, and returns how it is run. Its Copies are
// the files, without their sources. Every blob on the way has to be what its descriptor says.
func Unpack(archive, root string) (Image, error) {
	blobs, err := read(archive)
	if err != nil {
		return Image{}, err
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(blobs["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		return Image{}, fmt.Errorf("%s: index.json names %d images: %v", archive, len(index.Manifests), err)
	}
	var variants struct{ Manifests []descriptor }
	if err := blobs.decode(index.Manifests[0], &variants); err != nil {
		return Image{}, err
	}
	for _, variant := range variants.Manifests {
		if variant.Platform.OS == runtime.GOOS && variant.Platform.Architecture == runtime.GOARCH {
			return blobs.unpack(variant, root)
		}
	}
	return Image{}, fmt.Errorf("%s has no image for %s/%s", archive, runtime.GOOS, runtime.GOARCH)
}

// files are those of an archive, by their paths.
type files map[string][]byte

func read(archive string) (files, error) {
	opened, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	all := files{}
	reader := tar.NewReader(opened)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if all[header.Name], err = io.ReadAll(reader); err != nil {
			return nil, err
		}
	}
}

func (all files) blob(wanted descriptor) ([]byte, error) {
	content := all["blobs/"+strings.Replace(wanted.Digest, ":", "/", 1)]
	if got := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); got != wanted.Digest || len(content) != wanted.Size {
		return nil, fmt.Errorf("the blob %s has %d bytes and the digest %s", wanted.Digest, len(content), got)
	}
	return content, nil
}

func (all files) decode(wanted descriptor, into any) error {
	content, err := all.blob(wanted)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

func (all files) unpack(variant descriptor, root string) (Image, error) {
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	if err := all.decode(variant, &manifest); err != nil {
		return Image{}, err
	}
	var config struct {
		Config struct {
			Env  []string
			User string
		}
		Rootfs struct {
			Diffs []string `json:"diff_ids"`
		}
	}
	if err := all.decode(manifest.Config, &config); err != nil {
		return Image{}, err
	}
	image := Image{Env: config.Config.Env, User: config.Config.User}
	for at, layer := range manifest.Layers {
		content, err := all.blob(layer)
		if err != nil {
			return Image{}, err
		}
		unzipped, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return Image{}, err
		}
		if content, err = io.ReadAll(unzipped); err != nil {
			return Image{}, err
		}
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); got != config.Rootfs.Diffs[at] {
			return Image{}, fmt.Errorf("layer %d is %s unpacked, not %s", at, got, config.Rootfs.Diffs[at])
		}
		copies, err := write(content, root)
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
			var content []byte
			if content, err = io.ReadAll(reader); err == nil {
				err = os.WriteFile(to, content, header.FileInfo().Mode().Perm())
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

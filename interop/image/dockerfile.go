// Package image makes the root file system of our container image from what its Dockerfile says, without a registry or a container
// engine, and runs a program in it as Kubernetes would.
package image

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Image is what the stages of a Dockerfile on `scratch` make.
type Image struct {
	// Copies are in the order of the file; a later one replaces an earlier one of the same target.
	Copies []Copy
	// Env are `NAME=value`.
	Env []string
	// User is the number of a user.
	User string
	// Labels are known for an image that Unpack has read.
	Labels map[string]string
}

// Copy is one COPY line, with one source.
type Copy struct {
	// Stage is that of `--from`; empty for the build context.
	Stage string
	// Source and Target are paths in the stage or the context, and in the image.
	Source, Target string
}

// Read reads the image that `docker build --target` would make. Every instruction that is not understood is an error, so that nothing
// of the Dockerfile is left out: RUN is one of them, because nothing can run on `scratch`.
func Read(dockerfile, target string) (Image, error) {
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return Image{}, err
	}
	stages := map[string]Image{}
	name, known, line := "", false, 0
	instruction := ""
	for part := range strings.Lines(string(text)) {
		line++
		if strings.HasPrefix(strings.TrimSpace(part), "#") {
			continue
		}
		part, continues := strings.CutSuffix(strings.TrimSpace(part), "\\")
		instruction += part + " "
		if continues {
			continue
		}
		words := strings.Fields(instruction)
		instruction = ""
		if len(words) == 0 {
			continue
		}
		if words[0] == "FROM" {
			if len(words) != 4 || words[2] != "AS" {
				return Image{}, fmt.Errorf("%s:%d: a stage without a name", dockerfile, line)
			}
			var base Image
			// The stages on other images only lend files to COPY --from.
			base, known = stages[words[1]]
			known = known || words[1] == "scratch"
			name = words[3]
			if known {
				stages[name] = Image{Copies: append([]Copy(nil), base.Copies...), Env: append([]string(nil), base.Env...), User: base.User}
			}
			continue
		}
		if !known {
			continue
		}
		stage := stages[name]
		if err := stage.add(words); err != nil {
			return Image{}, fmt.Errorf("%s:%d: %w", dockerfile, line, err)
		}
		stages[name] = stage
	}
	image, found := stages[target]
	if !found {
		return Image{}, fmt.Errorf("%s has no stage %q on scratch", dockerfile, target)
	}
	return image, nil
}

func (image *Image) add(words []string) error {
	rest := words[1:]
	switch words[0] {
	case "COPY":
		stage := ""
		if from, found := strings.CutPrefix(rest[0], "--from="); found {
			stage, rest = from, rest[1:]
		}
		if len(rest) != 2 || strings.HasPrefix(rest[0], "--") || !filepath.IsAbs(rest[1]) || strings.HasSuffix(rest[1], "/") {
			return fmt.Errorf("COPY with anything but one source and the path of a file: %v", words)
		}
		image.Copies = append(image.Copies, Copy{stage, rest[0], rest[1]})
	case "ENV":
		image.Env = append(image.Env, rest...)
	case "USER":
		image.User = rest[0]
	case "ENTRYPOINT", "LABEL":
		// The command of a pod replaces ENTRYPOINT, and LABEL is for registries.
	default:
		return fmt.Errorf("what does %s do to the image?", words[0])
	}
	return nil
}

// Assemble copies the files to root. The path of what a COPY line takes is asked of find.
func (image Image) Assemble(root string, find func(Copy) (string, error)) error {
	for _, each := range image.Copies {
		from, err := find(each)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		info, err := os.Stat(from)
		if err != nil {
			return err
		}
		to := filepath.Join(root, each.Target)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, content, info.Mode().Perm()|0o444); err != nil {
			return err
		}
	}
	return nil
}

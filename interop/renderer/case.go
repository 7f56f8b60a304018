package renderer

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

// Case is one Application, as an entry of a YAML list.
type Case struct {
	Name string `json:"name"`
	// Repo is the directory of the repository below testdata/render/repos, Path that of the Application in it.
	Repo string `json:"repo"`
	Path string `json:"path"`
	// Links are symbolic links that the repository has, path → target; Files what it has besides.
	Links map[string]string `json:"links"`
	Files map[string]string `json:"files"`
	// Packages are packaged charts that it has, path → directory of the chart.
	Packages map[string]string `json:"packages"`
	// App is the Application's name, with its namespace before it as Argo CD has it; Namespace that of its destination.
	App       string `json:"app"`
	Namespace string `json:"namespace"`
	// Cluster and APIVersions are what Argo CD knows of the cluster.
	Cluster     string   `json:"cluster"`
	APIVersions []string `json:"apiVersions"`
	// Helm and Kustomize are the texts of the blocks, nil where there is none.
	Helm      *string `json:"helm"`
	Kustomize *string `json:"kustomize"`
	// Native is the text of the block for Argo CD where it differs from ours, Older is the text for an Argo CD before 3.4, whose
	// rules for value files are others.
	Native *string `json:"native"`
	Older  *string `json:"older"`
	// Schemes, BuildOptions, Versions and Enabled are settings in argocd-cm. {tools} in Versions is the directory of the tools.
	Schemes      []string          `json:"schemes"`
	BuildOptions string            `json:"buildOptions"`
	Versions     map[string]string `json:"versions"`
	Enabled      map[string]bool   `json:"enabled"`
	// Parameters are further parameters of the plugin, Env further variables of its sidecar.
	Parameters map[string]string `json:"parameters"`
	Env        map[string]string `json:"env"`

	// Says is part of what Argo CD says when it refuses; empty where it does not.
	Says string `json:"says"`
	// Message is part of what the program says. Where Argo CD does not refuse, a message is a decision of our own.
	Message string `json:"message"`
	// Calls are the command lines that Argo CD is known to run; nil where that is left to the comparison.
	Calls []string `json:"calls"`
}

// Read reads a list of cases. What is not written has the values of the recorded cases.
func Read(path string) ([]Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []Case
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		return nil, err
	}
	for i := range cases {
		cases[i].fill()
	}
	return cases, nil
}

func (one *Case) fill() {
	if one.Repo == "" {
		one.Repo = "main"
	}
	if one.App == "" {
		one.App = "shop"
	}
	if one.Schemes == nil {
		one.Schemes = []string{"https", "http"}
	}
}

// Source is the native source, for this Argo CD or for one that is older than 3.4.
func (one Case) Source(older bool) (*v1alpha1.ApplicationSource, error) {
	source := &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop.git", Path: one.Path, TargetRevision: "main"}
	block := func(own *string) string {
		switch {
		case older && one.Older != nil:
			return *one.Older
		case one.Native != nil:
			return *one.Native
		}
		return *own
	}
	if one.Helm != nil {
		source.Helm = &v1alpha1.ApplicationSourceHelm{}
		if text := block(one.Helm); text == "none" {
			source.Helm = nil
		} else if err := yaml.Unmarshal([]byte(text), source.Helm); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Name, err)
		}
	}
	if one.Kustomize != nil {
		source.Kustomize = &v1alpha1.ApplicationSourceKustomize{}
		if err := yaml.Unmarshal([]byte(block(one.Kustomize)), source.Kustomize); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Name, err)
		}
	}
	return source, nil
}

// Way is one of the ways in which a block's fields are given to the plugin.
type Way string

// Pasted is the block as the text of one parameter, Configured `.argocd-jobs.yaml`.
const (
	Pasted     Way = "pasted"
	Configured Way = "configured"
)

// Ways are those in which this case can be given.
func (one Case) Ways() []Way {
	if one.Helm == nil && one.Kustomize == nil {
		return []Way{Pasted}
	}
	return []Way{Pasted, Configured}
}

// given is the case for the plugin: its parameters, and the text of `.argocd-jobs.yaml`.
func (one Case) given(way Way) (v1alpha1.ApplicationSourcePluginParameters, string) {
	var parameters v1alpha1.ApplicationSourcePluginParameters
	for name, value := range one.Parameters {
		parameters = append(parameters, text(name, value))
	}
	for name, block := range map[string]*string{"helm": one.Helm, "kustomize": one.Kustomize} {
		switch {
		case block == nil:
		case way == Pasted:
			parameters = append(parameters, text(name, *block))
		default:
			return parameters, name + ":\n  " + strings.ReplaceAll(strings.TrimRight(*block, "\n"), "\n", "\n  ") + "\n"
		}
	}
	return parameters, ""
}

func text(name, value string) v1alpha1.ApplicationSourcePluginParameter {
	return v1alpha1.ApplicationSourcePluginParameter{Name: name, String_: &value}
}

// lay copies the repository to root, with a `.git` at its root, and with this text in `.argocd-jobs.yaml`.
func (one Case) lay(repositories, root, config string) error {
	if err := one.copy(filepath.Join(repositories, one.Repo), root); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		return err
	}
	files := map[string]string{}
	for path, text := range one.Files {
		files[path] = text
	}
	if one.Helm != nil || one.Kustomize != nil {
		// A chart can see which files it has.
		files[filepath.Join(one.Path, ".argocd-jobs.yaml")] = "# nothing else\n" + config
	}
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for path, target := range one.Links {
		if err := os.Symlink(target, filepath.Join(root, path)); err != nil {
			return err
		}
	}
	for path, chart := range one.Packages {
		if err := Pack(filepath.Join(root, chart), filepath.Join(root, path)); err != nil {
			return err
		}
	}
	return nil
}

// copy takes what the case can need: most of the time of a case would go by with the rest.
func (one Case) copy(from, to string) error {
	needed := []string{strings.Split(filepath.ToSlash(filepath.Clean(one.Path)), "/")[0], "other"}
	if one.Kustomize != nil {
		needed = append(needed, "kust")
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if one.Repo == "main" && !slices.Contains(needed, entry.Name()) {
			continue
		}
		if !entry.IsDir() {
			text, err := os.ReadFile(filepath.Join(from, entry.Name()))
			if err == nil {
				err = errors.Join(os.MkdirAll(to, 0o755), os.WriteFile(filepath.Join(to, entry.Name()), text, 0o644))
			}
			if err != nil {
				return err
			}
		} else if err := os.CopyFS(filepath.Join(to, entry.Name()), os.DirFS(filepath.Join(from, entry.Name()))); err != nil {
			return err
		}
	}
	return nil
}

// Pack writes a chart's directory as a package.
func Pack(chart, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	compressed := gzip.NewWriter(file)
	archive := tar.NewWriter(compressed)
	err = filepath.WalkDir(chart, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(filepath.Dir(chart), name)
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: filepath.ToSlash(short), Mode: 0o644, Size: int64(len(text))}); err != nil {
			return err
		}
		_, err = archive.Write(text)
		return err
	})
	return errors.Join(err, archive.Close(), compressed.Close())
}

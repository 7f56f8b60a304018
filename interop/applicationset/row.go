// Package applicationset compares the Applications that Argo CD's controller and the program make of ApplicationSets.
package applicationset

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// Row is an ApplicationSet and what its generators are answered. Its JSON is what the program's example `applicationset` reads.
type Row struct {
	Name string `json:"name"`
	// Set is the ApplicationSet, as the API server stores it.
	Set json.RawMessage `json:"set"`
	// Clusters are the cluster Secrets.
	Clusters []Cluster `json:"clusters"`
	// Repositories are URL → path → text.
	Repositories map[string]map[string]string `json:"repositories"`
	// Minor is that of the Argo CD that judges.
	Minor int `json:"minor"`
}

// Cluster is a cluster Secret without credentials.
type Cluster struct {
	Name        string            `json:"name"`
	Server      string            `json:"server"`
	Project     string            `json:"project"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Rows reads all files of a folder. What a file says of clusters and repositories holds for each of its rows that does not.
func Rows(folder string) ([]Row, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var file struct {
			Clusters     []Cluster                    `json:"clusters"`
			Repositories map[string]map[string]string `json:"repositories"`
			Rows         []Row                        `json:"rows"`
		}
		if err := yaml.UnmarshalStrict(text, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, row := range file.Rows {
			row.Name = filepath.Base(path) + ": " + row.Name
			if row.Clusters == nil {
				row.Clusters = file.Clusters
			}
			if row.Repositories == nil {
				row.Repositories = file.Repositories
			}
			if row, err = row.complete(); err != nil {
				return nil, fmt.Errorf("%s: %w", row.Name, err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// usual is what a set has for what its row leaves out.
const usual = `{"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"name": "set", "namespace": "argocd"},
	"spec": {"template": {"spec": {"project": "default", "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"},
		"source": {"repoURL": "https://git.example.com/apps.git", "path": "app", "targetRevision": "HEAD"}}}}}`

// complete gives each cluster the label by which Argo CD knows its Secret, and what is left out a value.
func (row Row) complete() (Row, error) {
	clusters := []Cluster{}
	for _, cluster := range row.Clusters {
		labels := map[string]string{"argocd.argoproj.io/secret-type": "cluster"}
		maps.Copy(labels, cluster.Labels)
		cluster.Labels = labels
		if cluster.Annotations == nil {
			cluster.Annotations = map[string]string{}
		}
		clusters = append(clusters, cluster)
	}
	row.Clusters = clusters
	if row.Repositories == nil {
		row.Repositories = map[string]map[string]string{}
	}
	var set, rest map[string]any
	if err := errors.Join(json.Unmarshal(row.Set, &set), json.Unmarshal([]byte(usual), &rest)); err != nil {
		return row, err
	}
	fill(set, rest, "metadata", "spec", "template")
	whole, err := json.Marshal(set)
	row.Set = whole
	return row, err
}

// fill sets what is not there, also inside of the maps under these keys.
func fill(into, from map[string]any, keys ...string) {
	for key, value := range from {
		below, deeper := into[key].(map[string]any)
		if _, there := into[key]; !there {
			into[key] = value
		} else if deeper && slices.Contains(keys, key) {
			fill(below, value.(map[string]any), "template")
		}
	}
}

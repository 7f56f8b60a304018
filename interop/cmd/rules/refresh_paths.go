package main

import (
	"math/rand"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/app/path"
)

type refreshRow struct {
	Annotation string   `json:"annotation"`
	Folder     string   `json:"folder"`
	Files      []string `json:"files"`
	Changed    bool     `json:"changed"`
}

// What people write, and what is odd.
var someAnnotations = []string{
	".", "/", "./", "..", "../base", ".;../base", ". ; ../base", "/apps/shop", "/apps/shop/", "//apps/shop", "/./apps/shop", "apps/shop", "../../..", "../../../apps", "./././", ";", " ; ", "", ";;.", "/apps/*",
	"/apps/*/base", "/apps/*/base/*", "/apps/**/job.yaml", "*.yaml", "../*/job.yaml", "/apps/sho?", "/apps/[rs]hop/job.yaml", "/apps/[^a]hop/base/job.yaml", "/apps/shop/base/[a-j]*.yaml", "/apps/[]/job.yaml",
	"/apps/shop/[", "/apps/shop/\\", "/apps/shop/base/job\\.yaml", "/apps/shop[/]base/job.yaml", "/apps/shop/base/job.yaml", "base/job.yaml", "../shop", "/app", "/apps/sh", "/values", "$values/shop.yaml", "/apps/shop/base/../prod",
}

var someFolders = []string{"apps/shop/prod", "apps/shop", ".", "", "apps/shop/", "./apps/shop/prod"}

var someFiles = []string{
	"README.md", "apps/shop/base/job.yaml", "apps/shop/base/deep/er/job.yaml", "apps/shop/prod/kustomization.yaml", "apps/shop/job.yaml", "apps/shopping/job.yaml", "apps/rhop/base/job.yaml", "values/shop.yaml",
	"apps/shop", "apps/ä/b.yaml", ".github/x.yaml", "apps/shop/prod/base/job.yaml",
}

// Annotations and changed files, and whether Argo CD renders the commit.
func refreshPaths(random *rand.Rand, count int) []any {
	var rows []any
	row := func(annotation, folder string, files []string) {
		app := &v1alpha1.Application{}
		app.Annotations = map[string]string{v1alpha1.AnnotationKeyManifestGeneratePaths: annotation}
		source := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/a", Path: folder}
		app.Spec.Source = &source
		changed := path.AppFilesHaveChanged(path.GetSourceRefreshPaths(app, source), files)
		rows = append(rows, refreshRow{annotation, folder, files, changed})
	}
	for _, annotation := range someAnnotations {
		for _, file := range someFiles {
			row(annotation, someFolders[0], []string{file})
		}
	}
	parts := []string{".", "..", "apps", "shop", "base", "prod", "*", "s*p", "?", "[a-z]hop", "job.yaml", "*.yaml", "", "[", "\\*", "[^s]*"}
	for range count {
		var items []string
		for range 1 + random.Intn(2) {
			var item []string
			for range 1 + random.Intn(4) {
				item = append(item, parts[random.Intn(len(parts))])
			}
			items = append(items, strings.Repeat("/", random.Intn(2))+strings.Join(item, "/"))
		}
		file := someFiles[random.Intn(len(someFiles))]
		row(strings.Join(items, []string{";", " ; "}[random.Intn(2)]), someFolders[random.Intn(len(someFolders))], []string{file})
	}
	return rows
}

package main

import (
	_ "unsafe" // for go:linkname

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	_ "github.com/argoproj/argo-cd/v3/reposerver/repository"
	utilio "github.com/argoproj/argo-cd/v3/util/io"
	pathutil "github.com/argoproj/argo-cd/v3/util/io/path"
)

// Argo CD keeps these functions to itself. They are what decides, so they are called and not copied.

//go:linkname getResolvedValueFiles github.com/argoproj/argo-cd/v3/reposerver/repository.getResolvedValueFiles
func getResolvedValueFiles(appPath, repoRoot string, env *v1alpha1.Env, schemes []string, files []string,
	refs map[string]*v1alpha1.RefTarget, paths utilio.TempPaths, ignoreMissing bool) ([]pathutil.ResolvedFilePath, error)

//go:linkname parseKubeVersion github.com/argoproj/argo-cd/v3/reposerver/repository.parseKubeVersion
func parseKubeVersion(version string) (string, error)

//go:linkname cleanSetParameters github.com/argoproj/argo-cd/v3/util/helm.cleanSetParameters
func cleanSetParameters(value string) string

package argocd

import (
	"io/fs"
	"path"
	"strings"

	"github.com/argoproj/argo-cd/v3/resource_customizations"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// IsWatched reports whether the sync engine has a health check for a kind; "core" is the group without a name.
func IsWatched(group, kind string) bool {
	if group == "core" {
		group = ""
	}
	return getHealthCheck(schema.GroupVersionKind{Group: group, Kind: kind}) != nil
}

// HealthScripts are the groups and kinds for which this Argo CD ships a health check in Lua, with * for any part.
func HealthScripts() (all [][2]string) {
	err := fs.WalkDir(resource_customizations.Embedded, ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Base(name) == "health.lua" {
			group, kind := path.Split(path.Dir(name))
			all = append(all, [2]string{strings.ReplaceAll(strings.TrimSuffix(group, "/"), "_", "*"), strings.ReplaceAll(kind, "_", "*")})
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	return all
}

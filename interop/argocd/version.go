package argocd

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"github.com/argoproj/argo-cd/v3/reposerver/repository"
)

// Before reports whether this Argo CD is older than 3.<minor>.
func Before(minor int) bool {
	var major, own int
	if _, err := fmt.Sscanf(Version(), "%d.%d", &major, &own); err != nil {
		panic(err)
	}
	return major == 3 && own < minor
}

// Version is that of this Argo CD: 3.2.11.
func Version() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(repository.GenerateManifests).Pointer()).FileLine(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "VERSION"))
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

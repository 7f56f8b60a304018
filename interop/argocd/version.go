package argocd

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"

	"github.com/argoproj/argo-cd/v3/reposerver/repository"
)

// Before tells whether this Argo CD is older than 3.<minor>.
func Before(minor int) bool {
	file, _ := runtime.FuncForPC(reflect.ValueOf(repository.GenerateManifests).Pointer()).FileLine(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "VERSION"))
	if err != nil {
		panic(err)
	}
	var major, own int
	if _, err := fmt.Sscanf(string(text), "%d.%d", &major, &own); err != nil {
		panic(err)
	}
	return major == 3 && own < minor
}

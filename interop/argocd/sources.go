package argocd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/argoproj/argo-cd/v3/reposerver/repository"
)

// sourceOf is the file that a function is written in.
func sourceOf(function any) string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(function).Pointer()).FileLine(0)
	return file
}

// Source is the path of a file of Argo CD's own module.
func Source(path string) string {
	return filepath.Join(filepath.Dir(sourceOf(repository.GenerateManifests)), "..", "..", path)
}

// EngineSource is the path of a file in `pkg/sync` of the sync engine, which is another module in each version.
func EngineSource(path string) string {
	return filepath.Join(filepath.Dir(sourceOf(isHook)), "..", path)
}

// Constants are the texts of a file's constants whose name or type begins with a prefix.
func Constants(file, prefix string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	var found []string
	ast.Inspect(parsed, func(node ast.Node) bool {
		spec, known := node.(*ast.ValueSpec)
		if !known {
			return true
		}
		kind, _ := spec.Type.(*ast.Ident)
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, prefix) && (kind == nil || !strings.HasPrefix(kind.Name, prefix)) || i >= len(spec.Values) {
				continue
			}
			if literal, known := spec.Values[i].(*ast.BasicLit); known && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					found = append(found, text)
				}
			}
		}
		return true
	})
	return found, nil
}

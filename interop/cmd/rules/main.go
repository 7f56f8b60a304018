// Command rules writes the tables in crates/kube-jobs/testdata and crates/render/testdata: what Argo CD's own functions make of odd inputs. The program's own rules
// are held against them in its unit tests.
//
//	go run -modfile=argocd-3.5.mod -overlay=argocd-3.5.overlay.json ./cmd/rules -to ../crates 2> /dev/null
//
// Argo CD's own log goes to standard error.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"math/rand"
	"os"
	"path/filepath"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/sirupsen/logrus"
)

// What Argo CD's newEnv says about an Application.
var env = &v1alpha1.Env{
	{Name: "ARGOCD_APP_NAME", Value: "team_shop"},
	{Name: "ARGOCD_APP_NAMESPACE", Value: "prod"},
	{Name: "ARGOCD_APP_PROJECT_NAME", Value: "default"},
	{Name: "ARGOCD_APP_REVISION", Value: "0123456789abcdef"},
	{Name: "ARGOCD_APP_REVISION_SHORT", Value: "0123456"},
	{Name: "ARGOCD_APP_REVISION_SHORT_8", Value: "01234567"},
	{Name: "ARGOCD_APP_SOURCE_REPO_URL", Value: "https://git.example.com/shop.git"},
	{Name: "ARGOCD_APP_SOURCE_PATH", Value: "charts/shop"},
	{Name: "ARGOCD_APP_SOURCE_TARGET_REVISION", Value: "main"},
}

func main() {
	to := flag.String("to", "", "the folder of the crates that have the tables")
	seed := flag.Int64("seed", 1, "of the random rows")
	rows := flag.Int("rows", 400, "how many random rows of value files and substitutions")
	flag.Parse()
	logrus.SetLevel(logrus.PanicLevel)
	random := rand.New(rand.NewSource(*seed))
	write(*to, "kube-jobs/testdata/substitution.jsonl", substitutions(random, *rows/4))
	write(*to, "kube-jobs/testdata/kube-version.jsonl", kubeVersions())
	write(*to, "render/testdata/set-value.jsonl", setValues())
	write(*to, "render/testdata/value-files.jsonl", valueFiles(random, *rows))
	write(*to, "render/testdata/patches.jsonl", patches())
	write(*to, "kube-jobs/testdata/git-url.jsonl", urls())
	write(*to, "kube-jobs/testdata/refresh-paths.jsonl", refreshPaths(rand.New(rand.NewSource(*seed)), *rows*3))
}

func write(folder, name string, rows []any) {
	file, err := os.Create(filepath.Join(folder, name))
	check(err)
	printer := json.NewEncoder(file)
	printer.SetEscapeHTML(false)
	for _, row := range rows {
		check(printer.Encode(row))
	}
	check(file.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

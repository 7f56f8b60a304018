package main

import (
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// A repository: its regular files, its links and where they point.
type tree struct {
	Files []string          `json:"files"`
	Links map[string]string `json:"links"`
	Chart string            `json:"chart"`
}

var repository = tree{
	Chart: "charts/shop",
	Files: []string{
		"values.yaml", "a.yaml", "zz/values.yaml", "charts/a.yaml", "charts/values-prod.yaml", "charts/shop/Chart.yaml", "charts/shop/values.yaml", "charts/shop/values-prod.yaml",
		"charts/shop/values-dev.yaml", "charts/shop/.hidden.yaml", "charts/shop/a", "charts/shop/b.yml", "charts/shop/c.json", "charts/shop/ä.yaml", "charts/shop/sp ace.yaml",
		"charts/shop/x.yaml", "charts/shop/-dash.yaml", "charts/shop/prod", "charts/shop/team_shop.yaml", "charts/shop/$x.yaml", "charts/shop/A.yaml",
		"charts/shop/env/a.yaml", "charts/shop/env/b.yaml", "charts/shop/env/z.yml", "charts/shop/env/nested/a.yaml", "charts/shop/env/nested/c.yaml", "charts/shop/env/nested/deep/a.yaml",
		"charts/shop/env/nested/deep/d.yaml", "charts/shop/env.d/a.yaml", "charts/shop/b/a.yaml", "charts/shop/b/b/b.yaml", "charts/shop/b/c/a.yaml", "charts/shop/.dot/a.yaml",
		"charts/other/values-prod.yaml", "charts/other/env/a.yaml", "charts/ring/a.yaml", "odd/[x].yaml", "odd/q?.yaml", "odd/s*r.yaml", "odd/b{c.yaml", "odd/d}e.yaml", "odd/b\\s.yaml",
		"odd/co,mma.yaml", "odd/per%cent.yaml", "odd/dir.yaml/a.yaml", "odd/di[r]/a.yaml", "odd/di{r}/a.yaml", "odd/di\\r/a.yaml", "odd/x.yaml",
	},
	Links: map[string]string{
		"charts/shop/link.yaml": "values-prod.yaml", "charts/shop/up.yaml": "../../values.yaml", "charts/shop/elink": "env", "charts/shop/l1": "l2", "charts/shop/l2": "l3", "charts/shop/l3": "env/a.yaml",
		"charts/ring/r": ".", "dlink": "charts/shop/env/nested", "charts/shop/env/parent.yaml": "../values.yaml", "odd/broken.yaml": "nowhere.yaml", "odd/self": "self",
		"m00": "a.yaml", "m01": "m00", "m02": "m01", "m03": "m02", "m04": "m03", "m05": "m04", "m06": "m05", "m07": "m06", "m08": "m07", "m09": "m08", "m10": "m09", "m11": "m10",
	},
}

// One list of value files; what Argo CD gives to helm, relative to the root; whether Argo CD or helm refuses it.
type fileRow struct {
	Entries       []string `json:"entries"`
	IgnoreMissing bool     `json:"ignore_missing"`
	Files         []string `json:"files"`
	Refused       string   `json:"refused,omitempty"`
}

var someLists = [][]string{
	{}, {""}, {"values.yaml"}, {"values-prod.yaml", "values-dev.yaml", "values-prod.yaml"}, {"/values.yaml"}, {"//values.yaml"}, {"/../values.yaml"}, {"../../values.yaml"}, {"../../../values.yaml"},
	{"./env/../values.yaml"}, {"nope.yaml"}, {"nope.yaml", "values.yaml"}, {"env"}, {"."}, {"/"}, {".."}, {"../.."}, {"env/"}, {"values.yaml/"}, {"values.yaml/x"}, {"link.yaml"}, {"up.yaml"},
	{"/odd/broken.yaml"}, {"elink/a.yaml"}, {"elink/../values.yaml"}, {"l1"}, {"/odd/self"}, {"/m09"}, {"/m10"}, {"/m11"}, {"/dlink/../values.yaml"}, {"elink/parent.yaml"},
	{"$ARGOCD_APP_NAME.yaml"}, {"$ARGOCD_APP_NAMESPACE"}, {"env/${ARGOCD_APP_NAMESPACE}.yaml"}, {"$$x.yaml"}, {"$UNSET"}, {"${values}/values.yaml"}, {"$ARGOCD_APP_SOURCE_PATH/values.yaml"},
	{"/$ARGOCD_APP_SOURCE_PATH/values.yaml"}, {"http://example.com/v.yaml"}, {"HTTPS://example.com/v.yaml"}, {"ftp://example.com/v.yaml"}, {"secrets://values.yaml"}, {"file:///etc/passwd"}, {"a:b"},
	{"c:\\x"}, {":x"}, {"1a:b"}, {"/odd/co,mma.yaml"}, {"/odd/per%cent.yaml"}, {"/odd/q?.yaml"}, {"/odd/[x].yaml"}, {"/odd/\\[x\\].yaml"}, {"/odd/s*r.yaml"}, {"/odd/s\\*r.yaml"}, {"/odd/b{c.yaml"}, {"/odd/b\\s.yaml"}, {"*"}, {"*.yaml"},
	{"values*.yaml"}, {"values-*.yaml", "values-dev.yaml"}, {"values-dev.yaml", "values-*.yaml"}, {"env/*.yaml", "env/a.yaml"}, {"env/*", "env/**/*.yaml"}, {"env/**"}, {"env/**/a.yaml"}, {"**/a.yaml"},
	{"/**/values-prod.yaml"}, {"/charts/**/values-prod.yaml", "values-prod.yaml"}, {"nope/*.yaml"}, {"nope/*.yaml", "values.yaml"}, {"[.yaml"}, {"[]"}, {"env/[a"}, {"*.{yml,json}"}, {"{a,b}*"},
	{"env/{a,b}.y?ml"}, {"../ring/**/a.yaml"}, {"../ring/r/r/*.yaml"}, {"dlink/*"}, {"/dlink/*.yaml"}, {"elink/*.yaml"}, {"elink/nested/**/*.yaml"}, {"/odd/br*.yaml"}, {"/odd/br*.yaml", "values.yaml"}, {"/odd/di\\[r\\]/*"}, {"/odd/di*/*.yaml"}, {"/odd/di[[]r]/*"}, {"/odd/{di[r],x*}/*"}, {"/odd/*/{a,b}.yaml"}, {"/odd/**/{a,b}.yaml"}, {"/odd/di[*/{a,b}.yaml"}, {"/odd/di?[r]/*"}, {"/odd/di{r}/?.yaml"}, {"/odd/di\\{r\\}/?.yaml"}, {"/odd/d*/?.yaml"}, {"values.yaml/*"}, {"values.yaml/x"}, {"/odd/broken.yaml/x"},
	{"http://example.com/*"}, {"https://example.com/a?b=c", "https://example.com/a?b=c"}, {"//example.com/values.yaml"}, {"?"}, {"{a,}*"}, {"{a,a}*"}, {"{}*"}, {"[{]*"}, {"{a}[}]*"}, {"*{[}],a}"}, {"{x,y}*/{a,b}*"}, {"{b/*,env/*}.yaml"}, {"{*/a,*/b}.yaml"},
	{"env/p*.yaml"}, {"../../../*"}, {"../*/values-prod.yaml"}, {"**/nested/**/*.yaml"}, {"**/*.yml"}, {"env/**/{a,d}.yaml"}, {"{env,b}/**/a.yaml"}, {"**/{nested,b}/*.yaml"}, {"l*"},
}

var segments = []string{
	"*", "**", "?", "a*", "*a", "*.yaml", "*.y*ml", "?.yaml", "[ab].yaml", "[!a].yaml", "[^a]*", "[a-c]*", "[a-]*", "[z-a]*", "[]a]", "{a,b}", "{a,b}.yaml", "{env,b}", "{env/nested,b}", "{*,env}",
	"{**,b}", "{,env}", "{a.yaml,*.yaml}", "{b,{c,env}}", "{a", "b}", "[", "]", "\\*", "\\[x\\].yaml", "[[]x[]].yaml", "[\\[]x*", "a", "b", "env", "nested", "deep", "values.yaml", "a.yaml", ".dot", ".*",
	"..", ".", "elink", "charts", "shop", "other", "ring", "r", "dlink", "**.yaml", "a**", "***", "*{.yaml,.yml}", "values{,-prod,-dev}.yaml", "[ä]*", "?.y?ml", "s\\*r.yaml", "b\\\\s.yaml", "*[.]yaml",
	"*,*", "env*", "*/*", "{a,b/*}", "{[ab],c}*", "d}e*", "b{c*", "[$]x*", "*$ARGOCD_APP_NAMESPACE*", "{nested,b}/{a,c}.yaml", "**/{a,c}.yaml", "{**/a,c}.yaml", "l[12]", "\\",
}

func valueFiles(random *rand.Rand, count int) []any {
	parent, err := os.MkdirTemp("", "rules")
	check(err)
	defer os.RemoveAll(parent)
	parent, err = filepath.EvalSymlinks(parent)
	check(err)
	root := filepath.Join(parent, "repository")
	for _, file := range repository.Files {
		check(os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
		check(os.WriteFile(filepath.Join(root, file), []byte("{}\n"), 0o644))
	}
	for link, target := range repository.Links {
		check(os.MkdirAll(filepath.Dir(filepath.Join(root, link)), 0o755))
		check(os.Symlink(target, filepath.Join(root, link)))
	}
	sort.Strings(repository.Files)
	lists := append([][]string{}, someLists...)
	for range count {
		var list []string
		for range 1 + random.Intn(2)*random.Intn(3) {
			list = append(list, pattern(random))
		}
		lists = append(lists, list)
	}
	if twice := resolve(root, []string{"values.yaml", "values.yaml"}, false); len(twice.Files) != 1 {
		log.Fatal("these are the rules of Argo CD before 3.4; build with -modfile=argocd-3.5.mod")
	}
	rows := []any{repository}
	for index, list := range lists {
		rows = append(rows, resolve(root, list, false))
		if index < len(someLists) {
			rows = append(rows, resolve(root, list, true))
		}
	}
	return rows
}

func pattern(random *rand.Rand) string {
	var parts []string
	for range 1 + random.Intn(4) {
		parts = append(parts, segments[random.Intn(len(segments))])
	}
	prefix := []string{"", "", "", "", "/", "/odd/", "../", "env/", "b/", "/charts/shop/"}
	return prefix[random.Intn(len(prefix))] + strings.Join(parts, "/")
}

func resolve(root string, entries []string, ignoreMissing bool) fileRow {
	row := fileRow{Entries: entries, IgnoreMissing: ignoreMissing}
	files, err := getResolvedValueFiles(filepath.Join(root, repository.Chart), root, env, []string{"https", "http"}, entries, nil, nil, ignoreMissing)
	if err != nil {
		row.Refused = strings.ReplaceAll(err.Error(), root, "<root>")
		return row
	}
	row.Files = []string{}
	for _, file := range files {
		name := strings.TrimPrefix(string(file), root+"/")
		row.Files = append(row.Files, name)
		// As helm: its flag is a list with commas, and it reads what it is given.
		if strings.ContainsAny(name, ",\"\n") {
			row.Refused = "helm splits " + name
		} else if name != string(file) || name == root {
			if _, err := os.ReadFile(string(file)); err != nil {
				row.Refused = "helm: " + strings.ReplaceAll(err.Error(), root, "<root>")
			}
		}
	}
	return row
}

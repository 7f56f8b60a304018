package renderer

import (
	"encoding/json"
	"math/rand/v2"
	"slices"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Random makes cases of all fields, with values that are easily got wrong.
type Random struct{ *rand.Rand }

// nasty are texts of which something means something to a shell, to Helm, to YAML or to Argo CD.
var nasty = []string{
	"a,b", `a\,b`, "{a,b}", "{}", "{a, b,}", "a=b", "=", `"q"`, `'s'`, "`t`", "$ARGOCD_APP_NAME", "${ARGOCD_APP_REVISION_SHORT}x", "$ARGOCD_APP_SOURCE_PATH/$ARGOCD_APP_NAMESPACE",
	"$$", "$$HOME", "$HOME", "$UNKNOWN,x", "${X", "${}", "$", "a$", "$/", "${X:-y}", "$1a", "$*b", "${ARGOCD_APP_NAME:-y}", "$ARGOCD_APP_PROJECT_NAME$ARGOCD_APP_REVISION_SHORT_8",
	"üñí☃", "🎉", "line\nand line", "end\n", "-x", "--set", "", " ", " x ", "true", "007", "1e3", "null", "0x1F", "0o17", "~", "yes", "on", "1_000", "12:30", "2001-12-14", "9223372036854775808",
	"{{ .Values.x }}", `a\b`, `\`, `\\`, "a\tb", "# c", "a: b", "[1]", "*", "&a", "!t", "%", "@x", "a\u2028b", "?", "|", ">", "a;b", "a&b", "a|b", "a>b", "(x)", "`id`", "$(id)",
}

// fatal are texts that Helm does not take as the value of a parameter.
var fatal = []string{"{a,b", `a\\,b`, "x,{y"}

func (from Random) of(items []string) string { return items[from.IntN(len(items))] }

func (from Random) once(in int) bool { return from.IntN(in) == 0 }

// some are up to most of the items, each of them at most once.
func (from Random) some(most int, items []string) []string {
	var out []string
	for _, i := range from.Perm(len(items))[:from.IntN(min(most, len(items))+1)] {
		out = append(out, items[i])
	}
	return out
}

// block writes a block as its owner would, or as a program would.
func (from Random) block(it any) *string {
	text, err := yaml.Marshal(it)
	if from.once(5) {
		text, err = json.Marshal(it)
	}
	if err != nil {
		panic(err)
	}
	out := string(text)
	return &out
}

func (from Random) application() Case {
	one := Case{
		App: from.of([]string{"shop", "shop", "team_shop", "x"}), Namespace: from.of([]string{"", "prod", "a-b"}),
		Cluster:     from.of([]string{"", "v1.34.2-gke.100+abc", "1.33", "v1.31.0"}),
		APIVersions: from.some(3, []string{"apps/v1", "apps/v1/Deployment", "monitoring.coreos.com/v1", "example.com/v1/Widget"}),
	}
	one.fill()
	return one
}

// valueFile is an entry of valueFiles in charts/shop, and the files that it stands for.
type valueFile struct {
	entry string
	means []string
	glob  bool
}

var valueFiles = []valueFile{
	{entry: "values-prod.yaml", means: []string{"values-prod.yaml"}},
	{entry: "/charts/$UNKNOWN/shop/values-prod.yaml", means: []string{"values-prod.yaml"}},
	{entry: "env/a.yaml", means: []string{"env/a.yaml"}},
	{entry: "./env/../env/a.yaml", means: []string{"env/a.yaml"}},
	{entry: "env/b.yaml", means: []string{"env/b.yaml"}},
	{entry: "/other/values.yaml", means: []string{"/other/values.yaml"}},
	{entry: "../../other/values.yaml", means: []string{"/other/values.yaml"}},
	{entry: "env/${ARGOCD_APP_SOURCE_TARGET_REVISION}.yaml", means: []string{"env/main.yaml"}},
	{entry: "env/with blank.yaml", means: []string{"env/with blank.yaml"}},
	{entry: "$ARGOCD_APP_SOURCE_TARGET_REVISION/../env/more/c.yaml", means: []string{"env/more/c.yaml"}},
	{entry: "env/[ab].yaml", means: []string{"env/a.yaml", "env/b.yaml"}, glob: true},
	{entry: "env/**/[b-c].yaml", means: []string{"env/b.yaml", "env/more/c.yaml"}, glob: true},
	{entry: "env/{b,ma*}.yaml", means: []string{"env/b.yaml", "env/main.yaml"}, glob: true},
	{entry: "/*er/val*.yaml", means: []string{"/other/values.yaml"}, glob: true},
}

// missing are entries that stand for nothing.
var missing = []string{"nope.yaml", "env/none-*.yaml", "/nope/$ARGOCD_APP_NAME.yaml"}

// files gives some value files, and the list that an Argo CD before 3.4 has to be given so that it does the same.
func (from Random) files() (entries, older []string) {
	var chosen []valueFile
	for range from.IntN(5) {
		chosen = append(chosen, valueFiles[from.IntN(len(valueFiles))])
	}
	named := map[string]bool{}
	for _, one := range chosen {
		if entries = append(entries, one.entry); !one.glob {
			named[one.means[0]] = true
		}
	}
	for _, one := range chosen {
		for _, file := range one.means {
			if !slices.Contains(older, file) && (!one.glob || !named[file]) {
				older = append(older, file)
			}
		}
	}
	return entries, older
}

// Helm makes a case of Helm.
func (from Random) Helm() Case {
	one := from.application()
	one.Path = "charts/shop"
	one.Files = map[string]string{"charts/shop/env/main.yaml": "order: main\n"}
	var helm v1alpha1.ApplicationSourceHelm
	var older []string
	switch from.IntN(12) {
	case 0:
		one.Repo, one.Path, one.Files = "root", from.of([]string{"", "."}), nil
	case 1:
		one.Path = from.of([]string{"charts/umbrella", "charts/stale", "charts/both", "charts/overridden"})
		// Argo CD would merge these into the block.
		one.Files = map[string]string{"charts/overridden/.argocd-source.yaml": "{}\n", "charts/overridden/.argocd-source-shop.yaml": "{}\n"}
	default:
		helm.ValueFiles, older = from.files()
		if helm.IgnoreMissingValueFiles = from.once(2); helm.IgnoreMissingValueFiles || from.once(15) {
			entry := from.of(missing)
			at := from.IntN(len(helm.ValueFiles) + 1)
			helm.ValueFiles = slices.Insert(helm.ValueFiles, at, entry)
			if !helm.IgnoreMissingValueFiles {
				older = append(older, "nope.yaml")
			}
		}
		if from.once(2) {
			helm.FileParameters = []v1alpha1.HelmFileParameter{{Name: from.of([]string{"file", "nested.text"}), Path: from.of([]string{"msg.txt", "/charts/shop/msg.txt", "$ARGOCD_APP_SOURCE_TARGET_REVISION/../msg.txt"})}}
		}
	}
	from.fillHelm(&helm)
	one.Helm = from.block(helm)
	helm.ValueFiles = older
	one.Older = from.block(helm)
	return one
}

// keys are names of parameters none of which lies in another.
var keys = []string{
	"str", "num", "list", "image.tag", "image.repository", "gone", "arr[0]", "arr[2].x", `esc\.aped`, "deep.er.x", "nested.deep.b", "-lead", "ü", "key with blank", "$ARGOCD_APP_NAME", `q"uote`,
	"sub.greeting", "sub.off", "octal", "true", "0755", `com\,ma`,
}

func (from Random) fillHelm(helm *v1alpha1.ApplicationSourceHelm) {
	helm.ReleaseName = from.of([]string{"", "", "rel", "a.b-c", "0", "a23456789-b23456789-c23456789-d23456789-e23456789-f23"})
	if from.once(30) {
		helm.ReleaseName = from.of([]string{"Rel", "a_b", "-x", "{{ x }}", " ", "a23456789-b23456789-c23456789-d23456789-e23456789-f234"})
	}
	helm.Namespace = from.of([]string{"", "", "other", "$ARGOCD_APP_NAMESPACE", "-n", "a b"})
	for _, key := range from.some(5, keys) {
		value := from.of(nasty)
		if from.once(40) {
			value = from.of(fatal)
		}
		for range 1 + from.IntN(6)/5 {
			helm.Parameters = append(helm.Parameters, v1alpha1.HelmParameter{Name: key, Value: value, ForceString: from.once(3)})
			value = from.of(nasty)
		}
	}
	switch from.IntN(4) {
	case 0:
		written, err := yaml.Marshal(map[string]any{"str": from.of(nasty), "extra": from.some(4, nasty), from.of(nasty) + "!": from.of(nasty)})
		if err != nil {
			panic(err)
		}
		helm.Values = string(written)
	case 1:
		helm.Values = from.of([]string{"on: off\ny: yes", "str: >-\n  a\n  b\n\n", "# nothing", "a: &x {b: 1}\nc: *x\nd: {<<: *x}\n", "num: 0755\nbig: 12345678901234567890\nf: 1.0\n", " ", "str: $ARGOCD_APP_NAME\n", "gone: null\n"})
	case 2:
		raw, err := json.Marshal(map[string]any{"str": from.of(nasty), "num": from.IntN(1 << 40), "f": float64(from.IntN(1000)) / 8, "no": nil, "list": from.some(3, nasty), "deep": map[string]any{from.of(nasty): true}})
		if err != nil {
			panic(err)
		}
		helm.ValuesObject = &runtime.RawExtension{Raw: raw}
		helm.Values = from.of([]string{"", "str: not this"})
	}
	helm.KubeVersion = from.of([]string{"", "", "v1.33.1", "1.30", "1.34.2+k3s1", "v1.29.0-eks-1"})
	if from.once(40) {
		helm.KubeVersion = from.of([]string{"1", "x", "v", "1.2.3.4", "1.x"})
	}
	helm.APIVersions = from.some(2, []string{"monitoring.coreos.com/v1", "example.com/v1/Widget", "a,b", "-x", "a b"})
	helm.SkipCrds, helm.SkipTests, helm.SkipSchemaValidation = from.once(3), from.once(3), from.once(3)
}

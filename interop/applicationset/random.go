package applicationset

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// Random makes rows: sets of nested generators with selectors, values and templates, in both template languages.
type Random struct {
	*rand.Rand
	// golang reports whether the set at hand has goTemplate.
	golang bool
}

type object = map[string]any

// repositories are those that the git generators of random sets read. They are always the same, so that each is checked out once.
var repositories = map[string]map[string]string{
	"https://git.example.com/apps.git": {
		"apps/shop/config.yaml": "name: shop\nenv: prod\nreplicas: 3\nratio: 1.5\nbig: 1000000\nnested:\n  a: b\n  on: yes\nlist: [a, 2, {c: d}]\n",
		"apps/bank/config.yaml": "name: bank\nenv: dev\nn: y\nempty: ''\nnone: null\n", "apps/bank/extra/config.yaml": "- name: one\n- name: two\n  env: dev\n",
		"apps/.hidden/config.yaml": "name: hidden\n", "apps/empty/config.yaml": "", "apps/My_App.2/x.txt": "x", "clusters/dev.json": `{"name": "dev", "url": "https://dev.example.com"}`,
		"clusters/prod.json": `[{"name": "prod", "url": "https://prod.example.com", "values": {"x": "y"}}]`, "README.md": "# x\n", "config.yaml": "env: root\nname: root\n",
	},
	"https://git.example.com/broken.git": {"a/config.yaml": "text\n", "b/config.yaml": "name: b\n"},
}

// Row makes one.
func (random Random) Row() Row {
	random.golang = random.IntN(2) == 0
	row := Row{Clusters: random.clusters(), Repositories: repositories}
	spec := object{"template": random.template(true)}
	var generators []any
	for range 1 + random.IntN(5)/4 {
		generators = append(generators, random.generator(2))
	}
	spec["generators"] = generators
	if random.golang {
		spec["goTemplate"] = true
		if options := pick(random, "", "", "missingkey=error", "missingkey=zero", "missingkey=default"); options != "" {
			spec["goTemplateOptions"] = []string{options}
		}
	}
	if random.IntN(4) == 0 {
		spec["syncPolicy"] = object{"preserveResourcesOnDeletion": random.IntN(2) == 0}
	}
	if random.IntN(5) == 0 {
		spec["templatePatch"] = random.patch()
	}
	text, err := json.Marshal(object{"spec": spec})
	if err != nil {
		panic(err)
	}
	row.Set = text
	whole, err := row.complete()
	if err != nil {
		panic(err)
	}
	return whole
}

func pick[T any](random Random, from ...T) T { return from[random.IntN(len(from))] }

// clusters are sorted by name: of a list of clusters Argo CD makes any rotation of their order, and one is the program's.
func (random Random) clusters() []Cluster {
	var all []Cluster
	for _, one := range []Cluster{
		{Name: "Prod_1.x", Server: "https://prod.example.com", Project: "shop", Labels: map[string]string{"env": "prod"}, Annotations: map[string]string{"a.b/c": "d"}},
		{Name: "bare", Server: "https://bare.example.com", Annotations: map[string]string{"argocd.argoproj.io/refresh": "hard", "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
		{Name: "dev", Server: "https://dev.example.com", Labels: map[string]string{"env": "dev", "name": "dev"}},
		{Name: "in-cluster", Server: "https://kubernetes.default.svc", Labels: map[string]string{"env": "dev", "tier": "1"}},
	} {
		if random.IntN(2) == 0 {
			all = append(all, one)
		}
	}
	return all
}

// generator makes one in which others are nested so deep at most.
func (random Random) generator(depth int) object {
	var made object
	kinds := []func(Random) object{Random.list, Random.list, Random.list, Random.git, Random.git, Random.ofClusters, Random.ofClusters}
	switch at := random.IntN(len(kinds) + 6); {
	case at < len(kinds) || depth == 0:
		made = kinds[at%len(kinds)](random)
	case at < len(kinds)+3:
		made = object{"matrix": object{"generators": random.several(2, depth)}}
	case at < len(kinds)+5:
		merged := []any{random.list(), pick(random, Random.list, Random.ofClusters)(random)}
		random.Shuffle(len(merged), func(i, j int) { merged[i], merged[j] = merged[j], merged[i] })
		made = object{"merge": object{"mergeKeys": []string{"name"}, "generators": merged}}
	default:
		keys := pick(random, []string{"name"}, []string{"env"}, []string{"name", "env"}, []string{"values.x"}, []string{"server"}, []string{"missing"})
		made = object{"merge": object{"mergeKeys": keys, "generators": random.several(2+random.IntN(2), depth)}}
	}
	if random.IntN(9) == 0 {
		made["selector"] = random.selector()
	}
	if random.IntN(8) == 0 {
		for _, value := range made {
			if generator, is := value.(object); is && generator["matchLabels"] == nil && generator["matchExpressions"] == nil {
				generator["template"] = random.template(false)
			}
		}
	}
	return made
}

func (random Random) several(count, depth int) []any {
	var all []any
	for range count {
		all = append(all, random.generator(depth-1))
	}
	if random.IntN(80) == 0 {
		all = all[1:]
	}
	return all
}

func (random Random) list() object {
	elements := []any{}
	names := []string{"dev", "prod", "shop", "bank", "A b_c"}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:1+random.IntN(4)] {
		elements = append(elements, random.element(name))
	}
	if random.IntN(12) == 0 {
		elements = append(elements, random.element(names[0]))
	} else if random.IntN(12) == 0 {
		elements = []any{}
	}
	list := object{"elements": elements}
	if random.IntN(8) == 0 {
		list["elementsYaml"] = pick(random, "- name: yaml\n  env: prod\n  deep: {a: [1, 2.50, null]}\n", "- {name: one, n: 1}\n- {name: two, \"on\": yes}\n", "- name: a\n  env: prod\n- name: b\n  number: 1\n  on: off\n", "[]", "name: x", random.text())
	}
	return object{"list": list}
}

// element makes parameters; what a plain template cannot have is rare in one.
func (random Random) element(name string) object {
	element := object{}
	for _, key := range []string{"name", "env", "url", "number", "nested", "values", "list", "server"} {
		switch {
		case random.IntN(5) < 2 && key != "name", key == "name" && random.IntN(40) == 0:
		case key == "values":
			element[key] = object{"x": pick[any](random, "y", "z", "y", random.odd()), "w": random.text()}
		case key == "name":
			element[key] = name
		case key == "env":
			element[key] = pick(random, "dev", "prod", "test")
		case key == "nested" && random.golang:
			element[key] = object{"a": pick[any](random, "b", 1, random.odd()), "deep": object{"c": random.odd()}}
		case key == "list" && random.golang:
			element[key] = pick[any](random, []any{"a", "b"}, []any{}, []any{1, object{"k": "v"}})
		case key == "number" && random.golang:
			element[key] = random.odd()
		default:
			element[key] = pick[any](random, "text", "https://dev.example.com", random.text())
		}
	}
	return element
}

// odd is a value that a plain template does not take, if the set has Go templates, and else mostly a text.
func (random Random) odd() any {
	if !random.golang && random.IntN(20) > 0 {
		return "odd"
	}
	return pick[any](random, 1, -7, 1.5, 1000000, 12345678, 0.000001, 1e21, true, false, nil, "", []any{}, object{}, object{"a": []any{"b", nil}}, "<&>", "é\u2028")
}

func (random Random) git() object {
	git := object{"repoURL": pick(random, "https://git.example.com/apps.git", "https://git.example.com/apps.git", "https://git.example.com/apps.git", "https://git.example.com/broken.git"), "revision": "HEAD"}
	kind, paths := "directories", []string{"*", "apps/*", "apps/*", "apps/*", "apps/*", "apps/*", "*/*", "apps/b*", "apps/[m-z]*", "apps/bank", "apps/*/extra", "apps", "nothing/*", "apps/[", "**", "{{name}}/*", "apps/?hop"}
	if random.IntN(2) == 0 {
		kind, paths = "files", []string{"apps/*/config.yaml", "apps/*/config.yaml", "apps/*/config.yaml", "clusters/*.json", "**/config.yaml", "apps/**/config.yaml", "clusters/*.json", "clusters/dev.json", "config.yaml", "*.json", "apps/bank", "clusters/*", "*/*/config.yaml", "apps/{shop,bank}/config.yaml", "apps/[sb]*/config.yaml"}
	}
	items := []any{object{"path": pick(random, paths...)}}
	for range random.IntN(6) / 3 {
		items = append(items, object{"path": pick(random, paths...), "exclude": random.IntN(2) == 0})
	}
	git[kind] = items
	if random.IntN(4) == 0 {
		git["pathParamPrefix"] = pick(random, "git", "my.prefix")
	}
	random.addValues(git)
	return object{"git": git}
}

func (random Random) ofClusters() object {
	clusters := object{}
	if random.IntN(2) == 0 {
		clusters["selector"] = pick(random,
			object{"matchLabels": object{"env": "dev"}}, object{"matchLabels": object{"env": pick(random, "prod", "prod", random.reference("env"))}},
			object{"matchExpressions": []any{object{"key": "env", "operator": pick(random, "In", "NotIn"), "values": []any{"dev", "x"}}}},
			object{"matchExpressions": []any{object{"key": "tier", "operator": pick(random, "Exists", "DoesNotExist")}}}, object{})
	}
	if random.IntN(10) == 0 {
		clusters["flatList"] = true
	}
	random.addValues(clusters)
	return object{"clusters": clusters}
}

func (random Random) addValues(generator object) {
	if random.IntN(3) == 0 {
		generator["values"] = object{"x": pick(random, "y", random.text()), "v" + fmt.Sprint(random.IntN(3)): random.text()}
	}
}

func (random Random) selector() object {
	key := pick(random, "name", "env", "path.basename", "metadata.labels.env", "values.x", "number", "nested.a", "list.0", "path.segments.0", "missing")
	if random.IntN(2) == 0 {
		return object{"matchLabels": object{key: pick(random, "dev", "prod", "shop", "1", "true", "y")}}
	}
	operator := pick(random, "In", "NotIn", "Exists", "DoesNotExist", "In", "NotIn", "Exists", "DoesNotExist", "In", "NotIn", "Exists", "DoesNotExist", "Gt")
	one := object{"key": key, "operator": operator}
	if operator == "In" || operator == "NotIn" || random.IntN(20) == 0 {
		one["values"] = []any{"dev", "prod", "https://dev.example.com", "A b_c"}
	}
	return object{"matchExpressions": []any{one}}
}

// reference is a parameter in a template.
func (random Random) reference(name string) string {
	if random.golang {
		return pick(random, "{{."+name+"}}", "{{ ."+name+" }}", "{{- ."+name+" -}}")
	}
	return pick(random, "{{"+name+"}}", "{{ "+name+" }}")
}

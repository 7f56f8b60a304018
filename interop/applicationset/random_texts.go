package applicationset

import "fmt"

// plainTexts are texts of plain templates.
var plainTexts = []string{
	"plain", "{{name}}", "{{ name }}", "{{env}}-{{name}}", "{{path}}", "{{path.basename}}", "{{path[0]}}", "{{path[1]}}", "{{path.filename}}", "{{path.basenameNormalized}}",
	"{{path.filenameNormalized}}", "{{values.x}}", "{{values.v0}}", "{{metadata.labels.env}}", "{{metadata.annotations.a.b/c}}", "{{server}}", "{{nameNormalized}}", "{{missing}}", "{{", "}}", "{{name",
	"{{name}}}}", "{{{{name}}}}", "{{}}", "{{ }}", "{{nested.a}}", "{{list.0}}", "{{replicas}}", "{{big}}", "{{ratio}}", "{{nested.true}}", "{{none}}", "{{git.path}}", "{{my.prefix.path.basename}}", "{{name\n}}",
	"a {{name}} {{env}} b", "{{.name}}", "é{{name}}", "{{number}}", "{{url}}", "{{project}}", "{{{name}}}", "x{{name}}\ny{{env}}", "{{name}}\n",
}

// soundTexts are texts of Go templates that fail for no parameters, or few.
var soundTexts = []string{
	"plain", "{{.name}}", "{{ .name }}", "{{ toJson . }}", `{{ default "d" .env }}`, `{{ .name | upper }}`, `{{ if eq .name "prod" }}yes{{ else if .name }}{{ .name }}{{ else }}no{{ end }}`,
	`{{ if .list }}{{ range .list }}<{{ . }}>{{ else }}none{{ end }}{{ end }}`, "{{ if .list }}{{ range $i, $e := .list }}{{ $i }}={{ $e }};{{ end }}{{ end }}", `{{ dig "nested" "a" "none" . }}`,
	"{{ if .nested }}{{ range $k, $v := .nested }}{{ $k }}={{ $v }};{{ end }}{{ end }}", `{{ printf "%s-%v-%q-%d" .name .name .name 3 }}`, "{{ normalize .name }}", "{{ slugify .name }}", `{{ slugify 5 true "a-long-name" }}`,
	`{{ if hasKey . "number" }}{{ .number }} {{ kindOf .number }} {{ .number | toString }} {{ .number | quote }}{{ end }}`, `{{ if hasKey . "nested" }}{{ .nested }}|{{ toJson .nested }}|{{ toYaml .nested }}{{ end }}`,
	`{{ $x := .name }}{{ $x }}{{ $.name }}`, `{{ .name | replace "o" "0" | quote }}`, `{{ hasKey . "env" }}`, `{{ len .name }}`, "{{ .name | trunc 2 }}{{ .name | trunc -2 }}", `{{ splitList "-" "a-b-c" | last }}`,
	`{{ ternary "a" "b" (eq .name "shop") }}`, `{{ get . "name" }}`, `{{ .name | sha256sum }}`, `{{ list 1 2 "c" | join "," }}`, `{{ dict "a" .name "b" 2 | toJson }}`, `{{ regexReplaceAll "[^a-z]" .name "-" }}`,
	`{{ contains "o" .name }}`, `{{ .name | b64enc }}`, `{{ add 1 2 }}-{{ mul 3 4 }}-{{ div 7 2 }}-{{ mod 7 2 }}`, `{{ int "12" }}`, `{{ fromYaml "a: [1, b]" }}`, `{{ (fromYaml "a: {b: 1.0}").a.b }}`, `{{ fromYamlArray "[1, a]" }}`,
	`{{ fromJson "{\"a\": 1}" }}`, `{{- .name -}} `, "{{/* nothing */}}x", `{{ define "t" }}{{ .name }}{{ end }}{{ template "t" . }}`, `{{ lt 1 2 }}`, "`{{ `{{ raw }}` }}", "{{ .name }}\n{{ .name }}\n",
	`{{ .name | title }} {{ .name | untitle }} {{ .name | lower }} {{ .name | trim }}`, `{{ semverCompare ">=1.2.0" "1.3.0" }}`, `{{ keys . | sortAlpha | join "," }}`, `{{ html .name }} {{ urlquery .name }} {{ js .name }}`,
	`{{ merge (dict "a" 1) (dict "a" 2 "b" 3) | toJson }}`, `{{ omit . "name" | toJson }}`, `{{ pick . "name" "env" | toJson }}`, `{{ if hasKey . "path" }}{{ .path }}{{ end }}`, `{{ dig "path" "basename" "none" . }}`,
	`{{ if hasKey . "metadata" }}{{ .metadata }}{{ end }}`, `{{ if hasKey . "values" }}{{ .values }} {{ .values | toJson }}{{ end }}`, `{{ if hasKey . "replicas" }}{{ .replicas }} {{ .big }} {{ .ratio }} {{ add .replicas 1 }} {{ .list }}{{ end }}`,
	`{{ if hasKey . "clusters" }}{{ len .clusters }}{{ end }}`, `{{ range $k, $v := . }}{{ $k }} {{ end }}`, `{{ with .name }}{{ . }}{{ end }}`, `{{ .name | trimSuffix "p" | nospace | snakecase | kebabcase }}`, `{{ until 3 }}{{ seq 1 3 }}`,
	`{{ range tuple "a" "b" }}{{ if eq . "b" }}{{ break }}{{ end }}{{ . }}{{ end }}`, `{{ .name | indent 2 }}{{ .name | nindent 2 }}`, `{{ toPrettyJson . }}`, `{{ cat .name "x" 1 }}`, `{{ ne .name "shop" | not }}`, `{{ substr 0 2 .name }}`,
	`{{ max 1 5 3 }} {{ min 1 5 }} {{ floor 1.7 }} {{ round 1.256 2 }} {{ float64 "1.5" }}`, `{{ uniq (list "a" "b" "a") }}`, `{{ without (list 1 2 3) 2 }}`, `{{ concat (list 1) (list 2) | toJson }}`, `{{ adler32sum .name }} {{ sha1sum .name }}`,
	`{{ regexMatch "^s" .name }} {{ regexFind "[a-z]+" .name }} {{ regexSplit "o" .name -1 }}`, `{{ split "o" .name }}`, `{{ .name | initials }} {{ .name | repeat 2 }} {{ wrap 3 .name }} {{ abbrev 5 .name }} {{ plural "one" "many" 2 }}`,
}

// goTexts are others, most of which fail for some parameters or for all.
var goTexts = []string{
	"{{.env}}-{{.name}}", "{{.path.path}}", "{{.path.basename}}", "{{index .path.segments 0}}", "{{.path.basenameNormalized}}", "{{.values.x}}", "{{.values.v0}}", "{{.metadata.labels.env}}", `{{index .metadata.labels "env"}}`,
	`{{ index .metadata.annotations "a.b/c" }}`, "{{.server}}", "{{.nameNormalized}}", "{{.missing}}", "{{.missing.deeper}}", "{{", "{{.name", "{{ .number }}", "{{ .nested.a }}", "{{ .nested }}", "{{ .list }}",
	"{{ .replicas }}-{{ .big }}-{{ .ratio }}", "{{ .nested | toJson }}", "{{ toYaml .nested }}", `{{ .env | default "d" | upper }}`, "{{ range .list }}<{{ . }}>{{ else }}none{{ end }}", `{{ with .nested }}{{ .a }}{{ end }}`,
	`{{ coalesce .missing .env "c" }}`, `{{ int64 .number }}`, `{{ and .name .missing }}`, `{{ or .missing .name }}`, `{{ not .missing }}`, `{{ eq .number 1 }}`, `{{ .name | nosuch }}`, `{{ fail "no" }}`, `{{ required "r" .env }}`,
	`{{ tpl "{{.name}}" . }}`, `{{ .git.path.basename }}`, `{{ len .clusters }}`, `{{ range .clusters }}{{ .name }}{{ end }}`, `{{ ."quoted" }}`, `{{ .name.x }}`, `{{ kindOf .number }} {{ typeOf .nested }} {{ kindOf .list }}`, `{{ index .list 0 }}`,
	`{{ first .list }}`, `{{ empty .env }}`, `{{ print .number .name }}`, "{{ break }}", `{{ .Name }}`, `{{ .number.x }}`, `{{ index .nested "a" "b" }}`, `{{ call .name }}`, `{{ template "none" }}`, `{{ range $x := 3 }}{{ $x }}{{ end }}`, `{{ . }}`,
	`{{ env "HOME" }}`, `{{ getHostByName "x" }}`, `{{ .values.x.y }}`, `{{ mustFromJson "{" }}`, `{{ fromYaml "[a]" }}`, `{{ fromYamlArray "a: b" }}`, `{{ slugify "x" .name }}`, `{{ .path }}`, `{{ .values }}`, `{{ .metadata }}`,
}

func (random Random) text() string {
	switch {
	case !random.golang:
		return pick(random, plainTexts...)
	case random.IntN(12) == 0:
		return pick(random, goTexts...)
	}
	return pick(random, soundTexts...)
}

// safe is a text that mostly gives something for each element.
func (random Random) safe() string {
	if random.golang {
		return `{{ if .name }}{{ .name }}{{ end }}-{{ toJson . | sha256sum | trunc 8 }}`
	}
	return "{{name}}-{{env}}-{{path}}-{{server}}-{{url}}-{{path.filename}}-{{values.x}}"
}

// key is a text that is always the same, so that no two keys of a map become one: which of them wins is chance in Argo CD.
func (random Random) key() string {
	if random.golang {
		return "{{.name}}"
	}
	return "{{name}}"
}

// template makes the template of a set, or of a generator, which may leave out what that of the set has.
func (random Random) template(whole bool) object {
	metadata, spec := object{}, object{}
	if whole {
		metadata["name"] = pick(random, random.safe(), random.safe(), random.safe(), random.text())
		spec = object{"project": "default", "destination": object{"server": "https://kubernetes.default.svc", "namespace": pick(random, "shop", random.text())}}
	}
	for range random.IntN(3) {
		metadata["annotations"] = object{"a": random.text(), pick(random, "b", random.key()): random.text()}
	}
	if random.IntN(3) == 0 {
		metadata["labels"] = object{"l" + fmt.Sprint(random.IntN(2)): random.text()}
	}
	if random.IntN(6) == 0 {
		metadata["finalizers"] = []any{pick(random, "resources-finalizer.argocd.argoproj.io/background", random.text())}
	}
	if whole || random.IntN(2) == 0 {
		source := object{"repoURL": "https://git.example.com/apps.git", "path": random.text(), "targetRevision": "HEAD"}
		switch random.IntN(5) {
		case 0:
			source["helm"] = object{"parameters": []any{object{"name": "a", "value": random.text()}, object{"name": random.text(), "value": "b", "forceString": true}}, "valueFiles": []any{random.text()}}
		case 1:
			source["helm"] = object{"valuesObject": object{"text": random.text(), "number": 3, "big": 1000000, "list": []any{random.text(), true, nil, 1.50}, random.key(): object{"a": random.text()}}}
		case 2:
			source["kustomize"] = object{"images": []any{random.text()}, "commonLabels": object{"a": random.text()}, "patches": []any{object{"patch": random.text(), "target": object{"kind": "Job"}}}}
		}
		if random.IntN(6) == 0 {
			spec["sources"] = []any{source, object{"repoURL": random.text(), "ref": "values"}}
		} else {
			spec["source"] = source
		}
	}
	if random.IntN(4) == 0 {
		spec["syncPolicy"] = object{"automated": object{"prune": random.IntN(2) == 0}, "syncOptions": []any{"CreateNamespace=true", random.text()}}
	}
	return object{"metadata": metadata, "spec": spec}
}

func (random Random) patch() string {
	return pick(random,
		"metadata:\n  annotations:\n    patched: '"+random.reference("name")+"'\n", "spec:\n  project: other\n  source:\n    path: patched\n", `{"spec": {"syncPolicy": {"automated": {"prune": true}}}}`,
		"spec:\n  syncPolicy: null\n", "spec:\n  source:\n    helm:\n      parameters:\n      - name: z\n        value: '1'\n", "metadata:\n  labels:\n    $patch: replace\n    a: b\n", "spec:\n  sources:\n  - repoURL: x\n",
		"text", "", "spec:\n  destination:\n    name: "+random.reference("env")+"\n    server: null\n", "metadata:\n  finalizers: [a, b]\n", "spec:\n  info:\n  - name: a\n    value: b\n", "spec: [a]\n", "metadata:\n  name: patched-"+random.reference("name")+"\n",
		"spec:\n  ignoreDifferences:\n  - kind: Job\n    jsonPointers: [/spec]\n", "spec:\n  unknown: true\n  syncPolicy:\n    syncOptions: [A=b]\n", random.text())
}

package applicationset

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var (
	templatesTo   = flag.String("templates-to", "", "the file that random templates are written to, a row each as in the table")
	templatesSeed = flag.Uint64("templates-seed", 1, "other random templates")
	templatesRows = flag.Int("templates-rows", 20000, "how many")
)

// randomParameters are what all random templates are about.
const randomParameters = `{"s":"Hello, World","e":"","u":"Grüße-ß","d":"a-b.c_d","v":"v1.27.3-rc.1","n":3,"f":0.5,"z":0,"neg":-2.75,"big":12345678,
"y":true,"x":false,"nil":null,"l":["b","a",""],"nums":[1,2.5,-3],"mix":["x",1,null,true,{"k":"v"},[1]],"el":[],"em":{},
"m":{"one":"1","two":{"k":"v","n":null},"l":["p"]},"path":{"path":"apps/a/web","segments":["apps","a","web"]},"j":"{\"a\":[1,{\"b\":null}]}","t":"a: 1\nb: [x, 0]\n"}`

// A breeder makes templates of a small grammar. Most of what it makes means something; some of it has a wrong type or a wrong word.
type breeder struct{ *rand.Rand }

func (b breeder) one(of ...string) string { return of[b.IntN(len(of))] }

func (b breeder) text() string {
	return b.one(`"a"`, `"a-b-c"`, `""`, `"x,y,,z"`, `"Hello World"`, "`raw \\n`", `"1.2.3"`, `"12"`, `"é"`, `"a/b/../c.txt"`, `"^[a-z]+$"`, `"[^a-z]"`, `"-"`, `","`,
		`"%s-%v"`, `"%d"`, `"%5.2f|%q"`, `">=1.2"`, `"~1.27"`, `"a\nb"`, `"<b>"`, ".s", ".d", ".u", ".v", ".e", ".path.path", `"k"`, `"one"`, `"0x1f"`, `"007"`, `"1.50"`)
}

func (b breeder) number() string {
	return b.one("0", "1", "2", "-1", "5", "3.7", "1e2", "'a'", ".n", ".f", ".neg", ".z", "(int .n)", "(int64 .n)", "(add 1 .n)", `"4"`, "(len .l)")
}

func (b breeder) list() string {
	return b.one(".l", ".nums", ".mix", ".el", "(list 1 2 1)", `(list "b" "a" nil)`, "(until 4)", `(splitList "-" .d)`, ".path.segments", "(list)", `(regexFindAll "[a-z]" .s -1)`, "(list .l .m)")
}

func (b breeder) dict() string {
	return b.one(".m", ".em", `(dict "a" 1 "b" "x")`, "(dict)", `(split "-" .d)`, "(fromJson .j)", "(fromYaml .t)", ".m.two", `(dict "a" (dict "b" nil))`, ".missing")
}

func (b breeder) any() string {
	return b.one(b.text(), b.number(), b.list(), b.dict(), ".y", ".x", "true", "nil", ".nil", ".missing", ".m.nope", ".m.two.n", "$", ".", "(semver .v)", "(first .el)", "$q", "$q.one")
}

func (b breeder) bool() string {
	return b.one(".y", ".x", "true", "false", "(eq .n 3.0)", `(hasPrefix "a" .d)`)
}

// call is a function with its arguments.
func (b breeder) call() string {
	t, n, l, d, a := b.text, b.number, b.list, b.dict, b.any
	of := func(name string, arguments ...string) string { return name + " " + strings.Join(arguments, " ") }
	makers := []func() string{
		func() string {
			return of(b.one("upper", "lower", "title", "untitle", "trim", "nospace", "initials", "swapcase", "quote", "squote", "toString", "normalize", "b64enc", "sha256sum", "base", "dir", "clean", "ext", "regexQuoteMeta", "atoi", "html", "js", "urlquery", "len", "print", "println", "hello"), t())
		},
		func() string {
			return of(b.one("trimSuffix", "trimPrefix", "trimAll", "contains", "hasPrefix", "hasSuffix", "splitList", "split", "regexMatch", "regexFind", "cat", "semverCompare"), t(), t())
		},
		func() string {
			return of(b.one("trunc", "repeat", "indent", "nindent", "abbrev", "wrap"), b.one("0", "1", "3", "-2", "8", "12", n()), t())
		},
		func() string {
			return of(b.one("replace", "regexReplaceAll", "regexReplaceAllLiteral", "plural"), t(), t(), t())
		},
		func() string { return of(b.one("substr", "abbrevboth"), n(), n(), t()) },
		func() string { return of(b.one("regexSplit", "regexFindAll"), t(), t(), b.one("-1", "0", "1", "2")) },
		func() string { return of(b.one("splitn"), t(), b.one("-1", "0", "1", "2"), t()) },
		func() string { return of(b.one("printf"), t(), a(), a()) },
		func() string {
			return of(b.one("add", "sub", "mul", "div", "mod", "max", "min", "maxf", "minf", "eq", "ne", "lt", "le", "gt", "ge", "deepEqual"), a(), a())
		},
		func() string { return of(b.one("eq", "ne", "lt", "gt"), n(), n()) },
		func() string {
			return of(b.one("int", "int64", "float64", "add1", "ceil", "floor", "toDecimal", "until", "seq", "typeOf", "kindOf", "empty", "not", "toJson", "toPrettyJson", "toRawJson", "toYaml", "deepCopy"), a())
		},
		func() string { return of("round", n(), b.one("0", "1", "2", "-1")) },
		func() string {
			return of("untilStep", b.one("0", "5", "-1"), b.one("0", "7", "-4"), b.one("1", "2", "-1", "0"))
		},
		func() string {
			return of(b.one("first", "last", "rest", "initial", "reverse", "uniq", "compact", "sortAlpha", "toStrings", "len"), l())
		},
		func() string { return of(b.one("append", "prepend", "without", "concat"), l(), a()) },
		func() string { return of("has", a(), l()) },
		func() string { return of("chunk", b.one("1", "2", "3"), l()) },
		func() string { return of("slice", l(), b.one("0", "1"), b.one("1", "2")) },
		func() string { return of("join", t(), b.one(l(), a())) },
		func() string {
			return of("index", b.one(l(), d(), t()), b.one("0", "1", "2", `"one"`, `"k"`, `"_0"`, n()))
		},
		func() string { return of(b.one("get", "hasKey", "unset"), d(), t()) },
		// Never a map in itself: printing it ends Argo CD's controller.
		func() string { return of("set", d(), t(), b.one(t(), n())) },
		func() string { return of(b.one("pick", "omit"), d(), t(), t()) },
		func() string { return of("pluck", t(), d(), d()) },
		func() string {
			return of(b.one("merge", "mergeOverwrite"), b.one("(dict)", `(dict "one" "")`, `(dict "two" (dict "k" 0))`), d())
		},
		func() string { return of("dig", b.one(`"one"`, `"two" "k"`, `"nope"`, `"two" "nope"`, t()), a(), d()) },
		func() string { return of("dict", t(), a(), t(), a()) },
		func() string { return of("list", a(), a()) },
		func() string { return of(b.one("default", "coalesce", "and", "or", "all", "any"), a(), a()) },
		func() string { return of("ternary", a(), a(), b.bool()) },
		func() string { return of(b.one("fromJson", "fromYaml", "fromYamlArray", "b64dec", "semver"), t()) },
		func() string { return of("slugify", b.one("10 ", "10 false ", "")+t()) },
		func() string {
			return of(b.one("kindIs", "typeIs"), b.one(`"string"`, `"slice"`, `"map"`, `"int"`), a())
		},
	}
	return makers[b.IntN(len(makers))]()
}

func (b breeder) pipe() string {
	out := b.one(b.call(), b.call(), b.any(), b.one("toJson", "quote", "printf \"%v|%g|%.3f\" 1")+" .big")
	for b.IntN(3) == 0 {
		out = b.one(out+" | "+b.one("upper", "quote", "toJson", "default \"d\"", "trunc 3", "toString", "len", "not", "first", "join \"-\"", "printf \"%v\"", "toYaml", "indent 2", "nindent 1", "replace \"a\" \"b\"", "list 1", "eq 3", "typeOf", "int", "trimSuffix \"-\""),
			b.one("print ", "quote ", "not ", "list ", "toJson ", "default 1 ", "")+"("+out+")")
	}
	return out
}

func (b breeder) open() string  { return b.one("{{ ", "{{", "{{- ", "{{  ") }
func (b breeder) close() string { return b.one(" }}", "}}", " -}}", "  }}") }

func (b breeder) action(words string) string { return b.open() + words + b.close() }

func (b breeder) nodes(depth int) string {
	var out strings.Builder
	for range 1 + b.IntN(3) {
		kind := b.IntN(12)
		if depth > 2 {
			kind %= 6
		}
		body := func() string { return b.nodes(depth + 1) }
		switch kind {
		case 0:
			out.WriteString(b.one("a", " b ", "\n", "\t-", "{", "}", "é", "  "))
		case 1:
			out.WriteString(b.action(b.one("$q := ", "$q = ", "$w := ") + b.pipe()))
		case 2:
			out.WriteString(b.action(b.one("/* c */", "$q", ".", "$.s", b.pipe())))
		case 6:
			out.WriteString(b.action("if "+b.pipe()) + body() + b.one("", b.action("else")+body(), b.action("else if "+b.pipe())+body()) + b.action("end"))
		case 7:
			out.WriteString(b.action("with "+b.one("", "$w := ")+b.pipe()) + body() + b.one("", b.action("else")+body()) + b.action("end"))
		case 8:
			header := b.one("", "$w := ", "$w, $q := ", "$q = ") + b.one(b.list(), b.dict(), b.number(), b.pipe())
			out.WriteString(b.action("range "+header) + body() + b.one("", b.action("break"), b.action("continue")) + body() + b.one("", b.action("else")+body()) + b.action("end"))
		case 9:
			out.WriteString(b.action(`template "t" ` + b.any()))
		default:
			out.WriteString(b.action(b.pipe()))
		}
	}
	return out.String()
}

// Random templates with what Argo CD prints, for `TEMPLATES=FILE cargo test -p gotemplate`. Skipped without -templates-to.
func TestRandomTemplates(t *testing.T) {
	if *templatesTo == "" {
		t.Skip("no -templates-to")
	}
	var parameters map[string]any
	if err := json.Unmarshal([]byte(randomParameters), &parameters); err != nil {
		t.Fatal(err)
	}
	b := breeder{rand.New(rand.NewPCG(*templatesSeed, 0))}
	var out []byte
	printed := 0
	for range *templatesRows {
		row := templateRow{
			Template:   `{{ $q := .m }}{{ define "t" }}<{{ . }}>{{ end }}` + b.nodes(0),
			Parameters: parameters,
			Options:    [][]string{nil, {"missingkey=error"}, {"missingkey=zero"}}[b.IntN(3)],
		}
		row = row.judged()
		if row.Prints != nil {
			printed++
		}
		out = append(out, row.line(t)...)
	}
	if err := os.WriteFile(*templatesTo, out, 0o644); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%d of %d templates print\n", printed, *templatesRows)
}

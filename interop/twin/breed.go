package twin

import (
	"math/rand/v2"
	"strings"

	"argocd-jobs.example/interop/mutate"
	"argocd-jobs.example/interop/spell"
	"k8s.io/apimachinery/pkg/runtime"
)

// Breeder makes inputs: manifests that were written by hand, Jobs in all spellings, and both with lines and words lost, doubled, moved
// and changed.
type Breeder struct {
	Random *rand.Rand
	// Texts are manifests to start from.
	Texts []string
	// Table and Bases make Jobs.
	Table *mutate.Table
	Bases []map[string]any
}

// Strategies are those that the program is asked for.
var Strategies = []string{"auto", "auto", "auto", "hash-name", "hook", "generate-name", "replace", "keep"}

// Stream makes a stream of one to four documents.
func (one Breeder) Stream() string {
	var texts []string
	for range 1 + one.Random.IntN(2)*one.Random.IntN(4) {
		texts = append(texts, one.text())
	}
	stream := strings.Join(texts, one.pick("---\n", "---\n", "---\n", "--- # next\n", "\n---\n", "---\r\n", "", "...\n---\n", "---\n---\n"))
	for range one.Random.IntN(3) {
		stream = one.changed(stream)
	}
	return stream
}

// Files makes the files of a directory.
func (one Breeder) Files() map[string]string {
	files := map[string]string{}
	for range 1 + one.Random.IntN(3) {
		text := one.text()
		for range one.Random.IntN(2) {
			text = one.changed(text)
		}
		files[one.pick("a.yaml", "b.yml", "c.json", "d.yaml", "values.yaml", "B.yaml", ".e.yaml", "f.txt")] = text
	}
	return files
}

func (one Breeder) pick(from ...string) string { return from[one.Random.IntN(len(from))] }

// text makes a manifest that may already be one that nobody would write.
func (one Breeder) text() string {
	if one.Random.IntN(3) > 0 {
		return one.Texts[one.Random.IntN(len(one.Texts))]
	}
	base := runtime.DeepCopyJSON(one.Bases[one.Random.IntN(len(one.Bases))])
	return spell.YAML(one.Random, one.Table.Random(one.Random, 3).Apply(base))
}

// odd are texts that mean something where a value, a key or a line may be.
var odd = []string{
	"null", "~", "[]", "{}", "{a: b}", "[x, [y]]", "x", "\"\"", "''", "&a x", "*a", "!!binary eA==", "!!str 1", "!!int \"1\"", "!!float 1",
	"! x", "!x y", "|\n  x", ">-\n  x", "|+\n  x\n\n", "|2\n   x", "|1-\n  x", "? a\n: b", "<<: *a", "<<: {a: b}", "- a", "-", "- - a", "#", " # x",
	"--- x", "---", "...", "%YAML 1.1", "\t", "\ufeff", "\u00a0", "\u0085", "\u2028", "\r", "\x00", "\x1b", "\x7f", "\xff", "\U0001F600",
	"\"\\x41\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"", "\"\\N\\L\\_\"", "\"a\\\n b\"", "'a\n\n b'", "\"unclosed", "[unclosed", "{unclosed", "a: b: c",
	"{\"a\":1}", "{\"a\":1,}", "[1,]", "{a, b: c}", "{a: , b}", ": a", "a:", "\"a\":b", "a :b", "@", "`", "%", ",", "]", "}", "1e400", "-.inf",
	"apiVersion: batch/v1", "kind: Job", "kind: List", "items: []", "items: null", "items: {}", "metadata: null", "name: 1", "generateName: x-",
	"argocd.argoproj.io/hook: Sync", "argocd-jobs/strategy: hook", "annotations: {}", "labels: null", "spec: {}", "template: {}", "uid: x", "status: {}",
}

// changed makes one change.
func (one Breeder) changed(text string) string {
	lines := strings.SplitAfter(text, "\n")
	at, to := one.Random.IntN(len(lines)), one.Random.IntN(len(lines))
	insert := func(line string) string {
		return strings.Join(lines[:at], "") + line + strings.Join(lines[at:], "")
	}
	switch one.Random.IntN(10) {
	case 0: // a line is lost
		return strings.Join(lines[:at], "") + strings.Join(lines[min(at+1, len(lines)):], "")
	case 1: // a line is doubled somewhere
		return insert(lines[to])
	case 2: // two lines change places
		lines[at], lines[to] = lines[to], lines[at]
		return strings.Join(lines, "")
	case 3: // further in, or out
		if one.Random.IntN(2) == 0 {
			return insert(strings.Repeat(" ", 1+one.Random.IntN(4)))
		}
		lines[at] = strings.TrimPrefix(lines[at], " ")
		return strings.Join(lines, "")
	case 4: // the end is lost
		return text[:one.Random.IntN(len(text)+1)]
	case 5: // something odd as a line
		return insert(strings.Repeat(" ", 2*one.Random.IntN(4)) + one.odd() + "\n")
	case 6, 7: // something odd behind a key
		if key, _, found := strings.Cut(lines[at], ": "); found {
			lines[at] = key + ": " + one.odd() + "\n"
		}
		return strings.Join(lines, "")
	case 8: // something odd anywhere
		place := one.Random.IntN(len(text) + 1)
		return text[:place] + one.odd() + text[place:]
	default: // a byte is another one
		if text == "" {
			return text
		}
		place := one.Random.IntN(len(text))
		return text[:place] + one.pick("\n", " ", "\t", ":", "-", "\"", "'", "{", "}", "[", "]", ",", "#", "&", "*", "!", "|", ">", "%", "?", "0", "\r") + text[place+1:]
	}
}

func (one Breeder) odd() string {
	if one.Random.IntN(3) == 0 {
		return spell.Tricky[one.Random.IntN(len(spell.Tricky))]
	}
	return odd[one.Random.IntN(len(odd))]
}

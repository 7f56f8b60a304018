package interop_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"argocd-jobs.example/interop/twin"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var (
	twins      = flag.Int("twins", 100000, "how many random streams are read by the program and by Argo CD, and a hundredth as many directories")
	firstTwin  = flag.Int("first-twin", 0, "the number of the first one, to go on where another run has ended")
	twinFaults = flag.String("differences", "", "a directory to which inputs are written that are read in two ways")
)

// twinPipe is `pipe` of the folder fuzz, which `fuzz/run build` makes.
func twinPipe(t *testing.T) twin.Process {
	t.Helper()
	path := os.Getenv("FUZZ_PIPE")
	if path == "" {
		t.Skip("FUZZ_PIPE does not name the program that answers over a pipe (fuzz/run build)")
	}
	process, err := twin.Start(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := process.Stop(); err != nil {
			t.Error(err)
		}
	})
	return process
}

// ownTexts are the manifests of the repository's own cases: small ones.
func ownTexts(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, pattern := range []string{
		"../testdata/generate/*/*/in/*.yaml", "../testdata/check/*/*/in/*.yaml", "../testdata/preview/*/*/in/*.yaml", "../testdata/generate/*/*/*.yaml",
		"../crates/goyaml/testdata/oracle/documents/*",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			// A case may have a link that leads nowhere, or a folder that is called like a file.
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 0 && len(text) < 3000 {
				texts = append(texts, string(text))
			}
		}
	}
	if len(texts) < 300 {
		t.Fatalf("only %d manifests", len(texts))
	}
	return texts
}

// twinVerdict is what comes of one comparison.
type twinVerdict struct {
	// class is how it ended, for the counts.
	class string
	// fault is a difference that has no known reason.
	fault string
}

// asked is the program's answer about an input under a strategy.
type asked func(strategy string) twin.Answer

// twinJudged compares what Argo CD reads in an input with what it reads in the program's output.
func twinJudged(before []*unstructured.Unstructured, refused error, ask asked, strategy, input string) twinVerdict {
	got := ask(strategy)
	if got.Status == 101 {
		return twinVerdict{"panic", "the program panics: " + got.Stderr}
	}
	if got.Status != 0 && strategy != "keep" {
		// Whether it is the input or what the strategy would make of it.
		if as := ask("keep"); as.Status == 0 {
			if refused == nil {
				return twinVerdict{"refused under the strategy only", ""}
			}
			got = as
		}
	}
	switch {
	case got.Status != 0 && refused != nil:
		return twinVerdict{"both refuse", ""}
	case got.Status != 0:
		if reason := twinReasonOf(got.Stderr + "\n" + input); reason != "" {
			return twinVerdict{"refused by decision: " + reason, ""}
		}
		return twinVerdict{"refused by the program only", "the program refuses it, Argo CD does not: " + got.Stderr}
	case refused != nil:
		return twinVerdict{"taken by the program only", fmt.Sprintf("Argo CD refuses it, the program does not: %v", refused)}
	}
	after, err := argocd.Decode(got.Stdout)
	if err != nil {
		return twinVerdict{"output refused", fmt.Sprintf("Argo CD refuses the output: %v\n%s", err, got.Stdout)}
	}
	pairs, err := match(before, after)
	if err != nil {
		return twinVerdict{"objects", fmt.Sprintf("%v\n%s", err, got.Stdout)}
	}
	jobs := 0
	for _, each := range pairs {
		if isJob(each.before) {
			jobs++
		}
		faults := slices.DeleteFunc(each.faults(), func(fault string) bool { return knownFault(each, fault) })
		if _, fault := each.hashFault(hashv1.Extra{}); fault != "" && !setsSomething(each.before) {
			faults = append(faults, fault)
		}
		if len(faults) > 0 {
			return twinVerdict{"differs", strings.Join(faults, "\n") + "\n" + string(got.Stdout)}
		}
	}
	if jobs > 0 {
		return twinVerdict{"the same, with Jobs", ""}
	}
	return twinVerdict{"the same", ""}
}

// twinReason says why one of the two refuses what the other program takes, by what it says.
type twinReason struct {
	message *regexp.Regexp
	reason  string
}

// stricterBy are decisions: what Argo CD would apply, and fail with or surprise by.
var stricterBy = []twinReason{
	{regexp.MustCompile("Argo CD's reader does not accept `\\?`"), "`[?a]` is a map to go-yaml, and to nobody else"},
	{regexp.MustCompile("^[^\n]*(unknown annotation `|annotation `)"), "a setting of a Job that is not understood, or has no effect"},
	{regexp.MustCompile("two Jobs (have|would get) the (name|prefix)"), "two Jobs that would become one"},
	{regexp.MustCompile("a suspended Job under strategy"), "a hook that never ends"},
	{regexp.MustCompile("only runs when the Application is deleted"), "a hook without a phase"},
	{regexp.MustCompile("contains no resources|no manifest found|none of the \\d+ manifests contains a resource"), "an empty output prunes everything"},
	{regexp.MustCompile("the Job has neither `metadata.name` nor|missing `kind`|the name `[-.]+` consists only of dashes and dots"), "an object that the cluster refuses in any case"},
	{regexp.MustCompile("the text is UTF-16|the UTF-16 text ends in the middle|is not UTF-8 here"), "bytes that are not UTF-8: the Job would run a text other than the one written"},
	{regexp.MustCompile("a byte order mark \\(U\\+FEFF\\) at the start of a line"), "a letter that nobody sees, at the start of a key or of another text"},
	{regexp.MustCompile(`(?s)^[^\n]*the YAML parser cannot read the text that starts here.*\n.*![^\s,\[\]{}]*,`), "a tag with a comma, at which the parser gives up"},
	{regexp.MustCompile(`(?s)^[^\n]*did not find expected whitespace or line break \(while scanning a tag\).*\n.*!\S*[,\[\]{}]`), "a tag with a comma or a bracket, at which the parser gives up"},
	{regexp.MustCompile("did not find expected tag URI"), "a tag with a bracket, at which the parser gives up"},
	{regexp.MustCompile("^[^\n]*found unexpected ':' \\(while scanning a plain scalar\\)"), "a `:` right before `,`, `[`, `]`, `{` or `}` in brackets: part of a text or not, as one reads it"},
	{regexp.MustCompile("(?s)^[^\n]*found unknown escape character.*\\\\'"), "`\\'` in double quotes, which only go-yaml takes"},
	{regexp.MustCompile("^[^\n]*(JSON has no such number|the key of a map must not be null)"), "a value that Argo CD refuses, which a later entry of the same key replaces"},
	{regexp.MustCompile("^[^\n]*control characters are not allowed"), "a control character behind the object of a document, where Argo CD does not read on"},
	{regexp.MustCompile(`(?s)^[^\n]*invalid JSON in a text that starts with JSON objects.*\}[\s\x{85}\x{a0}\x{2028}\x{2029}]{1,4}$`), "odd white space behind a JSON object, too short without the newline that the cmp-server takes away"},
	{regexp.MustCompile("aliases of all manifests together expand"), "aliases are a way to fill the memory"},
	{regexp.MustCompile(`is (null|a boolean|a number|a string|a list|a map), expected (a|an) `), "a Job whose fields have other types than those of Kubernetes"},
}

func twinReasonOf(message string) string {
	for _, one := range stricterBy {
		if one.message.MatchString(message) {
			return one.reason
		}
	}
	return ""
}

// knownFault reports whether a difference in an object has a known reason: where the spec of a Job is missing or null, generate-name writes one
// with ttlSecondsAfterFinished. Neither is a valid Job.
func knownFault(one pair, fault string) bool {
	spec, found := one.before.Object["spec"]
	return isJob(one.before) && (found && spec == nil && strings.HasPrefix(fault, "spec: <nil> -> ") ||
		!found && strings.HasPrefix(fault, "spec: {} -> map[ttlSecondsAfterFinished:"))
}

// setsSomething reports whether an annotation of the Job is a setting, or one that the program has written: then the hash is another one.
func setsSomething(object *unstructured.Unstructured) bool {
	metadata, _ := object.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for name := range annotations {
		if strings.HasPrefix(name, "argocd-jobs/") {
			return true
		}
	}
	return false
}

// throughAPlugin is what Argo CD reads of objects when a plugin prints them: a raw U+0085, which JSON does not escape, is a line break there, and
// becomes a blank.
func throughAPlugin(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	objects = slices.Clone(objects)
	for i, object := range objects {
		text, err := argocd.JSON(object)
		if err != nil || !bytes.Contains(text, []byte("\u0085")) {
			continue
		}
		if read, err := argocd.Decode(text); err == nil && len(read) == 1 {
			objects[i] = read[0]
		}
	}
	return objects
}

// letterMark is a byte order mark that is a letter of a text.
var letterMark = regexp.MustCompile("([^\n\r\u0085\u2028\u2029])\ufeff")

// withoutMarks has other letters of three bytes in their place. go-yaml looks for a mark at the start of its buffer only. When a letter of a text
// comes to be there, as the buffer is filled again, it takes the first letter of every line for a mark until the buffer is filled once more.
func withoutMarks(stream []byte) ([]byte, bool) {
	without := letterMark.ReplaceAll(stream, []byte("${1}\ufefc"))
	return without, !bytes.Equal(without, stream)
}

// twinTally counts verdicts and keeps the first faults of each class.
type twinTally struct {
	counts map[string]int
	faults int
}

func (one *twinTally) add(t *testing.T, told, input string, found twinVerdict) {
	t.Helper()
	one.counts[found.class]++
	if found.fault == "" {
		return
	}
	one.faults++
	if *twinFaults != "" {
		name := fmt.Sprintf("%s-%s", strings.ReplaceAll(found.class, " ", "-"), strings.ReplaceAll(told, " ", "-"))
		text := input + "\n#### " + strings.ReplaceAll(found.fault, "\n", "\n#### ") + "\n"
		if err := os.WriteFile(filepath.Join(*twinFaults, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if one.faults <= 20 {
		t.Errorf("%s: %s\ninput: %q", told, found.fault, input)
	}
}

func (one *twinTally) report(t *testing.T) {
	t.Helper()
	var classes []string
	for class := range one.counts {
		classes = append(classes, class)
	}
	sort.Strings(classes)
	for _, class := range classes {
		t.Logf("%8d %s", one.counts[class], class)
	}
	if one.faults > 0 {
		t.Errorf("%d differences", one.faults)
	}
}

func breeder(t *testing.T, stream uint64, number int) twin.Breeder {
	t.Helper()
	table, bases := load(t)
	return twin.Breeder{Random: rand.New(rand.NewPCG(*seed, stream<<40+uint64(number))), Texts: ownTexts(t), Table: table, Bases: bases}
}

// Argo CD reads a random stream, and the program's output for it, as the same objects but for what the strategy writes in Jobs; or both refuse.
func TestTwinStreams(t *testing.T) {
	process := twinPipe(t)
	one := breeder(t, 11, 0)
	count := &twinTally{counts: map[string]int{}}
	for number := *firstTwin; number < *firstTwin+some(*twins); number++ {
		one.Random = rand.New(rand.NewPCG(*seed, 11<<40+uint64(number)))
		strategy := twin.Strategies[one.Random.IntN(len(twin.Strategies))]
		stream := []byte(one.Stream())
		judged := func(stream []byte) twinVerdict {
			before, refused := argocd.Decode(append(slices.Clone(stream), '\n')) // the reader of plugins takes one newline away
			ask := func(strategy string) twin.Answer {
				answer, err := process.Ask(twin.Question{Stream: &stream, Strategy: strategy})
				if err != nil {
					t.Fatalf("number %d of seed %d: %v\n%q", number, *seed, err, stream)
				}
				return answer
			}
			return twinJudged(before, refused, ask, strategy, string(stream))
		}
		found := judged(stream)
		if without, changed := withoutMarks(stream); found.fault != "" && changed && judged(without).fault == "" {
			found = twinVerdict{"a mark at the start of go-yaml's buffer", ""}
		}
		count.add(t, fmt.Sprintf("stream %d of seed %d under %s", number, *seed, strategy), string(stream), found)
	}
	count.report(t)
}

// The same for directories.
func TestTwinDirectories(t *testing.T) {
	process := twinPipe(t)
	one := breeder(t, 12, 0)
	count := &twinTally{counts: map[string]int{}}
	root := t.TempDir()
	for number := *firstTwin / 100; number < *firstTwin/100+some(*twins)/100; number++ {
		one.Random = rand.New(rand.NewPCG(*seed, 12<<40+uint64(number)))
		strategy := twin.Strategies[one.Random.IntN(len(twin.Strategies))]
		dir := filepath.Join(root, fmt.Sprint(number))
		files, tree, told := map[string][]byte{}, map[string]string{}, ""
		for name, text := range one.Files() {
			files[name], tree[filepath.Join("app", name)] = []byte(text), text
			told += fmt.Sprintf("#=== %s\n%s", name, text)
		}
		write(t, dir, tree)
		before, refused := argocd.Directory(filepath.Join(dir, "app"), argocd.DirectoryOptions{Root: dir})
		ask := func(strategy string) twin.Answer {
			answer, err := process.Ask(twin.Question{Files: files, Strategy: strategy})
			if err != nil {
				t.Fatalf("number %d of seed %d: %v\n%q", number, *seed, err, told)
			}
			return answer
		}
		found := twinJudged(throughAPlugin(before), refused, ask, strategy, told)
		if found.fault != "" {
			// An escape in JSON reaches Argo CD as without a plugin.
			if as := twinJudged(before, refused, ask, strategy, told); as.fault == "" {
				found = as
			}
		}
		count.add(t, fmt.Sprintf("directory %d of seed %d under %s", number, *seed, strategy), told, found)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	count.report(t)
}

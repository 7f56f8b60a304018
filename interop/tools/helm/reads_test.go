package helm_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/tools/reads"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/downloader"
	"sigs.k8s.io/yaml"
)

const lib = "apiVersion: v2\nname: lib\nversion: 1.0.0\n"

var repositories = []string{
	"file://../lib", "file://../lib", "file://../../outside/lib", "file://OUT/lib", "file://x/../../../outside/lib", "file://../link", "file://../far/f50/lib",
	"file://../lib/../../outside/lib", "file:///OUT/lib", "fi\u200ble://OUT/lib", "file://../..\u200b/outside/lib", "file://../.\u200b./..\u00ad/outside/lib",
	"file://../leaky", "FILE://OUT/lib", "file:OUT/lib", "file://../.git/lib", "", "", "OUT/lib", "@x", "alias:x", "file://", "file://.", "file:///proc/self/cwd/../outside/lib",
	"file://../../outside/lib/", "file://../ lib", "../../outside/lib", "file://..\\..\\outside\\lib", "file://../gone",
}

var names = []string{"lib", "lib", "lib", "../../../outside/lib", "x/../../../../outside/lib", "../lib", "..\u200b/../../outside/lib", "..", "lib2"}

// dependencies makes the part of a file that lists some.
func dependencies(maker reads.Maker, text string, out string) string {
	for lists := 1; lists > 0; lists-- {
		text += maker.Key("dependencies") + ":\n"
		for items := 1 + maker.IntN(2); items > 0; items-- {
			indent := "- "
			for _, field := range [][2]string{
				{"name", maker.Pick(names...)}, {"version", maker.Pick("1.0.0", "1.0.0", "\">0.0.0\"")}, {"repository", maker.Pick(repositories...)},
				{"repository", maker.Pick("", "", "", maker.Pick(repositories...))},
			} {
				if value := strings.ReplaceAll(field[1], "OUT", out); value != "" {
					if field[0] != "version" {
						value = maker.Text(value)
					}
					text += indent + maker.Key(field[0]) + ": " + value + "\n"
					indent = "  "
				}
			}
			if indent == "- " {
				text += "- {}\n"
			}
		}
		if maker.OneIn(8) {
			lists++
		}
	}
	return text
}

// digest is what helm expects in the lock of these two files (`HashReq` in internal/resolver).
func digest(files []string, lock string) string {
	metadata, locked := chart.Metadata{}, chart.Lock{}
	for _, text := range files {
		if yaml.Unmarshal([]byte(text), &metadata) != nil {
			return "x"
		}
	}
	for _, dependency := range metadata.Dependencies {
		if dependency.Validate() != nil {
			return "x"
		}
	}
	if yaml.Unmarshal([]byte(lock), &locked) != nil {
		return "x"
	}
	text, err := json.Marshal([2][]*chart.Dependency{metadata.Dependencies, locked.Dependencies})
	if err != nil {
		return "x"
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(text))
}

func TestWhatHelmOpensForDependenciesTheProgramHasRefused(t *testing.T) {
	program := reads.Start(t)
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, outside := filepath.Join(top, "repo"), filepath.Join(top, "outside")
	files := map[string]string{
		"outside/lib/Chart.yaml": lib, "outside/lib/values.yaml": "secret: outside\n", "outside/values.yaml": "secret: outside\n",
		"repo/.git/lib/Chart.yaml": lib, "repo/lib/Chart.yaml": lib, "repo/link": "-> ../outside/lib",
		"repo/leaky/Chart.yaml": lib, "repo/leaky/values.yaml": "-> ../../outside/values.yaml", "repo/far/f0": "-> ../../outside",
	}
	for at := 1; at <= 60; at++ {
		files[fmt.Sprintf("repo/far/f%d", at)] = fmt.Sprintf("-> f%d", at-1)
	}
	reads.Write(t, top, files)
	watch := reads.NewWatch(t, outside, filepath.Join(root, ".git"))
	refused, opened := 0, 0
	for number := *reads.First; number < *reads.First+reads.Count(); number++ {
		maker := reads.NewMaker(number)
		dir := filepath.Join(root, "app")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		head := "apiVersion: " + maker.Pick("v1", "v2", "v2", "v2") + "\nname: app\nversion: 1.0.0\n"
		written := map[string]string{"Chart.yaml": maker.Spoiled(dependencies(maker, head, outside)), "charts/lib/Chart.yaml": lib}
		if maker.OneIn(3) {
			written["requirements.yaml"] = maker.Spoiled(dependencies(maker, "", outside))
		}
		if maker.OneIn(2) {
			lock := maker.Pick("Chart.lock", "Chart.lock", "requirements.lock")
			text := dependencies(maker, "generated: \"2020-01-01T00:00:00Z\"\n", outside)
			text += maker.Key("digest") + ": " + digest([]string{written["Chart.yaml"], written["requirements.yaml"]}, text) + "\n"
			if maker.OneIn(3) {
				text = maker.Spoiled(text)
			}
			written[lock] = text
		}
		reads.Write(t, dir, written)
		why := program.Refuses(t, "helm", dir, root)
		if looked := watch.Opened(t); len(looked) > 0 {
			t.Errorf("document %d: the program itself opens %q", number, looked)
		}
		manager := downloader.Manager{
			Out: io.Discard, ChartPath: dir, SkipUpdate: true,
			RepositoryConfig: filepath.Join(top, "none.yaml"), RepositoryCache: filepath.Join(top, "cache"),
		}
		outcome := manager.Build()
		found := watch.Opened(t)
		if len(found) > 0 {
			opened++
		}
		if why != "" {
			refused++
		} else if len(found) > 0 {
			t.Errorf("document %d: helm opens %q (%v)\n%q", number, found, outcome, written)
		}
	}
	t.Logf("%d documents, of which %d are refused, and %d lead out", reads.Count(), refused, opened)
	if opened*50 < reads.Count() || refused == reads.Count() {
		t.Error("the documents are of no use")
	}
}

const bad = `{"$ref":"file:///outside"}`

// packed makes a packaged chart with a schema that is hidden in some way.
func packed(maker reads.Maker, depth int) []byte {
	var plain bytes.Buffer
	block := func(name string, kind byte, content []byte) {
		header := &tar.Header{Name: name, Typeflag: kind, Size: int64(len(content)), Mode: 0o644}
		if kind != tar.TypeReg {
			header.Typeflag = tar.TypeReg
		}
		var one bytes.Buffer
		writer := tar.NewWriter(&one)
		if writer.WriteHeader(header) != nil {
			return
		}
		writer.Write(content)
		writer.Flush()
		bytes := one.Bytes()
		at := 0
		if len(bytes) > 1024 && bytes[156] == 'x' {
			at = len(bytes) - 512 - (len(content)+511)/512*512
		}
		changed := kind != tar.TypeReg
		if changed {
			bytes[at+156] = kind
		}
		for maker.OneIn(12) {
			field := [][2]int{{0, 100}, {100, 8}, {124, 12}, {156, 1}, {257, 8}, {345, 155}, {508, 4}, {157, 100}}[maker.IntN(8)]
			value := maker.Pick(
				"\x00", "7", "x", "ustar\x0000", "ustar  \x00", "x/y", "tar\x00", " ", "\x80", "web/values.schema.json\x00", "0", "S", "00000000033\x00",
				"\x00\x00\x0000000033", "        33 ", "web", "values.schema.json",
			)
			copy(bytes[at+field[0]:at+field[0]+field[1]], value)
			changed = true
		}
		if changed {
			checksum(bytes[at : at+512])
		}
		plain.Write(bytes)
	}
	record := func(key, value string) string {
		for length := len(key) + len(value) + 4; ; length++ {
			if text := fmt.Sprintf("%d %s=%s\n", length, key, value); len(text) == length {
				return text
			} else if len(text) > length+4 {
				return text
			}
		}
	}
	schema := maker.Pick(
		"web/values.schema.json", "web/values.schema.json", "./values.schema.json", "web/x/../values.schema.json", "web\\values.schema.json", "web//values.schema.json",
		"web/charts/sub/values.schema.json", "web/charts/sub/charts/a/values.schema.json", "web/charts/_a/values.schema.json", "web/README.md", "web/values.schema.json/",
		"web/./values.schema.json", "x/values.schema.json", "web/VALUES.schema.json", strings.Repeat("web/", 40)+"../values.schema.json", "web/charts/sub.tgz/values.schema.json",
		"/values.schema.json", "wéb/values.schema.json", "web/values.schema.json\x00x",
	)
	body := []byte(bad)
	chartFile := "apiVersion: v2\nname: web\nversion: 1.0.0\n"
	block("web/Chart.yaml", tar.TypeReg, []byte(chartFile))
	block("web/charts/sub/Chart.yaml", tar.TypeReg, []byte(strings.Replace(chartFile, "web", "sub", 1)))
	for maker.OneIn(3) {
		key := maker.Pick("path", "path", "size", "GNU.sparse.name", "GNU.sparse.major", "comment", "linkpath", "mtime", "LIBARCHIVE.x", "GNU.sparse.map", "GNU.sparse.size")
		value := maker.Pick("web/values.schema.json", "web/README.md", "", "0", "1", "26", "x\n30 path=web/README.md", "web/values.schema.json\x00")
		text := record(key, value)
		if maker.OneIn(3) {
			text += record("GNU.sparse.minor", "0") + record("GNU.sparse.major", "1") + record("GNU.sparse.name", "web/values.schema.json") + record("GNU.sparse.realsize", fmt.Sprint(len(body)))
			body = append([]byte(fmt.Sprintf("1\n0\n%d\n", len(body)) + strings.Repeat("\x00", 512))[:512], body...)
		}
		if maker.OneIn(6) {
			text = text[maker.IntN(len(text)):]
		}
		block("PaxHeaders/x", maker.Pick("x", "x", "x", "g", "L", "K")[0], []byte(text))
	}
	if maker.OneIn(10) {
		block("././@LongLink", maker.Pick("L", "K")[0], []byte(maker.Pick("web/values.schema.json\x00", "web/x\x00", "web/values.schema.json")))
	}
	block(schema, maker.Pick("0", "0", "0", "0", "0", "\x00", "7", "5", "2", "1", "S", "3", "A")[0], body)
	if depth > 0 && maker.OneIn(3) {
		block("web/charts/"+maker.Pick("sub2.tgz", "sub2-1.0.0.tgz", ".sub.tgz", "sub.TGZ", "a/sub.tgz"), tar.TypeReg, packed(maker, depth-1))
	}
	if maker.OneIn(10) {
		plain.Write(make([]byte, 512))
		block("web/values.schema.json", tar.TypeReg, []byte(bad))
	}
	if maker.OneIn(2) {
		plain.Write(make([]byte, 1024))
	}
	var whole bytes.Buffer
	parts := [][]byte{plain.Bytes()}
	if at := maker.IntN(plain.Len()); maker.OneIn(4) {
		parts = [][]byte{plain.Bytes()[:at], plain.Bytes()[at:]}
	}
	for _, part := range parts {
		writer := gzip.NewWriter(&whole)
		writer.Write(part)
		writer.Close()
	}
	return whole.Bytes()
}

func checksum(header []byte) {
	copy(header[148:156], "        ")
	sum := 0
	for _, byte := range header {
		sum += int(byte)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

// hasBad says whether helm would validate values with the schema.
func hasBad(found *chart.Chart) bool {
	return bytes.Contains(found.Schema, []byte("$ref")) || slices.ContainsFunc(found.Dependencies(), hasBad)
}

func TestASchemaThatHelmSeesTheProgramSees(t *testing.T) {
	program := reads.Start(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "app")
	seen, refused := 0, 0
	for number := *reads.First; number < *reads.First+reads.Count(); number++ {
		maker := reads.NewMaker(number)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		archive := packed(maker, 2)
		reads.Write(t, dir, map[string]string{
			"Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n", "charts/" + maker.Pick("web-1.0.0.tgz", "web.tgz", "_web.tgz"): string(archive),
		})
		why := program.Refuses(t, "helm", dir, root)
		found, err := loader.LoadDir(dir)
		isSeen := err == nil && hasBad(found)
		if isSeen {
			seen++
		}
		if why != "" {
			refused++
		} else if isSeen {
			t.Errorf("archive %d: helm sees a schema\n%q", number, archive)
		}
	}
	t.Logf("%d archives, of which %d are refused, and helm sees a schema in %d", reads.Count(), refused, seen)
	if seen*10 < reads.Count() || refused == reads.Count() {
		t.Error("the archives are of no use")
	}
}

package kustomize_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"argocd-jobs.example/interop/tools/reads"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

// The fields of a kustomization whose items are paths, as far as kustomize knows them.
var lists = []string{
	"resources", "resources", "resources", "components", "bases", "generators", "transformers", "validators", "crds", "configurations",
	"patchesStrategicMerge", "openapi", "unknown",
}

var folders = []string{
	"../../outside", "../../outside", "x/../../../outside", "../../outside/", ".././../outside", "../lib", "../lib/sub", "../link", "../far/f50", "../far/f09",
	"../.git/x", "x/../../.git/x", "../inner/.git/x", "../../repo/lib", "../../repo/../outside", "job.yaml", "../app", "..", "gone", "/OUT", "/tmp",
	"../lib/out", "../absolute", "https://example.invalid/x", "plugin.yaml", "../lib//../../outside", "../lib/file/../../../outside", "../link/../../outside",
	"..\\..\\outside", "../../outside?ref=x", "../../outside#x", "%2e%2e/../../outside", "~/x", "../../OUTSIDE", "../../outside\u200b", "a b/../../../outside",
}

// kustomization makes a text with some lists of paths.
func kustomization(maker reads.Maker) string {
	text := maker.Pick("", "", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n")
	if maker.OneIn(3) {
		text += maker.Key("namePrefix") + ": " + maker.Text("x-") + "\n"
	}
	for count := 1 + maker.IntN(3); count > 0; count-- {
		if maker.OneIn(5) {
			path := maker.Pick(".git/config", "./.git/config", "sub/../.git/config", "../../outside/cm.yaml", "job.yaml", "key=.git/config", "key=../.git/config")
			generator := "{" + maker.Key("name") + ": a, " + maker.Key(maker.Pick("files", "envs")) + ": [" + maker.Text(path) + "]}"
			if maker.OneIn(3) {
				generator = "{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: a}, name: a, files: [" + maker.Text(path) + "]}"
				text += maker.Key("generators") + ": [" + maker.Text("'"+strings.ReplaceAll(generator, "'", "''")+"'") + "]\n"
			} else {
				text += maker.Key(maker.Pick("configMapGenerator", "secretGenerator")) + ":" + maker.List([]string{generator})
			}
			continue
		}
		var paths []string
		for items := 1 + maker.IntN(2); items > 0; items-- {
			paths = append(paths, maker.Text(maker.Pick(folders...)))
		}
		text += maker.Key(maker.Pick(lists...)) + ":" + maker.List(paths)
	}
	return maker.Spoiled(text)
}

func TestWhatKustomizeOpensTheProgramHasRefused(t *testing.T) {
	program := reads.Start(t)
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "repo")
	files := map[string]string{
		"outside/kustomization.yaml": "resources: [cm.yaml]\n", "outside/cm.yaml": configMap,
		"repo/.git/config": "secret", "repo/.git/x/kustomization.yaml": "resources: [cm.yaml]\n", "repo/.git/x/cm.yaml": configMap,
		"repo/inner/.git/x/kustomization.yaml": "resources: [cm.yaml]\n", "repo/inner/.git/x/cm.yaml": configMap,
		"repo/app/job.yaml": configMap, "repo/job.yaml": configMap, "repo/sub/x": "", "repo/app/plugin.yaml": "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a}\n",
		"repo/lib/sub/kustomization.yml": "resources: [cm.yaml]\n", "repo/lib/sub/cm.yaml": configMap, "repo/lib/file": "x", "repo/lib/out": "-> ../../outside",
		"repo/link": "-> ../outside", "repo/absolute": "-> " + filepath.Join(top, "outside"), "repo/far/f00": "-> ../../outside",
	}
	for at := 1; at <= 60; at++ {
		files[filepath.Join("repo/far", name(at))] = "-> " + name(at-1)
	}
	reads.Write(t, top, files)
	watch := reads.NewWatch(t, filepath.Join(top, "outside"), filepath.Join(root, ".git"), filepath.Join(root, "inner/.git"))
	refused, opened := 0, 0
	for number := *reads.First; number < *reads.First+reads.Count(); number++ {
		maker := reads.NewMaker(number)
		// At the root the kustomization has what git keeps in its reach.
		dir := filepath.Join(root, maker.Pick("app", "app", "app", ""))
		text, lib := kustomization(maker), ""
		reads.Write(t, dir, map[string]string{"kustomization.yaml": text})
		if maker.OneIn(3) {
			lib = kustomization(maker)
		}
		reads.Write(t, root, map[string]string{"lib/Kustomization": lib})
		why := program.Refuses(t, "kustomize", dir, root)
		// A walk lists the folder of git before it passes it over.
		if looked := watch.Opened(t); slices.ContainsFunc(looked, func(path string) bool { return path != filepath.Join(root, ".git") }) {
			t.Errorf("document %d: the program itself opens %q", number, looked)
		}
		outcome := build(dir)
		found := watch.Opened(t)
		if len(found) > 0 {
			opened++
		}
		if why != "" {
			refused++
		} else if len(found) > 0 {
			t.Errorf("document %d: kustomize opens %q (%v)\n--- %s\n%q\n--- lib\n%q", number, found, outcome, dir, short(text), short(lib))
		}
	}
	t.Logf("%d documents, of which %d are refused, and %d lead out", reads.Count(), refused, opened)
	if opened*20 < reads.Count() || refused*10 > reads.Count()*9 {
		t.Error("the documents are of no use")
	}
}

func build(dir string) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = nil
		}
	}()
	_, err = krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	return err
}

func name(at int) string {
	return fmt.Sprintf("f%02d", at)
}

func short(text string) string {
	if len(text) > 600 {
		return text[:600] + "…"
	}
	return text
}

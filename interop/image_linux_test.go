package interop_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/image"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

func init() { image.Enter() }

const dockerfile = "../Dockerfile"

// specification is what our component puts into repo-server's pod.
type specification struct {
	Command         []string
	SecurityContext struct {
		RunAsUser                          int
		ReadOnlyRootFilesystem, Privileged bool
	}
	VolumeMounts []struct{ Name, MountPath string }
}

func sidecarOfTheComponent(t *testing.T) specification {
	t.Helper()
	text, err := os.ReadFile("../deploy/kustomize/repo-server.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct{ Containers []specification }
			}
		}
	}
	if err := yaml.Unmarshal(text, &deployment); err != nil {
		t.Fatal(err)
	}
	sidecar := deployment.Spec.Template.Spec.Containers[0]
	if !sidecar.SecurityContext.ReadOnlyRootFilesystem || len(sidecar.Command) == 0 {
		t.Fatalf("the component's sidecar is %+v", sidecar)
	}
	return sidecar
}

// tool is a tool that `interop/tools/build` has built. It has to be linked statically, as the released one is.
func tool(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("TOOLS")
	if dir == "" {
		t.Skip("the image is not assembled: no helm and kustomize (TOOLS=$PWD/target/tools, after interop/tools/build)")
	}
	return static(t, filepath.Join(dir, name))
}

func static(t *testing.T, path string) string {
	t.Helper()
	loader, err := image.Loader(path)
	if err != nil {
		t.Fatal(err)
	}
	if loader != "" {
		t.Skipf("the image is not assembled: %s is not linked statically", path)
	}
	return path
}

// packaged are the images of a release, by the stages of the Dockerfile.
var packaged = map[string]string{"plugin": "image", "with-renderers": "image-renderers"}

// assembled is the root file system of the image, from what was built on this machine; or, with IMAGES, from the archives that
// `release/images` has made there. IMAGE_OF is the Argo CD of the image with renderers.
func assembled(t *testing.T, target string) (image.Image, string) {
	t.Helper()
	made, err := image.Read(dockerfile, target)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if dir := os.Getenv("IMAGES"); dir != "" {
		found, _ := filepath.Glob(filepath.Join(dir, "argocd-jobs-*-"+packaged[target]+".tar"))
		if len(found) != 1 {
			t.Fatalf("the images of %s in %s are %v", target, dir, found)
		}
		version := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(found[0]), "-"+packaged[target]+".tar"), "argocd-jobs-")
		if target == "with-renderers" {
			version += "-argocd" + os.Getenv("IMAGE_OF")
		}
		unpacked, err := image.Unpack(context.Background(), found[0], version, root)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(unpacked.Env, made.Env) || unpacked.User != made.User {
			t.Fatalf("%s runs as %+v, the Dockerfile says %+v", found[0], unpacked, made)
		}
		made.Labels = unpacked.Labels
		return made, root
	}
	err = made.Assemble(root, func(line image.Copy) (string, error) {
		switch {
		case line.Stage == "":
			return filepath.Join("..", line.Source), nil
		case line.Stage == "build" && line.Source == "/src/target/release-lto/argocd-jobs":
			return static(t, program(t)), nil
		case line.Stage == "argocd" && filepath.Dir(line.Source) == "/usr/local/bin":
			return tool(t, filepath.Base(line.Source)), nil
		case line.Stage == "argocd" && filepath.Base(line.Source) == "ca-certificates.crt":
			// No test asks a server.
			return "/dev/null", nil
		}
		return "", fmt.Errorf("where does %+v come from?", line)
	})
	if err != nil {
		t.Fatal(err)
	}
	return made, root
}

// startImage is startSidecar for the image: argocd-cmp-server runs as the component says, with nothing but the files of the image and the
// volumes of the pod. With a path of `without` the kernel has no Landlock for it.
func startImage(t *testing.T, target, without string) *sidecar {
	t.Helper()
	made, root := assembled(t, target)
	spec := sidecarOfTheComponent(t)
	if made.User != strconv.Itoa(spec.SecurityContext.RunAsUser) {
		t.Fatalf("the image's user is %s, the component's %d", made.User, spec.SecurityContext.RunAsUser)
	}
	// Not t.TempDir: the path of a socket is short.
	volumes, err := os.MkdirTemp("", "pod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(volumes) })
	container := image.Container{
		Root: root, Volumes: map[string]string{}, User: spec.SecurityContext.RunAsUser,
		Env: append([]string{asServer + "=1"}, made.Env...), Command: spec.Command,
	}
	paths := map[string]string{}
	for _, mount := range spec.VolumeMounts {
		paths[mount.Name] = filepath.Join(volumes, mount.Name)
		if err := os.Mkdir(paths[mount.Name], 0o777); err != nil {
			t.Fatal(err)
		}
		container.Volumes[mount.MountPath] = paths[mount.Name]
	}
	serverIn(t, &container, paths["var-files"])
	if without != "" {
		inside := filepath.Join(filepath.Dir(spec.Command[len(spec.Command)-1]), "without")
		if err := os.WriteFile(filepath.Join(paths["var-files"], "without"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
		container.Volumes[inside] = without
		container.Command = append([]string{inside}, container.Command...)
	}

	logs, err := os.Create(filepath.Join(volumes, "logs"))
	if err != nil {
		t.Fatal(err)
	}
	command, err := container.Start(logs)
	if err != nil {
		t.Skipf("the image does not run: the system makes no namespaces here: %v", err)
	}
	one := &sidecar{process: command.Process, work: filepath.Join(paths["argocd-jobs-tmp"], "_cmp_server"), logs: logs.Name()}
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	t.Cleanup(func() { _ = command.Process.Kill(); <-ended })
	listens := func() bool {
		found, _ := filepath.Glob(filepath.Join(paths["plugins"], "*.sock"))
		return len(found) == 1
	}
	gone := func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}
	if !within(20*time.Second, func() bool { return listens() || gone() }) || !listens() {
		t.Fatalf("argocd-cmp-server does not listen:\n%s", one.log(t))
	}
	t.Setenv("ARGOCD_PLUGINSOCKFILEPATH", paths["plugins"])
	return one
}

// serverIn puts argocd-cmp-server into the volume where repo-server's init container puts it. There it is a static program; this test
// binary mostly is not, and then its loader and libraries come with it.
func serverIn(t *testing.T, container *image.Container, volume string) {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// argocd-jobs says how it is confined, and becomes the server.
	server := container.Command[len(container.Command)-1]
	put := func(file, as string) {
		if err := os.WriteFile(filepath.Join(volume, filepath.Base(as)), nil, 0o755); err != nil {
			t.Fatal(err)
		}
		container.Volumes[as] = file
	}
	put(own, server)
	loader, err := image.Loader(own)
	if err != nil || loader == "" {
		return
	}
	libraries, err := image.Libraries(loader, own)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(server)
	for _, library := range append(libraries, loader) {
		put(library, filepath.Join(dir, filepath.Base(library)))
	}
	before := container.Command[:len(container.Command)-1]
	container.Command = append(slices.Clone(before), filepath.Join(dir, filepath.Base(loader)), "--library-path", dir, server)
}

// charts is a repository with a chart and a kustomization, each with an ordinary Job, a hook and something else.
var charts = map[string]string{
	"chart/Chart.yaml":       "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
	"chart/values.yaml":      "tag: one\n",
	"chart/values-prod.yaml": "replicas: 3\n",
	"chart/templates/all.yaml": named(ordinary, "{{ .Release.Name }}-config") + "data: {kube: {{ .Capabilities.KubeVersion.Version | quote }}," +
		" batch: {{ .Capabilities.APIVersions.Has \"batch/v1/Job\" | quote }}, replicas: {{ .Values.replicas | quote }}, tag: {{ .Values.tag | quote }}}\n" +
		"---\n" + named(migration, "migrate") + "---\n" + named(gate, "gate"),
	"base/kustomization.yaml": "resources: [all.yaml]\nconfigMapGenerator: [{name: made, literals: [a=b]}]\n",
	"base/all.yaml":           named(migration, "migrate") + "---\n" + named(gate, "gate"),
	"prod/kustomization.yaml": "resources: [../base]\n",
}

// moved is an Application with the block of a tool before and after it was moved to the plugin.
func moved(t *testing.T, url, path, tool, block string) (before, after argocd.Application) {
	t.Helper()
	before, after = native(url, path), byName(url, path)
	if err := yaml.Unmarshal([]byte(tool+":\n"+indented(block)), &before.Source); err != nil {
		t.Fatal(err)
	}
	after.Source.Plugin.Parameters = v1alpha1.ApplicationSourcePluginParameters{{Name: tool, String_: &block}}
	return before, after
}

func indented(block string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n  ") + "\n"
}

func TestTheImageRendersWhatArgoCDRenders(t *testing.T) {
	one := startImage(t, "with-renderers", "")
	server := repoServer(t, argocd.RepoServerOptions{})
	// For the repo-server, which renders natively.
	t.Setenv("PATH", os.Getenv("TOOLS")+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, url := committed(t, charts)
	for _, each := range []struct{ tool, path, block string }{
		{"helm", "chart", "valueFiles: [values-prod.yaml]\nparameters:\n- {name: tag, value: \"1.2\", forceString: true}\n"},
		{"kustomize", "prod", "namePrefix: live-\nimages: [shop/migrate:2]\npatches:\n- target: {kind: Job, name: migrate}\n  patch: |\n" +
			"    - {op: add, path: /spec/backoffLimit, value: 2}\n"},
	} {
		before, after := moved(t, url, each.path, each.tool, each.block)
		// What the plugin adds when there are hooks.
		off := "false"
		after.Source.Plugin.Parameters = append(after.Source.Plugin.Parameters, v1alpha1.ApplicationSourcePluginParameter{Name: "trigger", String_: &off})
		rendered := generate(t, server, before)
		if hashes := sameButJobs(t, rendered, generate(t, server, after)); hashes != 1 || len(rendered) != 3 {
			t.Errorf("%s: %d hashes, %v", each.tool, hashes, names(rendered))
		}
	}
	if said := "the kernel (Landlock) keeps helm and kustomize inside the repository"; !strings.Contains(one.log(t), said) {
		t.Errorf("the log does not say which wall there is:\n%s", one.log(t))
	}
	// One block for all of the tool's files: homes, values, copies of the repository.
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(one.work), "*")); !slices.Equal(left, []string{one.work}) || len(one.leftovers(t)) > 0 {
		t.Errorf("files stay: %v %v", left, one.leftovers(t))
	}
}

func TestTheImageWithoutRenderersSaysWhatIsMissing(t *testing.T) {
	startImage(t, "plugin", "")
	server := repoServer(t, argocd.RepoServerOptions{})
	_, url := committed(t, charts)
	for path, wanted := range map[string]string{"chart": "there is no `helm`", "prod": "there is no `kustomize`"} {
		if _, _, err := server.Generate(context.Background(), byName(url, path)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestTheImageRewritesTheJobsOfADirectory(t *testing.T) {
	one := startImage(t, "plugin", "")
	server := repoServer(t, argocd.RepoServerOptions{})
	_, url := committed(t, map[string]string{"shop/all.yaml": named(ordinary, "config") + "---\n" + named(migration, "migrate")})
	rendered := names(generate(t, server, byName(url, "shop")))
	if len(rendered) != 2 || !slices.ContainsFunc(rendered, func(name string) bool { return strings.Contains(name, "migrate-") }) {
		t.Errorf("Argo CD gets %v", rendered)
	}
	if left := one.leftovers(t); len(left) > 0 {
		t.Errorf("files stay: %v", left)
	}
}

// The labels of a released image name its Argo CD and its tools, and the tools say the same of themselves.
func TestTheImageHasTheToolsOfItsArgoCD(t *testing.T) {
	if os.Getenv("IMAGES") == "" {
		return
	}
	made, root := assembled(t, "with-renderers")
	if named := made.Labels["argocd-jobs.argocd"]; named == "" || named != os.Getenv("IMAGE_OF") {
		t.Errorf("the image of Argo CD %q is labelled %q", os.Getenv("IMAGE_OF"), named)
	}
	for _, command := range [][]string{{"helm", "version", "--short"}, {"kustomize", "version"}} {
		said, err := exec.Command(filepath.Join(root, "usr/local/bin", command[0]), command[1:]...).Output()
		if wanted := "v" + made.Labels["argocd-jobs."+command[0]]; err != nil || strings.TrimSpace(string(said)) != wanted {
			t.Errorf("%v says %q (%v), the label %s", command, said, err, wanted)
		}
	}
}

// The image has nothing that the Dockerfile does not name but, when it is of a release, the licences and bills of materials of its tools, and the
// pod's volumes hide none of it.
func TestTheImageHoldsWhatItNeeds(t *testing.T) {
	made, root := assembled(t, "with-renderers")
	var files, wanted []string
	if err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, strings.TrimPrefix(path, root))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, line := range made.Copies {
		wanted = append(wanted, line.Target)
	}
	if os.Getenv("IMAGES") != "" {
		for _, tool := range []string{"helm", "kustomize"} {
			about := "/usr/share/licenses/" + tool
			wanted = append(wanted, about+"/LICENSES.txt", about+"/bom.cdx.json")
		}
	}
	slices.Sort(wanted)
	if !slices.Equal(files, slices.Compact(wanted)) {
		t.Errorf("the files are %v", files)
	}
	for _, mount := range sidecarOfTheComponent(t).VolumeMounts {
		for _, file := range files {
			if file == mount.MountPath || strings.HasPrefix(file, mount.MountPath+"/") {
				t.Errorf("the volume %s hides %s", mount.Name, file)
			}
		}
	}
	path := ""
	for _, variable := range made.Env {
		if value, found := strings.CutPrefix(variable, "PATH="); found {
			path = value
		}
		// Every request has homes of its own.
		if strings.HasPrefix(variable, "HELM_") || strings.HasPrefix(variable, "XDG_") {
			t.Errorf("the image sets %s", variable)
		}
	}
	for _, name := range []string{"argocd-jobs", "helm", "kustomize"} {
		if !slices.Contains(files, filepath.Join(path, name)) {
			t.Errorf("%s is not on the PATH %q", name, path)
		}
	}
}

package sync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/renderer"
	"argocd-jobs.example/interop/servers"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// control is the namespace of Argo CD.
const control = "argocd"

// startArgoCD starts the application controller, the repo-server and, with our plugin.yaml, the cmp-server, with the settings of
// an empty argocd-cm.
func (one *cluster) startArgoCD(ctx context.Context) error {
	if err := one.installCRDs(ctx); err != nil {
		return err
	}
	if err := one.configure(ctx); err != nil {
		return err
	}
	if err := one.run("kube-controllers", nil, one.path("kubeconfig")); err != nil {
		return err
	}
	if err := one.startPlugin(); err != nil {
		return err
	}
	if err := one.run("redis", nil, one.ports[0]); err != nil {
		return err
	}
	if err := os.Mkdir(one.path("bin"), 0o755); err != nil {
		return err
	}
	// A script of Argo CD's image, which says nothing of a commit without a signature. 3.5 asks it all the same.
	if err := os.WriteFile(one.path("bin", "git-verify-wrapper.sh"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		return err
	}
	return one.startRepoServerAndController(ctx, argocd.Before(5))
}

func (one *cluster) startRepoServerAndController(ctx context.Context, before5 bool) error {
	redis, repo, repoMetrics, metrics := one.ports[0], one.ports[1], one.ports[2], one.ports[3]
	// The plugin's socket is looked for by the repo-server, the other socket is otherwise in one place for the whole machine.
	env := []string{"ARGOCD_PLUGINSOCKFILEPATH=" + one.path("plugins"), "ARGOCD_ASK_PASS_SOCK=" + one.path("ask"), "ARGOCD_GPG_ENABLED=false"}
	path := one.path("bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	// Argo CD renders with the tools that the plugin renders with.
	if tools, err := renderer.Directory(filepath.Join("..", "..")); err == nil {
		path = tools + string(os.PathListSeparator) + path
	}
	env = append(env, "PATH="+path)
	args := []string{"--redis", redis, "--disable-tls", "--address", "127.0.0.1", "--port", port(repo),
		"--metrics-address", "127.0.0.1", "--metrics-port", port(repoMetrics)}
	if !before5 {
		// It has a default, which the server refuses without TLS.
		args = append(args, "--client-ca-path=")
	}
	if err := one.run("argocd-repo-server", env, args...); err != nil {
		return err
	}
	env = []string{"ARGOCD_FAKE_IN_CLUSTER=true", "KUBECONFIG=" + one.path("kubeconfig")}
	if err := one.run("argocd-application-controller", env, "--kubeconfig", one.path("kubeconfig"), "--namespace", control, "--redis", redis,
		"--repo-server", repo, "--repo-server-plaintext", "--repo-server-timeout-seconds", "120", "--metrics-port", port(metrics),
		// What is compared is decided by the scenarios, and not by the clock.
		// By default it heals at once, on a busy machine before it has seen what its own sync has created.
		"--self-heal-timeout-seconds", "5", "--self-heal-backoff-timeout-seconds", "0",
		"--app-resync", "86400", "--app-resync-jitter", "0", "--logformat", "text"); err != nil {
		return err
	}
	return until(ctx, time.Minute, func() error {
		if found, _ := filepath.Glob(one.path("plugins", "*.sock")); len(found) != 1 {
			return errors.New("argocd-cmp-server does not listen")
		}
		return nil
	})
}

func port(address string) string {
	_, port, _ := strings.Cut(address, ":")
	return port
}

// installed is the path of the program in plugin.yaml.
const installed = "/usr/local/bin/argocd-jobs"

func (one *cluster) startPlugin() error {
	binary, err := program()
	if err != nil {
		return err
	}
	text, err := os.ReadFile("../../plugin.yaml")
	if err != nil {
		return err
	}
	for _, dir := range []string{"config", "plugins", "work"} {
		if err := os.Mkdir(one.path(dir), 0o755); err != nil {
			return err
		}
	}
	text = []byte(strings.ReplaceAll(string(text), installed, binary))
	if err := os.WriteFile(one.path("config", "plugin.yaml"), text, 0o644); err != nil {
		return err
	}
	env := []string{"ARGOCD_PLUGINSOCKFILEPATH=" + one.path("plugins"), "ARGOCD_CMP_WORKDIR=" + one.path("work")}
	// Without the tools the scenarios of Helm and kustomize are left out.
	if tools, err := renderer.Directory(filepath.Join("..", "..")); err == nil {
		env = append(env, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	return one.run("argocd-cmp-server", env, "--config-dir-path", one.path("config"))
}

// program finds the binary under test as the other tests of the suite do.
func program() (string, error) {
	candidates := []string{"../../target/release/argocd-jobs", "../../target/debug/argocd-jobs"}
	if named := os.Getenv("ARGOCD_JOBS"); named != "" {
		candidates = []string{named}
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("no binary at %v: run `cargo build --release` in the repository's root, or set ARGOCD_JOBS", candidates)
}

// installCRDs creates those of Argo CD's own module, and those of the kinds of which scenarios have hooks.
func (one *cluster) installCRDs(ctx context.Context) error {
	client, err := dynamic.NewForConfig(one.config)
	if err != nil {
		return err
	}
	one.dynamic = client
	if err := one.installOwnCRDs(ctx, servers.ArgoCD()); err != nil {
		return err
	}
	for name, of := range customKinds {
		if _, err := client.Resource(definitions).Create(ctx, definition(name, of), metav1.CreateOptions{}); err != nil {
			return err
		}
		// It is served a moment after it was created.
		if err := until(ctx, time.Minute, func() error {
			_, err := client.Resource(of).List(ctx, metav1.ListOptions{})
			return err
		}); err != nil {
			return err
		}
	}
	if err := one.installCheckedKinds(ctx); err != nil {
		return err
	}
	one.kinds = watchKinds(ctx, client)
	return nil
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// installOwnCRDs creates or updates those of the Argo CD whose module is in that directory.
func (one *cluster) installOwnCRDs(ctx context.Context, module string) error {
	for _, name := range []string{"application", "appproject"} {
		text, err := os.ReadFile(filepath.Join(module, "manifests", "crds", name+"-crd.yaml"))
		if err != nil {
			return err
		}
		own := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &own.Object); err != nil {
			return err
		}
		if _, err := one.dynamic.Resource(definitions).Apply(ctx, own.GetName(), own, metav1.ApplyOptions{FieldManager: "interop", Force: true}); err != nil {
			return err
		}
	}
	return nil
}

// configure creates what Argo CD's own manifests install besides its programs.
func (one *cluster) configure(ctx context.Context) error {
	if err := one.namespace(ctx, control); err != nil {
		return err
	}
	labels := map[string]string{"app.kubernetes.io/part-of": "argocd"}
	for _, name := range []string{"argocd-cm", "argocd-rbac-cm"} {
		it := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
		if _, err := one.client.CoreV1().ConfigMaps(control).Create(ctx, it, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "argocd-secret", Labels: labels}, StringData: map[string]string{"server.secretkey": "interop"}}
	if _, err := one.client.CoreV1().Secrets(control).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
		return err
	}
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.AppProjectSpec{
		SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}},
	}}
	// As JSON, because the type of these items is another one from 3.5 on.
	if err := json.Unmarshal([]byte(`{"clusterResourceWhitelist": [{"group": "*", "kind": "*"}]}`), &project.Spec); err != nil {
		return err
	}
	return until(ctx, time.Minute, func() error {
		// A CRD is served a moment after it was created.
		_, err := one.argocd.ArgoprojV1alpha1().AppProjects(control).Create(ctx, project, metav1.CreateOptions{})
		return err
	})
}

func (one *cluster) namespace(ctx context.Context, name string) error {
	_, err := one.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

package sync_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"argocd-jobs.example/interop/servers"
	argoclient "github.com/argoproj/argo-cd/v3/pkg/client/clientset/versioned"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// asServer makes this test binary run as the server that it names.
const asServer = "INTEROP_SERVER"

var keep = flag.Bool("keep", false, "leave the directory with the logs of the servers, and print its path")

// shared is the one cluster of all scenarios. Each has a namespace and an Application of its own.
var shared *cluster

func TestMain(m *testing.M) {
	if name := os.Getenv(asServer); name != "" {
		// The other end is closed when the tests end, however they end.
		go func() {
			_, _ = os.Stdin.Read(make([]byte, 1))
			os.Exit(3)
		}()
		servers.Run(name)
		return
	}
	flag.Parse()
	// A scenario mostly waits, so that more of them than there are processors go on at once.
	parallel := "12"
	if *randomCount > 100 {
		parallel = "24"
	}
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	os.Exit(withCluster(m.Run))
}

func withCluster(run func() int) int {
	// Not below the test's own directory: the path of a socket is short.
	root, err := os.MkdirTemp("", "sync")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	own, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = &cluster{root: root, program: own, processes: map[string]*exec.Cmd{}}
	defer shared.stop()
	start := time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := shared.start(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "the cluster does not start: %v\n%s", err, shared.lastWords())
		return 1
	}
	fmt.Printf("the cluster took %.1f s to start\n", time.Since(start).Seconds())
	return run()
}

// cluster is an API server with the controllers that Jobs need, and Argo CD.
type cluster struct {
	root      string
	processes map[string]*exec.Cmd
	// program is the test binary that runs as the servers: this one, or that of another version of Argo CD.
	program string
	// ports are those of Redis, the repo-server, its metrics and the controller's.
	ports   []string
	config  *rest.Config
	client  *kubernetes.Clientset
	argocd  *argoclient.Clientset
	dynamic dynamic.Interface
	jobs    *history
	kinds   *created
	// count numbers the scenarios, inVain counts those that have waited for nothing.
	count, inVain atomic.Int32
}

func (one *cluster) path(parts ...string) string {
	return filepath.Join(append([]string{one.root}, parts...)...)
}

// run starts a server, which gets its environment from no one else.
func (one *cluster) run(name string, env []string, args ...string) error {
	logs, err := os.Create(one.path(name + ".log"))
	if err != nil {
		return err
	}
	defer logs.Close()
	command := exec.Command(one.program, args...)
	command.Env = append([]string{asServer + "=" + name, "PATH=" + os.Getenv("PATH"), "HOME=" + one.root, "TMPDIR=" + one.root}, env...)
	command.Stdout, command.Stderr = logs, logs
	// Never written to: it ends with this process.
	if _, err := command.StdinPipe(); err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	one.processes[name] = command
	return nil
}

func (one *cluster) kill(name string) {
	_ = one.processes[name].Process.Kill()
	_ = one.processes[name].Wait()
}

func (one *cluster) stop() {
	for name := range one.processes {
		one.kill(name)
	}
	if *keep {
		fmt.Println("logs:", one.root)
		return
	}
	_ = os.RemoveAll(one.root)
}

// lastWords is the end of each server's log.
func (one *cluster) lastWords() string {
	var out strings.Builder
	logs, _ := filepath.Glob(one.path("*.log"))
	for _, path := range logs {
		text, _ := os.ReadFile(path)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&out, "== %s\n%s\n", filepath.Base(path), strings.Join(lines[max(0, len(lines)-8):], "\n"))
	}
	return out.String()
}

func (one *cluster) start(ctx context.Context) error {
	ports, err := freePorts(7)
	if err != nil {
		return err
	}
	if err := one.startKubernetes(ctx, ports[:3]); err != nil {
		return err
	}
	one.jobs = watchJobs(ctx, one.client)
	finishPods(ctx, one.client)
	finishDeployments(ctx, one.client)
	one.ports = ports[3:]
	return one.startArgoCD(ctx)
}

func (one *cluster) startKubernetes(ctx context.Context, ports []string) error {
	const token = "interop"
	if err := os.WriteFile(one.path("tokens"), []byte(token+",interop,interop,system:masters\n"), 0o600); err != nil {
		return err
	}
	if err := writeKey(one.path("accounts.key")); err != nil {
		return err
	}
	store, peer, address := "http://"+ports[0], "http://"+ports[1], ports[2]
	if err := one.run("etcd", nil, "--data-dir", one.path("etcd"), "--listen-client-urls", store, "--advertise-client-urls", store,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer,
		"--unsafe-no-fsync", "--log-level", "warn"); err != nil {
		return err
	}
	host, port, _ := strings.Cut(address, ":")
	if err := one.run("kube-apiserver", nil, "--etcd-servers", store, "--bind-address", host, "--secure-port", port, "--cert-dir", one.path("certificates"),
		"--token-auth-file", one.path("tokens"), "--authorization-mode", "AlwaysAllow", "--service-cluster-ip-range", "10.0.0.0/24",
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", one.path("accounts.key"),
		"--service-account-signing-key-file", one.path("accounts.key"),
		// Nobody makes the default ServiceAccount of a namespace here.
		"--disable-admission-plugins", "ServiceAccount"); err != nil {
		return err
	}
	kubeconfig := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "it", "clusters": [{"name": "it", "cluster": {"server": "https://%s", "insecure-skip-tls-verify": true}}],
"users": [{"name": "it", "user": {"token": %q}}], "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it", "namespace": %q}}]}`, address, token, control)
	if err := os.WriteFile(one.path("kubeconfig"), []byte(kubeconfig), 0o600); err != nil {
		return err
	}
	var err error
	if one.config, err = clientcmd.BuildConfigFromFlags("", one.path("kubeconfig")); err != nil {
		return err
	}
	one.config.QPS, one.config.Burst = 200, 400
	if one.client, err = kubernetes.NewForConfig(one.config); err != nil {
		return err
	}
	if one.argocd, err = argoclient.NewForConfig(one.config); err != nil {
		return err
	}
	if err := until(ctx, 3*time.Minute, func() error {
		_, err := one.client.Discovery().RESTClient().Get().AbsPath("/readyz").Timeout(5 * time.Second).DoRaw(ctx)
		return err
	}); err != nil {
		return fmt.Errorf("kube-apiserver is not ready: %w", err)
	}
	return nil
}

// freePorts are addresses that nobody listened at a moment ago.
func freePorts(count int) ([]string, error) {
	var addresses []string
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// Held until all are found, so that none comes twice.
		defer listener.Close()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}

func writeKey(path string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(path, pem.EncodeToMemory(block), 0o600)
}

// until waits until there is no error any more, and gives the last one when there still is.
func until(ctx context.Context, limit time.Duration, holds func() error) error {
	for end := time.Now().Add(limit); ; {
		err := holds()
		if err == nil || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

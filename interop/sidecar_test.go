package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"argocd-jobs.example/interop/argocd"
	"sigs.k8s.io/yaml"
)

// asServer makes this test binary run as argocd-cmp-server.
const asServer = "INTEROP_CMP_SERVER"

// atTheEnd is done when all tests have been run.
var atTheEnd []func()

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		argocd.CMPServer()
		return
	}
	// Hides what the repo-server logs of each call of git.
	_ = os.Setenv("ARGOCD_LOG_LEVEL", "error")
	status := m.Run()
	for _, clean := range atTheEnd {
		clean()
	}
	os.Exit(status)
}

// sidecar is Argo CD's own argocd-cmp-server with our plugin.yaml, in a process and with an environment of its
// own, as in the plugin's container.
type sidecar struct {
	process *os.Process
	// work is where a repository lies while the plugin reads it, logs what the server has written.
	work, logs string
}

// installed is the path of the program in plugin.yaml.
const installed = "/usr/local/bin/argocd-jobs"

// plugin is our plugin.yaml with the path of the binary under test and, if change is given, a change to its spec.
func plugin(t *testing.T, change func(spec map[string]any)) []byte {
	t.Helper()
	text, err := os.ReadFile("../plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "command: ["+installed+",") {
		t.Fatalf("plugin.yaml does not run %s", installed)
	}
	text = []byte(strings.ReplaceAll(string(text), installed, program(t)))
	if change == nil {
		return text
	}
	var whole map[string]any
	if err := yaml.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	change(whole["spec"].(map[string]any))
	if text, err = yaml.Marshal(whole); err != nil {
		t.Fatal(err)
	}
	return text
}

// startSidecar starts the server, and lets the repo-server of this process find it.
func startSidecar(t *testing.T, config []byte, env ...string) *sidecar {
	t.Helper()
	// Not t.TempDir: the path of a socket is short.
	root, err := os.MkdirTemp("", "cmp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	sockets := filepath.Join(root, "plugins")
	for _, dir := range []string{"config", "plugins", "work"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "config", "plugin.yaml"), config, 0o644); err != nil {
		t.Fatal(err)
	}
	logs, err := os.Create(filepath.Join(root, "logs"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(own, "--config-dir-path", filepath.Join(root, "config"), "--logformat", "text")
	command.Env = append([]string{
		asServer + "=1", "PATH=" + os.Getenv("PATH"), "ARGOCD_PLUGINSOCKFILEPATH=" + sockets, "ARGOCD_CMP_WORKDIR=" + filepath.Join(root, "work"),
		// What Kubernetes puts into the container when there is a Service called argocd-jobs.
		"ARGOCD_JOBS_SERVICE_HOST=10.0.0.1", "ARGOCD_JOBS_PORT=tcp://10.0.0.1:80",
	}, env...)
	command.Stdout, command.Stderr = logs, logs
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	one := &sidecar{process: command.Process, work: filepath.Join(root, "work", "_cmp_server"), logs: logs.Name()}
	t.Cleanup(func() {
		// SIGTERM only makes it remove its socket.
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	if !within(20*time.Second, func() bool {
		found, _ := filepath.Glob(filepath.Join(sockets, "*.sock"))
		return len(found) == 1
	}) {
		t.Fatalf("argocd-cmp-server does not listen:\n%s", one.log(t))
	}
	t.Setenv("ARGOCD_PLUGINSOCKFILEPATH", sockets)
	return one
}

func (one *sidecar) log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(one.logs)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// leftovers are the files of repositories that the server still keeps.
func (one *sidecar) leftovers(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(one.work, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// children are the ids of the processes that the server has started and not yet waited for.
func (one *sidecar) children(t *testing.T) []int {
	t.Helper()
	tasks, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(one.process.Pid), "task", "*", "children"))
	if err != nil || len(tasks) == 0 {
		t.Skip("processes cannot be seen here: no /proc/<pid>/task/<tid>/children")
	}
	var ids []int
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		for _, word := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(word); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// running waits until the program runs, and gives the id of its process, which is that of its group.
func (one *sidecar) running(t *testing.T) int {
	t.Helper()
	var ids []int
	if !within(time.Minute, func() bool { ids = one.children(t); return len(ids) > 0 }) {
		t.Fatal("the program was not seen running")
	}
	return ids[0]
}

// within waits until a condition holds.
func within(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

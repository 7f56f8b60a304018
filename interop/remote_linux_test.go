package interop_test

import (
	"encoding/pem"
	"fmt"
	"net"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"argocd-jobs.example/interop/renderer"
)

// remote are two repositories: one that servers give out, and the Application's, whose kustomizations use it.
func remote(t *testing.T) (served, own string) {
	t.Helper()
	served, _ = committed(t, map[string]string{
		"base/kustomization.yaml": "resources: [../jobs]\n", "jobs/kustomization.yaml": "resources: [all.yaml]\n", "jobs/all.yaml": named(migration, "migrate"),
	})
	own = t.TempDir()
	other, _ := committed(t, map[string]string{"kustomization.yaml": "resources: [all.yaml]\n", "all.yaml": named(gate, "secret")})
	up, err := filepath.Rel(filepath.Join(own, "sibling"), other)
	if err != nil {
		t.Fatal(err)
	}
	write(t, own, map[string]string{
		"file/kustomization.yaml":    fmt.Sprintf("resources: ['file://%s//base']\n", served),
		"sibling/kustomization.yaml": fmt.Sprintf("resources: ['%s']\n", up),
	})
	return served, own
}

// servers are how a kustomization gets a base from another repository: the URL of the base, and the variable without which it is not given out.
var servers = map[string]func(t *testing.T, served string) (url, variable string){"https": overHTTPS, "ssh": overSSH}

func overHTTPS(t *testing.T, served string) (url, variable string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewTLSServer(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + served, "GIT_HTTP_EXPORT_ALL=1"}})
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return server.URL + "/.git//base", "GIT_SSL_CAINFO=" + authority
}

// overSSH starts an sshd for each connection.
func overSSH(t *testing.T, served string) (url, variable string) {
	t.Helper()
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		t.Skip("not run: a base over ssh: there is no sshd")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"host", "id"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", in(name)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			file, err := connection.(*net.TCPConn).File()
			_ = connection.Close()
			if err != nil {
				return
			}
			command := exec.Command(sshd, "-i", "-f", "/dev/null", "-h", in("host"), "-o", "AuthorizedKeysFile="+in("id.pub"), "-o", "StrictModes=no", "-o", "UsePAM=no")
			command.Stdin, command.Stdout = file, file
			_ = command.Start()
			_ = file.Close()
			go func() { _ = command.Wait() }()
		}
	}()
	key, err := os.ReadFile(in("host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if err := os.WriteFile(in("known"), []byte("[127.0.0.1]:"+port+" "+string(key)), 0o600); err != nil {
		t.Fatal(err)
	}
	return "ssh://127.0.0.1:" + port + served + "/.git//base",
		fmt.Sprintf("GIT_SSH_COMMAND=ssh -i %s -o IdentitiesOnly=yes -o UserKnownHostsFile=%s", in("id"), in("known"))
}

// With the kernel's wall and without it, git gets a base from a server when the network is allowed, and from nowhere else.
func TestABaseIsGottenFromAServerOnly(t *testing.T) {
	real, err := renderer.Directory("..")
	if err != nil {
		t.Skip(err)
	}
	kernel := program(t)
	reading, err := tools(t).Behind(kernel)
	if err != nil {
		t.Fatal(err)
	}
	served, own := remote(t)
	for protocol, serve := range servers {
		t.Run(protocol, func(t *testing.T) {
			url, variable := serve(t, served)
			write(t, own, map[string]string{protocol + "/kustomization.yaml": fmt.Sprintf("resources: ['%s?ref=HEAD']\n", url)})
			for _, program := range []string{kernel, reading} {
				generate := func(path string, arguments ...string) string {
					command := exec.Command(program, append(append([]string{"generate"}, arguments...), filepath.Join(own, path))...)
					// The program takes no tools out of the repository that it is started in, such as this one.
					command.Dir = own
					command.Env = []string{"PATH=" + real + ":" + os.Getenv("PATH"), variable, "HOME=" + t.TempDir()}
					said, _ := command.CombinedOutput()
					return string(said)
				}
				for _, wanted := range [][]string{
					{"name: migrate-", generate(protocol, "--network", "allow")},
					{"allow it with `--network allow`", generate(protocol)},
					{"transport 'file' not allowed", generate("file", "--network", "allow")},
					{"which is outside the repository", generate("sibling", "--network", "allow")},
				} {
					if !strings.Contains(wanted[1], wanted[0]) || strings.Contains(wanted[1], "secret\n") {
						t.Errorf("%s: not %q, but\n%s", program, wanted[0], wanted[1])
					}
				}
			}
		})
	}
}

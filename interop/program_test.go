package interop_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// program finds the binary under test: $ARGOCD_JOBS, else what cargo has built in this repository.
func program(t *testing.T) string {
	t.Helper()
	candidates := []string{"../target/release/argocd-jobs", "../target/debug/argocd-jobs"}
	if named := os.Getenv("ARGOCD_JOBS"); named != "" {
		candidates = []string{named}
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			whole, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			return whole
		}
	}
	t.Fatalf("no binary at %v: run `cargo build --release` in the repository's root, or set ARGOCD_JOBS", candidates)
	return ""
}

// invocation is one run of the program.
type invocation struct {
	dir   string
	env   []string
	args  []string
	stdin []byte
}

type outcome struct {
	stdout, stderr []byte
	err            error
}

func (run invocation) do(t *testing.T) outcome {
	t.Helper()
	command := exec.Command(program(t), run.args...)
	command.Dir = run.dir
	command.Env = append([]string{"PATH=" + os.Getenv("PATH")}, run.env...)
	command.Stdin = bytes.NewReader(run.stdin)
	command.WaitDelay = time.Minute
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	return outcome{stdout.Bytes(), stderr.Bytes(), err}
}

// filter runs `generate -` over a stream, with further arguments.
func filter(t *testing.T, stream string, args ...string) outcome {
	t.Helper()
	return invocation{dir: t.TempDir(), args: append([]string{"generate", "-"}, args...), stdin: []byte(stream)}.do(t)
}

// Package reads asks the program which folders it would not give to helm and kustomize, and sees what these open of it.
//
// Where the kernel does not confine the tools, the program reads kustomizations and charts before they do. What is held here: whatever a tool opens
// outside of the repository, or of what git keeps, the program has refused before.
package reads

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var (
	// Documents is how many random documents are read by the program and by the tool.
	Documents = flag.Int("documents", 100000, "how many random documents are read; a tenth with -short")
	// First is the number of the first one, to go on where another run has ended.
	First = flag.Int("first", 0, "the number of the first document")
)

// Program answers for one folder after another: the example `reads`.
type Program struct {
	in  io.Writer
	out *bufio.Reader
}

// Start starts it. The test is skipped when READS does not name it.
func Start(t *testing.T) *Program {
	t.Helper()
	path := os.Getenv("READS")
	if path == "" {
		t.Skip("READS does not name the example of the program (cargo build --release --example reads)")
	}
	command := exec.Command(path)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &Program{in, bufio.NewReader(out)}
}

// Refuses says why the program would not give a folder to `kustomize` or `helm`; nothing when it would.
func (program *Program) Refuses(t *testing.T, tool, dir, root string) string {
	t.Helper()
	if _, err := fmt.Fprintf(program.in, "%s\t%s\t%s\n", tool, dir, root); err != nil {
		t.Fatal("the program has ended: ", err)
	}
	line, err := program.out.ReadString('\n')
	if err != nil {
		t.Fatal("the program has ended: ", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// Watch notes what is opened below some folders.
type Watch struct {
	fd      int
	folders map[int32]string
}

// NewWatch begins. The folders must be complete.
func NewWatch(t *testing.T, tops ...string) *Watch {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	watch := &Watch{fd, map[int32]string{}}
	for _, top := range tops {
		err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			number, err := syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN)
			watch.folders[int32(number)] = path
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	watch.Opened(t)
	return watch
}

// Opened is what has been opened since the last call.
func (watch *Watch) Opened(t *testing.T) []string {
	t.Helper()
	var opened []string
	buffer := make([]byte, 1<<16)
	for {
		count, err := syscall.Read(watch.fd, buffer)
		if err == syscall.EAGAIN {
			return opened
		}
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < count; {
			number := int32(le(buffer[at:]))
			length := int(le(buffer[at+12:]))
			name := strings.TrimRight(string(buffer[at+16:at+16+length]), "\x00")
			opened = append(opened, filepath.Join(watch.folders[number], name))
			at += 16 + length
		}
	}
}

func le(bytes []byte) uint32 {
	return uint32(bytes[0]) | uint32(bytes[1])<<8 | uint32(bytes[2])<<16 | uint32(bytes[3])<<24
}

// Write writes files, by their paths below a folder, and links, whose texts begin with `-> `.
func Write(t *testing.T, top string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path = filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		var err error
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Count is how many documents a test reads.
func Count() int {
	if testing.Short() {
		return *Documents / 10
	}
	return *Documents
}

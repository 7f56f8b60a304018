// Gets the charts and kustomizations of others that testdata/public.yaml lists: `go run ./cmd/public DIR`, with git and a network. Each is
// put into a folder of its name in DIR, at the commit that the list names.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// entry is an entry of the list, with the fields that getting it needs.
type entry struct{ Name, Repository, Commit, From string }

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./cmd/public DIR")
	}
	text, err := os.ReadFile(filepath.Join("testdata", "public.yaml"))
	if err != nil {
		log.Fatal(err)
	}
	var entries []entry
	if err := yaml.Unmarshal(text, &entries); err != nil {
		log.Fatal(err)
	}
	for _, one := range entries {
		if err := one.get(os.Args[1]); err != nil {
			log.Fatalf("%s: %v", one.Name, err)
		}
		fmt.Println(one.Name)
	}
}

// get fetches the commit, once for all entries of a repository, and unpacks its folder.
func (one entry) get(dir string) error {
	repository := filepath.Join(dir, ".repositories", one.Repository)
	git := func(args ...string) *exec.Cmd {
		return exec.Command("git", append([]string{"-C", repository}, args...)...)
	}
	if git("cat-file", "-e", one.Commit+"^{tree}").Run() != nil {
		if err := os.MkdirAll(repository, 0o755); err != nil {
			return err
		}
		for _, args := range [][]string{{"init", "--quiet", "--bare"}, {"fetch", "--quiet", "--depth=1", "https://" + one.Repository, one.Commit}} {
			if said, err := git(args...).CombinedOutput(); err != nil {
				return fmt.Errorf("git %s: %w\n%s", args[0], err, said)
			}
		}
	}
	to := filepath.Join(dir, one.Name)
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755)); err != nil {
		return err
	}
	archive, unpack := git("archive", one.Commit+":"+one.From), exec.Command("tar", "-x", "-C", to)
	if one.From == "." {
		archive = git("archive", one.Commit)
	}
	unpack.Stderr = os.Stderr
	pipe, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	unpack.Stdin = pipe
	if err := unpack.Start(); err != nil {
		return err
	}
	return errors.Join(archive.Run(), unpack.Wait())
}

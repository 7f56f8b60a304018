// Package renderer renders one source with Helm or kustomize twice: as Argo CD does it and as our plugin does it, and writes down how
// each of the two calls the tools.
package renderer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// ErrNoTools is what Find returns where the tools have not been built.
var ErrNoTools = errors.New("not run: the tests that run helm and kustomize: TOOLS names no directory that has them (interop/tools/build)")

// Tools are a helm and a kustomize behind recorders of the same names.
type Tools struct {
	// Bin is the directory of the recorders, for PATH.
	Bin string
	// Without is the program that starts ours on a kernel without Landlock; empty where there is none. With Landlock no recorder could write.
	Without string
	// stray has the calls whose working directory belongs to no case.
	stray string
}

// Directory is where the real tools are: $TOOLS, else target/tools of this repository. Repository is the path of its root.
func Directory(repository string) (string, error) {
	dir := os.Getenv("TOOLS")
	if dir == "" {
		dir = filepath.Join(repository, "target", "tools")
	} else if !filepath.IsAbs(dir) {
		// As the program's own tests take it.
		dir = filepath.Join(repository, dir)
	}
	for _, name := range []string{"helm", "kustomize"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", ErrNoTools
		}
	}
	return filepath.Abs(dir)
}

// Find puts recorders into home, an empty directory, before the tools. Repository is the path of this repository's root.
func Find(repository, home string) (*Tools, error) {
	real, err := Directory(repository)
	if err != nil {
		return nil, err
	}
	if err := os.Symlink(real, filepath.Join(home, "real")); err != nil {
		return nil, err
	}
	tools := &Tools{Bin: filepath.Join(home, "bin"), stray: filepath.Join(home, "calls")}
	if err := os.WriteFile(tools.stray, nil, 0o644); err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(tools.Bin, "helm"), filepath.Join(repository, "interop", "renderer", "record", "main.go"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the recorder: %w\n%s", err, said)
	}
	if runtime.GOOS == "linux" {
		tools.Without = filepath.Join(home, "without")
		build := exec.Command("go", "build", "-o", tools.Without, filepath.Join(repository, "interop", "renderer", "without", "main.go"))
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the kernel without Landlock: %w\n%s", err, said)
		}
	}
	// Not a symlink: the recorder knows by its own path which tool it is.
	return tools, os.Link(filepath.Join(tools.Bin, "helm"), filepath.Join(tools.Bin, "kustomize"))
}

// Behind is a program that starts ours on a kernel without Landlock, with the same arguments.
func (tools *Tools) Behind(program string) (string, error) {
	if tools.Without == "" || filepath.Dir(program) == filepath.Dir(tools.Without) {
		return program, nil
	}
	path := filepath.Join(filepath.Dir(tools.Without), "argocd-jobs")
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$@\"\n", tools.Without, program)
	return path, os.WriteFile(path, []byte(script), 0o755)
}

// Stray are the calls whose working directory belongs to no case.
func (tools *Tools) Stray() ([]Call, error) { return read(tools.stray, "/nowhere") }

// Call is one start of a tool.
type Call struct {
	Tool string   `json:"tool"`
	Args []string `json:"args"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	// Said is the command line with what two runs cannot have in common taken out: `<root>` stands for the root of the repository and
	// `<tmp>` for a file of no repository; arguments of which Argo CD does not fix the order are sorted.
	Said string `json:"-"`
}

// read gives the calls in a file, for a repository at root.
func read(path, root string) ([]Call, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var calls []Call
	for line := range strings.Lines(string(text)) {
		var call Call
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			return nil, err
		}
		// Argo CD asks once in the life of its server.
		if call.Tool == "kustomize" && slices.Equal(call.Args, []string{"version", "--short"}) {
			continue
		}
		call.Said = call.said(root)
		calls = append(calls, call)
	}
	return calls, nil
}

// copied is a copy of the repository. The program renders a chart at the root in one, so that the chart does not see `.git`.
var copied = regexp.MustCompile(`/[^ ]*/argocd-jobs-[0-9a-f]{32}/repository`)

func (call Call) said(root string) string {
	place := func(text string) string {
		text = copied.ReplaceAllLiteralString(text, root)
		if text == root {
			return "<root>"
		}
		return strings.ReplaceAll(text, root+"/", "<root>/")
	}
	args := slices.Clone(call.Args)
	for i := range args {
		before := ""
		if i > 0 {
			before = call.Args[i-1]
		}
		args[i] = place(args[i])
		if (before == "--values" || before == "-f") && strings.HasPrefix(args[i], "/") {
			args[i] = "<tmp>"
		}
		if before == "repo" || before == "--untardir" || before == "--config" {
			args[i] = strings.TrimSpace(args[i])
		}
	}
	sortPairs(args, "--set", "--set-string", "--set-file")
	if len(args) > 2 && args[0] == "edit" && args[1] == "add" && (args[2] == "label" || args[2] == "annotation") {
		slices.Sort(args[3:])
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s", place(call.Dir), call.Tool)
	for _, arg := range args {
		out.WriteByte(' ')
		out.WriteString(quoted(arg))
	}
	return out.String()
}

// sortPairs sorts the values of a flag among the places at which it is.
func sortPairs(args []string, flags ...string) {
	for _, flag := range flags {
		var places []int
		var values []string
		for i := 0; i+1 < len(args); i++ {
			if args[i] == flag {
				places, values = append(places, i+1), append(values, args[i+1])
				i++
			}
		}
		slices.Sort(values)
		for i, place := range places {
			args[place] = values[i]
		}
	}
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./<>-]+$`)

func quoted(arg string) string {
	if plain.MatchString(arg) {
		return arg
	}
	return fmt.Sprintf("%q", arg)
}

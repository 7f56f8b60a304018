// Command record stands for helm or kustomize on PATH: it writes down how it is called, and becomes the real tool.
//
// What it writes goes to the file `calls` in the first directory above the working directory that has one; else to the one next to the
// directory in which it lies itself. The real tools are in `../real`. Nothing is read from the environment: the plugin clears that of
// the tools that it runs.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "Error: the recorder:", err)
		os.Exit(99)
	}
}

func run() error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	home, name := filepath.Dir(filepath.Dir(own)), filepath.Base(own)
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	line, err := json.Marshal(map[string]any{"tool": name, "args": os.Args[1:], "dir": dir, "env": os.Environ()})
	if err != nil {
		return err
	}
	log := filepath.Join(home, "calls")
	for above := dir; above != filepath.Dir(above); above = filepath.Dir(above) {
		if _, err := os.Stat(filepath.Join(above, "calls")); err == nil {
			log = filepath.Join(above, "calls")
			break
		}
	}
	file, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	// One write, so that calls at the same time do not mix.
	if _, err := file.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return syscall.Exec(filepath.Join(home, "real", name), append([]string{name}, os.Args[1:]...), os.Environ())
}

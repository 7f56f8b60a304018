package image

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Loader is the path of the program that loads a dynamically linked one; empty for one that is linked statically.
func Loader(program string) (string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return "", err
	}
	defer file.Close()
	for _, part := range file.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		text := make([]byte, part.Filesz)
		if _, err := part.ReadAt(text, 0); err != nil {
			return "", err
		}
		return strings.TrimRight(string(text), "\x00"), nil
	}
	return "", nil
}

// Libraries are the files that a loader would load for a program.
func Libraries(loader, program string) ([]string, error) {
	listed, err := exec.Command(loader, "--list", program).Output()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, word := range strings.Fields(string(listed)) {
		if !filepath.IsAbs(word) {
			continue
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			files = append(files, word)
		}
	}
	return files, nil
}

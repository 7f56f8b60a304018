// Package lines talks to a program that answers a line of JSON for each line of JSON.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Process is such a program.
type Process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Start starts it, with no environment.
func Start(path string) (*Process, error) {
	command := exec.Command(path)
	command.Env = []string{}
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Process{command, in, bufio.NewReaderSize(out, 1<<20)}, command.Start()
}

// Ask waits for the answer to a question, and decodes it.
func (process *Process) Ask(question, answer any) error {
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if _, err := process.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the program has ended: %w", err)
	}
	line, err = process.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the program has ended: %w", err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		return fmt.Errorf("%w: %s", err, line)
	}
	return nil
}

// Stop ends it, and says how.
func (process *Process) Stop() error {
	if err := process.in.Close(); err != nil {
		return err
	}
	return process.command.Wait()
}

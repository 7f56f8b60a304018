// Package twin asks the program about many inputs in one process, and makes such inputs.
package twin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Question is an input: a stream, or else the files of a directory, by their names.
type Question struct {
	Stream      *[]byte           `json:"stream,omitempty"`
	Files       map[string][]byte `json:"files,omitempty"`
	Strategy    string            `json:"strategy"`
	Application string            `json:"application,omitempty"`
}

// Answer is what `generate` does with it.
type Answer struct {
	Status int    `json:"status"`
	Stdout []byte `json:"stdout"`
	Stderr string `json:"stderr"`
}

// Process is `pipe` of the folder fuzz.
type Process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Start starts it.
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

// Ask waits for an answer.
func (process *Process) Ask(question Question) (Answer, error) {
	line, err := json.Marshal(question)
	if err != nil {
		return Answer{}, err
	}
	if _, err := process.in.Write(append(line, '\n')); err != nil {
		return Answer{}, fmt.Errorf("the program has ended: %w", err)
	}
	line, err = process.out.ReadBytes('\n')
	if err != nil {
		return Answer{}, fmt.Errorf("the program has ended: %w", err)
	}
	var answer Answer
	return answer, json.Unmarshal(line, &answer)
}

// Stop ends it.
func (process *Process) Stop() error {
	if err := process.in.Close(); err != nil {
		return err
	}
	return process.command.Wait()
}

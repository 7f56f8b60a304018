package applicationset

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// Program is the example `applicationset` of the program, which answers a line for each line.
type Program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Start starts it.
func Start(path string) (*Program, error) {
	command := exec.Command(path)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Program{command, in, bufio.NewReaderSize(out, 1<<20)}, command.Start()
}

// Stop ends it, and says how.
func (program *Program) Stop() error {
	_ = program.in.Close()
	return program.command.Wait()
}

// Expand gives the Applications that the program makes of a set.
func (program *Program) Expand(row Row) (outcome Outcome, err error) {
	text, err := json.Marshal(row)
	if err != nil {
		return outcome, err
	}
	if _, err := program.in.Write(append(text, '\n')); err != nil {
		return outcome, err
	}
	line, err := program.out.ReadBytes('\n')
	if err != nil {
		return outcome, err
	}
	var answer struct {
		Applications []json.RawMessage `json:"applications"`
		Assumed      []string          `json:"assumed"`
		Problems     []string          `json:"problems"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return outcome, fmt.Errorf("%w: %s", err, line)
	}
	for _, text := range answer.Applications {
		var application v1alpha1.Application
		if err := json.Unmarshal(text, &application); err != nil {
			return outcome, fmt.Errorf("%w: %s", err, text)
		}
		made, err := canonical(&application)
		if err != nil {
			return outcome, err
		}
		outcome.Applications = append(outcome.Applications, made)
	}
	slices.Sort(outcome.Applications)
	for _, problem := range answer.Problems {
		outcome.Failed += problem + "; "
		if function, is := strings.CutPrefix(problem, "Function "); is {
			outcome.Functions = append(outcome.Functions, function)
		}
	}
	if len(answer.Assumed) > 0 {
		outcome.Failed += fmt.Sprintf("assumed: %q", answer.Assumed)
	}
	return outcome, nil
}

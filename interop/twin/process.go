// Package twin asks the program about many inputs in one process, and makes such inputs.
package twin

import "argocd-jobs.example/interop/lines"

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
type Process struct{ *lines.Process }

// Start starts it.
func Start(path string) (Process, error) {
	process, err := lines.Start(path)
	return Process{process}, err
}

// Ask waits for an answer.
func (process Process) Ask(question Question) (answer Answer, err error) {
	err = process.Process.Ask(question, &answer)
	return answer, err
}

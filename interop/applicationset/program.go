package applicationset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"argocd-jobs.example/interop/lines"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// Program is the example `applicationset` of the program.
type Program struct{ *lines.Process }

// Start starts it.
func Start(path string) (*Program, error) {
	process, err := lines.Start(path)
	return &Program{process}, err
}

// Expand gives the Applications that the program makes of a set.
func (program *Program) Expand(row Row) (outcome Outcome, err error) {
	var answer struct {
		Applications []json.RawMessage `json:"applications"`
		Assumed      []string          `json:"assumed"`
		Problems     []string          `json:"problems"`
	}
	if err := program.Ask(row, &answer); err != nil {
		return outcome, err
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

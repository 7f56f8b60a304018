package sync_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// preview is what the JSON of `preview --base` says of one Application.
type preview struct {
	Summary string
	Start   start
	End     end
	Rows    []row
	Order   []struct {
		moment
		Objects []struct{ Group, Kind, Name string }
	}
}

// start is whether a sync starts.
type start struct {
	When   string
	Causes []struct{ Object, What string }
}

// starts reports whether a sync starts with the merge, or may start with it.
func (of start) starts() bool {
	return slices.Contains([]string{"on-merge", "on-merge-anyway", "if-automated", "if-automated-anyway", "if-pruned", "after-sync-of-parent", "if-root-is-applied", "in-a-step", "in-a-sync-window", "unless-ignored"}, of.When)
}

// end is how a sync ends.
type end struct{ How string }

func (of end) fails() bool      { return of.How == "fails" || of.comparison() }
func (of end) comparison() bool { return of.How == "comparison-fails" }
func (of end) waits() bool {
	return of.How == "waits-for-confirmation" || of.How == "waits-for-suspended-job"
}

// row is what the JSON says of an object.
type row struct {
	Group, Kind, Name, NewName, Change, Outcome, Text string
	Moment                                            *moment
	Runs, BecauseOfChange, Bad                        bool
}

// moment is when a sync applies something.
type moment struct {
	Phase string
	Wave  int
}

var phases = []string{"PreSync", "Sync", "PostSync", "SyncFail"}

// compare puts moments in the order of a sync.
func (one moment) compare(other moment) int {
	if by := slices.Index(phases, one.Phase) - slices.Index(phases, other.Phase); by != 0 {
		return by
	}
	return one.Wave - other.Wave
}

// readPreview reads the JSON of a preview of one Application.
func readPreview(out []byte) (preview, error) {
	var whole struct{ Applications []preview }
	if err := json.Unmarshal(out, &whole); err != nil {
		return preview{}, fmt.Errorf("%w: %s", err, out)
	}
	if len(whole.Applications) != 1 {
		return preview{}, fmt.Errorf("%d Applications: %s", len(whole.Applications), out)
	}
	return whole.Applications[0], nil
}

// isCreated reports whether the sync creates or applies it: with pods that cannot start, too.
func (of row) isCreated() bool { return of.Runs || of.Outcome == "cannot-start" }

// runsAs is the name under which it runs.
func (of row) runsAs() string {
	if of.NewName != "" {
		return of.NewName
	}
	return of.Name
}

// inRows are the Jobs that run as the rows say, by their emitted names, each with when the first one of its name is applied.
func (of preview) inRows() map[string]moment {
	found := map[string]moment{}
	for _, one := range of.Rows {
		if one.Group != "batch" || one.Kind != "Job" || !one.isCreated() {
			continue
		}
		at := moment{}
		if one.Moment != nil {
			at = *one.Moment
		}
		if first, known := found[one.runsAs()]; !known || at.compare(first) < 0 {
			found[one.runsAs()] = at
		}
	}
	return found
}

// inOrder are the Jobs that run as the order says, likewise.
func (of preview) inOrder() map[string]moment {
	found := map[string]moment{}
	for _, step := range of.Order {
		for _, object := range step.Objects {
			if _, known := found[object.Name]; !known && object.Group == "batch" && object.Kind == "Job" {
				found[object.Name] = step.moment
			}
		}
	}
	return found
}

// contradictions are what of the rows is not so in the order, and the names in them that no object has.
func (of preview) contradictions() (all []string) {
	if rows, order := of.inRows(), of.inOrder(); !maps.Equal(rows, order) {
		all = append(all, fmt.Sprintf("said in the rows that these Jobs run: %v, and in the order: %v", rows, order))
	}
	for _, one := range of.Rows {
		for _, name := range []string{one.Name, one.NewName} {
			if strings.HasSuffix(name, "-") {
				all = append(all, fmt.Sprintf("the row of the generateName %s has no `…`", name))
			}
		}
	}
	return all
}

// refusal is an object that Argo CD could not apply, in the dry run or in its wave.
type refusal struct{ phase, kind, name string }

// refusals are those of an operation; none if there is none.
func refusals(state *v1alpha1.OperationState) (all []refusal) {
	if state == nil || state.SyncResult == nil {
		return nil
	}
	for _, one := range state.SyncResult.Resources {
		if string(one.Status) == "SyncFailed" {
			all = append(all, refusal{string(one.SyncPhase), one.Kind, one.Name})
		}
	}
	return all
}

// isOf reports whether this is the row of an object. What does not run has no new name in its row. Only a hook gets a name from its generateName.
func (of row) isOf(one refusal) bool {
	if prefix, generated := strings.CutSuffix(of.runsAs(), "…"); generated {
		return of.Kind == one.kind && (one.name == "" || strings.HasPrefix(one.name, prefix))
	}
	written := strings.TrimSuffix(withoutHash.ReplaceAllString(ofRevision.ReplaceAllString(one.name, ""), ""), "-hook")
	return of.Kind == one.kind && slices.Contains([]string{one.name, written}, of.runsAs())
}

// wrongFailures compares the rows that fail with what Argo CD could not apply. broken is when something failed by its content, if it did: of that
// the preview knows nothing, and of the rest Argo CD applies only hooks for a failed sync.
func (of preview) wrongFailures(refused []refusal, broken *moment) (all []string) {
	if of.End.comparison() {
		return nil
	}
	isReached := func(at *moment) bool { return broken == nil || at == nil || at.compare(*broken) <= 0 }
	var fails []row
	for _, one := range of.Rows {
		if one.Outcome != "fails" {
			continue
		}
		fails = append(fails, one)
		if isReached(one.Moment) && !slices.ContainsFunc(refused, one.isOf) {
			all = append(all, fmt.Sprintf("said that %s %s fails, and it is none of what could not be applied: %v", one.Kind, one.Name, refused))
		}
	}
	for _, one := range refused {
		isSaid := slices.ContainsFunc(fails, func(row row) bool { return row.isOf(one) })
		if !isSaid && (broken == nil || one.phase != "SyncFail") {
			all = append(all, fmt.Sprintf("%v could not be applied, and no row says so", one))
		}
	}
	return all
}

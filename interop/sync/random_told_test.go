package sync_test

import (
	"regexp"
	"slices"
)

// told is what `preview --base` says, for a random Application.
type told struct {
	preview
	// starts says that a sync starts with the merge, and when is what the JSON has for that.
	starts bool
	when   string
	// fails and waits say how the sync ends, and comparison that it does not start because the comparison fails.
	fails, waits, comparison bool
	// runs are the pieces that run because of the change, and unchanged those that run in the sync that starts as they do in every one.
	runs, unchanged []string
	// lost are the pieces that do not run although they should, or whose pods do not start.
	lost []string
	// failing are the objects other than Jobs that make the sync fail.
	failing []string
	// outOfSync says that the Application is OutOfSync.
	outOfSync bool
	// rows are those of the JSON, by the name of the piece.
	rows map[string]row
	// order is what the sync runs, by the name of the piece, and with it the emitted names of the Jobs.
	order map[string][]moment
	names []string
}

var ofPiece = regexp.MustCompile(`^p\d+`)

// pieceOf is the name of the piece from which an object has its name; empty for other objects.
func pieceOf(name string) string { return ofPiece.FindString(name) }

// read reads the JSON of a preview of one Application.
func read(out []byte) (told, error) {
	whole, err := readPreview(out)
	if err != nil {
		return told{}, err
	}
	found := told{preview: whole, starts: whole.Start.starts(), when: whole.Start.When, outOfSync: len(whole.Start.Causes) > 0, rows: map[string]row{}, order: map[string][]moment{}}
	found.fails, found.waits, found.comparison = whole.End.fails(), whole.End.waits(), whole.End.comparison()
	for _, one := range whole.Rows {
		name := pieceOf(one.Name)
		if one.Outcome == "fails" && one.Kind != "Job" {
			found.failing = append(found.failing, one.Kind+" "+one.Name)
		}
		if one.Change == "gone" || name == "" {
			continue
		}
		found.rows[name] = one
		switch {
		case one.Bad && one.Outcome != "fails" && one.Outcome != "waits" || one.Outcome == "not-reached":
			found.lost = append(found.lost, name)
		case one.Runs && one.BecauseOfChange:
			found.runs = append(found.runs, name)
		case one.Runs && found.starts:
			found.unchanged = append(found.unchanged, name)
		}
	}
	for _, step := range whole.Order {
		for _, object := range step.Objects {
			// A ConfigMap has another name.
			if name := pieceOf(object.Name); name != "" {
				found.order[name] = append(found.order[name], step.moment)
				if object.Kind == "Job" && !slices.Contains(found.names, object.Name) {
					found.names = append(found.names, object.Name)
				}
			}
		}
	}
	return found, nil
}

package sync_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// told is what `preview --base` says, for a random Application. All that reads its sentences is here.
type told struct {
	sentences string
	// starts is what the first of them says: a sync starts with the merge.
	starts bool
	// fails and waits say how the sync ends, and comparison that it does not start because the comparison fails.
	fails, waits, comparison bool
	// runs are the pieces that run because of the change, as far as they are named, and count is how many there are.
	runs  []string
	count int
	// unchanged are those that run in the sync that starts as they do in every one.
	unchanged []string
	// lost are the pieces that do not run although they should, or whose pods do not start.
	lost []string
	// autoSync and outOfSync are those of the JSON: what starts a sync, and whether the Application is OutOfSync.
	autoSync  string
	outOfSync bool
	// rows are those of the JSON, by the name of the piece.
	rows map[string]row
	// order is what the sync runs, by the name of the piece, and with it the emitted names of the Jobs.
	order map[string][]moment
	names []string
}

// row is what the JSON says of a piece.
type row struct {
	Kind, Name, NewName, Verdict, Text string
	Moment                             *moment
	Blocked                            bool
	Uses                               []struct{ Name, Sees string }
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

var (
	ofPiece  = regexp.MustCompile(`^p\d+`)
	named    = regexp.MustCompile("`(p\\d+)(-[^`]*)?`")
	isAnyway = regexp.MustCompile(`^\d+ unchanged [A-Za-z]+( and hooks)? runs?\b`)
	counts   = regexp.MustCompile(`(?:^|[.;] )(\d+) (?:new )?[A-Za-z]+(?: and hooks)? runs?\b`)
	isLost   = regexp.MustCompile(`\bdo(es)? not run\b|\bnever runs?\b|\bcannot start\b`)
	isRun    = regexp.MustCompile(`^\d+ (new )?[A-Za-z]+( and hooks)? runs?\b`)
)

// pieceOf is the name of the piece from which an object has its name; empty for other objects.
func pieceOf(name string) string { return ofPiece.FindString(name) }

// read reads the JSON of a preview of one Application.
func read(out []byte) (told, error) {
	type preview struct {
		NextSync, AutoSync string
		AutoSyncStarts     []struct{}
		Jobs               []row
		Order              []struct {
			moment
			Objects []struct{ Kind, Name string }
		}
	}
	var whole struct {
		preview
		Sources []struct{ Preview preview }
	}
	if err := json.Unmarshal(out, &whole); err != nil {
		return told{}, fmt.Errorf("%w: %s", err, out)
	}
	if len(whole.Sources) == 1 {
		whole.preview = whole.Sources[0].Preview
	}
	found := told{sentences: whole.NextSync, autoSync: whole.AutoSync, outOfSync: len(whole.AutoSyncStarts) > 0, rows: map[string]row{}, order: map[string][]moment{}}
	for _, one := range whole.Jobs {
		if one.Verdict != "gone" {
			found.rows[pieceOf(one.Name)] = one
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
	found.parse()
	return found, nil
}

// parse reads the first sentences.
func (of *told) parse() {
	of.starts = strings.HasPrefix(of.sentences, "Merging starts ") && !strings.HasPrefix(of.sentences, "Merging starts no sync")
	of.comparison = strings.Contains(of.sentences, "omparison fails")
	of.fails, of.waits = saysFails.MatchString(of.sentences), saysWaits.MatchString(of.sentences)
	for _, match := range counts.FindAllStringSubmatch(of.sentences, -1) {
		number, _ := strconv.Atoi(match[1])
		of.count += number
	}
	for sentence := range strings.SplitSeq(of.sentences, ". ") {
		for clause := range strings.SplitSeq(sentence, "; ") {
			names := []string{}
			// What follows is why, which can name something else.
			what, _, _ := strings.Cut(clause, ", because ")
			for _, match := range named.FindAllStringSubmatch(what, -1) {
				names = append(names, match[1])
			}
			switch {
			case isLost.MatchString(clause):
				of.lost = append(of.lost, names...)
			case isAnyway.MatchString(clause):
				of.unchanged = append(of.unchanged, names...)
			case isRun.MatchString(clause):
				of.runs = append(of.runs, names...)
			}
		}
	}
}

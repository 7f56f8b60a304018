package sync_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// judgement compares what the preview said with what the controller did.
type judgement struct {
	before, next version
	said         told
	seen         seen
	one          *scenario
	anyway       map[string]bool
	// alive says which Jobs run, given those that are there.
	alive map[string]bool
}

// wrong are the differences.
func (of judgement) wrong() (all []string) {
	add := func(format string, arguments ...any) { all = append(all, fmt.Sprintf(format, arguments...)) }
	all = append(all, of.said.contradictions()...)
	if of.said.starts != of.seen.started {
		add("said that a sync starts: %t (%s), and one started: %t (%s)", of.said.starts, of.said.when, of.seen.started, of.seen.status)
	}
	if of.said.comparison != of.seen.refused {
		add("said that the comparison fails: %t, and it did: %t", of.said.comparison, of.seen.refused)
	}
	if of.said.comparison {
		return all
	}
	if is := of.seen.status != "Synced"; is != of.said.outOfSync {
		add("said that it is OutOfSync: %t, and it was %s", of.said.outOfSync, of.seen.status)
	}
	if of.isRace() {
		return all
	}
	failing := of.failing()
	broken := of.broken(failing)
	all = append(all, of.said.wrongFailures(of.seen.failed, broken)...)
	if len(failing) > 0 {
		return append(all, of.wrongUntil(broken)...)
	}
	if is := of.seen.ends == "Failed" || of.seen.ends == "Error"; is != of.said.fails {
		add("said that the sync fails: %t, and it ended %s", of.said.fails, of.seen.ends)
	}
	if is := of.seen.ends == "Running"; is != of.said.waits {
		add("said that the sync waits: %t, and it ended %s", of.said.waits, of.seen.ends)
	}
	order, ran := slices.Sorted(maps.Keys(of.said.order)), slices.Sorted(maps.Keys(of.seen.ran))
	if !slices.Equal(order, ran) {
		add("said that these run: %v, and these ran: %v", order, ran)
	}
	return append(append(append(all, of.wrongNames()...), of.wrongReasons()...), of.wrongAlive()...)
}

// wrongAlive compares what `preview --live` said of the Jobs. It looks at Jobs only: not if another object makes the sync fail.
func (of judgement) wrongAlive() (all []string) {
	if len(of.said.failing) > 0 {
		return nil
	}
	for name, says := range of.alive {
		if ran := of.seen.ran[name] != nil; ran != says {
			all = append(all, fmt.Sprintf("with what is live it was said that %s runs: %t, and it did: %t", name, says, ran))
		}
	}
	return all
}

// isRace reports whether a Job was deleted by its TTL before Argo CD has seen it end, on a busy machine or because it ended before it got
// its TTL: then the sync waits forever, or from 3.4 on fails.
func (of judgement) isRace() bool {
	lost := func(one piece) bool {
		return one.kind == "Job" && one.ttl == soon && (of.seen.ends == "Running" && strings.Contains(of.seen.said, "aiting for healthy state of batch/Job/"+one.name) ||
			of.seen.ends == "Failed" && strings.Contains(of.seen.said, "Resource batch/Job/"+one.name+" is missing"))
	}
	return !of.said.waits && slices.ContainsFunc(of.next.pieces, lost)
}

// failing are the pieces that ran and failed by their content, of which the preview knows nothing.
func (of judgement) failing() (all []string) {
	for name := range of.seen.ran {
		if one, known := of.next.piece(name); known && one.fails {
			all = append(all, name)
		}
	}
	return all
}

// broken is when the first of these pieces was applied; nil if that was not said.
func (of judgement) broken(failing []string) (end *moment) {
	for _, name := range failing {
		for _, at := range of.said.order[name] {
			if end == nil || at.compare(*end) < 0 {
				end = &at
			}
		}
	}
	return end
}

// wrongUntil is for a sync in which something fails: what comes before has run, and nothing that was not said.
func (of judgement) wrongUntil(end *moment) (all []string) {
	for name, moments := range of.said.order {
		if of.seen.ran[name] == nil && end != nil && moments[0].compare(*end) <= 0 {
			all = append(all, fmt.Sprintf("said that %s runs before %v, and it did not", name, *end))
		}
	}
	for name := range of.seen.ran {
		one, _ := of.next.piece(name)
		if of.said.order[name] == nil && !slices.Contains(one.hook, "SyncFail") {
			all = append(all, fmt.Sprintf("%s ran", name))
		}
	}
	return all
}

// wrongNames compares the emitted names of Jobs, and the order in which everything was created.
func (of judgement) wrongNames() (all []string) {
	for _, name := range of.seen.names {
		// Of a prefix Argo CD makes a name.
		if one, known := of.next.piece(pieceOf(name)); known && !one.generated && !slices.Contains(of.said.names, name) && !slices.ContainsFunc(of.said.names, isPrefix) {
			all = append(all, fmt.Sprintf("the Job %s ran, and not one of %v", name, of.said.names))
		}
	}
	for name, revisions := range of.seen.ran {
		for other, others := range of.seen.ran {
			one, second := of.said.order[name], of.said.order[other]
			if len(one) > 0 && len(second) > 0 && one[0].compare(second[0]) < 0 && revisions[0] > others[0] && others[0] > 0 {
				all = append(all, fmt.Sprintf("%s ran after %s", name, other))
			}
		}
	}
	return all
}

func isPrefix(name string) bool { return strings.HasSuffix(name, "…") }

// wrongReasons compares what is said to run because of the change with what ran, and was changed or does not run anyway.
func (of judgement) wrongReasons() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(of.seen.ran)) {
		because, known := of.isBecause(name)
		isLost := slices.Contains(of.said.lost, name)
		isSaid := slices.Contains(of.said.runs, name)
		switch {
		case of.said.rows[name].Outcome == "cannot-start":
			continue
		case isLost:
			all = append(all, fmt.Sprintf("said that %s does not run", name))
		}
		if known && because != isSaid {
			all = append(all, fmt.Sprintf("%s ran because of the change: %t, said: %t", name, because, isSaid))
		}
		if of.said.starts && !isLost && isSaid == slices.Contains(of.said.unchanged, name) {
			all = append(all, fmt.Sprintf("said that %s runs because of the change: %t, and that it runs unchanged: %[2]t", name, isSaid))
		}
	}
	for _, name := range slices.Concat(of.said.runs, of.said.unchanged) {
		if of.seen.ran[name] == nil {
			all = append(all, fmt.Sprintf("said that %s runs", name))
		}
	}
	return all
}

// isBecause reports whether a piece that ran did so because of the change.
func (of judgement) isBecause(name string) (is, known bool) {
	one, _ := of.next.piece(name)
	before, was := of.before.piece(name)
	if !was {
		return true, true
	}
	if moments := of.said.order[name]; len(moments) > 0 && moments[0].Phase == "SyncFail" {
		// That the sync fails is because of the change.
		return true, true
	}
	anyway, known := of.anyway[name]
	withTTL := before
	withTTL.ttl = one.ttl
	switch {
	case one.isChangedFrom(withTTL) || of.seesNew(one):
		return true, true
	case one.isChangedFrom(before) || inJSON(one.annotations()) != inJSON(before.annotations()):
		// What is emitted need not have the TTL. With another header it can be another run than the run that comes anyway.
		return true, known && !anyway
	}
	return !anyway, known
}

// seesNew reports whether the last run of a piece has found new content of the ConfigMap that it uses.
func (of judgement) seesNew(one piece) bool {
	old, had := of.before.configs[one.uses]
	now, has := of.next.configs[one.uses]
	if !has || had && old.value == now.value {
		return false
	}
	if now.hook {
		// It is written once more when its finalizer goes.
		moments := of.said.order[one.name]
		return len(moments) > 0 && moment{"PreSync", now.wave}.compare(moments[len(moments)-1]) <= 0
	}
	revisions := of.seen.ran[one.name]
	return of.one.configRevision(one.uses) < revisions[len(revisions)-1]
}

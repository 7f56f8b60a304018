package sync_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"

	"argocd-jobs.example/interop/argocd"
)

// A step is one kind of change. It says in a word what it did, and nothing if there was nothing to do it to. leaves says that the
// cluster has something afterwards that neither version has, or that the next version does not show.
type step func(random *rand.Rand, of *version) (did string, leaves bool)

// aPiece makes a step of a change of one piece that there is.
func aPiece(is func(piece) bool, change func(*rand.Rand, *piece) (string, bool)) step {
	return func(random *rand.Rand, of *version) (string, bool) {
		var at []int
		for index, one := range of.pieces {
			if is(one) {
				at = append(at, index)
			}
		}
		if len(at) == 0 {
			return "", false
		}
		one := &of.pieces[some(random, at...)]
		did, leaves := change(random, one)
		return fmt.Sprintf("%s of %s", did, one.name), leaves
	}
}

func anyPiece(piece) bool  { return true }
func isJob(one piece) bool { return one.kind == "Job" }
func isHook(one piece) bool {
	return len(one.hook) > 0
}
func isAppliedOnServer(one piece) bool {
	return isJob(one) && slices.Contains(one.options, "ServerSideApply=true")
}
func isNamedJob(one piece) bool { return isJob(one) && !one.generated }

// steps are all kinds of changes, some more often than others.
var steps = []step{
	aPiece(anyPiece, newImage), aPiece(anyPiece, newImage), aPiece(anyPiece, newImage), newConfig, newConfig, addPiece, addPiece, removePiece, nothing,
	aPiece(anyPiece, func(_ *rand.Rand, one *piece) (string, bool) { one.env++; return "variable", false }),
	aPiece(anyPiece, func(_ *rand.Rand, one *piece) (string, bool) { one.label++; return "label", false }),
	aPiece(isHook, func(random *rand.Rand, one *piece) (string, bool) { one.becomeHook(random); return "hook", true }),
	aPiece(isHook, func(random *rand.Rand, one *piece) (string, bool) { one.becomeHook(random); return "hook", true }),
	aPiece(anyPiece, func(random *rand.Rand, one *piece) (string, bool) {
		one.wave = some(random, -2, -1, 0, 1, 2, 3)
		return "wave", false
	}),
	aPiece(isNamedJob, changeRole), aPiece(isNamedJob, changeRole),
	aPiece(isJob, func(random *rand.Rand, one *piece) (string, bool) {
		one.ttl = some(random, 0, soon, 100_000, 200_000)
		return "TTL", true
	}),
	aPiece(isJob, func(_ *rand.Rand, one *piece) (string, bool) { one.backoff++; return "backoffLimit", false }),
	aPiece(isNamedJob, func(_ *rand.Rand, one *piece) (string, bool) {
		one.suspended = !one.suspended
		return "suspension", false
	}),
	aPiece(isNamedJob, func(random *rand.Rand, one *piece) (string, bool) {
		one.options = randomObjectOptions(random)
		return "options", true
	}),
	aPiece(isAppliedOnServer, func(_ *rand.Rand, one *piece) (string, bool) {
		one.unknown = !one.unknown
		return "unknown field", true
	}),
	aPiece(func(one piece) bool { return isJob(one) || one.kind == "Pod" }, func(_ *rand.Rand, one *piece) (string, bool) {
		one.written = !one.written
		return "defaults", false
	}),
	func(_ *rand.Rand, of *version) (string, bool) { of.written = !of.written; return "defaults", false },
	newUse, aPiece(anyPiece, breakIt),
	func(_ *rand.Rand, of *version) (string, bool) { of.settings++; return "settings", false },
	func(_ *rand.Rand, of *version) (string, bool) {
		of.api++
		of.selector = max(1, of.selector)
		return "image of api", false
	},
	func(random *rand.Rand, of *version) (string, bool) {
		if of.api == 0 || !oneIn(random, 3) {
			return "", false
		}
		of.selector++
		return "selector of api", false
	},
}

func newImage(_ *rand.Rand, one *piece) (string, bool) { one.image++; return "image", false }

// breakIt gives it an image that fails.
func breakIt(_ *rand.Rand, one *piece) (string, bool) {
	one.image++
	one.fails = one.kind != "Seed" && (one.kind != "TaskRun" || !argocd.Before(6))
	return "failing image", false
}

// changeRole makes a hook of an ordinary Job, and the other way round.
func changeRole(random *rand.Rand, one *piece) (string, bool) {
	if isHook(*one) {
		one.hook, one.policies, one.helm, one.gate = nil, nil, false, false
	} else {
		one.becomeHook(random)
	}
	return "role", true
}

func nothing(_ *rand.Rand, of *version) (string, bool) { of.comment++; return "nothing", false }

func addPiece(random *rand.Rand, of *version) (string, bool) {
	if len(of.pieces) >= 4 {
		return "", false
	}
	of.add(random)
	return "new " + of.pieces[len(of.pieces)-1].name, false
}

func removePiece(random *rand.Rand, of *version) (string, bool) {
	if len(of.pieces) == 0 {
		return "", false
	}
	at := random.Intn(len(of.pieces))
	one := of.pieces[at]
	of.pieces = slices.Delete(of.pieces, at, at+1)
	return "removed " + one.name, isHook(one)
}

// newConfig changes the content of a ConfigMap, or adds one.
func newConfig(random *rand.Rand, of *version) (string, bool) {
	name := fmt.Sprintf("config-%d", random.Intn(2))
	one, known := of.configs[name]
	if !known {
		of.configs[name] = randomConfig(random)
		return "new " + name, false
	}
	one.value++
	of.configs[name] = one
	return "content of " + name, false
}

// newUse makes a Job or a Pod use another ConfigMap, or none.
func newUse(random *rand.Rand, of *version) (string, bool) {
	names := append(slices.Sorted(maps.Keys(of.configs)), "")
	return aPiece(func(one piece) bool { return one.kind == "Job" || one.kind == "Pod" }, func(random *rand.Rand, one *piece) (string, bool) {
		one.uses, one.mounted = some(random, names...), oneIn(random, 2)
		return "use", false
	})(random, of)
}

// next changes a version once or twice.
func (of version) next(random *rand.Rand) (next version, did []string, leaves bool) {
	next = of.clone()
	for count := 1 + random.Intn(2); len(did) < count; {
		what, more := some(random, steps...)(random, &next)
		if what != "" {
			did, leaves = append(did, what), leaves || more
		}
	}
	return next, did, leaves
}

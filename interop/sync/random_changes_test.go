package sync_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	randomCount = flag.Int("random", 12, "how many random changes of random Applications are previewed and synced")
	randomSeed  = flag.Int64("random-seed", 1, "the first seed; each random Application has the next one")
)

// TestRandomChanges holds the first sentences of `preview --base`, and its rows, against what the controller does with random changes of
// random Applications. A seed, which is in the name of its scenario, makes one Application and the changes of it.
func TestRandomChanges(t *testing.T) {
	t.Parallel()
	// Few changes are shared out among several Applications, so that they do not follow one another.
	each := 3
	if *randomCount >= 100 {
		each = 10
	}
	for first := range (*randomCount + each - 1) / each {
		t.Run(fmt.Sprintf("seed %d", *randomSeed+int64(first)), func(t *testing.T) {
			t.Parallel()
			chain := &chain{T: t, random: rand.New(rand.NewSource(*randomSeed + int64(first)))}
			chain.options, chain.strategy, chain.compared = randomOptions(chain.random)
			for number := range min(each, *randomCount-first*each) {
				chain.step(number + 1)
			}
		})
	}
}

// chain is a random Application with one change after the other.
type chain struct {
	*testing.T
	random   *rand.Rand
	options  []option
	compared string
	// strategy is the Application's; empty for the default, and without the plugin.
	strategy string
	// one is where the last version is synced, as the preview takes it to be; none if it has to be made.
	one  *scenario
	last version
	// anyway are the pieces that are known to run, or not to run, at a sync that changes nothing of them.
	anyway map[string]bool
}

// begin makes an Application and syncs it, and once more to see what runs anyway.
func (of *chain) begin() {
	of.Helper()
	for range 20 {
		if of.one != nil {
			of.one.end()
		}
		of.last = of.possible(randomVersion(of.random))
		of.one = begin(of.T, of.last.files(), of.options...)
		of.one.quiet = true
		if of.compared != "" {
			of.one.annotate(compareOptions, of.compared)
		}
		if of.one.reacts(told{}, true).ends != "Succeeded" {
			continue
		}
		of.one.expired()
		of.one.commit(of.last.files())
		again := of.one.reacts(told{}, true)
		of.anyway = map[string]bool{}
		for _, one := range of.last.pieces {
			of.anyway[one.name] = again.ran[one.name] != nil
		}
		if again.ends == "Succeeded" {
			return
		}
	}
	of.Fatal("no version can be synced")
}

// step makes one change and compares.
func (of *chain) step(number int) {
	of.Helper()
	start := time.Now()
	if of.one == nil {
		of.begin()
		of.Logf("begun after %.1f s", time.Since(start).Seconds())
	}
	next, did, leaves := of.last.next(of.random)
	next = of.possible(next)
	of.one.expired()
	of.one.commit(next.files())
	said, err := of.one.asked()
	if err != nil {
		of.Errorf("change %d (%s): %v\n%s", number, strings.Join(did, ", "), err, of.manifests(next))
		of.one = nil
		return
	}
	for _, one := range next.pieces {
		if before, known := of.last.piece(one.name); known && (len(before.hook) == 0 || before.strategy != "") && len(one.hook) > 0 {
			of.one.lingersIfThere(one.name)
		}
	}
	prune := of.prunes()
	alive := of.one.runsAlive()
	found := of.one.reacts(said, prune)
	judge := judgement{before: of.last, next: next, said: said, seen: found, one: of.one, anyway: of.anyway, alive: alive}
	if wrong := judge.wrong(); len(wrong) > 0 {
		of.Errorf("change %d (%s), %s:\n  %s\n%s\nrows %s\ncompared %v\nended %s: %s\n%s", number, strings.Join(did, ", "), of.one.name, strings.Join(wrong, "\n  "),
			said.Summary, inJSON(said.Rows), found.resources, found.ends, found.said, of.manifests(next))
	}
	of.Logf("change %d (%s), %.1f s: %s; with what is live %v; it ended %s, ran %v", number, strings.Join(did, ", "), time.Since(start).Seconds(), said.Summary, alive, found.ends, slices.Sorted(maps.Keys(found.ran)))
	isClean := found.ends == "Succeeded" && len(judge.failing()) == 0 && !leaves && !of.suspendsEnded(next)
	if isClean && !prune && of.one.leftToPrune() {
		of.one.operate(v1alpha1.SyncOperation{Prune: true})
	}
	if isClean = isClean && !of.one.leftToPrune(); !isClean {
		of.one.end()
		of.one = nil
		return
	}
	for _, one := range next.pieces {
		if before, known := of.last.piece(one.name); known && inJSON(before.annotations()) == inJSON(one.annotations()) && !one.isChangedFrom(before) {
			of.anyway[one.name] = found.ran[one.name] != nil
		} else {
			delete(of.anyway, one.name)
		}
	}
	of.last = next
}

// possible takes out what self-heal creates anew, whenever it is deleted, and what the program refuses: a suspended Job that becomes a hook.
func (of *chain) possible(version version) version {
	var spec v1alpha1.ApplicationSpec
	spec.Source, spec.SyncPolicy = &v1alpha1.ApplicationSource{Plugin: &v1alpha1.ApplicationSourcePlugin{}}, &v1alpha1.SyncPolicy{}
	for _, change := range of.options {
		change(&spec)
	}
	for index := range version.pieces {
		if one := &version.pieces[index]; one.ttl == soon && strings.Contains(inJSON(spec.SyncPolicy), `"selfHeal":true`) {
			one.ttl = 150_000
		}
		if one := &version.pieces[index]; one.suspended && slices.Contains([]string{"hook", "generate-name"}, cmp.Or(one.strategy, of.strategy)) {
			one.suspended = false
		}
	}
	return version
}

// suspendsEnded reports whether a suspended Job has ended: the preview takes it to be held.
func (of *chain) suspendsEnded(version version) bool {
	of.Helper()
	jobs, err := shared.client.BatchV1().Jobs(of.one.name).List(of.Context(), metav1.ListOptions{})
	if err != nil {
		of.Fatal(err)
	}
	return slices.ContainsFunc(jobs.Items, func(job batchv1.Job) bool {
		one, _ := version.piece(pieceOf(job.Name))
		return one.suspended && finished(&job)
	})
}

// prunes reports whether a sync of the Application prunes: by hand it does if nothing is automated.
func (of *chain) prunes() bool {
	automated := of.one.spec.SyncPolicy.Automated
	if automated == nil {
		return true
	}
	return strings.Contains(inJSON(automated), `"prune":true`)
}

// manifests are the files that differ, and the settings of the Application.
func (of *chain) manifests(next version) string {
	before, now := of.last.files(), next.files()
	all := maps.Clone(before)
	maps.Copy(all, now)
	text := "application " + inJSON(of.one.spec) + " " + of.compared + "\n"
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before[name] == now[name] {
			text += "== " + name + "\n" + now[name]
		} else {
			text += "-- " + name + "\n" + before[name] + "++ " + name + "\n" + now[name]
		}
	}
	return text
}

package interop_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"argocd-jobs.example/interop/apiserver"
	"argocd-jobs.example/interop/hashv1"
	"argocd-jobs.example/interop/mutate"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var (
	pairs   = flag.Int("pairs", 10000, "how many random pairs the immutability test makes")
	streams = flag.Int("streams", 60, "how many streams of spelled documents go through the program")
	seed    = flag.Uint64("seed", 1, "the seed of every random test")
)

// some is a number of random inputs: a tenth of it with -short.
func some(number int) int {
	if testing.Short() {
		return number / 10
	}
	return number
}

// verdict is what the API server said about one pair.
type verdict struct {
	refused error
	same    bool
	why     string
	// null: the same pair without the null entries of its mappings is accepted.
	null bool
}

// judge takes a pair of manifests through Kubernetes and through the hash. It reports nothing when one
// of the two cannot be created at all: such a manifest is wrong in itself, whatever its name.
func judge(t *testing.T, way apiserver.Way, before, after map[string]any, started bool) (verdict, bool) {
	t.Helper()
	oldHash, newHash := hash(t, before), hash(t, after)
	live, err := way.Create(hashv1.Clean(before))
	if err != nil {
		return verdict{}, false
	}
	fresh, err := way.Create(hashv1.Clean(after))
	if err != nil {
		return verdict{}, false
	}
	if started {
		live = live.Started()
	}
	updated, refused := way.Apply(live, hashv1.Clean(after))
	one := verdict{refused: refused, same: oldHash == newHash}
	if refused != nil && one.same {
		one.null = acceptedWithoutNulls(way, before, after)
	}
	if refused == nil && !one.same {
		one.why = whyAccepted(live, updated, fresh)
	}
	return one, true
}

// acceptedWithoutNulls reports whether nulls alone are to blame. A null entry where the server has stored
// something is deleted at every apply, changed or not, and no name can mend that.
func acceptedWithoutNulls(way apiserver.Way, before, after map[string]any) bool {
	live, err := way.Create(withoutNulls(hashv1.Clean(before)).(map[string]any))
	if err != nil {
		return false
	}
	_, err = way.Apply(live, withoutNulls(hashv1.Clean(after)).(map[string]any))
	return err == nil
}

// withoutNulls takes the null entries out of the mappings of a value.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, entry := range value {
			if entry == nil {
				delete(value, key)
			} else {
				value[key] = withoutNulls(entry)
			}
		}
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	}
	return value
}

func hash(t *testing.T, job map[string]any) string {
	t.Helper()
	text, err := hashv1.Hash(job, hashv1.Extra{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// tally counts the pairs of a run and fails the test for those that must not be.
type tally struct {
	counts map[string]int
	sample map[string]string
}

func (count *tally) add(t *testing.T, one verdict, told string) {
	t.Helper()
	label := "accepted, same hash"
	switch {
	case one.null:
		label = "refused, same hash, but only because of a null where the server has stored something"
	case one.refused != nil && one.same:
		label = "REFUSED WITH THE SAME HASH"
		t.Errorf("the update is refused and the hash is the same\n  %s\n  %v", told, one.refused)
	case one.refused != nil:
		label = "refused, another hash"
	case !one.same && one.why == "":
		label = "ACCEPTED WITH ANOTHER HASH FOR NO LISTED REASON"
		t.Errorf("the update is accepted, the hash differs, and no listed reason says why\n  %s", told)
	case !one.same:
		label = "accepted, another hash: " + one.why
	}
	count.counts[label]++
	if _, found := count.sample[label]; !found {
		count.sample[label] = told
	}
}

func (count *tally) log(t *testing.T) {
	t.Helper()
	var labels []string
	for label := range count.counts {
		labels = append(labels, label)
	}
	sort.Strings(labels)
	for _, label := range labels {
		t.Logf("%7d  %s\n             such as %.300s", count.counts[label], label, count.sample[label])
	}
}

func newTally() *tally { return &tally{map[string]int{}, map[string]string{}} }

// Every Job to start from, every value of the table in it, in both directions, running and not.
func TestImmutabilitySingleChanges(t *testing.T) {
	table, bases := load(t)
	count := newTally()
	for _, base := range bases {
		for _, change := range table.Single() {
			changed := change.Apply(base)
			for _, started := range []bool{false, true} {
				for _, way := range apiserver.Ways {
					if started && way.Name == "server-side" {
						continue // only the validation of the update looks at it
					}
					told := fmt.Sprintf("%s: %s started=%v %s", name(base), change, started, way.Name)
					if one, ok := judge(t, way, base, changed, started); ok {
						count.add(t, one, told)
					}
					if one, ok := judge(t, way, changed, base, started); ok {
						count.add(t, one, "back from "+told)
					}
				}
			}
		}
	}
	count.log(t)
}

// Random pairs: the old one is itself up to four changes away from where it started.
func TestImmutabilityRandomPairs(t *testing.T) {
	table, bases := load(t)
	random := rand.New(rand.NewPCG(*seed, 5))
	count := newTally()
	for made := 0; made < some(*pairs); {
		base := bases[random.IntN(len(bases))]
		first, second := table.Random(random, 4), table.Random(random, 3)
		before := first.Apply(base)
		started, way := random.IntN(2) == 0, apiserver.Ways[random.IntN(2)]
		one, ok := judge(t, way, before, second.Apply(before), started)
		if !ok {
			continue
		}
		made++
		count.add(t, one, strings.Join([]string{name(base), first.String(), "=>", second.String(), fmt.Sprint(started), way.Name}, " "))
	}
	count.log(t)
}

// A name lives through many versions of a manifest: as long as the hash stays, each must be accepted on
// top of what all those before it have left in the cluster.
func TestImmutabilityHistories(t *testing.T) {
	table, bases := load(t)
	random := rand.New(rand.NewPCG(*seed, 6))
	updates := 0
	for range some(*pairs) / 20 {
		way := apiserver.Ways[random.IntN(2)]
		manifest := table.Random(random, 4).Apply(bases[random.IntN(len(bases))])
		withoutNulls(manifest)
		live, err := way.Create(hashv1.Clean(manifest))
		if err != nil {
			continue
		}
		told := way.Name + " " + name(manifest)
		for range 12 {
			change := table.Random(random, 2)
			next := change.Apply(manifest)
			withoutNulls(next)
			if _, err := way.Create(hashv1.Clean(next)); err != nil || hash(t, next) != hash(t, manifest) {
				continue
			}
			told += " => " + change.String()
			updated, err := way.Apply(live, hashv1.Clean(next))
			if err != nil {
				t.Errorf("the last update is refused under an unchanged hash\n  %s\n  %v", told, err)
				break
			}
			updates++
			manifest, live = next, updated
		}
	}
	t.Logf("%7d updates in histories", updates)
}

// The program's hash is that of the tests above: a few hundred of their Jobs, in one stream.
func TestImmutabilityHashIsTheProgramsHash(t *testing.T) {
	table, bases := load(t)
	random := rand.New(rand.NewPCG(*seed, 9))
	var jobs []*unstructured.Unstructured
	for number := range 800 {
		job := table.Random(random, 5).Apply(bases[random.IntN(len(bases))])
		rename(job, number)
		jobs = append(jobs, &unstructured.Unstructured{Object: job})
	}
	compared := 0
	for _, each := range through(t, jobs, "--strategy", "hash-name") {
		checked, fault := each.hashFault(hashv1.Extra{})
		if fault != "" {
			t.Error(fault)
		}
		if checked {
			compared++
		}
	}
	if compared != len(jobs) {
		t.Errorf("%d Jobs, and only %d names with a hash", len(jobs), compared)
	}
}

func load(t *testing.T) (*mutate.Table, []map[string]any) {
	t.Helper()
	table, err := mutate.Load()
	if err != nil {
		t.Fatal(err)
	}
	bases, err := mutate.Bases()
	if err != nil {
		t.Fatal(err)
	}
	return table, bases
}

func name(job map[string]any) string {
	return job["metadata"].(map[string]any)["name"].(string)
}

package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"argocd-jobs.example/interop/apiserver"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// liveBatch is how many Jobs one run of the program judges.
const liveBatch = 250

// livePair is a Job in the cluster, the manifest that is applied to it, and whether Kubernetes refuses that.
type livePair struct {
	live, manifest []byte
	told           string
	refused        error
}

// liveRow is what the program says of a live Job.
type liveRow struct {
	Name, Outcome, Text string
	Why                 []liveReason
}

type liveReason struct{ Reason string }

// TestLiveVerdicts holds what `preview --live` says about an update against what Kubernetes' own code does with it: of Jobs that were applied,
// that a webhook has changed on the way, and of which nobody knows what was applied last.
func TestLiveVerdicts(t *testing.T) {
	table, bases := load(t)
	random := rand.New(rand.NewPCG(*seed, 11))
	refused := 0
	for made := 0; made < some(*pairs); {
		var batch []livePair
		for len(batch) < liveBatch {
			base := bases[random.IntN(len(bases))]
			first, webhook, second := table.Random(random, 4), table.Random(random, 2), table.Random(random, 3)
			before := first.Apply(base)
			stored, applied := before, before
			kind := random.IntN(3)
			switch kind {
			case 1:
				stored = webhook.Apply(before)
			case 2:
				applied = nil
			}
			after := before
			if random.IntN(5) > 0 {
				after = second.Apply(before)
			}
			told := fmt.Sprintf("%s %s (%d: %s) => %s", name(base), first, kind, webhook, second)
			if one, ok := newLivePair(len(batch), stored, applied, after, random.IntN(2) == 0, told); ok {
				batch = append(batch, one)
			}
		}
		made += len(batch)
		refused += judgedAlive(t, batch)
	}
	t.Logf("%d of %d updates are refused", refused, some(*pairs))
	if refused < some(*pairs)/10 || refused > some(*pairs)*9/10 {
		t.Error("one verdict is hardly ever seen")
	}
}

// newLivePair reports nothing when one of the manifests cannot be created, or has a field that this Kubernetes does not know: the API server
// drops it, and no manifest shows that.
func newLivePair(number int, stored, applied, after map[string]any, started bool, told string) (livePair, bool) {
	plain := func(job map[string]any) map[string]any {
		if job == nil {
			return nil
		}
		spec := runtime.DeepCopyJSON(specOf(job))
		forget(spec)
		made := withSpec(spec)
		made["metadata"] = map[string]any{"name": fmt.Sprintf("job-%d", number)}
		return made
	}
	stored, applied, after = plain(stored), plain(applied), plain(after)
	if _, known := reflect.TypeFor[batchv1.JobSpec]().FieldByName("Scheduling"); !known && (specOf(stored)["scheduling"] != nil || specOf(after)["scheduling"] != nil) {
		return livePair{}, false
	}
	live, err := apiserver.Create(stored)
	if err != nil {
		return livePair{}, false
	}
	if _, err := apiserver.Create(after); err != nil {
		return livePair{}, false
	}
	if live = live.Settled(); started {
		live = live.Started()
	}
	if live, err = live.AppliedAs(applied); err != nil {
		return livePair{}, false
	}
	one := livePair{told: told}
	_, one.refused = live.Apply(after)
	text, err := live.JSON()
	if err != nil {
		return livePair{}, false
	}
	manifest, err := json.Marshal(after)
	if err != nil {
		return livePair{}, false
	}
	one.live, one.manifest = text, manifest
	return one, true
}

// forget removes the field of the table that no Kubernetes knows.
func forget(value any) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "unknown")
		for _, entry := range value {
			forget(entry)
		}
	case []any:
		for _, entry := range value {
			forget(entry)
		}
	}
}

// judgedAlive asks the program about all of them at once, and counts those that are refused.
func judgedAlive(t *testing.T, batch []livePair) int {
	t.Helper()
	var live, manifests [][]byte
	for _, one := range batch {
		live, manifests = append(live, one.live), append(manifests, one.manifest)
	}
	dir := t.TempDir()
	list := fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "List", "items": [%s]}`, bytes.Join(live, []byte(",\n")))
	if err := os.WriteFile(filepath.Join(dir, "live.json"), list, 0o644); err != nil {
		t.Fatal(err)
	}
	got := invocation{
		dir:   dir,
		env:   []string{"ARGOCD_APP_NAMESPACE=default", "KUBE_VERSION=" + kubeVersion()},
		args:  []string{"preview", "-", "--plugin=false", "--live", "live.json", "--format", "json"},
		stdin: append(bytes.Join(manifests, []byte("\n---\n")), '\n'),
	}.do(t)
	var read struct {
		Applications []struct{ Rows []liveRow }
	}
	if err := json.Unmarshal(got.stdout, &read); err != nil || len(read.Applications) != 1 {
		t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	rows := read.Applications[0].Rows
	refused := 0
	for _, judged := range rows {
		at := slices.IndexFunc(batch, func(one livePair) bool { return bytes.Contains(one.manifest, []byte(`"name":"`+judged.Name+`"`)) })
		one := batch[at]
		says := judged.Outcome == "fails" || slices.ContainsFunc(judged.Why, func(why liveReason) bool { return why.Reason == "immutable" })
		if one.refused != nil {
			refused++
		}
		if says != (one.refused != nil) {
			t.Errorf("%s\n  the program: %s\n  Kubernetes: %v\n  live: %s\n  manifest: %s", one.told, judged.Text, one.refused, one.live, one.manifest)
		}
	}
	if len(rows) != len(batch) {
		t.Errorf("%d rows about %d Jobs", len(rows), len(batch))
	}
	return refused
}

// kubeVersion is a version of which the program knows that it lets the resources of a suspended Job change, if this one does.
func kubeVersion() string {
	if mutableResources() {
		return "1.36.0"
	}
	return "1.34.0"
}

package interop_test

import (
	"testing"

	"argocd-jobs.example/interop/argocd"
)

// The output of every golden case is the same objects, in the same order, after the source hydrator has written them into a branch and
// the directory source has read them there.
func TestGoldenOutputsSurviveTheHydrator(t *testing.T) {
	checked := 0
	for _, one := range goldenCases(t) {
		if one.stdout == nil {
			continue
		}
		t.Run(one.name, func(t *testing.T) {
			sent, err := argocd.Decode(one.stdout)
			if err != nil {
				t.Fatal(err)
			}
			read, err := argocd.Hydrate(t.TempDir(), sent)
			if err != nil {
				t.Fatal(err)
			}
			if one.name == "job-in-a-list-in-a-list-stays" {
				// Each reading unpacks lists by one level, and a hydrated branch is read once more.
				if read[0].GetKind() != "Job" {
					t.Errorf("a %s is read", read[0].GetKind())
				}
				return
			}
			if len(read) != len(sent) {
				t.Fatalf("%d objects are written and %d read", len(sent), len(read))
			}
			for i := range sent {
				for _, found := range differences(nil, any(sent[i].Object), any(read[i].Object)) {
					t.Errorf("object %d: %s", i+1, found)
				}
			}
			checked += len(sent)
		})
	}
	if checked < 300 {
		t.Errorf("only %d objects", checked)
	}
}

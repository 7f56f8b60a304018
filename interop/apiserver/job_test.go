package apiserver_test

import (
	"strings"
	"testing"

	"argocd-jobs.example/interop/apiserver"
	"argocd-jobs.example/interop/argocd"
)

const base = `
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template: {spec: {containers: [{name: c, image: busybox}], restartPolicy: Never}}
`

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	objects, err := argocd.Decode([]byte(text))
	if err != nil || len(objects) != 1 {
		t.Fatal(err, objects)
	}
	return objects[0].Object
}

// The harness itself: an unchanged Job is accepted, a changed image is the refusal that users know.
func TestApplyIsTheRealOne(t *testing.T) {
	live, err := apiserver.Create(parse(t, base))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := live.Apply(parse(t, base)); err != nil || again != live {
		t.Errorf("an unchanged manifest must give an empty patch: %v", err)
	}
	_, err = live.Apply(parse(t, strings.Replace(base, "busybox", "nginx", 1)))
	if err == nil || !strings.Contains(err.Error(), "field is immutable") {
		t.Errorf("a changed image: %v", err)
	}
	if _, err := live.Apply(parse(t, base+"  parallelism: 2\n")); err != nil {
		t.Errorf("parallelism may change: %v", err)
	}
}

// Server-side apply is the real one too.
func TestServerSideApply(t *testing.T) {
	live, err := apiserver.CreateServerSide(parse(t, base))
	if err != nil {
		t.Fatal(err)
	}
	if live, err = live.ApplyServerSide(parse(t, base)); err != nil {
		t.Errorf("an unchanged manifest: %v", err)
	}
	_, err = live.ApplyServerSide(parse(t, strings.Replace(base, "busybox", "nginx", 1)))
	if err == nil || !strings.Contains(err.Error(), "field is immutable") {
		t.Errorf("a changed image: %v", err)
	}
	if _, err := live.ApplyServerSide(parse(t, base+"  parallelism: 2\n")); err != nil {
		t.Errorf("parallelism may change: %v", err)
	}
}

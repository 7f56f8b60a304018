package hashv1

import (
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
)

const vector = `
apiVersion: batch/v1
kind: Job
metadata: {name: test-job}
spec:
  completions: 1
  template: {spec: {containers: [{name: jobtest, image: IMAGE, command: [echo, job-test]}], restartPolicy: Never}}
`

// The three vectors that the design fixes.
func TestVectors(t *testing.T) {
	spec := func(image string) string {
		return `"spec":{"completions":1,"template":{"spec":{"containers":[{"command":["echo","job-test"],"image":"` + image +
			`","name":"jobtest"}],"restartPolicy":"Never"}}}}`
	}
	for _, one := range []struct{ image, rerun, preimage, want string }{
		{"busybox", "", `{"name":"test-job",` + spec("busybox"), "fg6t5fhk55"},
		{"nginx", "", `{"name":"test-job",` + spec("nginx"), "cdfbtg8fh5"},
		{"busybox", "2", `{"name":"test-job","rerun":"2",` + spec("busybox"), "t5g42dk7b5"},
	} {
		job := parse(t, one.image)
		text, err := Preimage(job, Extra{Rerun: one.rerun})
		if err != nil || text != "argocd-jobs/v1\n"+one.preimage {
			t.Errorf("preimage: %v\n got %s\nwant %s", err, text, one.preimage)
		}
		if got := Of(text); got != one.want {
			t.Errorf("hash of %s: got %s, want %s", text, got, one.want)
		}
	}
}

func parse(t *testing.T, image string) map[string]any {
	t.Helper()
	objects, err := argocd.Decode([]byte(strings.Replace(vector, "IMAGE", image, 1)))
	if err != nil || len(objects) != 1 {
		t.Fatal(err, objects)
	}
	return objects[0].Object
}

package interop_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"argocd-jobs.example/interop/argocd"
	"argocd-jobs.example/interop/hashv1"
	"argocd-jobs.example/interop/mutate"
	"argocd-jobs.example/interop/spell"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const perStream = 60

// bystanders look like Jobs to those who do not read closely, or hold them in a list.
const bystanders = `
{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {schedule: "0 3 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}}}
---
{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: volcano}, spec: {tasks: [{name: t, template: {spec: {containers: [{name: c}]}}}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: templates}, data: {job.yaml: "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: inner\n\n", other: "line\n  indented\nend", switch: "yes", mode: "0755"}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {kind: Job}}, spec: {replicas: 3, progressDeadlineSeconds: 600, paused: false, template: {spec: {volumes: [{name: v, configMap: {name: m, defaultMode: 493}}]}}}}
---
{apiVersion: v1, kind: List, items: [{apiVersion: batch/v1, kind: Job, metadata: {name: first-in-list}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}, {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: "null"}}]}
`

// subject makes one object with a name of its own: a mutated Job, mostly.
func subject(t *testing.T, random *rand.Rand, table *mutate.Table, bases []map[string]any, number int) map[string]any {
	t.Helper()
	if random.IntN(6) == 0 {
		objects, err := argocd.Read([]byte(bystanders))
		if err != nil {
			t.Fatal(err)
		}
		one := objects.Objects[random.IntN(len(objects.Objects))].Object
		rename(one, number)
		return one
	}
	job := table.Random(random, 4).Apply(bases[random.IntN(len(bases))])
	rename(job, number)
	return job
}

func rename(object map[string]any, number int) {
	if items, ok := object["items"].([]any); ok {
		for _, item := range items {
			rename(item.(map[string]any), number)
		}
		return
	}
	metadata := object["metadata"].(map[string]any)
	metadata["name"] = fmt.Sprintf("%v-x%d", metadata["name"], number)
}

// spelling writes an object in a way that Argo CD still reads as that object.
func spelling(random *rand.Rand, object map[string]any) (string, bool) {
	text := spell.YAML(random, object)
	reading, err := argocd.Read([]byte(text))
	if err != nil || len(reading.Objects) != 1 {
		return text, false
	}
	return text, reflect.DeepEqual(reading.Objects[0].Object, object)
}

// Argo CD reads the program's output, of an object spelled in any way, as the object it was but for
// what the strategy writes; and the hash in the name is the one computed here.
func TestSpellingsDecodeEqual(t *testing.T) {
	table, bases := load(t)
	random := rand.New(rand.NewPCG(*seed, 7))
	spelled, wrong, hashes := 0, 0, 0
	for round := range some(*streams) {
		var texts []string
		for number := range perStream {
			text, ok := spelling(random, subject(t, random, table, bases, number))
			if !ok {
				wrong++
				continue
			}
			texts = append(texts, text)
		}
		spelled += len(texts)
		hashes += judgeStream(t, fmt.Sprintf("stream %d of seed %d", round, *seed), texts, true)
	}
	t.Logf("%d spellings, %d hashes compared, %d spellings that did not come out right", spelled, hashes, wrong)
	if wrong > spelled/3 || hashes < spelled/3 {
		t.Errorf("too few spellings or hashes to show anything")
	}
}

// Plain scalars of every kind, where a Job and others may have them: Argo CD reads the same before and after.
func TestTrickyScalarsDecodeEqual(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 8))
	var texts []string
	for number, scalar := range spell.Tricky {
		for place, form := range []string{
			"spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, command: [sh, %s], image: busybox}]}}}\n",
			"spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        env:\n        - name: A\n          value: %s\n      restartPolicy: Never\n",
			"spec:\n  template:\n    metadata:\n      annotations:\n        %s: x\n    spec:\n      containers: []\n",
			"spec:\n  backoffLimit: 1\n  template:\n    spec:\n      containers: []\n      unknown:\n        - - %s\n        - {a: %[1]s, b: 1}\n",
		} {
			text := fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: s%d-%d\n", number, place) + fmt.Sprintf(form, scalar)
			if objects, err := argocd.Decode([]byte(text)); err == nil && len(objects) == 1 {
				texts = append(texts, text)
			}
		}
	}
	random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	hashes := 0
	for start := 0; start < len(texts); start += perStream {
		hashes += judgeStream(t, fmt.Sprint("scalars from ", start), texts[start:min(start+perStream, len(texts))], true)
	}
	t.Logf("%d documents, %d hashes compared", len(texts), hashes)
}

// judgeStream runs the program over documents and reports every fault, with the smallest stream that
// shows it: when the program refuses the whole, each document is tried alone.
func judgeStream(t *testing.T, told string, texts []string, alone bool) (hashes int) {
	t.Helper()
	stream := join(texts)
	before, err := argocd.Decode([]byte(stream))
	if err != nil {
		t.Fatalf("%s: the stream itself is wrong: %v", told, err)
	}
	got := filter(t, stream)
	if got.err != nil && alone && len(texts) > 1 {
		for _, text := range texts {
			hashes += judgeStream(t, told, []string{text}, false)
		}
		if !t.Failed() {
			t.Errorf("%s: refused as a whole and in no part: %s", told, got.stderr)
		}
		return hashes
	}
	if got.err != nil {
		t.Errorf("%s: %v: %s\n%s", told, got.err, got.stderr, stream)
		return 0
	}
	after, err := argocd.Decode(got.stdout)
	if err != nil {
		t.Errorf("%s: Argo CD refuses the output: %v\ninput:\n%s\noutput:\n%s", told, err, stream, got.stdout)
		return 0
	}
	if again := filter(t, string(got.stdout)); again.err != nil || !bytes.Equal(again.stdout, got.stdout) {
		t.Errorf("%s: the program changes its own output: %v %s", told, again.err, again.stderr)
	}
	pairs, err := match(before, after)
	if err != nil {
		t.Errorf("%s: %v", told, err)
	}
	for _, one := range pairs {
		checked, fault := one.hashFault(hashv1.Extra{})
		if checked {
			hashes++
		}
		if faults := one.faults(); len(faults) > 0 || fault != "" {
			t.Errorf("%s: %s: %s\n%s", told, fault, strings.Join(faults, "\n"), source(texts, one.before))
		}
	}
	return hashes
}

// source finds the text an object was read from.
func source(texts []string, object *unstructured.Unstructured) string {
	for _, text := range texts {
		if objects, err := argocd.Decode([]byte(text)); err == nil && len(objects) > 0 && objects[0].GetName() == object.GetName() {
			return text
		}
	}
	text, _ := yaml.Marshal(object.Object)
	return string(text)
}

func join(texts []string) string {
	var out strings.Builder
	for i, text := range texts {
		if i > 0 {
			out.WriteString("---\n")
		}
		out.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			out.WriteString("\n")
		}
	}
	return out.String()
}

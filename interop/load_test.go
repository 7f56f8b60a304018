package interop_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"argocd-jobs.example/interop/argocd"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

var loadFor = flag.Duration("load", 0, "how long TestLoad asks for the manifests of each mix of Applications; by default it asks for each once")

// mix is what the Applications of an instance are made of.
type mix struct {
	name string
	// share is how many of ten Applications are of each kind.
	plain, kustomize, helm int
}

var mixes = []mix{{"directories", 10, 0, 0}, {"directories, kustomize and Helm", 6, 2, 2}}

// objects is the size of the Application number i, in objects: six of ten are small, one is large.
func objects(i int) int {
	switch i / 10 % 10 {
	case 0, 1, 2, 3, 4, 5:
		return 5
	case 6, 7, 8:
		return 40
	default:
		return 300
	}
}

const loadedDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  labels: {app.kubernetes.io/name: NAME, app.kubernetes.io/part-of: shop}
spec:
  replicas: 2
  selector:
    matchLabels: {app.kubernetes.io/name: NAME}
  template:
    metadata:
      labels: {app.kubernetes.io/name: NAME}
    spec:
      containers:
        - name: server
          image: registry.example.com/shop/NAME:1.2.3
          ports: [{name: http, containerPort: 8080}]
          env:
            - {name: LOG_LEVEL, value: "info"}
            - name: PASSWORD
              valueFrom: {secretKeyRef: {name: shop, key: password}}
          readinessProbe: {httpGet: {path: /ready, port: http}}
          resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
`

// loadedApplication writes the Application number i into a repository of its own: one Job for twenty objects, and one at least.
func (one mix) loadedApplication(t *testing.T, root string, i int) (string, argocd.Application) {
	t.Helper()
	files, names := map[string]string{}, []string{}
	for object := range objects(i) {
		name, template := fmt.Sprintf("server-%d", object), loadedDeployment
		if object%20 == 0 {
			name, template = fmt.Sprintf("migrate-%d", object), migration
		}
		files[name+".yaml"] = named(template, name)
		names = append(names, name+".yaml")
	}
	kind, folder := i%10, ""
	switch {
	case kind < one.plain:
	case kind < one.plain+one.kustomize:
		files["kustomization.yaml"] = "namePrefix: shop-\nresources: [" + strings.Join(names, ", ") + "]\n"
	default:
		folder = "templates"
	}
	dir := filepath.Join(root, strconv.Itoa(i))
	for name, text := range files {
		write(t, filepath.Join(dir, folder), map[string]string{name: text})
	}
	if folder != "" {
		write(t, dir, map[string]string{"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.2.3\n"})
	}
	application := byName("file://"+dir, ".")
	application.Name = fmt.Sprintf("shop-%d", i)
	application.Source.Plugin.Parameters = v1alpha1.ApplicationSourcePluginParameters{text("trigger", "false")}
	return dir, application
}

// TestLoad asks argocd-cmp-server for the manifests of 100 Applications, 20 at once, and logs how long that took. With -load it asks for 1,000
// Applications, 50 at once, again and again for that time.
func TestLoad(t *testing.T) {
	for _, one := range mixes {
		t.Run(one.name, func(t *testing.T) {
			if one.helm > 0 && os.Getenv("TOOLS") == "" {
				t.Skip("TOOLS does not name the directory with helm and kustomize")
			}
			one.run(t)
		})
	}
}

func (one mix) run(t *testing.T) {
	count, atOnce := 1000, 50
	if *loadFor == 0 {
		count, atOnce = 100, 20
	}
	t.Setenv("PATH", os.Getenv("TOOLS")+string(os.PathListSeparator)+os.Getenv("PATH"))
	root, private := t.TempDir(), t.TempDir()
	server := startSidecar(t, plugin(t, nil), "TMPDIR="+private)
	dirs, applications := make([]string, count), make([]argocd.Application, count)
	for i := range count {
		dirs[i], applications[i] = one.loadedApplication(t, root, i)
	}
	before := server.processorTime(t)
	peak, stop := server.watchMemory()
	start := time.Now()
	var next, failed atomic.Int64
	took := make([][]time.Duration, atOnce)
	var all sync.WaitGroup
	for worker := range atOnce {
		all.Go(func() {
			for {
				number := next.Add(1) - 1
				if number >= int64(count) && time.Since(start) >= *loadFor {
					return
				}
				i := int(number) % count
				began := time.Now()
				found, err := argocd.GenerateFrom(context.Background(), dirs[i], applications[i])
				took[worker] = append(took[worker], time.Since(began))
				if err == nil && len(found) != objects(i) {
					err = errors.New("another number of objects")
				}
				if err != nil && failed.Add(1) < 5 {
					t.Errorf("Application %d, of %d objects: %d came, %v", i, objects(i), len(found), err)
				}
			}
		})
	}
	all.Wait()
	whole := time.Since(start)
	stop()
	times := slices.Concat(took...)
	slices.Sort(times)
	processor := server.processorTime(t) - before
	t.Logf("%s: %d renders, %d at once, in %.0f s: %.1f a second, %d failed; median %v, 99th percentile %v, slowest %v; "+
		"processor time of the sidecar %.1f ms a render; its memory %d MiB at most",
		one.name, len(times), atOnce, whole.Seconds(), float64(len(times))/whole.Seconds(), failed.Load(),
		times[len(times)/2].Round(time.Millisecond), times[len(times)*99/100].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond),
		1000*processor.Seconds()/float64(len(times)), peak.Load()>>20)
	if !within(10*time.Second, func() bool { return len(server.children(t)) == 0 && len(server.leftovers(t)) == 0 }) {
		t.Errorf("these stay: processes %v, files %v", server.children(t), server.leftovers(t))
	}
	if stay, err := os.ReadDir(private); err != nil || len(stay) > 0 {
		t.Errorf("temporary files stay: %v %v", stay, err)
	}
}

// processorTime is what the server has used so far, and all processes that it has started and that have ended.
func (one *sidecar) processorTime(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(one.process.Pid), "stat"))
	if err != nil {
		t.Skip("the processor time cannot be seen here: no /proc/<pid>/stat")
	}
	// Behind the name, which may hold anything: utime, stime, cutime and cstime are fields 14 to 17, in hundredths of a second.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:15] {
		number, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += number
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// watchMemory looks four times a second at the memory of the server and all its descendants, with what they share counted once.
func (one *sidecar) watchMemory() (*atomic.Int64, func()) {
	var peak atomic.Int64
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(250 * time.Millisecond):
				peak.Store(max(peak.Load(), proportional(one.process.Pid)))
			}
		}
	})
	return &peak, func() { close(done); watching.Wait() }
}

// proportional is the memory of a process and its descendants in bytes (`Pss`); nothing for those that have ended.
func proportional(pid int) int64 {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	var sum int64
	text, _ := os.ReadFile(filepath.Join(dir, "smaps_rollup"))
	for line := range strings.Lines(string(text)) {
		if size, found := strings.CutPrefix(line, "Pss:"); found {
			kib, _ := strconv.ParseInt(strings.Fields(size)[0], 10, 64)
			sum += kib << 10
		}
	}
	tasks, _ := filepath.Glob(filepath.Join(dir, "task", "*", "children"))
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for _, child := range strings.Fields(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				sum += proportional(id)
			}
		}
	}
	return sum
}

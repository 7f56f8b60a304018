// Package servers is every server that the sync scenarios need. One binary can then be all of them: what they share is compiled and
// linked once.
package servers

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"syscall"

	"github.com/alicebob/miniredis/v2"
	controllercmd "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	cmpcmd "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	repocmd "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

var all = map[string]func(ctx context.Context) error{
	"etcd":                          etcd,
	"redis":                         redis,
	"kube-apiserver":                command(apiserver.NewAPIServerCommand),
	"kube-controllers":              controllers,
	"argocd-application-controller": command(controllercmd.NewCommand),
	"argocd-repo-server":            command(repocmd.NewCommand),
	"argocd-cmp-server":             command(cmpcmd.NewCommand),
	"module": func(context.Context) error {
		_, err := fmt.Println(ArgoCD())
		return err
	},
}

// Run is the main function of a server, with the arguments of this process.
func Run(name string) {
	run, known := all[name]
	if !known {
		fmt.Fprintf(os.Stderr, "there is no server %q\n", name)
		os.Exit(2)
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ArgoCD is the directory of Argo CD's module, in which its CRDs are.
func ArgoCD() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(controllercmd.NewCommand).Pointer()).FileLine(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

func command(make func() *cobra.Command) func(context.Context) error {
	return func(ctx context.Context) error { return make().ExecuteContext(ctx) }
}

func etcd(context.Context) error {
	etcdmain.Main(append([]string{"etcd"}, os.Args[1:]...))
	return nil
}

// redis serves at the address that it is given. It is no real Redis: that would be one more thing to install.
func redis(context.Context) error {
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(os.Args[1]); err != nil {
		return err
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	<-told
	server.Close()
	return nil
}

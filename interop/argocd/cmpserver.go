package argocd

import (
	"context"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
)

// CMPServer is the main function of argocd-cmp-server, with the arguments of this process. It returns
// when the server has been asked to stop.
func CMPServer() {
	if err := commands.NewCommand().ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Command meaning prints one JSON line for each object in the files given ("-" is standard input):
// what Argo CD's own functions say about it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"argocd-jobs.example/interop/argocd"
)

type line struct {
	File string `json:"file"`
	argocd.Meaning
}

func main() {
	printer := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[1:] {
		if err := file(printer, path); err != nil {
			fmt.Fprintln(os.Stderr, "meaning:", path+":", err)
			os.Exit(2)
		}
	}
}

func file(printer *json.Encoder, path string) error {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return err
	}
	objects, err := argocd.Decode(text)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := printer.Encode(line{path, argocd.Means(object)}); err != nil {
			return err
		}
	}
	return nil
}

// Command decode prints what Argo CD reads in each file (or, with -directory, in each directory) as
// one JSON line: {"file":…, "docs":[…], "err":…}.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"argocd-jobs.example/interop/argocd"
	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type line struct {
	File    string            `json:"file"`
	Docs    []json.RawMessage `json:"docs"`
	Strings []string          `json:"strings,omitempty"`
	Err     string            `json:"err,omitempty"`
}

func main() {
	var options argocd.DirectoryOptions
	directory := flag.Bool("directory", false, "read each argument as a directory, as the native directory source does")
	lists := flag.Bool("lists", false, "leave lists as they are (the repo-server unpacks them)")
	flag.StringVar(&options.Root, "root", "", "with -directory: the root of the repository (default: the directory itself)")
	flag.BoolVar(&options.Recurse, "recurse", false, "with -directory: spec.source.directory.recurse")
	flag.StringVar(&options.Include, "include", "", "with -directory: spec.source.directory.include")
	flag.StringVar(&options.Exclude, "exclude", "", "with -directory: spec.source.directory.exclude")
	flag.Parse()
	logrus.SetOutput(os.Stderr)
	logrus.SetLevel(logrus.ErrorLevel)
	printer := json.NewEncoder(os.Stdout)
	printer.SetEscapeHTML(false)
	for _, path := range flag.Args() {
		one := line{File: path}
		var objects []*unstructured.Unstructured
		var err error
		if *directory {
			objects, err = argocd.Directory(path, options)
		} else {
			objects, one.Strings, err = readFile(path, *lists)
		}
		if err := one.fill(objects, err); err != nil {
			fatal(err)
		}
		if err := printer.Encode(one); err != nil {
			fatal(err)
		}
	}
}

func readFile(path string, lists bool) ([]*unstructured.Unstructured, []string, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		fatal(err)
	}
	reading, err := argocd.Read(text)
	if err != nil || lists {
		return reading.Objects, reading.Strings, err
	}
	objects, err := argocd.Unpack(reading.Objects)
	return objects, reading.Strings, err
}

func (one *line) fill(objects []*unstructured.Unstructured, err error) error {
	if err != nil {
		one.Err = err.Error()
	}
	if err == nil || objects != nil {
		one.Docs = []json.RawMessage{}
	}
	for _, object := range objects {
		text, err := argocd.JSON(object)
		if err != nil {
			return err
		}
		one.Docs = append(one.Docs, text)
	}
	return nil
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "decode:", err)
	os.Exit(2)
}

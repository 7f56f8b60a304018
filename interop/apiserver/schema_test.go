package apiserver_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var writeSchema = flag.Bool("write-schema", false, "write the table of types that the program is compiled with")

const schemaFile = "../../crates/kube-jobs/src/kubernetes/invalid/types.txt"

// named are the types that read JSON in their own way.
var named = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "quantity",
	reflect.TypeFor[intstr.IntOrString](): "int-or-string",
	reflect.TypeFor[metav1.Time]():        "string",
	reflect.TypeFor[metav1.FieldsV1]():    "any",
}

// types collects one line for each struct that the spec of a Job is made of: its name, and its fields with their types. `[]` is a list and `{}` a map
// from strings.
type types map[string]string

func (found types) of(one reflect.Type) string {
	if name, isNamed := named[one]; isNamed {
		return name
	}
	switch one.Kind() {
	case reflect.Pointer:
		return found.of(one.Elem())
	case reflect.Slice:
		if one.Elem().Kind() == reflect.Uint8 {
			return "string" // base64
		}
		return "[]" + found.of(one.Elem())
	case reflect.Map:
		return "{}" + found.of(one.Elem())
	case reflect.Struct:
		found.add(one)
		return one.Name()
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return one.Kind().String()
	default:
		panic(fmt.Sprint("a field of the type ", one))
	}
}

func (found types) add(one reflect.Type) {
	if _, known := found[one.Name()]; known {
		return
	}
	found[one.Name()] = "" // a type may have itself as a part
	fields := found.fields(one)
	slices.Sort(fields)
	found[one.Name()] = one.Name() + " " + strings.Join(fields, " ") + "\n"
}

func (found types) fields(one reflect.Type) []string {
	var fields []string
	for i := range one.NumField() {
		field := one.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && (field.Anonymous || strings.Contains(options, "inline")) {
			fields = append(fields, found.fields(field.Type)...)
		} else {
			fields = append(fields, name+":"+found.of(field.Type))
		}
	}
	return fields
}

// The types of a Job that the program is compiled with are those of Kubernetes; a newer one may have more.
func TestTheTypesOfTheProgramAreThoseOfKubernetes(t *testing.T) {
	found := types{}
	found.of(reflect.TypeFor[batchv1.JobSpec]())
	var lines []string
	for _, line := range found {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	text := strings.Join(lines, "")
	if *writeSchema {
		if err := os.WriteFile(schemaFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(committed)), "\n") {
		words := strings.Fields(line)
		today := strings.Fields(found[words[0]])
		for _, field := range words[1:] {
			if !slices.Contains(today, field) {
				t.Errorf("%s: `%s` is another type in this Kubernetes, or gone", words[0], field)
			}
		}
	}
	// The table is that of the Kubernetes in go.mod.
	if _, newer := reflect.TypeFor[batchv1.JobSpec]().FieldByName("Scheduling"); !newer && string(committed) != text {
		t.Errorf("%s is not up to date: run this test with `-args -write-schema`", schemaFile)
	}
}

// Package hashv1 is a second, independent implementation of the content hash, version 1, of the
// design: written from its text, on objects that Argo CD's own code has read.
package hashv1

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// explicitNull is a null that stays in a mapping.
type explicitNull struct{}

// canonical writes a value as JSON without white space, keys sorted by bytes, strings as raw UTF-8
// with only `"`, `\` and U+0000 to U+001F escaped, null entries of mappings left out.
func canonical(out *strings.Builder, value any) error {
	switch value := value.(type) {
	case map[string]any:
		return canonicalMap(out, value)
	case []any:
		out.WriteByte('[')
		for i, item := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := canonical(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	case string:
		canonicalString(out, value)
	case nil, explicitNull:
		out.WriteString("null")
	case bool, int64, float64:
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		out.Write(text)
	default:
		return fmt.Errorf("a value of type %T cannot come from a manifest", value)
	}
	return nil
}

func canonicalMap(out *strings.Builder, value map[string]any) error {
	keys := make([]string, 0, len(value))
	for key, entry := range value {
		if entry != nil {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	out.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			out.WriteByte(',')
		}
		canonicalString(out, key)
		out.WriteByte(':')
		if err := canonical(out, value[key]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func canonicalString(out *strings.Builder, text string) {
	out.WriteByte('"')
	for i := 0; i < len(text); i++ {
		switch char := text[i]; {
		case char == '"' || char == '\\':
			out.WriteByte('\\')
			out.WriteByte(char)
		case char < 0x20:
			fmt.Fprintf(out, "\\u%04x", char)
		default:
			out.WriteByte(char)
		}
	}
	out.WriteByte('"')
}

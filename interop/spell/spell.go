// Package spell writes one object as YAML in many ways: comments, quotes, key order, anchors, flow
// style, line ends. A spelling may come out wrong; whoever uses one first reads it back.
package spell

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
)

// writer holds one spelling in the making.
type writer struct {
	random  *rand.Rand
	out     strings.Builder
	anchors map[string]string
}

// YAML gives one spelling of an object, with a last newline more often than not.
func YAML(random *rand.Rand, object map[string]any) string {
	one := &writer{random: random, anchors: map[string]string{}}
	if one.chance(8) {
		text, _ := json.Marshal(object)
		return string(text) + "\n"
	}
	one.comment(0)
	if one.chance(12) {
		one.flow(object)
		one.out.WriteString("\n")
	} else {
		one.mapping(object, 0)
	}
	text := one.out.String()
	if one.chance(6) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func (one *writer) chance(in int) bool { return one.random.IntN(in) == 0 }

var comments = []string{
	"# a comment", "#", "# kind: Job", "# 'quoted' \"twice\"", "# --- not a separator", "# name: other", "#\t<<: *x", "# é ☃ 𝄞",
}

func (one *writer) comment(indent int) {
	for one.chance(9) {
		fmt.Fprintf(&one.out, "%s%s\n", strings.Repeat(" ", indent*one.random.IntN(2)), one.pick(comments))
	}
	if one.chance(25) {
		one.out.WriteString("\n")
	}
}

func (one *writer) endOfLine() {
	if one.chance(8) {
		one.out.WriteString("  " + one.pick(comments))
	} else if one.chance(20) {
		one.out.WriteString("  ")
	}
	one.out.WriteString("\n")
}

func (one *writer) pick(from []string) string { return from[one.random.IntN(len(from))] }

func (one *writer) keys(mapping map[string]any) []string {
	keys := make([]string, 0, len(mapping))
	for key := range mapping {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	if !one.chance(3) {
		one.random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	return keys
}

func (one *writer) mapping(mapping map[string]any, indent int) {
	for i, key := range one.keys(mapping) {
		if i > 0 {
			one.comment(indent)
			one.out.WriteString(strings.Repeat(" ", indent))
		}
		one.key(key)
		one.out.WriteString(":")
		one.value(mapping[key], indent)
	}
}

func (one *writer) key(key string) {
	switch {
	case !plainKey(key):
		one.double(key)
	case one.chance(12):
		one.double(key)
	case one.chance(12):
		one.out.WriteString("'" + strings.ReplaceAll(key, "'", "''") + "'")
	default:
		one.out.WriteString(key)
	}
}

// value writes what comes after a key's colon or a list's dash, up to the end of the line or lines.
func (one *writer) value(value any, indent int) {
	if one.alias(value) {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 || one.chance(7) {
			one.flowLine(value)
			return
		}
		one.endOfLine()
		inner := indent + one.step()
		one.out.WriteString(strings.Repeat(" ", inner))
		one.mapping(value, inner)
	case []any:
		if len(value) == 0 || one.chance(7) {
			one.flowLine(value)
			return
		}
		one.endOfLine()
		one.list(value, indent+one.random.IntN(2)*one.step())
	case string:
		if strings.Contains(value, "\n") && !one.chance(4) && one.block(value, indent) {
			return
		}
		one.out.WriteString(" ")
		one.text(value)
		one.endOfLine()
	default:
		one.out.WriteString(" " + one.scalar(value))
		one.endOfLine()
	}
}

func (one *writer) list(items []any, indent int) {
	for _, item := range items {
		one.comment(indent)
		one.out.WriteString(strings.Repeat(" ", indent) + "-")
		mapping, ok := item.(map[string]any)
		if ok && len(mapping) > 0 && !one.chance(6) {
			width := one.step() - 1
			one.out.WriteString(strings.Repeat(" ", width))
			one.mapping(mapping, indent+1+width)
			continue
		}
		one.value(item, indent)
	}
}

// step is how much a block is indented more than what holds it.
func (one *writer) step() int {
	if one.chance(8) {
		return 4
	}
	return 2
}

func (one *writer) flowLine(value any) {
	one.out.WriteString(" ")
	one.flow(value)
	one.endOfLine()
}

func (one *writer) flow(value any) {
	switch value := value.(type) {
	case map[string]any:
		one.out.WriteString("{")
		for i, key := range one.keys(value) {
			if i > 0 {
				one.out.WriteString(", ")
			}
			one.key(key)
			one.out.WriteString(": ")
			one.flow(value[key])
		}
		one.out.WriteString("}")
	case []any:
		one.out.WriteString("[")
		for i, item := range value {
			if i > 0 {
				one.out.WriteString(", ")
			}
			one.flow(item)
		}
		one.out.WriteString("]")
	case string:
		one.text(value)
	default:
		one.out.WriteString(one.scalar(value))
	}
}

// alias writes a value seen before as an alias, or gives a new one an anchor.
func (one *writer) alias(value any) bool {
	text, _ := json.Marshal(value)
	if len(text) < 5 || strings.Contains(string(text), `\n`) {
		return false
	}
	if anchor, found := one.anchors[string(text)]; found {
		if one.chance(2) {
			one.out.WriteString(" *" + anchor)
			one.endOfLine()
			return true
		}
		return false
	}
	if one.chance(6) {
		anchor := fmt.Sprintf("a%d", len(one.anchors))
		one.anchors[string(text)] = anchor
		one.out.WriteString(" &" + anchor)
	}
	return false
}

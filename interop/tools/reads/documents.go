package reads

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// Documents are made at random: keys in other letters, paths in every spelling of YAML, and texts in other encodings and with lost, doubled and changed
// lines.
type Maker struct {
	*rand.Rand
}

// NewMaker makes the document with a number.
func NewMaker(number int) Maker {
	return Maker{rand.New(rand.NewPCG(uint64(number), 1))}
}

// Pick is one of some words.
func (maker Maker) Pick(words ...string) string {
	return words[maker.IntN(len(words))]
}

// OneIn is true once in so many times.
func (maker Maker) OneIn(times int) bool {
	return maker.IntN(times) == 0
}

// Key is a key, maybe in letters that Go takes for the same.
func (maker Maker) Key(key string) string {
	if !maker.OneIn(4) {
		return key
	}
	var changed strings.Builder
	for _, char := range key {
		switch {
		case char == 's' && maker.OneIn(6):
			char = 'ſ'
		case char == 'k' && maker.OneIn(6):
			char = 'K'
		case maker.OneIn(3):
			char = []rune(strings.ToUpper(string(char)))[0]
		}
		changed.WriteRune(char)
	}
	if maker.OneIn(5) {
		return maker.quoted(changed.String())
	}
	return changed.String()
}

// Text is a text as YAML, in one of many spellings.
func (maker Maker) Text(text string) string {
	switch maker.IntN(14) {
	case 0:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case 1, 2:
		return maker.quoted(text)
	case 3:
		return "!!binary " + base64.StdEncoding.EncodeToString([]byte(text))
	case 4:
		return "!!str " + text
	case 5:
		return "&a" + fmt.Sprint(maker.IntN(3)) + " " + text
	case 6:
		return "*a" + fmt.Sprint(maker.IntN(3))
	case 7:
		return "!x " + text
	case 8:
		return text + " # " + text
	default:
		return text
	}
}

// quoted is a text in double quotes, with escapes.
func (maker Maker) quoted(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, char := range text {
		switch {
		case char == '"' || char == '\\':
			quoted.WriteString("\\" + string(char))
		case char == '\n':
			quoted.WriteString("\\n")
		case maker.OneIn(8) && char < 0x100:
			fmt.Fprintf(&quoted, "\\x%02x", char)
		case maker.OneIn(12) && char < 0x10000:
			fmt.Fprintf(&quoted, "\\u%04x", char)
		case char == '/' && maker.OneIn(4):
			quoted.WriteString("\\/")
		case maker.OneIn(30):
			quoted.WriteString("\\\n  " + string(char))
		default:
			quoted.WriteRune(char)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}

// List is a list of texts, in brackets or in lines.
func (maker Maker) List(texts []string) string {
	if maker.OneIn(2) {
		return " [" + strings.Join(texts, ", ") + "]\n"
	}
	indent := maker.Pick("", "  ", " ")
	lines := ""
	for _, text := range texts {
		lines += "\n" + indent + "- " + text
	}
	return lines + "\n"
}

// Spoiled is a text as it is, or after something happened to it.
func (maker Maker) Spoiled(text string) string {
	for maker.OneIn(4) {
		lines := strings.SplitAfter(text, "\n")
		one, other := maker.IntN(len(lines)), maker.IntN(len(lines))
		switch maker.IntN(12) {
		case 0:
			lines[one] = ""
		case 1:
			lines[one] += lines[one]
		case 2:
			lines[one], lines[other] = lines[other], lines[one]
		case 3:
			lines[one] = maker.Pick("---\n", "...\n", "--- \n", "%YAML 1.1\n---\n", "--- # x\n", "---\n---\n", "--- |\n", "{}\n---\n") + lines[one]
		case 4:
			lines[one] = "  " + lines[one]
		case 5:
			lines[one] = strings.ReplaceAll(lines[one], "\n", maker.Pick("\r\n", "\r", "\u0085", "\u2028", "\n\n", " \n"))
		case 6:
			lines[one] = strings.Replace(lines[one], ": ", maker.Pick(":\t", ":  ", ": !!seq ", ": &b ", ": \n  ", ":"), 1)
		case 7:
			lines[one] = maker.Pick("? ", "<<: ", "#", "\t", "- ", "x: &m\n  ", "<<: *m\n", "\ufeff", "<<: {", "? |\n  ") + lines[one]
		default:
			bytes := []byte(lines[one])
			if len(bytes) > 0 {
				at := maker.IntN(len(bytes))
				bytes[at] = maker.Pick("\x00", "{", "}", "[", ":", "\"", "'", "\xff", "*", "&", "|", ">", " ", "\n", "#", ",", "/", ".", "%", "\x7f", "\xc2")[0]
			}
			lines[one] = string(bytes)
		}
		text = strings.Join(lines, "")
	}
	return maker.encoded(text)
}

func (maker Maker) encoded(text string) string {
	switch maker.IntN(40) {
	case 0:
		return "\ufeff" + text
	case 1:
		return "\xff\xfe" + wide(text, 0, 8)
	case 2:
		return "\xfe\xff" + wide(text, 8, 0)
	case 3:
		return wide(text, 0, 8)
	case 4:
		return text + strings.Repeat("#"+strings.Repeat("x", 1000)+"\n", 9000)
	}
	return text
}

func wide(text string, first, second int) string {
	var bytes []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		bytes = append(bytes, byte(unit>>first), byte(unit>>second))
	}
	return string(bytes)
}

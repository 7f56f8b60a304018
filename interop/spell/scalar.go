package spell

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var (
	harmless = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)
	resolved = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|~|\.inf|\.nan)$`)
)

func plainKey(key string) bool { return harmless.MatchString(key) && !resolved.MatchString(key) }

// Tricky are plain scalars that YAML 1.1, as Argo CD reads it, resolves in ways of its own.
var Tricky = []string{
	"yes", "No", "on", "OFF", "y", "n", "Y", "true", "True", "TRUE", "tRue", "~", "null", "Null", "NULL", "nUll", "0755", "0644",
	"0o17", "0b11", "0x1F", "0X1f", "1_000", "1__0", "_1", "012345678", "08", "-0", "+1", "-017", "1e3", "1E3", "1e+3", ".5", "5.", "1.",
	"1.0", "1.50", "-.5", "+.5", "1e-7", "1e21", "1e20", "123456789012345678901234567890", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "18446744073709551615", "18446744073709551616", "0.1", "1.7976931348623157e308", "12:30:45", "190:20:30",
	"2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43", "=", "<<", "-", "a: b", "a #b", "a#b", "'", "\"", "0x", "0b",
	"0o8", "1e", "e1", "1_000.5", "0.5e", "Infinity", "NaN", "inf", "nan", "-0.0", "0e0", "00", "0_7", "0x_1", "1,000", "v1.30",
	"!!str yes", "!!str 0755", "!!int \"7\"", "!!float 1", "!!binary aGk=", "! yes", "'0755'", "\"\\x41\"", "\"\\u00e9\"", "\"a\\\n   b\"",
	"'it''s'", "é", "☃", "\"\\U0001F600\"", "\"\\e\"", "\"\\_\"", "\"\\N\"", "?x", ":x", "-x", "@x", "`x", "%x", "a'b", "a\"b", "[]", "{}",
}

func (one *writer) text(text string) {
	switch {
	case harmless.MatchString(text) && !resolved.MatchString(text) && !one.chance(5):
		one.out.WriteString(text)
	case !strings.ContainsAny(text, "\n\r\t\\") && one.chance(2):
		one.out.WriteString("'" + strings.ReplaceAll(text, "'", "''") + "'")
	default:
		one.double(text)
	}
}

func (one *writer) double(text string) {
	encoded, _ := json.Marshal(text)
	plain := string(encoded)
	if one.chance(6) && len(text) > 0 && text[0] >= 'a' && text[0] <= 'z' {
		plain = fmt.Sprintf("\"\\x%02x%s", text[0], plain[2:])
	}
	one.out.WriteString(plain)
}

// block writes a text of several lines as a literal block, with the chomping it needs.
func (one *writer) block(text string, indent int) bool {
	body := strings.TrimRight(text, "\n")
	if body == "" || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\n") || strings.ContainsAny(text, "\r\t\u0085\u2028\u2029") {
		return false
	}
	chomp := map[int]string{0: "-", 1: ""}[len(text)-len(body)]
	if len(text)-len(body) > 1 {
		chomp = "+"
	}
	inner := indent + one.step()
	one.out.WriteString(" |" + chomp)
	if one.chance(8) {
		one.out.WriteString("  # literal")
	}
	one.out.WriteString("\n")
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line != "" {
			one.out.WriteString(strings.Repeat(" ", inner) + line)
		}
		one.out.WriteString("\n")
	}
	return true
}

func (one *writer) scalar(value any) string {
	switch value := value.(type) {
	case nil:
		return one.pick([]string{"null", "~", "Null", "NULL"})
	case bool:
		if value {
			return one.pick([]string{"true", "True", "yes", "on", "y"})
		}
		return one.pick([]string{"false", "FALSE", "no", "off", "N"})
	case int64:
		if value > 0 {
			return one.pick([]string{
				fmt.Sprint(value), fmt.Sprint(value), fmt.Sprint(value), fmt.Sprintf("0%o", value), fmt.Sprintf("0x%x", value), fmt.Sprintf("+%d", value),
			})
		}
	}
	encoded, _ := json.Marshal(value)
	return string(encoded)
}

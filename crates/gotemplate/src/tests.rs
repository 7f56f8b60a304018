//! Templates print the same as in Argo CD, and templates of strangers end.

use std::cell::Cell;
use std::fs;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Error, Parameters, WORK_OF_A_SET, render};

fn printed(template: &str, row: &Row) -> Result<String, Error> {
    let mut parameters: Parameters = row.parameters.clone().into();
    row.texts.iter().for_each(|path| parameters.set_typed(path.as_str()));
    render(template, &parameters, &row.options, 6, &Cell::new(WORK_OF_A_SET))
}

/// A row of the table. `TestTemplates` in interop/applicationset compares it with Argo CD.
#[derive(Default, Deserialize)]
struct Row {
    template: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    options: Vec<String>,
    /// The paths of maps and lists that in Go have the type `map[string]string` or `[]string`.
    #[serde(default)]
    texts: Vec<String>,
    /// The output; `None` when Argo CD fails.
    prints: Option<String>,
    /// The name of the feature that is not implemented.
    unknown: Option<String>,
}

/// Reads the committed table, or the one that the variable `TEMPLATES` names.
#[expect(clippy::disallowed_methods, reason = "the developer says in the environment which table is read")]
fn table() -> Vec<Row> {
    let path = std::env::var("TEMPLATES").unwrap_or_else(|_| "testdata/templates.jsonl".to_owned());
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn templates_print_what_argo_cd_prints() {
    let mut wrong = Vec::new();
    for row in table() {
        let found = printed(&row.template, &row);
        let is_right = match (&found, &row.prints, &row.unknown) {
            (Err(Error::Function(name)), _, Some(unknown)) => name == unknown,
            (Ok(text), Some(prints), None) => text == prints,
            (Err(Error::Failed(_)), None, None) => true,
            _ => false,
        };
        if !is_right {
            wrong.push(format!(
                "{} {:?}\n  printed {found:?}\n  and Argo CD {:?} {:?}",
                row.template, row.options, row.prints, row.unknown
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} templates", wrong.join("\n"), wrong.len());
}

/// Such templates cause no panic and no stack overflow, and take at most seconds in a debug build.
#[test]
fn templates_of_strangers_end() {
    let deep = |before: &str, after: &str| format!("{}{}", before.repeat(100_000), after.repeat(100_000));
    let templates = [
        "{{ range until 1000000000 }}x{{ end }}".to_owned(),
        "{{ range 1000000000 }}{{ range 1000000000 }}x{{ end }}{{ end }}".to_owned(),
        "{{ range 1000000000 }}{{ end }}".to_owned(),
        "{{ range untilStep 0 9223372036854775807 1 }}{{ end }}".to_owned(),
        "{{ seq 0 9223372036854775807 }}".to_owned(),
        "{{ repeat 1000000000 \"x\" }}".to_owned(),
        "{{ repeat 1000000 \"xy\" }}".to_owned(),
        "{{ indent 1000000000 \"x\" }}".to_owned(),
        "{{ repeat 100000 \"\\n\" | indent 100000 }}".to_owned(),
        "{{ replace \"\" (repeat 100000 \"x\") (repeat 100000 \"x\") }}".to_owned(),
        "{{ wrapWith 1 (repeat 100000 \"x\") (repeat 100000 \"x\") }}".to_owned(),
        "{{ join (repeat 100000 \"x\") (until 100000) }}".to_owned(),
        "{{ range 100000 }}{{ $x := printf \"%9999d\" 1 }}{{ end }}".to_owned(),
        "{{ define \"r\" }}{{ template \"r\" . }}{{ end }}{{ template \"r\" . }}".to_owned(),
        "{{ template \"base\" . }}".to_owned(),
        "{{ define \"r\" }}{{ template \"r\" }}{{ template \"r\" }}{{ end }}{{ template \"r\" }}".to_owned(),
        format!("{{{{ {} }}}}", deep("(", "1)")),
        format!("{{{{ {} }}}}", deep("(not ", ")")),
        deep("{{ if true }}", "{{ end }}"),
        deep("{{ if false }}{{ else if true }}", "{{ end }}"),
        format!("{{{{ if true }}}}{}{{{{ end }}}}", "{{ else if true }}".repeat(100_000)),
        deep("{{ with 1 }}", ""),
        "{{ $x := list 1 }}{{ range 100000 }}{{ $x = list $x }}{{ end }}".to_owned(),
        "{{ $x := list 1 }}{{ range 100 }}{{ $x = list $x $x }}{{ end }}{{ $x }}".to_owned(),
        "{{ $x := dict }}{{ $_ := set $x \"x\" $x }}{{ $x }}".to_owned(),
        "{{ $x := dict }}{{ $y := dict \"x\" $x }}{{ $_ := set $x \"y\" $y }}{{ toJson $x }}{{ $y }}".to_owned(),
        "{{ $_ := set . \"x\" . }}{{ . }}".to_owned(),
        "{{ $x := \"x\" }}{{ range 100 }}{{ $x = print $x $x }}{{ end }}".to_owned(),
        "{{ $x := list }}{{ range 1000000 }}{{ $x = append $x . }}{{ end }}".to_owned(),
        "{{ $x := until 10000 }}{{ range 1000 }}{{ $x = uniq $x }}{{ end }}".to_owned(),
        "{{ range 100000 }}{{ $x := regexReplaceAll \"(a*)*b|(a|b)*c\" (repeat 30000 \"a\") \"$1$1$1\" }}{{ end }}"
            .to_owned(),
        "{{ regexMatch \"((a{1000}){1000}){1000}\" \"a\" }}".to_owned(),
        format!("{{{{ regexMatch \"{}\" \"a\" }}}}", deep("(", ")")),
        "{{ range 100000 }}{{ $x := regexFindAll \"(x+x+)+y\" (repeat 30000 \"x\") -1 }}{{ end }}".to_owned(),
        format!("{{{{ semverCompare \"{}\" \"1.2.3\" }}}}", ">=1.2.3 ".repeat(20_000)),
        format!("{{{{ fromJson `{}` }}}}", deep("[", "]")),
        format!("{{{{ fromYaml `a: {}` }}}}", deep("[", "]")),
        "{{ tpl \"{{ tpl . . }}\" \"{{ tpl . . }}\" }}".to_owned(),
        "{{ $x := \"{{ range 1000000 }}{{ tpl `{{ . }}` . }}{{ end }}\" }}{{ tpl $x . }}".to_owned(),
        "{{ $m := dict }}{{ range 1000000 }}{{ $_ := set $m (print .) . }}{{ end }}".to_owned(),
        "{{ range 1000000000 }}{{ continue }}{{ end }}".to_owned(),
        "{{ range $i := 100000000 }}{{ $a := $i }}{{ end }}".to_owned(),
        format!("{{{{ $x := 1 }}}}{}", "{{ $x := $x }}".repeat(30_000)),
    ];
    for template in templates {
        let start = Instant::now();
        let found = printed(&template, &Row::default());
        let shown = &template[..template.len().min(100)];
        assert!(found.as_ref().map_or(0, String::len) <= 1 << 20, "{shown} prints too much");
        assert!(start.elapsed() < Duration::from_secs(20), "{shown} takes {:?}", start.elapsed());
    }
}

/// With characters removed, doubled or moved, a template still ends with a text or an error.
#[test]
fn broken_templates_end() {
    let mut random = 1_u64;
    let mut below = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % most.max(1)
    };
    let rows = table();
    for _ in 0..4_000 {
        let row = &rows[below(rows.len())];
        let mut chars: Vec<char> = row.template.chars().collect();
        for _ in 0..=below(3) {
            let (at, other) = (below(chars.len()), below(chars.len()));
            match below(3) {
                0 if !chars.is_empty() => drop(chars.remove(at)),
                1 if !chars.is_empty() => chars.insert(at, chars[other]),
                _ => chars.extend(rows[below(rows.len())].template.chars()),
            }
        }
        // Only ending matters here, not the output.
        let _ = printed(&String::from_iter(chars), row);
    }
}

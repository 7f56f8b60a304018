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

/// Reads the committed table, or the table that the variable `TEMPLATES` names.
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
    let all = templates.into_iter().chain(bombs_of_what_is_read());
    for template in all {
        let start = Instant::now();
        let found = printed(&template, &Row::default());
        let shown = &template[..template.len().min(100)];
        assert!(found.as_ref().map_or(0, String::len) <= 1 << 20, "{shown} prints too much");
        assert!(start.elapsed() < Duration::from_secs(20), "{shown} takes {:?}", start.elapsed());
    }
}

/// Templates whose functions return little and read much.
fn bombs_of_what_is_read() -> Vec<String> {
    let calls =
        |of: &str, call: &str| format!("{{{{ $l := {of} }}}}{{{{ range 80000 }}}}{{{{ $x := {call} }}}}{{{{ end }}}}");
    // Maps in maps, each twice in the one above: 2^30 when they are copied, printed or compared.
    let mut shared: String = (0..=30).map(|at| format!("{{{{ $m{at} := dict }}}}")).collect();
    for at in 0..30 {
        shared += &format!("{{{{ $x = set $m{at} \"a\" $m{} }}}}{{{{ $x = set $m{at} \"b\" $m{} }}}}", at + 1, at + 1);
    }
    let shared = |call: &str| format!("{{{{ $x := 1 }}}}{shared}{{{{ $y := {call} }}}}");
    let defined: String = (0..20_000).map(|at| format!("{{{{ define \"d{at}\" }}}}{{{{ end }}}}")).collect();
    vec![
        calls("until 250000", "first $l"),
        calls("until 250000", "has -1 $l"),
        calls("repeat 8000000 \"x\"", "sha256sum $l"),
        calls("repeat 8000000 \"x\"", "contains \"y\" $l"),
        calls("repeat 8000 \"x\"", "trimAll $l $l"),
        calls("until 10000", "without $l $l $l $l $l"),
        shared("deepCopy $m0"),
        shared("print $m0"),
        shared("deepEqual $m0 $m0"),
        shared("toJson $m0"),
        shared("toYaml $m0"),
        format!("{{{{ fromJson \"[{}[]]\" }}}}", "[],".repeat(1_000_000)),
        format!("{defined}{{{{ range 100000 }}}}{{{{ $x := tpl \"\" . }}}}{{{{ end }}}}"),
        format!("{{{{ range 1000000 }}}}{{{{ if {} }}}}{{{{ end }}}}{{{{ end }}}}", ".a".repeat(20_000)),
        format!("{}{{{{ range 1000000 }}}}{{{{ $v0 = 1 }}}}{{{{ end }}}}", {
            let declared: String = (0..20_000).map(|at| format!("{{{{ $v{at} := 1 }}}}")).collect();
            declared
        }),
    ]
}

/// Whatever a function does, it is not run before as much work is counted as it may read.
#[test]
fn every_function_costs_what_it_reads() {
    let long = "x".repeat(30_000);
    let parameters = serde_json::json!({ "t": long, "l": [long], "m": { "k": long } });
    let parameters = Parameters::from(parameters.as_object().unwrap().clone());
    for (name, takes) in super::functions::all() {
        let argument = |letter| match letter {
            's' => " .t",
            'a' => " .l",
            'm' => " .m",
            'M' => " .m",
            'i' => " 1",
            'f' => " 1.5",
            'b' => " true",
            _ => " .l",
        };
        let arguments: String = takes.trim_end_matches('*').chars().map(argument).collect();
        // An error after the count is an error all the same.
        let left = Cell::new(WORK_OF_A_SET);
        let _ = render(&format!("{{{{ $x := {name}{arguments} }}}}"), &parameters, &[], 6, &left);
        let reads = takes.chars().any(|letter| "sam".contains(letter)) && !["and", "or"].contains(&name);
        assert!(!reads || WORK_OF_A_SET - left.get() >= 30_000, "{name} {takes}");
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

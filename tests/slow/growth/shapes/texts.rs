//! Many lines, characters, comments and directives.

use super::{Shape, alone, job, job_head, object, spec};

/// A Job with these lines in its spec.
fn own(lines: &str) -> String {
    job("a", "1") + lines
}

/// A Job and a ConfigMap with these lines of data.
fn data(lines: &str) -> String {
    job("a", "1") + &object("ConfigMap", "c") + "data:\n" + lines
}

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "comments", item: |n, v| format!("# {v} {n}\n"), around: |items| items.to_owned() + &own(items) },
    Shape { name: "ignore comments", item: |n, v| format!("# argocd-jobs: ignore[null-value] {v} {n}\n"), around: own },
    Shape {
        name: "ignore comments beside keys",
        item: |n, v| format!("  k{n}: null # argocd-jobs: ignore[null-value] {v}\n"),
        around: own,
    },
    Shape {
        name: "ignore comments that are wrong",
        item: |n, v| format!("  k{n}: {v} # argocd-jobs: ignor[null-value]\n"),
        around: own,
    },
    Shape {
        name: "ids in one ignore comment",
        item: |n, v| format!("x{v}{n}, "),
        around: |items| own(&format!("  # argocd-jobs: ignore[{}] y\n", items.trim_end_matches(", "))),
    },
    Shape {
        name: "ignore comments in a text",
        item: |n, v| format!("    # argocd-jobs: ignore[x] {v} {n}\n"),
        around: |items| own(&format!("  x: |\n{items}")),
    },
    Shape {
        name: "%TAG directives",
        item: |n, v| format!("%TAG !{v}{n}! tag:example.com,2000:\n"),
        around: |items| items.to_owned() + &job("a", "1"),
    },
    Shape {
        name: "the same %TAG directive",
        item: |_, v| format!("%TAG !{v}! tag:example.com,2000:\n"),
        around: |items| items.to_owned() + &job("a", "1"),
    },
    Shape {
        name: "lines of a block text",
        item: |n, v| format!("    {v} {n}\n"),
        around: |items| data(&format!("  x: |\n{items}")),
    },
    Shape {
        name: "lines of a folded text",
        item: |n, v| format!("    {v} {n}\n"),
        around: |items| own(&format!("  x: >\n{items}")),
    },
    Shape {
        name: "lines of a plain text",
        item: |n, v| format!("    {v} {n}\n"),
        around: |items| own(&format!("  x:\n{items}")),
    },
    Shape { name: "block texts", item: |n, v| format!("  k{n}: |\n    {v}\n"), around: own },
    Shape { name: "quoted texts", item: |n, v| format!("  k{n}: '{v}''s'\n  l{n}: \"\\u0041 {v}\"\n"), around: own },
    Shape { name: "tagged texts", item: |n, v| format!("  k{n}: !!str {v}\n"), around: own },
    Shape { name: "keys of a ConfigMap", item: |n, v| format!("  k{n}: {v}\n"), around: data },
    Shape {
        name: "escapes on one line",
        item: |_, _| "\\u0041 x".to_owned(),
        around: |items| own(&format!("  x: \"{items}\"\n")),
    },
    Shape {
        name: "next lines in a text",
        item: |_, _| "\\N".to_owned(),
        around: |items| own(&format!("  x: \"<{items}>\"\n")),
    },
    Shape { name: "quotes in a text", item: |_, _| "''".to_owned(), around: |items| own(&format!("  x: '{items}'\n")) },
    Shape {
        name: "spaces in a text",
        item: |_, _| "        ".to_owned(),
        around: |items| own(&format!("  x: \"a{items}b\"\n")),
    },
    Shape {
        name: "spaces at the end of a line",
        item: |_, _| "        ".to_owned(),
        around: |items| own(&format!("  x: a{items}\n")),
    },
    Shape { name: "tabs at the ends of lines", item: |n, v| format!("  k{n}: {v}\t\t\n"), around: own },
    Shape { name: "blank lines", item: |_, _| "\n\n".to_owned(), around: |items| own(items) + "  x: y\n" },
    Shape {
        name: "line ends of Windows",
        item: |n, v| format!("  k{n}: {v}\r\n"),
        around: |items| job("a", "1").replace('\n', "\r\n") + items,
    },
    Shape { name: "line separators in comments", item: |n, v| format!("  k{n}: {v} # \u{2028}\n"), around: own },
    Shape { name: "characters of many bytes", item: |n, v| format!("  k{n}: \"ä{v}☃😀\"\n"), around: own },
    Shape { name: "placeholders of a template", item: |n, v| format!("  k{n}: ${{{v}}}\n"), around: own },
    Shape { name: "lines of a template", item: |n, _| format!("  k{n}: {{{{ .Values.x }}}}\n"), around: own },
    Shape { name: "patches", item: |n, v| job(&format!("j{n}"), v) + "$patch: delete\n", around: alone },
    Shape {
        name: "deep nesting",
        item: |n, v| job(&format!("j{n}"), v) + &format!("  x: {}{}\n", "[".repeat(50), "]".repeat(50)),
        around: alone,
    },
    Shape { name: "numbers", item: |n, _| format!("  k{n}: 0{n}\n  l{n}: 1{n}e3\n"), around: own },
    Shape {
        name: "a long number",
        item: |_, _| "12345678".to_owned(),
        around: |items| own(&format!("  x: {items}\n  y: 0x{items}\n  z: 1{items}.5e1\n")),
    },
    Shape {
        name: "secrets in base64",
        item: |_, _| "QUJD".to_owned(),
        around: |items| job("a", "1") + &object("Secret", "s") + &format!("data:\n  x: {items}\n"),
    },
    Shape {
        name: "broken at the end",
        item: |n, v| job(&format!("j{n}"), v),
        around: |items| items.to_owned() + "---\nkind: [\n",
    },
    Shape {
        name: "byte order marks behind an anchor",
        item: |_, _| "\u{feff}\n".to_owned(),
        around: |items| {
            let comments = "  #\n".repeat(items.lines().count());
            data(&format!("  a: &a\n{comments}    \"\n{items}    \"\n"))
        },
    },
    Shape {
        name: "keys that are texts",
        item: |n, v| format!("  \"k {n}\": {v}\n  ? [{n}]\n  : x\n"),
        around: |items| data(items) + &job_head("b") + &spec("image: b:1"),
    },
];

//! What Argo CD prints, and what strangers write.

use std::fs;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Error, render};

/// A row of the table; `TestTemplates` of interop/applicationset holds it against Argo CD.
#[derive(Deserialize)]
struct Row {
    template: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    options: Vec<String>,
    /// None where Argo CD fails.
    prints: Option<String>,
    /// What is not implemented.
    unknown: Option<String>,
}

/// `TEMPLATES` names another table than the committed one.
#[expect(clippy::disallowed_methods, reason = "the developer says in the environment which table is read")]
fn table() -> Vec<Row> {
    let path = std::env::var("TEMPLATES").unwrap_or_else(|_| "testdata/applicationset/templates.jsonl".to_owned());
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn templates_print_what_argo_cd_prints() {
    let mut wrong = Vec::new();
    for row in table() {
        let found = render(&row.template, &row.parameters, &row.options, 6);
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

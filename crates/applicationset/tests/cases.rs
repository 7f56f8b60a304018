//! Runs the cases in `testdata/cases`. A case has two YAML documents: a set with the clusters and
//! repositories around it, and the expected result.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "the environment says whether a case is written")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use applicationset::read_yaml;
use serde_json::{Value, json};

#[path = "../examples/applicationset/answer.rs"]
mod answer;

#[test]
fn every_case_makes_its_applications() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cases");
    let mut wrong = Vec::new();
    let cases = cases(&root);
    assert!(cases.len() > 60, "{}", cases.len());
    for case in cases {
        let text = fs::read_to_string(&case).unwrap();
        let (question, expected) = text.split_once("\n---\n").unwrap_or((&text, ""));
        let made = answer::answer(&read_yaml(question).unwrap());
        let made = serde_yaml::to_string(&without_empty(made)).unwrap();
        if made != expected {
            wrong.push(format!("{}\n{made}", case.display()));
            if is_update() {
                fs::write(&case, format!("{question}\n---\n{made}")).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each of these sets would generate a billion Applications, or a billion bytes.
#[test]
fn a_set_that_is_too_large_ends_at_once() {
    let list = |key: &str, count: usize| -> Value {
        let elements: Vec<Value> = (0..count).map(|number| json!({key: number.to_string()})).collect();
        json!({"list": {"elements": elements}})
    };
    let matrix = |one: &Value, other: &Value| json!({"matrix": {"generators": [one, other]}});
    let long = "{{a}} and more of it".repeat(50_000);
    let sets = [
        json!([matrix(&list("a", 31_623), &list("b", 31_623))]),
        json!([matrix(&list("a", 1_000), &matrix(&list("b", 1_000), &list("c", 1_000)))]),
        json!([matrix(&list("a", 9_000), &json!({"list": {"elements": [{"b": long}]}}))]),
        json!([matrix(&list("a", 9_000), &json!({"list": {"elementsYaml": "- {b: '{{a}}'}\n".repeat(1_000)}}))]),
        json!(vec![list("a", 9_000); 2]),
    ];
    for (number, generators) in sets.into_iter().enumerate() {
        let start = Instant::now();
        let template = json!({"metadata": {"name": "{{a}}"}, "spec": {"project": long}});
        let made = answer::answer(&json!({"set": {"spec": {"generators": generators, "template": template}}}));
        assert!(made["problems"].to_string().contains("TooLarge"), "{number}: {}", made["problems"]);
        assert!(start.elapsed() < Duration::from_secs(20), "{number}: {:?}", start.elapsed());
    }
}

fn without_empty(mut made: Value) -> Value {
    made.as_object_mut().unwrap().retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
    for application in made.get_mut("applications").and_then(Value::as_array_mut).into_iter().flatten() {
        let application = application.as_object_mut().unwrap();
        assert_eq!(application.remove("apiVersion"), Some("argoproj.io/v1alpha1".into()));
        assert_eq!(application.remove("kind"), Some("Application".into()));
    }
    made
}

fn cases(root: &Path) -> Vec<PathBuf> {
    let topics = fs::read_dir(root).unwrap().map(|topic| topic.unwrap().path());
    let mut cases: Vec<PathBuf> =
        topics.flat_map(|topic| fs::read_dir(topic).unwrap().map(|case| case.unwrap().path())).collect();
    cases.sort();
    cases
}

/// `UPDATE=1`: expectations are written instead of compared.
fn is_update() -> bool {
    std::env::var_os("UPDATE").is_some()
}

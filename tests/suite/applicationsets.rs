//! What the cases in `testdata/applicationset/cases` make. A case is two documents of YAML: a set with its world, and what comes out.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::switches;

#[path = "../../interop/applicationset/answer.rs"]
mod answer;

#[test]
fn every_case_makes_its_applications() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/applicationset/cases");
    let mut wrong = Vec::new();
    let cases = cases(&root);
    assert!(cases.len() > 40, "{}", cases.len());
    for case in cases {
        let text = fs::read_to_string(&case).unwrap();
        let (question, expected) = text.split_once("\n---\n").unwrap_or((&text, ""));
        let made = answer::answer(&answer::read(question).unwrap());
        let made = serde_yaml::to_string(&without_empty(made)).unwrap();
        if made != expected {
            wrong.push(format!("{}\n{made}", case.display()));
            if switches::update() {
                fs::write(&case, format!("{question}\n---\n{made}")).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

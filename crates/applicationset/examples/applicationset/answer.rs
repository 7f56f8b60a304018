//! Expands an ApplicationSet that is written together with its world, as JSON. The program `main.rs` does so for the tests in Go, and
//! `tests/cases.rs` for the cases in `testdata/cases`.

use std::collections::BTreeMap;
use std::sync::Arc;

use applicationset::{Cluster, Counted, Problem, Repositories, Unread, World, expand, read_yaml};
use serde_json::{Value, json};

/// The paths of repositories, and their texts by path, by URL; the same at each revision.
struct Texts(BTreeMap<String, (Vec<String>, BTreeMap<String, String>)>);

impl Repositories for Texts {
    fn files(&self, url: &str, _revision: &str) -> Option<Arc<[String]>> {
        Some(self.0.get(url)?.0.clone().into())
    }

    fn value(&self, url: &str, _revision: &str, path: &str) -> Result<Value, Unread> {
        read_yaml(self.0.get(url).and_then(|(_, files)| files.get(path)).map_or("", String::as_str))
    }
}

/// Expands the `set` of `question` with its `clusters`, `repositories` and `minor`, which are optional.
pub(super) fn answer(question: &Value) -> Value {
    let clusters: Option<Vec<Cluster>> =
        question["clusters"].as_array().map(|clusters| clusters.iter().map(cluster).collect());
    let texts = |files: &Value| {
        let texts: BTreeMap<String, String> = files.as_object().into_iter().flatten().map(text).collect();
        (texts.keys().cloned().collect(), texts)
    };
    let repositories = question["repositories"].as_object().into_iter().flatten();
    let repositories = Texts(repositories.map(|(url, files)| (url.clone(), texts(files))).collect());
    let minor = question["minor"].as_u64().and_then(|minor| u16::try_from(minor).ok()).unwrap_or(6);
    let world = World { clusters: clusters.as_deref(), repositories: &repositories, minor };
    let made = expand(&question["set"], &world);
    let assumed = made.applications.iter().filter(|made| made.is_assumed);
    json!({
        "assumed": assumed.map(|made| made.application["metadata"]["name"].clone()).collect::<Vec<_>>(),
        "problems": made.problems.iter().map(counted).collect::<Vec<_>>(),
        "applications": made.applications.into_iter().map(|made| made.application).collect::<Vec<_>>(),
    })
}

fn text((key, value): (&String, &Value)) -> (String, String) {
    (key.clone(), value.as_str().unwrap_or_default().to_owned())
}

fn cluster(written: &Value) -> Cluster {
    let field = |name: &str| written[name].as_str().unwrap_or_default().to_owned();
    let map = |name: &str| written[name].as_object().into_iter().flatten().map(text).collect();
    Cluster {
        name: field("name"),
        server: field("server"),
        project: field("project"),
        labels: map("labels"),
        annotations: map("annotations"),
    }
}

fn counted(counted: &Counted) -> String {
    let text = problem(&counted.problem);
    match counted.elements {
        0 => text,
        1 => format!("{text} (1 element)"),
        elements => format!("{text} ({elements} elements)"),
    }
}

fn problem(problem: &Problem) -> String {
    match problem {
        Problem::Asks(field) => format!("Asks {field}"),
        Problem::Clusters => "Clusters".to_owned(),
        Problem::Repository(url, revision) => format!("Repository {url} {revision}"),
        Problem::Function(name) => format!("Function {name}"),
        Problem::Failed(message) => format!("Failed {message}"),
        Problem::NotKnown(message) => format!("NotKnown {message}"),
        Problem::TooLarge(message) => format!("TooLarge {message}"),
    }
}

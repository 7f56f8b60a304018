//! `preview --live`: what it shows of a live Job, and what it does with input that no API server writes.

use std::fs;
use std::path::{Path, PathBuf};

use kube_jobs::argocd::Application;
use lint::Analysis;
use preview::{Cluster, judge};
use report::preview::{json, live};
use report::show::Show;
use rewrite::manifest::{Manifest, Reader};
use rewrite::settings::{Layers, RawLayers, WithPlugin};
use rewrite::version::Version;
use serde_json::{Value as Json, json};
use system::PathText;
use text::{Origin, Time};

use crate::laws::unseen;

/// No output may show it.
const SECRET: &str = "hunter2";

/// The cases with live Jobs: the manifests, and the text with the live Jobs.
fn cases() -> Vec<(PathBuf, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/preview/live");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path().join("in");
        let read = |name: &str| fs::read_to_string(path.join(name)).ok();
        if let (Some(manifests), Some(live)) = (read("app/jobs.yaml"), read("live.json")) {
            found.push((path, manifests, live));
        }
    }
    assert!(found.len() > 15, "{} cases", found.len());
    found
}

fn manifest(text: &str) -> Manifest {
    Manifest::new(Origin::StandardInput, text.to_owned(), Reader::Stream)
}

/// The manifests as the Application `shop` has them, without the plugin.
fn shop(manifests: &str) -> Version {
    let mut version = Version::of(vec![manifest(manifests)]);
    version.application =
        Application { name: Some("shop".to_owned()), namespace: Some("shop".to_owned()), ..Application::default() };
    version.layers = Layers::read(&RawLayers { with_plugin: WithPlugin::No, ..RawLayers::default() }).unwrap();
    version
}

/// All that is printed about live Jobs; the message if they cannot be read.
fn printed(analysis: &Analysis<'_>, live: &str) -> String {
    let cluster = match Cluster::read(&manifest(live)) {
        Ok(cluster) => cluster,
        Err(message) => return message.to_string(),
    };
    let now = Time::parse("2026-11-26T10:00:00Z");
    let of = |now: Option<&Time>| match judge(analysis, &cluster, now) {
        Ok(judged) => {
            let forecast = judged.forecast();
            live::text(&judged, &forecast, Show::default()) + &json::print_live(&judged, &forecast)
        }
        Err(message) => message.to_string(),
    };
    of(now.as_ref()) + &of(None)
}

/// Puts the secret wherever a live Job may have one.
fn fill(job: &mut Json) {
    let secret = || json!(SECRET);
    job["metadata"]["annotations"]["example.com/token"] = secret();
    job["metadata"]["labels"]["token"] = secret();
    let pod = &mut job["spec"]["template"]["spec"];
    pod["nodeSelector"] = json!({"token": SECRET});
    pod["volumes"] = json!([{"name": "v", "hostPath": {"path": SECRET}}]);
    for container in pod["containers"].as_array_mut().into_iter().flatten() {
        container["args"] = json!([SECRET]);
        container["command"] = json!([SECRET, SECRET]);
        container["workingDir"] = secret();
        let mut env = container["env"].as_array().cloned().unwrap_or_default();
        env.retain(|one| one["name"] != "A");
        env.push(json!({"name": "A", "value": SECRET}));
        env.push(json!({"name": "B", "valueFrom": {"secretKeyRef": {"name": SECRET, "key": SECRET}}}));
        container["env"] = json!(env);
    }
}

#[test]
fn no_value_of_a_live_job_is_shown() {
    let mut shown = 0;
    for (path, manifests, live) in cases() {
        let version = shop(&manifests);
        let analysis = Analysis::without_findings(&version);
        let told = printed(&analysis, &live);
        assert!(!told.contains(SECRET), "{}: {told}", path.shown());
        let Ok(mut list) = serde_json::from_str::<Json>(&live) else { continue };
        for item in list["items"].as_array_mut().into_iter().flatten() {
            fill(item);
            // What was applied last has it too, so that all of it is removed.
            let applied =
                item["metadata"]["annotations"][LAST_APPLIED].as_str().and_then(|text| serde_json::from_str(text).ok());
            if let Some(mut applied) = applied {
                fill(&mut applied);
                item["metadata"]["annotations"][LAST_APPLIED] = json!(applied.to_string());
            }
        }
        let told = printed(&analysis, &list.to_string());
        shown += usize::from(told.contains("`args` of container"));
        assert!(!told.contains(SECRET), "{}: {told}", path.shown());
    }
    assert!(shown > 5, "{shown} refusals");
}

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// All values that a value has, by the way to them.
fn ways(value: &Json, way: &mut Vec<String>, found: &mut Vec<String>) {
    found.push(way.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect());
    let mut down = |step: String, value: &Json| {
        way.push(step);
        ways(value, way, found);
        way.pop();
    };
    match value {
        Json::Object(map) => map.iter().for_each(|(key, value)| down(key.clone(), value)),
        Json::Array(items) => items.iter().enumerate().for_each(|(index, value)| down(index.to_string(), value)),
        _ => {}
    }
}

#[test]
fn odd_values_end_in_a_message_or_a_verdict_and_nothing_that_a_terminal_obeys_is_shown() {
    let version = shop(&fs::read_to_string(case("ordinary-jobs/in/app/jobs.yaml")).unwrap());
    let analysis = Analysis::without_findings(&version);
    let live: Json = serde_json::from_str(&fs::read_to_string(case("ordinary-jobs/in/live.json")).unwrap()).unwrap();
    let mut found = Vec::new();
    ways(&live, &mut Vec::new(), &mut found);
    assert!(found.len() > 400, "{}", found.len());
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!("\u{1b}[2J\n::error::\u{202e}"),
        json!([]),
        json!({}),
        json!([{}]),
    ];
    for (index, way) in found.iter().enumerate() {
        let mut changed = live.clone();
        *changed.pointer_mut(way).unwrap() = odd[index % odd.len()].clone();
        // The other Jobs are as they were, and take most of the time.
        if let Some(item) = way.strip_prefix("/items/").and_then(|below| below.split('/').next()?.parse::<usize>().ok())
        {
            changed["items"] = json!([changed["items"][item]]);
        }
        let told = printed(&analysis, &changed.to_string());
        assert!(!told.is_empty(), "{way}");
        let hidden = told.chars().find(|found| *found != '\n' && unseen::is_hidden(*found));
        assert_eq!(hidden, None, "{way}: {told}");
    }
}

#[test]
fn large_and_deep_input_is_refused_with_a_place() {
    let deep = format!("{{\"kind\": \"List\", \"items\": {}", "[".repeat(100_000));
    let wide = format!("{{\"kind\": \"List\", \"items\": [{}{{}}]}}", "{\"kind\":\"Pod\"},".repeat(300_000));
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned()
        + &(0..9).map(|level| format!("b{level}: &b{level} [{}]\n", ["*a"; 9].join(", "))).collect::<String>()
        + &format!("items: [{}]\n", ["*b8"; 100_000].join(", "));
    let version = shop("");
    let mut is_limited = false;
    for text in
        [deep, wide, bomb, "\0".to_owned(), "{\"kind\": \"Job\", \"kind\"".to_owned(), "a: 1\n--- b\n".to_owned()]
    {
        let told = printed(&Analysis::without_findings(&version), &text);
        assert!(told.starts_with("<stdin>:"), "{:.200}: {:.200}", text, told);
        assert!(told.contains("\nhelp: "), "{told:.200}");
        is_limited |= told.contains("\nhelp: read the Jobs of one namespace");
    }
    assert!(is_limited);
}

fn case(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/preview/live").join(below)
}

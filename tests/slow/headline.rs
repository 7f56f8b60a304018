//! In every case the first sentences of `preview --base` agree with the rows: no number or claim contradicts a
//! section.

use regex_lite::Regex;
use serde_json::Value as Json;

use crate::support::{case, program, switches};

/// Whether a row says that the Job or hook uses something that has changed, and that its run sees the change; or that
/// it cannot start.
fn uses(job: &Json, sees: &[&str], says: &str) -> bool {
    let is_meant = |found: &Json| {
        sees.contains(&found["sees"].as_str().unwrap()) && found["text"].as_str().unwrap().contains(says)
    };
    job["uses"].as_array().into_iter().flatten().any(is_meant)
}

/// Whether a row says that the Job or hook runs, and whether it says that the change is the reason.
fn runs(job: &Json) -> (bool, bool) {
    let text = job["text"].as_str().unwrap();
    let deleted = Regex::new("^its (?:TTL|delete policy) has deleted the earlier (?:Job|one)").unwrap();
    let is_deleted = |reason: &Json| deleted.is_match(reason["text"].as_str().unwrap());
    let sees = uses(job, &["new", "old-at-first"], "");
    let (runs, is_changed) = match job["verdict"].as_str().unwrap() {
        "new" => (text.contains("; runs ") && !text.contains("only if a sync fails"), true),
        "runs-again" => (true, sees || !job["changed"].as_array().unwrap().iter().all(is_deleted)),
        "resumes" | "after-failure" => (true, true),
        "every-sync" => (true, text.contains("; changed") || sees),
        _ => (false, false),
    };
    let can_run = job["blocked"] != true && !uses(job, &["nothing"], "cannot start");
    (runs && can_run, is_changed)
}

/// The first difference between the sentences and the rows of a comparison.
fn differs(told: &Json) -> Option<String> {
    let (sentences, jobs) = (told["nextSync"].as_str()?, told["jobs"].as_array()?);
    let of = |which: &str| {
        let told = Regex::new(&format!(
            r"(?:^|[.;] )(\d+) {which}[A-Za-z]+(?: and hooks)? (?:runs?|(?:is|are) applied)[ :,.]"
        ))
        .unwrap();
        told.captures_iter(sentences).map(|found| found[1].parse::<usize>().unwrap()).sum::<usize>()
    };
    let starts = told["autoSync"].as_str()?.starts_with("starts");
    let (counted, unchanged) = (of("(?:new )?"), of("unchanged "));
    let rows = jobs.iter().filter(|job| starts && runs(job) == (true, false)).count();
    if unchanged != rows {
        return Some(format!("{unchanged} unchanged ones are counted, {rows} run"));
    }
    let rows = jobs.iter().filter(|job| runs(job) == (true, true)).count();
    if counted != rows && told["autoSync"] != "application-is-gone" {
        return Some(format!("{counted} are counted, {rows} run"));
    }
    if starts == sentences.starts_with("Merging starts no sync") {
        return Some(format!("`autoSync` is {}", told["autoSync"]));
    }
    if !starts && told["autoSync"] == "nothing-changed" && !told["autoSyncStarts"].as_array()?.is_empty() {
        return Some("something changed".to_owned());
    }
    let says_fails = |text: &str| {
        text.contains("the sync fail") && !text.contains("if the sync fails")
            || text.contains("makes the comparison fail")
    };
    let fails = |job: &&Json| job["verdict"] == "fails" || says_fails(job["text"].as_str().unwrap());
    let is_failing = jobs.iter().any(|job| fails(&job)) || told["refusedUpdates"].is_array();
    let says_so = sentences.contains(" fails at ");
    let is_blocked = jobs.iter().any(|job| job["blocked"] == true);
    (says_so && !is_failing || is_failing && !says_so || is_blocked && !sentences.contains(" does not run"))
        .then(|| format!("fails: {is_failing}, said: {says_so}"))
}

#[test]
fn the_first_sentences_say_what_the_rows_say() {
    let mut wrong = String::new();
    let mut compared = 0;
    for case in case::all().into_iter().filter(|case| case.name.starts_with("preview/")) {
        let is_plain = !case.arguments.iter().any(|argument| argument == "--format");
        let dir = case.dir.join("in");
        if !is_plain || !dir.is_dir() || !case.arguments.iter().any(|argument| argument == "--base") {
            continue;
        }
        let mut command = program::program(&dir);
        command.envs(case.environment.iter().map(|(name, value)| (name, value))).env("PATH", switches::path());
        command.args(&case.arguments).args(["--format", "json"]);
        let input = case.input.as_ref().map(|input| std::fs::read(input).unwrap()).unwrap_or_default();
        let Ok(told) = serde_json::from_slice::<Json>(&program::run(command, &input).stdout) else { continue };
        let parts: Vec<&Json> = match told["sources"].as_array() {
            Some(sources) => sources.iter().filter_map(|source| source.get("preview")).collect(),
            None => vec![&told],
        };
        for part in parts {
            compared += 1;
            let difference = differs(part).map(|found| format!("{}: {found}\n  {}\n", case.name, part["nextSync"]));
            wrong += &difference.unwrap_or_default();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(compared > 80, "{compared}");
}

//! `generate` needs at most 64 MiB and three times its input, whatever the input is: documents as large as a document may be, of what needs
//! the most memory for each byte, and as many Jobs as there may be. What is larger is many documents, of which one after another is in memory.

use super::bounds::{FIXED, judge};
use super::counted;
use crate::support::scratch::Scratch;

/// A little less than the keys and values that a document may have, and a Job.
const IN_DOCUMENT: usize = 490_000;
const IN_JOB: usize = 49_000;

/// How many keys and values an item of [`jobs`] has without `more`.
const IN_ITEM: usize = 13;

/// A List of Jobs, each with `more` in its metadata, which is `values` keys and values.
fn jobs(more: &str, values: usize) -> String {
    let job = |number| {
        format!(
            "- {{apiVersion: batch/v1, kind: Job, metadata: {{name: j{number}{more}}}, spec: {{template: {{}}}}}}\n"
        )
    };
    format!("kind: List\nitems:\n{}", (0..IN_DOCUMENT / (IN_ITEM + values)).map(job).collect::<String>())
}

/// An object that is not a Job, with a list of `count` items.
fn object(item: impl Fn(usize) -> String, count: usize) -> String {
    // With an alias it has to be decoded.
    format!("kind: A\na: &a 1\nb: *a\nx:\n{}", (0..count).map(item).collect::<String>())
}

/// A document with a Job in as few bytes as it can have.
fn smallest(number: usize) -> String {
    format!("---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: j{number}}}\nspec: {{}}\n")
}

fn job(more: &str) -> String {
    format!("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\nspec: {{template: {{}}}}\n{more}")
}

/// A folded scalar of about `bytes` bytes.
fn folded(bytes: usize) -> String {
    format!(">\n{}", "  yyyyyyyyyyyyyyyy\n".repeat(bytes / 19 - 10))
}

/// What needs the most.
fn inputs() -> Vec<(&'static str, String)> {
    let aliases = |list: String| format!("a: &a 1\nb: *a\n{list}");
    let json = jobs("", 0).replace("kind: List\nitems:\n- ", "{kind: List, items: [").replace("}\n- ", "}, ");
    let folded_jobs: String = (0..16).map(|number| format!("- {{apiVersion: batch/v1, kind: Job, metadata: {{name: j{number}}}, spec: {{template: {{}}}}, x: \"{}\"}}\n", "y\\x20".repeat((1 << 20) / 5 - 100))).collect();
    let role = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\nrules: [{apiGroups: [batch], resources: [jobs], resourceNames: [j1]}]\n".to_owned();
    vec![
        ("Jobs in a List", jobs("", 0)),
        ("Jobs on one line", json.trim_end().to_owned() + "]}"),
        ("Jobs in a List with an alias", aliases(jobs("", 0))),
        ("Jobs in a List that cannot be edited", aliases(jobs(", labels: {x: 1, x: 2}", 6))),
        ("large Jobs in a List", format!("kind: List\nitems:\n{folded_jobs}")),
        ("a Job of empty lists", job(&format!("x: [{}]\n", "[],".repeat(IN_JOB)))),
        (
            "a Job of empty entries",
            job(&format!("x: {{{}}}\n", (0..IN_JOB / 2).map(|key| format!("{key:x},")).collect::<String>())),
        ),
        ("a Job of folded lines", job(&format!("x: {}", folded(8 << 20)))),
        ("folded lines", object(|_| format!("- {}", folded(16 << 20)), 1)),
        ("maps", object(|_| "- {a}\n".to_owned(), IN_DOCUMENT / 3)),
        ("anchors", object(|number| format!("- &a{number} 1\n"), IN_DOCUMENT)),
        ("tags", object(|_| "- !!str 1\n".to_owned(), IN_DOCUMENT)),
        ("tags of many kinds", object(|number| format!("- !{number} 1\n"), IN_DOCUMENT)),
        ("the smallest Jobs, and a role", (0..57_000).map(smallest).chain([role]).collect()),
        ("escapes", object(|_| "- \"\\n\"\n".to_owned(), IN_DOCUMENT)),
    ]
}

#[test]
fn generate_needs_64_mib_and_three_times_its_input_at_most() {
    if !counted::is_there() {
        return;
    }
    let judged = |(name, input): (&str, String)| {
        let arguments = ["generate", "-", "--strategy", "hook"];
        let counts = counted::run(&Scratch::new(), &arguments, input.as_bytes());
        judge(&arguments, name, counts, FIXED + 3 * input.len() as i64)
    };
    let wrong: Vec<String> = inputs().into_iter().filter_map(judged).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Laws that hold for every input of the cases, the corpus and the oracle. So each new case tests them, too.

mod one_hash;

use std::collections::BTreeSet;

use regex_lite::Regex;
use text::diff;

use crate::laws::generate::{self as law, STRATEGIES, generate};
use crate::support::inputs;
use crate::support::inputs::{Input, hold_for_all};

#[test]
fn a_refusal_names_its_place_and_prints_nothing() {
    hold_for_all(&inputs::all(), |input| named(input, law::ends_badly(&input.bytes)));
}

#[test]
fn keep_is_the_identity() {
    hold_for_all(&inputs::all(), |input| named(input, law::keep_changes(&input.bytes)));
}

/// A complaint with the name of its input.
fn named(input: &Input, complaint: Option<String>) -> Option<String> {
    complaint.map(|complaint| format!("{}: {complaint}", input.name))
}

/// Files that look like Jobs but are lists, which Argo CD does not read as manifests, either.
const LISTS: [&str; 2] = [
    "corpus/decoys/argoproj__argo-cd/resource_customizations/batch/CronJob/actions/testdata/job.yaml",
    "corpus/decoys/pulumi__pulumi-kubernetes/provider/pkg/await/checker/internal/workflows/kubernetes/job/added.json",
];

#[test]
fn look_alikes_come_out_byte_for_byte() {
    for strategy in STRATEGIES {
        hold_for_all(&inputs::below("corpus/decoys"), |input| {
            let output = generate(&input.bytes, Some(strategy));
            if LISTS.contains(&input.name.as_str()) {
                return (output.status != Some(2)).then(|| format!("{}: not refused", input.name));
            }
            (!output.is_quiet_success() || output.stdout != input.as_printed())
                .then(|| complaint(&input.name, &input.as_printed(), &output.stdout) + &output.stderr)
        });
    }
}

#[test]
fn running_the_program_over_its_own_output_changes_nothing() {
    let inputs = inputs::all();
    hold_for_all(&inputs, |input| named(input, law::own_output_changes(&input.bytes, "auto")));
    let with_jobs: Vec<Input> = inputs.into_iter().filter(|input| input.contains("Job")).collect();
    for strategy in &STRATEGIES[1..] {
        hold_for_all(&with_jobs, |input| named(input, law::own_output_changes(&input.bytes, strategy)));
    }
}

#[test]
fn lines_outside_jobs_never_change() {
    hold_for_all(&inputs::all(), |input| named(input, law::line_outside_jobs_changes(&input.bytes)));
}

#[test]
fn only_lines_of_the_named_keys_change_in_real_jobs() {
    hold_for_all(&inputs::below("corpus/jobs"), |input| {
        STRATEGIES.iter().find_map(|strategy| {
            let output = generate(&input.bytes, Some(strategy));
            let line =
                if output.status == Some(0) { odd_line(&input.as_printed(), &output.stdout)? } else { return None };
            Some(format!("{} ({strategy}): {line}", input.name))
        })
    });
}

/// A line of `after` that no edit can have made: it is new, and no strategy sets its key.
fn odd_line(before: &[u8], after: &[u8]) -> Option<String> {
    let keys = r"(name|generateName|annotations|labels|spec|ttlSecondsAfterFinished|argocd-jobs/name|argocd\.argoproj\.io/[a-z-]+)";
    let named = Regex::new(&format!(r#"^\s*(- )?\{{?"?{keys}"?:(\s|$)"#)).unwrap();
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    // When a neighbouring line was removed, a line may lose its comma or gain a newline.
    let bare = |line: &str| line.trim_end().trim_end_matches(',').to_owned();
    let diff = diff::unified(&before, &after, "", "", 0);
    // Skip the two lines with the names of the files.
    let lines: Vec<&str> = diff.lines().skip(2).collect();
    let gone: BTreeSet<String> = lines.iter().filter_map(|line| line.strip_prefix('-')).map(bare).collect();
    let mut came = lines.iter().filter_map(|line| line.strip_prefix('+'));
    came.find(|line| !named.is_match(line) && !gone.contains(&bare(line)) && !line.contains("{}")).map(bare)
}

#[test]
fn what_a_job_becomes_does_not_depend_on_what_stands_around_it() {
    let single = |input: &Input| {
        let output = generate(&input.bytes, None);
        (output.status == Some(0)).then_some(output.stdout)
    };
    let streams: Vec<Input> = inputs::all().into_iter().filter(is_plain_stream).collect();
    let pairs: Vec<(&Input, &Input)> = streams.iter().zip(streams.iter().skip(1)).step_by(2).collect();
    hold_for_all(&pairs, |(one, two)| {
        let (one_alone, two_alone) = (single(one)?, single(two)?);
        for (inputs, alone, order) in [
            ((one, two), (&one_alone, &two_alone), "in this order"),
            ((two, one), (&two_alone, &one_alone), "the other way round"),
        ] {
            let output = generate(&joined(&inputs.0.bytes, &inputs.1.bytes), None);
            let want = joined(alone.0, alone.1);
            // Two files with Jobs of the same name are refused, in either order.
            if output.status == Some(0) && output.stdout != want {
                let names = format!("{} and {}, {order}", one.name, two.name);
                return Some(complaint(&names, &want, &output.stdout));
            }
        }
        None
    });
}

/// Whether a stream can come before and after another one: it is block YAML without a byte order mark or an empty
/// line at its end. It has no roles, because they are the only objects that depend on other documents: they follow
/// the names of Jobs.
fn is_plain_stream(input: &Input) -> bool {
    let text = String::from_utf8_lossy(&input.bytes);
    !text.contains("resourceNames")
        && !text.trim_start().starts_with('{')
        && !text.contains('\u{feff}')
        && !input.bytes.ends_with(b"\n\n")
        && !input.bytes.ends_with(b"\r\n")
}

/// Two streams as one.
fn joined(one: &[u8], two: &[u8]) -> Vec<u8> {
    let newline: &[u8] = if one.ends_with(b"\n") { b"" } else { b"\n" };
    [one, newline, b"---\n", two].concat()
}

#[test]
fn names_of_every_length_stay_within_their_limits() {
    let jobs: String = (1..=253).map(|length| job(&name_of_length(length))).collect();
    for (strategy, limit, key) in
        [("hash-name", 63, "name"), ("hook", 63, "name"), ("generate-name", 36, "generateName")]
    {
        let output = generate(jobs.as_bytes(), Some(strategy));
        assert!(output.is_quiet_success(), "{strategy}: {}", output.stderr);
        let line = Regex::new(&format!(r"(?m)^  {key}: (\S+)$")).unwrap();
        let text = output.text();
        let names: Vec<&str> = line.captures_iter(&text).map(|found| found.get(1).unwrap().as_str()).collect();
        assert_eq!(names.len(), 253, "{strategy}");
        for name in &names {
            assert!(name.len() <= limit, "{strategy}: {name} has {} bytes", name.len());
            assert!(!name.contains("--") && !name.contains(".-"), "{strategy}: {name}");
        }
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 253, "{strategy}: every Job has a name of its own");
    }
}

/// A name of `length` bytes with dots and dashes, which differs from all others in its first bytes.
fn name_of_length(length: usize) -> String {
    let mut name: String = format!("j{length}-a.b").chars().chain("cd-ef.gh".chars().cycle()).take(length).collect();
    if length == 1 {
        name = "z".to_owned();
    }
    while name.ends_with(['-', '.']) {
        name.pop();
    }
    let missing = length - name.len();
    name + &"x".repeat(missing)
}

/// A small Job.
fn job(name: &str) -> String {
    format!("---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  template: {{}}\n")
}

/// The name of the input, and the difference.
fn complaint(name: &str, want: &[u8], got: &[u8]) -> String {
    format!("{name}\n{}", law::complaint(want, got))
}

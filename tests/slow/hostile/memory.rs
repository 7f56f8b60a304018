//! What a few bytes may cost: aliases that expand to much, and settings that hold for many Jobs. Each command stays within 64 MiB and
//! eight times its input: at a size and at four times that size, where more than a multiple of the input would be more than that.
//! `LONG=1` takes a size between them too, and every command at every size.

use std::path::Path;

use super::bounded::{MIB, run_within_data};
use super::growth::odd_job;
use super::{config_map, job};
use crate::support::program::Output;
use crate::support::scratch::Scratch;
use crate::support::switches;

/// Everything that reads manifests, over standard input.
const COMMANDS: [&[&str]; 3] = [&["generate", "-"], &["check", "-"], &["preview", "-", "--diff", "always"]];

/// Everything that reads a directory and another version of it. The first two do all that the others do.
const DIRECTORY_COMMANDS: [&[&str]; 5] = [
    &["check", "new", "--base", "old"],
    &["preview", "new", "--base", "old"],
    &["generate", "new"],
    &["check", "new"],
    &["preview", "new", "--format", "json"],
];

fn directory_commands() -> &'static [&'static [&'static str]] {
    &DIRECTORY_COMMANDS[..if switches::long() { 5 } else { 2 }]
}

/// A size, four times that, and with `LONG=1` twice that between them.
fn sizes(size: usize) -> Vec<usize> {
    if switches::long() { vec![size, 2 * size, 4 * size] } else { vec![size, 4 * size] }
}

/// Runs all commands over `make` of the first size, and `generate` over the others. Returns what `generate` printed for each.
#[track_caller]
fn each_stays_small(size: usize, make: impl Fn(usize) -> String) -> Vec<Output> {
    let run = |arguments: &[&str], input: &str| {
        let output = run_within_data(Path::new(env!("CARGO_MANIFEST_DIR")), arguments, input.as_bytes(), input.len());
        assert!(matches!(output.status, Some(0..=2)), "{arguments:?}, {} bytes: {output:?}", input.len());
        let printed = output.stdout.len();
        assert!(printed <= 16 * MIB + 8 * input.len(), "{arguments:?}, {} bytes: {printed} come out", input.len());
        output
    };
    let run_all = |current: usize| {
        let input = make(current);
        let [generate, others @ ..] = COMMANDS;
        for other in others.iter().filter(|_| current == size || switches::long()) {
            run(other, &input);
        }
        run(generate, &input)
    };
    sizes(size).into_iter().map(run_all).collect()
}

/// The error is at the alias that exceeds the limit.
#[track_caller]
fn is_refused_at_an_alias(output: &Output) {
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(output.stdout.is_empty());
    let (place, rest) = output.stderr.split_once(": ").unwrap();
    let numbers: Vec<&str> = place.strip_prefix("<stdin>:").unwrap().split(':').collect();
    assert!(numbers.len() == 2 && numbers.iter().all(|number| number.parse::<usize>().is_ok()), "{place}");
    assert_eq!(
        rest,
        "with this alias, aliases expand to more than 6 MiB\nhelp: write the value itself in place of the alias\n"
    );
}

#[test]
fn aliases_to_one_long_text_in_a_config_map() {
    let make = |size| {
        let data: String = (0..size / 100).map(|number| format!("  k{number}: *a\n")).collect();
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: &a {}\n{data}", "x".repeat(size))
    };
    let outputs = each_stays_small(16_000, make);
    assert_eq!(outputs[0].text(), make(16_000));
    is_refused_at_an_alias(outputs.last().unwrap());
}

#[test]
fn aliases_to_one_long_text_in_a_job() {
    let make = |size| job("a") + "  x: &a " + &"x".repeat(size) + "\n  y:\n" + &"  - *a\n".repeat(size / 50);
    let outputs = each_stays_small(12_000, make);
    assert!(outputs[0].is_quiet_success(), "{}", outputs[0].stderr);
    is_refused_at_an_alias(outputs.last().unwrap());
}

#[test]
fn aliases_to_one_long_text_in_metadata_that_is_an_alias() {
    let make = |size| {
        let annotations: Vec<String> = (0..size / 50).map(|number| format!("k{number}: *a")).collect();
        let (long, annotations) = ("x".repeat(size), annotations.join(", "));
        format!(
            "x: &m {{name: a, annotations: {{a: &a {long}, {annotations}}}}}\napiVersion: batch/v1\nkind: Job\nmetadata: *m\n\
             spec: {{template: {{}}}}\n"
        )
    };
    let outputs = each_stays_small(8_000, make);
    assert!(outputs[0].is_quiet_success(), "{}", outputs[0].stderr);
    assert!(outputs[0].stdout.len() > 100 * 8_000, "it comes out written out");
    is_refused_at_an_alias(outputs.last().unwrap());
}

#[test]
fn aliases_to_lists_and_maps_behind_aliases() {
    let make = |size| {
        // go-yaml lets 99 of 100 values come from aliases, not more.
        let own = "  - {k: v, l: [m]}\n".repeat(2 * size);
        job("a")
            + "  a: &a [1, 2, 3, {4: 5}]\n  b: &b [*a, *a, *a]\n  c:\n"
            + &own
            + "  d:\n"
            + &"  - *b\n".repeat(10 * size)
    };
    let outputs = each_stays_small(250, make);
    assert!(outputs[0].is_quiet_success(), "{}", outputs[0].stderr);
    is_refused_at_an_alias(outputs.last().unwrap());
}

#[test]
fn aliases_in_many_documents_count_together() {
    let document = |number| {
        let annotations = format!("annotations: {{a: &a {}, b: *a, c: *a}}", "x".repeat(5_000));
        format!(
            "---\nx: &m {{name: j{number}, {annotations}}}\napiVersion: batch/v1\nkind: Job\nmetadata: *m\nspec: {{}}\n"
        )
    };
    let outputs = each_stays_small(100, |size| (0..size).map(document).collect());
    assert!(outputs[0].is_quiet_success(), "{}", outputs[0].stderr);
    is_refused_at_an_alias(outputs.last().unwrap());
}

#[test]
fn the_same_aliases_in_two_versions() {
    let text = |image: &str| {
        let env = "        - {name: B, value: *a}\n".repeat(61);
        let containers =
            format!("      - name: c\n        image: {image}\n        env:\n        - {{name: A, value: &a ");
        job("a").replace("containers: []\n", "containers:\n") + &containers + &"x".repeat(100_000) + "}\n" + &env
    };
    let scratch = Scratch::new();
    scratch.write("new/a.yaml", text("shop:2"));
    scratch.write("old/a.yaml", text("shop:1"));
    for arguments in directory_commands() {
        let output = run_within_data(&scratch.source(), arguments, b"", 2 * text("shop:1").len());
        assert!(matches!(output.status, Some(0 | 1)), "{arguments:?}: {output:?}");
    }
}

/// The number of Jobs at which a copy of the settings of all Jobs for each Job is more than the limit: 1,000² entries, 40 bytes for
/// each, in each of two versions. A quarter of the Jobs have four times the entries here: an entry is read in less time than a Job.
const JOBS: usize = 250;

/// The number of entries that hold for each Job.
const ENTRIES: usize = 4_000;

/// Runs all commands over [`JOBS`] with the settings that `config` makes of [`ENTRIES`]; with `LONG=1` over more Jobs too.
#[track_caller]
fn each_stays_small_with(config: impl Fn(usize) -> String) {
    let containers = "containers: [{name: c, image: shop:1}]\n      restartPolicy: Never";
    let jobs = |size| {
        let all: Vec<String> = (0..size).map(|number| job(&format!("j{number}"))).collect();
        all.join("---\n").replace("containers: []", containers)
    };
    for size in [JOBS, 4 * JOBS, 12 * JOBS].into_iter().take(if switches::long() { 3 } else { 1 }) {
        let (jobs, config) = (jobs(size), config(ENTRIES));
        let scratch = Scratch::new();
        for version in ["new", "old"] {
            scratch.write(&format!("{version}/jobs.yaml"), &jobs);
            scratch.write(&format!("{version}/.argocd-jobs.yaml"), &config);
        }
        for arguments in directory_commands() {
            let versions = if arguments.contains(&"--base") { 2 } else { 1 };
            let read = versions * (jobs.len() + config.len());
            let output = run_within_data(&scratch.source(), arguments, b"", read);
            assert!(matches!(output.status, Some(0 | 1)), "{arguments:?}, {size} Jobs: {}", output.stderr);
            assert_eq!(output.stderr, "", "{arguments:?}, {size} Jobs");
            let printed = output.stdout.len();
            assert!(printed <= 4 * MIB + 8 * read, "{arguments:?}, {size} Jobs: {printed} bytes come out");
        }
    }
}

#[test]
fn a_baseline_of_all_jobs() {
    let entry = |number| format!("  j{number}: ghk2456789\n");
    each_stays_small_with(|size| "baseline:\n".to_owned() + &(0..size).map(entry).collect::<String>());
}

#[test]
fn labels_to_strip_from_all_jobs() {
    let entry = |number| format!("- label-{number}/of-a-chart\n");
    each_stays_small_with(|size| "strip-template-labels:\n".to_owned() + &(0..size).map(entry).collect::<String>());
}

#[test]
fn a_rule_for_all_jobs() {
    let entry = |number| format!("    j{number}: ghk2456789\n");
    each_stays_small_with(|size| {
        "rules:\n- match: {name: \"*\"}\n  baseline:\n".to_owned() + &(0..size).map(entry).collect::<String>()
    });
}

#[test]
fn a_phase_that_is_named_many_times() {
    each_stays_small_with(|size| format!("strategy: hook\nhook: \"{}PreSync\"\n", "Sync,".repeat(size)));
}

#[test]
fn a_config_file_with_aliases_to_one_long_text() {
    let scratch = Scratch::new();
    scratch.write("new/a.yaml", job("a"));
    let make = |size: usize| {
        format!("rerun: &a {}\nstrip-template-labels: [{}]\n", "x".repeat(size), vec!["*a"; size / 10].join(", "))
    };
    for size in [20_000, 40_000, 80_000] {
        scratch.write("new/.argocd-jobs.yaml", make(size));
        let output = run_within_data(&scratch.source(), &["generate", "new"], b"", make(size).len());
        assert_eq!(output.status, Some(2), "{}", output.stderr);
        let told = "with this alias, aliases expand to more than 6 MiB\n";
        assert!(
            output.stderr.starts_with("new/.argocd-jobs.yaml:2:") && output.stderr.ends_with(told),
            "{}",
            output.stderr
        );
    }
}

/// Folders are looked at before anything is rendered, by `check` and `preview`, and so is what a tool is given.
#[test]
fn whatever_is_read_in_a_folder() {
    let bomb = |size: usize| {
        let (first, second) = (vec!["*a"; 50].join(", "), vec!["*b"; size / 100].join(", "));
        format!("x-a: &a '{}'\nx-b: &b [{first}]\nx-c: [{second}]\n", "x".repeat(size))
    };
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
    for (file, text) in [
        ("new/a.yaml", manifest),
        ("new/kustomization.yaml", "resources: [j.yaml]\n"),
        ("new/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
        ("new/.argocd-jobs.yaml", "strategy: hash-name\n"),
        ("new/app.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"),
    ] {
        let scratch = Scratch::new();
        scratch.write("new/j.yaml", job("a"));
        let text = format!("{text}{}", bomb(100_000));
        scratch.write(file, &text);
        for arguments in [&["check", "."][..], &["preview", "."], &["generate", "new"], &["check", "new"]] {
            let output = run_within_data(&scratch.source(), arguments, b"", text.len());
            assert!(matches!(output.status, Some(0..=2)), "{file} {arguments:?}: {output:?}");
        }
    }
}

#[test]
fn texts_that_go_into_every_job_are_not_long() {
    let scratch = Scratch::new();
    let run = |key: &str, length: usize, at: &str| {
        scratch.write("new/.argocd-jobs.yaml", format!("{at}{key}: {}\n", "x".repeat(length)));
        run_within_data(&scratch.source(), &["generate", "new"], b"", length)
    };
    scratch.write("new/a.yaml", job("a"));
    for (key, most, at) in [("rerun", 1024, ""), ("base-name", 253, "rules:\n- match: {}\n  ")] {
        assert_eq!(run(key, most, at).status, Some(0), "{key}");
        let refused = run(key, most + 1, at);
        assert_eq!(refused.status, Some(2), "{key}");
        let shown = format!("invalid value `{}…`, expected", "x".repeat(40));
        assert!(refused.stderr.contains(&shown), "{}", refused.stderr);
        assert!(refused.stderr.len() < 300, "{}", refused.stderr);
    }
}

#[test]
fn data_that_many_jobs_refer_to_is_hashed_up_to_a_limit() {
    let volume = "      volumes: [{name: v, configMap: {name: a}}]\n";
    let make = |jobs: usize| {
        let data = config_map(&format!(" {{k: {}}}", "x".repeat(MIB)));
        let jobs: String = (0..jobs).map(|number| format!("---\n{}{volume}", job(&format!("j{number}")))).collect();
        data + &jobs
    };
    let run = |jobs| {
        let input = make(jobs);
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        run_within_data(dir, &["generate", "-", "--hash-references"], input.as_bytes(), input.len())
    };
    assert!(run(if switches::long() { 255 } else { 10 }).is_quiet_success());
    let refused = run(260);
    assert_eq!((refused.status, refused.stdout.len()), (Some(2), 0));
    let message = "with `hash-references`, more than 256 MiB of ConfigMaps and Secrets would be hashed (each counts once for every Job that \
                   refers to it)\nhelp: set `hash-references` to `false`, or let fewer Jobs refer to the largest of them\n";
    assert_eq!(refused.stderr, message);
}

#[test]
fn four_findings_in_each_of_many_jobs() {
    let input: String = (0..2048).map(|number| format!("---\n{}\n", odd_job(number))).collect();
    for format in ["json", "sarif"] {
        let arguments = ["check", "-", "--format", format];
        let output = run_within_data(Path::new(env!("CARGO_MANIFEST_DIR")), &arguments, input.as_bytes(), input.len());
        assert_eq!(output.status, Some(1), "{format}: {}", output.stderr);
        assert!(String::from_utf8_lossy(&output.stdout).contains("j2047"), "{format}");
    }
}

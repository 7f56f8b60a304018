//! Many settings, many Jobs that they hold for, many files, sources and cases.

use super::counted::{self, Counts};
use crate::support::scratch::Scratch;

/// The Jobs `j0`, `j1` and so on.
fn jobs(count: usize) -> String {
    let container = "containers: [{name: c, image: \"a:1\"}]\n      restartPolicy: Never\n";
    let job = |number| {
        let head = format!("---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j{number}\n");
        format!("{head}spec:\n  template:\n    spec:\n      {container}")
    };
    (0..count).map(job).collect()
}

/// The lines that `item` makes of the numbers below `count`.
fn lines(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

/// Runs commands over the files that `make` writes for a size, in a folder for each of them.
#[track_caller]
fn grows_linearly(all: &[&[&str]], make: impl Fn(&Scratch, usize)) {
    if !counted::is_there() {
        return;
    }
    let mut wrong = Vec::new();
    for arguments in all {
        let count = |size: usize| -> Counts {
            let scratch = Scratch::new();
            make(&scratch, size);
            counted::run(&scratch, arguments, b"")
        };
        wrong.extend(counted::judge(&arguments.join(" "), counted::sizes().map(count)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const COMMANDS: [&[&str]; 3] = [&["generate", "new"], &["check", "new"], &["preview", "new"]];

/// Jobs with a config file: how many there are of each, for a size.
#[track_caller]
fn with_settings(jobs_of: impl Fn(usize) -> usize, settings: impl Fn(usize) -> String) {
    grows_linearly(&COMMANDS, |scratch, size| {
        scratch.write("new/a.yaml", jobs(jobs_of(size)));
        scratch.write("new/.argocd-jobs.yaml", settings(size));
    });
}

/// A size that stays.
const SOME: usize = 16;

/// As many rules as there may be, or fewer where that takes long.
const RULES: usize = 100;

#[test]
fn rules_for_some_jobs() {
    with_settings(
        |_| SOME,
        |size| "rules:\n".to_owned() + &lines(size.min(1000), |n| format!("- {{match: {{name: j{n}}}, rerun: a}}\n")),
    );
}

#[test]
fn jobs_that_some_rules_are_for() {
    with_settings(
        |size| size,
        |_| "rules:\n".to_owned() + &lines(RULES, |n| format!("- {{match: {{name: \"*{n}\"}}, rerun: a}}\n")),
    );
}

#[test]
fn rules_that_ignore() {
    let rule = |n| format!("- {{match: {{name: j{n}}}, ignore: [mutable-image, hook-piles-up]}}\n");
    with_settings(|_| SOME, |size| "rules:\n".to_owned() + &lines(size.min(1000), rule));
    with_settings(|size| size, |_| "rules:\n".to_owned() + &lines(RULES, rule));
}

#[test]
fn ids_that_are_ignored() {
    with_settings(|_| SOME, |size| "ignore:\n".to_owned() + &lines(size, |_| "- mutable-image\n".to_owned()));
}

#[test]
fn labels_that_a_rule_wants() {
    let labels = |size| lines(size, |n| format!("k{n}: v, "));
    with_settings(|_| SOME, |size| format!("rules:\n- {{match: {{labels: {{{}}}}}, rerun: a}}\n", labels(size)));
}

#[test]
fn a_baseline_for_all_jobs() {
    with_settings(|size| size, |size| "baseline:\n".to_owned() + &lines(size, |n| format!("  j{n}: ghk2456789\n")));
}

#[test]
fn labels_to_strip() {
    with_settings(|_| SOME, |size| "strip-template-labels:\n".to_owned() + &lines(size, |n| format!("- l{n}/x\n")));
}

#[test]
fn many_jobs_to_strip_labels_from() {
    with_settings(|size| size, |_| "strip-template-labels:\n".to_owned() + &lines(RULES, |n| format!("- l{n}/x\n")));
}

#[test]
fn files() {
    grows_linearly(&COMMANDS, |scratch, size| {
        let settings = format!("exclude: \"{{{}}}\"\n", lines(RULES, |n| format!("x{n}*,")));
        scratch.write("new/.argocd-jobs.yaml", &settings);
        (0..size).for_each(|n| drop(scratch.write(&format!("new/{n}.yaml"), jobs(1).replace("j0", &format!("j{n}")))));
    });
}

#[test]
fn files_of_one_of_several_sources() {
    grows_linearly(&[&["check", "."], &["preview", "."]], |scratch, size| {
        scratch.write("one/a.yaml", jobs(1));
        scratch.write("many/a.yaml", jobs(1));
        let object = "apiVersion: v1\nkind: A\n";
        (0..8 * size).for_each(|n| drop(scratch.write(&format!("many/{n}.yaml"), object)));
    });
}

#[test]
fn sources() {
    grows_linearly(&[&["check", "."], &["preview", "."]], |scratch, size| {
        (0..size).for_each(|n| drop(scratch.write(&format!("s{n}/.argocd-jobs.yaml"), "rerun: a\n")));
        (0..size).for_each(|n| drop(scratch.write(&format!("s{n}/a.yaml"), jobs(1))));
    });
}

#[test]
fn sources_that_cannot_be_read() {
    grows_linearly(&[&["check", "."], &["preview", "."]], |scratch, size| {
        (0..size).for_each(|n| drop(scratch.write(&format!("s{n}/.argocd-jobs.yaml"), "rerun: [\n")));
        (0..size).for_each(|n| drop(scratch.write(&format!("s{n}/a.yaml"), jobs(1))));
    });
}

#[test]
fn cases() {
    grows_linearly(&[&["test", "."], &["test", ".", "--format", "junit"]], |scratch, size| {
        (0..size / 8).for_each(|n| drop(scratch.write(&format!("c{n}/in/a.yaml"), jobs(1))));
    });
}

#[test]
fn lines_of_a_case_that_differ() {
    grows_linearly(&[&["test", "."], &["test", ".", "--format", "junit"]], |scratch, size| {
        scratch.write("c/in/a.yaml", lines(32 * size, |n| format!("---\nkind: A{n}\n")));
        scratch.write("c/stdout.txt", lines(32 * size, |n| format!("{n}\n")));
    });
}

#[test]
fn parameters_of_a_config_file() {
    grows_linearly(&[&["parameters", "new"]], |scratch, size| {
        let rule = |n| format!("- {{match: {{name: j{n}}}, rerun: a}}\n");
        let settings = "rules:\n".to_owned() + &lines(size.min(1000), rule);
        scratch.write("new/.argocd-jobs.yaml", &settings);
    });
}

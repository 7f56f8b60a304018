//! Inputs of 1, 2 and 4 times the size take at most 1, 2 and 4 times the memory, and about as many times the processor time, in every command
//! and with several sources. The inputs are those that once took the product of two of their parts: a few hundred kilobytes took gigabytes.

mod applications;
mod limit;
mod measure;

use crate::support::scratch::Scratch;
use measure::judge;

/// Makes an input of a size.
type Make<'m> = &'m dyn Fn(usize) -> String;

/// Every command that reads manifests. `.` has three sources: `new`, `old`, and the manifests of a case.
const COMMANDS: [&[&str]; 8] = [
    &["generate", "new"],
    &["check", "new"],
    &["preview", "new", "--diff", "always"],
    &["check", "new", "--base", "old"],
    &["preview", "new", "--base", "old"],
    &["check", "."],
    &["preview", "."],
    &["test", "cases"],
];

/// The commands that look at one version of one source.
const ALONE: &[&[&str]] = COMMANDS.split_at(3).0;

/// The commands that compare two versions.
const COMPARED: &[&[&str]] = COMMANDS.split_at(3).1.split_at(2).0;

/// The commands that look at several sources.
const SEVERAL: &[&[&str]] = COMMANDS.split_at(5).1.split_at(2).0;

/// Fails when one of `commands` grows faster than the input that `write` writes for a size.
#[track_caller]
fn grows(name: &str, commands: &[&[&str]], size: usize, write: impl Fn(&Scratch, usize)) {
    let wrong: Vec<String> = commands.iter().filter_map(|command| judge(name, command, size, &write)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Writes manifests and a config file as `new`, as a case, and with some differences as `old`.
fn versions(scratch: &Scratch, manifests: &str, config: &str) {
    let old = manifests.replace("new", "old").replace("a:1", "a:2");
    for (folder, text) in [("new", manifests), ("old", &old), ("cases/c/in", manifests)] {
        scratch.write(&format!("{folder}/a.yaml"), text);
        scratch.write(&format!("{folder}/.argocd-jobs.yaml"), config);
    }
    scratch.write("cases/c/case", "# shows\ngenerate\n");
}

/// The lines that `line` makes of the numbers below `count`.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// A ConfigMap with these entries.
fn config_map(data: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  {data}\n")
}

/// A Job whose container has `more`, which is lines or nothing.
fn job(name: &str, more: &str) -> String {
    format!(
        "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      \
         containers:\n      - name: c\n        image: a:1\n{more}"
    )
}

fn jobs(count: usize) -> String {
    lines(count, |number| job(&format!("j{number}"), ""))
}

#[test]
fn aliases_to_one_long_text() {
    let in_config_map = |size: usize| {
        config_map(&format!("a: &a {}\n", "x".repeat(size))) + &lines(size / 20, |number| format!("  k{number}: *a\n"))
    };
    grows("in a ConfigMap", &COMMANDS, 50_000, |scratch, size| versions(scratch, &in_config_map(size), ""));
    let in_job = |size: usize| {
        let env = format!("        env:\n        - {{name: A, value: &a {}}}\n", "x".repeat(size));
        job("a", &(env + &"        - {name: B, value: *a}\n".repeat(size / 30)))
    };
    grows("in a Job", &COMMANDS, 50_000, |scratch, size| versions(scratch, &in_job(size), ""));
    let in_metadata = |size: usize| {
        let annotations = lines(size / 20, |number| format!("k{number}: *a, "));
        let long = "x".repeat(size);
        format!("x: &m {{name: a, annotations: {{a: &a {long}, {annotations}}}}}\n")
            + "apiVersion: batch/v1\nkind: Job\nmetadata: *m\nspec: {template: {}}\n"
    };
    grows("in metadata", &COMMANDS, 50_000, |scratch, size| versions(scratch, &in_metadata(size), ""));
}

#[test]
fn aliases_in_many_documents() {
    let document = |number| {
        let aliases = lines(10, |number| format!(", k{number}: *a"));
        format!("---\n{}", config_map(&format!("x{number}: {{a: &a {}{aliases}}}", "x".repeat(2_000))))
    };
    grows("in documents", &COMMANDS, 200, |scratch, size| versions(scratch, &lines(size, document), ""));
}

#[test]
fn aliases_in_files_that_are_no_manifests() {
    let bomb = |size: usize| {
        let (first, second) = (vec!["*a"; 50].join(", "), vec!["*b"; size / 50].join(", "));
        format!("x-a: &a '{}'\nx-b: &b [{first}]\nx-c: [{second}]\n", "x".repeat(size))
    };
    for (file, text) in [
        ("kustomization.yaml", "resources: [a.yaml]\n"),
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
        (".argocd-jobs.yaml", "strategy: hash-name\n"),
        ("app.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"),
    ] {
        grows(file, &COMMANDS, 10_000, |scratch, size| {
            versions(scratch, &jobs(1), "");
            for folder in ["new", "old", "cases/c/in"] {
                scratch.write(&format!("{folder}/{file}"), format!("{text}{}", bomb(size)));
            }
        });
    }
}

#[test]
fn settings_for_many_jobs() {
    let baseline = |indent: &str, size| lines(size, |number| format!("{indent}  j{number}: ghk2456789\n"));
    let rule = "rules:\n- match: {name: \"*\"}\n  baseline:\n";
    let configs: [(&str, Make<'_>); 4] = [
        ("baseline", &|size| format!("baseline:\n{}", baseline("", size))),
        ("baseline of a rule", &|size| format!("{rule}{}", baseline("  ", size))),
        ("labels", &|size| {
            format!("strip-template-labels:\n{}", lines(size, |number| format!("- l{number}/of-a-chart\n")))
        }),
        ("phases", &|size| format!("strategy: hook\nhook: \"{}PreSync\"\n", "Sync,".repeat(size))),
    ];
    for (name, config) in configs {
        // One of them with several sources too.
        let commands = if name == "baseline" { &COMMANDS[..] } else { &COMMANDS[..5] };
        grows(name, commands, 400, |scratch, size| versions(scratch, &jobs(size), &config(size)));
    }
}

#[test]
fn rules_for_many_jobs() {
    let configs: [(&str, Make<'_>); 2] = [
        ("rules", &|number| format!("- {{match: {{name: \"*{number}\"}}, rerun: a}}\n")),
        ("rules that ignore", &|number| format!("- {{match: {{name: j{number}}}, ignore: [mutable-image]}}\n")),
    ];
    for (name, rule) in configs {
        // As many as there may be, at every size: each Job is held against each rule.
        let config = format!("rules:\n{}", lines(1_000, rule));
        grows(name, ALONE, 300, |scratch, size| versions(scratch, &jobs(size), &config));
    }
}

#[test]
fn one_config_map_that_many_jobs_refer_to() {
    let volume = "      volumes: [{name: v, configMap: {name: a}}]\n";
    let make = |size: usize| {
        config_map(&format!("k: {}", "x".repeat(300 * size)))
            + &lines(size, |number| job(&format!("j{number}"), volume))
    };
    grows("data", &ALONE[..1], 100, |scratch, size| versions(scratch, &make(size), "hash-references: true\n"));
}

#[test]
fn lists_that_are_different_in_the_other_version() {
    let containers = |size| lines(size, |number| format!("      - {{name: new{number}, image: \"new:{number}\"}}\n"));
    let shapes: [(&str, Make<'_>); 4] = [
        ("args", &|size| format!("        args:\n{}", lines(size, |number| format!("        - new{number}\n")))),
        ("env", &|size| {
            format!("        env:\n{}", lines(size, |number| format!("        - {{name: new{number}, value: v}}\n")))
        }),
        ("containers", &containers),
        ("ports", &|size| {
            format!(
                "        ports:\n{}",
                lines(size, |number| format!("        - {{containerPort: {number}, name: new}}\n"))
            )
        }),
    ];
    for (name, more) in shapes {
        grows(name, COMPARED, 2_000, |scratch, size| versions(scratch, &job("a", &more(size)), ""));
    }
    grows("shifted args", COMPARED, 2_000, |scratch, size| {
        let args =
            |from: usize| format!("        args:\n{}", lines(size, |number| format!("        - a{}\n", number + from)));
        scratch.write("new/a.yaml", job("a", &args(1)));
        scratch.write("old/a.yaml", job("a", &args(0)));
    });
}

#[test]
fn comments_that_ignore() {
    let comment = "# argocd-jobs: ignore[mutable-image] not now\n";
    grows("comments", ALONE, 3_000, |scratch, size| versions(scratch, &(comment.repeat(size) + &jobs(1)), ""));
}

#[test]
fn directives_and_long_globs() {
    let tags = |size: usize| lines(size, |number| format!("%TAG !t{number}! tag:example.com,2000:\n"));
    let directives = |size: usize| tags(size) + "---\n" + &config_map("a: b");
    grows("directives", ALONE, 5_000, |scratch, size| versions(scratch, &directives(size), ""));
    let glob = |size: usize| format!("rules:\n- match: {{name: \"{}b\"}}\n  rerun: a\n", "*a".repeat(size / 2));
    let long = |size: usize| job(&"a".repeat(size), "");
    grows("globs", ALONE, 2_000, |scratch, size| versions(scratch, &long(size), &glob(size)));
}

/// What is small, and there are many of it.
#[test]
fn many_small_things() {
    let small = |number| format!("---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: j{number}}}\nspec: {{}}\n");
    let inputs: [(&str, usize, Make<'_>); 5] = [
        ("documents", 10_000, &|size| "kind: A\n---\n".repeat(size)),
        ("Jobs", 3_000, &|size| lines(size, small)),
        ("findings", 4_000, &|size| config_map(&format!("x: {{{}}}", "a: 1, a: 2, ".repeat(size)))),
        ("items of a Job", 20_000, &|size| job("a", &format!("        args: [{}]\n", "a,".repeat(size)))),
        ("maps of a ConfigMap", 50_000, &|size| config_map(&format!("x: [{}]", "{a},".repeat(size)))),
    ];
    for (name, size, make) in inputs {
        grows(name, &COMMANDS[..5], size, |scratch, size| versions(scratch, &make(size), ""));
    }
}

#[test]
fn many_sources_and_files() {
    grows("sources", SEVERAL, 1_000, |scratch, size| {
        (0..size).for_each(|number| drop(scratch.write(&format!("s{number}/a.yaml"), config_map("a: b"))));
    });
    grows("empty files", ALONE, 10_000, |scratch, size| {
        scratch.write("new/a.yaml", config_map("a: b"));
        (0..size).for_each(|number| drop(scratch.write(&format!("new/{number}.yaml"), "")));
    });
}

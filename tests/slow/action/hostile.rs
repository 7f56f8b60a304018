//! Texts that a stranger chooses stay texts: names of branches, files and Jobs, and inputs that a workflow passes on.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::checkout::{git, job, migration};
use super::runner::{Job, Outcome};

/// Texts with a meaning for a shell, GitHub's runner, Markdown or a command line. Each would create a file `pwned` if
/// a shell ran it.
const TEXTS: [&str; 16] = [
    "$(touch pwned)",
    "`touch pwned`",
    "\"; touch pwned; \"",
    "'; touch pwned; '",
    "x; touch pwned #",
    "a\ntouch pwned\n",
    "::error::pwned",
    "a\n::add-mask::pwned\n##[error]pwned",
    "##[error]pwned",
    "--format=json",
    "-",
    "--> <!-- argocd-jobs: comment 0 -->",
    "<!-- argocd-jobs: comment 0 -->",
    "@octocat [a](https://evil.example) <img src=x>",
    "${{ github.token }}",
    "report=pwned\n\u{1b}[31m\u{202e}%0A::error::pwned",
];

/// Checks that the commands in the log are annotations of the program and of the action, and that no text was run.
fn check(job: &Job, outcome: &Outcome, text: &str) {
    for command in outcome.commands() {
        let is_own = ["error", "warning", "notice"].iter().any(|level| {
            command.starts_with(&format!("::{level} title=argocd-jobs::"))
                || command.starts_with(&format!("::{level} file="))
        });
        assert!(is_own, "{text:?}: {command}");
    }
    let raw = outcome.log.chars().find(|char| char.is_control() && !"\n\t".contains(*char));
    assert_eq!(raw, None, "{text:?}: {outcome:?}");
    let top = job.scratch.source().parent().unwrap().to_owned();
    let found = walkdir::WalkDir::new(&top).into_iter().map(Result::unwrap).find(|entry| entry.file_name() == "pwned");
    assert!(found.is_none(), "{text:?} ran: {found:?}");
    for comment in job.server.comments() {
        // A marker is only found in the last line.
        let marker = comment.trim_end().lines().last().unwrap();
        assert!(marker.starts_with("<!-- argocd-jobs: comment ") && marker.len() == 70, "{text:?}: {comment}");
        assert_eq!(
            outside_fences(&comment).filter(|line| line.contains("<!--") && !line.contains('`')).count(),
            1,
            "{comment}"
        );
    }
}

/// The lines of Markdown outside of code blocks, fenced or indented.
fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        is_code ^= line.starts_with("```");
        !is_code && !line.starts_with("    ")
    })
}

#[test]
fn hostile_names_of_jobs_stay_text() {
    // A Job's name cannot consist of dashes only.
    let names = TEXTS.iter().filter(|text| **text != "-").enumerate();
    let files: Vec<(String, String)> =
        names.map(|(number, text)| (format!("a/{number}.yaml"), job(text, "a:1"))).collect();
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let mut run = Job::new().with("fail-on", "never");
    run.push(&[], &files);
    for _ in 0..2 {
        let outcome = run.run();
        assert_eq!(outcome.status, 0, "{outcome:?}");
        assert_eq!(run.server.comments().len(), 1, "{outcome:?}");
        check(&run, &outcome, "all");
    }
    let comment = run.server.comments().remove(0);
    assert!(
        comment.starts_with("### ❌ The sync of `a` fails") && comment.contains(" more | runs | new |"),
        "{comment}"
    );
}

#[test]
fn hostile_names_of_files_and_folders_stay_text() {
    let names: Vec<String> = TEXTS.iter().filter(|text| **text != "-").map(|text| text.replace('/', "_")).collect();
    let paths: Vec<String> = names.iter().map(|name| format!("{name}/{name}.yaml")).collect();
    let files = |image: &str| paths.iter().map(|path| (path.as_str(), migration(image))).collect::<Vec<_>>();
    let mut run = Job::new();
    run.push(&files("a:1"), &files("a:2"));
    let one_on_each_line: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.contains('\n')).collect();
    for paths in [".", &one_on_each_line.join("\n")] {
        run.inputs.insert("paths".to_owned(), paths.to_owned());
        let outcome = run.run();
        assert_eq!(outcome.status, 0, "{paths}: {outcome:?}");
        // The program cannot compare a folder with a revision when its name has a line break; the table says so.
        let comment = run.server.comments().remove(0);
        assert!(comment.contains(&format!(" {0} run {0} Jobs", one_on_each_line.len())), "{paths}: {comment}");
        check(&run, &outcome, paths);
    }
}

#[test]
fn hostile_names_of_branches_and_workflows_stay_text() {
    for number in 0..TEXTS.len() {
        let mut run = Job::new();
        run.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
        for (at, name) in ["base_ref", "workflow", "job", "head_ref"].into_iter().enumerate() {
            run.github[name] = json!(TEXTS[(number + at) % TEXTS.len()]);
        }
        let outcome = run.run();
        assert_eq!(outcome.status, 0, "{number}: {outcome:?}");
        let comment = run.server.comments().remove(0);
        let verdict = comment.lines().next().unwrap();
        let commit = git(&run.origin(), &["rev-parse", "--short=12", "main"]);
        // A name is shown when it has only letters without a meaning in Markdown.
        let base = if TEXTS[number] == "-" { "-" } else { &commit };
        assert!(verdict.starts_with("### `a` runs 1 Job"), "{comment}");
        assert!(comment.contains(&format!("compared with <code>{base}</code>")), "{comment}");
        check(&run, &outcome, &number.to_string());
    }
}

#[test]
fn hostile_inputs_stay_text() {
    let names = [
        "paths",
        "base",
        "strategy",
        "settings",
        "applications",
        "plugin",
        "fail-on",
        "annotations",
        "comment",
        "key",
        "version",
        "download-url",
        "binary",
    ];
    let mut run = Job::new();
    run.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    let inputs = run.inputs.clone();
    for (number, name) in names.into_iter().enumerate() {
        // Each input is tried with some of the texts, in turn, because a run starts dozens of processes.
        for text in TEXTS.iter().skip(number % 5).step_by(5) {
            run.inputs = inputs.clone();
            if ["version", "download-url"].contains(&name) {
                run.inputs.remove("binary");
            }
            run.inputs.insert(name.to_owned(), (*text).to_owned());
            let outcome = run.run();
            assert_eq!(outcome.status == 0, name == "key", "{name} {text:?}: {outcome:?}");
            check(&run, &outcome, text);
        }
    }
}

#[test]
fn what_is_written_does_not_leave_the_folders_of_the_run() {
    let mut run = Job::new();
    run.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    assert_eq!(run.run().status, 0);
    let in_workspace: Vec<_> =
        fs::read_dir(run.scratch.source()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(in_workspace.len(), 2, "{in_workspace:?}");
}

#[test]
fn a_link_in_the_checkout_leads_the_sarif_file_nowhere() {
    for (link, to, sarif, wanted) in [
        ("jobs.sarif", "../victim/file", "jobs.sarif", "which is a symlink or is in a folder that is one"),
        ("jobs.sarif", "a/x.yaml", "jobs.sarif", "which is a symlink or is in a folder that is one"),
        ("out", "../victim", "out/file", "which is a symlink or is in a folder that is one"),
        ("out", "..", "out/victim/file", "which is outside of the workspace"),
        ("jobs.sarif", "a", "../victim/file", "which is outside of the workspace"),
        ("jobs.sarif", "a", "a", "which is a folder"),
        ("jobs.sarif", "a", "gone/file", "and its folder does not exist"),
        ("jobs.sarif", "a", "jobs.json", "which is read as a manifest"),
    ] {
        let mut run = Job::new().with("sarif", sarif);
        run.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
        let victim = run.scratch.source().parent().unwrap().join("victim/file");
        fs::create_dir_all(victim.parent().unwrap()).unwrap();
        fs::write(&victim, "mine").unwrap();
        symlink(to, run.scratch.source().join(link)).unwrap();
        let outcome = run.run();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine", "{sarif}: {outcome:?}");
        assert!(outcome.status == 2 && outcome.log.contains(&format!("`{sarif}`, {wanted}%0Ahelp: ")), "{outcome:?}");
        let manifest = fs::read_to_string(run.scratch.source().join("a/x.yaml")).unwrap();
        assert_eq!(manifest, migration("a:2"), "{sarif}");
    }
}

#[test]
fn a_sarif_file_of_the_checkout_is_replaced() {
    for sarif in ["a/jobs.sarif", "-", "-x.sarif"] {
        let mut run = Job::new().with("sarif", sarif);
        run.push(&[("a/x.yaml", migration("a:1"))], &[(sarif, "mine".to_owned())]);
        let outcome = run.run();
        assert_eq!(outcome.status, 0, "{sarif}: {outcome:?}");
        let path = run.scratch.source().join(sarif);
        assert!(fs::read_to_string(&path).unwrap().starts_with('{'), "{sarif}: {outcome:?}");
        let beside = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(beside.into_iter().all(|name| !name.to_str().unwrap().starts_with("argocd-jobs.")), "{sarif}");
    }
}

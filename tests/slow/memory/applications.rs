//! Many Applications, in files, rendered by another one, and made by an ApplicationSet; each with a Job that is another one in the version to
//! compare with.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

use super::{grows, job, lines};
use crate::support::scratch::Scratch;
use crate::support::switches;

/// The commands that follow Applications. The checkout is `.`.
const COMMANDS: [&[&str]; 2] =
    [&["check", ".", "--repository-url", URL], &["preview", ".", "--base", "../old", "--repository-url", URL]];

const URL: &str = "https://git.example.com/x";

fn application(name: &str, path: &str) -> String {
    format!(
        "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\n\
         spec: {{destination: {{namespace: {name}}}, source: {{repoURL: '{URL}', path: {path}}}}}\n"
    )
}

fn applications(count: usize) -> String {
    lines(count, |number| application(&format!("a{number}"), &format!("jobs/{number}")))
}

/// An ApplicationSet with as many elements.
fn set(count: usize) -> String {
    let elements = lines(count, |number| format!("      - {{id: '{number}'}}\n"));
    let template = application("'a{{id}}'", "'jobs/{{id}}'");
    let template = template.replace("---\napiVersion: argoproj.io/v1alpha1\nkind: Application\n", "    ");
    let template = template.replace("\nspec", "\n    spec");
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: s}}\n\
         spec:\n  generators:\n  - list:\n      elements:\n{elements}  template:\n{template}"
    )
}

/// Writes both versions: their Jobs, and these files.
fn versions(scratch: &Scratch, count: usize, files: &[(&str, String)]) {
    scratch.write(".git/HEAD", "");
    for (top, image) in [("", "a:1"), ("../old/", "a:2")] {
        for (path, text) in files {
            scratch.write(&format!("{top}{path}"), text);
        }
        for number in 0..count {
            scratch.write(&format!("{top}jobs/{number}/job.yaml"), job("j", "").replace("a:1", image));
        }
    }
}

#[test]
fn many_applications() {
    grows("in a file", &COMMANDS, 40, |scratch, size| {
        versions(scratch, size, &[("apps/a.yaml", applications(size))]);
    });
    grows("below a root", &COMMANDS, 40, |scratch, size| {
        versions(
            scratch,
            size,
            &[("apps/root.yaml", application("root", "children")), ("children/a.yaml", applications(size))],
        );
    });
    grows("of an ApplicationSet", &COMMANDS, 40, |scratch, size| {
        versions(scratch, size, &[("apps/set.yaml", set(size))]);
    });
}

/// The processor time of commands that are run one after the other, with all that they start, and the most memory of a process.
fn taken(scratch: &Scratch, tools: &Path, commands: &[Vec<String>]) -> (Duration, u64) {
    let mut all = (Duration::ZERO, 0);
    for arguments in commands {
        let (program, arguments) = arguments.split_first().unwrap();
        let mut command = Command::new(program);
        command.args(arguments).current_dir(scratch.source()).env_clear().env("PATH", tools).env("HOME", "/nowhere");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ended = child.wait4().unwrap();
        assert!(ended.status.success(), "{program} {arguments:?}: {:?}", ended.status);
        all = (all.0 + ended.rusage.utime + ended.rusage.stime, all.1.max(ended.rusage.maxrss));
    }
    all
}

#[test]
fn two_hundred_applications_take_little_more_than_their_renderings() {
    let Some(helm) = switches::tool("helm") else { return };
    let tools = helm.parent().unwrap();
    let tool = |name: &str| tools.join(name).display().to_string();
    let scratch = Scratch::new();
    scratch.write(".git/HEAD", "");
    let mut commands = Vec::new();
    for number in 0..100 {
        let (chart, overlay) = (format!("charts/{number}"), format!("overlays/{number}"));
        scratch.write(&format!("{chart}/Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
        scratch.write(&format!("{chart}/templates/job.yaml"), job("{{ .Release.Name }}", ""));
        scratch.write(&format!("{overlay}/kustomization.yaml"), "namePrefix: a-\nresources: [job.yaml]\n");
        scratch.write(&format!("{overlay}/job.yaml"), job("j", ""));
        let both = application(&format!("c{number}"), &chart) + &application(&format!("k{number}"), &overlay);
        scratch.write(&format!("apps/{number}.yaml"), both);
        commands.push(vec![tool("helm"), "template".to_owned(), format!("c{number}"), chart]);
        commands.push(vec![tool("kustomize"), "build".to_owned(), overlay]);
    }
    let of_the_tools = taken(&scratch, tools, &commands);
    let own = ["preview", ".", "--repository-url", URL].map(str::to_owned);
    let own = [&[switches::program().display().to_string()], &own[..]].concat();
    let of_the_program = taken(&scratch, tools, &[own]);
    let shown = format!("200 Applications: {of_the_program:?}, the tools alone: {of_the_tools:?}");
    switches::show(&shown);
    assert!(of_the_program.0 < of_the_tools.0 * 3 && of_the_program.1 < of_the_tools.1 * 2, "{shown}");
}

//! Runs every subcommand in every format on names and values that a stranger chose. All lines must be the program's
//! own: no invisible character, no character that a terminal obeys, no command for the CI runner that stores the log.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use lint::Analysis;
use rewrite::manifest::{Manifest, Reader};
use rewrite::version::Version;
use text::Origin;

use super::{PLACES, objects, quoted, tree};
use crate::laws::unseen::is_unseen;
use crate::support::inputs::hold_for_all;
use crate::support::scratch::{Scratch, commit};
use crate::support::{program, switches};

/// The hostile texts; each is put into every place.
const HOSTILE: [&str; 4] = [
    "x\n::error::y\nhelp: z",
    "::error::y",
    " ##[error]x\u{1b}[31m\u{7}\u{7f}\u{9b}31m\u{85}\r",
    "`x\u{202e}\u{61c}\u{2066}\u{200b}\u{2060}\u{feff}\u{e0041}\u{180e}\u{ad}\u{2028}::error::y @octocat <b>",
];

/// The reader of an output.
#[derive(Clone, Copy, PartialEq)]
enum Read {
    /// Users, and the CI runner that stores the log.
    Text,
    /// Users, and the CI runner; the output is Markdown.
    Markdown,
    /// Other programs.
    Json,
    /// The CI runner: lines are commands.
    Github,
    /// The tool `patch`.
    Patch,
    /// Argo CD: the content stays as it was.
    Stream,
}

/// The text as the name of a folder.
fn named(text: &str) -> String {
    text.replace('/', "_")
}

/// The text as the name of a file. Argo CD ignores a file whose name has a line break.
fn file(text: &str) -> String {
    on_one_line(&named(text))
}

/// Manifests with the text in every place where `generate` accepts it.
fn accepted(text: &str) -> String {
    let mut all = String::new();
    for (number, place) in PLACES.iter().enumerate() {
        let object = objects(place, text).swap_remove(0).replacen("{name: a", &format!("{{name: a{number}"), 1);
        let longer = format!("{all}---\n{object}");
        let manifest = Manifest::new(Origin::StandardInput, longer.clone(), Reader::Stream);
        if Analysis::of(&Version::of(vec![manifest])).problems.is_empty() {
            all = longer;
        }
    }
    all
}

fn application(name: &str, path: &str, text: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {}, namespace: {}}}\nspec:\n  project: {}\n  source: {{repoURL: {}, path: {}, targetRevision: {}}}\n  destination: {{namespace: {}}}\n",
        quoted(name),
        quoted(text),
        quoted(text),
        quoted("https://example.com/x"),
        quoted(path),
        quoted(text),
        quoted(text)
    )
}

/// Fills the source directory: the text is in every place.
fn fill(scratch: &Scratch, text: &str, old: &str) {
    let (name, file) = (named(text), file(text));
    scratch.write("good/job.yaml", accepted(text));
    scratch.write(&format!("good/{file}.yaml"), objects(PLACES[0], "last").swap_remove(0));
    scratch.write("old/job.yaml", accepted(old));
    for (number, place) in PLACES.iter().enumerate() {
        for (kind, object) in
            objects(place, text).into_iter().enumerate().filter(|(kind, _)| *kind == number % 4 || *kind == 0)
        {
            scratch.write(&format!("all/{number}-{kind}-{file}.yaml"), object);
        }
    }
    scratch.write(&format!("several/{name}/job.yaml"), accepted(text));
    scratch.write(&format!("several/broken-{name}/{file}.yaml"), "apiVersion: v1\nkind: [\n");
    scratch.write("several/a/job.yaml", objects(PLACES[0], "b").swap_remove(0));
    scratch.write(&format!("several/chart-{name}/templates/job.yaml"), "kind: Job\nmetadata: {name: '{{ x }}'}\n");
    scratch.write(
        "several/application.yaml",
        application(text, "several/a", text) + "---\n" + &application("b", text, text),
    );
    scratch.write(".argocd-jobs.yaml", "");
    let value = quoted(text);
    for (folder, config) in [
        ("value", format!("strategy: {value}\n")),
        ("key", format!("{value}: 1\n")),
        ("rule", format!("rules: [{{match: {{name: {value}}}, strategy: {value}}}]\n")),
        ("match", format!("rules: [{{match: {{{value}: {value}}}, strategy: hook}}]\n")),
        ("ignore", format!("ignore: [{value}]\nbaseline: {{{value}: {value}}}\n")),
        ("list", format!("include: {value}\nhelm-value-files: [{value}]\n")),
        ("block", format!("helm: |\n  parameters: [{{name: {value}}}]\n")),
        ("fits", format!("rules: [{{match: {{name: \"*\"}}, base-name: {value}, reason: {value}}}]\n")),
    ] {
        scratch.write(&format!("config/{folder}/.argocd-jobs.yaml"), config);
        scratch.write(&format!("config/{folder}/job.yaml"), objects(PLACES[0], "b").swap_remove(0));
    }
    scratch.write(&format!("wrong/{name}/.argocd-jobs.yaml"), "strategy: x\n");
    scratch.write(&format!("cases/{name}/in/job.yaml"), objects(PLACES[0], text).swap_remove(0));
    scratch.write(&format!("cases/{name}/stdout.yaml"), format!("{text}\nx\n::error::y\n"));
    scratch.write(&format!("cases/new-{name}/in/job.yaml"), objects(PLACES[0], text).swap_remove(0));
    scratch.write(&format!("cases/wrong-{name}/case"), format!("generate {}\n", text.replace(['\n', '\'', '"'], "_")));
    scratch.write(&format!("cases/two-{name}/stdout.{name}"), "");
    let link = scratch.source().join(format!("links/{file}.yaml"));
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink("/etc/hostname", link).unwrap();
}

/// All command lines: the folder, the arguments, and the reader of the output. `W` stands for the text.
const COMMANDS: [(&str, &str, Read); 60] = [
    ("good", "generate .", Read::Stream),
    ("good", "check .", Read::Text),
    ("good", "check . --all", Read::Text),
    ("good", "check .", Read::Text),
    ("good", "check . --base ../old", Read::Text),
    ("good", "check . --format json", Read::Json),
    ("good", "check . --format sarif", Read::Json),
    ("good", "check . --format gitlab", Read::Json),
    ("good", "check . --format github", Read::Github),
    ("good", "check . --diff --fix=all", Read::Patch),
    ("good", "preview .", Read::Text),
    ("good", "preview . --all --diff always", Read::Text),
    ("good", "preview . --format json", Read::Json),
    ("good", "preview . --format markdown", Read::Markdown),
    ("good", "preview . --base ../old", Read::Text),
    ("good", "preview . --base ../old --all", Read::Text),
    ("good", "preview . --base ../old --format json", Read::Json),
    ("good", "preview . --base ../old --format markdown", Read::Markdown),
    ("old", "preview . --base ../good", Read::Text),
    ("old", "preview . --base ../good --format markdown", Read::Markdown),
    ("all", "generate .", Read::Stream),
    ("all", "check .", Read::Text),
    ("all", "check . --all", Read::Text),
    ("all", "check . --format json", Read::Json),
    ("all", "check . --format sarif", Read::Json),
    ("all", "check . --format gitlab", Read::Json),
    ("all", "check . --format github", Read::Github),
    ("all", "check . --diff --fix=all", Read::Patch),
    ("all", "preview .", Read::Text),
    (".", "check several", Read::Text),
    (".", "check several --all", Read::Text),
    (".", "check several --format json", Read::Json),
    (".", "check several --format github", Read::Github),
    (".", "preview several", Read::Text),
    (".", "preview several --all", Read::Text),
    (".", "preview several --format json", Read::Json),
    (".", "preview several --format markdown", Read::Markdown),
    (".", "preview several --base HEAD", Read::Text),
    (".", "preview several --base HEAD --format markdown", Read::Markdown),
    (".", "preview config --format markdown", Read::Markdown),
    (".", "check config", Read::Text),
    (".", "check config --format github", Read::Github),
    (".", "preview several/W several/a --format markdown", Read::Markdown),
    (".", "preview --application several/application.yaml", Read::Text),
    (".", "check --application several/application.yaml --repository-url W", Read::Text),
    (".", "check links", Read::Text),
    (".", "generate wrong/W", Read::Stream),
    (".", "parameters wrong/W", Read::Json),
    (".", "test cases", Read::Text),
    (".", "test cases --filter W", Read::Text),
    (".", "test W", Read::Text),
    (".", "explain W", Read::Text),
    (".", "W", Read::Text),
    (".", "check --W", Read::Text),
    (".", "check W", Read::Text),
    (".", "check W W", Read::Text),
    (".", "check good --base W", Read::Text),
    (".", "generate good --set W=W --strategy W", Read::Stream),
    (".", "generate good --format W", Read::Stream),
    (".", "generate good --helm-set W --helm-values W --helm @W", Read::Stream),
    // These commands write files, so they come last.
];

/// The first line of an output that a stranger's text has forged.
fn wrong_line(read: Read, text: &str) -> Option<String> {
    let is_patch = read == Read::Patch;
    let unseen = |line: &&str| line.chars().any(|found| is_unseen(found) && found != '\t');
    let is_own = |line: &str| {
        ["error", "warning", "notice"].iter().any(|level| {
            line.starts_with(&format!("::{level} file=")) || line.starts_with(&format!("::{level} title="))
        })
    };
    let is_command = |line: &&str| match read {
        Read::Github => {
            line.trim_start().starts_with("::") && !is_own(line) || !line.starts_with("::") && line.contains("##[")
        }
        _ => line.trim_start().starts_with("::") || line.contains("##["),
    };
    let wrong = text.split('\n').find(|line| unseen(line) || !is_patch && is_command(line));
    wrong.map(|line| format!("{line:?}"))
}

fn run(dir: &Path, command: &str, text: &str) -> program::Output {
    let word = |word: &str| word.replace('W', if word.contains("/W") { named(text) } else { text.to_owned() }.as_str());
    let mut program = program::program(dir);
    program.args(command.split(' ').map(word)).env("PATH", switches::path());
    program::run(program, b"")
}

/// The text without line breaks.
fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], "_")
}

fn filled(text: &str, old: &str) -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    fill(&scratch, "b", "c");
    let root = scratch.source().parent().unwrap().to_owned();
    fs::remove_dir_all(root.join(".git")).unwrap();
    commit(&root);
    fs::remove_dir_all(scratch.source()).unwrap();
    fill(&scratch, text, old);
    let source = scratch.source();
    (scratch, source)
}

#[test]
fn no_output_has_a_line_or_a_character_that_a_stranger_wrote_for_others() {
    let folders: Vec<_> =
        HOSTILE.iter().map(|text| (*text, filled(text, "b"), filled(&on_one_line(text), "b"))).collect();
    let all: Vec<_> = folders.iter().flat_map(|folder| COMMANDS.map(|command| (folder, command))).collect();
    hold_for_all(&all, |((text, (_, dir), (_, flat)), (below, command, read))| {
        let output = run(&dir.join(below), command, text);
        let printed = output.text();
        let complain = |what: &str, line: String| Some(format!("{text:?}, {command} in {below}, {what}: {line}"));
        if output.status == Some(101) || output.stderr.contains(program::BUG) {
            return complain("a failure", output.stderr);
        }
        // If `generate` refuses the text, it refuses it in every format.
        if *below == "good" && *command == "generate ." && output.status != Some(0) {
            return complain("no output", output.stderr);
        }
        if let Some(line) = wrong_line(*read, &printed).filter(|_| *read != Read::Stream) {
            return complain("standard output", line);
        }
        if let Some(line) = wrong_line(Read::Text, &output.stderr) {
            return complain("standard error", line);
        }
        if let Some(complaint) = (*read == Read::Markdown).then(|| tree::complaint(&printed)).flatten() {
            return complain("the tree", format!("{complaint}\n{printed}"));
        }
        // A line break in the text must not add lines to the messages.
        let flat_text = on_one_line(text);
        if flat_text == *text {
            return None;
        }
        let wanted = run(&flat.join(below), command, &flat_text).stderr;
        let is_same = output.stderr.lines().count() == wanted.lines().count();
        if is_same { None } else { complain("lines", format!("{}\nand without line ends:\n{wanted}", output.stderr)) }
    });
}

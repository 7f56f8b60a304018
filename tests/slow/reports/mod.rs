//! Laws of `check` and `preview` that must hold for every input of the cases, the corpus and the oracle, and for
//! these inputs with lines removed, doubled or changed.

mod hidden;
mod mutation;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rewrite::manifest::{Manifest, Reader};
use text::Origin;

use crate::laws::preview;
use crate::laws::seen::{self, Seen};
use crate::support::inputs::{Input, hold_for_all, two_at_a_time};
use crate::support::program::Output;
use crate::support::scratch::Scratch;
use crate::support::{case, inputs, program};

/// A manifest from standard input; `None` when the input is not UTF-8.
fn stream(input: &Input) -> Option<Vec<Manifest>> {
    let bytes = input.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&input.bytes);
    let text = String::from_utf8(bytes.to_vec()).ok()?;
    Some(vec![Manifest::new(Origin::StandardInput, text, Reader::Stream)])
}

/// The first complaint about an input, with the input's name.
fn first(name: &str, complaints: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    complaints.into_iter().flatten().next().map(|complaint| format!("{name}: {complaint}"))
}

/// An input with all output about it.
struct Reported {
    name: String,
    manifests: Vec<Manifest>,
    seen: Seen,
}

/// All inputs that are UTF-8. The output about them is made once for all tests.
fn reported() -> &'static [Reported] {
    static ALL: OnceLock<Vec<Reported>> = OnceLock::new();
    ALL.get_or_init(|| {
        let report = |input: &Input| {
            let manifests = stream(input)?;
            Some(Reported { name: input.name.clone(), seen: Seen::of(&manifests), manifests })
        };
        two_at_a_time(&inputs::all(), report).into_iter().flatten().collect()
    })
}

#[test]
fn findings_are_where_they_say() {
    hold_for_all(reported(), |Reported { name, manifests, seen }| {
        first(
            name,
            [
                seen.misplaced(manifests),
                seen.unsorted(),
                seen.missed_problem(),
                seen.odd_characters(),
                seen::unreadable(&seen.outputs),
            ],
        )
    });
}

#[test]
fn two_runs_print_the_same() {
    let sixth: Vec<&Reported> = reported().iter().step_by(6).collect();
    hold_for_all(&sixth, |Reported { name, manifests, seen }| {
        (seen.outputs != Seen::of(manifests).outputs).then(|| format!("{name}: two runs differ"))
    });
}

#[test]
fn a_preview_says_what_is_printed() {
    hold_for_all(reported(), |Reported { name, seen, .. }| first(name, [preview::differs(seen)]));
}

#[test]
fn nothing_is_new_against_itself() {
    hold_for_all(reported(), |Reported { name, seen, .. }| first(name, [seen.differs_from_itself()]));
}

#[test]
fn the_order_of_files_changes_nothing_but_the_order() {
    let inputs: Vec<Input> = inputs::all().into_iter().filter(|input| input.contains("Job")).collect();
    let pairs: Vec<(&Input, &Input)> = inputs.iter().zip(inputs.iter().skip(1)).step_by(3).collect();
    hold_for_all(&pairs, |(one, two)| {
        let file = |name: &str, input: &Input| {
            let text = stream(input)?.pop()?.text;
            Some(Manifest::new(Origin::File(Path::new(name).into()), text, Reader::Stream))
        };
        let (one_file, two_file) = (file("a.yaml", one)?, file("b.yaml", two)?);
        let forth = seen::told_of(&[one_file.clone(), two_file.clone()]);
        let back = seen::told_of(&[two_file, one_file]);
        // When two Jobs collide, the second one is reported, so these findings depend on the order.
        let by_order =
            ["duplicate-job", "generate-name-collision", "refused", "hooks-only", "wave-waits-for-suspended-job"];
        let sorted = |told: Vec<String>| {
            let told = told.into_iter().filter(|told| !by_order.iter().any(|id| told.contains(id)));
            // When two objects have the same name, a message names one of them.
            let mut told: Vec<String> = told.map(|told| told.replace("(b.yaml:", "(a.yaml:")).collect();
            told.sort();
            told
        };
        let (forth, back) = (sorted(forth), sorted(back));
        let differs = forth != back;
        differs.then(|| {
            let only = |of: &[String], not: &[String]| {
                of.iter().filter(|told| !not.contains(told)).cloned().collect::<Vec<_>>().join("\n  ")
            };
            format!("{} and {}:\n- {}\n+ {}", one.name, two.name, only(&forth, &back), only(&back, &forth))
        })
    });
}

/// Runs a command on standard input.
fn run(input: &[u8], arguments: &[&str]) -> Output {
    let mut command = program::program(Path::new(env!("CARGO_MANIFEST_DIR")));
    command.args(arguments);
    program::run(command, input)
}

#[test]
fn check_and_preview_end_as_generate_does() {
    let inputs: Vec<Input> = inputs::all().into_iter().step_by(12).collect();
    hold_for_all(&inputs, |input| {
        ends_differ(|arguments| run(&input.bytes, &[arguments, &["-"]].concat()))
            .map(|told| format!("{}: {told}", input.name))
    });
}

#[test]
fn trees_of_the_corpus_end_so_too() {
    let trees = fs::read_dir(case::root().join("corpus/trees")).unwrap().map(|entry| entry.unwrap().path());
    let trees: Vec<PathBuf> = trees.filter(|path| path.is_dir()).collect();
    hold_for_all(&trees, |tree| {
        let runs = |arguments: &[&str]| {
            let mut command = program::program(tree);
            command.args(arguments).args(["--recurse", "--set", "source=directory"]);
            program::run(command, b"")
        };
        let told = ends_differ(runs).or_else(|| {
            let (against, check) = (
                runs(&["preview", "--plugin", "--exit-code", "--base", "."]),
                runs(&["check", "--plugin", "--base", "."]),
            );
            let has_findings = check.status != Some(0) || !check.text().starts_with("no new findings");
            // The change may be in an Application that is not followed.
            let is_changed = against.status == Some(3) && against.stderr.is_empty();
            (against.status == Some(1) || is_changed || has_findings)
                .then(|| format!("against itself: {}{}", against.text(), check.text()))
        });
        told.map(|told| format!("{}: {told}", tree.display()))
    });
}

/// A complaint unless `preview` and `check` succeed when `generate` does; when `generate` refuses, `preview` must
/// refuse and `check` must find an error.
fn ends_differ(run: impl Fn(&[&str]) -> Output) -> Option<String> {
    let (generate, preview, check) = (run(&["generate"]), run(&["preview", "--plugin"]), run(&["check", "--plugin"]));
    for output in [&generate, &preview, &check] {
        if output.stderr.contains(program::BUG) || !matches!(output.status, Some(0..=2)) {
            return Some(format!("status {:?}: {}", output.status, output.stderr));
        }
    }
    // That the Applications of a source with typed settings are not followed is not a failure.
    let is_quiet = |output: &Output| output.stderr.lines().all(|line| line.contains("which are not followed: "));
    let is_right = match generate.status {
        Some(0) => {
            preview.status == Some(0) && is_quiet(&preview) && matches!(check.status, Some(0 | 1)) && is_quiet(&check)
        }
        _ => {
            preview.status == Some(2)
                && preview.stderr == generate.stderr
                && (check.status == Some(1) && check.text().contains("error[")
                    || check.status == Some(2) && check.stderr == generate.stderr)
        }
    };
    let say = |output: &Output| format!("{:?} {}", output.status, output.stderr);
    (!is_right).then(|| format!("generate {}\npreview {}\ncheck {}", say(&generate), say(&preview), say(&check)))
}

#[test]
fn the_diff_of_an_absolute_path_has_no_empty_folder() {
    let scratch = Scratch::new();
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\nspec: {template: {spec: {containers: []}}}\n";
    let file = scratch.write("job.yaml", job);
    let mut command = program::program(Path::new("/"));
    command.args(["preview", "--plugin"]).arg(scratch.source());
    let printed = program::run(command, b"").text();
    let headers = format!("--- a{0}\n+++ b{0}\n", file.display());
    assert!(printed.contains(&headers), "{printed}");
}

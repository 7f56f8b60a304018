//! Every command that reads one version of the manifests, over every shape.

use super::counted::{self, Counts};
use super::shapes::{self, Shape};
use crate::support::scratch::Scratch;

/// Shapes with many fixes in one document. `check` tries each fix by itself until it has read 4 MiB for the document (`ONE_BY_ONE` in
/// `src/finding/fix/offers.rs`); these sizes stay below that, so they look quadratic.
const BOUNDED: [&str; 5] =
    ["annotations that are no texts", "delete policies", "phases", "findings in a List", "findings on one line"];

/// The shape whose data grows with the number of Jobs that refer to it: with `--hash-references` it goes into the hash of each, up to 256 MiB
/// (`MAX_HASHED` in `src/plan/references.rs`).
const REFERRED: &str = "Jobs that read one ConfigMap";

/// Whether the work of a command over a shape is bounded by something else than the size.
pub(super) fn is_bounded(arguments: &[&str], shape: &Shape) -> bool {
    arguments[0] == "check" && BOUNDED.contains(&shape.name)
        || arguments.contains(&"--hash-references") && shape.name == REFERRED
}

/// Runs a command over all shapes.
#[track_caller]
fn all_shapes(arguments: &[&str]) {
    if !counted::is_there() {
        return;
    }
    let wrong: Vec<String> = shapes::all()
        .iter()
        .filter(|shape| !is_bounded(arguments, shape))
        .flat_map(|shape| one_shape(arguments, shape))
        .collect();
    assert!(wrong.is_empty(), "{arguments:?}\n{}", wrong.join("\n"));
}

fn one_shape(arguments: &[&str], shape: &Shape) -> Vec<String> {
    let scratch = Scratch::new();
    let count = |size: usize| -> Counts {
        let input = shape.make(size);
        let is_stream = arguments.contains(&"-");
        if !is_stream {
            scratch.write("new/a.yaml", &input);
        }
        counted::run(&scratch, arguments, if is_stream { input.as_bytes() } else { b"" })
    };
    counted::judge(shape.name, counted::sizes().map(count))
}

macro_rules! over_all_shapes {
    ($($name:ident: $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            all_shapes(&$arguments);
        }
    )*};
}

over_all_shapes! {
    generate: ["generate", "-"];
    generate_with_references: ["generate", "-", "--strategy", "hash-name", "--hash-references"];
    generate_hooks: ["generate", "-", "--strategy", "hook", "--hook", "PreSync,Sync"];
    generate_generated_names: ["generate", "-", "--strategy", "generate-name"];
    generate_replaced: ["generate", "-", "--strategy", "replace"];
    check: ["check", "-", "--deny", "info"];
    check_all: ["check", "-", "--all"];
    check_json: ["check", "-", "--format", "json"];
    check_sarif: ["check", "-", "--format", "sarif"];
    check_github: ["check", "-", "--format", "github"];
    check_gitlab: ["check", "-", "--format", "gitlab"];
    check_as_written: ["check", "-", "--as-written"];
    check_fixed: ["check", "new", "--fix=all", "--diff"];
    preview: ["preview", "-"];
    preview_with_a_diff: ["preview", "-", "--all", "--diff", "always"];
    preview_json: ["preview", "-", "--format", "json"];
    preview_markdown: ["preview", "-", "--format", "markdown"];
    preview_baseline: ["preview", "-", "--baseline"];
}

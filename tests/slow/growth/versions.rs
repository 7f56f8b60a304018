//! Every command that compares two versions of the manifests, over every shape and every kind of change.

use std::ops::Range;

use super::commands::is_bounded;
use super::counted::{self, Counts};
use super::shapes::{self, Shape};
use crate::support::scratch::Scratch;

/// What happens to the items from the one version to the other.
#[derive(Clone, Copy, Debug)]
enum Change {
    Changed,
    ShiftedByOne,
    Reversed,
    Removed,
    Added,
}

impl Change {
    fn versions(self, shape: &Shape, size: usize) -> (String, String) {
        let all: Range<usize> = 0..size;
        let old = shape.of(all.clone(), "old");
        match self {
            Self::Changed => (old, shape.of(all, "new")),
            Self::ShiftedByOne => (old, shape.of(1..size + 1, "old")),
            Self::Reversed => (old, shape.of(all.rev(), "old")),
            Self::Removed => (old, shape.of(0..1, "old")),
            Self::Added => (shape.of(0..1, "old"), old),
        }
    }
}

/// Still copies bytes with the square of its size, 1 MB for 128 labels: where is not known yet.
const NOT_YET: &str = "labels of a template that are different every time";

#[track_caller]
fn all_shapes(arguments: &[&str], change: Change) {
    if !counted::is_there() {
        return;
    }
    let wrong: Vec<String> = shapes::all()
        .iter()
        .filter(|shape| !is_bounded(arguments, shape) && shape.name != NOT_YET)
        .flat_map(|shape| one_shape(arguments, shape, change))
        .collect();
    assert!(wrong.is_empty(), "{arguments:?} {change:?}\n{}", wrong.join("\n"));
}

fn one_shape(arguments: &[&str], shape: &Shape, change: Change) -> Vec<String> {
    let scratch = Scratch::new();
    let count = |size: usize| -> Counts {
        let (old, new) = change.versions(shape, size);
        scratch.write("old/a.yaml", &old);
        scratch.write("new/a.yaml", &new);
        counted::run(&scratch, arguments, b"")
    };
    counted::judge(shape.name, counted::sizes().map(count))
}

const CHECK: [&str; 4] = ["check", "new", "--base", "old"];
const PREVIEW: [&str; 4] = ["preview", "new", "--base", "old"];

macro_rules! over_all_shapes {
    ($($name:ident: $change:ident, $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            all_shapes(&$arguments, Change::$change);
        }
    )*};
}

over_all_shapes! {
    check_changed: Changed, CHECK;
    check_shifted: ShiftedByOne, CHECK;
    check_added: Added, CHECK;
    preview_changed: Changed, PREVIEW;
    preview_shifted: ShiftedByOne, PREVIEW;
    preview_reversed: Reversed, PREVIEW;
    preview_removed: Removed, PREVIEW;
    preview_added: Added, PREVIEW;
    preview_all_changed: Changed, ["preview", "new", "--base", "old", "--all", "--diff", "always"];
    preview_all_shifted: ShiftedByOne, ["preview", "new", "--base", "old", "--all", "--diff", "always"];
    preview_json_changed: Changed, ["preview", "new", "--base", "old", "--format", "json"];
    preview_markdown_changed: Changed, ["preview", "new", "--base", "old", "--format", "markdown"];
    preview_markdown_reversed: Reversed, ["preview", "new", "--base", "old", "--format", "markdown"];
}

//! The shapes of input: what there are many of, and what stands around it.

mod jobs;
mod pods;
mod streams;
mod texts;

/// An input of any size.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    /// One of many: its number, and a text that is another one in another version.
    pub(super) item: fn(usize, &str) -> String,
    /// All of them together, with what stands around them.
    pub(super) around: fn(&str) -> String,
}

impl Shape {
    /// The input with these items.
    pub(super) fn of(&self, numbers: impl Iterator<Item = usize>, value: &str) -> String {
        (self.around)(&numbers.map(|number| (self.item)(number, value)).collect::<String>())
    }

    /// The input with the first `size` items.
    pub(super) fn make(&self, size: usize) -> String {
        self.of(0..size, "old")
    }
}

/// All shapes.
pub(super) fn all() -> Vec<Shape> {
    [streams::SHAPES, jobs::SHAPES, pods::SHAPES, texts::SHAPES].concat()
}

/// The beginning of an object.
fn object(kind: &str, name: &str) -> String {
    format!("---\napiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n")
}

/// The beginning of a Job, up to its metadata.
fn job_head(name: &str) -> String {
    format!("---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\n")
}

/// A Job with an image.
fn job(name: &str, value: &str) -> String {
    job_head(name) + &spec(&format!("image: shop:{value}"))
}

/// A `spec` whose only container has this in it: lines that are indented as far as they have to be.
fn spec(container: &str) -> String {
    format!(
        "spec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n      - name: c\n        {container}\n"
    )
}

/// What is concatenated is all there is.
fn alone(items: &str) -> String {
    items.to_owned()
}

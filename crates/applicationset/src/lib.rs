#![doc = include_str!("../README.md")]
//!
//! A port of `applicationset/` in Argo CD's tree. The set comes in as JSON, as the API server stores it, and the Applications go out as JSON. Nothing
//! here reads files or the network: [`World`] answers the questions of generators.

mod clusters;
mod element;
mod expand;
mod fill;
mod generate;
mod git;
mod list;
mod matrix;
mod merge;
mod names;
mod parameters;
mod patch;
mod pathspec;
mod plain_template;
mod printed;
mod read_yaml;
mod selector;
mod templates;

use std::collections::BTreeMap;
use std::sync::Arc;

use gotemplate::Parameters;
use serde_json::{Map, Value};

pub use read_yaml::{Unread, read_yaml};
use templates::Templates;

/// The sources that generators read: clusters and repositories.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// The clusters that Argo CD knows; `None` when the user did not list them.
    pub clusters: Option<&'w [Cluster]>,
    /// The repositories that git generators read.
    pub repositories: &'w dyn Repositories,
    /// The minor version of Argo CD 3: generators behave differently in 3.2, 3.5 and 3.6.
    pub minor: u16,
}

/// A cluster as the generator `clusters` sees it. It has no credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The key `name` in the data of the Secret.
    pub name: String,
    /// The key `server` in the data of the Secret.
    pub server: String,
    /// The key `project` in the data of the Secret; empty when it is missing.
    pub project: String,
    /// The labels of the Secret.
    pub labels: BTreeMap<String, String>,
    /// The annotations of the Secret.
    pub annotations: BTreeMap<String, String>,
}

/// Git repositories at a revision.
pub trait Repositories {
    /// The paths of all tracked files of a repository, sorted, with `/` as separator. `None` when the repository or
    /// the revision is not available.
    fn files(&self, url: &str, revision: &str) -> Option<Arc<[String]>>;

    /// The content of a file, read as Argo CD reads YAML and JSON for git generators ([`read_yaml`]).
    fn value(&self, url: &str, revision: &str, path: &str) -> Result<Value, Unread>;
}

/// The result of expanding an ApplicationSet.
#[derive(Debug, Default)]
pub struct Expansion {
    /// The Applications, sorted by name.
    pub applications: Vec<Generated>,
    /// The reasons why Applications are missing, each once.
    pub problems: Vec<Counted>,
    /// True when Argo CD's controller creates and changes no Application of the set, because it cannot create one of
    /// them (`Reconcile` in `applicationset/controllers/applicationset_controller.go`). Existing Applications stay as
    /// they are.
    pub is_left_alone: bool,
}

/// An Application that a set generates.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The manifest.
    pub application: Value,
    /// True when a parameter is a placeholder such as `<name>`, because the clusters are unknown.
    pub is_assumed: bool,
}

/// A problem, and how much of the set has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The problem.
    pub problem: Problem,
    /// The number of elements that have it; 0 when a generator has it, which then makes no elements.
    pub elements: usize,
}

/// Why a set, or one of its elements, generates no Application here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A generator asks a service; the text is its field, such as `pullRequest`.
    Asks(String),
    /// The clusters are unknown, and no other generator lists them.
    Clusters,
    /// A git generator reads a repository that is not available: its URL and revision.
    Repository(String, String),
    /// A template uses a function that is not implemented here; the text is its name.
    Function(String),
    /// Argo CD could not create this Application, or any Application of the set, either; the text is the message. An
    /// Application without a name of its own is the only one left out; after any other message
    /// [`Expansion::is_left_alone`] is true.
    Failed(String),
    /// A text that the set has or names is not read here, and Argo CD may read it; the message says which and why.
    NotKnown(String),
    /// The set exceeds a limit of this program; the text says which.
    TooLarge(String),
}

/// Generates the Applications of a set. `set` is an ApplicationSet as the API server stores it. A field of the wrong
/// type counts as missing, because the API server prunes it.
pub fn expand(set: &Value, world: &World<'_>) -> Expansion {
    let spec = &set["spec"];
    expand::expanded(set, &Context { world, spec, templates: Templates::new(spec, world.minor) })
}

/// The maximum number of elements of a generator.
const MAX_ELEMENTS: usize = 10_000;

/// The start of a message for which Go panics: then Argo CD generates nothing for the whole set.
const PANIC: &str = "panic: ";

fn too_many_elements() -> Problem {
    Problem::TooLarge(format!("a generator makes more than {MAX_ELEMENTS} elements"))
}

/// The data that all generators of a set share.
struct Context<'c> {
    world: &'c World<'c>,
    /// The `spec` of the set.
    spec: &'c Value,
    templates: Templates,
}

impl Context<'_> {
    /// Adds the `values` of a generator, rendered with the other parameters (`appendTemplatedValues`).
    fn append_values(&self, spec: &Value, parameters: &mut Parameters) -> Result<(), Problem> {
        let Some(values) = spec["values"].as_object().filter(|values| !values.is_empty()) else { return Ok(()) };
        let mut rendered = Map::new();
        for (key, value) in values {
            let text = self.templates.text(value.as_str().unwrap_or_default(), parameters)?;
            rendered.insert(key.clone(), text.into());
        }
        if self.templates.is_go() {
            parameters.insert("values".to_owned(), rendered.into());
            parameters.set_typed("values");
        } else {
            parameters.extend(rendered.into_iter().map(|(key, value)| (format!("values.{key}"), value)));
        }
        Ok(())
    }
}

/// Produces the elements of a generator inside another one, rendered with the given parameters.
type Generate<'g> = dyn Fn(&Value, &Parameters) -> Result<Vec<element::Element>, Problem> + 'g;

//! The Applications that Argo CD's controller makes of an ApplicationSet (`applicationset/` in its tree), without a cluster.
//!
//! A set comes in as JSON, as the API server stores it; Applications go out as JSON. Nothing here reads files or the network: what a
//! generator asks is answered by [`World`].

mod clusters;
mod element;
mod expand;
mod fill;
mod generate;
mod git;
mod globs;
mod go_template;
mod list;
mod matrix;
mod merge;
mod names;
mod parameters;
mod patch;
mod plain_template;
mod printed;
mod read_yaml;
mod selector;
mod templates;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use parameters::Parameters;
use templates::Templates;

/// What generators ask about.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// The clusters that Argo CD knows; none when nobody said which there are.
    pub clusters: Option<&'w [Cluster]>,
    /// The repositories that git generators read.
    pub repositories: &'w dyn Repositories,
    /// The minor version of Argo CD 3: generators differ between 3.2, 3.5 and 3.6.
    pub minor: u16,
}

/// A cluster as the generator `clusters` sees it; never its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// `name` of the Secret's data.
    pub name: String,
    /// `server` of the Secret's data.
    pub server: String,
    /// `project` of the Secret's data; empty when there is none.
    pub project: String,
    /// The labels of the Secret.
    pub labels: BTreeMap<String, String>,
    /// The annotations of the Secret.
    pub annotations: BTreeMap<String, String>,
}

/// Git repositories at a revision.
pub trait Repositories {
    /// The paths of all tracked files of a repository, sorted, with `/` between their parts. None when this repository or revision is not at
    /// hand.
    fn files(&self, url: &str, revision: &str) -> Option<Arc<[String]>>;

    /// A file of such a repository, read as Argo CD reads YAML and JSON of git generators. An error is a message without a place.
    fn value(&self, url: &str, revision: &str, path: &str) -> Result<Value, String>;
}

/// What an ApplicationSet makes.
#[derive(Debug, Default)]
pub struct Expansion {
    /// The Applications, sorted by name.
    pub applications: Vec<Generated>,
    /// What could not be expanded.
    pub problems: Vec<Problem>,
    /// Whether Argo CD's controller makes and changes nothing, because it cannot make one of the Applications (`Reconcile` in
    /// `applicationset/controllers/applicationset_controller.go`). Those that exist stay as they are.
    pub is_left_alone: bool,
}

/// An Application that a set makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The Application.
    pub application: Value,
    /// Whether a parameter of it is a placeholder, `<name>`, because nobody said which clusters there are.
    pub is_assumed: bool,
}

/// Why a set, or an element of it, makes no Application here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A generator asks a service: its field, such as `pullRequest`.
    Asks(String),
    /// The clusters are not known, and no other generator names them.
    Clusters,
    /// A git generator reads a repository that is not at hand: its URL and its revision.
    Repository(String, String),
    /// A template calls a function that is not implemented here.
    Function(String),
    /// Argo CD could not make this Application, or any Application of the set, either: its message. An Application without a name of its own is
    /// left out alone; after any other message [`Expansion::is_left_alone`] is true.
    Failed(String),
    /// It is larger than what this program makes.
    TooLarge(String),
}

/// The Applications that a set makes. `set` is an ApplicationSet as the API server stores it. What cannot be read of it is taken as not
/// there, as the API server prunes it.
pub fn expand(set: &Value, world: &World<'_>) -> Expansion {
    let spec = &set["spec"];
    expand::expanded(set, &Context { world, spec, templates: Templates::new(spec, world.minor) })
}

/// How many elements a generator may make.
const MAX_ELEMENTS: usize = 10_000;

/// How a message begins when Go panics: Argo CD then makes nothing of the whole set.
const PANIC: &str = "panic: ";

fn too_many_elements() -> Problem {
    Problem::TooLarge(format!("a generator makes more than {MAX_ELEMENTS} elements"))
}

/// What the generators of a set have in common.
struct Context<'c> {
    world: &'c World<'c>,
    /// Of the set.
    spec: &'c Value,
    templates: Templates,
}

impl Context<'_> {
    /// Adds `values` of a generator, rendered with the parameters that are there (`appendTemplatedValues`).
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

/// Makes the elements of a generator within another one, rendered with parameters.
type Generate<'g> = dyn Fn(&Value, &Parameters) -> Result<Vec<element::Element>, Problem> + 'g;

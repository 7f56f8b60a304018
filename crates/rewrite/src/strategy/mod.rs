//! Strategies: how one Job becomes re-appliable. Chooses a strategy for a Job and computes its changes.
//!
//! A strategy returns the [`Change`]s of the Job's value, or a [`Refusal`]. It knows neither who chose it nor how the text is edited.

mod choose;
mod cleanup;
mod draft;
pub mod gate;
mod generate_name;
mod hash_name;
mod hook;
mod input_name;
mod refusal;
mod replace;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use goyaml::{Change, Value};
use kube_jobs::argocd::{Application, HookDeletePolicy, Phase};
use kube_jobs::kubernetes::Job;

pub use choose::{AUTO_RULES, AutoRule, Converts, Decision, LeftAlone, Reason};
use draft::Draft;
pub use input_name::{InputName, base_of, is_prefix, manifest_name, remembered_name};
pub use refusal::Refusal;

/// A way to make a Job re-appliable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// An ordinary Job with a hash of its content in its name.
    HashName,
    /// A hook with a fixed name.
    Hook,
    /// A hook with a `generateName`, which gets a new name at every sync.
    GenerateName,
    /// An ordinary Job that Argo CD replaces by force.
    Replace,
    /// The Job is not changed.
    Keep,
}

/// The value of the parameter `strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyChoice {
    /// The rules of `auto` choose for each Job.
    Auto,
    /// This strategy.
    Strategy(Strategy),
}

/// A row of the table of strategies, from which help and documents are generated.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The word that users write.
    pub id: &'static str,
    /// The choice that the word means.
    pub choice: StrategyChoice,
    /// The fields and annotations that the strategy writes.
    pub writes: &'static str,
    /// When the Job runs.
    pub runs: &'static str,
    /// The Jobs that the strategy is made for.
    pub serves: &'static str,
    /// What to know before choosing the strategy, in whole sentences.
    pub limits: &'static [&'static str],
}

/// The annotation and the label with the input name of a renamed Job.
pub const NAME: &str = "argocd-jobs/name";

/// All values of the parameter `strategy`.
pub const STRATEGIES: [Row; 6] =
    [choose::AUTO, hash_name::ROW, hook::ROW, generate_name::ROW, replace::ROW, choose::KEEP];

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = STRATEGIES.iter().find(|row| row.choice == StrategyChoice::Strategy(*self));
        f.write_str(row.map_or("", |row| row.id))
    }
}

/// Whether a Sync hook keeps the name of the Job that it was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepName {
    /// The hook gets `-hook` appended, so that its first run is not lost if the Job is live (see `hook.rs`).
    #[default]
    No,
    /// The hook keeps the name, because the Application was never live.
    Yes,
}

/// What happens to the Job of the previous content under `hash-name`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// Argo CD prunes it if automated prune is on.
    #[default]
    Default,
    /// It stays, and does not make the Application OutOfSync.
    Keep,
}

impl Prune {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Default, Self::Keep];

    /// The word that users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Keep => "keep",
        }
    }
}

/// Who chose a value. The Job's own manifest wins over a choice by a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenBy {
    /// A layer above the Job, or the default.
    Layer,
    /// An `argocd-jobs/*` annotation of the Job itself.
    Job,
}

/// A value, and who chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    /// The chosen value.
    pub value: T,
    /// Who chose the value.
    pub by: ChosenBy,
}

/// The settings of one Job.
#[derive(Clone, Debug)]
pub struct Options {
    /// `strategy`
    pub strategy: Choice<StrategyChoice>,
    /// `hook`: the phases for a Job without phases of its own.
    pub hook: Option<Choice<Vec<Phase>>>,
    /// `keep-name`
    pub keep_name: KeepName,
    /// `delete-policy`
    pub delete_policy: Option<Choice<Vec<HookDeletePolicy>>>,
    /// `ttl`, in seconds
    pub ttl: Option<Choice<i64>>,
    /// `rerun`. Empty if it is not set.
    pub rerun: String,
    /// The data of the objects that the pod template refers to, for `hash-references`. Empty if there is none.
    pub references: String,
    /// `base-name`
    pub base_name: Option<String>,
    /// `wave`: the sync wave for a Job without one of its own.
    pub wave: Option<i64>,
    /// `deadline`, in seconds: `activeDeadlineSeconds` for a hook that has none.
    pub deadline: Option<i64>,
    /// `prune`
    pub prune: Prune,
    /// `strip-template-labels`: the keys of labels that are removed from the pod template, and so do not change the hash.
    pub strip_template_labels: Arc<BTreeSet<String>>,
    /// `baseline`: the hash of the content that has already run under the input name.
    pub baseline: Option<String>,
    /// The parameters that annotations of the Job itself set, each with the strategies under which it has an effect.
    pub annotated: Vec<(&'static str, &'static [Strategy])>,
}

/// The strategy of one Job, and its changes.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The strategy and why it was chosen.
    pub decision: Decision,
    /// The input name. None for a Job that stays unchanged and has no valid name.
    pub input_name: Option<InputName>,
    /// The content hash. None if the strategy does not use it.
    pub hash: Option<String>,
    /// The changes, in the order in which they are made. No two of them change the same key.
    pub changes: Vec<Change>,
}

/// Chooses a strategy for the Job and returns the changes that it makes.
pub fn decide(job: &Job, options: &Options, application: &Application) -> Result<Outcome, Refusal> {
    let decision = choose::choose(job, options, application)?;
    refuse_what_has_no_effect(options, decision.strategy)?;
    if decision.strategy == Strategy::Keep {
        let input_name = input_name::find(job, options).ok();
        return Ok(Outcome { decision, input_name, hash: None, changes: Vec::new() });
    }
    refuse_other_shapes(job)?;
    let input_name = input_name::find(job, options)?;
    let mut draft = Draft::new(job);
    cleanup::clean(&mut draft);
    cleanup::strip_template_labels(&mut draft, &options.strip_template_labels);
    cleanup::remove_emptied_template_labels(&mut draft);
    // The hash is that of the Job before the strategy's own changes, and after the clean-up: it must not depend on what is written here.
    let hash = match decision.strategy {
        Strategy::HashName => Some(hash_name::write(&mut draft, &decision, options, &input_name)?),
        Strategy::GenerateName => Some(generate_name::write(&mut draft, &decision, options, &input_name)?),
        Strategy::Hook => {
            hook::write(&mut draft, &decision, options, &input_name)?;
            None
        }
        // `Keep` has returned above.
        Strategy::Replace | Strategy::Keep => {
            replace::write(&mut draft, &decision, &input_name);
            None
        }
    };
    draft.wave(options.wave);
    let has_run = decision.strategy == Strategy::HashName && hash.is_some() && hash == options.baseline;
    let changes = if has_run { Vec::new() } else { draft.into_changes() };
    Ok(Outcome { decision, input_name: Some(input_name), hash, changes })
}

/// Maps in which a strategy may write.
const MAPS: [&[&str]; 7] = [
    &["metadata"],
    &["metadata", "annotations"],
    &["metadata", "labels"],
    &["spec"],
    &["spec", "template"],
    &["spec", "template", "metadata"],
    &["spec", "template", "metadata", "labels"],
];

/// Refuses a Job in which a change would replace a list or a scalar by a map.
fn refuse_other_shapes(job: &Job) -> Result<(), Refusal> {
    for path in MAPS {
        let found = job.value().at(path);
        if let Some(found) = found.filter(|found| !matches!(found, Value::Map(_) | Value::Null)) {
            return Err(Refusal::NoMap { path, found: found.kind() });
        }
    }
    Ok(())
}

/// Refuses a Job with an annotation that has no effect under its strategy. What a layer above the Job sets is for other Jobs too, and a Job that
/// such a layer keeps is left alone with its annotations.
fn refuse_what_has_no_effect(options: &Options, strategy: Strategy) -> Result<(), Refusal> {
    if strategy == Strategy::Keep && options.strategy.by == ChosenBy::Layer {
        return Ok(());
    }
    match options.annotated.iter().find(|(_, strategies)| !strategies.contains(&strategy)) {
        Some((parameter, _)) => Err(Refusal::WithoutEffect { parameter, strategy }),
        None => Ok(()),
    }
}

//! Chooses the strategy of a Job. The first that matches decides:
//!
//! 1. a strategy in the Job's own annotation,
//! 2. rule 1 of `auto` (the Job stays as it is),
//! 3. `keep` in any other layer,
//! 4. rules 2 and 3 of `auto` (a hook stays a hook),
//! 5. another strategy in any other layer,
//! 6. the rest of the rules of `auto`.

use kube_jobs::argocd::{Application, HookType};
use kube_jobs::kubernetes::{HookSource, Job};

use super::gate::is_gate;
use super::{ChosenBy, Options, Refusal, Row, Strategy, StrategyChoice};

/// The row of `auto`, which chooses by the rules below.
pub(super) const AUTO: Row = Row {
    id: "auto",
    choice: StrategyChoice::Auto,
    writes: "what the chosen strategy writes; the first of six rules that matches the Job chooses it",
    runs: "as under the chosen strategy",
    serves: "all Jobs (the default)",
    limits: &[
        "A strategy set for the Application changes how ordinary Jobs are written; a Job that is a hook stays a hook. Only the annotation `argocd-jobs/strategy` on the Job itself converts a hook.",
    ],
};

/// The row of `keep`, which changes nothing and therefore has no file of its own.
pub(super) const KEEP: Row = Row {
    id: "keep",
    choice: StrategyChoice::Strategy(Strategy::Keep),
    writes: "nothing",
    runs: "as without the plugin",
    serves: "Jobs that the plugin should not change",
    limits: &["A change to an immutable field makes the sync fail with `field is immutable`, as without the plugin."],
};

/// A rule of `auto`, in the words of the documents.
#[derive(Clone, Copy, Debug)]
pub struct AutoRule {
    /// The Jobs that the rule is for.
    pub job: &'static str,
    /// What happens to these Jobs, as a verb.
    pub becomes: &'static str,
    /// When these Jobs run.
    pub runs: &'static str,
}

/// The rules of `auto`. The first rule that matches a Job decides; [`Reason`] names it.
pub const AUTO_RULES: [AutoRule; 6] = [
    AutoRule {
        job: "A `PreDelete`, `PostDelete`, `Skip`, `test` or rollback hook, a hook of an unknown type, a gate (a hook that runs once per name), a Job with `ownerReferences`, or a strategic merge patch",
        becomes: "stays as it is",
        runs: "as without the plugin",
    },
    AutoRule {
        job: "An Argo CD hook",
        becomes: "stays a hook; `BeforeHookCreation` is added if its delete policies lack it",
        runs: "at every sync, in its phases",
    },
    AutoRule {
        job: "A Helm hook such as `pre-upgrade`",
        becomes: "stays a hook; the same policy is added if it is missing",
        runs: "at every sync, in the phase that Argo CD gives it",
    },
    AutoRule {
        job: "A Job with a `generateName` that is not a hook",
        becomes: "becomes a Sync hook with a new name each time (`generate-name`)",
        runs: "at every sync",
    },
    AutoRule {
        job: "A Job with `Force=true` in its sync options",
        becomes: "stays as it is, because its author has already chosen",
        runs: "as without the plugin",
    },
    AutoRule {
        job: "Any other Job",
        becomes: "gets a hash of its content in its name (`hash-name`)",
        runs: "once per change",
    },
];

/// Why rule 1 leaves a Job unchanged, even if a strategy is set for the whole Application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftAlone {
    /// `Skip` is its only hook type.
    Skip,
    /// It is a hook with no valid type, which Argo CD never applies.
    NoValidType,
    /// It runs when the Application is deleted.
    DeleteHook,
    /// It is a gate: it runs once per name, and nothing else may delete it.
    Gate,
    /// Another object owns it.
    Owned,
    /// It is a strategic merge patch.
    Patch,
}

/// Why a Job gets its strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Rule 1 of `auto`.
    LeftAlone(LeftAlone),
    /// A setting chose the strategy.
    Setting,
    /// It is a hook by Argo CD's annotation, and stays one (rule 2).
    ArgocdHook,
    /// It is a hook by Helm's annotation, and stays one (rule 3).
    HelmHook,
    /// It has a `generateName` and is not a hook (rule 4).
    GenerateName,
    /// It has a `generateName`, but Argo CD cannot build a name from it, or it is suspended (rules 2 and 4).
    NoGeneratedName,
    /// Its annotation with sync options contains `Force=true` (rule 5).
    Force,
    /// It is any other Job (rule 6).
    Ordinary,
}

/// The strategy of one Job, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The strategy.
    pub strategy: Strategy,
    /// Why it was chosen.
    pub reason: Reason,
    /// Whether the Job's own annotation chose the strategy, so that the Job may become another kind of Job.
    pub converts: Converts,
}

/// Whether the strategy removes the old hook annotations of the Job. It does if the Job's own annotation chose the strategy; those of Argo CD stay
/// where the new strategy makes a hook too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Converts {
    /// The old hook annotations stay.
    No,
    /// The old hook annotations are removed.
    Yes,
}

/// Chooses the strategy of `job`. Fails if a setting chooses a strategy that cannot work.
pub(super) fn choose(job: &Job, options: &Options, application: &Application) -> Result<Decision, Refusal> {
    let decided = |strategy, reason| Ok(Decision { strategy, reason, converts: Converts::No });
    if let (ChosenBy::Job, StrategyChoice::Strategy(strategy)) = (options.strategy.by, options.strategy.value) {
        check_possible(job, options, application, strategy)?;
        return Ok(Decision { strategy, reason: Reason::Setting, converts: Converts::Yes });
    }
    if let Some(why) = left_alone(job) {
        return decided(Strategy::Keep, Reason::LeftAlone(why));
    }
    if options.strategy.value == StrategyChoice::Strategy(Strategy::Keep) {
        return decided(Strategy::Keep, Reason::Setting);
    }
    let (types, source) = job.hook_types();
    if !types.is_empty() {
        return match source {
            HookSource::Helm => decided(Strategy::Hook, Reason::HelmHook),
            HookSource::Argocd if job.name().is_some() => decided(Strategy::Hook, Reason::ArgocdHook),
            // A hook cannot get a hash in its name. So if Argo CD cannot build a name, the hook gets a fixed one.
            HookSource::Argocd if application.generated_names().is_err() => {
                decided(Strategy::Hook, Reason::NoGeneratedName)
            }
            HookSource::Argocd => decided(Strategy::GenerateName, Reason::ArgocdHook),
        };
    }
    if let StrategyChoice::Strategy(strategy) = options.strategy.value {
        check_possible(job, options, application, strategy)?;
        return decided(strategy, Reason::Setting);
    }
    if job.is_generated() {
        let can = !job.is_suspended() && application.generated_names().is_ok();
        let strategy = if can { Strategy::GenerateName } else { Strategy::HashName };
        return decided(strategy, if can { Reason::GenerateName } else { Reason::NoGeneratedName });
    }
    if job.has_sync_option("Force=true") {
        return decided(Strategy::Keep, Reason::Force);
    }
    decided(Strategy::HashName, Reason::Ordinary)
}

/// Rule 1. A strategy for a whole Application must not turn a clean-up or a test into a Job that runs at the next sync, nor a gate into a hook
/// that runs at every sync.
fn left_alone(job: &Job) -> Option<LeftAlone> {
    let (types, _) = job.hook_types();
    if job.is_delete_hook() {
        Some(LeftAlone::DeleteHook)
    } else if types == [HookType::Skip] {
        Some(LeftAlone::Skip)
    } else if job.is_hook() && types.is_empty() {
        Some(LeftAlone::NoValidType)
    } else if is_gate(job) {
        Some(LeftAlone::Gate)
    } else if job.is_owned() {
        Some(LeftAlone::Owned)
    } else if job.is_patch() {
        Some(LeftAlone::Patch)
    } else {
        None
    }
}

/// Fails if the chosen strategy cannot work for the Job.
fn check_possible(job: &Job, options: &Options, application: &Application, strategy: Strategy) -> Result<(), Refusal> {
    // Without `_`, so that a new strategy does not compile before it is added here.
    match strategy {
        Strategy::HashName | Strategy::Replace | Strategy::Keep => return Ok(()),
        Strategy::Hook | Strategy::GenerateName => {}
    }
    if job.is_suspended() {
        return Err(Refusal::Suspended { strategy });
    }
    let own_phase = options.hook.as_ref().is_some_and(|choice| choice.by == ChosenBy::Job);
    if job.is_delete_hook() && !own_phase {
        return Err(Refusal::DeleteHookWithoutPhase { strategy });
    }
    match application.generated_names() {
        Err(why) if strategy == Strategy::GenerateName => Err(Refusal::NoGeneratedName { why }),
        _ => Ok(()),
    }
}

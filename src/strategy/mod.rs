//! Strategies: how one Job becomes re-appliable. What a user writes, what is chosen for a Job, and the changes that follow.
//!
//! A strategy answers with [`Change`]s of the Job's value, or with a [`Refusal`]. It does not know who chose it, nor how the
//! changes get into the text.

mod choose;
mod cleanup;
mod draft;
mod generate_name;
mod hash_name;
mod hook;
mod refusal;
mod replace;
mod written_name;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::argocd::{Application, HookDeletePolicy, Phase};
use crate::kubernetes::Job;
use crate::yaml::{Change, Value};
use draft::Draft;

pub use choose::{Converts, Decision, LeftAlone, Reason};
pub use refusal::Refusal;
pub use written_name::{NAME, WrittenName};

/// What is done with a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// An ordinary Job whose name carries the hash of its content.
    HashName,
    /// A hook with a fixed name.
    Hook,
    /// A hook with a `generateName`.
    GenerateName,
    /// An ordinary Job that Argo CD replaces by force.
    Replace,
    /// Left as it is.
    Keep,
}

/// What a user can write for the parameter `strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The program chooses.
    Auto,
    /// This one.
    Strategy(Strategy),
}

/// A row of the table of strategies, from which help and documents are made.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What users write.
    pub id: &'static str,
    /// What it stands for.
    pub wanted: Wanted,
    /// What it writes.
    pub writes: &'static str,
    /// When the Job runs.
    pub runs: &'static str,
    /// What it is for.
    pub serves: &'static str,
    /// What to know before choosing it: whole sentences.
    pub limits: &'static [&'static str],
}

/// All strategies.
pub const STRATEGIES: [Row; 6] = [
    Row {
        id: "auto",
        wanted: Wanted::Auto,
        writes: "what the first of six rules says that fits the Job",
        runs: "as the chosen strategy says",
        serves: "everything; the default",
        limits: &[
            "A strategy set for the Application changes how ordinary Jobs are written; a Job that is a hook stays one. Only the annotation `argocd-jobs/strategy` on the Job itself converts a hook.",
        ],
    },
    Row {
        id: "hash-name",
        wanted: Wanted::Strategy(Strategy::HashName),
        writes: "`metadata.name: <base>-<hash>`; removes `spec.ttlSecondsAfterFinished`",
        runs: "once per change of its content, and once when it first gets its name, whether it succeeds or fails; \
               the change itself makes the Application OutOfSync, so auto-sync sees it",
        serves: "migrations and every Job that should run once per image or config",
        limits: &[
            "It promises nothing against overlap: a change while the previous run is going kills it and starts the new one in the same pass, without waiting for its pods. A Job that must never run twice at once belongs into a `hook` in PreSync or PostSync, the only strategy that waits until the old one is gone. (`PruneLast` does not help: it lengthens the overlap, and makes the sync wait for the health of everything.)",
            "A failed Job is not run again by retries or later commits. Set `rerun` to another text, or delete the Job and sync.",
            "The name you wrote is kept in the label and the annotation `argocd-jobs/name`: `kubectl get jobs -l argocd-jobs/name=migrate`. It is so under `generate-name` and for a renamed `hook` too.",
        ],
    },
    Row {
        id: "hook",
        wanted: Wanted::Strategy(Strategy::Hook),
        writes: "`argocd.argoproj.io/hook: <phase>` (default `Sync`), `argocd.argoproj.io/hook-delete-policy` with \
                 `BeforeHookCreation` in it; a fixed `metadata.name`",
        runs: "at every full sync, never twice at once",
        serves: "Jobs that must gate a sync: PreSync, Sync, PostSync, SyncFail",
        limits: &[
            "It runs at every full sync, and a commit that changes only a hook starts none: Argo CD does not compare hooks. The trigger ConfigMap is for that.",
            "An ordinary Job that becomes a Sync hook is written as `<name>-hook`. Where the Job is live under its old name, Argo CD would delete it, take the result of that for the hook's, and report a success, mostly without having run anything. `keep-name` keeps the name, for Applications that were never live. PreSync, PostSync and SyncFail hooks keep their names.",
            "Argo CD can call a failed hook of the last wave of a sync succeeded, when the run before succeeded and its Job was gone at once: for a moment it looks at the old one (seen with Argo CD 3.2.11, in two of ten runs). A PreSync hook does not meet this, nor does a Job under a name of its own, as `hash-name` and `generate-name` give it.",
            "A retry of a failed sync runs a failed hook again from Argo CD 3.4 on; before, it only deletes it, and the next sync runs it.",
        ],
    },
    Row {
        id: "generate-name",
        wanted: Wanted::Strategy(Strategy::GenerateName),
        writes: "the hook annotations, `metadata.generateName: <base>-<hash>-` instead of `metadata.name`; \
                 `ttlSecondsAfterFinished: 86400` when there is none",
        runs: "at every full sync, under a new name",
        serves: "standalone and ad-hoc Jobs whose finished runs should stay to be looked at",
        limits: &["The Jobs stay until their TTL, a day unless you say otherwise: Argo CD never deletes them."],
    },
    Row {
        id: "replace",
        wanted: Wanted::Strategy(Strategy::Replace),
        writes: "`Force=true,Replace=true` in `argocd.argoproj.io/sync-options`; removes `spec.ttlSecondsAfterFinished`",
        runs: "at every sync that applies it, also for unrelated commits",
        serves: "those who must keep the name and want no hook",
        limits: &[
            "Nothing keeps two runs apart, as under `hash-name`: a change kills the run that is going, and starts the next one without waiting.",
            "The Job runs at every sync, also for unrelated commits.",
            "It does not work where server-side diff is on.",
        ],
    },
    Row {
        id: "keep",
        wanted: Wanted::Strategy(Strategy::Keep),
        writes: "nothing",
        runs: "as Argo CD has it",
        serves: "opting out",
        limits: &[
            "What is immutable can be changed as little as without the plugin: the sync ends in `field is immutable`.",
        ],
    },
];

impl Wanted {
    /// The strategy with this id.
    pub fn parse(id: &str) -> Option<Self> {
        STRATEGIES.iter().find(|row| row.id == id).map(|row| row.wanted)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = STRATEGIES.iter().find(|row| row.wanted == Wanted::Strategy(*self));
        f.write_str(row.map_or("", |row| row.id))
    }
}

/// Whether a Sync hook keeps the name of the Job it was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepName {
    /// It gets `-hook` appended, so that Argo CD's conversion of a live Job does not swallow its first run.
    #[default]
    No,
    /// The Application was never live.
    Yes,
}

/// What becomes of the Job of an earlier content under `hash-name`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// Argo CD prunes it, where automated prune is on.
    #[default]
    Default,
    /// It stays, and does not make the Application OutOfSync.
    Keep,
}

impl Prune {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Default, Self::Keep];

    /// What users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Keep => "keep",
        }
    }
}

/// Who asked for something: that decides whether the Job's own words count against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedBy {
    /// Some layer above the Job, or nobody.
    Layer,
    /// An `argocd-jobs/*` annotation of the Job itself.
    Job,
}

/// A value and who asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked<T> {
    /// The value.
    pub value: T,
    /// Who asked.
    pub by: AskedBy,
}

/// All that settings say about one Job.
#[derive(Clone, Debug)]
pub struct Options {
    /// `strategy`
    pub strategy: Asked<Wanted>,
    /// `hook`: the phases of a Job that has none of its own.
    pub hook: Option<Asked<Vec<Phase>>>,
    /// `keep-name`
    pub keep_name: KeepName,
    /// `delete-policy`
    pub delete_policy: Option<Asked<Vec<HookDeletePolicy>>>,
    /// `ttl`, in seconds
    pub ttl: Option<Asked<i64>>,
    /// `rerun`; empty is none
    pub rerun: String,
    /// The data of what the pod template refers to, under `hash-references`; empty is none
    pub references: String,
    /// `base-name`
    pub base_name: Option<String>,
    /// `wave`: the sync wave of a Job that has none of its own
    pub wave: Option<i64>,
    /// `deadline`: `activeDeadlineSeconds` of a hook that has none, in seconds
    pub deadline: Option<i64>,
    /// `prune`
    pub prune: Prune,
    /// `strip-template-labels`: keys of labels that are taken off the pod template, and so out of the hash
    pub strip_template_labels: Arc<BTreeSet<String>>,
    /// `baseline`: the hash of content that has run already under the written name
    pub baseline: Option<String>,
}

/// What becomes of one Job.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The strategy and why it was chosen.
    pub decision: Decision,
    /// The name that the user wrote, when it has one.
    pub written: Option<WrittenName>,
    /// The content hash, where the strategy uses it.
    pub hash: Option<String>,
    /// What changes, in the order in which it is written; never two changes of one key.
    pub changes: Vec<Change>,
}

/// Chooses a strategy for the Job and says what it changes.
pub fn decide(job: &Job, options: &Options, application: &Application) -> Result<Outcome, Refusal> {
    let decision = choose::choose(job, options, application)?;
    if decision.strategy == Strategy::Keep {
        let written = written_name::find(job, options).ok();
        return Ok(Outcome { decision, written, hash: None, changes: Vec::new() });
    }
    refuse_what_has_no_effect(options, decision.strategy)?;
    refuse_other_shapes(job)?;
    let written = written_name::find(job, options)?;
    let mut draft = Draft::new(job);
    cleanup::clean(&mut draft);
    cleanup::strip_template_labels(&mut draft, &options.strip_template_labels);
    cleanup::remove_emptied_template_labels(&mut draft);
    let hash = match decision.strategy {
        Strategy::HashName => Some(hash_name::write(&mut draft, &decision, options, &written)?),
        Strategy::GenerateName => Some(generate_name::write(&mut draft, &decision, options, &written)?),
        Strategy::Hook => {
            hook::write(&mut draft, &decision, options, &written)?;
            None
        }
        Strategy::Replace | Strategy::Keep => {
            replace::write(&mut draft, &decision, &written);
            None
        }
    };
    draft.wave(options.wave);
    let has_run = decision.strategy == Strategy::HashName && hash.is_some() && hash == options.baseline;
    let changes = if has_run { Vec::new() } else { draft.into_changes() };
    Ok(Outcome { decision, written: Some(written), hash, changes })
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

/// A change would silently put a map in the place of what stands there.
fn refuse_other_shapes(job: &Job) -> Result<(), Refusal> {
    for path in MAPS {
        let found = job.value().at(path);
        if let Some(found) = found.filter(|found| !matches!(found, Value::Map(_) | Value::Null)) {
            return Err(Refusal::NoMap { path, found: found.kind() });
        }
    }
    Ok(())
}

/// An annotation of the Job that its strategy cannot honour is an error, never ignored.
fn refuse_what_has_no_effect(options: &Options, strategy: Strategy) -> Result<(), Refusal> {
    // Without `..`: a new option does not compile until it is decided here.
    let Options {
        ttl,
        hook,
        delete_policy,
        // These have an effect under every strategy, or cannot be annotations.
        strategy: _,
        keep_name: _,
        rerun: _,
        references: _,
        base_name: _,
        wave: _,
        deadline: _,
        prune: _,
        strip_template_labels: _,
        baseline: _,
    } = options;
    match strategy {
        Strategy::Hook | Strategy::GenerateName | Strategy::Keep => return Ok(()),
        Strategy::HashName | Strategy::Replace => {}
    }
    let own = |by: Option<AskedBy>| by == Some(AskedBy::Job);
    let found = [
        ("ttl", own(ttl.as_ref().map(|asked| asked.by))),
        ("hook", own(hook.as_ref().map(|asked| asked.by))),
        ("delete-policy", own(delete_policy.as_ref().map(|asked| asked.by))),
    ];
    match found.into_iter().find(|(_, own)| *own) {
        Some((parameter, _)) => Err(Refusal::WithoutEffect { parameter, strategy }),
        None => Ok(()),
    }
}

//! What a merge does in one source: the values of which the first sentences are made.

use crate::output::preview::uses::base_name;
use crate::preview::{
    AutoSync, Because, ChangedUse, Compared, Comparison, Halt, Kind, Refused, Renamed, Sees, Start, Verdict, When,
};
use crate::text::plural;

/// An Application, or a source of which no Application is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whose {
    /// The Applications that render it, from the root down, and then its name; or the path of the source.
    pub way: Vec<String>,
    /// The file that declares it: another file can declare another one of this name.
    pub origin: String,
}

impl Whose {
    /// The name alone.
    pub fn name(&self) -> &str {
        self.way.last().map_or("", String::as_str)
    }

    /// The name, with the way to it unless it is the only one of that name.
    pub(super) fn called(&self, is_only: bool) -> String {
        match is_only {
            true => self.name().to_owned(),
            false if self.way.len() > 1 => self.way.join(" → "),
            false => format!("{} ({})", self.way.concat(), self.origin),
        }
    }
}

/// What a merge does in one source of an Application.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// What it belongs to; none where there is only one source.
    pub(super) whose: Option<Whose>,
    pub(super) auto_sync: AutoSync,
    /// Whether the change has nothing to do with it.
    pub(super) is_untouched: bool,
    /// Whether anything changes that Argo CD compares.
    pub(super) is_changed: bool,
    /// Whether a hook changes, or what it uses.
    pub(super) has_changed_hook: bool,
    /// What the next sync runs.
    pub(super) runs: Vec<Run>,
    /// What is gone.
    pub(super) gone: Vec<(Kind, bool)>,
    /// What runs only if the sync fails.
    pub(super) if_it_fails: Vec<(Kind, bool)>,
    /// What else does not run.
    pub(super) idle: Vec<(Kind, bool)>,
    /// Where the sync fails, and why: `Job `migrate`: `field is immutable``.
    pub(super) fails: Vec<String>,
    /// Whether it fails in the comparison, and not only in the sync.
    pub(super) fails_in_comparison: bool,
    /// What does not run although it should: a name with its kind.
    pub(super) lost: Vec<String>,
    /// What the sync waits for without an end: `for a suspended Job`.
    pub(super) waits: Option<&'static str>,
}

/// What the next sync runs.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) kind: Kind,
    pub(super) is_hook: bool,
    pub(super) name: String,
    pub(super) how: How,
    /// `in PreSync`
    pub(super) when: String,
    /// `because its image changes (`v1` → `v2`)`, and the same of several; empty for what is new.
    pub(super) because: [String; 2],
}

/// How something comes to run, in the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    New,
    Again,
    Resumed,
    AfterFailure,
    /// As it would at a sync that changes nothing.
    Unchanged,
}

impl How {
    pub(super) const ALL: [Self; 5] = [Self::New, Self::Again, Self::Resumed, Self::AfterFailure, Self::Unchanged];
}

impl Part {
    pub(super) fn of(comparison: &Comparison, whose: Option<Whose>) -> Self {
        let mut part = Self {
            whose,
            auto_sync: comparison.auto_sync(),
            is_untouched: comparison.is_untouched(),
            is_changed: comparison.starts.iter().any(Start::is_of_the_change),
            has_changed_hook: comparison.jobs.iter().any(|job| job.is_hook && !job.is_unchanged()),
            runs: Vec::new(),
            gone: Vec::new(),
            if_it_fails: Vec::new(),
            idle: Vec::new(),
            fails: comparison.refused.iter().map(refused_at).collect(),
            fails_in_comparison: comparison.stop.is_some_and(|stop| stop.why == Halt::Comparison),
            lost: Vec::new(),
            waits: comparison.stop.and_then(|stop| match stop.why {
                Halt::Confirmation => Some("until somebody confirms the pruning"),
                Halt::Suspended => Some("for a suspended Job"),
                Halt::Failure | Halt::Comparison => None,
            }),
        };
        comparison.jobs.iter().for_each(|job| part.add(job));
        part
    }

    /// Among others, a sync that failed before is nothing new.
    pub(super) fn forget_what_failed_before(&mut self) {
        if self.is_untouched {
            self.fails.clear();
            self.lost.clear();
            self.waits = None;
        }
    }

    /// Whether the change has to do with it.
    pub(super) fn is_touched(&self) -> bool {
        self.is_changed || self.changed_runs().next().is_some() || !self.fails.is_empty()
    }

    /// What runs because of the change.
    pub(super) fn changed_runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| run.how != How::Unchanged)
    }

    /// What runs at the next sync as it would without the change, if the merge does not start that sync.
    pub(super) fn unchanged_runs_later(&self) -> Vec<(&Kind, bool)> {
        let is_meant = |run: &&Run| run.how == How::Unchanged && !self.auto_sync.may_start();
        self.runs.iter().filter(is_meant).map(|run| (&run.kind, run.is_hook)).collect()
    }

    fn add(&mut self, job: &Compared) {
        let counted = (job.kind.clone(), job.is_hook);
        let named = || format!("{} `{}`", job.kind.name, job.name);
        match &job.verdict {
            Verdict::Fails(_) => self.fails.push(format!("{}: `field is immutable`", named())),
            verdict if verdict.is_rejected() => self.fails.push(format!("{}, which cannot be applied", named())),
            Verdict::DoesNotRun { changed, .. } if job.verdict.is_never() && changed.is_empty() => {
                self.idle.push(counted)
            }
            verdict if verdict.is_never() => {
                self.lost.push(format!("{} never runs: Argo CD does not know its hook type", named()));
            }
            Verdict::Trapped(_) => {
                self.lost.push(format!("{} does not run: it replaces an ordinary {}", named(), job.kind.name));
            }
            Verdict::Blocked(..) => self.lost.push(format!("{} does not run", named())),
            _ if job.cannot_start() => {
                self.lost.push(format!("{} cannot start: something that it needs is created after it", named()));
            }
            verdict if verdict.runs() => self.runs.push(Run::of(job)),
            Verdict::Gone(_) => self.gone.push(counted),
            Verdict::New(When::FailedSync) | Verdict::DoesNotRun { when: When::FailedSync, .. } => {
                self.if_it_fails.push(counted);
            }
            _ => self.idle.push(counted),
        }
    }
}

/// `Deployment shop/api: `spec.selector` is immutable`, `Workflow shop/build-…, which cannot be applied`
fn refused_at(one: &Refused) -> String {
    let fields = one.fields.join("` and `");
    match one.fields.len() {
        0 => format!("{}, which cannot be applied", one.object),
        1 => format!("{}: `{fields}` is immutable", one.object),
        _ => format!("{}: `{fields}` are immutable", one.object),
    }
}

impl Run {
    fn of(job: &Compared) -> Self {
        let (how, because) = match &job.verdict {
            Verdict::RunsAgain(because) if job.is_unchanged() => (How::Unchanged, reason(because)),
            Verdict::EverySync { changed, when, .. } if changed.is_empty() && seen(job).next().is_none() => {
                let is_random = matches!(when, When::EveryRendering(_));
                (How::Unchanged, both(if is_random { "as at every rendering" } else { "as at every sync" }))
            }
            Verdict::RunsAgain(because) | Verdict::EverySync { changed: because, .. } => {
                let names = Renamed::of(&job.uses);
                let is_own = |because: &&Because| !matches!(because, Because::Field(field) if names.explains(field));
                let own: Vec<Because> = because.iter().filter(is_own).cloned().collect();
                (How::Again, if own.is_empty() { reason_beside(job) } else { reason(&own) })
            }
            Verdict::Resumes(_) => {
                let because = ["because it is not suspended any more", "because they are not suspended any more"];
                (How::Resumed, because.map(ToOwned::to_owned))
            }
            Verdict::AfterFailure(_) => (How::AfterFailure, both("")),
            _ => (How::New, both("")),
        };
        let (kind, is_hook) = (job.kind.clone(), job.is_hook);
        Self { kind, is_hook, name: job.name.clone(), how, when: when_it_runs(job), because }
    }
}

/// The same of one and of several.
fn both(text: &str) -> [String; 2] {
    [text.to_owned(), text.to_owned()]
}

/// `because its image changes (`v1` → `v2`)`, with how many other reasons there are.
fn reason(all: &[Because]) -> [String; 2] {
    let is_image = |because: &&Because| because.image().is_some();
    let is_field = |because: &&Because| matches!(because, Because::Field(_));
    let first = all.iter().find(is_image).or_else(|| all.iter().find(is_field)).or(all.first());
    let Some(first) = first else { return both("") };
    let is_other = |because: &&Because| {
        matches!(because, Because::Field(_))
            && *because != first
            && (because.image().is_none() || because.image() != first.image())
    };
    let more = and_more(all.iter().filter(is_other).count(), "field");
    [true, false].map(|is_one| {
        let deleted = all.iter().find(|because| matches!(because, Because::Ttl(_)) && *because != first);
        let deleted =
            deleted.map_or_else(String::new, |ttl| format!(", if {}; if not, the sync may fail", ttl.in_short(is_one)));
        format!("because {}{more}{deleted}", first.in_short(is_one))
    })
}

/// `, and 2 more fields change`
fn and_more(count: usize, noun: &str) -> String {
    let verb = if count == 1 { "changes" } else { "change" };
    if count == 0 { String::new() } else { format!(", and {} {verb}", plural(count, &format!("more {noun}"))) }
}

/// What it uses and what changed so that the run sees it.
fn seen(job: &Compared) -> impl Iterator<Item = &ChangedUse> {
    job.uses.iter().filter(|found| matches!(found.sees, Sees::New | Sees::OldAtFirst))
}

/// `because ConfigMap `app`, which it uses, changes`
fn reason_beside(job: &Compared) -> [String; 2] {
    let Some(first) = seen(job).next() else { return both("") };
    let more = and_more(seen(job).count() - 1, "object");
    let (kind, name) = (&first.kind, base_name(first));
    ["it uses", "they use"].map(|uses| format!("because {kind} `{name}`, which {uses}, changes{more}"))
}

/// `in PreSync`, `in Sync wave 2`; empty for what is in no phase.
fn when_it_runs(job: &Compared) -> String {
    match job.moment {
        Some(moment) if moment.wave == 0 => format!("in {}", moment.phase.as_str()),
        Some(moment) => format!("in {moment}"),
        None => String::new(),
    }
}

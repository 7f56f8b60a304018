//! What a merge does in one source: the values of which the first sentences are made.

use crate::output::preview::uses::base_name;
use crate::preview::{
    AutoSync, Because, ChangedUse, Compared, Comparison, Halt, Kind, Refused, Renamed, Sees, Verdict,
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
    /// What runs because of the change.
    pub(super) runs: Vec<Run>,
    /// What runs at every sync, unchanged.
    pub(super) every_sync: Vec<(Kind, bool)>,
    /// What runs because its TTL has deleted it, and for no other reason.
    pub(super) expired: Vec<(Kind, bool)>,
    /// What is gone.
    pub(super) gone: Vec<(Kind, bool)>,
    /// What does not run.
    pub(super) idle: Vec<(Kind, bool)>,
    /// Where the sync fails, and why: `Job `migrate`: `field is immutable``.
    pub(super) fails: Vec<String>,
    /// What does not run although it should: a name with its kind.
    pub(super) lost: Vec<String>,
    /// What the sync waits for without an end: `for a suspended Job`.
    pub(super) waits: Option<&'static str>,
}

/// What runs because of the change.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) kind: Kind,
    pub(super) is_hook: bool,
    pub(super) name: String,
    pub(super) how: How,
    /// `in PreSync`
    pub(super) when: String,
    /// `because its image changes (`v1` → `v2`)`; empty for what is new.
    pub(super) because: String,
}

/// How something comes to run, in the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    New,
    Again,
    Resumed,
    AfterFailure,
}

impl How {
    pub(super) const ALL: [Self; 4] = [Self::New, Self::Again, Self::Resumed, Self::AfterFailure];
}

impl Part {
    pub(super) fn of(comparison: &Comparison, whose: Option<Whose>) -> Self {
        let mut part = Self {
            whose,
            auto_sync: comparison.auto_sync(),
            is_untouched: comparison.is_untouched(),
            is_changed: !comparison.starts.is_empty(),
            runs: Vec::new(),
            every_sync: Vec::new(),
            expired: Vec::new(),
            gone: Vec::new(),
            idle: Vec::new(),
            fails: comparison.refused.iter().map(refused_at).collect(),
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
        self.is_changed || !self.runs.is_empty() || !self.fails.is_empty()
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
            Verdict::EverySync { changed, .. } if changed.is_empty() && seen(job).next().is_none() => {
                self.every_sync.push(counted);
            }
            Verdict::RunsAgain(because) if is_ttl(because) && seen(job).next().is_none() => self.expired.push(counted),
            verdict if verdict.runs() => self.runs.push(Run::of(job)),
            Verdict::Gone(_) => self.gone.push(counted),
            _ => self.idle.push(counted),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let lists = [&self.every_sync, &self.expired, &self.gone, &self.idle];
        self.runs.is_empty()
            && self.waits.is_none()
            && self.fails.is_empty()
            && self.lost.is_empty()
            && lists.iter().all(|list| list.is_empty())
    }
}

/// `Deployment shop/api: `spec.selector` is immutable`
fn refused_at(one: &Refused) -> String {
    let verb = if one.fields.len() == 1 { "is" } else { "are" };
    format!("{}: `{}` {verb} immutable", one.object, one.fields.join("` and `"))
}

impl Run {
    fn of(job: &Compared) -> Self {
        let (how, because) = match &job.verdict {
            Verdict::RunsAgain(because) | Verdict::EverySync { changed: because, .. } => {
                let names = Renamed::of(&job.uses);
                let is_own = |because: &&Because| !matches!(because, Because::Field(field) if names.explains(field));
                let own: Vec<&Because> = because.iter().filter(is_own).collect();
                (How::Again, if own.is_empty() { reason_beside(job) } else { reason(&own) })
            }
            Verdict::Resumes(_) => (How::Resumed, "because it is not suspended any more".to_owned()),
            Verdict::AfterFailure(_) => (How::AfterFailure, String::new()),
            _ => (How::New, String::new()),
        };
        let (kind, is_hook) = (job.kind.clone(), job.is_hook);
        Self { kind, is_hook, name: job.name.clone(), how, when: when_it_runs(job), because }
    }
}

/// `because its image changes (`v1` → `v2`)`, with how many other reasons there are.
fn reason(all: &[&Because]) -> String {
    let is_image = |because: &&&Because| because.image().is_some();
    let Some(first) = all.iter().find(is_image).or(all.first()) else { return String::new() };
    let is_same = |because: &&&Because| because.image().is_some() && because.image() == first.image();
    let more = match all.len() - all.iter().filter(is_same).count().max(1) {
        0 => String::new(),
        more => format!(", with {}", plural(more, "more change")),
    };
    format!("because {}{more}", first.in_short())
}

/// Whether a Job runs because of its TTL alone, which it does at every sync after that time.
fn is_ttl(because: &[Because]) -> bool {
    because.iter().all(|because| matches!(because, Because::Ttl(_)))
}

/// What it uses and what changed so that the run sees it.
fn seen(job: &Compared) -> impl Iterator<Item = &ChangedUse> {
    job.uses.iter().filter(|found| matches!(found.sees, Sees::New | Sees::OldAtFirst))
}

/// `because ConfigMap `app`, which it uses, changes`
fn reason_beside(job: &Compared) -> String {
    let count = seen(job).count();
    let Some(first) = seen(job).next() else { return String::new() };
    let more = if count > 1 { format!(", with {}", plural(count - 1, "more change")) } else { String::new() };
    format!("because {} `{}`, which it uses, changes{more}", first.kind, base_name(first))
}

/// `in PreSync`, `in Sync wave 2`; empty for what is in no phase.
fn when_it_runs(job: &Compared) -> String {
    match job.moment {
        Some(moment) if moment.wave == 0 => format!("in {}", moment.phase.as_str()),
        Some(moment) => format!("in {moment}"),
        None => String::new(),
    }
}

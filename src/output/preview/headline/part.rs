//! What a merge does in one source: the values of which the first sentences are made.

use crate::preview::{AutoSync, Because, Compared, Comparison, Halt, Kind, Refused, Verdict};
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
    /// Whether anything changes that Argo CD compares.
    pub(super) is_changed: bool,
    /// What runs because of the change.
    pub(super) runs: Vec<Run>,
    /// What runs at every sync, unchanged.
    pub(super) every_sync: Vec<(Kind, bool)>,
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
            is_changed: !comparison.starts.is_empty(),
            runs: Vec::new(),
            every_sync: Vec::new(),
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

    fn add(&mut self, job: &Compared) {
        let counted = (job.kind.clone(), job.is_hook);
        let named = || format!("{} `{}`", job.kind.name, job.name);
        match &job.verdict {
            Verdict::Fails(_) => self.fails.push(format!("{}: `field is immutable`", named())),
            verdict if verdict.is_rejected() => self.fails.push(format!("{}, which cannot be applied", named())),
            verdict if verdict.is_never() => {
                self.lost.push(format!("{} never runs: Argo CD does not know its hook type", named()));
            }
            Verdict::Trapped(_) => {
                self.lost.push(format!("{} does not run: it replaces an ordinary {}", named(), job.kind.name));
            }
            Verdict::Blocked(..) => self.lost.push(format!("{} does not run", named())),
            Verdict::EverySync { changed, .. } if changed.is_empty() => self.every_sync.push(counted),
            verdict if verdict.runs() => self.runs.push(Run::of(job)),
            Verdict::Gone(_) => self.gone.push(counted),
            _ => self.idle.push(counted),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let lists = [&self.every_sync, &self.gone, &self.idle];
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
            Verdict::RunsAgain(because) | Verdict::EverySync { changed: because, .. } => (How::Again, reason(because)),
            Verdict::Resumes(_) => (How::Resumed, "because it is not suspended any more".to_owned()),
            Verdict::AfterFailure(_) => (How::AfterFailure, String::new()),
            _ => (How::New, String::new()),
        };
        let (kind, is_hook) = (job.kind.clone(), job.is_hook);
        Self { kind, is_hook, name: job.name.clone(), how, when: when_it_runs(job), because }
    }
}

/// `because its image changes (`v1` → `v2`)`, with how many other reasons there are.
fn reason(all: &[Because]) -> String {
    let is_image = |because: &&Because| because.image().is_some();
    let Some(first) = all.iter().find(is_image).or(all.first()) else { return String::new() };
    let is_same = |because: &&Because| because.image().is_some() && because.image() == first.image();
    let more = match all.len() - all.iter().filter(is_same).count().max(1) {
        0 => String::new(),
        more => format!(", with {}", plural(more, "more change")),
    };
    format!("because {}{more}", first.in_short())
}

/// `in PreSync`, `in Sync wave 2`; empty for what is in no phase.
fn when_it_runs(job: &Compared) -> String {
    match job.moment {
        Some(moment) if moment.wave == 0 => format!("in {}", moment.phase.as_str()),
        Some(moment) => format!("in {moment}"),
        None => String::new(),
    }
}

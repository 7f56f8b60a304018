//! What a merge does in one source: the values from which the first sentences are made.

use deployment::Owner;
use kube_jobs::kubernetes::Alike;
use preview::{AutoSync, Because, ChangedUse, Compared, Comparison, Halt, Kind, Refused, Renamed, Sees, Verdict, When};
use text::agreed;

use crate::preview::uses::base_name;

/// An Application, or a source without a known Application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whose {
    /// The Applications that render it, from the root down, and then its name; or the path of the source.
    pub way: Vec<String>,
    /// The file that declares it: another file can declare another one of this name.
    pub origin: String,
    /// Who is known to sync it.
    pub owner: Owner,
}

impl Whose {
    /// The name alone.
    pub fn name(&self) -> &str {
        self.way.last().map_or("", String::as_str)
    }

    /// The name, with what distinguishes it from `others` of that name: `shop (values-prod.yaml)`.
    pub(super) fn among(&self, others: &[&Self]) -> String {
        let name = self.name();
        let above = |whose: &&Self| whose.way.split_last().map(|(_, above)| above.to_vec()).unwrap_or_default();
        let (own, all) = (above(&self), others.iter().map(above).collect::<Vec<_>>());
        let is_unlike = |at: &usize| all.iter().any(|way| way.get(*at) != own.get(*at));
        let steps: Vec<usize> = (0..own.len()).filter(is_unlike).collect();
        match steps.as_slice() {
            _ if others.len() < 2 => name.to_owned(),
            // Nothing of it is a file here.
            [] if self.origin.is_empty() => name.to_owned(),
            [] => format!("{name} ({})", self.origin),
            // One step of each.
            [at] if all.iter().all(|way| way.len() == own.len()) => {
                let steps: Vec<&str> = all.iter().map(|way| way[*at].as_str()).collect();
                format!("{name} ({})", unlike(&own[*at], &steps))
            }
            _ => self.way.join(" → "),
        }
    }
}

/// The part of a text in which `all` differ, with whole words: `prod` of `clusters/prod/apps` if another is `clusters/test/apps`.
fn unlike<'t>(text: &'t str, all: &[&str]) -> &'t str {
    let is_between = |sign: char| " /,()".contains(sign);
    let is_common = |part: &str, is_start: bool| {
        all.iter().all(|other| if is_start { other.starts_with(part) } else { other.ends_with(part) })
    };
    let mut ends = text.char_indices().filter(|(_, sign)| is_between(*sign)).map(|(at, sign)| at + sign.len_utf8());
    let start = ends.rfind(|end| is_common(&text[..*end], true)).unwrap_or_default();
    let starts = text.char_indices().filter(|(at, sign)| is_between(*sign) && *at >= start).map(|(at, _)| at);
    let end = starts.filter(|at| is_common(&text[*at..], false)).min().unwrap_or(text.len());
    if end > start { &text[start..end] } else { text }
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
    /// An earlier commit that had the same manifests.
    pub(super) goes_back_to: Option<String>,
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
    /// Why, or what is new in it; none if there is nothing to say.
    pub(super) reason: Option<Reason>,
}

/// Why something runs, or what is new in something that runs anyway. Two texts are for one Job and for several.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    /// `its image changes (`v1` → `v2`)`
    Because([String; 2]),
    /// `as at every sync`
    As(&'static str),
    /// `with `v2` (was `v1`)`
    With(String),
    /// `` `args[1]` changes ``
    Changes([String; 2]),
}

impl Reason {
    /// The end of a sentence. `is_started` says whether the merge starts the sync.
    pub(super) fn said(&self, is_one: bool, is_started: bool) -> String {
        let of = |texts: &[String; 2]| texts[usize::from(!is_one)].clone();
        match self {
            Self::Because(texts) => format!(", because {}", of(texts)),
            Self::As(text) => format!(", {text}"),
            Self::With(text) if is_started => format!(", as at every sync, but {text}"),
            Self::With(text) => format!(", from now on {text}"),
            Self::Changes(texts) if is_started => format!(", as at every sync; {}", of(texts)),
            Self::Changes(texts) => format!("; {}", of(texts)),
        }
    }
}

/// How something comes to run, in the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    New,
    Again,
    /// At every sync, but not as before.
    Anyway,
    Resumed,
    AfterFailure,
    /// As it would at a sync that changes nothing.
    Unchanged,
}

impl Part {
    pub(super) fn of(comparison: &Comparison, whose: Option<Whose>) -> Self {
        let mut part = Self {
            whose,
            auto_sync: comparison.auto_sync(),
            is_untouched: comparison.is_untouched(),
            is_changed: comparison.differs(),
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
            goes_back_to: comparison.goes_back_to.clone(),
        };
        let is_sparing = comparison.sync.as_ref().is_some_and(|sync| sync.has_option("ApplyOutOfSyncOnly=true"));
        comparison.jobs.iter().for_each(|job| part.add(job, is_sparing));
        if matches!(part.auto_sync, AutoSync::KeptOut(_)) {
            // The sync of today runs what it ran before.
            part.runs.clear();
            part.is_untouched = true;
            part.forget_what_failed_before();
        }
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

    /// `is_sparing` says whether a sync applies only what has changed.
    fn add(&mut self, job: &Compared, is_sparing: bool) {
        let counted = (job.kind.clone(), job.is_hook);
        let named = || format!("{} `{}`", job.kind.name, job.name);
        match &job.verdict {
            Verdict::Fails(_) => self.fails.push(format!("{}: `field is immutable`", named())),
            Verdict::Collides(_) => {
                self.fails.push(format!("{}, which it applies while it deletes the earlier one", named()))
            }
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
            verdict if verdict.runs() => self.runs.push(Run::of(job, is_sparing)),
            Verdict::Gone(_) => self.gone.push(counted),
            verdict if verdict.when() == Some(&When::FailedSync) => self.if_it_fails.push(counted),
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
    fn of(job: &Compared, is_sparing: bool) -> Self {
        let (how, reason) = match &job.verdict {
            Verdict::RunsAgain(because) if job.is_unchanged() => {
                (How::Unchanged, reason(&own(job, because)).map(Reason::Because))
            }
            Verdict::EverySync { changed, when, .. } if changed.is_empty() && seen(job).next().is_none() => {
                let is_random = matches!(when, When::EveryRendering(_));
                (How::Unchanged, Some(Reason::As(if is_random { "as at every rendering" } else { "as at every sync" })))
            }
            Verdict::EverySync { changed, when, .. }
                if changed.iter().all(Because::is_of_what_runs_anyway) && !(is_sparing && *when == When::EverySync) =>
            {
                (How::Anyway, from_now_on(job, changed))
            }
            Verdict::RunsAgain(because) | Verdict::EverySync { changed: because, .. } => {
                (How::Again, why(job, because).map(Reason::Because))
            }
            Verdict::Resumes(_) => {
                let because = ["it is not suspended any more", "they are not suspended any more"];
                (How::Resumed, Some(Reason::Because(because.map(ToOwned::to_owned))))
            }
            Verdict::AfterFailure(_) => (How::AfterFailure, None),
            _ => (How::New, None),
        };
        let (kind, is_hook) = (job.kind.clone(), job.is_hook);
        Self { kind, is_hook, name: job.name.clone(), how, when: when_it_runs(job), reason }
    }
}

/// Why it runs again: what changed in it, or else in an object that it uses.
fn why(job: &Compared, all: &[Because]) -> Option<[String; 2]> {
    reason(&own(job, all)).or_else(|| reason_beside(job))
}

/// The reasons without the generated names of the changed objects that it uses.
fn own<'b>(job: &Compared, all: &'b [Because]) -> Vec<&'b Because> {
    let names = Renamed::of(&job.uses);
    all.iter().filter(|because| because.field().is_none_or(|field| !names.explains(field))).collect()
}

/// What changed in something that runs anyway, or in an object that it uses.
fn from_now_on(job: &Compared, all: &[Because]) -> Option<Reason> {
    let own = own(job, all);
    match own.iter().find_map(|because| because.image_in_short()) {
        Some((old, new)) => Some(Reason::With(format!("with `{new}` (was `{old}`){}", and_others(&own)))),
        None => why(job, all).map(Reason::Changes),
    }
}

/// `its image changes (`v1` → `v2`)`, with how many other reasons there are; none if there is no reason.
fn reason(all: &[&Because]) -> Option<[String; 2]> {
    let any = all.first()?;
    let fields = Alike::of(all.iter().filter_map(|because| because.field()));
    let first = all.iter().find(|because| because.image().is_some());
    Some([true, false].map(|is_one| {
        let text = match (first, fields.first()) {
            (Some(image), _) => image.in_short(is_one),
            (None, Some(alike)) => alike.in_short(),
            (None, None) => any.in_short(is_one),
        };
        let deleted = all.iter().filter(|_| !fields.is_empty()).find_map(|because| match because {
            Because::Ttl { is_refused_otherwise: true, .. } => Some((because, "the sync fails")),
            Because::Ttl { .. } if is_one => Some((because, "it is changed in place")),
            Because::Ttl { .. } => Some((because, "they are changed in place")),
            _ => None,
        });
        let deleted = deleted
            .map_or_else(String::new, |(ttl, otherwise)| format!(", if {}; if not, {otherwise}", ttl.in_short(is_one)));
        format!("{text}{}{deleted}", and_others(all))
    }))
}

/// How many fields change besides the first one; fields that change alike count as one.
fn and_others(all: &[&Because]) -> String {
    and_more(Alike::of(all.iter().filter_map(|because| because.field())).len().saturating_sub(1), "field")
}

/// `, and 2 more fields change`
fn and_more(count: usize, noun: &str) -> String {
    match count {
        0 => String::new(),
        count => format!(", and {}", agreed(count, &format!("more {noun}"), "changes", "change")),
    }
}

/// What it uses and what changed so that the run sees it.
fn seen(job: &Compared) -> impl Iterator<Item = &ChangedUse> {
    job.uses.iter().filter(|found| matches!(found.sees, Sees::New | Sees::OldAtFirst))
}

/// `ConfigMap `app`, which it uses, changes`; none if nothing does.
fn reason_beside(job: &Compared) -> Option<[String; 2]> {
    let first = seen(job).next()?;
    let more = and_more(seen(job).count() - 1, "object");
    let (kind, name) = (&first.kind, base_name(first));
    Some(["it uses", "they use"].map(|uses| format!("{kind} `{name}`, which {uses}, changes{more}")))
}

/// `in PreSync`, `in Sync wave 2`; empty for what is in no phase.
fn when_it_runs(job: &Compared) -> String {
    match job.moment {
        Some(moment) if moment.wave == 0 => format!("in {}", moment.phase.as_str()),
        Some(moment) => format!("in {moment}"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use deployment::Owner;

    use super::Whose;

    #[test]
    fn applications_of_one_name_are_told_apart_in_few_words() {
        let whose = |way: &[&str]| Whose {
            way: way.iter().map(|step| (*step).to_owned()).collect(),
            origin: "shop.yaml".to_owned(),
            owner: Owner::Application,
        };
        for (ways, names) in [
            (vec![vec!["shop"]], vec!["shop"]),
            (vec![vec!["root", "shop"], vec!["root", "shop"]], vec!["shop (shop.yaml)", "shop (shop.yaml)"]),
            (
                vec![vec!["clusters/lab/apps", "set", "shop"], vec!["clusters/dev/apps", "set", "shop"]],
                vec!["shop (lab)", "shop (dev)"],
            ),
            (
                vec![vec!["apps (values-prod.yaml)", "shop"], vec!["apps (values-test.yaml)", "shop"]],
                vec!["shop (values-prod.yaml)", "shop (values-test.yaml)"],
            ),
            (vec![vec!["a/b", "shop"], vec!["a", "shop"]], vec!["shop (a/b)", "shop (a)"]),
            (vec![vec!["a", "shop"], vec!["shop"]], vec!["a → shop", "shop (shop.yaml)"]),
            (vec![vec!["a", "b", "shop"], vec!["c", "d", "shop"]], vec!["a → b → shop", "c → d → shop"]),
        ] {
            let all: Vec<Whose> = ways.iter().map(|way| whose(way)).collect();
            let all: Vec<&Whose> = all.iter().collect();
            let told: Vec<String> = all.iter().map(|one| one.among(&all)).collect();
            assert_eq!(told, names);
        }
    }
}

//! Why a sync does something with an object.

use kube_jobs::argocd::Waits;
use kube_jobs::kubernetes::{Alike, Difference, Image};
use lint::survey::sync_order::Absence;
use preview::{
    AtDeletion, Because, Condition, Differs, Failure, ForecastRow, Held, Leftover, Reason, Rejection, VersionChange,
    When,
};

use super::live;
use super::used::used;

/// The most reasons of a row.
const MOST: usize = 5;

/// The reasons of a row as one text; with `all` each in full.
pub(crate) fn why(row: &ForecastRow, all: bool) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut fields = fields(row, all).into_iter();
    let is_now = row.why.contains(&Reason::Because(Because::EverySync));
    let mut is_immutable = false;
    for reason in &row.why {
        let texts: Vec<String> = match reason {
            // All fields are named at the place of the first one.
            Reason::Because(Because::Field(_)) => fields.by_ref().collect(),
            Reason::Cadence(_) if is_now => Vec::new(),
            reason => words(reason, all).into_iter().collect(),
        };
        for text in texts {
            match parts.last_mut().filter(|_| is_immutable) {
                Some(immutable) => *immutable = format!("{immutable}: {text}"),
                None => parts.push(text),
            }
            is_immutable = *reason == Reason::Immutable;
        }
    }
    parts.extend(row.held.as_ref().map(waiting));
    let hidden = if all { 0 } else { parts.len().saturating_sub(MOST) };
    parts.truncate(parts.len() - hidden);
    if hidden > 0 {
        parts.push(format!("{hidden} more (`--all`)"));
    }
    parts.join("; ")
}

/// The changed fields, images first; fields that change alike together.
fn fields(row: &ForecastRow, all: bool) -> Vec<String> {
    let fields =
        || row.why.iter().filter_map(|reason| if let Reason::Because(one) = reason { Some(one) } else { None });
    if all {
        return fields().filter_map(Because::field).map(|field| format!("{field:#}")).collect();
    }
    let fields: Vec<&Difference> = fields().filter_map(Because::field).collect();
    let (images, others): (Vec<&Difference>, Vec<&Difference>) =
        fields.into_iter().partition(|field| field.image().is_some());
    let mut texts: Vec<String> = Vec::new();
    let (of_init, of_job): (Vec<&Difference>, Vec<&Difference>) =
        images.iter().partition(|field| field.is_of_init_container());
    for text in of_job.iter().filter_map(|field| image(field)) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    // That of an init container is not the Job's, but often the same.
    for text in of_init.iter().filter_map(|field| image(field)) {
        let named = format!("init {text}");
        if !texts.contains(&text) && !texts.contains(&named) {
            texts.push(named);
        }
    }
    texts.extend(Alike::of(others).iter().map(ToString::to_string));
    texts
}

/// ``image `shop`: `1.4.1` → `1.4.2` ``; both as a whole if they are different images.
fn image(field: &Difference) -> Option<String> {
    let (whole, new) = field.image()?;
    let (old, new) = Image::change(whole, new);
    let repository = Image::of(whole).repository;
    let name = if old == whole { String::new() } else { format!(" `{}`", repository.rsplit('/').next()?) };
    Some(format!("image{name}: `{old}` → `{new}`"))
}

/// `Deployment api and 2 more wait for it`
pub(crate) fn waiting(Held { first: (kind, name), more }: &Held) -> String {
    match more {
        0 => format!("{kind} {name} waits for it"),
        more => format!("{kind} {name} and {more} more wait for it"),
    }
}

/// What an object without a name lacks.
const NEEDS_A_HOOK: &str = "a `generateName` needs a hook";

/// Why the API server refuses to replace a Job.
const REPLACED_ALONE: &str = "`Replace=true` without `Force=true` is rejected for every live Job";

/// One reason, with `all` in full; none if the outcome says it.
pub(crate) fn words(reason: &Reason, all: bool) -> Option<String> {
    Some(match reason {
        Reason::New => "new".to_owned(),
        Reason::Cadence(when) => when.to_string(),
        Reason::Differs(Differs { place: Some(place), .. }) => format!("it differs each time ({place})"),
        Reason::Differs(_) => "it differs each time".to_owned(),
        Reason::FromNowOn(when) => return from_now_on(when),
        Reason::Immutable => "`field is immutable`".to_owned(),
        Reason::ReplaceAlone => REPLACED_ALONE.to_owned(),
        Reason::Fields(fields) => format!("immutable: `{}`", fields.join("`, `")),
        Reason::NoName => NEEDS_A_HOOK.to_owned(),
        Reason::Because(Because::EverySync) => "at every sync now".to_owned(),
        Reason::Because(because) => because.to_string(),
        Reason::Uses(found) => used(found, all),
        Reason::InPlace => "changed in place".to_owned(),
        Reason::Unseen => "Argo CD does not see the change".to_owned(),
        Reason::Never(why) => never(*why).to_owned(),
        Reason::Rejected(why) => rejected(*why).to_owned(),
        Reason::Collides => {
            "it is applied while the sync still deletes the object of its name that is not a hook".to_owned()
        }
        Reason::Trapped => {
            "the sync prunes an object of its name that is not a hook, and Argo CD takes that for the run of the hook; the sync after it runs the hook"
                .to_owned()
        }
        // The outcome and the end say it.
        Reason::Halted(_) => return None,
        Reason::AfterFailure => "the sync fails".to_owned(),
        Reason::Left(leftover) => left(*leftover).to_owned(),
        Reason::If(condition) => self::condition(*condition),
        Reason::Otherwise(failure) => format!("a sync that reaches it fails{}", otherwise(failure)),
        Reason::AtDeletion(at) => at_deletion(*at)?.to_owned(),
        Reason::NotAwaited(Waits::OnlyWith(place)) => {
            format!("the sync waits for it only with the health check in {place}")
        }
        Reason::NotAwaited(_) => "the sync does not wait for it: no health check".to_owned(),
        Reason::NotCreatedBefore => "could not be created before".to_owned(),
        Reason::InNoSyncBefore => "ran in no sync before".to_owned(),
        Reason::Version(change) => version(*change),
        Reason::Live(reason) => live::words(reason),
    })
}

/// What the new version of Argo CD does differently.
fn version(change: VersionChange) -> String {
    let does = change.fact.concerns(change.is_gained);
    if change.is_assumed { format!("if the Application has `ServerSideApply=true`: {does}") } else { does.to_owned() }
}

/// What follows `new`.
fn from_now_on(when: &When) -> Option<String> {
    Some(match when {
        When::OncePerContent | When::FailedSync | When::Never(_) | When::Rejected(_) => return None,
        When::EveryFullSync(_) | When::EverySync | When::EveryRendering(_) => format!("from now on {when}"),
        When::Baseline => "a baseline has an effect only when it is live".to_owned(),
        When::OnceForAll => "its next change fails".to_owned(),
        When::Once => "a later sync changes it in place".to_owned(),
        When::OncePerName => "unless an earlier one of its name is left; again after a failed sync".to_owned(),
        When::AfterItsTtl { ttl, is_healed: false } => format!("again at each sync after its TTL ({ttl} s)"),
        When::AfterItsTtl { is_healed: true, .. } => format!("then {when}"),
        When::WhenRefused => "again when a change replaces it".to_owned(),
        When::FailsUnchanged(then) if **then == When::OnceForAll => "every later sync fails".to_owned(),
        When::FailsUnchanged(_) => "a later sync that does not change it fails".to_owned(),
        When::Suspended(then) => format!("then {then}"),
    })
}

fn at_deletion(at: AtDeletion) -> Option<&'static str> {
    match at {
        AtDeletion::Nothing => None,
        AtDeletion::HasRun => Some("not when the Application is deleted"),
        AtDeletion::Runs => Some("also when the Application is deleted"),
        AtDeletion::RunsAfterResources => Some("also when the Application is deleted with its resources"),
    }
}

fn never(why: Absence) -> &'static str {
    match why {
        Absence::Deletion => "only when the Application is deleted",
        Absence::Skip => "the hook type is `Skip`",
        Absence::NoValidType => "Argo CD does not know the hook type",
        Absence::HelmTest => "only `helm test` runs it",
        Absence::Repeated => "Argo CD takes the last of several with the same name",
    }
}

fn rejected(why: Rejection) -> &'static str {
    match why {
        Rejection::Invalid | Rejection::InComparison => "the API server rejects it",
        Rejection::GenerateName => NEEDS_A_HOOK,
        Rejection::ForceOnServer => "`Force=true` without `Replace=true` is rejected with server-side apply",
    }
}

/// Why a sync fails, as the end of a sentence.
fn otherwise(failure: &Failure) -> String {
    match failure {
        Failure::Immutable(_) => " with `field is immutable`".to_owned(),
        Failure::GenerateName => format!(": {NEEDS_A_HOOK}"),
        Failure::ReplaceAlone => format!(": {REPLACED_ALONE}"),
    }
}

fn left(leftover: Leftover) -> &'static str {
    match leftover {
        Leftover::Pruned => "the sync deletes it",
        Leftover::IfPruned => "a sync with prune deletes it",
        Leftover::Left => "until somebody prunes (prune is off)",
        Leftover::Kept => "`Prune=false`",
        Leftover::OutOfSync => "`Prune=false`; the Application is OutOfSync",
        Leftover::Confirmed => "until somebody confirms its deletion (`Prune=confirm`)",
        Leftover::Hook => "until you delete it: it is a hook, which no sync prunes",
        Leftover::Nothing => "nothing is left of it",
        Leftover::WithApplication => "with the Application",
        Leftover::WithoutApplication => "without the Application",
        Leftover::RunsAtDeletion => "which the change does",
        Leftover::HasRun => "at the deletion of the Application, the hook of the last sync counts as the run",
        Leftover::CannotRun => "the deletion of the Application hangs: the hook is rendered from a folder that is gone",
    }
}

fn condition(condition: Condition) -> String {
    match condition {
        Condition::EarlierStays => "the earlier Job stays (`Prune=false`), and the Application is OutOfSync".to_owned(),
        Condition::EarlierIsConfirmed => {
            "the sync waits until somebody confirms the deletion of the earlier Job (`Prune=confirm`)".to_owned()
        }
        Condition::EndedBefore(ttl) => format!(
            "if the earlier Job ended more than {ttl} s ago, its new TTL deletes it at once: the sync may fail, and the next one runs it again"
        ),
        Condition::ThereIsIdle => "if the earlier Job is still there, it does not run".to_owned(),
        Condition::ThereFails => {
            "if the earlier Job is still there, the sync fails with `field is immutable`".to_owned()
        }
        Condition::ThereInPlace => {
            "if the earlier Job is still there, it is changed in place and does not run".to_owned()
        }
        Condition::Expired => "if its TTL has deleted the earlier Job, it runs".to_owned(),
        Condition::Deleted => "if the Job of the last sync has been deleted, it runs".to_owned(),
        Condition::FailedSince => "if a sync has failed since the last one, it runs".to_owned(),
    }
}

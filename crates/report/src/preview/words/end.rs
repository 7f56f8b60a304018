//! How a sync ends that fails or waits.

use preview::{End, Halt, Rest, Stop, WayOut};
use text::plural;

/// Sentences about the end and about what has to happen.
pub(crate) fn end(end: &End) -> String {
    let until = match &end.way_out {
        WayOut::Confirm => "Waits until somebody confirms the pruning (`argocd app confirm-deletion`).".to_owned(),
        WayOut::Resume => "Waits until somebody resumes the Job or terminates the sync.".to_owned(),
        WayOut::NextSyncAfterPruning => {
            "The next sync runs the hook: by then, the earlier object is gone. Or add the delete policy `BeforeHookCreation`."
                .to_owned()
        }
        WayOut::NextSyncAfterFailure => {
            "The next sync runs the Job: this one deletes it, because it has failed (`HookFailed`).".to_owned()
        }
        WayOut::Change { is_wrong, is_replaced, jobs, others } => {
            format!("Fails until {}.", until(*is_wrong, *is_replaced, *jobs, *others))
        }
        WayOut::Unknown => return ends(end.stop),
    };
    let rest = end.rest.and_then(|rest| self::rest(rest, end.stop));
    rest.map_or(until.clone(), |rest| format!("{until} {rest}"))
}

fn until(is_wrong: bool, is_replaced: bool, jobs: usize, others: usize) -> String {
    let deleted = match (jobs, others) {
        (0, 0) if is_replaced => return "`Replace=true` is removed".to_owned(),
        (0, 0) => return "the manifest is corrected".to_owned(),
        (1, 0) => "the Job is deleted".to_owned(),
        (jobs, 0) => format!("the {jobs} Jobs are deleted"),
        (0, 1) => "the object is deleted".to_owned(),
        (jobs, others) => format!("the {} objects are deleted", jobs + others),
    };
    match (is_wrong, is_replaced) {
        (true, _) => format!("the manifest is corrected and {deleted}"),
        (false, true) => format!("`Replace=true` is removed and {deleted}"),
        (false, false) => format!("the change is reverted or {deleted}"),
    }
}

/// What happens to the other objects; none if there is no other.
fn rest(rest: Rest, stop: Stop) -> Option<String> {
    let Some(moment) = stop.moment else { return Some("Nothing is applied.".to_owned()) };
    let (until, after) =
        if stop.why == Halt::Confirmation { ("before", "from then on") } else { ("up to", "after it") };
    match (rest.applied, rest.left_out) {
        (0, 0) => None,
        (0, _) => Some("Nothing else is applied.".to_owned()),
        (_, 0) => Some("Everything else is applied.".to_owned()),
        (_, left_out) => {
            let (objects, are) = (plural(left_out, "object"), if left_out == 1 { "is" } else { "are" });
            Some(format!("Everything else {until} {moment} is applied; {objects} {after} {are} not."))
        }
    }
}

/// Where a sync of one version ends or waits, and what it does not apply.
fn ends(stop: Stop) -> String {
    let Some(moment) = stop.moment else {
        let what = if stop.why == Halt::Comparison { "comparison" } else { "sync" };
        return format!("The {what} fails before anything is applied.");
    };
    let place = match stop.why {
        Halt::Comparison | Halt::Failure => format!("The sync fails in {moment}"),
        Halt::Suspended => format!("The sync waits in {moment} for a suspended Job"),
        Halt::Confirmation => {
            format!("The sync waits before {moment} until somebody confirms the pruning (`Prune=confirm`)")
        }
    };
    match stop.why {
        Halt::Confirmation => format!("{place}: nothing in or after {moment} is applied."),
        _ => format!("{place}: nothing after it is applied."),
    }
}

//! What becomes of the rest of a sync that fails or waits, and what has to happen for a sync to succeed.

use preview::{Compared, Comparison, Failure, Halt, Stop, Until, Verdict};
use text::plural;

/// The sentences; none if the sync neither fails nor waits.
pub(super) fn next_step(comparison: &Comparison) -> Option<String> {
    let stop = comparison.stop?;
    let until = match stop.why {
        Halt::Confirmation => {
            "The sync waits until somebody confirms the pruning (`argocd app confirm-deletion`).".to_owned()
        }
        Halt::Suspended => "The sync waits until somebody resumes the Job or terminates the sync.".to_owned(),
        Halt::Failure if only_collides(comparison) => {
            "The next sync runs the Job: by then, the earlier one is gone. Or add the delete policy `BeforeHookCreation`.".to_owned()
        }
        Halt::Failure if only_gates(comparison) => {
            "The next sync runs the Job: this one deletes it, because it has failed (`HookFailed`).".to_owned()
        }
        Halt::Failure | Halt::Comparison => format!("Every later sync fails too, until somebody {}.", remedy(comparison)),
    };
    let sentences: Vec<String> = rest(comparison, stop).into_iter().chain([until]).collect();
    Some(sentences.join(" "))
}

/// What becomes of the other objects; none if there is no other.
fn rest(comparison: &Comparison, stop: Stop) -> Option<String> {
    let Some(moment) = stop.moment else { return Some("Nothing is applied.".to_owned()) };
    let (until, after) =
        if stop.why == Halt::Confirmation { ("before", "from then on") } else { ("up to", "after it") };
    match (comparison.rest.applied, comparison.rest.left_out) {
        (0, 0) => None,
        (0, _) => Some("Nothing else is applied.".to_owned()),
        (_, 0) => Some("Everything else is applied all the same.".to_owned()),
        (_, left_out) => {
            let (objects, are) = (plural(left_out, "object"), if left_out == 1 { "is" } else { "are" });
            Some(format!("Everything else {until} {moment} is applied; {objects} {after} {are} not."))
        }
    }
}

/// Whether nothing makes the sync fail but one hook that cannot be changed, and that the failed sync deletes.
fn only_gates(comparison: &Comparison) -> bool {
    let mut failing =
        comparison.jobs.iter().map(|job| (job, job.verdict.otherwise())).filter(|(_, one)| one.is_an_error());
    let is_gate = |(job, verdict): (&Compared, &Verdict)| {
        matches!(verdict, Verdict::Fails(_)) && job.until == Some(Until::FailedSync)
    };
    comparison.refused.is_empty() && failing.next().is_some_and(is_gate) && failing.next().is_none()
}

/// Whether nothing makes the sync fail but hooks that are applied while the sync deletes the objects of their names.
fn only_collides(comparison: &Comparison) -> bool {
    let mut verdicts = comparison.jobs.iter().map(|job| job.verdict.otherwise());
    comparison.refused.is_empty() && !verdicts.any(|one| one.is_rejected() || matches!(one, Verdict::Fails(_)))
}

/// What has to happen for a sync to succeed.
fn remedy(comparison: &Comparison) -> String {
    let refused = comparison.refused.iter().filter(|one| !one.fields.is_empty()).count();
    let is_failing = |job: &&Compared| matches!(job.verdict.otherwise(), Verdict::Fails(_));
    let failing: Vec<&Compared> = comparison.jobs.iter().filter(is_failing).collect();
    let is_any = |is_meant: &dyn Fn(&Compared) -> bool| failing.iter().any(|job| is_meant(job));
    let is_random =
        |job: &Compared| job.findings.iter().any(|index| comparison.findings[*index].finding.rule.id == "random-value");
    let is_wrong = comparison.jobs.iter().any(|job| job.verdict.otherwise().is_rejected())
        || comparison.refused.len() > refused
        || is_any(&is_random);
    let deleted = match (failing.as_slice(), refused) {
        ([], 0) => String::new(),
        ([job], 0) => format!("deletes this {} in the cluster: then a sync creates and runs it", job.kind.name),
        (_, 0) => "deletes these Jobs in the cluster: then a sync creates and runs them".to_owned(),
        ([], 1) => "deletes this object in the cluster: then a sync creates it".to_owned(),
        _ => "deletes these objects in the cluster: then a sync creates them".to_owned(),
    };
    match deleted.as_str() {
        "" => "corrects the manifest".to_owned(),
        _ if is_wrong => format!("corrects the manifest and {deleted}"),
        _ if is_any(&|job| job.as_written == Some(Failure::ReplaceAlone) && !job.is_prevented) => {
            format!("removes `Replace=true` and {deleted}")
        }
        _ => format!("takes the change back, or {deleted}"),
    }
}

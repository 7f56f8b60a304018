//! The questions of a preview, asked of whole versions: the report, the comparison with a base, and what a sync does in a cluster.

use lint::{Analysis, Finding, Known, State};
use rewrite::settings;
use text::{Message, Time};

use crate::cluster::judge as judge_snapshot;
use crate::compare::compare as compare_snapshots;
use crate::{Cluster, Comparison, Judged, NewOrOld, Report, Snapshot, report_of};

/// Compares a version with `base`: what changes for the Jobs, and which findings are new. Takes the findings out of `new`. `base` may
/// have problems; the readable part of it is compared. `new` must come from [`Analysis::to_compare`], and `base` and `known` from
/// [`Analysis::as_base`].
pub fn compare(new: &mut Analysis<'_>, base: &Analysis<'_>, mut known: Known) -> Result<Comparison, settings::Error> {
    let mut findings = new.take_findings()?;
    findings.retain(|finding| finding.state == State::Open);
    let new_or_old = |finding: Finding| NewOrOld {
        is_new: known.is_new(&finding, &new.survey),
        is_due: false,
        is_over: false,
        finding,
    };
    let findings = findings.into_iter().map(new_or_old).collect();
    let (old_report, new_report) = (report(base), report(new));
    Ok(compare_snapshots(snapshot(base, &old_report), snapshot(new, &new_report), findings))
}

/// The report for a preview, with the findings about each Job.
pub fn report(analysis: &Analysis<'_>) -> Report {
    report_of(&analysis.survey, analysis.version.settings.output.argocd_version, analysis.found())
}

/// What a sync does to the Jobs of a cluster; `now` is the time from which ages are counted. Fails if it is unknown in which namespace a Job of the
/// source is.
pub fn judge(analysis: &Analysis<'_>, cluster: &Cluster, now: Option<&Time>) -> Result<Judged, Message> {
    judge_snapshot(snapshot(analysis, &report(analysis)), cluster, now)
}

pub(crate) fn snapshot<'r>(analysis: &'r Analysis<'_>, report: &'r Report) -> Snapshot<'r> {
    Snapshot { survey: &analysis.survey, report, argocd_version: analysis.version.settings.output.argocd_version }
}

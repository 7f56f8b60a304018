//! For programs: what becomes of the Jobs and other hooks from another version to this one.

use goyaml::Value;
use goyaml::json::{self, Form};
use kube_jobs::kubernetes::Difference;
use lint::survey::sync_order::Moment;
use preview::{AutoSync, Because, Compared, Comparison, Failure, Refused, Start, Step, Verdict};
use serde::Serialize;

use super::{Found, Named, Policy, Runs, VERSION, found, runs};
use crate::json::to_json;
use crate::preview::against;
use crate::preview::answer::Answer;
use crate::preview::uses::{self, Use};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Against<'p> {
    version: u32,
    base: &'p str,
    jobs: Vec<AgainstJob<'p>>,
    auto_sync: &'static str,
    auto_sync_starts: &'p [Start],
    #[serde(skip_serializing_if = "<[Refused]>::is_empty")]
    refused_updates: &'p [Refused],
    order: &'p [Step],
    findings: Vec<Found<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sync_policy: Option<Policy<'p>>,
    next_sync: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    goes_back_to: Option<&'p str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgainstJob<'p> {
    #[serde(flatten)]
    named: Named<'p>,
    verdict: &'static str,
    text: String,
    runs: Option<Runs>,
    changed: Vec<Changed>,
    as_written: Option<AsWritten>,
    moment: Option<Moment>,
    findings: Vec<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    blocked: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<Use<'p>>,
}

/// Prints a comparison.
pub fn print_against(comparison: &Comparison, named: &str) -> String {
    to_json(&Against {
        version: VERSION,
        base: named,
        jobs: comparison.jobs.iter().map(|job| against_job(job, comparison)).collect(),
        auto_sync: auto_sync(&comparison.auto_sync()),
        auto_sync_starts: &comparison.starts,
        refused_updates: &comparison.refused,
        order: &comparison.steps,
        findings: comparison.findings.iter().map(|one| found(&one.finding, Some(one.is_new))).collect(),
        sync_policy: comparison.sync.as_deref().map(Policy::of),
        next_sync: Answer::of_comparison(comparison, None).text(1),
        goes_back_to: comparison.goes_back_to.as_deref(),
    })
}

fn auto_sync(auto_sync: &AutoSync) -> &'static str {
    match auto_sync {
        AutoSync::Starts => "starts",
        AutoSync::Anyway => "starts-anyway",
        AutoSync::IfAutomated | AutoSync::IfAutomatedAnyway => "starts-if-automated",
        AutoSync::IfPruned => "starts-if-pruned",
        AutoSync::After(_) | AutoSync::WithRoot(_) => "starts-after-another",
        AutoSync::ByStep(_) => "starts-in-a-step",
        AutoSync::InWindows(..) => "starts-in-a-sync-window",
        AutoSync::UnlessIgnored(_) => "starts-unless-ignored",
        AutoSync::Manual => "manual",
        AutoSync::NotAllowed(_) => "sync-windows-deny-it",
        AutoSync::KeptOut(_) => "manifest-generate-paths-keep-it-out",
        AutoSync::PruneOff => "prune-is-off",
        AutoSync::AllowEmptyOff => "allow-empty-is-off",
        AutoSync::ComparisonFails => "comparison-fails",
        AutoSync::NothingChanged => "nothing-changed",
        AutoSync::Gone => "application-is-gone",
    }
}

fn against_job<'p>(job: &'p Compared, comparison: &'p Comparison) -> AgainstJob<'p> {
    let (verdict, when) = match job.verdict.otherwise() {
        Verdict::New(when) => ("new", Some(when)),
        Verdict::Gone(_) => ("gone", None),
        Verdict::Resumes(_) => ("resumes", None),
        Verdict::RunsAgain(_) => ("runs-again", None),
        Verdict::EverySync { when, .. } => ("every-sync", Some(when)),
        Verdict::Fails(_) | Verdict::Collides(_) => ("fails", None),
        Verdict::DoesNotRun { when, .. } => ("does-not-run", Some(when)),
        Verdict::Trapped(_) | Verdict::Blocked(..) | Verdict::AfterFailure(_) => ("does-not-run", None),
    };
    let is_blocked = matches!(job.verdict, Verdict::Blocked(..));
    let verdict = match job.verdict {
        Verdict::Blocked(..) => "does-not-run",
        Verdict::AfterFailure(_) => "after-failure",
        _ => verdict,
    };
    AgainstJob {
        named: Named {
            place: &job.place,
            kind: &job.kind,
            namespace: job.namespace.as_deref(),
            name: &job.name,
            new_name: &job.emitted,
        },
        verdict,
        text: against::verdict(job),
        runs: when.map(runs),
        changed: job.verdict.otherwise().changed().iter().map(reason).collect(),
        as_written: job.as_written.as_ref().map(AsWritten::of),
        moment: job.moment,
        findings: job.findings.iter().map(|index| comparison.findings[*index].finding.rule.id).collect(),
        blocked: is_blocked,
        uses: uses::of(job),
    }
}

/// Why the sync fails without this program.
#[derive(Serialize)]
struct AsWritten {
    fails: &'static str,
    fields: Vec<Changed>,
}

/// A field that changed, or another reason, which has only a text.
#[derive(Serialize)]
struct Changed {
    field: Option<String>,
    old: Option<serde_json::Value>,
    new: Option<serde_json::Value>,
    text: String,
}

impl AsWritten {
    fn of(failure: &Failure) -> Self {
        match failure {
            Failure::Immutable(found) => Self { fails: "immutable", fields: found.iter().map(field).collect() },
            Failure::GenerateName => Self { fails: "generate-name", fields: Vec::new() },
            Failure::ReplaceAlone => Self { fails: "replace-without-force", fields: Vec::new() },
        }
    }
}

fn reason(because: &Because) -> Changed {
    match because {
        Because::Field(difference) => field(difference),
        other => Changed { field: None, old: None, new: None, text: other.to_string() },
    }
}

fn field(difference: &Difference) -> Changed {
    let value = |value: &Option<Value>| {
        value.as_ref().and_then(|value| serde_json::from_str(&json::print(value, Form::Stream)).ok())
    };
    Changed {
        field: Some(difference.path.to_string()),
        old: value(&difference.old),
        new: value(&difference.new),
        text: difference.to_string(),
    }
}

//! What chose the strategy of a Job, in words.

use rewrite::plan::JobPlan;
use rewrite::settings::{Id, Provenance};
use rewrite::strategy::{LeftAlone, Reason};

/// The setting or the rule that chose the strategy, short enough for a column.
pub fn chosen(job: &JobPlan) -> String {
    let setting = job.settings.get(Id::Strategy);
    match job.outcome.decision.reason {
        Reason::LeftAlone(why) => left_alone(why).to_owned(),
        Reason::Setting => setting.map_or_else(|| "auto".to_owned(), |setting| by(&setting.by)),
        Reason::ArgocdHook => "auto: is a hook".to_owned(),
        Reason::HelmHook => "auto: is a Helm hook".to_owned(),
        Reason::GenerateName => "auto: generateName".to_owned(),
        Reason::NoGeneratedName => "auto: no generated name".to_owned(),
        Reason::Force => "auto: `Force=true`".to_owned(),
        Reason::Ordinary => "auto".to_owned(),
    }
}

fn left_alone(why: LeftAlone) -> &'static str {
    match why {
        LeftAlone::Skip => "left alone: `hook: Skip`",
        LeftAlone::NoValidType => "left alone: unknown hook",
        LeftAlone::DeleteHook => "left alone: delete hook",
        LeftAlone::Gate => "left alone: a gate",
        LeftAlone::Owned => "left alone: has an owner",
        LeftAlone::Patch => "left alone: a patch",
    }
}

fn by(by: &Provenance) -> String {
    match by {
        Provenance::Annotation(_) => "its annotation".to_owned(),
        Provenance::ConfigFile { at, .. } => format!("{}:{at}", rewrite::settings::CONFIG_FILE),
        Provenance::CommandLine(name) if name.starts_with('-') => format!("`{name}`"),
        Provenance::CommandLine(name) => format!("`--set {name}`"),
        Provenance::Native => "no plugin".to_owned(),
        Provenance::ApplicationParameter(_) => "the Application's parameter".to_owned(),
        Provenance::Locked(name) => format!("`{name}`, locked"),
        Provenance::Sidecar(name) | Provenance::ApplicationEnvironment(name) => format!("`{name}`"),
    }
}

//! `random-value`

use goyaml::Path;
use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Job;
use rewrite::manifest::LeftOut;
use rewrite::plan::ProblemKind;
use rewrite::strategy::Strategy;
use text::{Help, few, visible};

use crate::survey::{ObjectState, Random, RandomValue};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "random-value",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job that differs at every rendering: it runs at each commit, or every sync fails",
    why: "Argo CD renders a chart at each commit, and again when its cache is refreshed or expires. Functions such as \
          `randAlphaNum`, `genCA`, `uuidv4`, `htpasswd` and `now` return a different value each time, and `lookup` finds nothing, \
          because `helm template` does not ask a cluster. So the Job differs although nobody has changed it. Under `hash-name` it gets a new \
          name and runs again; without the plugin the sync fails with `field is immutable`, or, if the name differs, the Job runs again. A \
          hook runs with a different value each time.\n\n\
          `check` and `preview` render a chart a second time if its files call such a function, and a third time, with the clock more than \
          a year ahead, if they call `now`. `generate` renders it once and warns on standard error; with the parameter `allow-random: false` \
          it renders as `check` does, and refuses such a Job. In the output, `random` or `1` replaces the value that differs. Other objects \
          that differ are not reported as findings, but they make the Application OutOfSync after each rendering, and a preview says so.",
    fix: "Set the value yourself: by a value of the chart, or in a Secret that the Job reads with `secretKeyRef`. Charts often have a value such as \
          `existingSecret` for it. For a Job that is to run at every sync, use a hook.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#random-data",
    example: super::example!("random-value").differing("x7k2p9").note(
        "The template of the wrong one has `{{ randAlphaNum 6 }}`. The right one reads a value that stays the same.",
    ),
    check: Check::ObjectsOrProblem(check, &[ProblemKind::Random]),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.applied_jobs().filter_map(|(index, job)| of_job(context, index, job)).collect()
}

fn of_job(context: &Context<'_>, index: usize, job: &Job) -> Option<Diagnostic> {
    let values = context.survey.random_values(index);
    let (RandomValue { part, object, path, is_dated }, more) = values.split_first()?;
    let (level, then) = then(context, index, job, *part);
    let differs = if *is_dated { "differs on another day" } else { "differs at every rendering" };
    let what = match context.survey.objects[*object].on(context.side).map(ObjectState::object) {
        Some(other) if *object != index => {
            let name = other.name().unwrap_or_default();
            format!("{} `{name}`, whose data is part of the Job's hash (`hash-references`),", other.kind())
        }
        _ if path.steps().is_empty() => "the Job".to_owned(),
        _ => format!("`{path}`"),
    };
    let more = match more.len() {
        0 => String::new(),
        1 => ", and so does 1 other value".to_owned(),
        count => format!(", and so do {count} other values"),
    };
    let message = format!("{what} {differs}{more}: {then}");
    let of_copies = help_about_copies(context, *object);
    let help = of_copies.unwrap_or_else(|| match part {
        Random::Name if job.is_hook() => Help::from(
            "give the hook a name that stays: each sync then deletes the old one, and creates and runs it again",
        ),
        Random::Name => Help::from("give the Job a name that stays, or make it a hook if it is to run at every sync")
            .with_plugin("the strategy `hash-name` adds a hash of its content to the name"),
        _ => "set it by a value, or read it from a Secret that is not rendered; in Argo CD, `lookup` finds nothing"
            .into(),
    });
    let found = Diagnostic::at(index, path.clone(), message, help).at_level(level);
    Some(if *object == index { found } else { found.with(*object, Path::default()) })
}

/// The help for a chart with a dependency that helm finds more than once: the Jobs of the copies can differ.
fn help_about_copies(context: &Context<'_>, object: usize) -> Option<Help> {
    let survey = context.survey;
    let manifest = &survey.manifests[survey.objects[object].address?.manifest];
    let copies = manifest.without.iter().find_map(|part| match part {
        LeftOut::Copies { all, .. } => Some(all),
        LeftOut::Dependency(_) | LeftOut::Generator { .. } | LeftOut::Schema => None,
    })?;
    let copies: Vec<String> = copies.iter().map(|path| format!("`{path}`")).collect();
    let help =
        format!("first remove all but one of {}: Helm takes any of them, each time another one", few(&copies, NAMES));
    Some(visible(&help).into_owned().into())
}

/// The most copies that are named.
const NAMES: usize = 4;

/// The effect on the Job, and its severity.
fn then(context: &Context<'_>, index: usize, job: &Job, random: Random) -> (Level, &'static str) {
    let is_in_a_sync = job.phases().iter().any(|phase| *phase != Phase::SyncFail);
    let has = |option| job.has_sync_option(option);
    match (context.strategy(index), random) {
        _ if job.is_hook() && context.survey.source(index).has_trigger() && is_in_a_sync => {
            (Level::Error, "each such rendering starts a sync, in which the Job runs")
        }
        _ if job.is_hook() && random == Random::Name => (Level::Warning, "it then runs under another name"),
        (Some(Strategy::Hook | Strategy::GenerateName), _) => (Level::Warning, "it then runs with another value"),
        _ if job.is_hook() => (Level::Warning, "it then runs with another value"),
        (_, Random::Changeable) => (Level::Warning, "the Application is OutOfSync after each such rendering"),
        (Some(Strategy::HashName), _) | (_, Random::Name) => {
            (Level::Error, "each such rendering makes another Job of it, which runs")
        }
        _ if has("Force=true") => (Level::Error, "it runs after each such rendering"),
        _ => (Level::Error, "once it has run, every sync fails with `field is immutable`"),
    }
}

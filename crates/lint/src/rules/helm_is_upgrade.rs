//! `helm-is-upgrade`

use std::collections::{BTreeMap, BTreeSet};

use goyaml::path;
use kube_jobs::kubernetes::{Object, diff};
use rewrite::manifest::FixedValue;
use text::{Place, plural};

use crate::survey::{ObjectState, Random, Survey, Upgraded};
use crate::{Check, Context, Diagnostic, Finding, Level, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "helm-is-upgrade",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a Job or hook that a chart prints only for an upgrade, or only for an installation",
    why: "Argo CD renders a chart with `helm template`, and never with `--is-upgrade` (`template` in `util/helm/cmd.go`): `.Release.IsInstall` is \
          always true and `.Release.IsUpgrade` always false (argo-cd #7637). A Job for upgrades never exists, and a hook for installations runs at \
          every sync.\n\n\
          `check` and `preview` render such a chart once more, with `--is-upgrade`, and compare the Jobs and hooks. So a condition that makes no \
          difference is not reported. If the chart cannot be rendered for an upgrade, the finding says where a template asks.",
    fix: "Decide by a value of the chart instead, which the Application sets. A Job that was meant for upgrades alone must then also succeed at the first installation.",
    link: "https://github.com/argoproj/argo-cd/issues/7637",
    example: super::example!("helm-is-upgrade").template("{{ if .Release.IsInstall }}", "{{ if .Values.seed }}"),
    check: Check::Objects(check),
};

/// What makes two objects the same one.
type Identity<'o> = (&'o str, &'o str, Option<&'o str>, Option<&'o str>, &'o str);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let read = context.template_reads(FixedValue::IsUpgrade).map(|(index, _, place)| {
        let message = format!(
            "its template asks for `.Release.IsUpgrade` or `.Release.IsInstall` ({place}): Argo CD always renders an installation, and the chart cannot be \
             rendered for an upgrade to compare"
        );
        Diagnostic::on_name(index, message, HELP).at_level(Level::Info)
    });
    let read: Vec<Diagnostic> = read.collect();
    let survey = context.survey;
    let upgraded = survey.upgraded();
    if upgraded.is_empty() && !survey.manifests.iter().any(|manifest| manifest.upgrade().is_some()) {
        return read;
    }
    let known: BTreeMap<Identity<'_>, &Object> =
        upgraded.iter().map(|one| one.state.object()).map(|object| (identity(object, survey), object)).collect();
    let is_of_chart = |index: usize| {
        let address = survey.objects[index].address;
        address.is_some_and(|address| survey.manifests[address.manifest].upgrade().is_some())
    };
    let found = context.running().filter(|(index, _)| is_of_chart(*index)).filter_map(|(index, _)| {
        let written = survey.objects[index].written.as_deref().map(ObjectState::object)?;
        of_object(context, index, written, known.get(&identity(written, survey)).copied())
    });
    found.chain(read).collect()
}

const HELP: &str = "decide by a value of the chart instead, which the Application sets";

fn of_object(context: &Context<'_>, index: usize, written: &Object, upgraded: Option<&Object>) -> Option<Diagnostic> {
    match upgraded {
        _ if context.survey.random(index) == Some(Random::Name) => None,
        None if written.is_hook() => {
            let message = "the chart prints this hook only for an installation, and Argo CD always renders one: the hook runs at every sync";
            Some(Diagnostic::on_name(index, message, HELP))
        }
        None => {
            let message = "the chart prints this Job only for an installation, and Argo CD always renders one: it stays part of every sync";
            Some(Diagnostic::on_name(index, message, HELP).at_level(Level::Info))
        }
        // What differs at every rendering differs here too.
        Some(_) if !context.survey.differing(index).is_empty() || !written.is_job() => None,
        Some(other) => {
            let differences = diff::differences(written.value(), other.value());
            let (first, more) = differences.split_first()?;
            let more =
                if more.is_empty() { String::new() } else { format!(" and {}", plural(more.len(), "other field")) };
            let message = format!(
                "for an upgrade, the chart prints another `{}`{more}; Argo CD always renders an installation",
                first.path
            );
            Some(Diagnostic::at(index, first.path.clone(), message, HELP).at_level(Level::Info))
        }
    }
}

fn identity<'o>(object: &'o Object, survey: &'o Survey<'_>) -> Identity<'o> {
    (object.group(), object.kind(), object.name(), object.generate_name(), survey.namespace(object))
}

/// The findings about objects that charts print only for an upgrade, so that Argo CD never has them.
pub(crate) fn never_printed(survey: &Survey<'_>) -> Vec<Finding> {
    let upgraded = survey.upgraded();
    if upgraded.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<Identity<'_>> =
        survey.objects.iter().filter_map(|pair| Some(identity(pair.written.as_deref()?.object(), survey))).collect();
    // An object with a name that differs at every rendering is known by the line of its template.
    let line = |place: Place| (place.origin.to_string(), place.at.line);
    let with_random_name = (0..survey.objects.len()).filter(|index| survey.random(*index) == Some(Random::Name));
    let lines: BTreeSet<(String, usize)> =
        with_random_name.filter_map(|index| survey.place(index, &path!["kind"])).map(line).collect();
    let is_missing = |one: &&Upgraded| {
        let object = one.state.object();
        let is_random = || survey.place_of_upgraded(one).is_some_and(|place| lines.contains(&line(place)));
        Context::runs(object) && !known.contains(&identity(object, survey)) && !is_random()
    };
    upgraded.iter().filter(is_missing).map(|one| finding(one, survey)).collect()
}

fn finding(one: &Upgraded, survey: &Survey<'_>) -> Finding {
    let object = one.state.object();
    let (kind, name) = (object.kind(), object.shown_name().unwrap_or_default());
    let message = format!(
        "{kind} `{name}` never runs: the chart prints it only for an upgrade, and Argo CD always renders an installation"
    );
    Finding::new(&RULE, survey.place_of_upgraded(one), message, HELP)
}

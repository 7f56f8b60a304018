//! The reasons why a source that was read may have Jobs that were not found. A comparison prints them.

use kube_jobs::kubernetes::Job;
use render::chart::JobTemplate;
use rewrite::manifest::{LeftOut, Manifest};
use rewrite::settings::{ApplicationSettings, Id, Provenance, Recurse, SourceKind};
use rewrite::version::Version;
use system::PathText;
use text::{few, on_one_line, visible};

use crate::environment::Environment;
use crate::job_change::whole_jobs;
use crate::notes::Notes;
use crate::run::Run;
use crate::target::Target;
use crate::{value_sets, versions};

/// What Argo CD sets in a cluster, for a second rendering of a chart. The name and the namespace of the Application are unlike helm's defaults
/// (`release-name`, `default`): a chart can ask how they begin and end, how long they are, and which characters they have.
const CLUSTER: [(&str, &str); 4] = [
    ("ARGOCD_APP_NAME", "warehouse42"),
    ("ARGOCD_APP_NAMESPACE", OTHER_NAMESPACE),
    ("KUBE_VERSION", "1.34.1"),
    (
        "KUBE_API_VERSIONS",
        "argoproj.io/v1alpha1,argoproj.io/v1alpha1/Application,cert-manager.io/v1,cert-manager.io/v1/Certificate,\
         monitoring.coreos.com/v1,monitoring.coreos.com/v1/ServiceMonitor",
    ),
];

/// The namespace of that Application.
const OTHER_NAMESPACE: &str = "pier9";

/// The most characters that a name can have less in the first rendering, where a chart truncates it: helm's default name is one character longer
/// than that of the Application, its default namespace two, and a chart removes a dash at the new end.
const MOST_TRUNCATED: usize = 4;

/// The reasons, each with its `help:` line; empty if all Jobs are known. `base` is the version to compare with.
pub(crate) fn reasons(target: &Target, version: &Version, base: Option<&Version>, run: &Run) -> Vec<String> {
    let mut reasons = Vec::new();
    let is_plain = version.settings.source == SourceKind::Directory || target.kind() == SourceKind::Directory.as_str();
    if is_plain
        && version.settings.recurse == Recurse::Yes
        && let Some(folder) = target.top().and_then(|top| checkout::missing_submodule(&target.path(), &top))
    {
        let folder = visible(&checkout::clean(&folder).in_slashes()).into_owned();
        reasons.push(format!("the folder `{folder}` is empty, like a submodule that is not checked out\nhelp: run `git submodule update --init`"));
    }
    reasons.extend(stubbed(version));
    if let Some(base) = base {
        reasons.extend(base_reasons(version, base));
        if has_unknown_name(target, version, run) {
            let hidden: Vec<String> =
                value_sets::hidden_changes(target, version, run).iter().map(hidden_reason).collect();
            // The second rendering would say the same.
            let other = if hidden.is_empty() { other_jobs(target, version, run) } else { None };
            reasons.extend(hidden.into_iter().chain(other));
        }
    }
    reasons
}

/// That a changed template prints a Job only for some releases or clusters, or at some time.
fn hidden_reason(job: &JobTemplate) -> String {
    let what = if job.is_job { "a Job" } else { "a hook" };
    let conditions = job.conditions.join(", ");
    let (file, conditions) = (visible(&job.file), visible(&conditions));
    format!(
        "the changed `{file}` prints {what} only where {conditions}\nhelp: name the Application with `--application`, or set ARGOCD_APP_NAME and ARGOCD_APP_NAMESPACE"
    )
}

/// That parts were left out: dependencies of a chart, generators of a kustomization. Without its schema a chart has the same Jobs.
fn stubbed(version: &Version) -> Vec<String> {
    let without = || version.manifests.iter().flat_map(|manifest| &manifest.without);
    let dependencies = without().filter_map(|part| match part {
        LeftOut::Dependency(name) => Some(format!("`{name}`")),
        LeftOut::Copies { .. } | LeftOut::Generator { .. } | LeftOut::Schema => None,
    });
    let generators = without().filter_map(|part| match part {
        LeftOut::Generator { kind, file } => Some(format!("`{kind}` in `{file}`")),
        LeftOut::Copies { .. } | LeftOut::Dependency(_) | LeftOut::Schema => None,
    });
    let copies = without().filter_map(|part| match part {
        LeftOut::Copies { of, all } => Some(copies_reason(of, all)),
        LeftOut::Dependency(_) | LeftOut::Generator { .. } | LeftOut::Schema => None,
    });
    let reason = |names: Vec<String>, nouns: [&str; 2], why: [&str; 2], help: &str| {
        let index = usize::from(names.len() > 1);
        let (noun, why, names) = (nouns[index], why[index], few(&names, NAMES));
        (!names.is_empty())
            .then(|| visible(&format!("rendered without {noun} {names}, {why}")).into_owned() + "\nhelp: " + help)
    };
    let dependencies = reason(
        dependencies.collect(),
        ["the dependency", "the dependencies"],
        ["which is not in `charts`", "which are not in `charts`"],
        "run `helm dependency build` in the folder of the chart, or allow the network with `--network allow`",
    );
    let generators = reason(
        generators.collect(),
        ["the generator", "the generators"],
        ["which is a program that is not run here", "which are programs that are not run here"],
        "render it where they run, and pass the output with `-`",
    );
    dependencies.into_iter().chain(generators).chain(copies).collect()
}

/// That helm takes any of the copies of a dependency.
fn copies_reason(of: &str, all: &[String]) -> String {
    let copies: Vec<String> = all.iter().map(|path| format!("`{path}`")).collect();
    let reason = format!("the chart has `{of}` more than once, and Helm takes any of {}", few(&copies, NAMES));
    visible(&reason).into_owned() + "\nhelp: remove all but one"
}

/// The most parts that are named.
const NAMES: usize = 8;

/// Adds the reasons to the notes.
pub(crate) fn tell(reasons: &[String], notes: &Notes) {
    reasons.iter().for_each(|reason| notes.add(format!("not all Jobs are known: {}", on_one_line(reason))));
}

/// The reason if the config file selects other files than in the base.
fn base_reasons(version: &Version, base: &Version) -> Option<String> {
    let selects = |settings: &ApplicationSettings| {
        (settings.source, settings.recurse, settings.include.clone(), settings.exclude.clone())
    };
    let set = version.layers.above_jobs();
    let is_of_file = |id| set.get(id).is_some_and(|setting| matches!(setting.by, Provenance::ConfigFile { .. }));
    let is_set = [Id::Source, Id::Recurse, Id::Include, Id::Exclude].into_iter().any(is_of_file);
    let is_altered = !base.manifests.is_empty() && selects(&version.settings) != selects(&base.settings);
    (is_set && is_altered).then(|| {
        "its `.argocd-jobs.yaml` now selects other files\nhelp: change `source`, `recurse`, `include` and `exclude` in a pull request of their own".to_owned()
    })
}

/// Whether a chart is rendered with the release name that helm uses by default.
fn has_unknown_name(target: &Target, version: &Version, run: &Run) -> bool {
    let is_named = version.application.name.is_some() || version.settings.helm.release_name.is_some();
    target.kind() == SourceKind::Helm.as_str() && !is_named && run.environment.get("ARGOCD_APP_NAME").is_none()
}

/// The reason if the chart has other Jobs when it is rendered as for an Application in [`CLUSTER`].
fn other_jobs(target: &Target, version: &Version, run: &Run) -> Option<String> {
    let mut variables = run.environment.variables.clone();
    for (name, value) in CLUSTER {
        variables.entry(name.to_owned()).or_insert_with(|| value.to_owned());
    }
    let environment = Environment { variables, ..run.environment.clone() };
    let other = versions::read(target, &Run { environment, ..run.decided(version.layers.plugin()) });
    let without = |jobs: &[String], namespace: &str| -> Vec<String> {
        jobs.iter().map(|name| name.replace(namespace, "")).collect()
    };
    let names = |version: &Version| -> Option<Vec<String>> {
        Some(whole_jobs(version)?.iter().map(|job| written_name(job, version)).collect())
    };
    let is_the_same = other.is_ok_and(|other| match (names(version), names(&other)) {
        (Some(here), Some(there)) => {
            are_alike(&here, &there) || are_alike(&without(&here, "default"), &without(&there, OTHER_NAMESPACE))
        }
        _ => false,
    });
    (!is_the_same).then(|| {
        "with another Application name or namespace, or in another cluster, the chart can have other Jobs\nhelp: name the Application with \
         `--application`, or set ARGOCD_APP_NAME and ARGOCD_APP_NAMESPACE"
            .to_owned()
    })
}

/// Whether these are the names of the same Jobs: equal, or longer `there`, where a truncated name has more room after the name of the
/// release.
fn are_alike(here: &[String], there: &[String]) -> bool {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names
    };
    let is_alike = |(here, there): (&String, &String)| {
        there.strip_prefix(here.as_str()).is_some_and(|rest| rest.len() <= MOST_TRUNCATED)
    };
    here.len() == there.len() && sorted(here).iter().zip(&sorted(there)).all(is_alike)
}

/// The name of a Job; if a chart has rendered it, without the name of the release.
fn written_name(job: &Job, version: &Version) -> String {
    let name = job.name().or(job.generate_name()).unwrap_or_default();
    let is_of_chart = version.manifests.iter().any(Manifest::is_of_a_chart);
    let release = version.application.name.as_deref().unwrap_or(DEFAULT_RELEASE);
    let without = if is_of_chart { name.replace(release, "") } else { name.to_owned() };
    let without = without.trim_matches('-');
    if without.is_empty() { name.to_owned() } else { without.to_owned() }
}

/// The default release name of `helm template`.
const DEFAULT_RELEASE: &str = "release-name";

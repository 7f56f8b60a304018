//! `source: helm`: renders a chart as Argo CD does (`helmTemplate` in `reposerver/repository/repository.go`): `helm
//! template`, and only if it reports missing dependencies, `helm dependency build` and `helm template` again.

mod archive;
mod arguments;
mod dependencies;
mod globs;
mod reading;
mod references;
mod release_name;
mod remedy;
mod schemas;
mod set_value;
mod sources;
#[cfg(test)]
mod tests;
mod value_file_error;
mod value_files;
mod work;

use std::path::{Path, PathBuf};

use super::again::{self, Again};
use super::fickle::is_fickle;
use super::tool::{Call, RenderError, Session, WorkTree, kube_version};
use crate::process::{Deadline, Ended};
use crate::settings::{HelmSettings, Network};
use crate::text::Message;
use arguments::Arguments;
pub(in crate::source) use dependencies::{MAX_CONFIG, certificates_of};
pub(in crate::source) use reading::with_warnings;
pub use remedy::Remedy;
pub(in crate::source) use sources::places;
use value_file_error::ValueFileError;
use value_files::{Roots, Rules};

/// The file that makes a directory a chart.
const CHART: &str = "Chart.yaml";

/// The output of `helm template` for the chart in the session's directory. With `twice`, also the output of another
/// run, if that may differ.
pub(in crate::source) fn render(
    session: &mut Session<'_>,
    settings: &HelmSettings,
    twice: bool,
) -> Result<(Vec<u8>, Option<Again>), RenderError> {
    if !session.tree.dir.join(CHART).exists() {
        return Err(RenderError::NoChart);
    }
    let helm = session.find("helm")?;
    if !session.tree.is_whole() {
        // A chart can read every file below its folder. `.git` can contain a token in CI, so it is not copied.
        session.make_writable(None, &|_| None)?;
    }
    session.tree.check_links(session.deadline())?;
    let values = match &settings.values {
        Some(values) => Some(session.private_file("values.yaml", values.as_bytes())?),
        None => None,
    };
    let template = |session: &mut Session<'_>| {
        if !settings.skip_schema_validation {
            check_schemas(&session.tree.dir, session.deadline()).map_err(RenderError::refused)?;
        }
        let arguments = arguments(session, settings, values.as_deref())?;
        let others = arguments.files().filter(|path| !path.starts_with(&session.tree.read_root));
        let others: Vec<PathBuf> = others.map(Path::to_owned).collect();
        session.used.extend(others);
        session.run(call("helm template", &helm, arguments.into_list(), session))
    };
    let mut ended = template(session)?;
    if dependencies::are_missing(&ended) {
        dependencies::build(session, &helm)?;
        ended = template(session)?;
    }
    if !ended.is_success() {
        return Err(session.failed("helm template", &ended));
    }
    let again = if twice { again(session, settings, &template)? } else { None };
    Ok((ended.stdout, again))
}

/// Renders the chart again; `None` when nothing calls a function that returns a different value each time.
fn again(
    session: &mut Session<'_>,
    settings: &HelmSettings,
    template: &dyn Fn(&mut Session<'_>) -> Result<Ended, RenderError>,
) -> Result<Option<Again>, RenderError> {
    session.begin_again();
    let arguments = arguments(session, settings, None)?;
    // The debug format escapes texts, which makes no difference for this check.
    let is_set = is_fickle(&format!("{settings:?}")) || arguments.files().any(again::may_be_fickle);
    let dir = session.tree.dir.clone();
    if !is_set && !again::is_in_reach(session, &dir)? {
        return Ok(None);
    }
    let render = |session: &mut Session<'_>| match template(session)? {
        ended if ended.is_success() => Ok(ended.stdout),
        ended => Err(session.failed("helm template", &ended)),
    };
    Again::of(session, &dir, &render).map(Some)
}

/// Fails if a schema of the chart or of a sub-chart refers to a file or URL outside of itself, or if the check is not
/// finished before the deadline.
pub(in crate::source) fn check_schemas(chart: &Path, deadline: Deadline) -> Result<(), Message> {
    schemas::check(chart, deadline).map_err(|error| error.message())
}

/// The checks that replace Landlock on a kernel without it.
pub(in crate::source) fn check_reading(tree: &WorkTree, deadline: Deadline) -> Result<(), RenderError> {
    dependencies::check_reading(tree, deadline)?;
    check_schemas(&tree.dir, deadline).map_err(RenderError::refused)
}

fn refused(error: ValueFileError) -> RenderError {
    RenderError::Refused { message: Box::new(error.message()), may_work_in_argocd: error.is_only_here() }
}

/// A call of helm in the chart's directory.
fn call<'c>(
    name: &'static str,
    helm: &'c Path,
    arguments: Vec<std::ffi::OsString>,
    session: &'c Session<'_>,
) -> Call<'c> {
    let environment = vec![("PATH".into(), session.path())];
    Call { name, program: helm, arguments, environment, dir: &session.tree.dir }
}

/// The arguments of `helm template`. Fails when Argo CD or helm would refuse one of them.
fn arguments(session: &Session<'_>, settings: &HelmSettings, values: Option<&Path>) -> Result<Arguments, RenderError> {
    let application = session.application;
    let HelmSettings { release_name, namespace, api_versions, .. } = settings;
    let roots = Roots { chart: session.tree.read_dir.clone(), repository: session.tree.read_root.clone() };
    let rules = Rules {
        schemes: &session.platform.values_file_schemes,
        ignore_missing: settings.ignore_missing_value_files,
        network_allowed: session.network == Network::Allow,
        references: session.references(),
        application,
    };
    let escaped =
        |(name, value): (&String, &String)| format!("{name}={}", set_value::escaped(&application.substitute(value)));
    let file = |(name, path): (&String, &String)| {
        let resolved = value_files::resolve_file_parameter(name, path, &roots, &rules).map_err(refused)?;
        Ok(format!("{name}={}", set_value::escaped(&resolved)))
    };
    Ok(Arguments {
        release_name: release_name::of(release_name.as_deref(), application)?,
        namespace: namespace.clone().or_else(|| application.namespace.clone()),
        kube_version: kube_version("helm.kubeVersion", settings.kube_version.as_deref(), application)?,
        set: settings.parameters.iter().map(escaped).collect(),
        set_string: settings.string_parameters.iter().map(escaped).collect(),
        set_file: settings.file_parameters.iter().map(file).collect::<Result<_, _>>()?,
        value_files: value_files::resolve_all(&settings.value_files, &roots, &rules).map_err(refused)?,
        values: values.map(Path::to_owned),
        api_versions: if api_versions.is_empty() { application.api_versions.clone() } else { api_versions.clone() },
        include_crds: !settings.skip_crds,
        skip_schema_validation: settings.skip_schema_validation,
        skip_tests: settings.skip_tests,
    })
}

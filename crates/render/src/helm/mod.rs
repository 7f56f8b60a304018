//! `source: helm`: renders a chart as Argo CD does (`helmTemplate` in `reposerver/repository/repository.go`): `helm
//! template`, and only if it reports missing dependencies, `helm dependency build` and `helm template` again.

mod archive;
mod arguments;
mod copies;
mod dependencies;
mod globs;
mod reading;
mod references;
mod release_name;
mod schemas;
mod set_value;
mod sources;
mod stubs;
#[cfg(test)]
mod tests;
mod value_file_error;
mod value_files;
mod work;

use std::path::{Path, PathBuf};

use confined::{Deadline, Ended};
use rewrite::settings::{HelmSettings, Network};
use text::Message;

use crate::again::{Again, Asks};
use crate::tool::{Call, RenderError, Session, WorkTree, kube_version};
use arguments::Arguments;
pub(crate) use dependencies::{MAX_CONFIG, certificates_of};
pub(crate) use reading::{Templates, with_warnings};
pub(crate) use sources::places;
use value_file_error::ValueFileError;
use value_files::{Roots, Rules};

/// The file that makes a directory a chart.
const CHART: &str = "Chart.yaml";

/// What `helm template` prints for a chart.
pub(crate) struct Rendered {
    /// The output for an installation, as Argo CD renders it.
    pub(crate) printed: Vec<u8>,
    /// The output of another run, if that may differ.
    pub(crate) again: Option<Again>,
    /// The output for an upgrade.
    pub(crate) upgrade: Upgrade,
}

/// What `helm template --is-upgrade` prints for a chart. Argo CD never passes this flag (`template` in `util/helm/cmd.go`).
pub(crate) enum Upgrade {
    /// The same output as for an installation, or nobody has asked for it.
    Same,
    /// Something else.
    Printed(Vec<u8>),
    /// An error.
    Failed,
}

/// Which renderings are made apart from the first one.
#[derive(Clone, Copy)]
pub(crate) struct Also {
    /// Whether a chart that can differ is rendered again.
    pub(crate) again: bool,
    /// Whether a chart that asks for it is rendered as for an upgrade.
    pub(crate) upgrade: bool,
}

/// Renders the chart in the session's directory.
pub(crate) fn render(session: &mut Session<'_>, settings: &HelmSettings, also: Also) -> Result<Rendered, RenderError> {
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
    let template = |session: &mut Session<'_>, is_upgrade: bool| {
        let is_checked = !settings.skip_schema_validation && stubs::check_schemas(session)?;
        let arguments = arguments(session, settings, values.as_deref())?;
        let arguments = Arguments { is_upgrade, skip_schema_validation: !is_checked, ..arguments };
        let others = arguments.files().filter(|path| !path.starts_with(&session.tree.read_root));
        let others: Vec<PathBuf> = others.map(Path::to_owned).collect();
        session.used.extend(others);
        session.run(call("helm template", &helm, arguments.into_list(), session))
    };
    let mut ended = template(session, false)?;
    if dependencies::are_missing(&ended) {
        stubs::build(session, &helm, &ended)?;
        ended = template(session, false)?;
    }
    if !ended.is_success() {
        return Err(stubs::explained(session.failed("helm template", &ended), session));
    }
    copies::note(session)?;
    let mut rendered = Rendered { printed: ended.stdout, again: None, upgrade: Upgrade::Same };
    if also.again || also.upgrade {
        session.begin_again();
        let asks = asks(session, settings)?;
        if also.upgrade && asks.is_upgrade {
            // Before the clock of the session's copy is changed.
            rendered.upgrade = upgrade(template(session, true), &rendered.printed);
        }
        if also.again && asks.is_fickle {
            session.begin_again();
            let dir = session.tree.dir.clone();
            let render = |session: &mut Session<'_>| match template(session, false)? {
                ended if ended.is_success() => Ok(ended.stdout),
                ended => Err(session.failed("helm template", &ended)),
            };
            rendered.again = Some(Again::of(session, &dir, &render)?);
        }
    }
    Ok(rendered)
}

/// What the chart and its values ask for that another rendering can answer differently.
fn asks(session: &Session<'_>, settings: &HelmSettings) -> Result<Asks, RenderError> {
    // The debug format escapes texts, which makes no difference for this check.
    let of_settings = Asks::of(&format!("{settings:?}"));
    let arguments = arguments(session, settings, None)?;
    let of_files = arguments.files().map(Asks::of_file).fold(of_settings, Asks::or);
    Ok(of_files.or(Asks::of_folder(session, &session.tree.dir)?))
}

/// The output for an upgrade. A chart may refuse to be upgraded without a cluster.
fn upgrade(ended: Result<Ended, RenderError>, installed: &[u8]) -> Upgrade {
    match ended {
        Ok(ended) if ended.is_success() && ended.stdout == installed => Upgrade::Same,
        Ok(ended) if ended.is_success() => Upgrade::Printed(ended.stdout),
        _ => Upgrade::Failed,
    }
}

/// Fails if a schema of the chart or of a sub-chart refers to a file or URL outside of itself, or if the check is not
/// finished before the deadline.
pub(crate) fn check_schemas(chart: &Path, deadline: Deadline) -> Result<(), Message> {
    schemas::check(chart, deadline).map_err(|error| error.message())
}

/// The checks that replace Landlock on a kernel without it.
pub(crate) fn check_reading(tree: &WorkTree, deadline: Deadline) -> Result<(), RenderError> {
    dependencies::check_reading(tree, deadline)?;
    check_schemas(&tree.dir, deadline).map_err(RenderError::refused)
}

fn refused(error: ValueFileError) -> RenderError {
    RenderError::Refused {
        message: Box::new(error.message()),
        may_work_in_argocd: error.is_only_here(),
        lack: error.lack(),
    }
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
        is_upgrade: false,
    })
}

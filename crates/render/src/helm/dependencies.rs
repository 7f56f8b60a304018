//! Builds missing dependencies of a chart. As in Argo CD, they are built only after `helm template` has reported that
//! they are missing (`runHelmBuild` in `reposerver/repository/repository.go`, `DependencyBuild` in
//! `util/helm/helm.go`).
//!
//! Argo CD gives a plugin no credentials for repositories. The platform owner can mount credentials for listed
//! AppProjects; only the processes started here get them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use checkout::follow::{AbsoluteLinks, Kind, follow};
use checkout::{clean, read_named, read_small};
use confined::{Deadline, Ended, Wall, wall};
use goyaml::Value;
use goyaml::value::folded;
use rewrite::settings::{HelmDependencies, Network};
use text::Message;

use crate::helm::{CHART, call};
use crate::tool::{Call, Lack, Remedy, RenderError, Session, WorkTree, resolve};

/// The messages from which Argo CD concludes that dependencies are missing (`IsMissingDependencyErr` in
/// `util/helm/helm.go`).
const MISSING: [&str; 2] =
    ["found in Chart.yaml, but missing in charts/ directory", "found in requirements.yaml, but missing in charts"];

/// Whether `helm template` failed because dependencies are missing.
pub(super) fn are_missing(ended: &Ended) -> bool {
    let said = String::from_utf8_lossy(&ended.stderr);
    !ended.is_success() && MISSING.iter().any(|text| said.contains(text))
}

/// Downloads the dependencies of the chart in the session's directory, into a copy of the repository unless the
/// repository may be written.
pub(super) fn build(session: &mut Session<'_>, helm: &Path) -> Result<(), RenderError> {
    let all = named(&session.tree.dir, wall())?;
    check(session, &all)?;
    let root = session.tree.root.clone();
    session.make_writable(Some(vec![session.tree.dir.clone()]), &|chart| local(chart, &root))?;
    let wanted = all.iter().filter(|found| found.is_wanted());
    let lock = session.tree.dir.join("Chart.lock");
    let had_lock = lock.exists();
    let environment = credentials(session)?;
    if !environment.is_empty() {
        session.used = certificates(session);
    }
    for repository in wanted.filter_map(Dependency::to_add).filter(|url| !is_mounted(session, url)) {
        let name = repository.replace('/', "-");
        let arguments = ["repo", "add", &name, repository].map(OsString::from).into();
        run(session, helm, "helm repo add", arguments, &environment)?;
    }
    let arguments = ["dependency", "build"].map(OsString::from).into();
    let built = run(session, helm, "helm dependency build", arguments, &environment);
    if !had_lock {
        // Argo CD removes it before and after each run (helm/helm#6870). It may not exist.
        drop(fs::remove_file(lock));
    }
    built
}

/// The files of a chart that list dependencies: two declare them, and two lock the resolved versions. helm downloads
/// the locked ones; the digest in the lock does not protect, because anybody can compute it (`Build` in
/// `pkg/downloader/manager.go`).
const FILES: [&str; 4] = [CHART, "requirements.yaml", "Chart.lock", "requirements.lock"];

/// A dependency in one of these files.
pub(super) struct Dependency {
    file: &'static str,
    pub(super) name: String,
    pub(super) repository: String,
    /// A version or a range of versions; empty if there is none.
    pub(super) version: String,
}

impl Dependency {
    /// Whether it is declared, and not only in a lock.
    pub(super) fn is_wanted(&self) -> bool {
        FILES[..2].contains(&self.file)
    }

    /// The URL of its repository, if that has to be added before the build (`getHelmRepos` and `DependencyBuild`).
    fn to_add(&self) -> Option<&str> {
        self.repository.starts_with("https://").then_some(self.repository.as_str())
    }

    /// The dependency as the subject of a message.
    fn shown(&self) -> String {
        let name = format!("the dependency `{}`", self.name);
        if self.is_wanted() { name } else { format!("{name} in `{}`", self.file) }
    }
}

/// The maximum size, in bytes, of a chart's own files that are checked; helm itself reads files of at most 5 MiB
/// (`pkg/chart/loader`).
const MAX_CHART_FILE: u64 = 5 << 20;

/// The maximum size of a config file of helm, in bytes.
pub(crate) const MAX_CONFIG: u64 = 8 << 20;

/// All dependencies in the files of a chart. Keys match in any case, as for helm. A file that cannot be read is an
/// error unless the kernel confines helm, because Go may be able to read it (UTF-16, for example).
pub(super) fn named(chart: &Path, wall: Wall) -> Result<Vec<Dependency>, RenderError> {
    let mut all = Vec::new();
    for file in FILES {
        let text = match read_small(&chart.join(file), MAX_CHART_FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound || wall == Wall::Kernel => continue,
            Err(error) => {
                let message = Message::new(format!("`{file}` cannot be read: {error}"));
                return Err(RenderError::refused(message.help("write it as plain YAML in UTF-8, of at most 5 MiB")));
            }
        };
        let value = Value::read(&text).map_err(|error| RenderError::ChartFile(file, error.to_string()))?;
        for item in fields(&value, "dependencies").filter_map(Value::as_list).flatten() {
            let text = |value: &Value| value.as_text().unwrap_or_default().to_owned();
            let last = |key| fields(item, key).map(text).last().unwrap_or_default();
            let (name, version) = (last("name"), last("version"));
            let mut repositories: Vec<String> = fields(item, "repository").map(text).collect();
            if repositories.is_empty() {
                repositories.push(String::new());
            }
            let dependency = |repository| Dependency { file, name: name.clone(), repository, version: version.clone() };
            all.extend(repositories.into_iter().map(dependency));
        }
    }
    Ok(all)
}

/// The values of all keys of a map that helm accepts for the field `name`.
fn fields<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    let entries = value.as_map().into_iter().flat_map(|map| map.iter());
    entries.filter(move |(key, _)| folded(key) == name).map(|(_, value)| value)
}

/// The directories of those dependencies of `chart` that are in the repository; `None` when they cannot be determined
/// for certain.
pub(super) fn local(chart: &Path, root: &Path) -> Option<Vec<PathBuf>> {
    let all = named(chart, Wall::Reading).ok()?;
    let paths = all.iter().filter_map(|dependency| dependency.repository.strip_prefix("file://"));
    paths.filter_map(|path| resolve(chart, path, root).transpose()).collect::<Result<_, _>>().ok()
}

/// Fails for a dependency that is not available or not allowed here.
fn check(session: &Session<'_>, all: &[Dependency]) -> Result<(), RenderError> {
    let refused = |what: String, remedy| Err(RenderError::Dependency { what, remedy });
    if session.platform.helm_dependencies == HelmDependencies::Vendored {
        let wanted = all.iter().filter(|found| found.is_wanted());
        let names: Vec<String> = wanted.map(|found| format!("`{}`", found.name)).collect();
        return refused(
            format!("`charts` does not have all dependencies in `Chart.yaml`: {}", names.join(", ")),
            Remedy::Vendor,
        );
    }
    check_places(&session.tree, all, session.deadline())?;
    check_repositories(all, session.network)
}

/// Fails for a dependency from a repository that is unknown or not allowed.
fn check_repositories(all: &[Dependency], network: Network) -> Result<(), RenderError> {
    let refused = |what: String, remedy| Err(RenderError::Dependency { what, remedy });
    for dependency in all.iter().filter(|found| !found.repository.starts_with("file://")) {
        let (shown, repository) = (dependency.shown(), &dependency.repository);
        if repository.starts_with('@') || repository.starts_with("alias:") {
            let what = format!("{shown} is from the repository `{repository}`, which only Argo CD knows");
            return refused(what, Remedy::Credentials);
        } else if !repository.is_empty() && !is_remote(repository) {
            return refused(
                format!("{shown} is from a repository that is not allowed: `{repository}`"),
                Remedy::Vendor,
            );
        } else if !repository.is_empty() && network == Network::Never {
            let what = format!("{shown} would be fetched from `{repository}`, but the network is not allowed");
            return refused(what, Remedy::VendorOrAllow);
        }
    }
    Ok(())
}

/// The checks that replace Landlock on a kernel without it, as if the network were allowed.
pub(super) fn check_reading(tree: &WorkTree, deadline: Deadline) -> Result<(), RenderError> {
    let all = named(&tree.dir, Wall::Reading)?;
    check_places(tree, &all, deadline)?;
    check_repositories(&all, Network::Allow)
}

/// Fails for a dependency on a path outside of the repository.
fn check_places(tree: &WorkTree, all: &[Dependency], deadline: Deadline) -> Result<(), RenderError> {
    let refused = |what: String, remedy| Err(RenderError::Dependency { what, remedy });
    for dependency in all {
        let (shown, Dependency { name, repository, .. }) = (dependency.shown(), dependency);
        if let Some(path) = repository.strip_prefix("file://") {
            let Some(place) = inside(tree, path) else {
                let what = format!("{shown} is not in the repository: `{repository}`");
                return refused(what, if tree.is_without_repository() { Remedy::Repository } else { Remedy::Vendor });
            };
            tree.check_links_below(&place, deadline)?;
        } else if repository.is_empty() && name.contains('/') {
            // helm would open this path relative to `charts`.
            return refused(format!("{shown} has a name that is a path"), Remedy::Vendor);
        }
    }
    Ok(())
}

/// Whether helm itself supports the scheme; any other scheme would need a plugin.
fn is_remote(repository: &str) -> bool {
    ["https://", "http://", "oci://"].iter().any(|scheme| repository.starts_with(scheme))
}

/// The directory in the repository that a `file://` path leads to; `None` if there is none. helm cleans a relative
/// path before it follows symlinks (`GetLocalPath` in `internal/resolver`), and removes characters that cannot be
/// printed (`sanitizeString` in `pkg/chart/metadata.go`). So only relative paths of printable ASCII characters are
/// accepted.
fn inside(tree: &WorkTree, path: &str) -> Option<PathBuf> {
    let is_plain = !path.starts_with('/') && path.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let whole = clean(&tree.dir.join(path));
    let found = is_plain.then(|| follow(&tree.root, &whole, AbsoluteLinks::Follow).ok()).flatten()?;
    (found.kind == Kind::Directory).then_some(found.place)
}

/// The variables that give helm the platform owner's credentials, in a separate config home; empty for an Application
/// whose AppProject is not listed.
fn credentials(session: &Session<'_>) -> Result<Vec<(OsString, OsString)>, RenderError> {
    let platform = session.platform;
    let is_listed = |project: &String| platform.credentials_projects.contains(project);
    if !session.application.project.as_ref().is_some_and(is_listed) {
        return Ok(Vec::new());
    }
    let home = session.private_folder("credentials")?;
    let configs =
        [(&platform.repository_config, "repositories.yaml"), (&platform.registry_config, "registry/config.json")];
    for (config, file) in configs {
        let Some(config) = config else { continue };
        session.private_folder("credentials/registry")?;
        let content = read_named(config, MAX_CONFIG).map_err(|error| RenderError::Unreadable(config.clone(), error))?;
        session.private_file(&format!("credentials/{file}"), content.as_bytes())?;
    }
    Ok(vec![("HELM_CONFIG_HOME".into(), home.clone().into()), ("XDG_CONFIG_HOME".into(), home.into())])
}

/// The repositories in the mounted config.
fn mounted(session: &Session<'_>) -> Vec<Value> {
    let Some(config) = &session.platform.repository_config else { return Vec::new() };
    let Ok(text) = read_named(config, MAX_CONFIG) else { return Vec::new() };
    let Ok(value) = Value::read(&text) else { return Vec::new() };
    value.items_at(&["repositories"]).to_vec()
}

/// Whether the mounted config contains this repository.
fn is_mounted(session: &Session<'_>, url: &str) -> bool {
    mounted(session).iter().any(|known| known.text_at(&["url"]) == Some(url))
}

/// The files with certificates and keys to which the mounted config refers.
fn certificates(session: &Session<'_>) -> Vec<PathBuf> {
    mounted(session).iter().flat_map(certificates_of).collect()
}

/// The files with certificates and keys of one entry of `repositories` in a config of helm.
pub(crate) fn certificates_of(repository: &Value) -> impl Iterator<Item = PathBuf> + use<> {
    let files = ["caFile", "certFile", "keyFile"].map(|key| repository.text_at(&[key]).map(PathBuf::from));
    files.into_iter().flatten().filter(|path| path.is_absolute())
}

fn run(
    session: &Session<'_>,
    helm: &Path,
    name: &'static str,
    arguments: Vec<OsString>,
    environment: &[(OsString, OsString)],
) -> Result<(), RenderError> {
    let plain = call(name, helm, arguments, session);
    let environment = plain.environment.iter().chain(environment).cloned().collect();
    let ended = session.run(Call { environment, ..plain })?;
    if ended.is_success() {
        return Ok(());
    }
    let error = session.failed(name, &ended);
    let RenderError::Failed { said, .. } = &error else { return Err(error) };
    if said.contains("out of sync") {
        let what = "`Chart.lock` does not match `Chart.yaml`".to_owned();
        return Err(RenderError::Dependency { what, remedy: Remedy::Update });
    }
    // helm reports the same for a directory that Landlock blocks.
    if said.contains("Chart.yaml file is missing") {
        let what = "a dependency with `file://` is not a chart in the repository".to_owned();
        return Err(RenderError::Dependency { what, remedy: Remedy::Vendor });
    }
    let is_denied = ["401", "403", "nauthorized", "orbidden", "denied"].iter().any(|word| said.contains(word));
    let remedy = match session.network {
        Network::Never => Remedy::VendorOrAllow,
        Network::Allow if is_denied => Remedy::Credentials,
        Network::Allow => Remedy::Vendor,
    };
    let message = Box::new(Message::of_lines(&format!("`{name}` failed: {said}")).help(remedy.help()));
    let lack = Some(if remedy == Remedy::VendorOrAllow { Lack::Network } else { Lack::Said(said.clone()) });
    Err(RenderError::Refused { message, may_work_in_argocd: remedy.is_in_argocd(), lack })
}

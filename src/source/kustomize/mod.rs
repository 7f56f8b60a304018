//! `source: kustomize`: a kustomization, changed and built as Argo CD does it (`Build` in `util/kustomize/kustomize.go`): `kustomize edit` for
//! each field that is set, in the directory itself or in a copy, then `kustomize build` from the root of the repository.

mod components;
mod edits;
mod functions;
mod patches;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::tool::{Call, RenderError, Session, kube_version};
use super::{KUSTOMIZATIONS, Rendering};
use crate::argocd::BuildOptions;
use crate::process::wrappers;
use crate::settings::KustomizeSettings;
use crate::yaml::Value;
use edits::Edit;

/// What `kustomize build` prints for the kustomization in the session's directory.
pub(in crate::source) fn render(
    session: &mut Session<'_>,
    settings: &KustomizeSettings,
) -> Result<Vec<u8>, RenderError> {
    kustomization_file(&session.tree.dir)?;
    let options = BuildOptions::parse(&session.platform.build_options).unwrap_or_default();
    // Argo CD refuses a malformed version, also where nothing uses it.
    let version = kube_version("kustomize-kube-version", settings.kube_version.as_deref(), session.application)?;
    let kustomize = program(session, settings)?;
    // helm follows links, and so does kustomize when it may read everything.
    if options.enables_helm || options.is_unrestricted {
        session.tree.check_all_links()?;
    } else {
        session.tree.check_links()?;
    }
    let edits = edits::of(settings, session)?;
    // With `--enable-helm` kustomize puts charts into the folder of the kustomization.
    if !edits.is_empty() || options.enables_helm {
        session.make_writable()?;
    }
    let wrappers = wrappers(session, &options)?;
    for edit in edits {
        match edit {
            Edit::Command(arguments) => {
                // A component can be in Git, as a base can.
                let is_loaded = arguments.get(1).is_some_and(|word| word == "component");
                let environment = if is_loaded { for_loading(session, &options, &wrappers) } else { wrappers.clone() };
                let arguments = [OsString::from("edit")].into_iter().chain(arguments).collect();
                let dir = &session.tree.dir;
                session.output(Call { name: "kustomize edit", program: &kustomize, arguments, environment, dir })?;
            }
            Edit::Patches(patches) => add_patches(&session.tree.dir, patches)?,
        }
    }
    if options.enables_plugins {
        functions::refuse(&session.tree.dir, &session.tree.root)?;
    }
    let mut arguments = vec!["build".into(), session.tree.dir.clone().into_os_string()];
    arguments.extend(options.arguments.iter().map(OsString::from));
    if options.enables_helm {
        arguments.extend(for_charts(version, settings, session));
    }
    let environment = for_loading(session, &options, &wrappers);
    let dir = &session.tree.root;
    session.output(Call { name: "kustomize build", program: &kustomize, arguments, environment, dir })
}

/// The options about the cluster, for charts that kustomize renders.
fn for_charts(version: Option<String>, settings: &KustomizeSettings, session: &Session<'_>) -> Vec<OsString> {
    let own = &settings.api_versions;
    let versions = if own.is_empty() { &session.application.api_versions } else { own };
    let version = version.iter().flat_map(|version| ["--helm-kube-version", version]);
    version.chain(versions.iter().flat_map(|version| ["--helm-api-versions", version])).map(OsString::from).collect()
}

/// The variables for a process that loads bases and components: the wrappers, what Argo CD says about the Application, and its
/// credentials for git.
fn for_loading(
    session: &Session<'_>,
    options: &BuildOptions,
    wrappers: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let mut environment = wrappers.to_vec();
    environment.extend(session.application.build_variables().map(|(name, value)| (name.into(), value.into())));
    // A kustomization that may read everything may read the environment of kustomize, and print it.
    if !options.is_unrestricted {
        environment.extend(session.passed_on(&Rendering::FOR_GIT));
    }
    if options.enables_plugins {
        environment.extend(session.passed_on(&[Rendering::PLUGIN_HOME]));
    }
    environment
}

/// The kustomize that the Application chooses among those of the platform owner, or else the one on PATH.
fn program(session: &Session<'_>, settings: &KustomizeSettings) -> Result<PathBuf, RenderError> {
    let Some(version) = &settings.version else { return session.find("kustomize") };
    let listed = &session.platform.kustomize_versions;
    if let Some(path) = listed.get(version) {
        return Ok(PathBuf::from(path));
    }
    let names: Vec<String> = listed.keys().map(|version| format!("`{version}`")).collect();
    let known = if names.is_empty() { "the one on `PATH`".to_owned() } else { names.join(", ") };
    Err(RenderError::KustomizeVersion { version: version.clone(), known })
}

/// `PATH` for kustomize: a folder with our own `git` and, when charts are rendered, our own `helm`.
fn wrappers(session: &Session<'_>, options: &BuildOptions) -> Result<Vec<(OsString, OsString)>, RenderError> {
    let folder = session.private_folder("bin")?;
    let git = session.optional("git");
    let helm = if options.enables_helm { Some(session.find("helm")?) } else { None };
    // Charts of remote bases are where kustomize clones them.
    let within = [session.tree.root.as_path(), &session.private_folder("tmp")?];
    wrappers::install(&folder, session.launcher(), git.as_deref(), helm.as_deref(), &within)
        .map_err(RenderError::PrivateDirectory)
}

/// Puts patches into the kustomization file, as Argo CD does.
fn add_patches(dir: &Path, patches: Vec<Value>) -> Result<(), RenderError> {
    let file = kustomization_file(dir)?;
    let unreadable = |error: io::Error| RenderError::Unreadable(PathBuf::from(file), error);
    let text = fs::read_to_string(dir.join(file)).map_err(unreadable)?;
    let changed = patches::append(&text, patches).map_err(|error| RenderError::refused(error.message()))?;
    fs::write(dir.join(file), changed).map_err(unreadable)
}

/// The kustomization file: the first of the names that is there. Two of them are kustomize's to refuse.
fn kustomization_file(dir: &Path) -> Result<&'static str, RenderError> {
    let found = KUSTOMIZATIONS.into_iter().find(|name| dir.join(name).exists());
    found.ok_or(RenderError::NoKustomization)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Scratch;
    use super::*;

    #[test]
    fn the_first_of_the_names_is_edited() {
        let found = |files: &[&str]| kustomization_file(&Scratch::with(files).0).ok();
        assert_eq!(found(&["kustomize.yaml"]), None);
        assert_eq!(found(&["Kustomization", "kustomization.yml"]), Some("kustomization.yml"));
        assert_eq!(found(&["Kustomization"]), Some("Kustomization"));
        assert_eq!(found(&["kustomization.yaml", "kustomization.yml"]), Some("kustomization.yaml"));
    }
}

//! `source: kustomize`: changes and builds a kustomization as Argo CD does (`Build` in
//! `util/kustomize/kustomize.go`): `kustomize edit` for each field that is set, in the directory itself or in a copy,
//! then `kustomize build` from the root of the repository.

mod annotations;
mod components;
mod edits;
mod generators;
mod patches;
mod references;
mod search;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use checkout::read_small;
use confined::{Deadline, Wall, wall};
use goyaml::Value;
use kube_jobs::argocd::BuildOptions;
use rewrite::settings::{KustomizeSettings, Network};

use crate::again::{Again, Asks};
use crate::places::{Places, Reader};
use crate::tool::{Call, RenderError, Session, Walk, WorkTree, kube_version, resolve};
use crate::{KUSTOMIZATIONS, Rendering, wrappers};
use annotations::Annotated;
use edits::Edit;
use search::Rules;

/// The output of kustomize.
pub(crate) struct Built {
    pub(crate) printed: Vec<u8>,
    /// The output with the file of each object, if that was requested and is known.
    annotated: Option<Annotated>,
    /// The output of further runs, if it can differ.
    pub(crate) again: Option<Again>,
}

/// The places in kustomize's output `text`.
pub(crate) fn places(text: &str, built: &Built, reader: Reader<'_>) -> Places {
    let file = kustomization_file(reader.dir()).unwrap_or(KUSTOMIZATIONS[0]);
    annotations::places(text, built.annotated.as_ref(), &reader.dir().join(file), reader)
}

/// Builds the kustomization in the session's directory.
pub(crate) fn render(
    session: &mut Session<'_>,
    settings: &KustomizeSettings,
    (finds_files, twice): (bool, bool),
) -> Result<Built, RenderError> {
    kustomization_file(&session.tree.dir)?;
    let options = BuildOptions::parse(&session.platform.build_options).unwrap_or_default();
    // Argo CD refuses a malformed version even when nothing uses it.
    let version = kube_version("kustomize.kubeVersion", settings.kube_version.as_deref(), session.application)?;
    if wall() == Wall::Reading && session.tree.has_git_below() {
        // kustomize can read a clone or submodule in the folder of the kustomization, and reading the files does not
        // find every name that leads there. The copy has no `.git`.
        session.make_writable(None, &|_| None)?;
    }
    // helm follows links, and so does kustomize without load restrictions.
    if options.enables_helm || options.is_unrestricted {
        session.tree.check_all_links(session.deadline())?;
    } else {
        session.tree.check_links(session.deadline())?;
    }
    let edits = edits::of(settings, session)?;
    let builder = Builder::find(session, settings, edits.first())?;
    // With `--enable-helm`, kustomize downloads charts into the folder of the kustomization, and a plugin can write anywhere.
    let writes = options.enables_helm && (session.network == Network::Allow || options.enables_plugins);
    if !edits.is_empty() || writes {
        let start = needed(session, &options, settings);
        let (root, deadline) = (session.tree.root.clone(), session.deadline());
        session.make_writable(start, &|dir| references::of(dir, &root, deadline))?;
    }
    let has_plugin_home = options.enables_plugins && session.passed_on(&[Rendering::PLUGIN_HOME]).next().is_some();
    generators::leave_out(session, has_plugin_home)?;
    let wrappers = wrappers(session, &options)?;
    edit(session, edits, &builder, &options, &wrappers)?;
    check(session, &options)?;
    let mut flags: Vec<OsString> = options.arguments.iter().map(OsString::from).collect();
    if options.enables_helm {
        flags.extend(for_charts(version, settings, session));
    }
    let (root, environment) = (session.tree.root.clone(), for_loading(session, &options, &wrappers));
    let build = |of: &Path, session: &Session<'_>| {
        let arguments =
            [builder.subcommand.into(), of.as_os_str().to_owned()].into_iter().chain(flags.clone()).collect();
        let dir = &session.tree.root;
        // The wrappers know the root, and the last rendering can be the first one in a copy.
        let environment = match *dir == root {
            true => environment.clone(),
            false => for_loading(session, &options, &self::wrappers(session, &options)?),
        };
        session.output(Call { name: builder.name, program: &builder.program, arguments, environment, dir })
    };
    let printed = build(&session.tree.dir, session)?;
    let annotated = if finds_files { annotated(&printed, session, &|of| build(of, session)) } else { None };
    let again = if twice && options.enables_helm {
        again(session, &|session| build(&session.tree.dir, session))?
    } else {
        None
    };
    Ok(Built { printed, annotated, again })
}

/// Makes the edits of the settings in the session's own copy.
fn edit(
    session: &mut Session<'_>,
    edits: Vec<Edit>,
    builder: &Builder,
    options: &BuildOptions,
    wrappers: &[(OsString, OsString)],
) -> Result<(), RenderError> {
    for edit in edits {
        match edit {
            Edit::Command(arguments) => {
                // A component can be in a git repository, like a base.
                let is_loaded = arguments.get(1).is_some_and(|word| word == "component");
                let environment = if is_loaded { for_loading(session, options, wrappers) } else { wrappers.to_vec() };
                let arguments = [OsString::from("edit")].into_iter().chain(arguments).collect();
                let dir = &session.tree.dir;
                session.output(Call {
                    name: "kustomize edit",
                    program: &builder.program,
                    arguments,
                    environment,
                    dir,
                })?;
            }
            Edit::Patches(patches) => add_patches(&session.tree.dir, patches)?,
        }
    }
    Ok(())
}

/// Builds again, if the kustomization has charts that call a function which returns a different value each time.
fn again(
    session: &mut Session<'_>,
    build: &dyn Fn(&mut Session<'_>) -> Result<Vec<u8>, RenderError>,
) -> Result<Option<Again>, RenderError> {
    session.begin_again();
    let root = session.tree.root.clone();
    let mut has_charts = false;
    Walk::new(&root, session.deadline()).visit(&root, |entry| {
        let is_one =
            |text: String| ["helmCharts", "HelmChartInflationGenerator"].iter().any(|word| text.contains(word));
        let is_yaml = entry.path().extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        has_charts = has_charts
            || entry.file_type().is_file()
                && (is_yaml || entry.file_name() == KUSTOMIZATIONS[2])
                && read_small(entry.path(), MAX_FILE).is_ok_and(is_one);
        Ok(())
    })?;
    if !has_charts || !Asks::of_folder(session, &root)?.is_fickle {
        return Ok(None);
    }
    Again::of(session, &root, build).map(Some)
}

/// Checks the files that kustomize is about to read. Without a git repository nothing outside of the directory may be
/// read; if the kernel enforces that, its error is clearer than ours.
fn check(session: &Session<'_>, options: &BuildOptions) -> Result<(), RenderError> {
    let wall = wall();
    if session.tree.is_without_repository() && !options.enables_plugins && wall == Wall::Kernel {
        return Ok(());
    }
    let mut rules = Rules::new(&session.tree.root, session.deadline(), wall);
    (rules.has_alpha_plugins, rules.is_unrestricted) = (options.enables_plugins, options.is_unrestricted);
    search::check(&session.tree.dir, &rules)
}

/// The checks that replace Landlock on a kernel without it, as without options of kustomize.
pub(crate) fn check_reading(tree: &WorkTree, deadline: Deadline) -> Result<(), RenderError> {
    search::check(&tree.dir, &Rules::new(&tree.root, deadline, Wall::Reading))
}

/// The output of a second kustomization that requests the file of each object. `None` when the first output contains
/// no Jobs, or when this build fails: messages then name the user's kustomization.
fn annotated(
    printed: &[u8],
    session: &Session<'_>,
    build: &impl Fn(&Path) -> Result<Vec<u8>, RenderError>,
) -> Option<Annotated> {
    if !annotations::may_have_jobs(printed) {
        return None;
    }
    let folder = session.private_folder("places").ok()?;
    let dir = &session.tree.dir;
    let user = read_small(&dir.join(kustomization_file(dir).ok()?), MAX_FILE).ok()?;
    let text = annotations::kustomization(&folder, dir, &user)?;
    fs::write(folder.join(KUSTOMIZATIONS[0]), text).ok()?;
    let printed = String::from_utf8(build(&folder).ok()?).ok()?;
    Some(Annotated { printed, folder, root: session.tree.root.clone() })
}

/// The paths from which kustomize starts to read: the folder of the kustomization, and the components and files that
/// the Application adds. A chart is in the folder `charts` next to a kustomization, or in a folder that the kustomization
/// names. `None` when kustomize can read or write anything in the repository, or when the path to a component cannot
/// be determined.
fn needed(session: &Session<'_>, options: &BuildOptions, settings: &KustomizeSettings) -> Option<Vec<PathBuf>> {
    if options.enables_plugins || options.is_unrestricted {
        return None;
    }
    let WorkTree { dir, root, .. } = &session.tree;
    let mut start = vec![dir.clone()];
    for component in &settings.components {
        start.extend(resolve(dir, component, root).ok()?);
    }
    for patch in &settings.patches {
        start.extend(references::in_value(patch, dir, root, session.deadline())?);
    }
    Some(start)
}

/// The options that describe the cluster to charts.
fn for_charts(version: Option<String>, settings: &KustomizeSettings, session: &Session<'_>) -> Vec<OsString> {
    let own = &settings.api_versions;
    let versions = if own.is_empty() { &session.application.api_versions } else { own };
    let version = version.iter().flat_map(|version| ["--helm-kube-version", version]);
    version.chain(versions.iter().flat_map(|version| ["--helm-api-versions", version])).map(OsString::from).collect()
}

/// The environment of a process that loads bases and components: the wrappers, Argo CD's variables about the
/// Application, and its credentials for git.
fn for_loading(
    session: &Session<'_>,
    options: &BuildOptions,
    wrappers: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let mut environment = wrappers.to_vec();
    environment.extend(session.application.build_variables().map(|(name, value)| (name.into(), value.into())));
    // A kustomization without load restrictions can read the environment of kustomize and print it.
    if !options.is_unrestricted {
        environment.extend(session.passed_on(&Rendering::FOR_GIT));
    }
    if options.enables_plugins {
        environment.extend(session.passed_on(&[Rendering::PLUGIN_HOME]));
    }
    environment
}

/// The program that builds the kustomization.
struct Builder {
    program: PathBuf,
    subcommand: &'static str,
    /// The name of the program in messages.
    name: &'static str,
}

impl Builder {
    /// Finds the program: the version of kustomize that the Application chooses from the platform owner's list, or
    /// else kustomize on `PATH`, or else kubectl, which contains kustomize but cannot edit. `edit` is the first
    /// change to make.
    fn find(session: &Session<'_>, settings: &KustomizeSettings, edit: Option<&Edit>) -> Result<Self, RenderError> {
        let kustomize = |program| Self { program, subcommand: "build", name: "kustomize build" };
        if let Some(version) = &settings.version {
            let listed = &session.platform.kustomize_versions;
            return match listed.get(version) {
                Some(path) => Ok(kustomize(PathBuf::from(path))),
                None => Err(unknown_version(version, listed.keys())),
            };
        }
        match (session.optional("kustomize"), session.optional("kubectl"), edit) {
            (Some(program), ..) => Ok(kustomize(program)),
            (None, Some(program), None) => Ok(Self { program, subcommand: "kustomize", name: "kubectl kustomize" }),
            (None, Some(_), Some(edit)) => Err(RenderError::OnlyKubectl(edit.field())),
            (None, None, _) => Err(RenderError::NoProgram { program: "kustomize", caller: session.caller() }),
        }
    }
}

fn unknown_version<'v>(version: &str, known: impl Iterator<Item = &'v String>) -> RenderError {
    let names: Vec<String> = known.map(|version| format!("`{version}`")).collect();
    let known = if names.is_empty() { "the one on `PATH`".to_owned() } else { names.join(", ") };
    RenderError::KustomizeVersion { version: version.to_owned(), known }
}

/// `PATH` for kustomize: a folder with our own `git` and, if charts are rendered, our own `helm`.
fn wrappers(session: &Session<'_>, options: &BuildOptions) -> Result<Vec<(OsString, OsString)>, RenderError> {
    let folder = session.private_folder(if session.tree.is_private() { "bin-of-copy" } else { "bin" })?;
    let git = session.optional("git");
    let helm = if options.enables_helm { Some(session.find("helm")?) } else { None };
    // kustomize clones remote bases, which may contain charts, into the temporary folder.
    let within = [session.tree.root.as_path(), &session.private_folder("tmp")?];
    wrappers::install(&folder, session.launcher(), git.as_deref(), helm.as_deref(), &within)
        .map_err(RenderError::PrivateDirectory)
}

/// The maximum size of a kustomization file that is read, in bytes.
const MAX_FILE: u64 = 8 << 20;

/// Adds patches to the kustomization file, as Argo CD does.
fn add_patches(dir: &Path, patches: Vec<Value>) -> Result<(), RenderError> {
    let file = kustomization_file(dir)?;
    let unreadable = |error: io::Error| RenderError::Unreadable(PathBuf::from(file), error);
    let text = read_small(&dir.join(file), MAX_FILE).map_err(unreadable)?;
    let changed = patches::append(&text, patches).map_err(|error| RenderError::refused(error.message()))?;
    fs::write(dir.join(file), changed).map_err(unreadable)
}

/// The first existing file that is named like a kustomization. kustomize itself refuses several of them.
fn kustomization_file(dir: &Path) -> Result<&'static str, RenderError> {
    let found = KUSTOMIZATIONS.into_iter().find(|name| dir.join(name).exists());
    found.ok_or(RenderError::NoKustomization)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;

    #[test]
    fn the_first_of_the_names_is_edited() {
        let found = |files: &[&str]| kustomization_file(&Scratch::with(files).0).ok();
        assert_eq!(found(&["kustomize.yaml"]), None);
        assert_eq!(found(&["Kustomization", "kustomization.yml"]), Some("kustomization.yml"));
        assert_eq!(found(&["Kustomization"]), Some("Kustomization"));
        assert_eq!(found(&["kustomization.yaml", "kustomization.yml"]), Some("kustomization.yaml"));
    }
}

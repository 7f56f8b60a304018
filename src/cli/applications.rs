//! `--application`: the Applications of the command line, and the version of a source that one of them names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use argocd_jobs::applications::{
    self, ApplicationSource, Checkout, Declared, Elsewhere, Others, SetInputs, Skipped, SkippedBecause,
};
use argocd_jobs::argocd::Application;
use argocd_jobs::settings::{Layers, RawLayers};
use argocd_jobs::source::{self, Input, Rendering, Source, Surroundings};
use argocd_jobs::system::{PathText, canonical};
use argocd_jobs::text::{Message, Origin, Place, plural, visible};
use argocd_jobs::version::{Error, Version};
use clap::{Arg, ArgAction, ValueHint, value_parser};
use walkdir::WalkDir;

use super::checkout_root;
use super::remotes;
use super::run::Run;
use super::status::{note, problems_error};
use super::target::{InBase, Target, dir_of};

/// The largest file of Applications, in bytes.
pub(super) const MAX_FILE: u64 = 1 << 24;

/// The extensions of the files that are read of a directory.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "tpl"];

/// Applications with the checkout that their paths are in.
pub(super) struct Applications {
    /// The checkout.
    pub(super) checkout: Checkout,
    /// What the Applications declare in it.
    pub(super) declared: Declared,
    /// The folders with files in which Applications can be, also in templates of charts. Only for a directory.
    pub(super) dirs: BTreeSet<PathBuf>,
    /// The files and directories that they were looked for in.
    named: Vec<PathBuf>,
}

/// The flags of Applications.
pub(super) fn flags() -> [Arg; 4] {
    let several = |name: &'static str, value: &'static str| {
        Arg::new(name).long(name).value_name(value).action(ArgAction::Append).help_heading("Applications")
    };
    [
        several("application", "FILE|DIR")
            .value_hint(ValueHint::AnyPath)
            .help("Read the sources of the Applications in this file or directory, as the Applications configure them"),
        several("repository-url", "URL")
            .help("Use this `repoURL` for the checkout, instead of that of its remote `origin`")
            .hide_short_help(true),
        several("repo", "URL=DIR")
            .value_hint(ValueHint::DirPath)
            .help("A checkout of another repository that Applications name")
            .hide_short_help(true),
        Arg::new("argocd-namespace")
            .long("argocd-namespace")
            .value_name("NAME")
            .help_heading("Applications")
            .hide_short_help(true)
            .help("Namespace of Argo CD; Applications in other namespaces are named `<namespace>_<name>`"),
    ]
}

/// The flags of subcommands that look for Applications.
pub(super) fn search_flags() -> [Arg; 4] {
    let flag = |name: &'static str| Arg::new(name).long(name).help_heading("Applications");
    [
        flag("branch")
            .value_name("NAME")
            .hide_short_help(true)
            .help("The branch that the change is merged into; by default what the CI system says. With `--base`, an Application at another revision is left out"),
        flag("clusters")
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
            .help("The clusters for ApplicationSets: their Secrets, or what `argocd cluster list -o json` prints; by default the Secrets in the checkout"),
        flag("unused").action(ArgAction::SetTrue).help("Read the folders that no Application uses, too"),
        flag("require-coverage")
            .action(ArgAction::SetTrue)
            .hide_short_help(true)
            .help("Exit with status 1 if an Application is not checked"),
    ]
}

/// The Applications of `--application`; `None` without the flag.
pub(super) fn declared(run: &Run) -> Result<Option<Applications>> {
    let Some(named) = run.applications.clone() else { return Ok(None) };
    if run.has_path {
        let message =
            Message::new("`--application` and a path cannot be used together: the Application names the directory");
        return Err(anyhow!(message.help("remove `--application` or the path")));
    }
    let mut files = Vec::new();
    for path in &named {
        files.extend(read(path, applications::may_have_applications)?);
    }
    let checkout = checkout(&checkout_root::of_applications(&named, run)?, run)?;
    let declared = applications::read(&files, &checkout);
    Ok(Some(Applications { checkout, declared, named, dirs: BTreeSet::new() }))
}

/// The Applications in a directory and those below it.
pub(super) fn found_in(dir: &Path, run: &Run) -> Result<Applications> {
    let checkout = checkout_of(dir, run)?;
    let (declared, dirs) = declared_in(dir, dir, &checkout)?;
    Ok(Applications { checkout, declared, dirs, named: vec![dir.to_owned()] })
}

/// The sources of the Applications below `dir`, and the folders with files in which Applications can be. Their places are shown as if they were
/// below `shown_as`.
pub(super) fn declared_in(dir: &Path, shown_as: &Path, checkout: &Checkout) -> Result<(Declared, BTreeSet<PathBuf>)> {
    let (mut files, mut dirs, mut templates) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let top = source::clean(dir);
    for (path, text) in read(dir, applications::may_have_applications)? {
        let shown = path.strip_prefix(&top).map_or_else(|_| path.clone(), |below| source::clean(&shown_as.join(below)));
        dirs.extend(shown.parent().map(source::clean));
        if is_template_of_chart(&path) {
            continue;
        }
        // A real ApplicationSet has such braces, too.
        if text.contains("{{") && (!text.contains("ApplicationSet") || is_in_chart(&path)) {
            templates.insert(shown.clone());
        }
        files.push((shown, text));
    }
    let mut declared = applications::read(&files, checkout);
    // Neither a template that makes Applications nor a patch of one is a broken Application.
    let is_template = |place: &Place| matches!(&place.origin, Origin::File(path) if templates.contains(path.as_ref()));
    declared.skipped.retain(|skipped| match skipped.why {
        SkippedBecause::NoSource => false,
        SkippedBecause::Broken(_) => !is_template(&skipped.place),
        _ => true,
    });
    Ok((declared, dirs))
}

/// Whether a file is below the folder `templates` of a chart, which makes something else of it.
fn is_template_of_chart(path: &Path) -> bool {
    let is_templates = |dir: &Path| dir.file_name().is_some_and(|name| name == "templates");
    path.ancestors().skip(1).filter(|dir| is_templates(dir)).any(|dir| dir.with_file_name("Chart.yaml").exists())
}

/// Whether a file is below a chart, which can read it as a template.
fn is_in_chart(path: &Path) -> bool {
    path.ancestors().skip(1).any(|dir| dir.join("Chart.yaml").exists())
}

/// The checkout that a path is in.
pub(super) fn checkout_of(path: &Path, run: &Run) -> Result<Checkout> {
    checkout(&checkout_root::of(path, run)?, run)
}

/// The checkout with this root, which is absolute and without symlinks.
pub(super) fn checkout(root: &Path, run: &Run) -> Result<Checkout> {
    // A case is the same in every checkout.
    let is_known = !run.repository_urls.is_empty() || run.environment.in_a_case;
    let remote = if is_known { None } else { source::remote_url(root, &run.environment.tools()) };
    let settings = Layers::read(&run.layers(&run.settings.for_source(None)?))?.application();
    Ok(Checkout {
        sets: sets(settings.output.argocd_version.minor(), run)?,
        root: root.to_owned(),
        repository_urls: run.repository_urls.iter().cloned().chain(remote).collect(),
        others: Others { checkouts: others(run)?, remotes: remotes::of(root, &settings.platform, run) },
        branch: run.base.is_some().then(|| run.target_branch()),
        argocd_namespace: run.argocd_namespace.clone(),
    })
}

/// The checkouts of `--repo`.
fn others(run: &Run) -> Result<Vec<(String, PathBuf)>> {
    let other = |typed: &String| {
        let wrong =
            |why: &str| {
                let message = Message::new(format!("`--repo {typed}`: {why}"));
                anyhow!(message.help(
                    "pass a URL and a directory, as in `--repo https://git.example.com/platform.git=../platform`"
                ))
            };
        let (url, dir) = typed.split_once('=').ok_or_else(|| wrong("expected URL=DIR"))?;
        let real = canonical(dir).ok().filter(|real| real.is_dir());
        Ok((url.to_owned(), real.ok_or_else(|| wrong(&format!("`{dir}` is not a directory")))?))
    };
    run.repositories.iter().map(other).collect()
}

/// What ApplicationSets can ask about: the clusters in the file of `--clusters`, and this minor version of Argo CD 3.
fn sets(minor: u16, run: &Run) -> Result<SetInputs> {
    let clusters = match &run.clusters {
        Some(path) => {
            let broken = |why: String| anyhow!(Message::new(why).about(path.shown()));
            let text =
                source::read_named(path, MAX_FILE).map_err(|error| broken(format!("cannot be read: {error}")))?;
            Some(applications::clusters(&text).map_err(broken)?.into())
        }
        None => None,
    };
    Ok(SetInputs::new(clusters, minor, run.environment.tools()))
}

/// The files that a path names, each with its text. Of a directory those at any depth whose text is meant, no symlinks.
pub(super) fn read(path: &Path, is_meant: fn(&str) -> bool) -> Result<Vec<(PathBuf, String)>> {
    let failed = |path: &Path, error: io::Error| {
        let about = path.shown();
        if error.kind() == io::ErrorKind::NotFound {
            let message = Message::new("no such file or directory").about(about);
            return anyhow!(message.help("pass the manifest of an Application, or a directory with Applications"));
        }
        anyhow!(Message::new(format!("cannot be read: {error}")).about(about))
    };
    if !fs::metadata(path).map_err(|error| failed(path, error))?.is_dir() {
        let text = source::read_named(path, MAX_FILE).map_err(|error| failed(path, error))?;
        return Ok(vec![(source::clean(path), text)]);
    }
    let mut files = Vec::new();
    let walk = WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk {
        let entry = entry.map_err(|error| failed(path, error.into()))?;
        let extension = entry.path().extension().and_then(|extension| extension.to_str());
        if !entry.file_type().is_file() || !extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            continue;
        }
        // A file that cannot be read is not an Application.
        if let Ok(text) = source::read_small(entry.path(), MAX_FILE)
            && is_meant(&text)
        {
            files.push((source::clean(entry.path()), text));
        }
    }
    Ok(files)
}

impl Applications {
    /// Tells on standard error what is not rendered.
    pub(super) fn tell_skipped(&self) {
        for skipped in &self.declared.skipped {
            note(&format!("not rendered: {}", skipped.message().text));
        }
    }

    /// Tells on standard error which repository was taken for this checkout, and where the clusters are from.
    pub(super) fn tell_assumed(&self) {
        for url in &self.declared.assumed {
            let why = "it has no remote `origin`, and `--repository-url` is not set";
            note(&format!("assuming that this checkout is `{url}`: {why}"));
        }
        let clusters = self.checkout.sets.assumed_clusters();
        if clusters > 0 {
            let count = plural(clusters, "Secret");
            note(&format!("assuming that the clusters are those of {count} in this checkout: `--clusters` is not set"));
        }
    }

    /// The only source, and tells on standard error what else there is; an error when there is none or several.
    pub(super) fn only(self) -> Result<Target> {
        let one = self.one()?.clone();
        self.tell_assumed();
        self.tell_skipped();
        Ok(Target::Application(Box::new(one), Arc::new(self.checkout), InBase::InItsFile))
    }

    /// The only source; an error when there is none or several.
    fn one(&self) -> Result<&ApplicationSource> {
        let Declared { sources, skipped, .. } = &self.declared;
        let reasons: Vec<Message> = skipped.iter().map(Skipped::message).collect();
        match sources.as_slice() {
            [] if reasons.is_empty() => {
                let named: Vec<String> = self.named.iter().map(|path| format!("`{}`", path.shown())).collect();
                let message = Message::new(format!("`--application`: no Application in {}", named.join(", ")));
                Err(anyhow!(
                    message.help("pass a file with a resource of kind `Application` and API group `argoproj.io`")
                ))
            }
            [] => Err(problems_error(&reasons)),
            [one] => Ok(one),
            several => {
                let places: Vec<String> = several.iter().take(2).map(|source| source.place.to_string()).collect();
                let count = plural(several.len(), "source");
                let message = Message::new(format!(
                    "`--application`: expected one source in this checkout, found {count}: {}, …",
                    places.join(", ")
                ));
                Err(anyhow!(message.help("pass a file with one Application that has one source in this checkout")))
            }
        }
    }
}

/// The version of an Application's source in this checkout.
pub(super) fn open(source: &ApplicationSource, checkout: &Checkout, run: &Run) -> Result<Version> {
    open_at(Input::Directory(dir_of(source, checkout)), source, &checkout.root, run).map_err(|error| {
        let is_of_version = error.is::<Error>();
        if is_of_version { error.context(Subject::of(source)) } else { error }
    })
}

/// The version of a source that is read from `input`. `root` is the root of this checkout in that version.
pub(super) fn open_at(input: Input, source: &ApplicationSource, root: &Path, run: &Run) -> Result<Version> {
    let typed = run.settings.for_source(None)?;
    let native = source.native.clone().transpose().map_err(Error::from)?;
    let application = application(source, run);
    let is_of_another = |name: &str| name.starts_with("ARGOCD_ENV_");
    let mut variables: BTreeMap<String, String> =
        run.environment.variables.clone().into_iter().filter(|(name, _)| !is_of_another(name)).collect();
    variables.extend(source.variables(&application));
    let texts = RawLayers {
        environment: &variables,
        application_parameters: source.parameters.as_deref(),
        native: native.as_ref(),
        without_selection: run.is_without_plugin(),
        ..run.layers(&typed)
    };
    let mut surroundings = surroundings(source, &input, run);
    surroundings.source_path.clone_from(&application.source_path);
    let references = references(source, root);
    surroundings.rendering = Rendering { application: application.clone(), references, ..surroundings.rendering };
    let opened = Source::open(input, &surroundings).map_err(Error::from)?;
    Ok(Version::read(opened, &texts, application)?)
}

/// The surroundings of a source. For a source in another repository, they have its root and the name that messages use for it.
pub(super) fn surroundings(source: &ApplicationSource, input: &Input, run: &Run) -> Surroundings {
    let mut around = run.environment.surroundings(input);
    if let Some(elsewhere) = &source.elsewhere {
        around.root = Some(elsewhere.root.clone());
        around.shown_as = shown_elsewhere(source).or(around.shown_as);
    }
    around
}

/// What the folder of a source is called if it is in the cache.
pub(super) fn shown_elsewhere(source: &ApplicationSource) -> Option<PathBuf> {
    let shown_as = source.elsewhere.as_ref()?.shown_as.as_ref()?;
    Some(source::clean(&shown_as.join(&source.dir)))
}

/// The names of the sources to which a source refers, and the roots of their repositories where these are others than its own. `root` is the
/// root of this checkout.
fn references(source: &ApplicationSource, root: &Path) -> BTreeMap<String, Option<PathBuf>> {
    let root_of = |elsewhere: &Option<Elsewhere>| elsewhere.as_ref().map_or(root, |other| &other.root).to_owned();
    let own = root_of(&source.elsewhere);
    let reference = |(name, elsewhere): (&String, &Option<Elsewhere>)| {
        (name.clone(), Some(root_of(elsewhere)).filter(|root| *root != own))
    };
    source.references.iter().map(reference).collect()
}

/// The Application of a source, with what is known of the cluster and the commit.
pub(super) fn application(source: &ApplicationSource, run: &Run) -> Application {
    let Application { revision, kube_version, api_versions, .. } = run.environment.application();
    Application { revision, kube_version, api_versions, ..source.application.clone() }
}

/// An Application that is not read for this reason, which has to do with other sources.
pub(super) fn skipped(source: &ApplicationSource, why: SkippedBecause) -> Skipped {
    Skipped { place: source.place.clone(), name: source.name().to_owned(), why, declaration: None }
}

/// The Application of an error, and its place. `{error:#}` prints both.
#[derive(Debug)]
pub(super) struct Subject(String);

impl Subject {
    /// The Application of this source.
    pub(super) fn of(source: &ApplicationSource) -> Self {
        Self(visible(&format!("Application `{}` at {}", source.name(), source.place)).into_owned())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of an error without the Application, for a report that names the Application beside the error.
pub(super) fn without_subject(error: &anyhow::Error) -> String {
    let causes = error.chain().skip(usize::from(error.is::<Subject>()));
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

//! `--application`: the Applications of the command line, and the version of a source that one of them names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use argocd_jobs::applications::{self, ApplicationSource, Checkout, Declared, MAX_OVERRIDES, Skipped, SkippedBecause};
use argocd_jobs::argocd::Application;
use argocd_jobs::settings::RawLayers;
use argocd_jobs::source::{self, Input, NoFolder, Rendering, Source};
use argocd_jobs::text::{Message, Origin, Place, plural, visible};
use argocd_jobs::version::{Error, Version};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use walkdir::WalkDir;

use super::args;
use super::environment::Environment;
use super::paths::RelativeTo;
use super::status::{note, problems_error};
use super::target::{Target, dir_of};

/// The largest file of Applications, in bytes.
const MAX_FILE: u64 = 1 << 24;

/// The extensions of the files that are read of a directory.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Applications with the checkout that their paths are in.
pub(super) struct Applications {
    /// The checkout.
    pub(super) checkout: Checkout,
    /// What the Applications declare in it.
    pub(super) declared: Declared,
    /// The files and directories that they were looked for in.
    named: Vec<PathBuf>,
}

/// The flags of Applications.
pub(super) fn flags() -> [Arg; 3] {
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
        Arg::new("argocd-namespace")
            .long("argocd-namespace")
            .value_name("NAME")
            .help_heading("Applications")
            .hide_short_help(true)
            .help("Namespace of Argo CD; Applications in other namespaces are named `<namespace>_<name>`"),
    ]
}

/// The Applications of `--application`; `None` without the flag.
pub(super) fn declared(matches: &ArgMatches, environment: &Environment) -> Result<Option<Applications>> {
    let Some(named) = matches.get_many::<String>("application") else { return Ok(None) };
    // clap knows only in a debug build which arguments a subcommand has.
    let path = if environment.subcommand == "generate" { "DIR" } else { "PATH" };
    if matches.value_source(path) == Some(ValueSource::CommandLine) {
        let message =
            Message::new("`--application` and a path cannot be used together: the Application names the directory");
        return Err(anyhow!(message.help("remove `--application` or the path")));
    }
    let named: Vec<PathBuf> = named.map(PathBuf::from).collect();
    let mut files = Vec::new();
    for path in &named {
        files.extend(read(path)?);
    }
    let checkout = checkout(&root(&named, environment)?, matches, environment);
    let declared = applications::read(&files, &checkout);
    Ok(Some(Applications { checkout, declared, named }))
}

/// The Applications in a directory and those below it.
pub(super) fn found_in(dir: &Path, matches: &ArgMatches, environment: &Environment) -> Result<Applications> {
    let checkout = checkout(&root(&[dir.to_owned()], environment)?, matches, environment);
    let mut files = read(dir)?;
    files.retain(|(path, _)| !is_template_of_chart(path));
    let mut declared = applications::read(&files, &checkout);
    // Neither a template that makes Applications nor a patch of one is a broken Application.
    let is_template = |place: &Place| match &place.origin {
        Origin::File(path) => files.iter().any(|(file, text)| file == path.as_ref() && text.contains("{{")),
        _ => false,
    };
    declared.skipped.retain(|skipped| match skipped.why {
        SkippedBecause::NoSource => false,
        SkippedBecause::Broken(_) => !is_template(&skipped.place),
        _ => true,
    });
    Ok(Applications { checkout, declared, named: vec![dir.to_owned()] })
}

/// Whether a file is below the folder `templates` of a chart, which makes something else of it.
fn is_template_of_chart(path: &Path) -> bool {
    let is_templates = |dir: &Path| dir.file_name().is_some_and(|name| name == "templates");
    path.ancestors().skip(1).filter(|dir| is_templates(dir)).any(|dir| dir.with_file_name("Chart.yaml").exists())
}

/// The checkout with this root, which is absolute and without symlinks.
pub(super) fn checkout(root: &Path, matches: &ArgMatches, environment: &Environment) -> Checkout {
    let urls: Vec<String> = matches.get_many("repository-url").into_iter().flatten().cloned().collect();
    // A case is the same in every checkout.
    let is_known = !urls.is_empty() || environment.in_a_case;
    let remote = if is_known { None } else { source::remote_url(root, &environment.tools()) };
    Checkout {
        root: root.to_owned(),
        repository_urls: urls.into_iter().chain(remote).collect(),
        argocd_namespace: matches.get_one::<String>("argocd-namespace").cloned(),
    }
}

/// The root of the checkout: that of the working directory, or else that of the first file. A case is its own checkout.
fn root(named: &[PathBuf], environment: &Environment) -> Result<PathBuf> {
    let here = fs::canonicalize(".")?;
    if environment.in_a_case {
        return Ok(here);
    }
    let is_checkout = |root: &PathBuf| root.join(".git").exists();
    let own = source::repository_root(&here)?;
    let of_file = |path: &PathBuf| {
        let real = fs::canonicalize(path).ok()?;
        source::repository_root(if real.is_dir() { &real } else { real.parent()? }).ok()
    };
    let other = named.first().and_then(of_file).filter(|root| !is_checkout(&own) && is_checkout(root));
    Ok(other.unwrap_or(own))
}

/// The files that a path names, each with its text. Of a directory those at any depth that can have Applications, no symlinks.
pub(super) fn read(path: &Path) -> Result<Vec<(PathBuf, String)>> {
    let failed = |path: &Path, error: io::Error| {
        let about = path.display();
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
        // What cannot be read is no Application.
        if let Ok(text) = source::read_small(entry.path(), MAX_FILE)
            && applications::may_have_applications(&text)
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

    /// Tells on standard error which repository was taken for this checkout.
    pub(super) fn tell_assumed(&self) {
        for url in &self.declared.assumed {
            let why = "it has no remote `origin`, and `--repository-url` is not set";
            note(&format!("assuming that this checkout is `{url}`: {why}"));
        }
    }

    /// The only source, and tells on standard error what else there is; an error when there is none or several.
    pub(super) fn only(self) -> Result<Target> {
        let one = self.one()?.clone();
        self.tell_assumed();
        self.tell_skipped();
        Ok(Target::Application(Box::new(one), Arc::new(self.checkout)))
    }

    /// The only source; an error when there is none or several.
    fn one(&self) -> Result<&ApplicationSource> {
        let Declared { sources, skipped, .. } = &self.declared;
        let reasons: Vec<Message> = skipped.iter().map(applications::Skipped::message).collect();
        match sources.as_slice() {
            [] if reasons.is_empty() => {
                let named: Vec<String> = self.named.iter().map(|path| format!("`{}`", path.display())).collect();
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

/// The version that a source of an Application is in this checkout.
pub(super) fn open(
    source: &ApplicationSource,
    checkout: &Checkout,
    matches: &ArgMatches,
    environment: &Environment,
    relative_to: RelativeTo,
) -> Result<Version> {
    let input = Input::Directory(dir_of(source, checkout));
    open_at(input, source, matches, environment, relative_to)?.map_err(|error| about(source, &error))
}

/// The version that `--base` names, of the same source: in a revision of this checkout, or in another checkout, whose root is the directory.
/// The Application is read in that version too; where it is not there, nothing of it is.
pub(super) fn open_base(
    source: &ApplicationSource,
    checkout: &Checkout,
    named: &str,
    matches: &ArgMatches,
    environment: &Environment,
) -> Result<Version> {
    let Some(source) = of_base(source, checkout, named, environment)? else { return Ok(Version::default()) };
    let dir = dir_of(&source, checkout);
    let input = || match source::base(named, Some(&dir), &environment.tools())? {
        Input::Directory(other) => in_other_checkout(&other, &source),
        input => Ok(input),
    };
    let source = laid_over(&source, input()?, environment)?;
    let opened = open_at(input()?, &source, matches, environment, RelativeTo::WorkingDirectory)?;
    opened.map_err(|error| {
        let help = format!("the error is in `{named}`, the version to compare with");
        anyhow!(Message::of_lines(&about(&source, &error).to_string()).help(help))
    })
}

/// The source as the Application's file says it in the version that `--base` names; none when it does not have the Application. Today's
/// source, with a note, when that one cannot be used here.
fn of_base(
    source: &ApplicationSource,
    checkout: &Checkout,
    named: &str,
    environment: &Environment,
) -> Result<Option<ApplicationSource>> {
    let as_it_is = || Ok(Some(source.clone()));
    let Origin::File(path) = &source.place.origin else { return as_it_is() };
    let real = fs::canonicalize(path).ok();
    let Some(below) = real.as_deref().and_then(|real| real.strip_prefix(&checkout.root).ok()) else {
        return as_it_is();
    };
    let text = match source::base(named, path.parent().map(or_here), &environment.tools())? {
        // A directory need not be a whole checkout.
        Input::Directory(other) => match source::small_file_in(&fs::canonicalize(other)?, below, MAX_FILE)? {
            None => return as_it_is(),
            text => text,
        },
        input => {
            let surroundings = environment.surroundings(&input, RelativeTo::WorkingDirectory);
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            Source::open(input, &surroundings)?.small_file(name, MAX_FILE)?
        }
    };
    let Some(text) = text else { return Ok(None) };
    let declared = applications::read(&[(path.to_path_buf(), text)], checkout);
    let of_name = declared.sources.into_iter().filter(|other| other.name() == source.name());
    if let Some(other) = of_name.min_by_key(|other| other.dir != source.dir) {
        return Ok(Some(other));
    }
    let Some(skipped) = declared.skipped.into_iter().find(|skipped| skipped.name == source.name()) else {
        return Ok(None);
    };
    note(&format!("in `{named}`: {}; using the Application as it is now", skipped.message().text));
    as_it_is()
}

/// A directory; the working directory for an empty path.
fn or_here(dir: &Path) -> &Path {
    if dir.as_os_str().is_empty() { Path::new(".") } else { dir }
}

/// The source with the files over it that are in another version of its folder.
fn laid_over(source: &ApplicationSource, input: Input, environment: &Environment) -> Result<ApplicationSource> {
    let surroundings = environment.surroundings(&input, RelativeTo::WorkingDirectory);
    let mut opened = Source::open(input, &surroundings)?;
    let mut files = Vec::new();
    for name in source.overriding_files() {
        if let Some(text) = opened.small_file(&name, MAX_OVERRIDES)? {
            files.push((name, text));
        }
    }
    source.laid_over(&files).map_err(|why| {
        let skipped = Skipped { place: source.place.clone(), name: source.name().to_owned(), why };
        anyhow!(skipped.message())
    })
}

/// The folder of a source in another checkout; no files when it has none.
fn in_other_checkout(other: &Path, source: &ApplicationSource) -> Result<Input> {
    let path = source.dir.to_string_lossy();
    match source::folder_in(&fs::canonicalize(other)?, &path) {
        Ok(below) => Ok(Input::Directory(other.join(below))),
        Err(NoFolder::Missing) => Ok(Input::Files(BTreeMap::new())),
        Err(NoFolder::Leaves) => Err(anyhow!(Message::new(format!("`{path}` leads out of `{}`", other.display())))),
        Err(NoFolder::Unreadable(error)) => {
            Err(anyhow!(Message::new(error.to_string()).about(other.join(&source.dir).display())))
        }
    }
}

fn open_at(
    input: Input,
    source: &ApplicationSource,
    matches: &ArgMatches,
    environment: &Environment,
    relative_to: RelativeTo,
) -> Result<std::result::Result<Version, Error>> {
    let typed = args::typed(matches, None)?;
    let known = environment.application();
    let Application { revision, kube_version, api_versions, .. } = known;
    let application = Application { revision, kube_version, api_versions, ..source.application.clone() };
    let is_of_another = |name: &str| name.starts_with("ARGOCD_ENV_");
    let mut variables: BTreeMap<String, String> =
        environment.variables.clone().into_iter().filter(|(name, _)| !is_of_another(name)).collect();
    variables.extend(source.variables(&application));
    let texts = RawLayers {
        environment: &variables,
        config_file: None,
        application_parameters: source.parameters.as_deref(),
        command_line: &typed,
        in_a_case: environment.in_a_case,
        is_native: application.is_native,
        as_written: args::is_as_written(matches),
    };
    let mut surroundings = environment.surroundings(&input, relative_to);
    surroundings.source_path.clone_from(&application.source_path);
    let references: BTreeSet<String> = source.references.clone();
    surroundings.rendering = Rendering { application: application.clone(), references, ..surroundings.rendering };
    let opened = Source::open(input, &surroundings).map_err(Error::from);
    Ok(opened.and_then(|opened| Version::read(opened, &texts, application)))
}

/// An error with the Application that it is about.
fn about(source: &ApplicationSource, error: &Error) -> anyhow::Error {
    anyhow!("{}: {error}", subject(source))
}

/// The Application and its place, for a message.
pub(super) fn subject(source: &ApplicationSource) -> String {
    visible(&format!("Application `{}` at {}", source.name(), source.place)).into_owned()
}

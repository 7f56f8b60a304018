//! The Applications of the command line: those that `--application` names, and those in a directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use anyhow::{Result, anyhow};
use render::remote::{Fetching, Remotes};
use rewrite::settings::{Layers, Network, PlatformSettings};
use source::Input;
use system::{PathText, canonical};
use text::{Message, Origin, Place, plural};
use walkdir::WalkDir;

use crate::applications::{
    self, ApplicationSource, Checkout, Declared, Others, SetInputs, Skipped, SkippedBecause, Tags,
};
use crate::base;
use crate::errors::{problems_error, unreadable};
use crate::file_text::FileText;
use crate::notes::Notes;
use crate::pair::{Pair, pair};
use crate::paths::check_in_checkout;
use crate::run::Run;
use crate::target::Target;

/// The largest file of Applications, in bytes.
pub(crate) const MAX_FILE: u64 = 1 << 24;

/// The extensions of the files that are read of a directory.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "tpl"];

/// Applications with the checkout that their paths are in.
pub struct Applications {
    /// The checkout.
    pub(crate) checkout: Checkout,
    /// What the Applications declare in it.
    pub(crate) declared: Declared,
    /// The folders with files in which Applications can be, also in templates of charts. Only for a directory.
    pub(crate) dirs: BTreeSet<PathBuf>,
    /// The files and directories that they were looked for in.
    named: Vec<PathBuf>,
}

/// The Applications of `--application`; `None` without the flag.
pub fn declared(run: &Run) -> Result<Option<Applications>> {
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
    let checkout = checkout(&run.root_of_applications(&named)?, run)?;
    let declared = applications::read(&files, &checkout);
    Ok(Some(Applications { checkout, declared, named, dirs: BTreeSet::new() }))
}

/// The Applications in a directory, at any depth.
pub(crate) fn found_in(dir: &Path, run: &Run) -> Result<Applications> {
    let checkout = checkout_of(dir, run)?;
    let (declared, dirs) = declared_in(dir, dir, &checkout)?;
    Ok(Applications { checkout, declared, dirs, named: vec![dir.to_owned()] })
}

/// The sources of the Applications below `dir`, and the folders with files in which Applications can be. Their places are shown as if they were
/// below `shown_as`.
pub(crate) fn declared_in(dir: &Path, shown_as: &Path, checkout: &Checkout) -> Result<(Declared, BTreeSet<PathBuf>)> {
    let (mut files, mut dirs, mut templates) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let top = checkout::clean(dir);
    for (path, text) in read(dir, applications::may_have_applications)? {
        let shown = moved(&path, &top, shown_as);
        dirs.extend(shown.parent().filter(|_| applications::mentions_applications(&text)).map(checkout::clean));
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
    let places = declared.sources.iter().map(|source| &source.place);
    let places = places.chain(declared.skipped.iter().map(|skipped| &skipped.place));
    dirs.extend(places.filter_map(|place| match &place.origin {
        Origin::File(path) => path.parent().map(checkout::clean),
        _ => None,
    }));
    // Neither a template that makes Applications nor a patch of one is a broken Application.
    let is_template = |place: &Place| matches!(&place.origin, Origin::File(path) if templates.contains(path.as_ref()));
    declared.skipped.retain(|skipped| match skipped.why {
        SkippedBecause::NoSource => false,
        SkippedBecause::Broken(_) | SkippedBecause::InvalidName(_) | SkippedBecause::BrokenSet(_) => {
            !is_template(&skipped.place)
        }
        _ => true,
    });
    Ok((declared, dirs))
}

/// The path of `top`, or of a file below it, as if `top` were `shown_as`.
fn moved(path: &Path, top: &Path, shown_as: &Path) -> PathBuf {
    path.strip_prefix(top).map_or_else(|_| path.to_owned(), |below| checkout::clean(&shown_as.join(below)))
}

/// Whether a file is below the folder `templates` of a chart, which makes something else of it.
pub(crate) fn is_template_of_chart(path: &Path) -> bool {
    let is_templates = |dir: &Path| dir.file_name().is_some_and(|name| name == "templates");
    path.ancestors().skip(1).filter(|dir| is_templates(dir)).any(|dir| dir.with_file_name("Chart.yaml").exists())
}

/// Whether a file is below a chart, which can read it as a template.
fn is_in_chart(path: &Path) -> bool {
    path.ancestors().skip(1).any(|dir| dir.join("Chart.yaml").exists())
}

/// The checkout that a path is in.
pub(crate) fn checkout_of(path: &Path, run: &Run) -> Result<Checkout> {
    checkout(&run.checkout_root(path)?, run)
}

/// The checkout with this root, which is absolute and without symlinks.
pub fn checkout(root: &Path, run: &Run) -> Result<Checkout> {
    // A case is the same in every checkout.
    let is_known = !run.repository_urls.is_empty() || run.environment.in_a_case;
    let remote = if is_known { None } else { source::remote_url(root, &run.environment.tools()) };
    // Only a comparison asks for them, and only once.
    let tags = run.base.as_ref().map(|_| match run.environment.in_a_case {
        true => Arc::default(),
        false => Arc::new(source::tags(root, &run.environment.tools())),
    });
    let settings = Layers::read(&run.layers(&run.settings.for_source(None)?))?.application();
    let at_tags = |names: Arc<BTreeSet<String>>| {
        let surroundings = run.environment.surroundings(&Input::Directory(root.to_owned()));
        (!names.is_empty()).then(|| Tags::of(root.to_owned(), names, surroundings))
    };
    Ok(Checkout {
        sets: sets(settings.output.argocd_version.minor(), run)?,
        root: root.to_owned(),
        repository_urls: run.repository_urls.iter().cloned().chain(remote).collect(),
        others: Others { checkouts: others(run)?, remotes: remotes(root, &settings.platform, run) },
        branch: tags.clone().map(|tags| run.target_branch(tags)),
        tags: tags.and_then(at_tags),
        argocd_namespace: run.argocd_namespace.clone(),
    })
}

/// The fetcher of charts and other repositories; `None` in a case, whose output is the same on every machine.
fn remotes(checkout: &Path, platform: &PlatformSettings, run: &Run) -> Option<Arc<Remotes>> {
    if run.environment.in_a_case {
        return None;
    }
    let environment = &run.environment;
    let rendering = environment.rendering();
    let variables =
        Remotes::VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), environment.get(name)?.into())));
    Some(Arc::new(Remotes::new(Fetching {
        cache: environment.cache().filter(|cache| !cache.starts_with(checkout)),
        // Elsewhere than on Linux the network is allowed by default: there nobody can deny it. To fetch, somebody has to say so.
        network: platform.network.unwrap_or(Network::Never),
        tools: environment.tools(),
        checkout: checkout.to_owned(),
        launcher: rendering.launcher,
        temporary: rendering.temporary,
        variables: variables.chain(rendering.passed_on).collect(),
        time: platform.time,
        memory: platform.memory,
    })))
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
            let text = checkout::read_named(path, MAX_FILE).map_err(|error| unreadable(path, &error))?;
            let clusters = applications::clusters(&text);
            Some(clusters.map_err(|why| anyhow!(Message::new(why).about(path.shown())))?.into())
        }
        None => None,
    };
    Ok(SetInputs::new(clusters, minor, run.environment.tools()))
}

/// The files that a path names, each with its text. In a directory the files at any depth whose text is meant, without symlinks.
pub fn read(path: &Path, is_meant: fn(&str) -> bool) -> Result<Vec<(PathBuf, String)>> {
    let failed = |path: &Path, error: io::Error| {
        if error.kind() != io::ErrorKind::NotFound {
            return unreadable(path, &error);
        }
        let message = Message::new("no such file or directory").about(path.shown());
        anyhow!(message.help("pass the manifest of an Application, or a directory with Applications"))
    };
    let found = fs::metadata(path).map_err(|error| failed(path, error))?;
    check_in_checkout(path)?;
    if !found.is_dir() {
        let text = checkout::read_named(path, MAX_FILE).map_err(|error| failed(path, error))?;
        return Ok(vec![(checkout::clean(path), text)]);
    }
    let mut files = Vec::new();
    let walk = WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk {
        let entry = entry.map_err(|error| failed(path, error.into()))?;
        let extension = entry.path().extension().and_then(|extension| extension.to_str());
        if !entry.file_type().is_file() || !extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            continue;
        }
        // No cluster takes objects of this size.
        if let Some(text) = FileText::of(entry.path()).text()
            && is_meant(&text)
        {
            files.push((checkout::clean(entry.path()), text));
        }
    }
    Ok(files)
}

impl Applications {
    /// The sources that only the version of `--base` declares, in the files and directories that are named. None of an Application that the new version
    /// declares in another file of the checkout.
    pub(crate) fn lost(&self, run: &Run) -> Result<Vec<Pair>> {
        if run.base_on_disk().is_none() {
            return Ok(Vec::new());
        }
        let Some(root) = base::root_in(&self.checkout, run)? else { return Ok(Vec::new()) };
        let mut files = Vec::new();
        for named in &self.named {
            let real = canonical(named).ok();
            let below = real.as_deref().and_then(|real| real.strip_prefix(&self.checkout.root).ok());
            let Some(there) = below.map(|below| root.join(below)).filter(|there| there.exists()) else { continue };
            let (found, top) = (read(&there, applications::may_have_applications)?, checkout::clean(&there));
            files.extend(found.into_iter().map(|(path, text)| (moved(&path, &top, named), text)));
        }
        let old = applications::read(&files, &base::checkout(root.clone(), &self.checkout));
        let pairs = pair(old.sources, self.declared.sources.clone());
        let mut lost: Vec<Pair> = pairs.into_iter().filter(|pair| pair.in_new().is_none()).collect();
        let here: BTreeSet<&str> = self.declared.sources.iter().map(ApplicationSource::name).collect();
        if lost.iter().any(|pair| !here.contains(pair.source().name())) {
            let (elsewhere, _) = declared_in(&self.checkout.root, &self.checkout.root, &self.checkout)?;
            // The other version can be a directory of this checkout.
            let is_here = |source: &&ApplicationSource| match &source.place.origin {
                Origin::File(path) => !path.starts_with(&root),
                _ => true,
            };
            let elsewhere = elsewhere.sources.iter().filter(is_here).map(ApplicationSource::name);
            let elsewhere: BTreeSet<&str> = elsewhere.collect();
            lost.retain(|pair| here.contains(pair.source().name()) || !elsewhere.contains(pair.source().name()));
        }
        Ok(lost)
    }

    /// Notes which Applications are not rendered.
    pub(crate) fn tell_skipped(&self, notes: &Notes) {
        for skipped in &self.declared.skipped {
            notes.add(format!("not rendered: {}", skipped.message().text));
        }
    }

    /// Notes which repository was taken for this checkout, and where the clusters are from.
    pub(crate) fn tell_assumed(&self, notes: &Notes) {
        for url in &self.declared.assumed {
            let why = "it has no remote `origin`, and `--repository-url` is not set";
            notes.add(format!("assuming that this checkout is `{url}`: {why}"));
        }
        let clusters = self.checkout.sets.assumed_clusters();
        if clusters > 0 {
            let count = plural(clusters, "Secret");
            notes.add(format!(
                "assuming that the clusters are those of {count} in this checkout: `--clusters` is not set"
            ));
        }
    }

    /// The only source; notes which Applications are left out. An error without a source, and for several.
    pub fn only(self, notes: &Notes) -> Result<Target> {
        let one = self.one()?.clone();
        self.tell_assumed(notes);
        self.tell_skipped(notes);
        Ok(Target::Application(Pair::single(one), Arc::new(self.checkout)))
    }

    /// The only source. An error without a source, and for several.
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

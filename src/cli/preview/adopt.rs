//! `argocd-jobs adopt`: puts the plugin into live Applications, so that no Job runs that has run, and shows what their first sync does.

use std::collections::BTreeMap;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use argocd_jobs::applications::{self as declared, ApplicationSource, Checkout, Declared, NotAdopted, SkippedBecause};
use argocd_jobs::output::adopt::{left, next_steps, why_not};
use argocd_jobs::output::check::patch::{self, Text};
use argocd_jobs::output::preview::baseline::recorded;
use argocd_jobs::output::sources::PassedOver;
use argocd_jobs::settings::baseline::Hashes;
use argocd_jobs::source;
use argocd_jobs::text::{Lines, Message, Origin, Place, on_one_line, plural};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::arguments::{Arguments, Format};
use super::report::{self, check_problems};
use crate::cli::choice::{When, value};
use crate::cli::environment::Environment;
use crate::cli::paths::RelativeTo;
use crate::cli::progress::Progress;
use crate::cli::read::Read;
use crate::cli::run::Run;
use crate::cli::sources::Sources;
use crate::cli::status::{Status, note, print_text};
use crate::cli::target::{InBase, Target};
use crate::cli::{applications, args, checkout_root, help};

/// Its arguments.
pub(in crate::cli) fn command() -> Command {
    let path = Arg::new("PATH")
        .help("Manifests of Applications or ApplicationSets, or directories with them")
        .value_hint(ValueHint::AnyPath)
        .action(ArgAction::Append)
        .required(true)
        .num_args(1..);
    let write = Arg::new("write")
        .long("write")
        .help("Change the files; without it the change is shown, and nothing is written")
        .action(ArgAction::SetTrue);
    let all =
        Arg::new("all").long("all").help("List every Job, without grouping or shortening").action(ArgAction::SetTrue);
    let [_, url, repo, namespace] = applications::flags();
    Command::new("adopt")
        .about("Put the plugin into live Applications, so that no Job runs that has run, and show what their first sync does")
        .long_about(
            "Put the plugin into live Applications, so that no Job runs that has run, and show what their first sync does. The block `helm`, `kustomize` \
             or `directory` of the source becomes parameters of the plugin, `Replace=true` goes from the sync options, and the content hashes of the Jobs \
             become the parameter `baseline`. Everything else in the files stays as it is, byte for byte",
        )
        .after_help(help::examples(
            &[
                ("See what changes in an Application, and what its first sync runs", "argocd-jobs adopt apps/shop.yaml"),
                ("Change it", "argocd-jobs adopt apps/shop.yaml --write"),
            ],
            "Exit status: 0 success, 1 if an Application cannot be changed, or if its first sync fails, 2 error.",
        ))
        .args([path, write, all, args::color(), url, repo, namespace])
        .args(applications::search_flags().into_iter().filter(|arg| arg.get_id() == "clusters"))
        .args(args::settings_flags())
}

/// Changes the Applications in the files, or shows the change; then previews their first sync.
pub(in crate::cli) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let mut run = Run::of(matches, environment)?;
    let writes = matches.get_flag("write");
    if writes && run.environment.in_a_case {
        let message = Message::new("`--write` cannot write files in a test case");
        return Err(anyhow!(message.help("leave `--write` out; the expected output is then the diff")));
    }
    let paths: Vec<PathBuf> = run.paths.iter().map(PathBuf::from).collect();
    let checkout = applications::checkout(&checkout_root::of_applications(&paths, &run)?, &run)?;
    let mut files = Vec::new();
    for path in &paths {
        let is_dir = path.is_dir();
        let read = applications::read(path, declared::may_have_applications)?;
        for (path, text) in read.into_iter().filter(|(_, text)| declared::may_have_applications(text)) {
            let mut file = File::adopt(path, text, &checkout, &run);
            // In a directory there are patches of Applications too.
            file.refused.retain(|(is_patch, _)| !(is_dir && *is_patch));
            files.push(file);
        }
    }
    let typed = |run| Arguments {
        run,
        format: Format::Text,
        diff: When::Never,
        all: matches.get_flag("all"),
        color: value(matches, "color"),
        exit_code: false,
        baseline: false,
        write: false,
    };
    if files.is_empty() {
        let named = run.paths.join("`, `");
        let message = Message::new(format!("no Application or ApplicationSet in `{named}`"));
        return Err(anyhow!(
            message.help("pass a file with a resource of kind `Application` and API group `argoproj.io`")
        ));
    }
    let refused: Vec<Message> =
        files.iter_mut().flat_map(|file| mem::take(&mut file.refused)).map(|(_, message)| message).collect();
    refused.iter().for_each(|message| note(&on_one_line(&message.to_string())));
    let without_jobs: usize = files.iter().map(|file| file.without_jobs).sum();
    if without_jobs > 0 {
        note(&format!("left as they are, because they have no Jobs: {}", plural(without_jobs, "Application")));
    }
    files.retain(|file| file.new != file.old);
    if files.is_empty() {
        note("nothing to change");
        return Ok(if refused.is_empty() { Status::Done } else { Status::Found });
    }
    for file in &files {
        file.write_or_show(writes, &typed(run.clone()))?;
    }
    run.base = Some("-".to_owned());
    run.base_called = Some(run.paths.join("`, `"));
    let progress = Progress::begin("reading the sources");
    let checkout = Arc::new(checkout);
    let read: Vec<Read> = files.iter().map(|file| file.read(&checkout, &run)).collect::<Result<Vec<_>>>()?.concat();
    let sources = Sources { is_single: read.len() == 1, checkout: Some(checkout), ..Sources::default() };
    let status = report::tell(&read, &PassedOver::default(), &sources, &typed(run), progress)?;
    print_text(&next_steps(writes, files.iter().flat_map(File::names)))?;
    Ok(if refused.is_empty() { status } else { Status::Found })
}

/// A file with Applications, before and after.
struct File {
    path: PathBuf,
    old: String,
    new: String,
    /// Those that change: the sources as the old and as the new text declare them.
    sources: Vec<(ApplicationSource, ApplicationSource)>,
    /// How many have no Jobs.
    without_jobs: usize,
    /// Why others are left as they are, and whether that is because they have no source, as in a patch.
    refused: Vec<(bool, Message)>,
}

/// What declares a source: whether it is an ApplicationSet, and its name.
type By = (bool, String);

impl File {
    /// Reads the Applications, and the Jobs that they render.
    fn adopt(path: PathBuf, old: String, checkout: &Checkout, run: &Run) -> Self {
        let read = |text: &str| declared::read(&[(path.clone(), text.to_owned())], checkout);
        let (first, all) = declared::adopt(&old, &|_, _| Some(Hashes::new()));
        let Declared { sources, skipped, .. } = read(&first);
        let lines = Lines::of(&old);
        let (mut chosen, mut refused, mut without_jobs) = (BTreeMap::new(), Vec::new(), 0);
        for one in &all {
            let by: By = (one.kind == "ApplicationSet", one.name.clone());
            let of_it: Vec<&ApplicationSource> = sources.iter().filter(|source| declared_by(source) == by).collect();
            let unread = skipped.iter().find(|skipped| declares(&skipped.name, &one.name));
            let why_not = match (&one.why_not, unread) {
                (Some(why), _) => Some(why_not(why)),
                (None, Some(skipped)) => Some(Message::new(skipped.why.text())),
                (None, None) if of_it.is_empty() => Some(Message::new("none of its sources can be read here")),
                (None, None) => match Self::jobs(&of_it, checkout, run) {
                    Ok(jobs) => {
                        without_jobs += usize::from(jobs.is_empty());
                        if !jobs.is_empty() {
                            chosen.insert(by, jobs.into_iter().flatten().collect::<Hashes>());
                        }
                        None
                    }
                    Err(error) => Some(Message::of_error(&error)),
                },
            };
            let place = Place::new(Origin::File(path.as_path().into()), lines.at(&old, one.offset));
            let is_patch = one.why_not == Some(NotAdopted::NoSource)
                || unread.is_some_and(|skipped| skipped.why == SkippedBecause::NoSource);
            refused.extend(why_not.map(|why| (is_patch, left(one.kind, &one.name, why).about(place))));
        }
        let baseline = |kind: &str, name: &str| chosen.get(&(kind == "ApplicationSet", name.to_owned())).cloned();
        let (new, _) = declared::adopt(&old, &baseline);
        let named = |source: ApplicationSource| (source.name().to_owned(), source);
        let mut before: BTreeMap<String, ApplicationSource> = read(&old).sources.into_iter().map(named).collect();
        let after = read(&new).sources.into_iter().filter(|source| chosen.contains_key(&declared_by(source)));
        let sources = after.filter_map(|source| Some((before.remove(source.name())?, source))).collect();
        Self { path, old, new, sources, without_jobs, refused }
    }

    /// The content hashes of the Jobs of these sources, or why they cannot be read; none of a source without Jobs.
    fn jobs(sources: &[&ApplicationSource], checkout: &Checkout, run: &Run) -> Result<Vec<Hashes>, String> {
        let jobs = sources.iter().map(|source| {
            let failed = |error: anyhow::Error| {
                let text = format!("{error:#}");
                let whose = applications::subject(source) + ": ";
                text.strip_prefix(&whose).map_or(text.clone(), ToOwned::to_owned)
            };
            hashes(source, checkout, run).map_err(failed)
        });
        Ok(jobs.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn write_or_show(&self, writes: bool, typed: &Arguments) -> Result<()> {
        if writes {
            let refused = |reason| anyhow!(Message::new(format!("not written: {reason}")).about(self.path.display()));
            source::replace(&self.path, &self.old, &self.new).map_err(refused)?;
            return print_text(&format!("{}: changed\n\n", self.path.display()));
        }
        let text = |text| Text { text, hidden: &[] };
        let paint = typed.run.environment.paint(typed.color);
        let name = self.path.display().to_string();
        print_text(&(patch::print(&name, text(&self.old), text(&self.new), paint) + "\n"))
    }

    /// The sources as both texts declare them.
    fn read(&self, checkout: &Arc<Checkout>, run: &Run) -> Result<Vec<Read>> {
        let read = |(old, new): &(ApplicationSource, ApplicationSource)| {
            let open = |source| applications::open(source, checkout, run, RelativeTo::WorkingDirectory).map(Box::new);
            let (version, base) = (open(new)?, Some(open(old)?));
            let target = Target::Application(Box::new(new.clone()), Arc::clone(checkout), InBase::Nowhere);
            Ok(Read { version, base, ..Read::of(target.path().display().to_string(), target) })
        };
        self.sources.iter().map(read).collect()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|(_, new)| new.name())
    }
}

fn declared_by(source: &ApplicationSource) -> By {
    match &source.set {
        Some((policy, _)) => (true, policy.name.clone()),
        None => (false, source.name().rsplit('_').next().unwrap_or_default().to_owned()),
    }
}

/// Whether the Application, as a plugin knows it, has this name: outside of the namespace of Argo CD, its namespace stands before it.
fn declares(of_plugin: &str, name: &str) -> bool {
    of_plugin.rsplit('_').next() == Some(name)
}

/// The content hashes of the ordinary Jobs that a source renders; none if the plugin changes nothing in it.
fn hashes(source: &ApplicationSource, checkout: &Checkout, run: &Run) -> Result<Option<Hashes>> {
    let version = applications::open(source, checkout, run, RelativeTo::WorkingDirectory)?;
    let analysis = version.survey();
    check_problems(&analysis.problems)?;
    let report = analysis.report();
    let jobs = recorded(&analysis.survey, &report);
    let hashes = jobs.iter().map(|job| (job.key.clone(), job.hash.to_owned())).collect();
    Ok((!analysis.survey.plan.jobs.is_empty()).then_some(hashes))
}

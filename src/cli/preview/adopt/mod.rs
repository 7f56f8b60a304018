//! `argocd-jobs adopt`: puts the plugin into live Applications without running finished Jobs again, and shows what their first sync does.

mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use ::report::adopt::next_steps;
use ::report::check::patch::{self, Text};
use ::report::preview::live as output;
use anyhow::{Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use deployment::applications::{self as declared, ApplicationSource};
use deployment::reading::Reading;
use deployment::row::PassedOver;
use deployment::{Environment, Pair, Read, Run, Target, live_jobs, real, search};
use lint::Analysis;
use preview::{Cluster, judge};
use system::PathText;
use text::{Message, on_one_line, plural};

use super::arguments::{Arguments, Format};
use super::{live, report};
use crate::cli::flags::{self, When, flag, switch, value};
use crate::cli::notes::{note, tell};
use crate::cli::progress::Progress;
use crate::cli::status::{Status, print_text};
use crate::cli::{application_flags, arguments, help, terminal, typed_settings};
use file::{Around, File, Refused};

/// The arguments of `adopt`.
pub(in crate::cli) fn command() -> Command {
    let path = Arg::new("PATH")
        .help("Manifests of Applications or ApplicationSets, or directories with them")
        .value_hint(ValueHint::AnyPath)
        .action(ArgAction::Append)
        .required(true)
        .num_args(1..);
    let write = switch("write").help("Change the files; without it the change is shown, and nothing is written");
    let all = switch("all").help("List every Job, without grouping or shortening");
    let live = flag("live", "FILE")
        .value_hint(ValueHint::FilePath)
        .help("The live Jobs of the destination cluster, as `kubectl get jobs -A -o json` prints them: then the baseline has only Jobs that are live and unchanged; `-` reads standard input");
    let [_, url, repo, namespace] = application_flags::flags();
    Command::new("adopt")
        .about("Put the plugin into live Applications without running finished Jobs again, and show what their first sync does")
        .long_about(
            "Put the plugin into live Applications without running finished Jobs again, and show what their first sync does. The block `helm`, `kustomize` \
             or `directory` of the source becomes parameters of the plugin, `Replace=true` is removed from the sync options, and the content hashes of the Jobs \
             become the parameter `baseline`. Everything else in the files stays as it is, byte for byte",
        )
        .after_help(help::examples(
            &[
                ("See what changes in an Application, and what its first sync runs", "argocd-jobs adopt apps/shop.yaml"),
                ("The same by what is live", "kubectl get jobs -A -o json | argocd-jobs adopt apps/shop.yaml --live -"),
                ("Change it", "argocd-jobs adopt apps/shop.yaml --write"),
            ],
            "Exit status: 0 success, 1 if an Application cannot be changed, or if its first sync fails, 2 error.",
        ))
        .args([path, live, write, all, flags::color(), url, repo, namespace])
        .args(application_flags::search_flags().into_iter().filter(|arg| arg.get_id() == "clusters"))
        .args(typed_settings::flags())
}

/// Changes the Applications in the files, or shows the change; then says what their first sync does.
pub(in crate::cli) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let run = arguments::run(matches, environment)?;
    run.settings.refuse_those_of_jobs("`adopt` writes no settings")?;
    let writes = matches.get_flag("write");
    if writes && run.environment.in_a_case {
        let message = Message::new("`--write` cannot write files in a test case");
        return Err(anyhow!(message.help("leave `--write` out; the expected output is then the diff")));
    }
    let cluster = matches.get_one::<String>("live").map(|file| live_jobs::read(file)).transpose()?;
    let paths: Vec<PathBuf> = run.paths.iter().map(PathBuf::from).collect();
    let checkout = Arc::new(search::checkout(&run.root_of_applications(&paths)?, &run)?);
    let around = Around { checkout: &checkout, cluster: cluster.as_ref(), run: &run };
    let mut files = files(&paths, &around)?;
    tell(&run.environment.notes);
    let refused = tell_left(&files);
    files.retain(|file| file.new != file.old);
    if files.is_empty() {
        note("nothing to change");
        return Ok(if refused == 0 { Status::Done } else { Status::Found });
    }
    let typed = Arguments {
        // The manifest of the Application has both declarations, so no `--base` is read.
        run: Run { base: Some("-".to_owned()), base_called: Some(run.paths.join("`, `")), ..run.clone() },
        format: Format::Text,
        diff: When::Never,
        all: matches.get_flag("all"),
        color: value(matches, "color"),
        exit_code: false,
        upgrade: None,
    };
    if writes {
        for file in &files {
            checkout::check_replaceable(&file.path, &file.old).map_err(|reason| {
                anyhow!(Message::new(format!("nothing is written: {reason}")).about(file.path.shown()))
            })?;
        }
    }
    for file in &files {
        write_or_show(file, writes, &typed)?;
    }
    let status = match &cluster {
        Some(cluster) => of_live(&files, cluster, &around, &typed)?,
        None => of_git(&files, &around, &typed)?,
    };
    let sources: Vec<&ApplicationSource> = files.iter().flat_map(|file| &file.sources).map(|(_, new)| new).collect();
    let names: BTreeSet<&str> = sources.iter().map(|source| source.name()).collect();
    let revisions = sources.iter().filter_map(|source| source.application.target_revision.as_deref());
    let revisions = revisions.filter(|revision| *revision != "HEAD").collect();
    print_text(&next_steps(writes, cluster.is_some(), &names, &revisions))?;
    Ok(if refused == 0 { status } else { Status::Found })
}

/// The files with Applications that the paths name.
fn files(paths: &[PathBuf], around: &Around<'_>) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let is_dir = path.is_dir();
        let read = search::read(path, declared::may_have_applications)?;
        for (path, text) in read.into_iter().filter(|(_, text)| declared::may_have_applications(text)) {
            if !seen.insert(real(&path)) {
                continue;
            }
            let mut file = File::adopt(path, text, around);
            // In a directory there are patches and templates of Applications too.
            file.refused.retain(|refused| !(is_dir && refused.is_patch));
            files.push(file);
        }
    }
    if files.is_empty() {
        let named = around.run.paths.join("`, `");
        let message = Message::new(format!("no Application or ApplicationSet in `{named}`"));
        return Err(anyhow!(
            message.help("pass a file with a resource of kind `Application` and API group `argoproj.io`")
        ));
    }
    Ok(files)
}

/// Prints what is left as it is, and returns how much of it could not be changed.
fn tell_left(files: &[File]) -> usize {
    let refused: Vec<&Refused> = files.iter().flat_map(|file| &file.refused).collect();
    let mut by_reason: BTreeMap<&str, Vec<&Refused>> = BTreeMap::new();
    refused.iter().for_each(|one| by_reason.entry(&one.why).or_default().push(one));
    for one in by_reason.into_values() {
        let more = if one.len() > 1 { format!(" (and {} more for this reason)", one.len() - 1) } else { String::new() };
        note(&(on_one_line(&one[0].message.to_string()) + &more));
    }
    let without_jobs: usize = files.iter().map(|file| file.without_jobs).sum();
    if without_jobs > 0 {
        note(&format!("left as they are, because they have no Jobs: {}", plural(without_jobs, "Application")));
    }
    refused.iter().filter(|one| !one.is_done).count()
}

fn write_or_show(file: &File, writes: bool, typed: &Arguments) -> Result<()> {
    let name = file.path.shown().to_string();
    if writes {
        let refused = |reason| anyhow!(Message::new(format!("not written: {reason}")).about(&name));
        checkout::replace(&file.path, &file.old, &file.new).map_err(refused)?;
        return print_text(&format!("{name}: changed\n\n"));
    }
    let text = |text| Text { text, hidden: &[] };
    let paint = terminal::paint(&typed.run.environment, typed.color);
    print_text(&(patch::print(&name, text(&file.old), text(&file.new), paint) + "\n"))
}

/// Says what the first sync does, if the cluster is as Git is.
fn of_git(files: &[File], around: &Around<'_>, typed: &Arguments) -> Result<Status> {
    let progress = Progress::begin("reading the sources");
    let mut read = Vec::new();
    for (old, new) in files.iter().flat_map(|file| &file.sources) {
        let open = |source| around.open(source).map(Box::new).map_err(|message| anyhow!(message));
        let target = Target::Application(Pair::new(new.clone()), Arc::clone(around.checkout));
        let shown_as = target.path().shown().to_string();
        read.push(Read::new(shown_as, target, Ok(open(new)?), Some(Ok(open(old)?))));
    }
    let is_single = read.len() == 1;
    report::print(&Reading { read, passed_over: PassedOver::default(), is_single }, typed, progress)
}

/// Says what the first sync does to the live Jobs.
fn of_live(files: &[File], cluster: &Cluster, around: &Around<'_>, typed: &Arguments) -> Result<Status> {
    let sources: Vec<&ApplicationSource> = files.iter().flat_map(|file| &file.sources).map(|(_, new)| new).collect();
    let mut is_wrong = false;
    for (index, source) in sources.iter().enumerate() {
        let version = around.open(source).map_err(|message| anyhow!(message))?;
        let judged = judge(&Analysis::without_findings(&version), cluster, None).map_err(|message| anyhow!(message))?;
        let forecast = judged.forecast();
        let before = if index > 0 { "\n" } else { "" };
        let heading = if sources.len() == 1 { String::new() } else { format!("{before}== {}\n", source.name()) };
        print_text(&(heading + &output::text(&judged, &forecast, typed.show())))?;
        is_wrong |= live::is_wrong(&forecast);
    }
    Ok(if is_wrong { Status::Found } else { Status::Done })
}

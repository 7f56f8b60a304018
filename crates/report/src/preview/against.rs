//! Text for terminals: what becomes of the Jobs from another version to this one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use kube_jobs::argocd::MANIFEST_GENERATE_PATHS;
use lint::{Finding, Level};
use preview::{AutoSync, Compared, Comparison, NewOrOld, OutOfSync, Refused, Start, Verdict, When};
use text::{listed, plural, visible};

use super::answer::Answer;
use super::findings::block;
use super::gone;
use super::groups::{Group, groups};
use super::headline::{compared_with, in_windows};
use super::next_step::next_step;
use super::order::order;
use crate::paint::Ink;
use crate::show::Show;

/// The most reasons that are printed for a group.
const REASONS: usize = 6;

/// The most Jobs of a group, and of unchanged Jobs, that are named.
const NAMED: usize = 4;

/// The most objects that are named as the start of a sync.
const STARTS: usize = 3;

/// The most paths of an annotation that are named.
const PATHS: usize = 3;

/// Prints the comparison with what is called `base`.
pub fn print(comparison: &Comparison, base: &str, show: Show) -> String {
    let answer = Answer::of_comparison(comparison, None);
    let about = compared_with(base, &answer.rest()) + &all_in(comparison, "; all");
    show.inked(Ink::Strong, &answer.text(1)) + &show.inked(Ink::Faint, &about) + &rows(comparison, show)
}

/// `; all in namespace `shop``, after the words `all`; empty if the Jobs are in several namespaces.
pub(super) fn all_in(comparison: &Comparison, all: &str) -> String {
    only_namespace(comparison).map_or_else(String::new, |namespace| format!("{all} in namespace `{namespace}`"))
}

/// Prints what stands below the first sentences.
pub fn rows(comparison: &Comparison, show: Show) -> String {
    let name = name_in(comparison);
    let mut out = String::new();
    let section = |out: &mut String, text: String| {
        if !text.is_empty() {
            let _ = write!(out, "\n{text}");
        }
    };
    section(&mut out, comparison.refused.iter().map(|one| show.line(&self::refused(one))).collect());
    section(&mut out, next_step(comparison).map(|line| show.line(&line)).unwrap_or_default());
    let mut errors = block(of_interest(comparison, Level::Error, show.all), Level::Error, show);
    if let Some(line) = old_errors(comparison).filter(|_| !show.all) {
        errors += &show.line(&line);
    }
    section(&mut out, errors);
    for group in groups(comparison, show.all) {
        section(&mut out, describe(&group, name, show));
    }
    if let Some(line) = as_before(comparison, name, show.all) {
        section(&mut out, show.inked(Ink::Faint, &line));
    }
    if !comparison.steps.is_empty() {
        section(&mut out, order(&comparison.steps, None, "SYNC ORDER of what runs", show).0);
    }
    section(&mut out, block(of_interest(comparison, Level::Warning, false), Level::Warning, show));
    if let Some(starts) = starts(comparison, show.all) {
        section(&mut out, show.line(&starts));
    }
    out
}

/// `the sync fails: Deployment shop/api changes its immutable `spec.selector``
pub(super) fn refused(one: &Refused) -> String {
    match one.fields.is_empty() {
        true => format!("the sync fails: {} is not a hook, and a `generateName` cannot be applied", one.object),
        false => format!("the sync fails: {} changes its immutable `{}`", one.object, one.fields.join("` and `")),
    }
}

/// The findings that are shown; with `all` also the findings that the other version has.
pub(super) fn of_interest(comparison: &Comparison, level: Level, all: bool) -> impl Iterator<Item = &Finding> {
    let of_level = comparison.findings.iter().filter(move |found| found.finding.level == level);
    of_level.filter(move |found| all || found.is_of_interest()).map(|found| &found.finding)
}

/// How many errors are not shown, because the other version has them too, and this sync does not fail because of them.
pub(super) fn old_errors(comparison: &Comparison) -> Option<String> {
    let is_old = |found: &&NewOrOld| found.finding.level == Level::Error && !found.is_of_interest();
    let old: Vec<&NewOrOld> = comparison.findings.iter().filter(is_old).collect();
    let ids: BTreeSet<&str> = old.iter().map(|found| found.finding.rule.id).collect();
    let ids = ids.into_iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    let (is, does) = if old.len() == 1 { ("is", "does") } else { ("are", "do") };
    let count = plural(old.len(), "error");
    // If the sync fails anyway, an old error can be the cause.
    let harm = comparison.stop.map_or_else(|| format!(" and {does} not break this sync"), |_| String::new());
    let text = format!("not shown: {count} that {is} not new{harm} ({ids}; `--all` lists them)");
    (!old.is_empty()).then_some(text)
}

/// How a Job is called.
pub(super) type Name = fn(&Compared) -> String;

/// How the Jobs of a comparison are called: with their namespaces, unless all are in one.
pub(super) fn name_in(comparison: &Comparison) -> Name {
    if only_namespace(comparison).is_some() { named } else { qualified }
}

/// The Jobs about which there is nothing to say, on one line.
pub(super) fn as_before(comparison: &Comparison, name: Name, all: bool) -> Option<String> {
    let names: Vec<String> =
        comparison.jobs.iter().filter(|job| job.is_as_before()).map(|job| format!("`{}`", name(job))).collect();
    (!names.is_empty()).then(|| format!("Unchanged, will not run: {}", few(&names, all)))
}

/// The first names, and how many more there are.
fn few(names: &[String], all: bool) -> String {
    let hint = if all || names.len() <= NAMED { "" } else { " (`--all` lists them)" };
    text::few(names, if all { usize::MAX } else { NAMED }) + hint
}

fn ink(verdict: &Verdict) -> Ink {
    match verdict {
        verdict if verdict.is_an_error() => Ink::Bad,
        Verdict::New(_) | Verdict::RunsAgain(_) | Verdict::Resumes(_) => Ink::Good,
        Verdict::EverySync { .. } | Verdict::AfterFailure(_) | Verdict::Gone(_) => Ink::Warning,
        _ => Ink::Faint,
    }
}

fn describe(group: &Group<'_>, name: Name, show: Show) -> String {
    let Some((first, own)) = group.jobs.first() else { return String::new() };
    let ink = |text: String| show.paint.ink(ink(&first.verdict), visible(&text));
    let most = if show.all { usize::MAX } else { REASONS };
    let mut out = String::new();
    if let [(job, _)] = group.jobs.as_slice() {
        let name = show.paint.ink(Ink::Strong, visible(&name(job)));
        let _ = writeln!(out, "{}: {name} {}", visible(&job.place.to_string()), ink(verdict(job)));
        group.reasons.iter().chain(own).take(most).for_each(|line| add(&mut out, line, show));
        and_more(&mut out, group.reasons.len() + own.len(), show);
    } else {
        let all = visible(&plural(group.jobs.len(), &first.kind.name)).into_owned();
        let _ = writeln!(out, "{} {}", show.paint.ink(Ink::Strong, all), ink(sentence(first, false)));
        group.reasons.iter().take(most).for_each(|line| add(&mut out, line, show));
        and_more(&mut out, group.reasons.len(), show);
        let with_more = group.jobs.iter().filter(|(_, own)| !own.is_empty());
        for (job, own) in with_more.clone().take(REASONS) {
            let more = if own.len() > 1 { format!(", and {} more changes", own.len() - 1) } else { String::new() };
            add(&mut out, &format!("also {}: {}{more}", name(job), own[0]), show);
        }
        let hidden = with_more.count().saturating_sub(REASONS);
        if hidden > 0 {
            let line = format!("also other changes in {} (`--all` lists them)", plural(hidden, "more Job"));
            add(&mut out, &line, show);
        }
        let names: Vec<String> = group.jobs.iter().map(|(job, _)| name(job)).collect();
        add(&mut out, &few(&names, show.all), show);
    }
    group.notes.iter().for_each(|line| add(&mut out, line, show));
    out
}

fn add(out: &mut String, line: &str, show: Show) {
    let _ = writeln!(out, "{}", show.wrapped(&visible(line), "  ", "    "));
}

fn and_more(out: &mut String, count: usize, show: Show) {
    if count > REASONS && !show.all {
        add(out, &format!("and {} more", count - REASONS), show);
    }
}

/// The namespace of all Jobs, when there are several and it is known.
fn only_namespace(comparison: &Comparison) -> Option<&str> {
    let mut namespaces = comparison.jobs.iter().map(|job| job.namespace.as_deref());
    let first = namespaces.next()??;
    (comparison.jobs.len() > 1 && namespaces.all(|other| other == Some(first))).then_some(first)
}

/// `migrate`, or `Workflow migrate`
fn named(job: &Compared) -> String {
    job.kind.named(None, &job.name)
}

/// `prod/migrate`
fn qualified(job: &Compared) -> String {
    job.kind.named(job.namespace.as_deref(), &job.name)
}

/// The verdict with the new name, and when it runs.
pub(super) fn verdict(job: &Compared) -> String {
    let name = new_name(job).map_or_else(String::new, |name| format!(", as {name}"));
    format!("{}{name}", sentence(job, true))
}

/// The name under which it runs, if that is another one than in Git.
pub(super) fn new_name(job: &Compared) -> Option<&str> {
    let renamed = matches!(job.verdict, Verdict::RunsAgain(_) | Verdict::New(_)) && job.emitted != job.name;
    (renamed && !job.verdict.is_never() && !job.verdict.is_rejected()).then_some(job.emitted.as_str())
}

/// The verdict of one Job or of several like it, and when they run.
pub(super) fn sentence(job: &Compared, is_one: bool) -> String {
    let at = moment(job) + job.also_at_deletion();
    match job.fails_in_comparison && !job.verdict.is_rejected() {
        true => format!("{} the comparison fail with `field is immutable`", if is_one { "makes" } else { "make" }),
        false => job.verdict.about(&job.kind, is_one, &at, !job.uses.is_empty()),
    }
}

/// `, in Sync wave 0`; the verdict of a hook names its phases already.
fn moment(job: &Compared) -> String {
    let Some(moment) = job.moment.filter(|_| job.verdict.runs()) else { return String::new() };
    match (job.verdict.when(), moment.wave) {
        (Some(When::EveryFullSync(_)), 0) => String::new(),
        (Some(When::EveryFullSync(_)), wave) => format!(", wave {wave}"),
        _ => format!(", in {moment}"),
    }
}

/// Why an auto-sync starts, or what else there is to know about that; none where the first sentence says it all.
pub(super) fn starts(comparison: &Comparison, all: bool) -> Option<String> {
    let (random, changed): (Vec<&Start>, Vec<&Start>) = comparison.starts.iter().partition(|start| start.is_random());
    let what = match (changed.as_slice(), random.as_slice()) {
        ([], random) => changes(random, comparison, all),
        (changed, []) => changes(changed, comparison, all),
        (changed, random) => {
            let [changed, with] = [changed, random].map(|starts| changes(starts, comparison, all));
            format!("{changed}; it starts {}, because {with}", at(random))
        }
    };
    let windows = comparison.sync.as_ref().and_then(|sync| sync.windows.as_ref()).map(|windows| windows.text.as_str());
    let (auto_sync, when) = match comparison.auto_sync() {
        AutoSync::InWindows(then, project) => (*then, in_windows(&project)),
        auto_sync => (auto_sync, String::new()),
    };
    let (auto_sync, unless) = match auto_sync {
        AutoSync::UnlessIgnored(then) => (
            *then,
            " This is not known: `ignoreDifferences` names managers of fields, or paths that cannot be read here.",
        ),
        auto_sync => (auto_sync, ""),
    };
    let starts = match auto_sync {
        AutoSync::Gone => return comparison.gone().map(gone::what),
        AutoSync::Manual | AutoSync::NothingChanged | AutoSync::ComparisonFails => None,
        AutoSync::InWindows(..) | AutoSync::UnlessIgnored(_) => None,
        AutoSync::NotAllowed(why) => Some(format!("Auto-sync will not start: {why}.")),
        AutoSync::KeptOut(paths) => Some(format!(
            "Argo CD does not render this change: it touches no file below the paths of {}. All this comes with a hard refresh, a commit that touches one, or the end of the cache (24 hours), and with no sync before.",
            annotation(&paths, all)
        )),
        AutoSync::PruneOff => {
            Some(format!("Auto-sync will not start: automated `prune` is off, and the only change is: {what}."))
        }
        AutoSync::AllowEmptyOff => Some(format!(
            "Auto-sync will not start: it would delete everything that the Application has, and `allowEmpty` is off: {what}."
        )),
        AutoSync::IfPruned => Some(format!("Auto-sync will start only if automated prune is on: {what}.")),
        AutoSync::ByStep(set) => {
            Some(format!("ApplicationSet `{set}` starts the sync in one of its steps (`RollingSync`){when}: {what}."))
        }
        AutoSync::After(above) => Some(format!(
            "Auto-sync will start only after somebody syncs `{above}`, which renders this Application{when}: {}{what}.",
            is_new(comparison)
        )),
        AutoSync::WithRoot(root) => Some(format!(
            "Auto-sync will start if something applies `{root}`, which has this Application{when}: {}{what}.",
            is_new(comparison)
        )),
        AutoSync::Anyway => Some(format!("Auto-sync will start{when}, as {}: {what}.", at(&random))),
        AutoSync::IfAutomatedAnyway => Some(format!("Auto-sync will start if it is on, as {}: {what}.", at(&random))),
        AutoSync::IfAutomated => Some(format!("Auto-sync will start if it is on: {what}.")),
        AutoSync::Starts => Some(format!("Auto-sync will start{when}: {}{what}.", is_new(comparison))),
    };
    let starts = starts.map(|starts| starts + unless);
    let sentences: Vec<&str> = starts.as_deref().into_iter().chain(windows).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Which changes start a sync without a Job or hook; none if it has one, or does not start.
pub fn starts_without_jobs(comparison: &Comparison, all: bool) -> Option<String> {
    let starts: Vec<&Start> = comparison.starts.iter().collect();
    (comparison.jobs.is_empty() && comparison.auto_sync().may_start()).then(|| changes(&starts, comparison, all))
}

/// How many findings are shown, of each level. Findings of level info are for `check`.
pub fn shown(comparison: &Comparison, all: bool) -> [usize; 3] {
    let errors = of_interest(comparison, Level::Error, all).count();
    [errors, of_interest(comparison, Level::Warning, false).count(), 0]
}

/// The annotation with the first of its paths.
fn annotation(paths: &[String], all: bool) -> String {
    let shown = if all { paths.len() } else { paths.len().min(PATHS) };
    listed(&[format!("`{MANIFEST_GENERATE_PATHS}: {}`", paths[..shown].join(";"))], paths.len() - shown)
}

/// When a sync starts although nobody has changed anything.
fn at(random: &[&Start]) -> &'static str {
    let is_dated = random.iter().all(|start| start.what == OutOfSync::Dated);
    if is_dated { "with the first commit of a day" } else { "with every commit" }
}

fn is_new(comparison: &Comparison) -> &'static str {
    let is_new = comparison.sync.as_ref().is_some_and(|sync| sync.arrival.is_new);
    if is_new { "the Application is new; " } else { "" }
}

/// `Job a is added, Deployment b is changed`; of many objects only how many there are of each kind.
fn changes(starts: &[&Start], comparison: &Comparison, all: bool) -> String {
    let stays = comparison.sync.as_ref().is_some_and(|sync| !sync.automated.is_some_and(|automated| automated.prune));
    let word = |what: OutOfSync| match what {
        OutOfSync::New => "added",
        OutOfSync::Gone if stays => "removed, but not pruned",
        OutOfSync::Gone => "pruned",
        OutOfSync::Kept => "not pruned (`Prune=false`)",
        OutOfSync::Missing => "created again",
        OutOfSync::Random => "different at every rendering",
        OutOfSync::Dated => "different on another day",
        OutOfSync::Changed => "changed",
    };
    if all || starts.len() <= STARTS {
        let named = starts.iter().map(|start| format!("{} is {}", start.object, word(start.what)));
        return named.collect::<Vec<_>>().join(", ");
    }
    let mut counts: BTreeMap<(&str, &str), (&str, usize)> = BTreeMap::new();
    for start in starts {
        let kind = start.object.split(' ').next().unwrap_or_default();
        counts.entry((kind, word(start.what))).or_insert((&start.object, 0)).1 += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    // A Job is why people read this.
    counts.sort_by_key(|((kind, _), (_, count))| (*kind != "Job", std::cmp::Reverse(*count)));
    let shown = counts.iter().take(STARTS).map(|((kind, word), (object, count))| match count {
        1 => format!("{object} is {word}"),
        count => format!("{} are {word}", plural(*count, kind)),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    match counts.iter().skip(STARTS).map(|(_, (_, count))| count).sum::<usize>() {
        0 => shown,
        1 => format!("{shown}, and 1 more change"),
        more => format!("{shown}, and {more} more changes"),
    }
}

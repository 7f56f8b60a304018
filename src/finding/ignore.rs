//! What users want ignored: in comments, in annotations of the object, in the config file.
//!
//! Each has to name the id of a finding. What ignores nothing is a finding itself, so that nothing that was mistyped, and nothing that is
//! no longer needed, stays unseen.

mod annotation;
pub(super) mod comment;

use std::collections::BTreeMap;

use super::find::{Findings, sort};
use super::notes::Notes;
use super::{FINDINGS, Finding, Ignored, IgnoredBy, Row, State};
use crate::plan::Visited;
use crate::settings::{self, Layers, SetBy, Wrong};
use crate::survey::Survey;
use crate::text::spelling::nearest;

/// What annotations that ignore a finding begin with; the rest of the key is its id.
pub use crate::settings::IGNORE as ANNOTATION;

/// One finding that somebody wants ignored.
#[derive(Debug)]
struct Wish {
    id: String,
    aim: Aim,
    ignored: Ignored,
    /// What is told when the wish is good for nothing, less its message.
    blank: Finding,
}

/// Where the finding has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Aim {
    /// On this line of a manifest.
    Line { manifest: usize, line: usize },
    /// About the object with this index in the survey.
    Object(usize),
}

/// Marks what is to be ignored, and adds what is said for nothing.
pub(super) fn apply(findings: &mut Findings, survey: &Survey<'_>, layers: &Layers, notes: &[Visited<Notes>]) {
    let Some(row) = Row::find("unused-ignore") else { return };
    let (wishes, mut unused) = comment::read(row, survey, notes);
    let (more, without_reason) = annotation::read(row, survey);
    unused.extend(without_reason);
    let wishes: Vec<Wish> = wishes.into_iter().chain(more).collect();
    let used = grant(findings, &wishes);
    let idle = wishes.into_iter().zip(used).filter(|(_, used)| !used);
    unused.extend(idle.map(|(wish, _)| told(wish)));
    findings.extend(unused);
    sort(findings);
    for finding in findings.iter_mut().filter(|finding| !matches!(finding.state, State::Ignored(_))) {
        let object = finding.object.and_then(|object| survey.objects[object].written.as_ref());
        let job = object.and_then(|resource| resource.job());
        if layers.ignores(finding.row.id, job, survey.application.namespace.as_deref()) {
            finding.state = State::Ignored(Ignored { by: IgnoredBy::ConfigFile, reason: None });
        }
    }
}

/// Marks the findings that are wished to be ignored. Which wishes were of use.
fn grant(findings: &mut Findings, wishes: &[Wish]) -> Vec<bool> {
    let mut used = vec![false; wishes.len()];
    let mut by_aim: BTreeMap<(&str, Aim), Vec<usize>> = BTreeMap::new();
    for (index, wish) in wishes.iter().enumerate() {
        by_aim.entry((&wish.id, wish.aim)).or_default().push(index);
    }
    for finding in findings {
        let line = finding.place.as_ref().zip(finding.span);
        let line = line.map(|(place, (manifest, _))| Aim::Line { manifest, line: place.at.line });
        let aims = line.into_iter().chain(finding.object.map(Aim::Object));
        for index in aims.filter_map(|aim| by_aim.get(&(finding.row.id, aim))).flatten() {
            used[*index] = true;
            finding.state = State::Ignored(wishes[*index].ignored.clone());
        }
    }
    used
}

/// The finding about a wish that ignored nothing.
fn told(wish: Wish) -> Finding {
    let Wish { id, aim, mut blank, .. } = wish;
    let (message, help) = match (unknown(&id), aim) {
        (Some(help), _) => (format!("no finding has the id `{id}`"), help),
        (None, Aim::Line { line, .. }) => (
            format!("nothing to ignore: `{id}` is not found on line {line}"),
            "remove it, or put it on the line of the finding or alone on the line above".to_owned(),
        ),
        (None, Aim::Object(_)) => {
            (format!("nothing to ignore: `{id}` is not found in this object"), "remove the annotation".to_owned())
        }
    };
    blank.message = message;
    blank.help = help;
    blank
}

/// What to do about an id that does not exist; none for one that does.
fn unknown(id: &str) -> Option<String> {
    if Row::find(id).is_some() {
        return None;
    }
    Some(match nearest(id, FINDINGS.iter().map(|row| row.id)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "`argocd-jobs explain` lists all ids".to_owned(),
    })
}

/// Refuses ids in the config file that do not exist. `generate` does not ask, since findings are none of its business.
pub fn check_ids(layers: &Layers) -> Result<(), settings::Error> {
    let wrong = layers.all_ignored().find(|ignore| Row::find(&ignore.id).is_none());
    wrong.map_or(Ok(()), |ignore| {
        let by = SetBy::ConfigFile { at: ignore.at, key: "ignore".to_owned() };
        let nearest = nearest(&ignore.id, FINDINGS.iter().map(|row| row.id));
        let expected = "ids of findings, which `argocd-jobs explain` lists";
        let error = settings::Error::new(by, Wrong::Value { value: ignore.id.clone(), expected, nearest });
        Err(layers.config_file().map_or(error.clone(), |path| error.in_config_file(path)))
    })
}

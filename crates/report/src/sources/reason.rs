//! Why a source was not checked, in a few words for a row of a table.
//!
//! The whole message is in the finding `not-rendered`.

use std::cmp::Reverse;

use deployment::row::{Lack, NotChecked, Outcome, Row};

use crate::grouped::grouped;

/// The most characters.
const MOST: usize = 60;

/// How many different `help:` lines are printed at most.
const HELPS: usize = 5;

/// The whole reason on one line, without the `path` of the source and the help, which the table and the lines below it have.
pub(super) fn whole(path: &str, reason: &NotChecked) -> String {
    let further = reason.message.lines.iter().map(|line| line.trim());
    [first_line(path, reason).trim()].into_iter().chain(further).collect::<Vec<_>>().join(" ")
}

/// The `help:` lines of the sources that were not checked, each with the path of the first source and the number of sources that have it; the most
/// frequent first.
pub(super) fn helps(rows: &[Row]) -> Vec<(&str, &str, usize)> {
    let with_help = rows.iter().filter_map(|row| match &row.outcome {
        Outcome::NotChecked(reason) => Some((row.path.as_str(), reason.message.help.as_deref()?, of_any(reason))),
        Outcome::Read { .. } => None,
    });
    let alike = grouped(with_help, |(_, help, of_any)| of_any.unwrap_or(help)).into_iter().map(|alike| {
        let (path, help, of_any) = alike[0];
        (if alike.len() == 1 { help } else { of_any.unwrap_or(help) }, path, alike.len())
    });
    let mut helps: Vec<(&str, &str, usize)> = alike.collect();
    helps.sort_by_key(|(.., count)| Reverse(*count));
    helps.truncate(HELPS);
    helps
}

fn of_any(reason: &NotChecked) -> Option<&str> {
    reason.help_for_any.as_deref()
}

/// The first line of a message, after its place. Paths are those below the `path` of the source.
fn first_line(path: &str, reason: &NotChecked) -> String {
    let text = &reason.message.text;
    let whole = reason.at.as_ref().map_or_else(|| text.clone(), |at| format!("{at}: {text}"));
    let below = whole.strip_prefix(path).and_then(|rest| rest.strip_prefix('/'));
    below.map_or_else(|| whole.clone(), ToOwned::to_owned)
}

/// What is missing, where that is known, else the beginning of the message.
pub(super) fn short(path: &str, reason: &NotChecked) -> String {
    match &reason.lack {
        Some(Lack::Dependency(names)) => {
            let one = if names.len() == 1 { "the dependency" } else { "one of the dependencies" };
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("needs {one} {}", names.join(", "))
        }
        Some(lack @ (Lack::Api(said) | Lack::Values(said))) if !said.is_empty() => {
            ended(&format!("{}: {said}", kind(lack).unwrap_or_default()))
        }
        Some(Lack::File(file)) => format!("no such file: {}", end_of(file)),
        Some(Lack::Said(said)) => with_end(said),
        Some(lack) => kind(lack).unwrap_or_default().to_owned(),
        None => ended(&first_line(path, reason)),
    }
}

/// The short reason for several sources, each of which lacks something of this kind.
pub(super) fn kind(lack: &Lack) -> Option<&'static str> {
    match lack {
        Lack::Network => Some("needs the network (`--network allow`)"),
        Lack::Dependency(_) => Some("needs dependencies that are not in `charts`"),
        Lack::EnableHelm => Some("needs `--enable-helm`"),
        Lack::LoadRestrictor => Some("needs `--load-restrictor`"),
        Lack::Api(_) => Some("needs `helm.apiVersions`"),
        Lack::Values(_) => Some("chart needs values"),
        Lack::File(_) => Some("a file is not there"),
        Lack::Said(_) => None,
    }
}

/// What reasons have in common: the kind of what is missing, or else all that is said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// What is missing, in the words of [`kind`].
    Kind(&'static str),
    /// A message.
    Text(String),
}

impl Key {
    pub(super) fn of(path: &str, reason: &NotChecked) -> Self {
        let kind = reason.lack.as_ref().and_then(kind);
        kind.map_or_else(
            || match &reason.lack {
                Some(Lack::Said(said)) => Self::of_text(said),
                // The place is that of one of them.
                _ => Self::of_text(&first_line(path, &NotChecked { at: None, ..reason.clone() })),
            },
            Self::Kind,
        )
    }

    /// That of a message: its end can be about one of them, such as a line in which something begins.
    pub(super) fn of_text(text: &str) -> Self {
        Self::Text(ended(text))
    }

    /// The words for sources with these reasons, as [`short`] says each of them.
    pub(super) fn words<'s>(&self, mut each: impl Iterator<Item = &'s str>) -> String {
        let first = each.next().unwrap_or_default();
        match self {
            _ if each.all(|one| one == first) => first.to_owned(),
            Self::Kind(kind) => (*kind).to_owned(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// How many characters of the beginning of a long reason are shown.
const BEGINNING: usize = 20;

/// The beginning of a text, in at most [`MOST`] characters.
fn ended(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// What a tool says, in at most [`MOST`] characters: the first words and the last ones, because tools say the cause last.
fn with_end(said: &str) -> String {
    let count = said.chars().count();
    if count <= MOST {
        return said.to_owned();
    }
    let at = |index: usize| said.char_indices().nth(index).map_or(said.len(), |(at, _)| at);
    let (first, last) = (&said[..at(BEGINNING)], &said[at(count + BEGINNING + 3 - MOST)..]);
    let first = first.rfind(' ').map_or(first, |space| &first[..space]);
    let last = last.find(' ').map_or(last, |space| &last[space..]);
    format!("{} … {}", first.trim_end(), last.trim_start())
}

/// Shortens a path that is too long for a row to its end, because the name of the file is most important.
fn end_of(path: &str) -> String {
    let most = MOST - "no such file: ".len();
    match path.char_indices().rev().nth(most - 1) {
        Some((start, _)) if start > 0 => {
            let cut = path[start..].find('/').map_or(start, |slash| start + slash);
            format!("…{}", &path[cut..])
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use text::{LineColumn, Message, Origin, Place};

    use super::*;

    fn lacks(lack: Lack) -> NotChecked {
        NotChecked { lack: Some(lack), ..NotChecked::of(Message::new("a long story")) }
    }

    #[test]
    fn what_is_missing_is_named() {
        let text = ToOwned::to_owned;
        for (lack, expected) in [
            (Lack::Network, "needs the network (`--network allow`)"),
            (Lack::EnableHelm, "needs `--enable-helm`"),
            (Lack::Values(text("image.tag is required")), "chart needs values: image.tag is required"),
            (Lack::Values(String::new()), "chart needs values"),
            (Lack::Api(text("operator CRDs not found")), "needs `helm.apiVersions`: operator CRDs not found"),
            (Lack::File(text("../base")), "no such file: ../base"),
            (
                Lack::File(text("components/operators/openshift-ai/operator/wait-for-servicemesh")),
                "no such file: …/openshift-ai/operator/wait-for-servicemesh",
            ),
            (Lack::Dependency(vec![text("common")]), "needs the dependency `common`"),
            (Lack::Said(text("chart is broken")), "chart is broken"),
            (
                Lack::Said(text(
                    "loading generator plugins: failed to load generator: external plugins disabled; unable to load external plugin 'ksops.yaml'",
                )),
                "loading generator … to load external plugin 'ksops.yaml'",
            ),
            (Lack::Said("é".repeat(99)), &format!("{} … {}", "é".repeat(20), "é".repeat(37))),
        ] {
            assert_eq!(short("", &lacks(lack)), expected);
        }
        assert_eq!(short("", &NotChecked::of(Message::new("é".repeat(99)))), format!("{}…", "é".repeat(MOST)));
    }

    #[test]
    fn a_place_below_the_source_is_told_without_its_path() {
        let at =
            Place::new(Origin::File(Path::new("broken/.argocd-jobs.yaml").into()), LineColumn { line: 1, column: 1 });
        let reason = NotChecked { at: Some(at), ..NotChecked::of(Message::new("unknown key `x`").help("no")) };
        assert_eq!(short("broken", &reason), ".argocd-jobs.yaml:1:1: unknown key `x`");
        assert_eq!(short("other", &reason), "broken/.argocd-jobs.yaml:1:1: unknown key `x`");
    }

    #[test]
    fn equal_causes_have_one_key_and_the_words_of_all() {
        let of = |lack: &Lack| Key::of("", &lacks(lack.clone()));
        let [a, b] = ["a.yaml", "b.yaml"].map(|file| Lack::File(file.to_owned()));
        assert_eq!(of(&a), of(&b));
        assert_ne!(of(&a), of(&Lack::Values("a.yaml".to_owned())));
        assert_eq!(of(&a).words(["no such file: a.yaml"; 2].into_iter()), "no such file: a.yaml");
        assert_eq!(of(&a).words(["no such file: a.yaml", "no such file: b.yaml"].into_iter()), "a file is not there");
        assert_ne!(of(&Lack::Said("a".to_owned())), of(&Lack::Said("b".to_owned())));
    }
}

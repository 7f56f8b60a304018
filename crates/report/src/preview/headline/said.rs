//! The first sentences as values: on one line, or the worst of them as a heading and the others as a list.

use text::capitalized;

/// What a sentence is about, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// A sync that fails or waits, or what does not run although it should.
    Failure,
    /// Applications that the change removes.
    Removal,
    /// What could not be checked.
    NotChecked,
    /// What runs.
    Run,
    /// The syncs that start.
    Start,
    /// What changes and nothing is known to sync.
    IfSynced,
}

/// A sentence, or a part of the first one, without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// What it is about.
    pub about: About,
    /// Its words.
    pub text: String,
}

impl Said {
    /// About what could not be checked.
    pub fn not_checked(text: impl Into<String>) -> Self {
        Self { about: About::NotChecked, text: text.into() }
    }
}

/// The first sentences of a preview.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentences {
    /// The parts of the first one: the first of them says which syncs start.
    pub first: Vec<Said>,
    /// The others.
    pub more: Vec<Said>,
}

/// More sentences than this, or parts of the first one, are a list.
const MOST: usize = 2;

impl Sentences {
    /// A single sentence.
    pub fn of(text: String) -> Self {
        Self { first: vec![Said { about: About::Run, text }], more: Vec::new() }
    }

    /// All of them on one line. What one version runs has no full stop.
    pub fn on_one_line(&self) -> String {
        if let ([Said { about: About::Run, .. }, ..], []) = (self.first.as_slice(), self.more.as_slice()) {
            return self.first();
        }
        let more = self.more.iter().map(|said| format!(" {}.", said.text));
        format!("{}.{}", self.first(), more.collect::<String>())
    }

    fn first(&self) -> String {
        self.first.iter().map(|said| said.text.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// The heading, and below it the other sentences; whether they are a list, in which the worst stands first. The heading says what fails or is
    /// deleted, if something is, and otherwise which syncs start.
    pub fn with_heading(&self) -> (String, Vec<String>, bool) {
        let is_list = self.first.len() + self.more.len() > MOST;
        let is_worst = |said: &Said| matches!(said.about, About::Failure | About::Removal);
        if !is_list && !self.first.iter().chain(&self.more).any(is_worst) {
            return (self.first(), self.more.iter().map(|said| format!("{}.", said.text)).collect(), false);
        }
        let alone = |(index, said): (usize, &Said)| match said.about {
            About::Start if index > 0 => (said.about, format!("Merging starts {}", said.text)),
            about => (about, capitalized(&said.text)),
        };
        let more = self.more.iter().map(|said| (said.about, said.text.clone()));
        let mut all: Vec<(About, String)> = self.first.iter().enumerate().map(alone).chain(more).collect();
        let first = |wanted: About| all.iter().position(|(about, _)| *about == wanted);
        // The later sentences have the deletions with resources, which are worse.
        let is_deleted =
            |(at, (about, _)): &(usize, &(About, String))| *at >= self.first.len() && *about == About::Removal;
        let deleted = || all.iter().enumerate().find(is_deleted).map(|(at, _)| at);
        let worst = first(About::Failure).or_else(deleted).or_else(|| first(About::Removal)).unwrap_or_default();
        let (_, heading) = all.remove(worst);
        all.sort_by_key(|(about, _)| *about);
        (heading, all.into_iter().map(|(_, text)| format!("{text}.")).collect(), is_list)
    }
}

#[cfg(test)]
mod tests {
    use super::{About, Said, Sentences};

    #[test]
    fn the_worst_sentence_is_the_heading() {
        let said = |about, text: &str| Said { about, text: text.to_owned() };
        let (starts, removed) = (said(About::Start, "Merging starts 1 sync"), said(About::Removal, "1 is removed"));
        let (deleted, fails) = (said(About::Removal, "2 are deleted"), said(About::Failure, "The sync fails"));
        let runs = said(About::Run, "1 Job runs");
        for (first, more, heading) in [
            (vec![&starts], vec![&runs], "Merging starts 1 sync"),
            (vec![&starts], vec![&fails], "The sync fails"),
            (vec![&starts, &removed], vec![&runs], "1 is removed"),
            (vec![&starts, &removed], vec![&deleted], "2 are deleted"),
            (vec![&starts, &removed], vec![&deleted, &fails], "The sync fails"),
        ] {
            let all = |some: Vec<&Said>| some.into_iter().cloned().collect();
            assert_eq!(Sentences { first: all(first), more: all(more) }.with_heading().0, heading);
        }
    }
}

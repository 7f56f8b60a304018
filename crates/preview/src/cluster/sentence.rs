//! The verdicts in sentences.

use goyaml::{Step, Value};
use kube_jobs::kubernetes::{Alike, Difference, dns};
use text::Time;

use super::verdict::{How, LiveVerdict, Refusal, Remedy};
use super::{Row, State};
use crate::{Halt, Leftover, When};

impl Row {
    /// `shop/migrate`, or the name where no namespace is known.
    pub fn full_name(&self) -> String {
        self.namespace.as_deref().map_or_else(String::new, |namespace| format!("{namespace}/")) + &self.name
    }

    /// The verdict as the rest of a sentence about the Job: `does nothing: complete since …`. Without `now` there are no ages.
    pub fn sentence(&self, now: Option<&Time>) -> String {
        let says = self.verdict.row().says;
        let state = || self.state.as_ref().map(|state| state.in_words(now).to_string()).unwrap_or_default();
        match self.because(now) + &self.expiry() + self.unseen() {
            because if matches!(self.verdict, LiveVerdict::NothingFailed(_)) => {
                format!("does nothing although it {}; {because}", state())
            }
            because if because.is_empty() => says.to_owned(),
            because => format!("{says}: {because}"),
        }
    }

    fn because(&self, now: Option<&Time>) -> String {
        let state = self.state.as_ref().map(|state| state.in_words(now).to_string()).unwrap_or_default();
        match &self.verdict {
            LiveVerdict::Runs(why) | LiveVerdict::Unknown(why) => (*why).to_owned(),
            LiveVerdict::RunsAgain(how) | LiveVerdict::Kills(how) => format!("{state}; {}", how.in_words()),
            LiveVerdict::Nothing | LiveVerdict::GateDone => state,
            LiveVerdict::NothingFailed(remedy) => self.remedy(*remedy),
            LiveVerdict::Refused(Refusal::ReplaceAlone) => {
                "`Replace=true` without `Force=true` is rejected for every live Job".to_owned()
            }
            LiveVerdict::Refused(Refusal::Pruned) => {
                "it is applied while the sync still deletes the ordinary Job of its name".to_owned()
            }
            LiveVerdict::Refused(Refusal::Immutable(fields)) => {
                format!("`field is immutable`; {}", changed(fields).join("; "))
            }
            LiveVerdict::Trapped => {
                format!(
                    "{state}; it is not a hook, so the sync prunes it, and Argo CD takes that for the run of the hook"
                )
            }
            LiveVerdict::Left(leftover) => format!("{state}; {}", left(*leftover)),
            LiveVerdict::DoesNotRun(When::FailedSync) => "it runs only if a sync fails".to_owned(),
            LiveVerdict::DoesNotRun(when) => when.to_string(),
            LiveVerdict::Blocked(verdict, why) => {
                let fails = match why {
                    Halt::Comparison => "the comparison fails",
                    Halt::Failure => "the sync fails before it",
                    Halt::Suspended | Halt::Confirmation => "the sync waits before it",
                };
                match &**verdict {
                    LiveVerdict::Left(leftover) => format!("{fails}; otherwise {}", left(*leftover)),
                    verdict => format!("{fails}; otherwise it {}", verdict.row().says),
                }
            }
        }
    }

    /// That a TTL deletes the Job, if the sync leaves it.
    fn expiry(&self) -> String {
        let has_ended = matches!(self.state, Some(State::Complete { .. } | State::Failed { .. }));
        let Some(ttl) = self.ttl.filter(|_| has_ended) else { return String::new() };
        match self.verdict {
            LiveVerdict::Nothing
            | LiveVerdict::GateDone
            | LiveVerdict::NothingFailed(Remedy::Rerun | Remedy::Delete) => {
                format!("; its TTL ({ttl} s) deletes it, and then a sync runs it again")
            }
            LiveVerdict::Left(leftover) if leftover != Leftover::Pruned => format!("; its TTL ({ttl} s) deletes it"),
            _ => String::new(),
        }
    }

    /// That a removed field may make it end otherwise.
    fn unseen(&self) -> &'static str {
        let is_idle =
            matches!(self.verdict, LiveVerdict::Nothing | LiveVerdict::GateDone | LiveVerdict::NothingFailed(_));
        match is_idle && self.misses_removals {
            true => "; a field that is only removed from the manifest is not seen",
            false => "",
        }
    }

    fn remedy(&self, remedy: Remedy) -> String {
        let name = Some(self.name.as_str()).filter(|name| dns::label(name).is_ok());
        let namespace = self.namespace.as_deref().filter(|name| dns::label(name).is_ok());
        let command = match name.zip(namespace) {
            Some((name, namespace)) => format!(" (`kubectl delete job {name} -n {namespace}`)"),
            None => String::new(),
        };
        match remedy {
            Remedy::Rerun => format!("to run it again, change `argocd-jobs/rerun`, or delete it{command} and sync"),
            Remedy::Delete => format!("to run it again, delete it{command} and sync"),
            Remedy::NextSync => "the sync fails because of it and deletes it, so the next one runs it".to_owned(),
        }
    }

    /// The refused fields, without values except images.
    pub fn fields(&self) -> Vec<String> {
        match &self.verdict {
            LiveVerdict::Refused(Refusal::Immutable(fields)) => changed(fields),
            _ => Vec::new(),
        }
    }

    /// Whether a Job runs with the sync.
    pub fn runs(&self) -> bool {
        match &self.verdict {
            LiveVerdict::Runs(_) | LiveVerdict::RunsAgain(_) => true,
            LiveVerdict::Kills(how) => !matches!(how, How::Suspended | How::Left(_)),
            _ => false,
        }
    }

    /// Whether the sync deletes a Job that runs.
    pub fn kills(&self) -> bool {
        matches!(self.verdict, LiveVerdict::Kills(_)) && self.state.as_ref().is_some_and(State::is_running)
    }
}

/// The values of a live Job can be secrets.
fn changed(fields: &[Difference]) -> Vec<String> {
    let is_image = |steps: &[Step]| match steps {
        [.., Step::Key(list), Step::Item(_), Step::Key(field)] => {
            ["containers", "initContainers"].contains(&list.as_str()) && field == "image"
        }
        _ => false,
    };
    let is_text = |value: &Option<Value>| value.as_ref().is_some_and(|value| value.as_text().is_some());
    let text = |alike: &Alike<'_>| match alike.first() {
        Some(field) if is_image(field.path.steps()) && is_text(&field.old) && is_text(&field.new) => alike.to_string(),
        _ => alike.in_short(),
    };
    Alike::of(fields).iter().map(text).collect()
}

fn left(leftover: Leftover) -> &'static str {
    match leftover {
        Leftover::Pruned => "the sync deletes it",
        Leftover::IfPruned => "a sync with prune deletes it",
        Leftover::Left => "it stays until somebody prunes (prune is off)",
        Leftover::Kept => "it stays (`Prune=false`), and the Application is Synced all the same",
        Leftover::OutOfSync => "it stays (`Prune=false`), and the Application is OutOfSync",
        Leftover::Confirmed => "the sync waits until somebody confirms that it is deleted (`Prune=confirm`)",
        // The others are about Applications that are deleted.
        _ => "it is a hook, which no later sync deletes",
    }
}

impl How {
    fn in_words(self) -> &'static str {
        match self {
            Self::Hook => "the hook is deleted before it runs (`BeforeHookCreation`)",
            Self::Replaced => "it is replaced (`Replace=true`, `Force=true`)",
            Self::Forced => "it is replaced, because the update is refused (`Force=true`)",
            Self::Pruned => "the sync prunes it, because it is not a hook, and then runs the hook",
            Self::Suspended => "the sync suspends it",
            Self::Left(Leftover::Pruned) => "the source does not have it, and the sync deletes it",
            Self::Left(_) => "the source does not have it, and a sync with prune deletes it",
        }
    }
}

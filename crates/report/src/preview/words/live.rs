//! Why a sync does something with a live Job.

use goyaml::{Step, Value};
use kube_jobs::kubernetes::{Alike, Difference, dns};
use preview::{LiveReason, NotKnown, Replacement};

/// One reason.
pub(crate) fn words(reason: &LiveReason) -> String {
    match reason {
        LiveReason::NotThere => "not there".to_owned(),
        LiveReason::NotInSource => "not in the source".to_owned(),
        LiveReason::NewName => "a new name each time".to_owned(),
        LiveReason::State(state, now) => state.in_words(now.as_ref()).to_string(),
        LiveReason::Replaced(how) => replaced(*how).to_owned(),
        LiveReason::Immutable(fields) => fields_in_words(fields).join("; "),
        LiveReason::GateIsDone => "a gate that is done".to_owned(),
        LiveReason::RunsAgain { by_rerun, namespace, name } => {
            let rerun = if *by_rerun { "change `argocd-jobs/rerun`, or " } else { "" };
            format!("to run it again, {rerun}delete it{} and sync", command(namespace, name))
        }
        LiveReason::NextSyncRuns => "the sync deletes it, so the next one runs it".to_owned(),
        LiveReason::RunsAfterItsTtl(ttl) => format!("its TTL ({ttl} s) deletes it, and then a sync runs it again"),
        LiveReason::Expires(ttl) => format!("its TTL ({ttl} s) deletes it"),
        LiveReason::RemovalsUnseen => "a field that is only removed from the manifest is not seen".to_owned(),
        LiveReason::NotKnown(why) => not_known(*why).to_owned(),
    }
}

fn replaced(how: Replacement) -> &'static str {
    match how {
        Replacement::Hook => "the hook is deleted before it runs (`BeforeHookCreation`)",
        Replacement::Replaced => "it is replaced (`Replace=true`, `Force=true`)",
        Replacement::Forced => "it is replaced, because the update is refused (`Force=true`)",
        Replacement::Pruned => "the sync prunes it, because it is not a hook, and then runs the hook",
        Replacement::Suspended => "the sync suspends it",
    }
}

fn not_known(why: NotKnown) -> &'static str {
    match why {
        NotKnown::Deleting => "look again when it is gone",
        NotKnown::OneObject => "the input is one object, and not a list of all Jobs",
        NotKnown::NoHooks => "it is a hook, and the input has no hooks, as that of `argocd app manifests`",
        NotKnown::OtherNamespace => "the input has no Job of its namespace, only of another one",
    }
}

/// ` (`kubectl delete job migrate -n shop`)`; empty for a name that a shell could read as more than a name.
fn command(namespace: &str, name: &str) -> String {
    match [namespace, name].iter().all(|name| dns::label(name).is_ok()) {
        true => format!(" (`kubectl delete job {name} -n {namespace}`)"),
        false => String::new(),
    }
}

/// The values of a live Job can be secrets: only images are named.
fn fields_in_words(fields: &[Difference]) -> Vec<String> {
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

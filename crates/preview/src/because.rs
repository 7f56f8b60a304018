//! Why a Job runs again, and how a sentence says so.

use std::borrow::Cow;
use std::fmt;

use goyaml::Step;
use kube_jobs::kubernetes::{Alike, Difference, Image};
use rewrite::strategy::Strategy;

/// Why a Job runs again.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A field changed.
    Field(Difference),
    /// `rerun` changed.
    Rerun(String, String),
    /// The data of something that it refers to changed.
    References,
    /// Its strategy changed.
    Strategy(Strategy, Strategy),
    /// Its name changed for another reason.
    Name(String, String),
    /// It runs at every sync, changed or not, and did not before.
    EverySync,
    /// It is a hook that ran in these phases and this wave, and runs in others.
    Moved(String, String),
    /// It is a hook that also runs in these phases now.
    Also(String),
    /// It is a hook that does not run in these phases any more, but still in others.
    NoLonger(String),
    /// Its TTL has deleted the earlier Job.
    Ttl {
        /// The TTL, in seconds.
        ttl: i64,
        /// Whether the sync fails if the earlier Job is still there.
        is_refused_otherwise: bool,
    },
    /// Its delete policy has deleted the earlier Job.
    DeletePolicy,
    /// It runs after the sync has pruned the ordinary Job of its name.
    Pruned,
    /// It is not a hook any more, and its delete policy has deleted the earlier Job.
    NotAHook,
    /// The live Job still has `Force=true` and `Replace=true`, so Argo CD replaces it.
    LiveOptions,
}

impl Because {
    /// The field, when the reason is that one changed.
    pub fn field(&self) -> Option<&Difference> {
        if let Self::Field(field) = self { Some(field) } else { None }
    }

    /// The images, when the reason is that one changed. That of an init container is not the Job's.
    pub fn image(&self) -> Option<(&str, &str)> {
        let Self::Field(Difference { path, old, new, .. }) = self else { return None };
        let is_image = path.steps().last() == Some(&Step::Key("image".into()))
            && !path.steps().contains(&Step::Key("initContainers".into()));
        Some((old.as_ref()?.as_text()?, new.as_ref()?.as_text()?)).filter(|_| is_image)
    }

    /// What differs between the images, when the reason is that one changed.
    pub fn image_in_short(&self) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
        self.image().map(|(old, new)| Image::change(old, new))
    }

    /// The reason after `because`, in few words, for one Job or for several: `its image changes (`v1` → `v2`)`.
    pub fn in_short(&self, is_one: bool) -> String {
        let (its, it, s, ones) = if is_one { ("its", "it", "s", "one") } else { ("their", "they", "", "ones") };
        if let Some((old, new)) = self.image_in_short() {
            return format!("{its} image changes (`{old}` → `{new}`)");
        }
        match self {
            Self::Field(difference) => Alike::of([difference]).first().map(Alike::in_short).unwrap_or_default(),
            Self::Rerun(..) => "`rerun` changes".to_owned(),
            Self::References => format!("data that {it} use{s} changes"),
            Self::Strategy(..) => format!("{its} strategy changes"),
            Self::Name(..) => format!("{its} name changes"),
            Self::EverySync => format!("{it} run{s} at every sync now"),
            Self::Moved(was, is) => format!("{it} move{s} from {was} to {is}"),
            Self::Also(phases) => format!("{it} also run{s} in {phases} now"),
            Self::NoLonger(phases) => format!("{it} no longer run{s} in {phases}"),
            Self::Ttl { .. } => format!("{its} TTL has deleted the earlier {ones}"),
            Self::DeletePolicy => format!("{its} delete policy has deleted the earlier {ones}"),
            Self::Pruned => format!("the sync prunes the earlier {ones} first"),
            Self::NotAHook => {
                if is_one { "it is not a hook any more" } else { "they are not hooks any more" }.to_owned()
            }
            Self::LiveOptions => format!("the live {} `Force=true`", if is_one { "Job has" } else { "Jobs have" }),
        }
    }

    /// True when the Job runs for this reason at a sync that changes nothing too.
    pub fn is_without_change(&self) -> bool {
        matches!(self, Self::Ttl { .. } | Self::DeletePolicy)
    }

    /// True when a Job that runs at every sync did so before, too.
    pub fn is_of_what_runs_anyway(&self) -> bool {
        match self {
            Self::Field(field) => field.path.steps() != [Step::Key("spec".into()), Step::Key("suspend".into())],
            Self::Moved(..) | Self::Also(_) | Self::NoLonger(_) | Self::Rerun(..) | Self::References => true,
            _ => false,
        }
    }

    /// The reason without the name of the container, so that it reads the same for all containers.
    pub fn in_general(&self) -> String {
        match self {
            Self::Field(difference) => difference.in_general(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // With the flags of the whole.
            Self::Field(difference) => difference.fmt(f),
            Self::Rerun(old, new) => write!(f, "`rerun`: `{old}` → `{new}`"),
            Self::References => {
                f.write_str("data of a ConfigMap or Secret that the Job uses changed (`hash-references`)")
            }
            Self::Strategy(old, new) => write!(f, "strategy: `{old}` → `{new}`"),
            Self::Name(old, new) => write!(f, "name: `{old}` → `{new}`"),
            Self::EverySync => f.write_str("it runs at every sync now"),
            Self::Moved(was, is) => write!(f, "it moves from {was} to {is}"),
            Self::Also(phases) => write!(f, "it also runs in {phases} now"),
            Self::NoLonger(phases) => write!(f, "it no longer runs in {phases}"),
            Self::Ttl { ttl, .. } => {
                write!(f, "its TTL has deleted the earlier Job (`ttlSecondsAfterFinished: {ttl}`)")
            }
            Self::LiveOptions => f.write_str("the live Job still has `Force=true`, and Argo CD replaces it once more"),
            Self::DeletePolicy => f.write_str("its delete policy has deleted the earlier one (`HookSucceeded`)"),
            Self::Pruned => f.write_str("the sync first prunes the earlier one, which is not a hook"),
            Self::NotAHook => f.write_str(
                "it is not a hook any more, and its delete policy has deleted the earlier Job (`HookSucceeded`)",
            ),
        }
    }
}

//! A ConfigMap, Secret, ServiceAccount, claim, role or binding that a Job uses and that changes.

use preview::{Change, ChangedUse, Effect, Part, PartChange, Sees, Used};

/// The most parts that are named.
const PARTS: usize = 3;

/// ``reads the old ConfigMap `queue` (`SCHEMA` changes)``; `all` says whether all parts are named.
pub(super) fn used(Used { object, effect }: &Used, all: bool) -> String {
    let ChangedUse { kind, name, old_name, .. } = object;
    let now = if old_name.is_some() { format!(" (now `{name}`)") } else { String::new() };
    let named = format!("{kind} `{}`{now}", object.base_name());
    let changes = match &object.change {
        Change::New => "is new".to_owned(),
        Change::Gone => "is gone".to_owned(),
        Change::Parts(parts) if parts.is_empty() => "has only another name".to_owned(),
        Change::Parts(parts) => format!("changes ({})", few(parts, all)),
    };
    let verb = if object.has_content { "reads" } else { "uses" };
    match (effect, &object.change) {
        (Effect::None | Effect::Sees(Sees::New), _) => format!("{named} {changes}"),
        (Effect::NotYet, _) => format!("{named} {changes}, which has no effect until it runs"),
        (Effect::Sees(Sees::Old), Change::New) => {
            format!("{named} is new and is applied later: it {verb} what the cluster has")
        }
        (Effect::Sees(Sees::Old), _) => format!("{verb} the old {named}, which {changes} later"),
        (Effect::Sees(Sees::OldAtFirst), Change::New) => {
            format!("{named} is new and is applied later: it first {verb} what the cluster has")
        }
        (Effect::Sees(Sees::OldAtFirst), _) => format!("first {verb} the old {named}, which {changes} later"),
        (Effect::Sees(Sees::Optional), _) => format!("runs without {named}, which is created later"),
        (Effect::Sees(Sees::Nothing), _) => format!("{named} is created later"),
    }
}

/// `` `a`, `b` is new and 2 more``
fn few(parts: &[Part], all: bool) -> String {
    let named = |Part { name, change }: &Part| match change {
        PartChange::Changed => format!("`{name}`"),
        PartChange::New => format!("`{name}` is new"),
        PartChange::Gone => format!("`{name}` is gone"),
    };
    let names: Vec<String> = parts.iter().map(named).collect();
    text::few(&names, if all { usize::MAX } else { PARTS })
}

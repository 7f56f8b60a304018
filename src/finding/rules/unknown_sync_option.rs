//! `unknown-sync-option`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Object;
use crate::text::spelling;

pub(super) const RULE: Rule = Rule {
    id: "unknown-sync-option",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a misspelled sync option",
    why: "Argo CD compares the items of `argocd.argoproj.io/sync-options` exactly, and does not report others: \
          `Replace=True`, `prune=false` and `Force = true` have no effect \
          (`gitops-engine/pkg/sync/resource/annotations.go`).",
    fix: "Spell the option as in Argo CD's documentation.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    check: Check::Objects(check),
};

/// The sync options of a resource, and those that only an Application can have, as documented.
const KNOWN: [&str; 30] = [
    "Validate=true",
    "Validate=false",
    "Prune=true",
    "Prune=false",
    "Prune=confirm",
    "Delete=true",
    "Delete=false",
    "Delete=confirm",
    "Replace=true",
    "Replace=false",
    "Force=true",
    "Force=false",
    "PruneLast=true",
    "PruneLast=false",
    "ServerSideApply=true",
    "ServerSideApply=false",
    "SkipDryRunOnMissingResource=true",
    "SkipDryRunOnMissingResource=false",
    "ApplyOutOfSyncOnly=true",
    "ApplyOutOfSyncOnly=false",
    "FailOnSharedResource=true",
    "FailOnSharedResource=false",
    "RespectIgnoreDifferences=true",
    "RespectIgnoreDifferences=false",
    "CreateNamespace=true",
    "CreateNamespace=false",
    "ClientSideApplyMigration=true",
    "ClientSideApplyMigration=false",
    "PrunePropagationPolicy=foreground",
    "PrunePropagationPolicy=background",
];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.objects().filter_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Option<Diagnostic> {
    let items = object.items(argocd::SYNC_OPTIONS);
    let unknown = items.into_iter().filter(|item| !KNOWN.contains(item));
    let (item, meant) = unknown.into_iter().find_map(|item| Some((item, meant(item)?)))?;
    let message = format!("unknown sync option `{item}`: Argo CD ignores it");
    Some(Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, format!("did you mean `{meant}`?")))
}

/// The option that a misspelling stands for, or the options of a list without commas.
fn meant(item: &str) -> Option<String> {
    if let Some(known) = spelling::alike(item, KNOWN) {
        return Some(known.to_owned());
    }
    let words: Vec<&str> = item.split([' ', ';', '\n']).filter(|word| !word.is_empty()).collect();
    (words.len() > 1 && words.iter().all(|word| KNOWN.contains(word))).then(|| words.join(","))
}

//! `unknown-sync-option`

use kube_jobs::argocd;
use kube_jobs::kubernetes::Object;
use text::spelling;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unknown-sync-option",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a sync option that Argo CD does not know",
    why: "Argo CD compares the items of `argocd.argoproj.io/sync-options` exactly, and does not report others: \
          `Replace=True`, `prune=false`, `SkipPrune=true` and `SkipDryRunOnMissingResource` without `=true` have no \
          effect (`gitops-engine/pkg/sync/resource/annotations.go`). The same is true for the `syncOptions` of an Application; \
          the finding is then at the first Job or hook.",
    fix: "Spell the option as in Argo CD's documentation, or remove it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    example: super::example!("unknown-sync-option"),
    check: Check::Objects(check),
};

/// The documented sync options: those of a resource, and those that only an Application can have.
pub(crate) const KNOWN: [&str; 31] = [
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
    "PrunePropagationPolicy=orphan",
];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let of_objects = context.objects().filter_map(|(index, object)| of_object(index, object));
    of_application(context).into_iter().chain(of_objects).collect()
}

fn of_application(context: &Context<'_>) -> Option<Diagnostic> {
    let options = context.survey.application.sync.iter().flat_map(|sync| sync.options.iter().map(String::as_str));
    let (item, help) = worst(options.collect())?;
    let (index, _) = context.running().next()?;
    let message = format!("unknown sync option `{item}` in the Application's `syncOptions`: Argo CD ignores it");
    Some(Diagnostic::on_name(index, message, help))
}

fn of_object(index: usize, object: &Object) -> Option<Diagnostic> {
    let (item, help) = worst(object.items(argocd::SYNC_OPTIONS))?;
    let message = format!("unknown sync option `{item}`: Argo CD ignores it");
    Some(Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help).at_word(item))
}

/// One of the unknown options, and the help line for it.
fn worst(items: Vec<&str>) -> Option<(&str, String)> {
    let unknown: Vec<&str> = items.into_iter().filter(|item| !KNOWN.contains(item)).collect();
    // Report a misspelled option, which has a suggestion, rather than one that does not exist.
    let misspelled = unknown.iter().find_map(|item| Some((*item, meant(item)?)));
    match misspelled {
        Some((item, meant)) => Some((item, format!("did you mean `{meant}`?"))),
        None => {
            let help = "use an option from Argo CD's documentation of sync options, or remove it";
            Some((*unknown.first()?, help.to_owned()))
        }
    }
}

/// The option that was meant by a misspelling, or the options of a list without commas.
fn meant(item: &str) -> Option<String> {
    if let Some(known) = spelling::alike(item, KNOWN) {
        return Some(known.to_owned());
    }
    if let Some(several) = several(item) {
        return Some(several);
    }
    // The value is missing or incomplete.
    let is_begun = |known: &&str| {
        let key = known.strip_suffix("=true").unwrap_or(known);
        known.starts_with(item) && item.starts_with(key)
    };
    KNOWN.into_iter().find(is_begun).map(ToOwned::to_owned)
}

/// The options of a list without commas. None for a single word, and if one of the words is not an option.
pub(crate) fn several(item: &str) -> Option<String> {
    let words = item.split([' ', ';', '\n']).filter(|word| !word.is_empty());
    let spelled = |word| KNOWN.into_iter().find(|known| *known == word).or_else(|| spelling::alike(word, KNOWN));
    let options: Vec<&str> = words.map(spelled).collect::<Option<_>>()?;
    (options.len() > 1).then(|| options.join(","))
}

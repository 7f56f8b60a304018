//! `generate-paths-too-narrow`

use crate::survey::Side;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "generate-paths-too-narrow",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`manifest-generate-paths` leaves out what the source reads: a commit that changes only that starts no sync",
    why: "With the annotation `argocd.argoproj.io/manifest-generate-paths` on an Application, Argo CD renders a commit only if it changes a file \
          below one of these paths. Otherwise it takes the manifests of the commit before, for the new commit (`UpdateRevisionForPaths` in \
          `reposerver/repository/repository.go`; argo-cd #19275). So the Application stays `Synced`, and a changed Job does not run, until the \
          cache expires (24 hours), somebody asks for a hard refresh, or a later commit changes a file below the paths.\n\n\
          The finding is about files that are certainly read: what a kustomization names, and what the kustomizations in these folders name; \
          value files and file parameters of a chart, and its dependencies with `file://`; files behind symlinks. What other repositories \
          have is not looked at. It is reported once for each source with a Job or a hook, and only if the manifest of the Application is known. The annotation that ignores it belongs to the first of these by its name.",
    fix: "Add the paths to the annotation, separated by `;`. A path that begins with `/` begins at the root of the repository, and any other at the \
          folder of the source.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/high_availability/#manifest-paths-annotation",
    example: super::example!("generate-paths-too-narrow").generate_paths(".", ".;../base"),
    check: Check::Application(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let uncovered = context.survey.application.sync.as_ref().and_then(|sync| sync.uncovered.as_ref());
    let Some(uncovered) = uncovered else { return Vec::new() };
    // An object that is written is the first on both sides, so that a strategy changes nothing.
    let written = Context { side: Side::Written, ..*context };
    let Some(index) = first(&written).or_else(|| first(context)) else { return Vec::new() };
    let shown =
        |path: &String| if path == "." { "the folder of the source (`.`)".to_owned() } else { format!("`{path}`") };
    let paths: Vec<String> = uncovered.paths.iter().map(shown).collect();
    let them = if paths.len() == 1 { "it" } else { "them" };
    let message = format!(
        "a commit that changes only {} starts no sync: the source reads {them}, and `manifest-generate-paths` of the Application leaves {them} out",
        paths.join(" or ")
    );
    let help = format!("write `{}` in the annotation", uncovered.wanted);
    vec![Diagnostic::on_name(index, message, help).elsewhere(uncovered.at.clone())]
}

/// The first Job or hook: an annotation there can ignore the finding.
fn first(context: &Context<'_>) -> Option<usize> {
    let running = context.running().chain(context.hooks());
    running.min_by_key(|(index, object)| (object.shown_name(), *index)).map(|(index, _)| index)
}

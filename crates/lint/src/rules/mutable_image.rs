//! `mutable-image`

use kube_jobs::kubernetes::Image;
use kube_jobs::kubernetes::pod::{self, Container};

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "mutable-image",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Info,
    summary: "an image without a tag, or with the tag `latest`, under `hash-name`",
    why: "The hash is computed from the manifest. A new image under the old tag does not change the manifest, so the \
          Job keeps its name, and the new migration never runs.\n\n\
          An init container that only waits, such as one with `until nc -z db 5432; do sleep 1; done`, does not give \
          the finding, and neither does an image `ko://…`, for which the build fills in a digest.",
    fix: "Pin a version tag or a digest. To run the Job once more, change the annotation `argocd-jobs/rerun`.",
    link: "https://kubernetes.io/docs/concepts/containers/images/",
    example: super::example!("mutable-image"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let jobs = context.renamed_jobs();
    let containers = jobs.flat_map(|(index, job)| pod::containers(job).into_iter().map(move |found| (index, found)));
    containers
        .filter(|(_, container)| !waits(container))
        .filter_map(|(index, container)| {
            let (image, path) = (container.value.text_at(&["image"])?, container.path.with("image"));
            let why = mutable(image)?;
            let message = format!("image `{image}` {why} will not run the Job again");
            Some(Diagnostic::at(index, path, message, "pin the image to a version tag or a digest"))
        })
        .take(context.most)
        .collect()
}

/// Whether an init container only waits for something else, so that its image does not matter.
fn waits(container: &Container<'_>) -> bool {
    const SIGNS: [&str; 12] = [
        "until ",
        "while ! ",
        "nc -z",
        "pg_isready",
        "wait-for",
        "wait_for",
        "waitfor",
        "wait4",
        "kubectl wait",
        "rollout status",
        "mysqladmin ping",
        "dockerize -wait",
    ];
    let says = |text: &str| SIGNS.iter().any(|sign| text.contains(sign));
    let command = container.words().collect::<Vec<_>>().join(" ");
    let named = ["name", "image"].into_iter().filter_map(|key| container.value.text_at(&[key]));
    container.is_init
        && (says(&command) || command.starts_with("sleep ") || named.into_iter().any(|name| name.contains("wait-for")))
}

/// Why an image can change, as part of a sentence. None for a version, a digest or a placeholder.
fn mutable(image: &str) -> Option<&'static str> {
    // `ko` replaces an import path by a digest, after this program has run.
    if image.is_empty() || image.starts_with("ko://") || image.contains(['@', '$', '{', '<']) {
        return None;
    }
    match Image::of(image).tag {
        None => Some("has no tag and is mutable: pushing a new image"),
        Some("latest") => Some("is mutable: pushing a new image under this tag"),
        Some(_) => None,
    }
}

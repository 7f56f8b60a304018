//! `mutable-image`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::strategy::Strategy;
use crate::survey::Side;

pub(super) const RULE: Rule = Rule {
    id: "mutable-image",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Info,
    summary: "an image without a tag, or with the tag `latest`, under `hash-name`",
    why: "The hash is computed from the manifest. A new image under the old tag does not change the manifest, so the \
          Job keeps its name, and the new migration never runs.",
    fix: "Pin a version tag or a digest. To run the Job once more, change the annotation `argocd-jobs/rerun`.",
    link: "https://kubernetes.io/docs/concepts/containers/images/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.side == Side::Written {
        return Vec::new();
    }
    let hashed = context.ordinary_jobs().filter(|(index, _)| context.strategy(*index) == Some(Strategy::HashName));
    let images =
        hashed.flat_map(|(index, job)| job.images().into_iter().map(move |(path, image)| (index, path, image)));
    images
        .filter_map(|(index, path, image)| {
            let why = mutable(image)?;
            let message = format!("image `{image}` {why} will not run the Job again");
            Some(Diagnostic::at(index, path, message, "pin the image to a version tag or a digest"))
        })
        .collect()
}

/// How an image can change; none for a version, a digest or a placeholder.
fn mutable(image: &str) -> Option<&'static str> {
    let last = image.rsplit('/').next().unwrap_or(image);
    if image.is_empty() || image.contains(['@', '$', '{', '<']) {
        return None;
    }
    match last.split_once(':') {
        None => Some("has no tag and is mutable: pushing a new image"),
        Some((_, "latest")) => Some("is mutable: pushing a new image under this tag"),
        Some(_) => None,
    }
}

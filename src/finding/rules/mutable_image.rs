//! `mutable-image`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::strategy::Strategy;
use crate::survey::Side;

pub(super) const RULE: Rule = Rule {
    id: "mutable-image",
    level: Level::Info,
    summary: "an image without a tag, or with `latest`, under `hash-name`",
    why: "The hash is made of what the manifest says. A new image under the old tag changes nothing in it, so that \
          the Job keeps its name, and the new migration never runs.",
    fix: "Name a version or a digest. To run the Job once more, change the annotation `argocd-jobs/rerun`.",
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
            let what = mutable(image)?;
            let message =
                format!("the image `{image}` has {what}: a new one under the same name does not run the Job again");
            Some(Diagnostic::at(index, path, message, "name a version or a digest"))
        })
        .collect()
}

/// Why an image is mutable; none for a version, a digest or a placeholder.
fn mutable(image: &str) -> Option<&'static str> {
    let last = image.rsplit('/').next().unwrap_or(image);
    if image.is_empty() || image.contains(['@', '$', '{', '<']) {
        return None;
    }
    match last.split_once(':') {
        None => Some("no tag"),
        Some((_, "latest")) => Some("the tag `latest`"),
        Some(_) => None,
    }
}

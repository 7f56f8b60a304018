//! `mutable-image`

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::strategy::Strategy;
use crate::survey::Side;

pub(super) const ROW: Row = Row {
    id: "mutable-image",
    level: Level::Info,
    summary: "an image without a tag, or with `latest`, under `hash-name`",
    why: "The hash is made of what the manifest says. A new image under the old tag changes nothing in it, so that \
          the Job keeps its name, and the new migration never runs.",
    fix: "Name a version or a digest. To run the Job once more, change the annotation `argocd-jobs/rerun`.",
    link: "https://kubernetes.io/docs/concepts/containers/images/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    if look.side == Side::Written {
        return Vec::new();
    }
    let hashed = look.ordinary_jobs().filter(|(index, _)| look.strategy(*index) == Some(Strategy::HashName));
    let images =
        hashed.flat_map(|(index, job)| job.images().into_iter().map(move |(path, image)| (index, path, image)));
    images
        .filter_map(|(index, path, image)| {
            let what = mutable(image)?;
            let message =
                format!("the image `{image}` has {what}: a new one under the same name does not run the Job again");
            Some(Remark::at(index, path, message, "name a version or a digest"))
        })
        .collect()
}

/// What makes an image a moving one; none for a place holder.
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

//! `ref`: sources of an Application whose files its other sources read as value files (`$name/path`).

use std::collections::{BTreeMap, BTreeSet};

use super::SkippedBecause;
use crate::argocd::{is_same_repository, normalized_git_url};
use crate::yaml::Value;

/// A source that others refer to.
#[derive(Debug)]
pub(super) struct Target {
    url: String,
    revision: String,
    is_chart: bool,
}

/// The sources that others refer to, by their names.
pub(super) type Referable = BTreeMap<String, Target>;

/// The sources of an Application that have a `ref`; an error as in Argo CD's `GetRefSources` (`util/argo/argo.go`).
pub(super) fn referable(sources: &[Value]) -> Result<Referable, String> {
    let mut all = Referable::new();
    // A source that is alone has nobody who refers to it.
    for source in sources.iter().filter(|_| sources.len() > 1) {
        let text = |key: &str| source.text_at(&[key]).unwrap_or_default();
        let name = text("ref");
        if name.is_empty() {
            continue;
        }
        if !name.chars().all(|found| found.is_ascii_alphanumeric() || matches!(found, '-' | '_')) {
            return Err(format!("invalid `ref` `{name}`: only letters, digits, `-` and `_` are allowed"));
        }
        let target = Target {
            url: text("repoURL").to_owned(),
            revision: text("targetRevision").to_owned(),
            is_chart: !text("chart").is_empty(),
        };
        if all.insert(name.to_owned(), target).is_some() {
            return Err(format!("two sources have the `ref` `{name}`"));
        }
    }
    Ok(all)
}

/// The names that the value files and file parameters of the block `helm` of `source` refer to; all of them are in this checkout.
///
/// An error as in `runManifestGenAsync` (`reposerver/repository/repository.go`), where every path that begins with `$` has to refer to a
/// source, and where sources of one repository are of one revision.
pub(super) fn of_helm(
    source: &Value,
    referable: &Referable,
    repository_urls: &[String],
) -> Result<BTreeSet<String>, SkippedBecause> {
    let list = |key: &str| source.at(&["helm", key]).and_then(Value::as_list).unwrap_or_default();
    let paths = list("fileParameters").iter().filter_map(|parameter| parameter.text_at(&["path"]));
    let paths = list("valueFiles").iter().filter_map(Value::as_text).chain(paths);
    let own = |key: &str| source.text_at(&[key]).unwrap_or_default();
    let mut names = BTreeSet::new();
    for name in paths.filter_map(|path| path.strip_prefix('$')).map(|path| path.split('/').next().unwrap_or_default()) {
        let broken = |text: String| Err(SkippedBecause::Broken(text));
        let Some(target) = referable.get(name) else {
            return broken(format!("`${name}` in its value files: no other source has this `ref`"));
        };
        if target.is_chart {
            return broken(format!("`${name}` in its value files: that source is a chart of a Helm repository"));
        }
        let is_own = normalized_git_url(&target.url) == normalized_git_url(own("repoURL"));
        if !is_own && !repository_urls.iter().any(|url| is_same_repository(url, &target.url)) {
            return Err(SkippedBecause::ReferenceToAnotherRepository {
                name: name.to_owned(),
                url: target.url.clone(),
            });
        }
        // Only a name says for certain which revision it is not.
        let is_named = |revision: &str| !revision.is_empty() && revision != "HEAD";
        let revision = own("targetRevision");
        if is_own && target.revision != revision && is_named(&target.revision) && is_named(revision) {
            return broken(format!(
                "`${name}` in its value files is at revision `{}` of the repository, but the source is at `{revision}`",
                target.revision
            ));
        }
        names.insert(name.to_owned());
    }
    Ok(names)
}

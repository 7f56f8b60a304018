//! `ref`: a source of an Application whose files its other sources read as value files (`$name/path`).

use std::collections::BTreeMap;

use goyaml::Value;
use kube_jobs::argocd::normalized_git_url;

use super::{Checkout, Elsewhere, SkippedBecause};

/// A source that has a `ref`.
#[derive(Debug)]
pub(super) struct Target {
    url: String,
    revision: String,
    is_chart: bool,
}

/// The sources that have a `ref`, by its name.
pub(super) type Referable = BTreeMap<String, Target>;

/// The sources of an Application that have a `ref`. Fails where Argo CD's `GetRefSources` does (`util/argo/argo.go`).
pub(super) fn referable(sources: &[Value]) -> Result<Referable, String> {
    let mut all = Referable::new();
    // No other source can refer to the only source.
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

/// The names that the value files and file parameters of the `helm` block of `source` refer to. Each has the place of
/// the files, or `None` when they are in this checkout.
///
/// Fails where `runManifestGenAsync` does (`reposerver/repository/repository.go`): every path that begins with `$`
/// must refer to a source, and sources in the same repository must have the same revision.
pub(super) fn of_helm(
    source: &Value,
    referable: &Referable,
    checkout: &Checkout,
) -> Result<BTreeMap<String, Option<Elsewhere>>, SkippedBecause> {
    let list = |key: &str| source.items_at(&["helm", key]);
    let paths = list("fileParameters").iter().filter_map(|parameter| parameter.text_at(&["path"]));
    let paths = list("valueFiles").iter().filter_map(Value::as_text).chain(paths);
    let own = |key: &str| source.text_at(&[key]).unwrap_or_default();
    let mut found = BTreeMap::new();
    for name in paths.filter_map(|path| path.strip_prefix('$')).map(|path| path.split('/').next().unwrap_or_default()) {
        let broken = |text: String| Err(SkippedBecause::Broken(text));
        let Some(target) = referable.get(name) else {
            return broken(format!("`${name}` in its value files: no other source has this `ref`"));
        };
        if target.is_chart {
            return broken(format!("`${name}` in its value files: that source is a chart of a Helm repository"));
        }
        let is_own = normalized_git_url(&target.url) == normalized_git_url(own("repoURL"));
        // An empty revision or `HEAD` may be any commit, so only two other revisions are known to differ.
        let is_named = |revision: &str| !revision.is_empty() && revision != "HEAD";
        let revision = own("targetRevision");
        if is_own && target.revision != revision && is_named(&target.revision) && is_named(revision) {
            return broken(format!(
                "`${name}` in its value files is at revision `{}` of the repository, but the source is at `{revision}`",
                target.revision
            ));
        }
        if found.contains_key(name) {
            continue;
        }
        let elsewhere = match checkout.is_repository(&target.url) {
            true => checkout.at_tag(&target.revision),
            false => Some(checkout.others.repository(&target.url, &target.revision).map_err(|why| match why {
                SkippedBecause::AnotherRepository(url) => {
                    SkippedBecause::ReferenceToAnotherRepository { name: name.to_owned(), url }
                }
                why => why,
            })?),
        };
        found.insert(name.to_owned(), elsewhere);
    }
    Ok(found)
}

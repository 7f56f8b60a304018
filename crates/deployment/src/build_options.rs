//! The options for `kustomize build` that Argo CD has, where the checkout says them: `kustomize.buildOptions` of an `argocd-cm`, and the like.

use std::collections::BTreeSet;
use std::path::Path;

use kube_jobs::argocd::BuildOptions;
use render::KUSTOMIZATIONS;
use system::PathText;
use text::{few, visible};
use walkdir::WalkDir;

use crate::applications::{build_options, may_have_build_options};
use crate::run::{Run, is_checkout};
use crate::search;

/// The variable with the options of the platform owner.
const VARIABLE: &str = "ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS";

/// The most files that are named.
const NAMES: usize = 3;

/// Lets the kustomizations of a run be built with the options in its checkout, unless somebody sets options. Of several Argo CDs, each kustomization gets the
/// options of all. What is not allowed here is left out, and that is noted.
pub fn settle(run: &mut Run) {
    let is_set = run.settings.last("kustomize-build-options").is_some() || run.environment.get(VARIABLE).is_some();
    let dirs = || run.paths.iter().filter(|path| *path != "-").map(Path::new);
    if is_set || run.environment.get("ARGOCD_APP_NAME").is_some() || !dirs().any(has_kustomization) {
        return;
    }
    let root = dirs().next().map(|dir| run.checkout_root(dir));
    let Some(root) = root.and_then(Result::ok).filter(|root| run.environment.in_a_case || is_checkout(root)) else {
        return;
    };
    let (mut allowed, mut refused, mut files) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (path, text) in search::read(&root, may_have_build_options).unwrap_or_default() {
        let found = build_options(&text);
        if !found.is_empty() {
            files.insert(format!("`{}`", path.strip_prefix(&root).unwrap_or(&path).in_slashes()));
        }
        found.iter().for_each(|text| split(text, &mut allowed, &mut refused));
    }
    if files.is_empty() {
        return;
    }
    let (options, files) =
        (allowed.into_iter().collect::<Vec<_>>().join(" "), few(&files.into_iter().collect::<Vec<_>>(), NAMES));
    let mut note = format!("kustomize is called with `{options}`, as `kustomize.buildOptions` in {files}");
    if options.is_empty() {
        note = format!("`kustomize.buildOptions` in {files}: nothing of it is allowed here");
    }
    if !refused.is_empty() {
        let refused: Vec<String> = refused.iter().map(|word| format!("`{word}`")).collect();
        note += &format!("; without {}", few(&refused, NAMES));
    }
    run.environment.notes.add(visible(&note).into_owned());
    if !options.is_empty() {
        run.environment.variables.insert(VARIABLE.to_owned(), options);
    }
}

/// Whether there is a kustomization in a directory, at any depth.
fn has_kustomization(dir: &Path) -> bool {
    let walk = WalkDir::new(dir).into_iter().filter_entry(|entry| entry.file_name() != ".git");
    walk.flatten().any(|entry| entry.file_name().to_str().is_some_and(|name| KUSTOMIZATIONS.contains(&name)))
}

/// Adds the options of a text to those that are allowed and to the words that are not.
fn split(text: &str, allowed: &mut BTreeSet<String>, refused: &mut BTreeSet<String>) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut rest = words.as_slice();
    while let [word, behind @ ..] = rest {
        // An option has no value, or the next word.
        let mut options = (1..=rest.len().min(2)).map(|count| rest[..count].join(" "));
        match options.find(|option| BuildOptions::parse(option).is_ok()) {
            Some(option) => {
                rest = &rest[option.split(' ').count()..];
                allowed.insert(option);
            }
            None => {
                refused.insert((*word).to_owned());
                rest = behind;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_allowed_is_taken() {
        for (text, expected, left) in [
            ("--enable-helm", "--enable-helm", ""),
            (
                "--enable-alpha-plugins --enable-exec --enable-helm",
                "--enable-alpha-plugins --enable-helm",
                "--enable-exec",
            ),
            (
                "--load-restrictor LoadRestrictionsNone  --enable-helm=true",
                "--enable-helm=true --load-restrictor LoadRestrictionsNone",
                "",
            ),
            ("--load-restrictor=LoadRestrictionsNone", "--load-restrictor=LoadRestrictionsNone", ""),
            ("--helm-command /bin/sh --reorder none", "--reorder none", "--helm-command /bin/sh"),
            ("", "", ""),
        ] {
            let (mut allowed, mut refused) = (BTreeSet::new(), BTreeSet::new());
            split(text, &mut allowed, &mut refused);
            let joined = |words: BTreeSet<String>| words.into_iter().collect::<Vec<_>>().join(" ");
            let mut left: Vec<&str> = left.split_whitespace().collect();
            left.sort_unstable();
            assert_eq!((joined(allowed), joined(refused)), (expected.to_owned(), left.join(" ")), "{text}");
        }
    }
}

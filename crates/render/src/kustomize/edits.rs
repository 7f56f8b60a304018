//! The changes that an Application makes to its kustomization, in Argo CD's order (`Build` in
//! `util/kustomize/kustomize.go`).

use std::collections::BTreeMap;
use std::ffi::OsString;

use goyaml::Value;
use rewrite::settings::KustomizeSettings;

use crate::kustomize::components;
use crate::tool::{RenderError, Session};

pub(super) enum Edit {
    /// The arguments after `kustomize edit`.
    Command(Vec<OsString>),
    /// Patches, for which `kustomize edit` has no command.
    Patches(Vec<Value>),
}

impl Edit {
    /// The field of `spec.source.kustomize` that causes the change.
    pub(super) fn field(&self) -> &'static str {
        let Self::Command(words) = self else { return "patches" };
        match words.get(1).and_then(|word| word.to_str()) {
            Some("nameprefix") => "namePrefix",
            Some("namesuffix") => "nameSuffix",
            Some("image") => "images",
            Some("replicas") => "replicas",
            Some("label") => "commonLabels",
            Some("annotation") => "commonAnnotations",
            Some("namespace") => "namespace",
            _ => "components",
        }
    }
}

/// The changes for all fields that are set.
pub(super) fn of(settings: &KustomizeSettings, session: &Session<'_>) -> Result<Vec<Edit>, RenderError> {
    let mut edits = Vec::new();
    let mut command = |words: &[&str], values: Vec<String>| {
        let words = words.iter().map(|word| (*word).to_owned());
        edits.push(Edit::Command(words.chain(values).map(OsString::from).collect()));
    };
    let substitute = |text: &String| session.application.substitute(text);
    if let Some(prefix) = &settings.name_prefix {
        command(&["set", "nameprefix", "--"], vec![prefix.clone()]);
    }
    if let Some(suffix) = &settings.name_suffix {
        command(&["set", "namesuffix", "--"], vec![suffix.clone()]);
    }
    if !settings.images.is_empty() {
        command(&["set", "image"], settings.images.iter().map(substitute).collect());
    }
    if !settings.replicas.is_empty() {
        let pairs = settings.replicas.iter().map(|(name, count)| format!("{name}={count}"));
        command(&["set", "replicas"], pairs.collect());
    }
    if !settings.common_labels.is_empty() {
        let mut words = vec!["add", "label"];
        let switches = [
            (settings.force_common_labels, "--force"),
            (settings.label_without_selector, "--without-selector"),
            (settings.label_include_templates, "--include-templates"),
        ];
        words.extend(switches.into_iter().filter(|(is_on, _)| *is_on).map(|(_, flag)| flag));
        command(&words, pairs(&settings.common_labels, substitute));
    }
    if !settings.common_annotations.is_empty() {
        let mut words = vec!["add", "annotation"];
        words.extend(settings.force_common_annotations.then_some("--force"));
        let values = match settings.common_annotations_envsubst {
            true => pairs(&settings.common_annotations, substitute),
            false => pairs(&settings.common_annotations, String::clone),
        };
        command(&words, values);
    }
    if let Some(namespace) = &settings.namespace {
        command(&["set", "namespace", "--"], vec![namespace.clone()]);
    }
    if !settings.patches.is_empty() {
        edits.push(Edit::Patches(settings.patches.clone()));
    }
    let components = match settings.ignore_missing_components {
        true => components::existing(&settings.components, &session.tree.dir, &session.tree.root),
        false => settings.components.clone(),
    };
    if !components.is_empty() {
        let words = ["add", "component"].map(ToOwned::to_owned).into_iter();
        edits.push(Edit::Command(words.chain(components).map(OsString::from).collect()));
    }
    Ok(edits)
}

/// `name:value` for each entry (`mapToEditAddArgs`). Argo CD passes the entries in the random order of a Go map; here
/// they are sorted by name.
fn pairs(map: &BTreeMap<String, String>, value: impl Fn(&String) -> String) -> Vec<String> {
    map.iter().map(|(name, text)| format!("{name}:{}", value(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_knows_the_field_that_asks_for_it() {
        for (words, field) in [
            (&["set", "nameprefix", "--", "x"][..], "namePrefix"),
            (&["set", "namesuffix", "--", "x"], "nameSuffix"),
            (&["set", "image", "a=b"], "images"),
            (&["set", "replicas", "a=1"], "replicas"),
            (&["add", "label", "--force", "a:b"], "commonLabels"),
            (&["add", "annotation", "a:b"], "commonAnnotations"),
            (&["set", "namespace", "--", "x"], "namespace"),
            (&["add", "component", "x"], "components"),
        ] {
            assert_eq!(Edit::Command(words.iter().map(OsString::from).collect()).field(), field);
        }
        assert_eq!(Edit::Patches(Vec::new()).field(), "patches");
    }
}

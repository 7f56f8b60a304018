//! The long text of an annotation.

use std::fmt::Write;

use lint::Rule;

use super::annotations::Annotation;
use super::text::{block, heading, meanings, section, wrapped};
use crate::paint::{Ink, Paint};

/// The text for a terminal.
pub(super) fn text(annotation: &Annotation, paint: Paint) -> String {
    let Annotation { id, summary, effect, values, example, findings, source, link } = annotation;
    let name = if id.ends_with('.') { format!("{id}<finding>") } else { (*id).to_owned() };
    let mut out = format!("{} (annotation)\n{}\n", paint.ink(Ink::Strong, name), wrapped(summary, "", ""));
    section(&mut out, "What it does", effect, paint);
    if !values.is_empty() {
        meanings(&mut out, "Values", values, paint);
    }
    heading(&mut out, "Example", paint);
    block(&mut out, example, 2);
    let known: Vec<(&str, &str)> =
        findings.iter().filter_map(|id| Rule::find(id)).map(|rule| (rule.id, rule.summary)).collect();
    if !known.is_empty() {
        meanings(&mut out, "Findings about it", &known, paint);
    }
    if !source.is_empty() {
        section(&mut out, "Source in Argo CD", source, paint);
        let _ = writeln!(out, "\n{}: {link}", paint.ink(Ink::Strong, "Read more"));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::annotations::ANNOTATIONS;
    use super::*;
    use kube_jobs::argocd::{self, DELETE_HOOKS, HELM_DELETE_HOOKS, HookDeletePolicy, HookType, Phase};
    use kube_jobs::kubernetes::Job;

    fn values(id: &str) -> &'static [(&'static str, &'static str)] {
        ANNOTATIONS.iter().find(|annotation| annotation.id == id).unwrap().values
    }

    #[test]
    fn every_annotation_names_findings_and_itself() {
        for Annotation { id, example, findings, source, link, .. } in &ANNOTATIONS {
            assert!(example.starts_with(id), "{id}");
            assert!(findings.iter().all(|finding| Rule::find(finding).is_some()), "{id}: {findings:?}");
            assert_eq!(source.is_empty(), link.is_empty(), "{id}");
            assert_eq!(source.is_empty(), id.starts_with("argocd-jobs/"), "{id}");
        }
    }

    /// The program's own reading of Argo CD's words is held to Argo CD's code by the interoperability suite.
    #[test]
    fn the_values_are_those_that_argo_cd_knows() {
        for (value, _) in values(argocd::HOOK) {
            assert!(HookType::parse(value).is_some() || DELETE_HOOKS.contains(value), "{value}");
        }
        assert_eq!(values(argocd::HOOK).len(), Phase::ALL.len() + DELETE_HOOKS.len() + 1);
        let policies: BTreeSet<&str> = HookDeletePolicy::ALL.map(HookDeletePolicy::as_str).into();
        let named: BTreeSet<&str> = values(argocd::HOOK_DELETE_POLICY).iter().map(|(value, _)| *value).collect();
        assert_eq!(named, policies);
        for (value, meaning) in values(argocd::HELM_HOOK_DELETE_POLICY) {
            assert_eq!(HookDeletePolicy::parse_helm(value).unwrap().as_str(), *meaning);
        }
        for (value, meaning) in values(argocd::HELM_HOOK) {
            let job = Job::read(&format!("{{metadata: {{annotations: {{helm.sh/hook: {value}}}}}}}")).unwrap();
            let phase = job.phases().first().map(|phase| phase.as_str());
            let delete = HELM_DELETE_HOOKS.iter().position(|hook| hook == value).map(|at| DELETE_HOOKS[at]);
            assert_eq!(phase.or(delete), Some(*meaning).filter(|meaning| !meaning.starts_with("no phase")), "{value}");
        }
    }
}

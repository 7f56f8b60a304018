//! `application-set-fails`

use goyaml::Path;
use kube_jobs::argocd::BrokenSet;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "application-set-fails",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "Argo CD makes none of the Applications of an ApplicationSet, or not all of them",
    why: "If a generator fails, or the template fails for one element, Argo CD creates and changes no Application of the ApplicationSet, and \
          those that exist stay as they are (`Reconcile` in `applicationset/controllers/applicationset_controller.go`). So a new element gets \
          no Application, its Jobs never run, and no change of the ApplicationSet arrives. The sync that applied it may well have succeeded: \
          the controller tells the cause later, in the condition `ErrorOccurred`, and the ApplicationSet is `Degraded` \
          (`resource_customizations/argoproj.io/ApplicationSet/health.lua`).\n\n\
          It is a warning if Argo CD leaves out only some of the Applications: those without a name, and those that share one \
          (`validateGeneratedApplications`).\n\n\
          The ApplicationSet is expanded with the files of the checkout and the clusters that are known. It is not a finding if the cause may be \
          that something is not known here, such as what a generator asks a service for. It is reported where a source has the ApplicationSet, \
          once for each cause.",
    fix: "Correct the generator that fails, give each element what the template uses, or write a template that does without it. \
          `argocd appset generate FILE` shows what Argo CD makes of it.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/GoTemplate/",
    example: super::example!("application-set-fails"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let broken = &context.survey.application.broken_sets;
    if broken.is_empty() {
        return Vec::new();
    }
    let sets = context.objects().filter(|(_, object)| object.kind() == "ApplicationSet");
    let found = sets.flat_map(|(index, object)| {
        let survey = context.survey;
        let at = survey.objects[index]
            .address
            .map(|address| (address.manifest, survey.locate(address, &Path::default()).span.start));
        let own = broken.iter().filter(move |set| Some((set.manifest, set.offset)) == at);
        own.map(move |set| diagnostic(index, object.name(), set))
    });
    found.take(context.most).collect()
}

fn diagnostic(index: usize, name: Option<&str>, set: &BrokenSet) -> Diagnostic {
    let name = name.map_or_else(|| "the ApplicationSet".to_owned(), |name| format!("`{name}`"));
    let BrokenSet { cause, elements, makes_nothing, .. } = set;
    let elements = match elements {
        0 => String::new(),
        1 => " (1 element)".to_owned(),
        many => format!(" ({many} elements)"),
    };
    if !makes_nothing {
        let message = format!("Argo CD leaves out Applications of {name}: {cause}{elements}");
        let help = "give each Application a name of its own, in `metadata.name` of the template";
        return Diagnostic::on_name(index, message, help).at_level(Level::Warning);
    }
    let message = format!("Argo CD makes none of the Applications of {name}: {cause}{elements}");
    let help = match set.elements {
        0 => "correct the generator; until then, Applications that exist stay as they are",
        _ => {
            "give each element what the template uses, or correct the template; until then, Applications that exist stay as they are"
        }
    };
    Diagnostic::on_name(index, message, help)
}

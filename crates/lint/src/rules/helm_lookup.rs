//! `helm-lookup`

use rewrite::manifest::FixedValue;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "helm-lookup",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Info,
    summary: "a Job or hook whose template calls `lookup`, which finds nothing under Argo CD",
    why: "Argo CD renders a chart with `helm template` (`template` in `util/helm/cmd.go`), which does not ask the cluster: `lookup` returns an empty \
          map, whatever is there. A Job that is printed only if something is missing is printed always, and one that is printed only if something \
          is there never is.\n\n\
          The finding is read in the template and in what it includes, and not proven: the chart may be right with an empty result.",
    fix: "Make sure that the Job is right when nothing is found. Charts often have a value, such as `existingSecret`, that makes the call needless.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/",
    example: super::example!("helm-lookup")
        .template("{{ if not (lookup \"v1\" \"Secret\" \"\" \"db\") }}", "{{ if .Values.seed }}"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let found = context.template_reads(FixedValue::Lookup).map(|(index, kind, place)| {
        let message = format!("the template of this {kind} calls `lookup` ({place}), which finds nothing under Argo CD");
        let help = "make sure that it is right when nothing is found, or set a value of the chart that makes the call needless";
        Diagnostic::on_name(index, message, help)
    });
    found.collect()
}

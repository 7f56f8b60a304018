//! `helm-revision`

use rewrite::manifest::FixedValue;
use text::Help;

use super::HASH_NAME_DOES_THIS;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "helm-revision",
    theme: super::Theme::Runs,
    since: "0.1.0",
    level: Level::Info,
    summary: "a Job or hook whose template reads `.Release.Revision`, which is always 1 under Argo CD",
    why: "Argo CD renders a chart with `helm template` (`template` in `util/helm/cmd.go`), which knows no release: `.Release.Revision` is 1 at every \
          rendering. A name or an annotation with it, which Helm changes at every upgrade, never changes (argo-cd #8643).\n\n\
          The finding is read in the template and in what it includes, and not proven: the value may have no effect on the Job.",
    fix: "Use something that changes with the Job: a checksum of its content, including its image. With the plugin, the strategy `hash-name` adds one \
          to the name.",
    link: "https://github.com/argoproj/argo-cd/issues/8643",
    example: super::example!("helm-revision")
        .template("name: migrate-{{ .Release.Revision }}", "name: migrate")
        .note("The plugin appends a hash of the Job's content to the name."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let found = context.template_reads(FixedValue::Revision).map(|(index, kind, place)| {
        let message =
            format!("the template of this {kind} reads `.Release.Revision` ({place}), which is always 1 under Argo CD");
        let help =
            Help::from("use something that changes with the Job, such as a checksum of its content and its image")
                .with_plugin(HASH_NAME_DOES_THIS);
        Diagnostic::on_name(index, message, help)
    });
    found.collect()
}

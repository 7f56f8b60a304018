//! `checksum-leaves-out-job`

use kube_jobs::kubernetes::Job;
use rewrite::manifest::FixedValue;
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "checksum-leaves-out-job",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a checksum of another template in the name of a Job: the name stays when the Job changes, and the sync fails",
    why: "A checksum in the name of an ordinary Job gives the Job a new name when what is hashed changes. A template cannot include itself, so \
          a checksum of `$.Template.BasePath` covers another file, and the Job's own template is not part of it. A change there, such as a \
          new image, changes the Job and not its name: the API server rejects it with `field is immutable`, and the sync fails until \
          somebody deletes the Job.",
    fix: "Include what the Job itself uses in the checksum, such as its image from the values. With the plugin, the strategy `hash-name` appends a hash \
          of the whole Job.",
    link: "https://helm.sh/docs/howto/charts_tips_and_tricks/#automatically-roll-deployments",
    example: super::example!("checksum-leaves-out-job").template(
        "name: migrate-{{ include (print $.Template.BasePath \"/settings.yaml\") . | sha256sum | trunc 4 }}",
        "name: migrate-{{ print (include (print $.Template.BasePath \"/settings.yaml\") .) .Values.image | sha256sum | trunc 4 }}",
    ),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_other = |(index, _): &(usize, &Job)| context.survey.template_read(*index, FixedValue::OtherFile).is_some();
    let is_fixed = |(index, job): &(usize, &Job)| {
        !(context.is_renamed(*index) || context.has_replace_option(job) || job.is_owned() || job.short_ttl().is_some())
    };
    let diagnostic = |(index, _): (usize, &Job)| {
        let message = "the checksum in the name is of another template: a change of this Job alone, such as a new image, fails with `field is immutable`";
        let help = Help::from("include what the Job itself uses in the checksum, such as its image from the values")
            .with_plugin("the strategy `hash-name` renames a changed Job");
        Diagnostic::on_name(index, message, help)
    };
    context.ordinary_jobs().filter(is_other).filter(is_fixed).map(diagnostic).collect()
}

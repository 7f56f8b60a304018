//! `locked-setting`

use goyaml::path;
use rewrite::plan::JobPlan;
use rewrite::settings::{DisplayValue, Overruled, Provenance};

use crate::survey::Side;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "locked-setting",
    theme: super::Theme::Settings,
    since: "0.1.0",
    level: Level::Info,
    summary: "a setting that has no effect because its parameter is locked",
    why: "Whoever runs the plugin can lock parameters with `ARGOCD_JOBS_LOCK`: the sidecar's own value, or the \
          default if it has none, then overrides the config file, the Application and the annotations of Jobs. \
          `generate` applies the lock without reporting it.",
    fix: "Remove the setting, or ask whoever runs Argo CD to unlock the parameter.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/",
    example: super::example!("locked-setting").variable("ARGOCD_JOBS_LOCK", "strategy"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.side == Side::Written {
        return Vec::new();
    }
    let mut reported: Vec<&Overruled> = Vec::new();
    let mut diagnostics = Vec::new();
    for (index, _) in context.jobs() {
        let Some(plan) = context.survey.job(index) else { continue };
        for overruled in plan.overruled.iter().filter(|overruled| has_effect(overruled, plan)) {
            // Report a setting from a layer above the Jobs only once, at the first Job that it would affect.
            let is_own = matches!(overruled.setting.by, Provenance::Annotation(_));
            if is_own || !reported.contains(&overruled) {
                reported.push(overruled);
                diagnostics.push(diagnostic(index, overruled, plan));
            }
        }
    }
    diagnostics
}

/// Whether the locked value differs from that of the setting.
fn has_effect(overruled: &Overruled, plan: &JobPlan) -> bool {
    overruled.applied(&plan.settings).is_none_or(|setting| setting.value.display() != overruled.setting.value.display())
}

fn diagnostic(index: usize, overruled: &Overruled, plan: &JobPlan) -> Diagnostic {
    let name = overruled.name();
    let by = &overruled.setting.by;
    let applies = match overruled.applied(&plan.settings) {
        Some(setting) => {
            format!("{} from {} `{}` applies", shown(&setting.value.display()), setting.by.noun(), setting.by.name())
        }
        None => "the default applies".to_owned(),
    };
    let message = format!("`{name}` is locked: {applies}, not {} from {by}", shown(&overruled.setting.value.display()));
    let help = format!("remove the setting, or ask whoever runs Argo CD to unlock `{name}` in `ARGOCD_JOBS_LOCK`");
    match by {
        Provenance::Annotation(key) => Diagnostic::at(index, path!["metadata", "annotations", key], message, help),
        _ => Diagnostic::on_name(index, message, help),
    }
}

fn shown(value: &DisplayValue<'_>) -> String {
    match value {
        DisplayValue::Text(text) if text.is_empty() => "an empty value".to_owned(),
        DisplayValue::Text(text) => format!("`{text}`"),
        DisplayValue::List(items) => format!("`{}`", items.join(",")),
        DisplayValue::Map(_) => "a map".to_owned(),
    }
}

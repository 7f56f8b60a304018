//! `hook-needs-later-object`

use std::collections::BTreeSet;

use goyaml::{Change, path};
use kube_jobs::argocd::{self, Phase};
use kube_jobs::kubernetes::Object;
use text::Help;

use super::helm_install_and_upgrade;
use crate::claims::{Claims, is_claim};
use crate::dependencies::{Dependencies, Dependency};
use crate::diagnostic::annotation;
use crate::object_index::AppliedLater;
use crate::survey::generated_name;
use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-needs-later-object",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job, or a Pod that is a hook, that starts before something it needs is applied: the first sync hangs",
    why: "A sync has phases, and each phase has waves. Argo CD starts the next wave only when the hooks and Jobs of the current wave have \
          finished (`gitops-engine/pkg/sync/sync_context.go`). If the ServiceAccount, ConfigMap, Secret or volume \
          claim of a PreSync hook is an ordinary resource of the same output, the hook waits for something that is \
          applied only after it. There is no pod and no log, only `waiting for completion of hook`. Later syncs do \
          not hang, because the first sync has created the object: the mistake shows up when the Application is installed \
          from scratch (argo-cd #9891, #13429, #20119). With a ConfigMap or a Secret it stays harmful: a sync that changes \
          the object runs the hook before it applies the change, so the Job uses the content of the previous sync; with a name \
          that kustomize generates from the content, each such sync hangs. A \
          missing Role or RoleBinding does not block the Job; it fails for lack of permissions. The API server refuses a Pod without its \
          ServiceAccount, so the first sync fails.\n\n\
          An ordinary Job in an earlier wave than an object that it needs also makes the sync hang: the next wave starts \
          only when the Job is healthy.",
    fix: "Run the Job in the Sync phase, in the same wave as the object that it needs, and put whatever must \
          come after the Job into a later wave. All resources of a wave are created together, in the order of \
          their kinds, so the same wave is enough. A later wave is right, too, unless the Job needs a volume claim.\n\n\
          A volume claim has to be in the very wave of the first pod that uses it, and in its phase. With the binding mode \
          `WaitForFirstConsumer`, which the default StorageClass of most clusters has, it is `Pending` until that pod is there, and Argo CD waits \
          for it: in an earlier wave, the sync never ends (argo-cd #12840). Only a claim that is bound without a pod, such as one of a class with \
          `volumeBindingMode: Immediate`, can be in an earlier wave.\n\n\
          You can also make the object that a hook needs a PreSync hook, in the same wave or an earlier one. It is then deleted \
          and recreated at every sync: the tokens of a ServiceAccount become invalid, and the data of a volume claim \
          is lost.\n\n\
          A `pre-upgrade` hook that is of no use before the first installation can be left out with a value of the \
          chart, or with `argocd.argoproj.io/hook: Skip`.",
    link: "https://github.com/argoproj/argo-cd/issues/9891",
    example: super::example!("hook-needs-later-object")
        .note("In the Sync phase the ServiceAccount is created before the Job, in the same wave."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_one_moment() {
        return Vec::new();
    }
    let (dependencies, claims) = (Dependencies::of(context), Claims::of(context));
    // A suspended Job does not start, so it needs nothing.
    let jobs = context.jobs().filter(|(_, job)| !job.is_suspended()).map(|(index, job)| (index, &**job));
    let pods = context.finishing_hooks().filter(|(_, object)| object.kind() == "Pod");
    jobs.chain(pods).flat_map(|(index, object)| of_object((index, object), &dependencies, &claims, context)).collect()
}

/// One diagnostic for each object that is applied too late, at its first reference.
fn of_object(
    (index, object): (usize, &Object),
    dependencies: &Dependencies<'_>,
    claims: &Claims<'_>,
    context: &Context<'_>,
) -> Vec<Diagnostic> {
    let Some(begins) = sync_order::first(object) else { return Vec::new() };
    let needs = dependencies.needs(object, begins);
    let may_change = !claims.has_unknown(object);
    let changes = if may_change { changes(object, begins, &needs, &claims.pins(index, object)) } else { Vec::new() };
    let mut reported = BTreeSet::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for need in needs {
        if !reported.insert(need.late.index) {
            continue;
        }
        // Report only the first dependency at a path: a ServiceAccount comes before its rights.
        match diagnostics.iter_mut().find(|diagnostic| diagnostic.path == need.path) {
            Some(first) => first.related.push((need.late.index, path!["metadata", "name"])),
            None => {
                let help = help(object, begins, &need, &Pinned::of((index, object), &need, claims));
                let message = message(object, begins, &need, context);
                let found = Diagnostic::at(index, need.path.clone(), message, help).with_name_of(need.late.index);
                diagnostics.push(found.fixed_by(changes.iter().cloned()));
            }
        }
    }
    diagnostics
}

/// The changes after which all that it needs is applied in the same wave or before. `pins` are the moments at which it has to start because of its
/// claims. Empty if that is not in the Sync phase, if a claim would wait in an earlier wave, and for a hook that has more than one type, or the annotations
/// of Helm.
fn changes(object: &Object, begins: Moment, needs: &[Dependency<'_>], pins: &[Moment]) -> Vec<Change> {
    let is_only_hook =
        object.annotation(argocd::HOOK) == Some("PreSync") && object.annotation(argocd::HELM_HOOK).is_none();
    let last = needs.iter().map(|need| need.late.moment).max();
    let Some(last) = last.filter(|last| last.phase == Phase::Sync && (is_only_hook || !object.is_hook())) else {
        return Vec::new();
    };
    let target = match pins {
        [] => last.wave.max(object.wave()),
        [..] if pins.iter().all(|pin| *pin == last) => last.wave,
        [..] => return Vec::new(),
    };
    let phase = (begins.phase != Phase::Sync).then(|| annotation(argocd::HOOK, "Sync".to_owned()));
    let wave = (object.wave() != target).then(|| annotation(argocd::SYNC_WAVE, target.to_string()));
    phase.into_iter().chain(wave).collect()
}

fn message(object: &Object, begins: Moment, need: &Dependency<'_>, context: &Context<'_>) -> String {
    let AppliedLater { object: late, index: other, moment } = need.late;
    let kind = object.kind();
    let who = if object.is_hook() { format!("the {} hook", begins.phase.as_str()) } else { "the Job".to_owned() };
    let when = if moment.phase == begins.phase { format!(" in wave {}", begins.wave) } else { String::new() };
    let place = context.in_brackets(other);
    let outcome = match late.kind() {
        "ConfigMap" | "Secret" if late.name().is_some_and(generated_name::is_of_kustomize) => {
            "the first sync hangs, and so does each that changes the content, because the name changes with it"
                .to_owned()
        }
        "ConfigMap" | "Secret" => {
            format!("the first sync hangs, and every later sync runs the {kind} with the content of the previous one")
        }
        "Role" | "RoleBinding" | "ClusterRole" | "ClusterRoleBinding" => {
            format!("in the first sync the {kind} lacks these rights")
        }
        // The API server rejects such a Pod. For a Job, the controller keeps trying.
        "ServiceAccount" | "PriorityClass" | "RuntimeClass" if !object.is_job() => "the first sync fails".to_owned(),
        _ => "the first sync hangs".to_owned(),
    };
    format!("{who}{when} {} is not applied until {moment}{place}: {outcome}", need.what)
}

/// Which volume claims may wait for the pods of an object.
struct Pinned {
    /// The claim that the hook needs.
    by_need: bool,
    /// A claim in another wave than that.
    by_others: bool,
}

impl Pinned {
    fn of((index, object): (usize, &Object), need: &Dependency<'_>, claims: &Claims<'_>) -> Self {
        let late = need.late.object;
        let by_need = is_claim(late) && claims.pin(index, object, late.name().unwrap_or("")).is_some();
        let by_others = claims.pins(index, object).iter().any(|pin| *pin != need.late.moment);
        Self { by_need, by_others }
    }
}

/// The help line: a change that removes the finding.
fn help(object: &Object, begins: Moment, need: &Dependency<'_>, pinned: &Pinned) -> Help {
    let moment = need.late.moment;
    let kind = object.kind();
    let what = need.late.object.described();
    let wave = |wave: i64| format!("`argocd.argoproj.io/sync-wave: \"{wave}\"`");
    // A claim that waits for its first pod ends no wave before that of the pod.
    let is_claim = is_claim(need.late.object);
    let [or_lower, or_earlier] = if is_claim { [""; 2] } else { [" or lower", " or earlier"] };
    if moment.phase == begins.phase {
        let (earlier, later) = (wave(begins.wave), wave(moment.wave));
        let waits =
            format!("may wait for the pod of the {kind}, and the sync for both, so they have to be in one wave");
        return match pinned {
            Pinned { by_need: true, by_others: true } => format!("set {earlier} on {what}: it {waits}"),
            Pinned { by_need: true, by_others: false } => {
                format!("set {later} on the {kind}, or {earlier} on {what}: it {waits}")
            }
            Pinned { by_need: false, by_others: true } => {
                format!("set {earlier}{or_lower} on {what}; the {kind} has to stay: a volume claim {waits}")
            }
            Pinned { by_need: false, by_others: false } => {
                format!("set {later} or higher on the {kind}, or {earlier}{or_lower} on {what}")
            }
        }
        .into();
    }
    if moment.phase != Phase::Sync {
        let late = moment.phase.as_str();
        return format!("{what} is a {late} hook: apply it together with the {kind}{or_earlier}").into();
    }
    let is_elsewhere = object.wave() < moment.wave || pinned.by_need && object.wave() != moment.wave;
    let later = if is_elsewhere { format!(" and {}", wave(moment.wave)) } else { String::new() };
    let with = if pinned.by_others { ", and move its other volume claims with it" } else { "" };
    let own = format!("run the {kind} in the Sync phase: set `argocd.argoproj.io/hook: Sync`{later} on it{with}");
    let other = match need.late.object.kind() {
        "ServiceAccount" | "ConfigMap" | "Secret" | "Role" | "RoleBinding" | "SecretProviderClass" => {
            let phase = begins.phase.as_str();
            let earlier =
                if moment.wave > begins.wave { format!(" with {}", wave(begins.wave)) } else { String::new() };
            format!("; or make {what} a {phase} hook{earlier} (it is then deleted and recreated at every sync)")
        }
        _ => String::new(),
    };
    let skip = if helm_install_and_upgrade::is_for_upgrades_only(object) {
        "; or leave this upgrade hook out with a value of the chart or `argocd.argoproj.io/hook: Skip`"
    } else {
        ""
    };
    let help = Help::from(format!("{own}{other}{skip}"));
    if !object.is_job() {
        return help;
    }
    help.with_plugin(format!("run the Job once per change with `argocd-jobs/strategy: hash-name`{later}"))
}

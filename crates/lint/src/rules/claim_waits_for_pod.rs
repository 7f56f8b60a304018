//! `claim-waits-for-pod`

use kube_jobs::argocd::{self, Phase};
use kube_jobs::kubernetes::Object;

use crate::claims::{Claims, is_claim};
use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "claim-waits-for-pod",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a volume claim in an earlier wave than the first pod that uses it: the sync may never end",
    why: "A claim of a StorageClass with `volumeBindingMode: WaitForFirstConsumer`, which the default class of most clusters has, \
          is `Pending` until a pod uses it. For Argo CD that is Progressing (`gitops-engine/pkg/health/health_pvc.go`), and the next wave \
          starts only when everything in this one is healthy. If the first pod that uses the claim is in a later wave or phase, the claim \
          waits for the pod, and the pod for the claim (argo-cd #12840). The sync never ends, and says `waiting for healthy state of \
          /PersistentVolumeClaim/…`. For a claim that is a hook it says `waiting for completion of hook /PersistentVolumeClaim/…`. \
          Ending that sync deletes the claim.\n\n\
          The level is error if the StorageClass is in the output and has that mode. Otherwise only the cluster knows the mode, and the level is warning.",
    fix: "Put the claim into the phase and the wave of the first pod that uses it: within a wave, Argo CD creates claims before workloads. Only a \
          claim that is bound without a pod, such as one of a class with `volumeBindingMode: Immediate`, can be in an earlier wave.",
    link: "https://github.com/argoproj/argo-cd/issues/12840",
    example: super::example!("claim-waits-for-pod"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_one_moment() {
        return Vec::new();
    }
    let claims = Claims::of(context);
    let found = context.objects().filter(|(_, object)| is_claim(object) && !claims.binds_at_once(object));
    found.filter_map(|(index, claim)| diagnostic(index, claim, &claims, context)).collect()
}

/// None if the first pod is not late, or is unknown: another Application may start it.
fn diagnostic(index: usize, claim: &Object, claims: &Claims<'_>, context: &Context<'_>) -> Option<Diagnostic> {
    let moment = sync_order::first(claim)?;
    let (consumer, begins) = claims.first_consumer(claim).filter(|(_, begins)| *begins > moment)?;
    let pod = context.survey.objects[consumer].on(context.side)?.object();
    let is_certain = claims.certainly_waits(claim);
    let never = if is_certain {
        "the claim waits for that pod, and the sync for the claim, forever"
    } else {
        "if its StorageClass binds at the first pod, the sync never ends"
    };
    let message = format!(
        "the claim is applied in {moment}, and the first pod that uses it, of {}{}, in {begins}: {never}",
        pod.described(),
        context.in_brackets(consumer)
    );
    let level = if is_certain { Level::Error } else { Level::Warning };
    let found = Diagnostic::on_name(index, message, help(claim, pod, moment, begins)).at_level(level);
    Some(found.with_name_of(consumer))
}

fn help(claim: &Object, pod: &Object, moment: Moment, begins: Moment) -> String {
    let wave = |wave: i64| format!("`{}: \"{wave}\"`", argocd::SYNC_WAVE);
    let is_other_wave = claim.wave() != begins.wave;
    let what = match (claim.is_hook(), begins.phase) {
        (false, Phase::Sync) => format!("set {} on the claim", wave(begins.wave)),
        (true, Phase::Sync) if is_other_wave => {
            format!("remove the hook annotation from the claim, and set {} on it", wave(begins.wave))
        }
        (true, Phase::Sync) => "remove the hook annotation from the claim".to_owned(),
        (false, _) => {
            let and_wave = if is_other_wave { format!(" and {}", wave(moment.wave)) } else { String::new() };
            format!("set `{}: Sync`{and_wave} on {}", argocd::HOOK, pod.described())
        }
        (true, _) => {
            format!("apply it and {} in the Sync phase, without a hook annotation on the claim", pod.described())
        }
    };
    format!("{what}: a claim has to be in the phase and wave of its first pod")
}

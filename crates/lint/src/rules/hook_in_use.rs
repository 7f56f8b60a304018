//! `hook-in-use`

use std::collections::HashMap;

use kube_jobs::argocd::{self, HELM_HOOK, HOOK, Phase};
use kube_jobs::kubernetes::pod::{self, Needed, WORKLOADS};
use kube_jobs::kubernetes::{Object, Runs};

use crate::claims::{is_claim, or_lower};
use crate::services::Services;
use crate::survey::bindings::{RBAC, Subject, subjects};
use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "hook-in-use",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a Secret, ConfigMap, claim or other object that is a hook although something outside of hooks uses it",
    why: "At each sync, Argo CD deletes a hook without a delete policy and creates a new one, whatever its kind (`BeforeHookCreation` is the default, \
          `gitops-engine/pkg/sync/hook/delete_policy.go`). In between the object does not exist: pods that need it do not start, the tokens of a \
          ServiceAccount become invalid, and a Service gets another address. If the sync ends in between, the object stays deleted until the next full \
          sync. Argo CD does not compare hooks, so the Application is Synced, and self-heal does not restore the object. An outage of almost five \
          hours began like this (leoflow #1142; argo-cd #3846, #28516).\n\n\
          The data of a volume claim is deleted with the claim, unless its volume has the reclaim policy `Retain`. While a pod uses the claim, the deletion \
          waits (`kubernetes.io/pvc-protection`), and so does the sync: by then all hooks of that wave are deleted, and none is created again.\n\n\
          With `HookSucceeded`, Argo CD deletes the object when the sync has succeeded, and pods that start later do not find it. With `HookFailed` alone, \
          it deletes the object when a sync has failed. `helm.sh/resource-policy: keep` and `Delete=false` do not keep a hook.\n\n\
          Charts do this for Helm, which runs `pre-install` hooks before it creates anything else: a hook Job needs the object by then.",
    fix: "Make it an ordinary object: remove the hook annotation. Argo CD creates ServiceAccounts, Secrets, ConfigMaps and claims before workloads and \
          Jobs of the same wave. A hook Job that needs the object too can be a Sync hook in that wave or a later one: \
          `argocd.argoproj.io/hook: Sync`. Start the next sync by hand, because the live object is still a hook, and is not compared: that sync \
          keeps the object and patches it.",
    link: "https://github.com/argoproj/argo-cd/issues/3846",
    example: super::example!("hook-in-use").note("The Secret is created before the Deployment, in the same wave."),
    check: Check::Objects(check),
};

/// Group, kind, namespace, name.
type Key<'l> = (&'l str, &'l str, &'l str, &'l str);

/// The first object that uses an object, by what it uses.
type Users<'l> = HashMap<Key<'l>, (usize, &'l Object)>;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let hooks: Vec<(usize, &Object)> = context.hooks().filter(|(_, hook)| hook.runs() == Runs::Nothing).collect();
    if hooks.is_empty() {
        return Vec::new();
    }
    let (users, hook_jobs) = (users(context), hook_jobs(context));
    hooks.into_iter().filter_map(|(index, hook)| of_hook(index, hook, &users, &hook_jobs, context)).collect()
}

/// The first hook Job that needs an object, by what its pods need.
fn hook_jobs<'l>(context: &'l Context<'l>) -> Users<'l> {
    let mut users = Users::new();
    context.hook_jobs().for_each(|(index, job)| add_needs(&mut users, index, job, context));
    users
}

/// Adds what the pods of an object need.
fn add_needs<'l>(users: &mut Users<'l>, index: usize, object: &'l Object, context: &'l Context<'l>) {
    let own = context.survey.namespace(object);
    for found in pod::references(object) {
        let namespace = if found.needed.is_namespaced() { own } else { "" };
        users.entry((found.needed.group(), found.needed.kind(), namespace, found.name)).or_insert((index, object));
    }
}

/// The objects that are not hooks. Workloads come before Jobs.
fn users<'l>(context: &'l Context<'l>) -> Users<'l> {
    let mut users = Users::new();
    let services = Services::of(context);
    let (running, others): (Vec<_>, Vec<_>) = context
        .ordinary_objects()
        .filter(|(_, object)| pod::spec_path(object).is_some())
        .partition(|(_, object)| keeps_running(object));
    for (index, object) in running.into_iter().chain(others) {
        add_needs(&mut users, index, object, context);
        let namespace = context.survey.namespace(object);
        for service in services.selecting(object, namespace).into_iter().filter_map(Object::name) {
            users.entry(("", "Service", namespace, service)).or_insert((index, object));
        }
    }
    add_rights(&mut users, context);
    users
}

/// Whether it has pods between two syncs.
fn keeps_running(object: &Object) -> bool {
    WORKLOADS.contains(&object.kind())
}

/// Adds the bindings and roles of the ServiceAccounts that are in use.
fn add_rights<'l>(users: &mut Users<'l>, context: &'l Context<'l>) {
    for (_, binding) in context.objects() {
        let own = context.survey.namespace(binding);
        let account = subjects(binding, own).into_iter().find_map(|subject| match subject {
            Subject::Account(namespace, name) => {
                users.get(&("", Needed::ServiceAccount.kind(), namespace, name)).copied()
            }
            Subject::AccountsOf(_) | Subject::Accounts => None,
        });
        let (Some(user), Some(name)) = (account, binding.name()) else { continue };
        let of = |kind: &str| if kind.starts_with("Cluster") { "" } else { own };
        users.entry((RBAC, binding.kind(), of(binding.kind()), name)).or_insert(user);
        let role = ["kind", "name"].map(|key| binding.value().text_at(&["roleRef", key]));
        if let [Some(kind), Some(name)] = role {
            users.entry((RBAC, kind, of(kind), name)).or_insert(user);
        }
    }
}

/// When Argo CD deletes a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deleted {
    /// Before each sync that creates it again.
    Before,
    /// After each sync that succeeds.
    After,
}

impl Deleted {
    /// None if no successful sync deletes it.
    fn of(hook: &Object) -> Option<Self> {
        match () {
            () if hook.is_deleted_after_success() => Some(Self::After),
            () if hook.is_new_each_time() && hook.name().is_some() => Some(Self::Before),
            () => None,
        }
    }
}

fn of_hook(
    index: usize,
    hook: &Object,
    users: &Users<'_>,
    hook_jobs: &Users<'_>,
    context: &Context<'_>,
) -> Option<Diagnostic> {
    let deleted = Deleted::of(hook)?;
    let namespace = context.survey.namespace(hook);
    let key = |namespace| (hook.group(), hook.kind(), namespace, hook.name().unwrap_or(""));
    let user = users.get(&key(namespace)).or_else(|| users.get(&key("")));
    let is_random = !context.survey.differing(index).is_empty();
    let does = match deleted {
        Deleted::Before if is_random => "Argo CD deletes it before each sync, and creates it again with other content",
        Deleted::Before => "Argo CD deletes it before each sync, and creates it again",
        Deleted::After => "Argo CD deletes it when a sync has succeeded",
    };
    let uses = match user {
        Some((user, object)) => {
            format!("{} uses it{}", object.described(), context.in_brackets(*user))
        }
        None if is_for_the_world(hook) => "nothing leads to its backends meanwhile".to_owned(),
        None => return None,
    };
    let is_claim = is_claim(hook);
    let data = match deleted {
        _ if !is_claim => "",
        Deleted::Before => ": its data is lost, or, while a pod uses it, the sync waits for the deletion",
        Deleted::After => ": its data is lost when no pod uses it any more",
    };
    let message = format!("this {} is a hook: {does}; {uses}{data}", hook.kind());
    let is_outage = user.is_none_or(|(_, user)| keeps_running(user));
    let level = match deleted {
        _ if is_claim && is_outage => Level::Error,
        _ if is_claim => Level::Warning,
        Deleted::After if is_outage => Level::Error,
        // The Job has ended by then.
        Deleted::After => return None,
        Deleted::Before if is_outage => Level::Warning,
        Deleted::Before => Level::Info,
    };
    let user_of_hooks = hook_jobs.get(&key(namespace)).map(|(_, job)| *job);
    let help = match is_random {
        true => "use an object that is not in the output, by a value of the chart: as an ordinary object, its content would differ at every rendering".to_owned(),
        false => help(hook, user.map(|(_, object)| *object), user_of_hooks),
    };
    let mut found = Diagnostic::on_name(index, message, help).at_level(level);
    found.related.extend(user.map(|(user, _)| (*user, goyaml::path!["metadata", "name"])));
    Some(found)
}

/// Whether clients outside of the cluster use it.
fn is_for_the_world(hook: &Object) -> bool {
    matches!(
        (hook.group(), hook.kind()),
        ("networking.k8s.io", "Ingress") | ("gateway.networking.k8s.io", "HTTPRoute" | "Gateway")
    )
}

/// `job` is a hook that needs the object, too.
fn help(hook: &Object, user: Option<&Object>, job: Option<&Object>) -> String {
    let key = if hook.annotation(HOOK).is_some() { HOOK } else { HELM_HOOK };
    // Its phase goes with the annotation, and its wave stays.
    let begins = user.and_then(sync_order::first);
    let is_late = begins.is_some_and(|begins| Moment { phase: Phase::Sync, wave: hook.wave() } > begins);
    let wave = begins.map_or(0, |begins| begins.wave);
    let and_wave = if is_late {
        format!(", and set `{}: \"{wave}\"`{} on it", argocd::SYNC_WAVE, or_lower(hook))
    } else {
        String::new()
    };
    let job = job.map_or_else(String::new, |job| {
        format!("; make {}, which needs it too, a Sync hook (`{HOOK}: Sync`)", job.described())
    });
    format!("remove `{key}`, so that it is an ordinary object{and_wave}{job}")
}

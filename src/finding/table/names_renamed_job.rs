//! `names-renamed-job`

use std::collections::BTreeMap;

use crate::finding::mention::{self, Mention, Target};
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::name;
use crate::path;
use crate::survey::Side;

pub(super) const ROW: Row = Row {
    id: "names-renamed-job",
    level: Level::Warning,
    summary: "a command line names a Job that comes out under another name",
    why: "`hash-name`, `generate-name` and a Job newly made a Sync hook change `metadata.name`. `resourceNames` of roles follow; a \
          command line such as `kubectl wait job/migrate` does not, because nobody can know what a program makes of its words. It \
          finds no Job, and an init container that waits so never ends.",
    fix: "Ask by label: Jobs that get another name carry the written one in the label `argocd-jobs/name`, as in `kubectl wait \
          --for=condition=complete job -l argocd-jobs/name=migrate`. The role then needs `list` and `watch` on Jobs without \
          `resourceNames`.\n\nOr let the Job keep its name: as a PreSync or PostSync hook, with `argocd-jobs/strategy: replace`, or \
          with `argocd-jobs/strategy: keep`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    judge: Judge::Objects(judge),
};

/// A Job that comes out under another name.
struct Renamed<'l> {
    object: usize,
    written: &'l str,
    now: String,
}

/// Namespace and old name.
type Renames<'l> = BTreeMap<(&'l str, &'l str), Renamed<'l>>;

fn judge(look: &Look<'_>) -> Vec<Remark> {
    if look.side == Side::Written {
        return Vec::new();
    }
    let renames = renames(look);
    if renames.is_empty() {
        return Vec::new();
    }
    let mut remarks: Vec<Remark> = Vec::new();
    for (index, object) in look.objects() {
        let own = look.survey.namespace(object);
        for mention in mention::mentions(object) {
            let Target::Name(name) = &mention.target else { continue };
            let namespace = mention.namespace.as_deref().unwrap_or(own);
            // A Job's own name in its own command line is no question to the API server, or one that `hook` would answer no better.
            let Some(renamed) = renames.get(&(namespace, name.as_str())).filter(|found| found.object != index) else {
                continue;
            };
            let remark = remark(index, &mention, name, renamed);
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
    }
    remarks
}

fn renames<'l>(look: &'l Look<'_>) -> Renames<'l> {
    let mut renames = Renames::new();
    for (object, job) in look.jobs() {
        let Some(plan) = look.survey.job(object) else { continue };
        let written = plan.outcome.written.as_ref().filter(|written| !written.is_prefix());
        let Some(written) = written.map(|written| written.name.as_str()) else { continue };
        let now = match (job.name(), job.generate_name()) {
            (Some(name), _) => format!("as `{name}`"),
            (None, prefix) => format!("under names that begin with `{}`", prefix.unwrap_or("")),
        };
        for old in [plan.name.as_deref(), Some(written)].into_iter().flatten() {
            let renamed = Renamed { object, written, now: now.clone() };
            renames.insert((look.survey.namespace(job), old), renamed);
        }
    }
    // A name that some Job has means that one.
    for (_, job) in look.jobs() {
        renames.remove(&(look.survey.namespace(job), job.name().unwrap_or("")));
    }
    renames
}

fn remark(index: usize, mention: &Mention, name: &str, renamed: &Renamed<'_>) -> Remark {
    let message = format!("the command line names Job `{name}`, which comes out {}", renamed.now);
    let label = name::label_value(renamed.written);
    let help = format!(
        "ask for the label that does not change, `job -l argocd-jobs/name={label}`, or let the Job keep its name with the annotation \
         `argocd-jobs/strategy: replace` or as a PreSync or PostSync hook"
    );
    let found = Remark { path: mention.path.clone(), ..Remark::at(index, path![], message, help) };
    found.with(renamed.object, path!["metadata", "name"])
}

//! `invalid-job`

use goyaml::{Path, path};
use kube_jobs::argocd::NoGeneratedName;
use kube_jobs::kubernetes::invalid::{self, Arrival, CONTAINERS, Invalid};
use kube_jobs::kubernetes::{Job, Object};
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "invalid-job",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job that the API server rejects: a value has the wrong type, the name is invalid, or the Job breaks another rule of Kubernetes",
    why: "The API server decodes a Job into typed fields: `value: 1` of a variable, without quotes, is a number and not \
          a string, and `backoffLimit: \"3\"` is a string and not a number. Then it validates the Job \
          (`pkg/apis/batch/validation` and `pkg/apis/core/validation` in Kubernetes): a mounted volume has to be in \
          the pod, a request cannot be above its limit, a port is at most 65535, `restartPolicy` has to be `Never` or \
          `OnFailure`. The name has to be an RFC 1123 subdomain, and together with its suffixes it has to fit into the label \
          `job-name` of the pods, which has at most 63 bytes. Argo CD appends `<revision>-<phase>-<time>`, 23 to 27 bytes, \
          to the `generateName` of a hook. The pods of an Indexed Job use its name, with `-<index>` appended, as their \
          host name: it cannot have a dot. The revision of an `oci://` source is a digest, `sha256:…`, and a name cannot have a \
          colon: a hook with a `generateName` cannot be created, of whatever kind it is. An Application with several sources has no \
          such revision (`controller/state.go`), and that of a chart in a Helm repository or registry is its version.\n\n\
          Argo CD's dry run before a sync runs on the client and finds none of these mistakes. So the sync starts, and fails \
          in the wave of the Job: the objects of earlier waves and phases have been applied, later ones are not.\n\n\
          Fields that Kubernetes does not know are reported only with `ServerSideApply=true`, which refuses them, and two items \
          of a list with one key, such as two variables of one name. Client-side apply drops them without a word.",
    fix: "Correct the field that the message names. The strategies `hash-name` and `generate-name` shorten a name that is \
          too long, but never its hash. They do not correct an invalid name, because other manifests may refer to it.",
    link: "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/",
    example: super::example!("invalid-job"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let of_job = |(index, job): (usize, &Job)| {
        let diagnostic = move |Invalid { path, what, help }| {
            Diagnostic::at(index, path, format!("{what}: the API server rejects the Job"), help)
        };
        let arrival = Arrival::of(job, context.survey.application);
        // The finding `missing-template` is about these.
        let has_containers = |found: &Invalid| found.path != Path::of_keys(&CONTAINERS);
        invalid::of(job, arrival).into_iter().filter(has_containers).map(diagnostic)
    };
    let jobs = context.applied_jobs().flat_map(of_job);
    let names = context.hooks().filter_map(|(index, hook)| generated_name(index, hook, context));
    jobs.chain(names).take(context.most).collect()
}

/// A hook of any kind whose name Argo CD builds, if the API server rejects that name.
fn generated_name(index: usize, hook: &Object, context: &Context<'_>) -> Option<Diagnostic> {
    let fault = context.survey.application.generated_name_fault(hook)?;
    let revision = match &fault {
        NoGeneratedName::OciRepository => "of an `oci://` source, `sha256:…`,".to_owned(),
        NoGeneratedName::Revision(revision) => format!("`{revision}…`"),
    };
    let (kind, prefix) = (hook.kind(), hook.generate_name()?);
    let message = format!(
        "Argo CD makes a name of `generateName: {prefix}` and the revision {revision} which is not allowed in a name: the API server rejects the {kind}"
    );
    let help = Help::from(format!("set `metadata.name` on the {kind} instead of `metadata.generateName`"));
    let help = if hook.is_job() { help.with_plugin("the Job gets a fixed name") } else { help };
    Some(Diagnostic::at(index, path!["metadata", "generateName"], message, help))
}

//! `invalid-job`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::invalid::{self, Invalid};

pub(super) const RULE: Rule = Rule {
    id: "invalid-job",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job that the API server rejects: a value of another type, a name that no Job can have, a rule of Kubernetes",
    why: "The API server decodes a Job into typed fields: `value: 1` of a variable, without quotes, is a number and not \
          a string, and `backoffLimit: \"3\"` is a string and not a number. Then it validates the Job \
          (`pkg/apis/batch/validation` and `pkg/apis/core/validation` in Kubernetes): a mounted volume has to be in \
          the pod, a request cannot be above its limit, a port is at most 65535, `restartPolicy` has to be `Never` or \
          `OnFailure`. The name has to be an RFC 1123 subdomain, and fits into the label `job-name` of the pods, 63 \
          bytes, with what is appended to it: Argo CD appends `<revision>-<phase>-<time>` to the `generateName` of a \
          hook, 23 to 27 bytes, and pods of an Indexed Job append `-<index>` to a name that becomes their host name, so \
          that it cannot have a dot.\n\n\
          The dry run of Argo CD before a sync is one of the client, which sees none of this. The sync therefore begins, \
          and fails in the wave of the Job: what is in earlier waves and phases has run, and what comes later does \
          not.\n\n\
          Fields that Kubernetes does not know are not reported: the API server drops them.",
    fix: "Correct the field that the message names. The strategies `hash-name` and `generate-name` shorten a name, never \
          the hash; they do not correct one, because other manifests may refer to it.",
    link: "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let of_job = |(index, job)| {
        let diagnostic = move |Invalid { path, what, help }| {
            Diagnostic::at(index, path, format!("{what}: the API server rejects the Job"), help)
        };
        invalid::of(job).into_iter().map(diagnostic)
    };
    context.applied_jobs().flat_map(of_job).take(context.most).collect()
}

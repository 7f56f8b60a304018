//! `job-version`

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::path;

pub(super) const ROW: Row = Row {
    id: "job-version",
    level: Level::Error,
    summary: "a Job in another version than `batch/v1`",
    why: "The API server has Jobs in `batch/v1` only; `batch/v1beta1`, which is gone since Kubernetes 1.25, had \
          CronJobs. Argo CD knows the health of Jobs in `batch/v1` only (`gitops-engine/pkg/health/health_job.go`).",
    fix: "Write `apiVersion: batch/v1`.",
    link: "https://kubernetes.io/docs/reference/using-api/deprecation-guide/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    let versions = look.jobs().filter_map(|(index, job)| Some((index, job.value().text_at(&["apiVersion"])?)));
    let others = versions.filter(|(_, version)| *version != "batch/v1");
    others
        .map(|(index, version)| {
            let message = format!("there are no Jobs in `{version}`: the sync fails");
            Remark::at(index, path!["apiVersion"], message, "write `apiVersion: batch/v1`")
        })
        .collect()
}

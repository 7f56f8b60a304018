//! `duplicate-job`

use std::collections::HashMap;

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::path;
use crate::plan::ProblemKind;

pub(super) const ROW: Row = Row {
    id: "duplicate-job",
    level: Level::Error,
    summary: "two Jobs of one namespace and name",
    why: "Argo CD knows objects by group, kind, namespace and name, and of two with one key it keeps the last \
          (`RepeatedResourceWarning`; `controller/state.go`). Which one is the last depends on the order of the files. The other \
          Job never runs.",
    fix: "Rename one of them. `generate` prints nothing as long as one of them is to be rewritten; with `argocd-jobs/strategy: keep` \
          on one it is left as it is, and the other one may get a name of its own.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    judge: Judge::ObjectsOrProblem(judge, &[ProblemKind::DuplicateJob]),
};

/// What of it `generate` refuses is told in its words.
fn judge(look: &Look<'_>) -> Vec<Remark> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    let mut remarks = Vec::new();
    for (index, job) in look.jobs() {
        let Some(name) = job.name() else { continue };
        let first = *seen.entry((look.survey.namespace(job), name)).or_insert(index);
        if first != index {
            let path = path!["metadata", "name"];
            let place =
                look.place(first, &path).map(|place| format!("; the other one is at {place}")).unwrap_or_default();
            let message = format!("two Jobs have the name `{name}`, and Argo CD keeps the last one{place}");
            let remark = Remark::at(index, path.clone(), message, "rename one of them").with(first, path);
            remarks.push(remark.solved_by("another name"));
        }
    }
    remarks
}

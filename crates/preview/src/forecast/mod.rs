//! What a sync does, as values: a row for each Job and hook, what starts the sync, and how it ends. No text for people is made here.

mod end;
mod mask;
mod outcome;
mod reason;
mod row;

pub use end::{End, WayOut};
pub use outcome::Outcome;
pub use reason::{Condition, Effect, Reason, Used};
pub use row::{Chosen, ForecastRow, ManifestChange};

use kube_jobs::argocd::Gone;

use crate::{AutoSync, Comparison, ObjectName, Report, Start, Stop};

/// What the next sync of one version does, given what is known of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The Jobs, the hooks that run something, and other objects that make the sync fail, in the order of the sync. What no sync applies comes last.
    pub rows: Vec<ForecastRow>,
    /// Whether the change starts a sync; none without a version to compare with.
    pub start: Option<AutoSync>,
    /// The objects that make the Application OutOfSync and have no row.
    pub causes: Vec<Start>,
    /// How the sync ends, if it fails or waits.
    pub end: Option<End>,
    /// Whether it is known what is in the cluster.
    pub is_live: bool,
    /// Whether the change is another version of Argo CD.
    pub is_upgrade: bool,
    /// Whether the change adds the Application.
    pub is_new: bool,
    /// Whether the change has nothing to do with the source, even if its sync fails: it failed before.
    pub is_untouched: bool,
    /// The sync windows of its project, in sentences, if they are against a sync at some time.
    pub windows: Option<String>,
    /// What deletes the Application, if the change removes it.
    pub gone: Option<Gone>,
    /// An earlier commit with the manifests of the new version.
    pub goes_back_to: Option<String>,
}

impl Comparison {
    /// What the sync does that brings the new version.
    pub fn forecast(&self) -> Forecast {
        let row = |(index, job)| ForecastRow { job: Some(index), ..ForecastRow::compared(job, self) };
        let mut rows: Vec<ForecastRow> = self.jobs.iter().enumerate().map(row).collect();
        rows.extend(self.refused.iter().map(ForecastRow::refused));
        sort(&mut rows);
        let start = self.auto_sync();
        if matches!(start, AutoSync::KeptOut(_)) {
            // The sync of today runs what it ran before.
            rows.clear();
        }
        // A Job whose name changes is gone under the old one.
        let has_job = rows.iter().any(|row| row.is_changed() && !row.is_hook && row.object.kind.is_job());
        let has_row = |object: &ObjectName| {
            has_job && object.kind.is_job() || rows.iter().any(|row| row.is_changed() && row.object == *object)
        };
        let causes = self.starts.iter().filter(|start| !start.object.as_ref().is_some_and(has_row)).cloned().collect();
        Forecast {
            end: if rows.is_empty() { None } else { End::of(self) },
            is_live: false,
            is_upgrade: self.is_upgrade,
            causes,
            rows,
            start: Some(start),
            is_new: self.sync.as_ref().is_some_and(|sync| sync.arrival.is_new),
            is_untouched: self.is_untouched(),
            windows: self.sync.as_ref().and_then(|sync| sync.windows.as_ref()).map(|windows| windows.text.clone()),
            gone: self.gone().cloned(),
            goes_back_to: self.goes_back_to.clone(),
        }
    }
}

impl Report {
    /// What a sync of this version does, whatever is in the cluster.
    pub fn forecast(&self) -> Forecast {
        let row = |(index, job)| ForecastRow { job: Some(index), ..ForecastRow::alone(job, self) };
        let rows = self.jobs.iter().enumerate().map(row).collect();
        let end = self.stop.map(|stop| End { stop, rest: None, way_out: WayOut::Unknown });
        Forecast { end, ..Forecast::of(rows) }
    }
}

impl Forecast {
    /// A forecast of one version, of a sync that neither fails nor waits. The rows need not be sorted.
    pub(crate) fn of(mut rows: Vec<ForecastRow>) -> Self {
        sort(&mut rows);
        Self {
            rows,
            start: None,
            causes: Vec::new(),
            end: None,
            is_live: false,
            is_upgrade: false,
            is_new: false,
            is_untouched: false,
            windows: None,
            gone: None,
            goes_back_to: None,
        }
    }

    /// Where the sync ends or waits, if it does.
    pub fn stop(&self) -> Option<Stop> {
        self.end.as_ref().map(|end| end.stop)
    }

    /// Whether the sync fails, waits, or leaves out something that should run.
    pub fn is_bad(&self) -> bool {
        !self.is_untouched && self.rows.iter().any(ForecastRow::is_bad)
    }

    /// Whether the change makes the sync run, fail or delete something that it would not without the change.
    pub fn is_changed(&self) -> bool {
        self.rows.iter().any(|row| row.is_changed() && row.is_shown())
    }
}

/// Sorts rows by the order of the sync; what is in no phase comes last.
fn sort(rows: &mut [ForecastRow]) {
    rows.sort_by_key(ForecastRow::place_in_order);
}

//! What a sync does to the Jobs of a cluster: the table, and what is known of other live Jobs.

use preview::{Forecast, Judged};
use text::agreed;

use super::table::table;
use super::words::end::end;
use super::words::summary::summary;
use crate::paint::Ink;
use crate::show::Show;

/// The first line, the table, how the sync ends, and how much was looked at.
pub fn text(judged: &Judged, forecast: &Forecast, show: Show) -> String {
    let mut out = show.inked(Ink::Strong, &summary(forecast));
    let table = table(forecast, true, show);
    if !table.is_empty() {
        out = format!("{out}\n{table}");
    }
    let end = forecast.end.as_ref().map(end);
    let lines = end.into_iter().chain(["Only Jobs are looked at.".to_owned()]).chain(strangers(judged));
    let lines: String = lines.map(|line| show.line(&line)).collect();
    format!("{out}\n{lines}")
}

fn strangers(judged: &Judged) -> Option<String> {
    let are = agreed(judged.strangers, "other live Job", "is", "are");
    let why =
        "not judged, because the Application's name is not known; set `ARGOCD_APP_NAME` to see what is left behind";
    (judged.strangers > 0).then(|| format!("{are} {why}."))
}

//! The settings of Jobs as text, a line for each setting, also for settings without effect.

use std::borrow::Cow;
use std::sync::Arc;

use preview::Report;
use rewrite::settings::{AnySetting, Setting};
use text::{few, visible};

use super::MAX_SETTING;
use crate::show::Show;

/// How many Jobs of a setting are named.
const NAMED: usize = 4;

/// A setting and the Jobs that it is for.
struct Remark<'r> {
    name: Cow<'static, str>,
    setting: &'r Arc<AnySetting>,
    /// Whether it takes effect; not if its parameter is locked.
    has_effect: bool,
    jobs: Vec<&'r str>,
}

/// Returns the lines with an empty line before them, or an empty text.
pub(super) fn remarks(report: &Report, show: Show) -> String {
    let mut remarks: Vec<Remark<'_>> = Vec::new();
    for job in &report.jobs {
        let counting = job.settings.iter().map(|(id, setting)| (true, id.parameter().name.into(), setting));
        let overruled = job.overruled.iter().map(|overruled| (false, overruled.name(), &overruled.setting));
        for (has_effect, name, setting) in counting.chain(overruled) {
            let same = |known: &&mut Remark<'_>| {
                (&known.name, known.setting, known.has_effect) == (&name, setting, has_effect)
            };
            match remarks.iter_mut().find(same) {
                Some(known) => known.jobs.push(&job.written),
                None => remarks.push(Remark { name, setting, has_effect, jobs: vec![&job.written] }),
            }
        }
    }
    let lines: String = remarks.iter().map(|remark| line(remark, report.jobs.len(), show)).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// One line; there are `all` Jobs.
fn line(remark: &Remark<'_>, all: usize, show: Show) -> String {
    let jobs = &remark.jobs;
    let whose = match jobs.len() {
        count if count == all && all > 1 => "all Jobs".to_owned(),
        _ => few(jobs, show.at_most(NAMED)),
    };
    let name = &remark.name;
    let Setting { value, by } = &**remark.setting;
    let end = if remark.has_effect { String::new() } else { format!(" has no effect: `{name}` is locked") };
    format!("  {}\n", visible(&format!("{whose}: `{name}: {}` set by {by}{end}", value.display().brief(MAX_SETTING))))
}

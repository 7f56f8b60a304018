//! Templates of a chart, which are no manifests: whoever names them means the chart. One message says so, instead of a syntax error for each file.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use system::{PathText, canonical, relative};
use text::Message;
use walkdir::WalkDir;

use crate::environment::Environment;

/// The largest template that is looked into, in bytes; ordinary ones have a hundredth of it.
const MAX_TEMPLATE: u64 = 1 << 20;

/// An error when the path is in the folder `templates` of a chart and has templates. Not in Argo CD, where the Application names the path.
pub fn refuse(path: &Path, environment: &Environment) -> Result<()> {
    if environment.get("ARGOCD_APP_NAME").is_some() {
        return Ok(());
    }
    let Some(chart) = chart_of(path).filter(|_| has_template(path)) else { return Ok(()) };
    let chart = chart.shown();
    let what = if path.is_dir() { "these are templates" } else { "this is a template" };
    let message = Message::new(format!("{what} of the chart `{chart}`")).about(path.shown());
    Err(anyhow!(message.help(format!("pass the chart instead: `argocd-jobs {} {chart}`", environment.subcommand))))
}

/// The chart whose folder `templates` has the path, as it is written in the working directory.
fn chart_of(path: &Path) -> Option<PathBuf> {
    let real = canonical(path).ok()?;
    let is_templates = |dir: &&Path| dir.file_name().is_some_and(|name| name == "templates");
    let chart =
        real.ancestors().filter(is_templates).filter_map(Path::parent).find(|dir| dir.join("Chart.yaml").is_file())?;
    relative(&canonical(".").ok()?, chart)
}

/// Whether one of the manifests there has an action of a template.
fn has_template(path: &Path) -> bool {
    let is_manifest = |file: &Path| {
        file.extension().is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
    };
    let mut files = WalkDir::new(path).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    files.any(|entry| {
        is_manifest(entry.path())
            && checkout::read_small(entry.path(), MAX_TEMPLATE).is_ok_and(|text| text.contains("{{"))
    })
}

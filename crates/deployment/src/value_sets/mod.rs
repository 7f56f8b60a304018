//! Charts as their authors see them: `check` renders a chart that nobody deploys here with each of its value sets.

mod merged;
mod named;
mod templates;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use checkout::small_file_in;
use render::chart::{MAX_VALUE_SETS, Templates, ValueFiles, value_files};
use rewrite::settings::CONFIG_FILE;
use system::PathText;
use text::{Message, plural};

use crate::folders::Folder;
use crate::notes::Note;
use crate::outcome::{Read, Standing};
use crate::paths::real;
use crate::row;
use crate::run::{Run, VALUES_SET};
use crate::target::{Target, ValueSet};
use crate::versions;
pub use merged::merge;
pub use templates::unrendered;
pub(crate) use templates::{hidden_changes, job_templates, required};

/// The name of the value set that has only the chart's own values.
pub(crate) const OWN: &str = "values.yaml";

/// The largest config file that is looked into, in bytes.
const MAX_CONFIG: u64 = 1 << 18;

/// The value sets of a chart without its own values.
pub(crate) struct Sets {
    /// The folder of the chart.
    folder: Folder,
    sets: Vec<ValueSet>,
}

/// The value sets of a chart. None for a part of another source, for a source that is not a chart, for a chart with an Application, and where somebody
/// says which values the chart has.
pub(crate) fn of(target: &Target, run: &Run) -> Result<Option<Sets>> {
    if !run.renders_value_sets() {
        return Ok(None);
    }
    let Some(folder) = target.chart().filter(|folder| folder.part_of.is_none()) else { return Ok(None) };
    let Some((dir, root)) = templates::real(&folder.dir) else { return Ok(None) };
    if is_configured(&dir) {
        return Ok(None);
    }
    let ValueFiles { files, mut more } = value_files(&dir, &root);
    let mut sets = named::sets(&run.value_sets, &folder.dir, &dir)?;
    for file in files {
        let name = file.in_slashes().into_owned();
        if sets.iter().all(|set| set.name != name) {
            sets.push(ValueSet::of_file(&name, None));
        }
    }
    let api_versions = Templates::read(&dir, &root).api_versions();
    if !api_versions.is_empty() {
        sets.insert(0, ValueSet::with_api_versions(OWN, api_versions));
    }
    more += sets.len().saturating_sub(MAX_VALUE_SETS - 1);
    sets.truncate(MAX_VALUE_SETS - 1);
    if more > 0 {
        let (chart, sets) = (folder.dir.shown(), plural(more, "more value set"));
        run.environment.notes.add(format!(
            "{chart}: {sets} not rendered: at most {MAX_VALUE_SETS} of a chart are, those of `--values-set` first"
        ));
    }
    Ok((!sets.is_empty()).then_some(Sets { folder, sets }))
}

/// The value sets that `--values-set` names for the chart in a folder.
pub(crate) fn named_for(folder: &Folder, run: &Run) -> Result<Vec<ValueSet>> {
    match templates::real(&folder.dir) {
        Some((dir, _)) if run.renders_value_sets() => named::sets(&run.value_sets, &folder.dir, &dir),
        _ => Ok(Vec::new()),
    }
}

/// What a source is called: its path, and for a chart with other values than its own the first of their names.
pub fn named(read: &Read) -> String {
    row::with_value_set(&read.shown_as, &read.value_sets)
}

/// An error if the only chart of a command line can be rendered with none of its value sets, and for `--values-set` without a chart.
pub fn check_rendered(read: &[Read], run: &Run) -> Result<()> {
    if !run.value_sets.is_empty() && read.iter().all(|one| one.value_sets.is_empty() && !one.is_assumed_root) {
        let message =
            Message::new(format!("`--{VALUES_SET}`: there is no chart here, or only charts that Applications name"));
        return Err(anyhow!(message.help("pass the directory of the chart")));
    }
    let [first, ..] = read else { return Ok(()) };
    let is_unread =
        |one: &Read| !one.value_sets.is_empty() && one.failure().is_some() && one.shown_as == first.shown_as;
    if !read.iter().all(is_unread) {
        return Ok(());
    }
    let message = Message::new(format!("no value set of `{}` can be rendered", first.shown_as));
    Err(anyhow!(message.help("the table says why; `--values FILE` checks the chart with other values")))
}

/// Notes which values the templates of the only source require, if it is a chart that cannot be rendered without them.
pub(crate) fn tell_required(target: &Target, error: &anyhow::Error, run: &Run) {
    if run.renders_value_sets() {
        let all = required(target, &format!("{error:#}"));
        run.environment.notes.push(Note::Required(all));
    }
}

/// Whether the config file of a chart says how it is rendered.
fn is_configured(dir: &Path) -> bool {
    let text = small_file_in(dir, Path::new(CONFIG_FILE), MAX_CONFIG).ok().flatten().unwrap_or_default();
    text.lines().any(|line| line.starts_with("helm"))
}

impl Sets {
    /// The chart with its own values, as one of several sources.
    pub(crate) fn own(&self) -> Target {
        Target::Folder(self.folder.clone())
    }
}

/// Renders the charts that were read once more with each of their value sets: `read_round` reads targets and adds them. `known` are the sets of a chart
/// that are known already. Each chart is followed by its sets. Sets that render to the same share an entry.
pub(crate) fn add(
    read: Vec<Read>,
    mut known: Option<Sets>,
    run: &Run,
    read_round: impl Fn(&[Target], &mut Vec<Read>) -> Result<()>,
) -> Result<Vec<Read>> {
    // A chart that prints Applications is read with its value files already.
    let applications = read.iter().filter(|one| one.target.is_application()).map(|one| real(&one.target.path()));
    let applications: BTreeSet<PathBuf> = applications.collect();
    let mut all = Vec::with_capacity(read.len());
    for mut own in read {
        let is_known = known.as_ref().is_some_and(|sets| sets.folder.dir == own.target.path());
        let sets = match is_known {
            _ if applications.contains(&real(&own.target.path())) => None,
            true => known.take(),
            false => of(&own.target, run)?,
        };
        let Some(Sets { folder, sets }) = sets else {
            all.push(own);
            continue;
        };
        own.value_sets = vec![OWN.to_owned()];
        let (first, standing) = (all.len(), own.standing);
        all.push(own);
        let targets: Vec<Target> = sets.into_iter().map(|set| Target::ValueSet(folder.clone(), set)).collect();
        read_round(&targets, &mut all)?;
        for mut one in all.split_off(first + 1) {
            let Target::ValueSet(_, set) = &one.target else { continue };
            let name = set.name.clone();
            if standing == Standing::Unnamed {
                one.standing = standing;
            }
            let is_same = |other: &&mut Read| match (&one.new, &other.new) {
                (Ok(one), Ok(other)) => versions::have_same_manifests(one, other),
                _ => false,
            };
            match all[first..].iter_mut().find(is_same) {
                Some(same) => same.value_sets.push(name),
                None => {
                    one.value_sets.push(name);
                    all.push(one);
                }
            }
        }
    }
    Ok(all)
}

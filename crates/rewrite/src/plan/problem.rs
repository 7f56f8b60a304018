//! Problems: the reasons why there is no output. The errors of all lower modules end here, with their places.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use goyaml::{RefusedBy, SyntaxError, expansion};
use system::PathText;
use text::{Message, Origin, Place, visible};

use super::{JobPlan, Request};
use crate::manifest::{Manifest, Reader};
use crate::settings::{self, Id, Layers, Provenance};
use crate::strategy::Refusal;

/// The kind of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Argo CD cannot read a document.
    Unreadable,
    /// This crate cannot read a document, and Argo CD may be able to. Its objects are unknown.
    NotRead,
    /// A strategy cannot change a Job.
    Refused,
    /// An annotation of a Job has an invalid value, or the data that it refers to is too large to be hashed.
    Setting,
    /// Two Jobs would become one object.
    DuplicateJob,
    /// Two hooks of one phase have the same `generateName`.
    GenerateNameCollision,
    /// A Job differs at every rendering, which a setting refuses.
    Random,
    /// The whole output has no object.
    Empty,
    /// The run exceeds a limit.
    Excess,
}

/// A problem of the input. Displays as `path:line:column: message`, and a `help:` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of the problem.
    pub kind: ProblemKind,
    /// The place in a manifest. None if the problem concerns the whole input.
    pub place: Option<Place>,
    /// The path of the source. None if the problem has a place, or names a command or a file.
    pub source: Option<Box<str>>,
    /// What is wrong: lower case, the user's words in backticks.
    pub message: String,
    /// What to do about it.
    pub help: Option<Box<str>>,
}

impl Problem {
    /// The problem of a document that cannot be read.
    pub(super) fn syntax(manifest: &Manifest, error: &SyntaxError) -> Self {
        let place = Some(manifest.place(error.offset));
        let SyntaxError { message, help, .. } = error;
        if error.by != RefusedBy::ArgoCd {
            let message = error.to_string();
            return Self { kind: ProblemKind::NotRead, place, source: None, message, help: help.map(Into::into) };
        }
        let (message, help) = if is_in_template(manifest, error) {
            (format!("this looks like a Helm template: {message}"), Some(RENDER))
        } else if is_in_other_template(manifest, error) {
            (format!("this looks like a template: {message}"), Some(LEAVE_OUT))
        } else {
            (message.clone(), *help)
        };
        Self { kind: ProblemKind::Unreadable, place, source: None, message, help: help.map(Into::into) }
    }

    /// The problems of Jobs that differ at every rendering.
    pub(super) fn random(jobs: &[JobPlan], manifests: &[Manifest]) -> Vec<Self> {
        let of_job = |job: &JobPlan| {
            let manifest = &manifests[job.manifest];
            let first = manifest.random_in(job.piece).first()?;
            let name = job.name.as_ref().or(job.emitted.generate_name.as_ref()).map_or("", String::as_str);
            Some(Self {
                kind: ProblemKind::Random,
                place: Some(manifest.place(first.span.start)),
                source: None,
                message: format!("Job `{name}` differs at every rendering, which `allow-random: false` refuses"),
                help: Some("`argocd-jobs check` on the chart shows the line of its template".into()),
            })
        };
        jobs.iter().filter_map(of_job).collect()
    }

    /// The problem of a Job that its strategy refuses.
    pub(super) fn refusal(place: Place, refusal: &Refusal) -> Self {
        Self {
            kind: ProblemKind::Refused,
            place: Some(place),
            source: None,
            message: refusal.to_string(),
            help: Some(refusal.help().into()),
        }
    }

    /// The problem of an annotation with an invalid value.
    pub(super) fn annotation(place: Place, error: &settings::Error) -> Self {
        let Message { text, help, .. } = error.message();
        Self { kind: ProblemKind::Setting, place: Some(place), source: None, message: text, help: help.map(Into::into) }
    }

    /// The problem of more data than `hash-references` may hash.
    pub(super) fn too_much_data() -> Self {
        let message = "with `hash-references`, more than 256 MiB of ConfigMaps and Secrets would be hashed (each counts once for every Job that refers to it)";
        let help = "set `hash-references` to `false`, or let fewer Jobs refer to the largest of them";
        Self {
            kind: ProblemKind::Setting,
            place: None,
            source: None,
            message: message.to_owned(),
            help: Some(help.into()),
        }
    }

    /// The problem of a run that exceeds a limit. `message` names the limit.
    pub(super) fn too_much(message: String) -> Self {
        Self { kind: ProblemKind::Excess, place: None, source: None, message, help: Some(PART.into()) }
    }

    /// The problem of aliases that expand to too much in all documents together.
    pub(super) fn too_many_aliases() -> Self {
        let message = format!("the aliases of all manifests expand to more than {} MiB", expansion::MAX >> 20);
        let help = Some("write the values themselves in place of the aliases".to_owned());
        Self { kind: ProblemKind::Excess, place: None, source: None, message, help: help.map(Into::into) }
    }

    /// The problem of an empty output, which Argo CD would take for "delete everything".
    pub(super) fn no_object(request: &Request<'_>) -> Self {
        let problem = Self::no_object_in(request.manifests, request.settings);
        let is_of_the_source = match request.manifests {
            [one] => one.origin.is_rendered(),
            _ => true,
        };
        if problem.place.is_some() || !is_of_the_source {
            return problem;
        }
        let path = match request.shown_as.in_slashes() {
            path if path.is_empty() => ".".into(),
            path => path,
        };
        Self { source: Some(path.into()), ..problem }
    }

    fn no_object_in(manifests: &[Manifest], settings: &Layers) -> Self {
        if let [Manifest { origin: Origin::Rendered(command), .. }] = manifests {
            let message = format!("`{command}` printed no resources");
            let help = "an empty output would prune everything that is live; correct the settings, or, if it is intended, set `allow-empty` (`--allow-empty`)";
            return Self { kind: ProblemKind::Empty, place: None, source: None, message, help: Some(help.into()) };
        }
        if let Some(problem) = Self::nothing_selected(manifests, settings) {
            return problem;
        }
        let is_stream = matches!(manifests, [one] if one.reader == Reader::Stream);
        let message = match manifests {
            [] => "no manifest found: no file here is named `*.yaml`, `*.yml` or `*.json`".to_owned(),
            [one] => format!("{}: the manifest contains no resources", one.origin),
            more => format!("none of the {} manifests contains a resource", more.len()),
        };
        let other = match is_stream {
            true => "look at the command that writes it, or pass a file or a directory with manifests",
            false => "to read subfolders as well, add `--recurse`",
        };
        let help =
            format!("{other}; to allow an empty output, which prunes everything that is live, add `--allow-empty`");
        Self { kind: ProblemKind::Empty, place: None, source: None, message, help: Some(help.into()) }
    }

    /// The problem if `include` and `exclude` leave no file. Its place is the first of these globs that is in the config file. None if no
    /// glob is set.
    fn nothing_selected(manifests: &[Manifest], settings: &Layers) -> Option<Self> {
        let set = settings.above_jobs();
        let globs = [(Id::Include, "matches `include`"), (Id::Exclude, "is not excluded by `exclude`")];
        let glob = |(id, verb): &(Id, &'static str)| {
            let setting = set.get(*id).filter(|_| manifests.is_empty())?;
            let glob = setting.value.display().to_string();
            (!glob.is_empty()).then(|| (format!("{verb} `{glob}`"), setting.by.clone()))
        };
        let (said, by): (Vec<String>, Vec<Provenance>) = globs.iter().filter_map(glob).unzip();
        if said.is_empty() {
            return None;
        }
        let place = by.iter().find_map(|by| match by {
            Provenance::ConfigFile { at, .. } => Some(Place::new(Origin::File(settings.config_file()?.into()), *at)),
            _ => None,
        });
        let said = said.join(" and ");
        let message = format!("no manifest found: no file here that is named `*.yaml`, `*.yml` or `*.json` {said}");
        let help = "correct the glob, or, to read subfolders as well, add `--recurse`; to allow an empty output, which prunes \
                    everything that is live, add `--allow-empty`";
        Some(Self { kind: ProblemKind::Empty, place, source: None, message, help: Some(help.into()) })
    }
}

/// The help for a run that exceeds a limit.
const PART: &str = "split the Application; `check` and `preview` can read one folder at a time";

/// The help for a Helm template that is read as a manifest.
const RENDER: &str = "render the chart first: `helm template … | argocd-jobs check -`";

/// The help for a template of another program.
const LEAVE_OUT: &str =
    "leave the file out with the parameter `exclude`, or render it and check the output: `… | argocd-jobs check -`";

/// Endings before `.yaml` that mark a template, as in `deployment.ftl.yaml`.
const TEMPLATES: [&str; 10] = ["ftl", "tpl", "tmpl", "template", "gotmpl", "j2", "jinja", "jinja2", "erb", "mustache"];

/// Whether the file has the name of a template, or the line of the error begins with a directive of FreeMarker, Jinja or ERB.
fn is_in_other_template(manifest: &Manifest, error: &SyntaxError) -> bool {
    let Origin::File(path) = &manifest.origin else { return false };
    let stem = path.file_stem().map(Path::new).and_then(Path::extension).and_then(OsStr::to_str);
    let line = manifest.line_around(error.offset).of(&manifest.text).trim_start();
    let begins = ["<#", "</#", "{%", "<%"].into_iter().any(|directive| line.starts_with(directive));
    begins || stem.is_some_and(|stem| TEMPLATES.contains(&stem))
}

/// Whether the line of the error contains an action of a Go template, or the unfinished part starts with one. False for rendered output, in which
/// Helm leaves no actions.
fn is_in_template(manifest: &Manifest, error: &SyntaxError) -> bool {
    let text = &manifest.text;
    let is_rendered = manifest.origin.is_rendered();
    let starts = text.get(error.started..).is_some_and(|part| part.starts_with("{{"));
    !is_rendered && (starts || manifest.line_around(error.offset).of(text).contains("{{"))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}: ", visible(&place.to_string()))?;
        }
        if let Some(source) = &self.source {
            write!(f, "{}: ", visible(source))?;
        }
        f.write_str(&visible(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {}", visible(help)),
            None => Ok(()),
        }
    }
}

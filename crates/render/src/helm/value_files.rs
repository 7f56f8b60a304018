//! Resolves the value files and file parameters of an Application to the paths and URLs that helm gets. The rules are
//! those of Argo CD 3.4 and later (`getResolvedValueFiles` in `reposerver/repository/repository.go`,
//! `util/io/path/resolved.go`), with additions that keep paths inside of the repository.
//!
//! Argo CD checks only whether the file itself is a link, and relies on a check of the whole checkout for other
//! links. Here the whole path of every file is followed before helm gets it, and helm never gets a path that it would
//! read differently.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use checkout::follow::{AbsoluteLinks, Found, Kind, Stopped, follow};
use checkout::{clean, has_pointer};
use kube_jobs::argocd::{Application, BUILD_VARIABLES};
use system::{PathText, canonical};

use crate::helm::globs::{Failed, expand, is_glob};
use crate::helm::set_value::{escaped, read_by_helm};
use crate::helm::value_file_error::{Problem, ValueFileError};
use crate::helm::work::Work;

/// The folders that paths are relative to.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    /// The absolute path of the chart: relative paths start here. It may contain symlinks that are in the repository.
    pub(crate) chart: PathBuf,
    /// The absolute path of the repository's root, without symlinks: paths with a leading `/` start here, and no path
    /// may lead out of it.
    pub(crate) repository: PathBuf,
}

/// What an entry may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    /// The allowed URL schemes, in upper or lower case (`helm.valuesFileSchemes` of argocd-cm).
    pub(crate) schemes: &'a [String],
    /// `ignoreMissingValueFiles`: files that do not exist are left out.
    pub(crate) ignore_missing: bool,
    /// Whether URLs are allowed at all.
    pub(crate) network_allowed: bool,
    /// The names of other sources, with the roots of their repositories if they are in other repositories.
    pub(crate) references: &'a BTreeMap<String, Option<PathBuf>>,
    /// The Application, whose build variables are replaced in entries.
    pub(crate) application: &'a Application,
}

const VALUE_FILES: &str = "helm-value-files";
const FILE_PARAMETERS: &str = "helm.fileParameters";

/// The URL schemes that helm supports without plugins (`pkg/getter/getter.go`). Any other text is a path relative to
/// the chart for helm.
const SCHEMES_OF_HELM: [&str; 3] = ["http", "https", "oci"];

/// The maximum number of links from file to file that Argo CD follows.
const MAX_FILE_LINKS: usize = 10;

/// The arguments for helm's `--values`, in order: absolute paths and URLs. `entries` are the Application's
/// `valueFiles` as written.
pub(crate) fn resolve_all(entries: &[String], roots: &Roots, rules: &Rules<'_>) -> Result<Vec<String>, ValueFileError> {
    let mut arguments = Vec::new();
    for place in places(entries, roots, rules, &mut Work::for_all())? {
        let entry = entries[place.entry].as_str();
        let resolver = Resolver::new(VALUE_FILES, entry, roots, rules);
        arguments.push(match place.target {
            Target::Url(url) => url,
            Target::Path(path) => resolver.argument(&path).map_err(|problem| resolver.error(problem))?,
        });
    }
    Ok(arguments)
}

/// The paths and URLs that Argo CD chooses, before any file is accessed.
#[cfg(test)]
pub(super) fn chosen(
    entries: &[String],
    roots: &Roots,
    rules: &Rules<'_>,
    work: &mut Work,
) -> Result<Vec<String>, ValueFileError> {
    let text = |target| match target {
        Target::Url(url) => url,
        Target::Path(path) => path.in_slashes().into_owned(),
    };
    let places = places(entries, roots, rules, work)?;
    Ok(places.into_iter().map(|place| text(place.target)).collect())
}

/// The absolute path or URL after the `=` in helm's `--set-file NAME=PATH`, before it is escaped (`escaped` in
/// `set_value.rs`). `name` and `path` are those of an entry of the Application's `fileParameters`. Globs and
/// `ignore_missing` do not apply.
///
/// The name is checked, too, because helm splits the whole argument at commas that are not escaped.
pub(crate) fn resolve_file_parameter(
    name: &str,
    path: &str,
    roots: &Roots,
    rules: &Rules<'_>,
) -> Result<String, ValueFileError> {
    let rules = Rules { ignore_missing: false, ..*rules };
    let resolver = Resolver::new(FILE_PARAMETERS, path, roots, &rules);
    let problem = |problem| resolver.error(problem);
    if !is_one_name(name) {
        return Err(problem(Problem::Name(name.to_owned())));
    }
    match resolver.locate().map_err(problem)? {
        Target::Url(url) => Ok(url),
        Target::Path(found) => resolver.parameter(&found).map_err(problem),
    }
}

/// Whether helm reads all of `name` as the name: it contains no unescaped `=` or `,`, and does not end in a
/// backslash.
fn is_one_name(name: &str) -> bool {
    let mut chars = name.chars();
    while let Some(found) = chars.next() {
        let ends = match found {
            '=' | ',' => true,
            '\\' => chars.next().is_none(),
            _ => false,
        };
        if ends {
            return false;
        }
    }
    true
}

/// The meaning of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Target {
    Url(String),
    /// An absolute, clean path; before links are followed it is in the repository. It may be a glob.
    Path(PathBuf),
}

/// A target, and the index of the entry that names it.
struct Place {
    entry: usize,
    target: Target,
}

/// The targets in Argo CD's order, without duplicates. A file that an entry names explicitly has the place of that
/// entry, not that of a glob.
fn places(entries: &[String], roots: &Roots, rules: &Rules<'_>, work: &mut Work) -> Result<Vec<Place>, ValueFileError> {
    let mut targets = Vec::new();
    for entry in entries {
        let resolver = Resolver::new(VALUE_FILES, entry, roots, rules);
        let target = resolver.locate().map_err(|problem| resolver.error(problem))?;
        targets.push((resolver, target));
    }
    let is_explicit = |(resolver, target): &&(Resolver<'_>, Target)| resolver.pattern(target).is_none();
    let explicit: HashSet<&Target> = targets.iter().filter(is_explicit).map(|(_, target)| target).collect();
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for (entry, (resolver, target)) in targets.iter().enumerate() {
        let found = match resolver.pattern(target) {
            Some(pattern) => {
                let found = resolver.matches(&pattern, work).map_err(|problem| resolver.error(problem))?;
                found.into_iter().filter(|found| !explicit.contains(found)).collect()
            }
            None if resolver.is_left_out(target) => Vec::new(),
            None => vec![target.clone()],
        };
        let new = found.into_iter().filter(|found| seen.insert(found.clone()));
        places.extend(new.map(|target| Place { entry, target }));
    }
    Ok(places)
}

/// One entry of `valueFiles` or `fileParameters`.
struct Resolver<'a> {
    parameter: &'static str,
    /// The entry as written.
    entry: &'a str,
    rules: &'a Rules<'a>,
    /// The root of the repository that the entry is in, and must not leave.
    root: &'a Path,
    /// The path of the chart, written as a path below the root of its repository.
    chart: PathBuf,
}

impl<'a> Resolver<'a> {
    fn new(parameter: &'static str, entry: &'a str, roots: &'a Roots, rules: &'a Rules<'a>) -> Self {
        let other = reference(entry).and_then(|(name, _)| rules.references.get(name)).and_then(Option::as_deref);
        let chart = clean(&roots.chart);
        let chart = match chart.starts_with(&roots.repository) {
            true => chart,
            false => canonical(&chart).unwrap_or(chart),
        };
        Self { parameter, entry, rules, root: other.unwrap_or(&roots.repository), chart }
    }

    fn error(&self, problem: Problem) -> ValueFileError {
        ValueFileError { parameter: self.parameter, entry: self.entry.to_owned(), problem }
    }

    /// The path relative to the repository, if it is a glob.
    fn pattern(&self, target: &Target) -> Option<String> {
        match target {
            Target::Path(path) => Some(self.shown(path)).filter(|path| is_glob(path)),
            Target::Url(_) => None,
        }
    }

    fn matches(&self, pattern: &str, work: &mut Work) -> Result<Vec<Target>, Problem> {
        let found = expand(self.root, pattern, work).map_err(|failed| match failed {
            Failed::BadPattern => Problem::BadPattern,
            Failed::Unsupported => Problem::UnsupportedPattern,
            Failed::TooMuch => Problem::TooMuch,
        })?;
        if found.is_empty() && !self.rules.ignore_missing {
            return Err(Problem::NoMatch);
        }
        Ok(found.into_iter().map(|path| Target::Path(self.root.join(path))).collect())
    }

    fn is_left_out(&self, target: &Target) -> bool {
        let Target::Path(path) = target else { return false };
        self.rules.ignore_missing && matches!(self.follow(path), Err(Stopped::Missing))
    }

    fn follow(&self, path: &Path) -> Result<Found, Stopped> {
        follow(self.root, path, AbsoluteLinks::Follow)
    }

    /// The target of the entry. Accesses no file, except that it resolves a file that is itself a link, as Argo CD
    /// does.
    fn locate(&self) -> Result<Target, Problem> {
        // Variables are replaced after the name (`getResolvedRefValueFile`): text that begins with `/` is no URL.
        let text = match reference(self.entry) {
            Some((name, path)) if self.rules.references.contains_key(name) => self.rules.application.substitute(path),
            Some((name, _)) if !is_build_variable(name) && !self.is_of_one_source() => return Err(Problem::Reference),
            _ => self.rules.application.substitute(self.entry),
        };
        // Go refuses a URL with such a character, but helm reads any path as a URL.
        if let Some(control) = text.chars().find(char::is_ascii_control) {
            return Err(Problem::Character(control));
        }
        if let Some(scheme) = scheme(&text) {
            self.check_url(scheme, &text)?;
            return Ok(Target::Url(text));
        }
        let path = match text.strip_prefix('/') {
            Some(below) => clean(&self.root.join(below.trim_start_matches('/'))),
            None => clean(&self.chart.join(&text)),
        };
        self.without_link(path).map(Target::Path)
    }

    /// Whether Argo CD itself renders the only source of an Application. There is no other one then that `$name` could mean, and a variable that it does not know
    /// is empty (`runManifestGenAsync` looks for references only if `HasMultipleSources`; `Envsubst` in `pkg/apis/application/v1alpha1/types.go`): the file
    /// is looked for from the root of the repository.
    fn is_of_one_source(&self) -> bool {
        self.rules.application.is_native && !self.rules.application.has_several_sources
    }

    fn check_url(&self, scheme: &str, url: &str) -> Result<(), Problem> {
        let is = |known: &str| known.trim().eq_ignore_ascii_case(scheme);
        if !self.rules.schemes.iter().any(|allowed| is(allowed)) {
            return Err(Problem::Scheme(scheme.to_owned()));
        }
        if !SCHEMES_OF_HELM.into_iter().any(is) {
            return Err(Problem::SchemeOfPlugin(scheme.to_owned()));
        }
        if !self.rules.network_allowed {
            return Err(Problem::NoNetwork);
        }
        self.check_characters(url)
    }

    /// `resolveSymbolicLinkRecursive`, with an additional check that no target of a link is outside of the
    /// repository.
    fn without_link(&self, mut path: PathBuf) -> Result<PathBuf, Problem> {
        if !path.starts_with(self.root) {
            return Err(Problem::Outside);
        }
        let first = self.shown(&path);
        for _ in 0..=MAX_FILE_LINKS {
            let Ok(target) = fs::read_link(&path) else { return Ok(path) };
            path = match target.has_root() {
                true => clean(&target),
                false => clean(&path.parent().unwrap_or(self.root).join(target)),
            };
            if !path.starts_with(self.root) {
                return Err(Problem::LeadsOutside(first));
            }
        }
        Err(Problem::TooManyLinks(first))
    }

    /// The argument for `--values`. Fails unless it is a regular file in the repository and has no characters at
    /// which helm splits.
    fn argument(&self, path: &Path) -> Result<String, Problem> {
        self.check_file(path)?;
        let argument = self.text(path)?;
        self.check_characters(&argument)?;
        Ok(argument)
    }

    /// `--values` is a line of CSV, so commas and quotes would split it. `--set-file` is not, and its commas are
    /// escaped.
    fn check_characters(&self, argument: &str) -> Result<(), Problem> {
        let is_split =
            |found: char| found.is_ascii_control() || (self.parameter == VALUE_FILES && matches!(found, ',' | '"'));
        argument.chars().find(|found| is_split(*found)).map_or(Ok(()), |found| Err(Problem::Character(found)))
    }

    /// The path for `--set-file`. helm removes backslashes, so the path that remains is checked.
    fn parameter(&self, path: &Path) -> Result<String, Problem> {
        let argument = self.text(path)?;
        let read = read_by_helm(&escaped(&argument));
        self.check_file(Path::new(&read))?;
        Ok(argument)
    }

    /// Fails unless the path is a regular file.
    fn check_file(&self, path: &Path) -> Result<(), Problem> {
        let shown = self.shown(path);
        match self.follow(path) {
            Ok(found) => match found.kind {
                Kind::File if has_pointer(path) => Err(Problem::Pointer(shown)),
                Kind::File => Ok(()),
                Kind::Directory => Err(Problem::Directory(if shown.is_empty() { ".".to_owned() } else { shown })),
                Kind::Other => Err(Problem::NotRegular(shown)),
            },
            Err(Stopped::Outside) => Err(Problem::LeadsOutside(shown)),
            Err(Stopped::Git) => Err(Problem::Git),
            Err(Stopped::Missing) => Err(self.missing(&shown)),
            Err(Stopped::TooManyLinks) => Err(Problem::TooManyLinks(shown)),
            Err(Stopped::Unreadable(error)) => Err(Problem::Unreadable { path: shown, why: error.to_string() }),
        }
    }

    /// The path as the user would write it, and the folder that it is relative to.
    fn missing(&self, shown: &str) -> Problem {
        let chart = self.shown(&self.chart);
        match shown.strip_prefix(&chart).and_then(|below| below.strip_prefix('/')) {
            Some(below) if !self.entry.starts_with('/') && !chart.is_empty() => {
                Problem::Missing { path: below.to_owned(), relative_to: chart }
            }
            _ => Problem::Missing { path: shown.to_owned(), relative_to: String::new() },
        }
    }

    /// The path relative to the root of the repository.
    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(Path::new("")).in_slashes().into_owned()
    }

    fn text(&self, path: &Path) -> Result<String, Problem> {
        path.to_str().map(str::to_owned).ok_or_else(|| Problem::NotUnicode(self.shown(path)))
    }
}

/// The name and the path with its slash in `$name/path`. In an Application with several sources the name is a
/// source's `ref`.
fn reference(entry: &str) -> Option<(&str, &str)> {
    let rest = entry.strip_prefix('$')?;
    let (name, path) = rest.split_at(rest.find('/')?);
    let is_name = !name.is_empty() && name.chars().all(|found| is_word(found) || found == '-');
    is_name.then_some((name, path))
}

/// Whether Argo CD would replace a build variable at the start of `$name`.
fn is_build_variable(name: &str) -> bool {
    let variable = name.split(|found| !is_word(found)).next().unwrap_or_default();
    BUILD_VARIABLES.contains(&variable)
}

fn is_word(found: char) -> bool {
    found.is_ascii_alphanumeric() || found == '_'
}

/// The scheme of a URL (`getScheme` in Go's `net/url`).
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let is_scheme = |found: char| found.is_ascii_alphanumeric() || matches!(found, '+' | '-' | '.');
    (scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.chars().all(is_scheme)).then_some(scheme)
}

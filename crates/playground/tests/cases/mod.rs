//! The golden cases as requests of the page. A case is left out when the page has nothing like it: files that are rendered, several sources, a flag
//! that the page does not have.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use golden::case;
use playground::{Answer, Base, Command, Diff, Format, Request};
use walkdir::WalkDir;

/// A case that the page can be asked.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) request: Request,
    pub(crate) expected: Answer,
}

/// All cases, and how many are left out for a reason.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) cases: Vec<Case>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// The cases of the sub-commands that the page has.
pub(crate) fn find() -> Found {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut found = Found::default();
    for command in ["check", "generate", "preview"] {
        for case in case::find(&testdata.join(command), "").unwrap() {
            match request(&case) {
                Ok(request) => found.cases.push(Case {
                    name: format!("{command}/{}", case.name),
                    request,
                    expected: expected(&case),
                }),
                Err(why) => *found.left_out.entry(why).or_default() += 1,
            }
        }
    }
    found
}

/// What the program prints; after an error that is the error.
fn expected(case: &golden::Case) -> Answer {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let is_error = read(&case.dir.join("status")) == "2\n";
    let text = if is_error { read(&case.dir.join("stderr.txt")) } else { read(&case.stdout) };
    Answer { text, is_error }
}

/// A case as a request, or why it cannot be one.
fn request(case: &golden::Case) -> Result<Request, &'static str> {
    let mut request = Request { environment: case.environment.iter().cloned().collect(), ..Request::default() };
    let mut words = case.arguments.iter();
    request.command = match words.next().map(String::as_str) {
        Some("check") => Command::Check,
        Some("preview") => Command::Preview,
        Some("generate") => Command::Generate,
        _ => return Err("another sub-command"),
    };
    let (mut paths, mut base) = (Vec::new(), None);
    while let Some(word) = words.next() {
        let (flag, value) = word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
        let Some(name) = flag.strip_prefix("--") else {
            paths.push(word.as_str());
            continue;
        };
        let mut value = || value.or_else(|| words.next().map(String::as_str)).ok_or("a flag without its value");
        match name {
            "all" => request.all = true,
            "plugin" => request.plugin = Some(word != "--plugin=false"),
            "exit-code" => {}
            "base" if request.command == Command::Preview => base = Some(value()?),
            "deny" => request.info = value()? == "info",
            "format" => request.format = format(request.command, value()?)?,
            "diff" if request.command == Command::Preview => request.diff = diff(value()?)?,
            "set" => {
                let (name, value) = value()?.split_once('=').ok_or("a wrong setting")?;
                request.settings.push((name.to_owned(), value.to_owned()));
            }
            "strategy" | "hook" | "ttl" | "delete-policy" | "prune" | "rerun" | "deadline" | "wave"
            | "argocd-version" => {
                request.settings.push((flag.to_owned(), value()?.to_owned()));
            }
            _ => return Err("a flag that the page does not have"),
        }
    }
    let columns = request.environment.get("COLUMNS").and_then(|columns| columns.parse().ok());
    request.width = columns.map(|columns: usize| columns.max(40));
    sources(case, &paths, base, &mut request)?;
    Ok(request)
}

fn format(command: Command, word: &str) -> Result<Format, &'static str> {
    match (command, word) {
        (_, "text") => Ok(Format::Text),
        (Command::Check, "json") => Ok(Format::Json),
        (Command::Preview, "markdown") => Ok(Format::Markdown),
        _ => Err("a format that the page does not have"),
    }
}

fn diff(word: &str) -> Result<Diff, &'static str> {
    match word {
        "auto" => Ok(Diff::Auto),
        "always" => Ok(Diff::Always),
        "never" => Ok(Diff::Never),
        _ => Err("a wrong value"),
    }
}

/// Puts the files into the request: standard input or one file, and one for the base.
fn sources(case: &golden::Case, paths: &[&str], base: Option<&str>, request: &mut Request) -> Result<(), &'static str> {
    let working_dir = case.working_dir();
    let path = match paths {
        [] => ".",
        [path] => path,
        _ => return Err("several sources"),
    };
    if path == "-" {
        let text = case.input.as_ref().map_or(Ok(String::new()), fs::read_to_string);
        request.files = [("-".to_owned(), text.map_err(|_| "not UTF-8")?)].into();
        request.is_stream = true;
    } else {
        (request.files, request.shown_as) = directory(&working_dir, path)?;
    }
    if let Some(base) = base {
        if request.is_stream || base == "-" {
            return Err("standard input and another version");
        }
        let (files, shown_as) = directory(&working_dir, base)?;
        request.base = Some(Base { files, shown_as, called: base.to_owned() });
    }
    // The page has a directory, and no file can be the wrong one.
    if working_dir.join(path).is_file() && expected(case).is_error {
        return Err("an error about a file");
    }
    if request.plugin == Some(false) && !request.settings.is_empty() {
        return Err("settings without the plugin");
    }
    Ok(())
}

/// A file that Argo CD would read in a directory.
fn file(whole: &Path, path: &str) -> Result<(BTreeMap<String, String>, String), &'static str> {
    let name = whole.file_name().unwrap().to_str().unwrap();
    if ![".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end)) {
        return Err("a file that is read as a stream");
    }
    let text = fs::read_to_string(whole).map_err(|_| "not UTF-8")?;
    let parent = path.strip_suffix(name).unwrap_or_default().trim_end_matches('/');
    Ok(([(name.to_owned(), text)].into(), parent.trim_start_matches("./").to_owned()))
}

/// The only manifest of a directory, with its config file, and what messages call the directory.
fn directory(working_dir: &Path, path: &str) -> Result<(BTreeMap<String, String>, String), &'static str> {
    let dir = working_dir.join(path);
    if path.contains("..") {
        return Err("a path that goes up");
    }
    if dir.is_file() {
        return file(&dir, path);
    }
    if !dir.is_dir() {
        return Err("a path that is not there, or a revision");
    }
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(dir).follow_links(true).min_depth(1) {
        let entry = entry.map_err(|_| "a link that leads nowhere")?;
        if entry.file_type().is_dir() {
            return Err("folders");
        }
        let text = fs::read_to_string(entry.path()).map_err(|_| "not UTF-8")?;
        files.insert(entry.file_name().to_str().unwrap().to_owned(), text);
    }
    let manifests = files.keys().filter(|name| *name != ".argocd-jobs.yaml").count();
    if manifests != 1 {
        return Err("not one file");
    }
    Ok((files, if path == "." { String::new() } else { path.trim_start_matches("./").to_owned() }))
}

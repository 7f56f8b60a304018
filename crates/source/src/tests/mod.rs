//! Reads real directories: a test for each rule of Argo CD's directory source, and for each refusal.

use std::fs;
use std::path::{Path, PathBuf};

use rewrite::settings::MAX_CONFIG_FILE;
use scratch::Scratch;
use system::{PathText, symlink};

use super::*;

mod input;
mod paths;
mod replaced;
pub(super) mod revision;
#[cfg(unix)]
mod special;

/// The input and the settings of a test.
struct Request {
    input: Input,
    source: SourceKind,
    recurse: Recurse,
    include: Option<String>,
    exclude: Option<String>,
    tools: Tools,
}

/// Reads the manifests, with paths relative to the directory.
fn read(request: Request) -> Result<Vec<Manifest>, Error> {
    let Request { input, source, recurse, include, exclude, tools } = request;
    let settings = ApplicationSettings { source, recurse, include, exclude, ..ApplicationSettings::default() };
    open(input, tools)?.manifests(&settings)
}

fn open(input: Input, tools: Tools) -> Result<Source, Error> {
    Source::open(input, &Surroundings { shown_as: Some(PathBuf::new()), tools, ..Surroundings::default() })
}

fn config_file(dir: &Path) -> Result<Option<String>, Error> {
    let file = open(Input::Directory(dir.to_owned()), Tools::default())?.config_file()?;
    Ok(file.map(|file| file.text))
}

/// What is asked about the directory of a test.
trait Requests {
    /// The directory as a source, as most tests read it.
    fn request(&self) -> Request;

    /// The same for a directory below.
    fn request_below(&self, path: &str) -> Request;

    /// The message, in which `DIR` stands for the temporary directory.
    fn error(&self, request: Request) -> String;
}

impl Requests for Scratch {
    fn request(&self) -> Request {
        Request {
            input: Input::Directory(self.0.clone()),
            source: SourceKind::Auto,
            recurse: Recurse::No,
            include: None,
            exclude: None,
            tools: Tools::default(),
        }
    }

    fn request_below(&self, path: &str) -> Request {
        Request { input: Input::Directory(self.0.join(path)), ..self.request() }
    }

    fn error(&self, request: Request) -> String {
        read(request).unwrap_err().to_string().replace(&self.0.shown().to_string(), "DIR")
    }
}

fn paths(request: Request) -> Vec<String> {
    read(request).unwrap().into_iter().map(|manifest| manifest.origin.to_string()).collect()
}

fn stdin(bytes: &[u8]) -> Request {
    Request { input: Input::Stream(Box::new(io::Cursor::new(bytes.to_vec()))), ..Scratch::new().request() }
}

#[test]
fn files_come_in_lexical_order_directory_by_directory() {
    let scratch =
        Scratch::with(&["b.yaml", "a/z.yaml", "a.yaml", "a/b/c.yaml", "B.yaml", "a-b.yaml", "ä.yaml", "a1.yaml"]);
    let request = Request { recurse: Recurse::Yes, ..scratch.request() };
    let expected = ["B.yaml", "a/b/c.yaml", "a/z.yaml", "a-b.yaml", "a.yaml", "a1.yaml", "b.yaml", "ä.yaml"];
    assert_eq!(paths(request), expected);
}

#[test]
fn directories_below_are_read_only_when_asked() {
    let scratch = Scratch::with(&["a.yaml", "sub/b.yaml", ".git/c.yaml", "dir.yaml/d.yml"]);
    assert_eq!(paths(scratch.request()), ["a.yaml"]);
    let request = Request { recurse: Recurse::Yes, ..scratch.request() };
    assert_eq!(paths(request), [".git/c.yaml", "a.yaml", "dir.yaml/d.yml", "sub/b.yaml"]);
}

#[test]
fn the_extension_decides_and_the_reader_follows_it() {
    let scratch =
        Scratch::with(&["a.yaml", "b.yml", "c.json", ".d.yaml", "e.YAML", "f.txt", "g", "h.yaml.bak", "i.libsonnet"]);
    let manifests = read(scratch.request()).unwrap();
    let readers: Vec<_> = manifests.iter().map(|manifest| (manifest.origin.to_string(), manifest.reader)).collect();
    let expected = [
        (".d.yaml", Reader::DirectoryYaml),
        ("a.yaml", Reader::DirectoryYaml),
        ("b.yml", Reader::DirectoryYaml),
        ("c.json", Reader::DirectoryJson),
    ];
    assert_eq!(readers, expected.map(|(path, reader)| (path.to_owned(), reader)));
    assert_eq!(manifests[1].text, "a.yaml");
}

#[test]
fn exclude_beats_include_and_both_cross_slashes() {
    let scratch = Scratch::with(&["a.yaml", "b.yaml", "sub/a.yaml", "sub/b.yaml"]);
    let chosen = |include: &str, exclude: &str| {
        let globs = (Some(include.to_owned()), Some(exclude.to_owned()));
        paths(Request { recurse: Recurse::Yes, include: globs.0, exclude: globs.1, ..scratch.request() })
    };
    assert_eq!(chosen("*a.yaml", ""), ["a.yaml", "sub/a.yaml"]);
    assert_eq!(chosen("", "sub/*"), ["a.yaml", "b.yaml"]);
    assert_eq!(chosen("*a.yaml", "a*"), ["sub/a.yaml"]);
    assert_eq!(chosen("{a,sub/b}.yaml", ""), ["a.yaml", "sub/b.yaml"]);
}

#[test]
fn an_invalid_glob_matches_nothing() {
    let scratch = Scratch::with(&["a.yaml"]);
    let invalid = || Some("[".to_owned());
    assert_eq!(paths(Request { exclude: invalid(), ..scratch.request() }), ["a.yaml"]);
    assert!(paths(Request { include: invalid(), ..scratch.request() }).is_empty());
}

#[test]
fn a_file_with_the_skip_marker_is_left_out_whatever_it_is() {
    let utf16: Vec<u8> = "\u{feff}# +argocd:skip-file-rendering".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let scratch = Scratch::with(&["a.yaml"])
        .file("b.yaml", "kind: Job\n# +argocd:skip-file-rendering\n")
        .file("c.jsonnet", "// +argocd:skip-file-rendering")
        .file("d.yaml", utf16)
        .file("e.yaml", b"kind: \xff +argocd:skip-file-rendering");
    assert_eq!(paths(scratch.request()), ["a.yaml"]);
}

#[test]
fn the_programs_own_config_file_is_no_manifest() {
    let scratch = Scratch::with(&[".argocd-jobs.yaml", "a.yaml", "sub/.argocd-jobs.yaml"]);
    let request = Request { recurse: Recurse::Yes, ..scratch.request() };
    assert_eq!(paths(request), ["a.yaml", "sub/.argocd-jobs.yaml"]);
}

#[test]
fn jsonnet_is_an_error_unless_it_is_left_out() {
    let scratch = Scratch::with(&["a.yaml", "b.jsonnet"]);
    assert!(scratch.error(scratch.request()).starts_with("b.jsonnet: Jsonnet is not evaluated\nhelp: "));
    assert_eq!(paths(Request { exclude: Some("*.jsonnet".to_owned()), ..scratch.request() }), ["a.yaml"]);
}

#[test]
fn a_symlink_is_read_under_its_own_name() {
    let scratch = Scratch::with(&["repo/.git/HEAD", "repo/lib/b.txt"])
        .link("repo/app/a.yaml", "../lib/b.txt")
        .link("repo/app/c.txt", "../lib/b.yaml")
        .link("repo/app/d.json", "a.yaml");
    let manifests = read(scratch.request_below("repo/app")).unwrap();
    let read: Vec<_> = manifests.iter().map(|manifest| (manifest.origin.to_string(), manifest.reader)).collect();
    let expected = [("a.yaml".to_owned(), Reader::DirectoryYaml), ("d.json".to_owned(), Reader::DirectoryJson)];
    assert_eq!(read, expected);
    assert_eq!(manifests[0].text, "repo/lib/b.txt");
}

#[test]
fn a_symlink_out_of_the_repository_is_an_error_even_when_excluded() {
    let scratch = Scratch::with(&["repo/.git", "secret.txt"]).link("repo/app/a.yaml", "../../secret.txt");
    let request = || scratch.request_below("repo/app");
    let expected = "a.yaml: this symlink leads out of the repository\nhelp: ";
    assert!(scratch.error(request()).starts_with(expected));
    assert!(scratch.error(Request { exclude: Some("*".to_owned()), ..request() }).starts_with(expected));
}

#[test]
fn a_symlink_to_the_root_of_the_repository_is_an_error() {
    let scratch = Scratch::with(&[".git/HEAD"]).link("app/a.yaml", "..");
    assert!(scratch.error(scratch.request_below("app")).contains("leads out of the repository"));
}

#[test]
fn without_git_a_symlink_may_not_leave_the_source_directory() {
    let scratch = Scratch::with(&["b.txt", "app/c.txt"]).link("app/a.yaml", "../b.txt").link("app/d.yaml", "c.txt");
    assert!(scratch.error(scratch.request_below("app")).starts_with("a.yaml: "));
    fs::remove_file(scratch.0.join("app/a.yaml")).unwrap();
    assert_eq!(paths(scratch.request_below("app")), ["d.yaml"]);
}

#[test]
fn a_symlink_that_leads_nowhere_or_to_no_file_is_left_out() {
    let scratch = Scratch::with(&[".git", "a.yaml", "sub/b.yaml"])
        .link("nowhere.yaml", "gone")
        .link("dir.yaml", "sub")
        .link("sub.d", "sub");
    assert_eq!(paths(scratch.request()), ["a.yaml"]);
    assert_eq!(paths(Request { recurse: Recurse::Yes, ..scratch.request() }), ["a.yaml", "sub/b.yaml"]);
}

#[test]
fn a_symlink_that_cannot_be_followed_is_an_error() {
    let scratch = Scratch::with(&[".git"]).link("loop.yaml", "loop.yaml");
    assert!(scratch.error(scratch.request()).starts_with("loop.yaml: cannot be read: "));
    let scratch = Scratch::with(&[".git", "file"]).link("through.yaml", "file/x");
    assert!(scratch.error(scratch.request()).starts_with("through.yaml: cannot be read: "));
}

#[test]
fn a_source_directory_given_as_a_symlink_is_followed() {
    let scratch = Scratch::with(&["real/a.yaml"]).link("linked", "real");
    assert_eq!(paths(scratch.request_below("linked")), ["a.yaml"]);
}

#[test]
fn a_directory_without_manifests_is_no_error() {
    assert!(paths(Scratch::new().request()).is_empty());
    assert!(paths(Scratch::with(&["readme.md"]).request()).is_empty());
}

#[test]
fn a_directory_that_is_missing_or_a_file_is_an_error() {
    let scratch = Scratch::with(&["a.yaml"]);
    assert!(scratch.error(scratch.request_below("gone")).starts_with("DIR/gone: no such file or directory\nhelp: "));
    assert!(scratch.error(scratch.request_below("a.yaml")).starts_with("DIR/a.yaml: not a directory\nhelp: "));
}

#[test]
fn a_file_larger_than_all_may_be_together_is_an_error_before_it_is_read() {
    let scratch = Scratch::with(&["a.yaml", "b.yaml"]);
    fs::File::options().write(true).open(scratch.0.join("b.yaml")).unwrap().set_len(MAX_TOTAL_BYTES).unwrap();
    let message = scratch.error(scratch.request());
    assert!(message.starts_with("b.yaml: with this file the manifests are larger than 100 MiB\nhelp: "), "{message}");
}

#[test]
fn text_that_cannot_be_decoded_is_an_error_when_it_could_be_a_manifest() {
    let message = |name: &str, content: &[u8]| {
        let scratch = Scratch::new().file(name, content);
        scratch.error(scratch.request())
    };
    let expected = "a.yaml:2:7: byte `0xe4` is not UTF-8 here\nhelp: ";
    assert!(message("a.yaml", b"kind: Job\n# f\xc3\xbcr \xe4").starts_with(expected));
    assert!(message("a.json", b"\xe4").starts_with("a.json:1:1: byte `0xe4`"));
    assert!(message("a.yml", b"\xff\xfek\0i\0n\0d\0:").starts_with("a.yml:1:5: the UTF-16 text ends in"));
    assert!(message("a.yml", b"\xfe\xff\xd8\x3d\0k\0i\0n\0d").starts_with("a.yml:1:1: `0xd83d` is half of"));
    let values = Scratch::new().file("values.yaml", b"name: \xe4");
    assert!(paths(values.request()).is_empty());
}

#[test]
fn utf16_with_a_byte_order_mark_is_decoded_in_a_directory() {
    let utf16: Vec<u8> = "\u{feff}kind: Jöb".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let scratch = Scratch::new().file("a.yaml", utf16).file("b.yaml", "\u{feff}kind: Job");
    let texts: Vec<String> = read(scratch.request()).unwrap().into_iter().map(|manifest| manifest.text).collect();
    assert_eq!(texts, ["kind: Jöb", "kind: Job"]);
}

#[test]
fn standard_input_is_one_stream() {
    let manifests = read(stdin(b"\xef\xbb\xbfkind: Job\n---\n")).unwrap();
    assert_eq!(manifests.len(), 1);
    assert_eq!(manifests[0].origin, Origin::StandardInput);
    assert_eq!(manifests[0].reader, Reader::Stream);
    assert_eq!(manifests[0].text, "kind: Job\n---\n");
    assert_eq!(read(stdin(b"# +argocd:skip-file-rendering")).unwrap().len(), 1);
}

#[test]
fn standard_input_must_be_utf8() {
    let message = |bytes| read(stdin(bytes)).unwrap_err().to_string();
    assert!(message(b"\xff\xfea\0").starts_with("<stdin>:1:1: the text is UTF-16, expected UTF-8\nhelp: "));
    assert!(message(b"a\nb\xe4").starts_with("<stdin>:2:2: byte `0xe4` is not UTF-8 here\nhelp: "));
}

#[test]
fn the_last_name_of_a_tool_decides_what_a_directory_is() {
    let detected = |files: &[&str]| {
        // Files in memory are never rendered.
        let files = files.iter().map(|path| (PathBuf::from(path), path.as_bytes().to_vec())).collect();
        match read(Request { input: Input::Files(files), ..Scratch::new().request() }) {
            Ok(_) => "directory".to_owned(),
            Err(Error::NeedsRenderer { found, .. }) => found.unwrap(),
            Err(error) => error.to_string(),
        }
    };
    for files in [
        &["Chart.yaml", "a.yaml"][..],
        &["kustomization.yaml"],
        &["kustomization.yml"],
        &["Kustomization"],
        &["my-Chart.yaml"],
    ] {
        assert_eq!(detected(files), files[0]);
    }
    for files in [&["Chart.yml"][..], &["chart.yaml"], &["kustomize.yaml"], &["sub/Chart.yaml"], &["Chart.yaml/a.yaml"]]
    {
        assert_eq!(detected(files), "directory");
    }
    assert_eq!(detected(&["Chart.yaml", "kustomization.yaml"]), "kustomization.yaml");
    assert_eq!(detected(&["kustomization.yaml", "zChart.yaml"]), "zChart.yaml");
}

#[test]
fn a_directory_is_rendered_unless_it_is_read_as_it_is() {
    let scratch = Scratch::with(&["Chart.yaml", "a.yaml"]);
    let message = scratch.error(scratch.request());
    let expected = "DIR: Argo CD would run Helm here because of `Chart.yaml`, but no tool can be started here\nhelp: ";
    assert!(message.starts_with(expected), "{message}");
    let request = Request { source: SourceKind::Directory, ..scratch.request() };
    assert_eq!(paths(request), ["Chart.yaml", "a.yaml"]);
}

#[test]
fn a_directory_that_is_read_as_it_is_has_no_kustomization() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\n";
    let scratch = Scratch::new()
        .file("kustomization.yaml", "resources: [a.yaml]\n")
        .file("sub/kustomization.yml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n")
        .file("flux/kustomization.yaml", flux)
        .file("a.yaml", "kind: Job\n");
    let request = Request { source: SourceKind::Directory, recurse: Recurse::Yes, ..scratch.request() };
    assert_eq!(paths(request), ["a.yaml", "flux/kustomization.yaml"]);
}

#[test]
fn the_config_file_is_read_inside_the_repository_only() {
    let scratch = Scratch::new().file("repo/.git/HEAD", "").file("repo/app/job.yaml", "");
    let dir = scratch.0.join("repo/app");
    assert!(matches!(config_file(&dir), Ok(None)));
    let scratch = scratch.file("repo/app/.argocd-jobs.yaml", "\u{feff}ttl: 1\n");
    assert_eq!(config_file(&dir).unwrap().as_deref(), Some("ttl: 1\n"));
    assert_eq!(open(Input::Directory(dir.clone()), Tools::default()).unwrap().marker(), Some(".argocd-jobs.yaml"));
    let scratch = scratch.file("repo/app/.argocd-jobs.yaml", "#".repeat(MAX_CONFIG_FILE as usize + 1));
    assert!(matches!(config_file(&dir), Err(Error::ConfigFileTooLarge(_))));
    let path = dir.join(".argocd-jobs.yaml");
    fs::remove_file(&path).unwrap();
    let scratch = scratch.file("shared.yaml", "ttl: 1\n").link("repo/app/.argocd-jobs.yaml", "../../shared.yaml");
    assert!(matches!(config_file(&dir), Err(Error::LeavesRepository(_))));
    drop(scratch);
}

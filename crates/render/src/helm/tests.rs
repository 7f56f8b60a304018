//! Compares value files and file parameters with the results of Argo CD's own functions, in a tree of real files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kube_jobs::argocd::Application;
use scratch::Scratch;
use serde::Deserialize;
use system::canonical;

use crate::helm::value_files::{Roots, Rules, chosen, resolve_all, resolve_file_parameter};
use crate::helm::work::Work;

/// The first line of the table: the files and links of a repository.
#[derive(Deserialize)]
struct Tree {
    files: Vec<String>,
    links: BTreeMap<String, String>,
    chart: String,
}

/// Any other line: a list of value files, the list that Argo CD passes to helm, and the reason why Argo CD or helm
/// refuses it.
#[derive(Deserialize)]
struct Row {
    entries: Vec<String>,
    ignore_missing: bool,
    files: Option<Vec<String>>,
    refused: Option<String>,
}

/// A chart in a repository. The folder around the repository contains only `outside`.
struct Repository {
    scratch: Scratch,
    roots: Roots,
}

impl Repository {
    fn new(scratch: Scratch, chart: &str) -> Self {
        let root = canonical(&scratch.0).unwrap().join("repo");
        Self { scratch, roots: Roots { chart: root.join(chart), repository: root } }
    }

    fn link(self, path: &str, target: impl AsRef<Path>) -> Self {
        let Self { scratch, roots } = self;
        Self { scratch: scratch.link(path, target), roots }
    }

    fn file(self, path: &str) -> Self {
        let Self { scratch, roots } = self;
        Self { scratch: scratch.file(path, ""), roots }
    }

    /// The arguments relative to the root, or the message.
    fn resolve(&self, entries: &[&str], ignore_missing: bool) -> Result<Vec<String>, String> {
        let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
        self.resolve_with(&entries, &Rules { ignore_missing, ..rules(&schemes(), &application()) })
    }

    fn resolve_with(&self, entries: &[String], rules: &Rules<'_>) -> Result<Vec<String>, String> {
        let arguments = resolve_all(entries, &self.roots, rules).map_err(|error| error.to_string())?;
        Ok(arguments.into_iter().map(|argument| self.relative(&argument)).collect())
    }

    fn parameter(&self, name: &str, path: &str) -> Result<String, String> {
        let (schemes, application) = (schemes(), application());
        let argument = resolve_file_parameter(name, path, &self.roots, &rules(&schemes, &application));
        argument.map(|argument| self.relative(&argument)).map_err(|error| error.to_string())
    }

    fn relative(&self, argument: &str) -> String {
        let root = self.roots.repository.to_str().unwrap();
        argument.strip_prefix(root).map_or(argument, |below| below.trim_start_matches('/')).to_owned()
    }

    /// The first line of the message about one entry. No message may reveal where the repository is.
    fn refusal(&self, entry: &str) -> String {
        let message = self.resolve(&[entry], false).unwrap_err();
        assert!(!message.contains(self.scratch.0.to_str().unwrap()), "{message}");
        assert!(message.contains("\nhelp: ") || message.contains("cannot be read"), "{message}");
        message.lines().next().unwrap().to_owned()
    }
}

/// The Application for which the table was made.
fn application() -> Application {
    let text = |value: &str| Some(value.to_owned());
    Application {
        name: text("team_shop"),
        namespace: text("prod"),
        repo_url: text("https://git.example.com/shop.git"),
        revision: text("0123456789abcdef"),
        source_path: text("charts/shop"),
        target_revision: text("main"),
        project: text("default"),
        ..Application::default()
    }
}

fn schemes() -> Vec<String> {
    vec!["https".to_owned(), " HTTP".to_owned()]
}

fn rules<'a>(schemes: &'a [String], application: &'a Application) -> Rules<'a> {
    static NO_REFERENCES: BTreeMap<String, Option<PathBuf>> = BTreeMap::new();
    Rules { schemes, ignore_missing: false, network_allowed: true, references: &NO_REFERENCES, application }
}

/// The environment can name another table, made with another seed, instead of the committed one.
#[expect(clippy::disallowed_methods, reason = "the developer says in the environment which table is read")]
fn table() -> String {
    let path = std::env::var("VALUE_FILES").unwrap_or_else(|_| "testdata/value-files.jsonl".to_owned());
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn value_files_are_those_of_argo_cd() {
    let table = table();
    let mut lines = table.lines();
    let Tree { files, links, chart } = serde_json::from_str(lines.next().unwrap()).unwrap();
    let scratch = files.iter().fold(Scratch::new(), |scratch, file| scratch.file(&format!("repo/{file}"), ""));
    let scratch = links.iter().fold(scratch, |scratch, (link, target)| scratch.link(&format!("repo/{link}"), target));
    let repository = Repository::new(scratch, &chart);
    let application = application();
    let (mut wrong, mut count, mut unsupported) = (Vec::new(), 0, 0);
    for line in lines {
        let row: Row = serde_json::from_str(line).unwrap();
        let schemes = schemes();
        let rules = Rules { ignore_missing: row.ignore_missing, ..rules(&schemes, &application) };
        let ours = repository.resolve_with(&row.entries, &rules);
        if ours.as_ref().is_err_and(|error| error.contains("is a glob that only Argo CD can read")) {
            unsupported += 1;
            continue;
        }
        let wanted = row.files.clone().filter(|_| row.refused.is_none());
        if ours.as_ref().ok() != wanted.as_ref() {
            wrong.push(format!("{line}\n  ours {ours:?}"));
        }
        // Compare before files are accessed, too, so that the order is tested in rows that helm refuses.
        let chosen = chosen(&row.entries, &repository.roots, &rules, &mut Work::for_all());
        let chosen = chosen.map(|found| found.iter().map(|found| repository.relative(found)).collect::<Vec<_>>());
        if let Some(files) = row.files.as_ref().filter(|files| chosen.as_ref().ok() != Some(files)) {
            wrong.push(format!("{line}\n  chosen {:?}, not {files:?}", chosen.map_err(|error| error.to_string())));
        }
        count += 1;
    }
    assert!(count > 400 && unsupported < count, "{count} rows, {unsupported} unsupported");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn each_refusal_says_what_is_wrong_and_never_where_the_repository_is() {
    let repository = Repository::new(
        Scratch::with(&[
            "repo/c/values.yaml",
            "repo/c/d/x.yaml",
            "repo/.git/HEAD",
            "repo/c/a,b.yaml",
            "outside/x.yaml",
        ]),
        "c",
    );
    let repository = repository
        .link("repo/c/out.yaml", "../../outside/x.yaml")
        .link("repo/c/out", "../../outside")
        .link("repo/c/etc.yaml", "/etc/passwd")
        .link("repo/c/git.yaml", "../.git/HEAD")
        .link("repo/c/circle", "circle")
        .link("repo/c/d/out", "../../../outside");
    for (entry, wanted) in [
        ("nope.yaml", "`nope.yaml` (helm-value-files) does not exist: there is no such file in `c`"),
        (
            "$ARGOCD_APP_NAME.yaml",
            "`$ARGOCD_APP_NAME.yaml` (helm-value-files) does not exist: there is no `team_shop.yaml` in `c`",
        ),
        (
            "/c/nope.yaml",
            "`/c/nope.yaml` (helm-value-files) does not exist: there is no `c/nope.yaml` in the repository",
        ),
        ("../nope.yaml", "`../nope.yaml` (helm-value-files) does not exist: there is no `nope.yaml` in the repository"),
        ("../../outside/x.yaml", "`../../outside/x.yaml` (helm-value-files) is outside the repository"),
        ("out.yaml", "`out.yaml` (helm-value-files) is refused: the symlink `c/out.yaml` leads out of the repository"),
        (
            "out/x.yaml",
            "`out/x.yaml` (helm-value-files) is refused: the symlink `c/out/x.yaml` leads out of the repository",
        ),
        ("out/nope", "`out/nope` (helm-value-files) is refused: the symlink `c/out/nope` leads out of the repository"),
        ("etc.yaml", "`etc.yaml` (helm-value-files) is refused: the symlink `c/etc.yaml` leads out of the repository"),
        ("/.git/HEAD", "`/.git/HEAD` (helm-value-files) is refused: it is in `.git`, which is not part of a revision"),
        ("git.yaml", "`git.yaml` (helm-value-files) is refused: it is in `.git`, which is not part of a revision"),
        ("/.git/*", "`/.git/*` (helm-value-files) matches no file"),
        ("out/*", "`out/*` (helm-value-files) matches no file"),
        ("o*.yaml", "`o*.yaml` (helm-value-files) is refused: the symlink `c/out.yaml` leads out of the repository"),
        ("circle", "`circle` (helm-value-files) is refused: `c/circle` goes through too many symlinks"),
        ("d", "`d` (helm-value-files) is refused: `c/d` is a directory"),
        ("?", "`?` (helm-value-files) is refused: `c/d` is a directory"),
        ("", "`` (helm-value-files) is refused: `c` is a directory"),
        ("/", "`/` (helm-value-files) is refused: `.` is a directory"),
        ("[", "`[` (helm-value-files) is a malformed glob"),
        ("a,b.yaml", "`a,b.yaml` (helm-value-files) has a comma in its path, which helm does not accept"),
        ("a\nb", "`a\\nb` (helm-value-files) has a line break in its path, which helm does not accept"),
        (
            "a\0b",
            "`a\\u{0}b` (helm-value-files) has the control character U+0000 in its path, which helm does not accept",
        ),
        (
            "https://x/,/etc/passwd",
            "`https://x/,/etc/passwd` (helm-value-files) has a comma in its path, which helm does not accept",
        ),
        ("ftp://me:word@x/a", "`ftp://x/a` (helm-value-files) is refused: the URL scheme `ftp` is not allowed"),
        (
            "$values/prod.yaml",
            "`$values/prod.yaml` (helm-value-files): Argo CD passes the other sources of an Application only to its own Helm, not to a plugin",
        ),
    ] {
        assert_eq!(repository.refusal(entry), wanted);
    }
    for entry in ["out/nope", "/.git/nope", "../../outside/nope"] {
        assert!(repository.resolve(&[entry], true).is_err(), "{entry} tells what exists");
    }
    assert_eq!(repository.resolve(&["**/*.yaml", "nope"], true).unwrap_err().lines().count(), 2);
    assert_eq!(repository.resolve(&["d/**/*.yaml", "nope"], true), Ok(vec!["c/d/x.yaml".to_owned()]));
}

#[test]
fn a_reference_of_an_only_source_is_a_variable_that_argo_cd_does_not_know() {
    let repository =
        Repository::new(Scratch::with(&["repo/c/values.yaml", "repo/env/a.yaml", "repo/c/-b/a.yaml"]), "c");
    let native = Application { is_native: true, ..application() };
    let resolve = |entry: &str, application: &Application| {
        repository.resolve_with(&[entry.to_owned()], &rules(&[], application)).map_err(|error| error.to_string())
    };
    assert_eq!(resolve("$values/env/a.yaml", &native), Ok(vec!["env/a.yaml".to_owned()]));
    // `os.Expand` ends a name at a dash.
    assert_eq!(resolve("$a-b/a.yaml", &native), Ok(vec!["c/-b/a.yaml".to_owned()]));
    let missing = "`$values/b.yaml` (helm-value-files) does not exist: there is no `b.yaml` in the repository";
    assert!(resolve("$values/b.yaml", &native).unwrap_err().starts_with(missing));
    let several = Application { has_several_sources: true, ..native };
    assert!(resolve("$values/env/a.yaml", &several).unwrap_err().contains("passes the other sources"));
}

#[test]
fn urls_are_taken_as_the_platform_owner_allows() {
    let repository = Repository::new(Scratch::with(&["repo/c/values.yaml", "repo/c/secrets:/x/values.yaml"]), "c");
    let urls = ["HTTPS://example.com/a?b=*", "http://user:word@x/$ARGOCD_APP_NAME"];
    let wanted = [urls[0], "http://user:word@x/team_shop"];
    assert_eq!(repository.resolve(&urls, false).unwrap(), wanted);
    let (schemes, application) = (["https".to_owned(), "secrets".to_owned(), "file".to_owned()], application());
    let rules = rules(&schemes, &application);
    for url in ["secrets://x/../../c/values.yaml", "file:///etc/passwd"] {
        let refused = repository.resolve_with(&[url.to_owned()], &rules).unwrap_err();
        assert!(refused.contains("only a Helm plugin supports"), "{refused}");
    }
    let rules = Rules { network_allowed: false, ..rules };
    let refused = repository.resolve_with(&["https://me:word@x/a".to_owned()], &rules).unwrap_err();
    assert!(
        refused.starts_with("`https://x/a` (helm-value-files) is refused: the network is not allowed\n"),
        "{refused}"
    );
}

#[test]
fn references_to_other_sources_are_not_mixed_up_with_variables() {
    let repository = Repository::new(Scratch::with(&["repo/c/prod/x.yaml", "repo/x.yaml", "repo/c/$v/x.yaml"]), "c");
    for (entry, file) in [
        ("$ARGOCD_APP_NAMESPACE/x.yaml", "c/prod/x.yaml"),
        ("${ARGOCD_APP_NAMESPACE}/x.yaml", "c/prod/x.yaml"),
        ("${values}/x.yaml", "x.yaml"),
        ("$$v/x.yaml", "c/$v/x.yaml"),
        ("./$values/prod/x.yaml", "c/prod/x.yaml"),
    ] {
        assert_eq!(repository.resolve(&[entry], false).as_deref(), Ok(&[file.to_owned()][..]), "{entry}");
    }
    let (names, schemas, application) = (BTreeMap::from([("values".to_owned(), None)]), schemes(), application());
    let rules = Rules { references: &names, ..rules(&schemas, &application) };
    let of_source = |entry: &str| repository.resolve_with(&[entry.to_owned()], &rules).ok();
    assert_eq!(of_source("$values/c/$ARGOCD_APP_NAMESPACE/x.yaml"), Some(vec!["c/prod/x.yaml".to_owned()]));
    assert_eq!(of_source("$other/c/prod/x.yaml"), None);
    let other = BTreeMap::from([("values".to_owned(), Some(repository.roots.repository.join("c")))]);
    let rules = Rules { references: &other, ..rules };
    let of_other = |entry: &str| repository.resolve_with(&[entry.to_owned()], &rules).ok();
    assert_eq!(of_other("$values/prod/*.yaml"), Some(vec!["c/prod/x.yaml".to_owned()]));
    assert_eq!(of_other("$values/../x.yaml"), None);
    for entry in ["$values/x.yaml", "$ARGOCD_APP/x.yaml", "$other-source/x.yaml", "$KUBE_VERSION/x.yaml", "$1/x.yaml"] {
        assert!(repository.refusal(entry).contains("other sources"), "{entry}");
    }
}

#[test]
fn file_parameters_are_what_helm_reads() {
    let files = ["repo/c/a.txt", "repo/c/a,b.txt", "repo/c/x\\y", "repo/c/k=v", "repo/c/*"];
    let repository = Repository::new(Scratch::with(&files), "c").file("outside/x").link("repo/c/xy", "../../outside/x");
    for (path, wanted) in [
        ("a.txt", "c/a.txt"),
        ("/c/a.txt", "c/a.txt"),
        ("a,b.txt", "c/a,b.txt"),
        ("*", "c/*"),
        ("k=v", "c/k=v"),
        ("a\\,b.txt", "c/a\\,b.txt"),
        ("https://x/a,b", "https://x/a,b"),
    ] {
        assert_eq!(repository.parameter("name", path).as_deref(), Ok(wanted), "{path}");
    }
    for path in ["nope", "../../outside/x", "xy", "x\\y", "c", ".\\./.\\./outside/x", "$values/a", "a\nb", "ftp://x"] {
        let refused = repository.parameter("name", path).unwrap_err();
        assert!(refused.contains("(helm.fileParameters)"), "{path}: {refused}");
    }
    for name in ["a.b", "a[0]", "a\\=b", "a\\,b", "a\\\\", "ä", "a b"] {
        assert!(repository.parameter(name, "a.txt").is_ok(), "{name}");
    }
    for name in ["a=/etc/passwd,b", "a=/etc/passwd", "a,b", "a\\", "a\\\\=b", "a[0,b]"] {
        assert!(repository.parameter(name, "a.txt").unwrap_err().starts_with("the name"), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_and_sockets_are_refused_before_helm_would_wait_for_them() {
    use std::os::unix::net::UnixListener;
    let repository = Repository::new(Scratch::with(&["repo/c/values.yaml"]), "c").link("repo/c/link", "socket");
    let _socket = UnixListener::bind(repository.roots.chart.join("socket")).unwrap();
    for entry in ["socket", "link", "s*"] {
        assert!(repository.refusal(entry).contains("not a regular file"), "{entry}");
    }
}

#[test]
fn hostile_globs_and_trees_use_up_the_work_that_is_allowed() {
    let wide: Vec<String> = (0..1_000).map(|count| format!("repo/c/w/{}/{count}.yaml", count % 50)).collect();
    let scratch = wide.iter().fold(Scratch::new(), |scratch, file| scratch.file(file, ""));
    let repository = Repository::new(scratch, "c").file(&format!("repo/c/deep/{}x.yaml", "d/".repeat(100)));
    let repository = repository.link("repo/c/ring/a", ".").link("repo/c/ring/b", ".").link("repo/c/ring/c", "..");
    let application = application();
    let count = |patterns: &[String]| {
        // A hundredth of the allowed work makes the test fast.
        let found = chosen(patterns, &repository.roots, &rules(&[], &application), &mut Work::of(5_000_000));
        found.map(|found| found.len()).map_err(|error| error.to_string().lines().next().unwrap().to_owned())
    };
    assert_eq!(count(&["deep/**/**/**/x.yaml".to_owned()]), Ok(1));
    assert_eq!(count(&["w/**/*.yaml".to_owned()]), Ok(1_000));
    for pattern in [
        "**/x.yaml".to_owned(),
        "ring/**/nope".to_owned(),
        "ring/**/**/**".to_owned(),
        "**/d/".repeat(90) + "**",
        "deep/".to_owned() + &"**/d/".repeat(90) + "**",
        "deep/**/*".to_owned() + &"/**/*".repeat(90),
        "w/*/".to_owned() + &"*1".repeat(1_000),
        "*".repeat(5_000_000),
    ] {
        let shown: String = pattern.chars().take(20).collect();
        let result = count(&[pattern]);
        assert!(result.as_ref().is_err_and(|error| error.contains("takes too long")), "{shown}: {result:?}");
    }
    // All entries share the allowed work.
    assert!(count(&vec!["w/**/1.yaml".to_owned(); 1_000]).unwrap_err().contains("takes too long"));
}

#[test]
fn the_chart_may_be_the_root_or_spelled_otherwise() {
    let repository = Repository::new(Scratch::with(&["repo/values.yaml", "repo/c/values.yaml"]), "");
    assert_eq!(
        repository.resolve(&["values.yaml", "/values.yaml", "c/values.yaml"], false).unwrap(),
        ["values.yaml", "c/values.yaml"]
    );
    assert!(repository.refusal("nope").ends_with("there is no such file in the repository"));
    let Repository { scratch, roots } = repository;
    let scratch = scratch.link("elsewhere", "repo/c");
    let chart: PathBuf = roots.repository.parent().unwrap().join("elsewhere");
    let repository = Repository { scratch, roots: Roots { chart, ..roots } };
    assert_eq!(repository.resolve(&["values.yaml"], false).unwrap(), ["c/values.yaml"]);
}

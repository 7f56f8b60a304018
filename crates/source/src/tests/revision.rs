//! Reading a revision gives the same result as reading a checkout of it.

use std::process::Command;

use system::{PathText, file_name};

use super::*;

/// A repository in `DIR/repo`, with its own committer and without settings of the machine.
pub(crate) struct Repository(pub(crate) Scratch);

impl Repository {
    pub(crate) fn of(scratch: Scratch) -> Self {
        fs::create_dir_all(scratch.0.join("repo")).unwrap();
        let repository = Self(scratch);
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.commit();
        repository
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.0.join("repo").join(path)
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.path(""))
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
                "-c",
                "core.autocrlf=false",
            ])
            .args(arguments)
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_ALLOW_PROTOCOL", "file")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
    }

    pub(super) fn request(&self, dir: &str, revision: &str) -> Request {
        let input = Input::Revision { dir: self.path(dir), revision: revision.to_owned() };
        Request { input, recurse: Recurse::Yes, tools: tools(), ..self.0.request() }
    }

    /// The paths and texts that are read, or the message.
    pub(crate) fn read(&self, dir: &str, revision: &str) -> Result<Vec<(String, String)>, String> {
        self.told(read(self.request(dir, revision)))
    }

    fn told(&self, read: Result<Vec<Manifest>, Error>) -> Result<Vec<(String, String)>, String> {
        match read {
            Ok(manifests) => Ok(manifests.into_iter().map(|found| (found.origin.to_string(), found.text)).collect()),
            Err(error) => Err(error.to_string().replace(&self.0.0.shown().to_string(), "DIR")),
        }
    }

    /// Reads the last commit and the files on disk, and checks that both are the same.
    fn read_both(&self, dir: &str) -> Result<Vec<(String, String)>, String> {
        for recurse in [Recurse::No, Recurse::Yes] {
            let disk = Request { input: Input::Directory(self.path(dir)), recurse, ..self.0.request() };
            let commit = Request { recurse, ..self.request(dir, "HEAD") };
            assert_eq!(self.told(read(commit)), self.told(read(disk)));
        }
        self.read(dir, "HEAD")
    }

    fn message(&self, dir: &str, revision: &str) -> String {
        self.read(dir, revision).unwrap_err()
    }
}

/// The `git` of the developer.
#[expect(clippy::disallowed_methods, reason = "a test needs the PATH of the developer")]
pub(crate) fn tools() -> Tools {
    Tools::of(&std::env::vars().collect())
}

fn config_file_at(dir: &Path, revision: &str) -> Result<Option<String>, Error> {
    let input = Input::Revision { dir: dir.to_owned(), revision: revision.to_owned() };
    Ok(open(input, tools())?.config_file()?.map(|file| file.text))
}

fn paths_of(read: Result<Vec<(String, String)>, String>) -> Vec<String> {
    read.unwrap().into_iter().map(|(path, _)| path).collect()
}

#[test]
fn the_order_of_a_revision_is_that_of_the_disk() {
    let repository = Repository::of(Scratch::with(&[
        "repo/b.yaml",
        "repo/a/z.yaml",
        "repo/a.yaml",
        "repo/a/b/c.yaml",
        "repo/a-b.yaml",
        "repo/ä.yaml",
        "repo/a1.yaml",
        "repo/a b\t\"c\".yaml",
        "repo/line\nbreak/x.yaml",
    ]));
    let paths = paths_of(repository.read_both(""));
    assert_eq!(paths.len(), 9);
    assert_eq!(paths[..3], ["a/b/c.yaml", "a/z.yaml", "a b\t\"c\".yaml"]);
}

#[test]
fn a_directory_below_the_top_is_read_as_it_was() {
    let repository =
        Repository::of(Scratch::with(&["repo/app/a.yaml", "repo/other/b.yaml"]).file("repo/app/c.yaml", "1"));
    fs::write(repository.path("app/c.yaml"), "2").unwrap();
    fs::remove_file(repository.path("app/a.yaml")).unwrap();
    repository.commit();
    fs::write(repository.path("app/c.yaml"), "3").unwrap();
    let pair = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    assert_eq!(repository.read("app", "HEAD"), Ok(vec![pair("c.yaml", "2")]));
    assert_eq!(repository.read("app", "HEAD~1"), Ok(vec![pair("a.yaml", "repo/app/a.yaml"), pair("c.yaml", "1")]));
}

#[test]
fn a_directory_that_the_revision_has_not_holds_nothing() {
    let repository = Repository::of(Scratch::with(&["repo/a.yaml", "repo/file"]).link("repo/link", "gone"));
    for dir in ["new/app", "file.d"] {
        fs::create_dir_all(repository.path(dir)).unwrap();
        assert_eq!(repository.read(dir, "HEAD"), Ok(Vec::new()), "{dir}");
        assert!(matches!(config_file_at(&repository.path(dir), "HEAD"), Ok(None)));
    }
    for was_something_else in ["file", "link"] {
        fs::remove_file(repository.path(was_something_else)).unwrap();
        fs::create_dir(repository.path(was_something_else)).unwrap();
        assert_eq!(repository.read(was_something_else, "HEAD"), Ok(Vec::new()), "{was_something_else}");
    }
}

#[test]
fn a_directory_that_only_the_revision_has_is_read() {
    let repository = Repository::of(Scratch::with(&["repo/b", "repo/app/sub/a.yaml"]));
    let before = repository.read_both("app/sub");
    fs::remove_dir_all(repository.path("app")).unwrap();
    assert_eq!(repository.read("app/sub", "HEAD"), before);
}

#[test]
fn links_lead_to_files_of_the_same_revision() {
    let repository = Repository::of(
        Scratch::with(&["repo/lib/b.txt", "repo/app/sub/s.yaml"])
            .link("repo/app/a.yaml", "../lib/b.txt")
            .link("repo/app/c.json", "a.yaml")
            .link("repo/app/dangling.yaml", "../lib/gone")
            .link("repo/app/dir.yaml", "../lib")
            .link("repo/app/sub/up.yaml", "../../linked/b.txt")
            .link("repo/linked", "lib"),
    );
    let expected = paths_of(repository.read_both("app"));
    assert_eq!(expected, ["a.yaml", "c.json", "sub/s.yaml", "sub/up.yaml"]);
    let before = repository.read("app", "HEAD");
    fs::write(repository.path("lib/b.txt"), "changed").unwrap();
    assert_eq!(repository.read("app", "HEAD"), before);
}

#[test]
fn a_link_that_leaves_the_repository_or_goes_in_circles_is_an_error() {
    let message = |link: &str, target: &str| {
        let repository = Repository::of(Scratch::with(&["repo/app/x", "outside.txt"]).link(link, target));
        repository.read_both("app").unwrap_err()
    };
    for target in ["../../outside.txt", "..", "../app/.."] {
        let found = message("repo/app/a.yaml", target);
        assert!(found.starts_with("a.yaml: this symlink leads out of the repository\nhelp: "), "{found}");
    }
    let repository =
        Repository::of(Scratch::with(&["repo/x"]).link("repo/a.yaml", "/gone").link("repo/loop.yaml", "loop.yaml"));
    assert!(repository.message("", "HEAD").starts_with("a.yaml: this symlink leads out"));
    repository.git(&["rm", "--quiet", "a.yaml"]);
    repository.commit();
    assert!(repository.message("", "HEAD").starts_with("loop.yaml: cannot be read: too many levels"));
}

#[test]
fn the_other_rules_hold_for_a_revision_too() {
    let repository = Repository::of(
        Scratch::with(&["repo/a.yaml", "repo/b.jsonnet", "repo/.argocd-jobs.yaml", "repo/x.txt"])
            .file("repo/skipped.yaml", "# +argocd:skip-file-rendering")
            .file("repo/values.yaml", b"name: \xe4"),
    );
    assert!(repository.read_both("").unwrap_err().starts_with("b.jsonnet: Jsonnet is not evaluated"));
    let request = Request { exclude: Some("*.jsonnet".to_owned()), ..repository.request("", "main") };
    assert_eq!(paths(request), ["a.yaml"]);
    let repository = Repository::of(Scratch::new().file("repo/a.yaml", b"kind: Job\n# f\xc3\xbcr \xe4"));
    assert!(repository.read_both("").unwrap_err().starts_with("a.yaml:2:7: byte `0xe4` is not UTF-8 here\nhelp: "));
    let repository = Repository::of(Scratch::with(&["repo/Chart.yaml"]));
    assert!(repository.read_both("").unwrap_err().starts_with("DIR/repo/: Argo CD would run Helm here"));
}

#[test]
fn a_name_that_is_not_utf8_is_read() {
    let scratch = Scratch::with(&["repo/a.yaml"]);
    if fs::write(scratch.0.join("repo").join(file_name(b"b\xff.yaml")), "x").is_err() {
        return; // Not every file system has such names.
    }
    assert_eq!(Repository::of(scratch).read_both("").unwrap().len(), 2);
}

#[test]
fn a_file_larger_than_the_rest_of_what_may_be_read_is_none() {
    let repository = Repository::of(Scratch::new().file("repo/a.yaml", "x".repeat(100_000)).file("repo/b.yaml", "y"));
    let name = DirectoryName::new(repository.path(""), None);
    let surroundings = Surroundings { tools: tools(), ..Surroundings::default() };
    let mut revision = Revision::open(name, "HEAD".to_owned(), &surroundings).unwrap();
    let entries = revision.list(Recurse::No).unwrap();
    assert_eq!(revision.read(&entries[1].place, 1).unwrap().as_deref(), Some(&b"y"[..]));
    assert_eq!(revision.read(&entries[0].place, 100_000).unwrap().map(|bytes| bytes.len()), Some(100_000));
    assert_eq!(revision.read(&entries[0].place, 99_999).unwrap(), None);
}

#[test]
fn a_revision_can_be_named_as_git_names_it_and_never_becomes_an_option() {
    let repository = Repository::of(Scratch::with(&["repo/a.yaml"]));
    repository.git(&["tag", "--annotate", "--message=x", "v1"]);
    repository.git(&["update-ref", "refs/heads/--upload-pack=x", "HEAD"]);
    repository.git(&["update-ref", "refs/heads/-q", "HEAD"]);
    let id = repository.git(&["rev-parse", "HEAD"]);
    for named in ["HEAD", "main", "v1", "refs/heads/main", "@", ":/x", "--upload-pack=x", "-q", &id, &id[..8]] {
        assert_eq!(paths_of(repository.read("", named)), ["a.yaml"], "{named}");
    }
    for named in [
        "",
        "main2",
        "--all",
        "-h",
        "HEAD:a.yaml",
        "HEAD^{tree}",
        "main..main",
        "HEAD\nHEAD",
        "HEAD\0",
        "a missing",
        "HEAD blob 3",
        "../x",
    ] {
        let message = repository.message("", named);
        let named = named.escape_debug();
        let expected = format!("`--base`: `{named}` is neither a path nor a commit in the repository of `DIR/repo/`\n");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn without_a_repository_or_a_commit_the_message_says_so() {
    let scratch = Scratch::with(&["a.yaml"]);
    let input = Input::Revision { dir: scratch.0.clone(), revision: "HEAD".to_owned() };
    let message = scratch.error(Request { input, ..scratch.request() });
    assert_eq!(message, "DIR: not in a Git repository\nhelp: compare with a directory");
    let repository = Repository(Scratch::with(&["repo/a.yaml"]));
    repository.git(&["init", "--quiet"]);
    assert!(repository.message("", "HEAD").contains("`HEAD` is neither a path nor a commit in"));
}

#[test]
fn worktrees_and_links_to_directories_are_found_and_bare_repositories_are_not() {
    let repository = Repository::of(Scratch::with(&["repo/app/a.yaml"]).link("linked", "repo/app"));
    let top = repository.0.0.shown().to_string();
    for tree in ["tree", "repo/inner/tree"] {
        repository.git(&["worktree", "add", "--quiet", "--detach", &format!("{top}/{tree}")]);
    }
    repository.git(&["clone", "--quiet", "--bare", &format!("{top}/repo"), &format!("{top}/bare")]);
    let module = Repository::of(Scratch::with(&["repo/app/module.yaml"]));
    repository.git(&["submodule", "--quiet", "add", &module.path("").shown().to_string(), "module"]);
    repository.commit();
    assert!(fs::read_to_string(repository.path("module/.git")).unwrap().starts_with("gitdir: ../"));
    assert!(fs::read_to_string(repository.path("inner/tree/.git")).unwrap().starts_with("gitdir: /"));
    for (dir, expected) in [("../tree/app", "a.yaml"), ("inner/tree/app", "a.yaml"), ("../linked", "a.yaml")] {
        assert_eq!(paths_of(repository.read(dir, "HEAD")), [expected], "{dir}");
    }
    for dir in ["module", "module/app"] {
        let message = repository.message(dir, "HEAD");
        assert!(
            message
                .contains(": in a submodule, which has revisions of its own\nhelp: run argocd-jobs in the submodule"),
            "{message}"
        );
    }
    assert_eq!(
        repository.message("../bare", "HEAD"),
        "DIR/repo/../bare: not in a Git repository\nhelp: compare with a directory"
    );
}

#[test]
fn a_file_that_names_the_repository_is_read_as_git_reads_it() {
    let repository = Repository::of(Scratch::with(&["repo/a.yaml"]).link("by-link", "repo/.git"));
    let read = |text: &str| {
        let tree = repository.0.0.join("tree");
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join(".git"), text).unwrap();
        repository.read("../tree", "HEAD").map(|found| found.len())
    };
    let top = repository.0.0.shown();
    for good in [
        "gitdir: ../repo/.git\n",
        "gitdir: ../repo/.git\r\n\n",
        "gitdir: ../by-link",
        &format!("gitdir: {top}/repo/.git"),
    ] {
        assert_eq!(read(good), Ok(1), "{good:?}");
    }
    for bad in
        ["", "gitdir: ", "gitdir: \n", "../repo/.git", "gitdir:../repo/.git", "gitdir: ../repo", "gitdir: ../gone"]
    {
        let message = read(bad).unwrap_err();
        let is_told = message.contains(": git refuses: ") || message.contains(": not in a Git repository");
        assert!(is_told, "{bad:?}: {message}");
    }
    fs::remove_file(repository.0.0.join("tree/.git")).unwrap();
    symlink("../repo/.git", repository.0.0.join("tree/.git")).unwrap();
    assert_eq!(repository.read("../tree", "HEAD").map(|found| found.len()), Ok(1));
}

#[test]
fn a_shallow_clone_lacks_commits_and_a_partial_one_fetches_nothing() {
    let repository = Repository::of(Scratch::with(&["repo/app/a.yaml"]));
    fs::write(repository.path("app/a.yaml"), "2").unwrap();
    repository.commit();
    let source = format!("file://{}", repository.path("").shown());
    let clone = |options: &[&str], name: &str| {
        let target = format!("{}/{name}", repository.0.0.shown());
        repository.git(&[&["clone", "--quiet"], options, &[&source, &target]].concat());
    };
    clone(&["--depth=1"], "shallow");
    assert_eq!(paths_of(repository.read("../shallow/app", "HEAD")), ["a.yaml"]);
    assert!(repository.message("../shallow/app", "HEAD~1").contains("`fetch-depth: 0`"));
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    for (filter, name) in [("--filter=blob:none", "blobless"), ("--filter=tree:0", "treeless")] {
        clone(&[filter], name);
        let dir = format!("../{name}/app");
        assert_eq!(paths_of(repository.read(&dir, "HEAD")), ["a.yaml"]);
        assert!(repository.read(&dir, "HEAD~1").is_err(), "{name}: {:?}", repository.read(&dir, "HEAD~1"));
    }
}

#[test]
fn a_directory_that_is_not_in_the_clone_is_not_an_empty_one() {
    let repository = Repository::of(Scratch::with(&["repo/app/sub/a.yaml", "repo/b.yaml"]));
    let id = repository.git(&["rev-parse", "HEAD:app"]);
    fs::remove_file(repository.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
    fs::create_dir(repository.path("new")).unwrap();
    for dir in ["app", "app/sub"] {
        let message = repository.message(dir, "HEAD");
        assert!(message.contains("does not have all files of `HEAD`"), "{dir}: {message}");
    }
    assert_eq!(repository.read("new", "HEAD"), Ok(Vec::new()));
}

#[test]
fn submodules_are_empty_and_pointers_of_git_lfs_are_errors() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    let repository = Repository::of(Scratch::with(&["repo/a.yaml"]).file("repo/lfs/b.yaml", pointer));
    let id = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},module.yaml")]);
    repository.git(&["commit", "--quiet", "--message=x"]);
    fs::create_dir(repository.path("module.yaml")).unwrap();
    let request = Request { recurse: Recurse::No, ..repository.request("", "HEAD") };
    assert_eq!(paths(request), ["a.yaml"]);
    assert_eq!(repository.read("module.yaml", "HEAD"), Ok(Vec::new()));
    assert!(
        repository.message("", "HEAD").starts_with("lfs/b.yaml: cannot be read: the repository has only a pointer")
    );
}

#[test]
fn the_config_file_of_a_revision_is_read_by_the_same_rules() {
    let repository = Repository::of(Scratch::with(&["repo/x"]).file("repo/app/.argocd-jobs.yaml", "\u{feff}ttl: 1\n"));
    let dir = repository.path("app");
    fs::write(dir.join(".argocd-jobs.yaml"), "ttl: 2\n").unwrap();
    assert_eq!(config_file_at(&dir, "HEAD").unwrap().as_deref(), Some("ttl: 1\n"));
    assert!(matches!(config_file_at(&repository.path(""), "HEAD"), Ok(None)));
    fs::write(dir.join(".argocd-jobs.yaml"), "#".repeat(MAX_CONFIG_FILE as usize + 1)).unwrap();
    repository.commit();
    assert!(matches!(config_file_at(&dir, "HEAD"), Err(Error::ConfigFileTooLarge(_))));
    for (target, expected) in [("../../out.yaml", "leads out of the repository"), ("gone", "not a file")] {
        fs::remove_file(dir.join(".argocd-jobs.yaml")).unwrap();
        symlink(target, dir.join(".argocd-jobs.yaml")).unwrap();
        repository.commit();
        let message = config_file_at(&dir, "HEAD").unwrap_err().to_string();
        assert!(message.starts_with(".argocd-jobs.yaml: ") && message.contains(expected), "{message}");
    }
    fs::write(dir.join(".argocd-jobs.yml"), "").unwrap();
    repository.commit();
    assert!(matches!(config_file_at(&dir, "HEAD"), Err(Error::MisnamedConfigFile(_))));
    assert!(matches!(config_file_at(&dir, "HEAD~9"), Err(Error::Revision { .. })));
}

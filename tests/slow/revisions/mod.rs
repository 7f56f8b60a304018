//! Reading a git revision gives the same result as reading a checkout of it: tested with the `in/` of every case.

mod gone;
mod partial;
mod tags;
mod tracked;
mod trust;
mod unchanged;
mod victim;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use checkout::Tools;
use rewrite::settings::{ApplicationSettings, Recurse, SourceKind};
use source::{Input, Source, Surroundings};

use crate::support::scratch::{Scratch, commit, copy};
use crate::support::{case, program, switches};

#[test]
fn a_revision_of_any_case_is_read_as_the_case_on_disk() {
    let cases = case::all();
    let scratch = Scratch::new();
    for case in &cases {
        let folder = case.dir.join("in");
        if folder.exists() {
            copy(&folder, &scratch.source().join(&case.name), &[]);
        }
    }
    commit(&scratch.source());
    let mut manifests = 0;
    for case in &cases {
        let dir = scratch.source().join(&case.name);
        // git does not store empty folders.
        if !dir.exists() {
            continue;
        }
        for (source, recurse) in [(SourceKind::Auto, Recurse::Yes), (SourceKind::Directory, Recurse::No)] {
            let settings = ApplicationSettings { source, recurse, ..ApplicationSettings::default() };
            let (mut disk, mut revision) = (open(Input::Directory(dir.clone())), open(head(&dir)));
            let config_file = |source: &mut Source| source.config_file().map_err(|error| error.to_string());
            assert_eq!(config_file(&mut disk), config_file(&mut revision), "{}", case.name);
            match (disk.manifests(&settings), revision.manifests(&settings)) {
                (Ok(mut disk), Ok(revision)) => {
                    // Only a file on disk can be fixed.
                    disk.iter_mut().for_each(|manifest| manifest.file = None);
                    assert_eq!(format!("{disk:?}"), format!("{revision:?}"), "{}", case.name);
                    manifests += disk.len();
                }
                (Err(disk), Err(revision)) => assert_eq!(disk.to_string(), revision.to_string(), "{}", case.name),
                (disk, revision) => panic!("{}: {disk:?} on disk, {revision:?} in git", case.name),
            }
        }
    }
    assert!(manifests > 100, "only {manifests} manifests");
}

#[test]
fn an_application_outside_of_the_checkout_is_compared_with_another_checkout() {
    let (here, base, outside) = (Scratch::new(), Scratch::new(), Scratch::new());
    let job = fs::read_to_string(case::root().join("preview/base/against-new-image/in/old/m.yaml")).unwrap();
    for (checkout, image) in [(&here, "shop:1.4.2"), (&base, "shop:1.4.1")] {
        checkout.write("m.yaml", job.replace("shop:1.4.1", image));
        commit(&checkout.source());
    }
    let source = "{repoURL: https://git.example.com/shop.git, path: .}";
    outside.write("app.yaml", format!("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop}}\nspec: {{source: {source}}}\n"));
    let mut command = program::program(&here.source());
    command
        .args(["preview", "--plugin", "--repository-url", "https://git.example.com/shop.git", "--base"])
        .arg(base.source());
    command.arg("--application").arg(outside.source().join("app.yaml")).env("PATH", switches::path());
    let told = program::run(command, b"");
    assert!(told.text().contains("image `shop`: `1.4.1` → `1.4.2`"), "{told:?}");
}

#[test]
fn a_revert_says_to_which_commit_it_goes_back() {
    let job = fs::read_to_string(case::root().join("preview/base/against-new-image/in/old/m.yaml")).unwrap();
    let scratch = Scratch::new();
    let root = scratch.source();
    let write = |image: &str| _ = scratch.write("apps/shop/m.yaml", job.replace("shop:1.4.1", image));
    for image in ["shop:1", "shop:2", "shop:1"] {
        write(image);
        scratch.write("other.yaml", format!("# beside {image}\n"));
        commit(&root);
    }
    let preview = |base: &str, format: &str| {
        let mut command = program::program(&root);
        command
            .args(["preview", "--plugin", "apps/shop", "--format", format, "--base", base])
            .env("PATH", switches::path());
        program::run(command, b"").text()
    };
    let says = |text: &str| text.contains("The change restores the manifests of `");
    for format in ["text", "markdown"] {
        let text = preview("HEAD~1", format);
        assert!(says(&text), "{text}");
    }
    assert!(preview("HEAD~1", "json").contains("\"goesBackTo\": \""));
    assert!(!says(&preview("HEAD~2", "text")), "the base is the same");
    write("shop:4");
    assert!(!says(&preview("HEAD~1", "text")), "what is previewed is not what was committed");
    commit(&root);
    assert!(!says(&preview("HEAD~1", "text")), "new content");
}

#[test]
fn preview_and_check_compare_with_a_revision() {
    let job = fs::read_to_string(case::root().join("preview/base/against-new-image/in/old/m.yaml")).unwrap();
    let scratch = Scratch::new();
    let root = scratch.source();
    let dir = root.join("apps/shop");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("m.yaml"), &job).unwrap();
    fs::write(dir.join(".argocd-jobs.yaml"), "strategy: hash-name\n").unwrap();
    commit(&root);
    fs::write(dir.join("m.yaml"), job.replace("shop:1.4.1", "shop:1.4.2")).unwrap();
    fs::write(dir.join(".argocd-jobs.yaml"), "strategy: auto\n").unwrap();
    let run = |at: &Path, arguments: &[&str]| {
        let mut command = program::program(at);
        command.args(arguments).env("PATH", switches::path());
        program::run(command, b"")
    };
    let told = run(&dir, &["preview", "--plugin", "--base", "HEAD"]);
    let wanted = "1 Job runs again.\n\n\
                  WHEN         OBJECT   NEXT SYNC                          WHY\n\
                  Sync  0  ~   migrate  runs again, as migrate-8f688hf8bc  image `shop`: `1.4.1` → `1.4.2`\n\n\
                  Starts on merge if auto-sync is on.\n";
    assert_eq!((told.text().as_str(), told.stderr.as_str(), told.status), (wanted, "", Some(0)));
    let told = run(&root, &["preview", "--plugin", "apps/shop", "--base", "HEAD", "--exit-code"]);
    assert!(told.text().contains("~   migrate  runs again, as migrate-"), "{}", told.text());
    assert_eq!(told.status, Some(3));
    let told = run(&root, &["check", "--plugin", "apps/shop", "--base", "HEAD", "--deny", "info"]);
    assert_eq!((told.text().as_str(), told.status), ("no new findings\n", Some(0)));
    fs::write(dir.join(".argocd-jobs.yaml"), "stratgy: auto\n").unwrap();
    commit(&root);
    fs::write(dir.join(".argocd-jobs.yaml"), "strategy: auto\n").unwrap();
    let told = run(&root, &["preview", "--plugin", "apps/shop", "--base", "HEAD"]);
    assert!(told.stderr.contains("apps/shop/.argocd-jobs.yaml:1:1: unknown key `stratgy`"), "{}", told.stderr);
    assert!(told.stderr.contains("the error is in `HEAD`, the version to compare with"), "{}", told.stderr);
    assert_eq!(told.status, Some(0), "{}", told.text());
    let told = run(&dir, &["preview", "--plugin", "--base", "--upload-pack=x"]);
    assert_eq!(told.status, Some(2), "{}", told.text());
    assert!(told.stderr.contains("`--upload-pack=x`") && told.stderr.contains("\nhelp: "), "{}", told.stderr);
}

#[test]
fn several_sources_are_not_compared_with_what_is_not_there() {
    let job = fs::read_to_string(case::root().join("preview/base/against-new-image/in/old/m.yaml")).unwrap();
    let scratch = Scratch::new();
    let root = scratch.source();
    for folder in ["apps/shop", "apps/billing"] {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("m.yaml"), &job).unwrap();
    }
    let run = |command: &str, base: &str, path: &str| {
        let mut started = program::program(&root);
        started.args([command, ".", "--base", base]).env("PATH", path);
        let told = program::run(started, b"");
        (told.text(), told.stderr.lines().next().unwrap_or_default().to_owned(), told.status)
    };
    let path = switches::path();
    let path = path.to_str().unwrap();
    for command in ["check", "preview"] {
        let refused = |why: &str| (String::new(), format!(".: {why}"), Some(2));
        assert_eq!(run(command, "HEAD", path), refused("not in a Git repository"));
        commit(&root);
        assert_eq!(run(command, "HEAD", path).2, Some(0));
        assert_eq!(
            run(command, "nonsense", path),
            (
                String::new(),
                "`--base`: `nonsense` is neither a path nor a commit in the repository of `.`".to_owned(),
                Some(2)
            )
        );
        assert_eq!(run(command, "HEAD", ""), refused("no usable `git` on PATH"));
        fs::remove_dir_all(root.join(".git")).unwrap();
    }
}

#[test]
fn a_revision_that_one_repository_lacks_ends_the_run_before_anything_is_rendered() {
    let (one, other) = (Scratch::new(), Scratch::new());
    one.write("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    other.write("seed.yaml", "apiVersion: v1\nkind: List\nitems: []\n");
    for scratch in [&one, &other] {
        commit(&scratch.source());
    }
    one.write("chart/values.yaml", "a: 1\n");
    commit(&one.source());
    let mut command = program::program(&one.source());
    let other = other.source().join("seed.yaml");
    command.args([Path::new("check"), Path::new("chart"), &other, Path::new("--base"), Path::new("HEAD~1")]);
    // The fake helm runs for a minute, so a run that starts it is noticed.
    let tools = Scratch::new();
    let helm = tools.write("helm", "#!/bin/sh\nexec sleep 60\n");
    fs::set_permissions(&helm, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::join_paths([tools.source()].into_iter().chain(std::env::split_paths(&switches::path())));
    command.env("PATH", path.unwrap());
    let start = Instant::now();
    let told = program::run(command, b"");
    assert!(start.elapsed() < Duration::from_secs(50), "it waited for helm");
    let wanted = "`--base`: `HEAD~1` is neither a path nor a commit in the repository of ";
    assert!(told.stderr.starts_with(wanted), "{}", told.stderr);
    assert_eq!((told.text().as_str(), told.status), ("", Some(2)));
}

/// The `git` on the developer's `PATH`.
fn tools() -> Tools {
    switches::programs()
}

fn open(input: Input) -> Source {
    Source::open(input, &Surroundings { tools: tools(), ..Surroundings::default() }).unwrap()
}

fn head(dir: &Path) -> Input {
    Input::Revision { dir: dir.to_owned(), revision: "HEAD".to_owned() }
}

//! How the action gets the program: from the machine, or as an archive from the release workflow.

use std::env::{join_paths, split_paths};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::json;
use text::diff;

use super::checkout::migration;
use super::runner::{Job, Outcome};
use crate::support::switches;

/// A fake `gh`. Its provenance has a line for each archive: the checksum, the repository and the identity of the
/// workflow. The real `gh` reads the same from a certificate (`pkg/cmd/attestation/verify` in cli/cli), and needs no
/// token with `--bundle`.
const GH: &str = "#!/bin/sh
[ \"$1 $2 $4 $6 $8 ${10}\" = 'attestation verify --bundle --hostname --repo --cert-identity' ] && [ -z \"${GH_TOKEN+x}\" ] || exit 3
wanted=\"$(sha256sum <\"$3\" | cut -d ' ' -f 1) $9 ${11}\"
grep -qxF -e \"$wanted\" \"$5\" || { echo \"Error: no attestation for $wanted\"; exit 1; }
";

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A job with the action at the tag of a version, on a machine with `gh`.
fn job(version: &str) -> Job {
    let mut job = Job::new();
    job.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    job.inputs.remove("binary");
    job.copy_action(version);
    let tools = job.scratch.source().parent().unwrap().join("tools");
    executable(&tools.join("gh"), GH);
    job.path = join_paths([tools].into_iter().chain(split_paths(&switches::path()))).unwrap();
    job
}

fn archive(version: &str) -> String {
    format!("argocd-jobs-{version}-x86_64-unknown-linux-gnu.tar.gz")
}

/// Publishes a version below a path of the server, as the release workflow of its tag does: an archive with a program
/// that prints its version, and the provenance. Returns the checksum.
fn publish(job: &Job, below: &str, version: &str) -> String {
    let dir = job.scratch.source().parent().unwrap().join(version);
    executable(
        &dir.join("inside/argocd-jobs"),
        &format!("#!/bin/sh\n[ $1 = --version ] && echo argocd-jobs {version}\ntrue\n"),
    );
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&dir).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    run("tar", &["-czf", "archive", "inside"]);
    let sum = run("sha256sum", &["archive"]).split(' ').next().unwrap().to_owned();
    let identity = format!("{}/acme/argocd-jobs/.github/workflows/release.yml@refs/tags/v{version}", job.server.url);
    let provenance = format!("{sum} acme/argocd-jobs {identity}\n");
    job.server.with(|content| {
        let path = |name: &str| format!("{below}/v{version}/{name}");
        content.files.insert(path(&archive(version)), fs::read(dir.join("archive")).unwrap());
        content.files.insert(path(&format!("argocd-jobs-{version}.intoto.jsonl")), provenance.into());
    });
    sum
}

const RELEASES: &str = "/acme/argocd-jobs/releases/download";

/// Checks that the action ends with status 2 and prints this message, in the log and in the comment.
fn refuses(job: &Job, wanted: &str) -> Outcome {
    let outcome = job.run();
    assert!(outcome.status == 2 && outcome.log.contains(wanted), "{wanted}: {outcome:?}");
    assert!(!outcome.ran.contains(&"check".to_owned()), "{outcome:?}");
    let comment = job.server.comments().remove(0);
    assert!(comment.starts_with("### argocd-jobs could not do its work\n\n    error: "), "{comment}");
    job.server.with(|content| content.comments.clear());
    outcome
}

#[test]
fn the_action_runs_from_the_tag_of_a_release() {
    // A workflow at this commit gets the same as at its tag: nothing else has to be committed or merged first.
    let job = job(env!("CARGO_PKG_VERSION"));
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let published = format!("{}/acme/argocd-jobs", job.server.url);
    fs::write(job.action.join("Cargo.toml"), manifest.replace(env!("CARGO_PKG_REPOSITORY"), &published)).unwrap();
    publish(&job, RELEASES, env!("CARGO_PKG_VERSION"));
    let outcome = job.run();
    let said = concat!("argocd-jobs ", env!("CARGO_PKG_VERSION"), "\n");
    assert!(outcome.status == 0 && outcome.log.starts_with(said), "{outcome:?}");
}

#[test]
fn nothing_is_published_so_nothing_is_downloaded() {
    let mut job = job("0.9.0");
    let manifest = "version = \"0.9.0\"\nrepository = \"https://git.example.com/platform/argocd-jobs\"\n";
    fs::write(job.action.join("Cargo.toml"), manifest).unwrap();
    job.github["event_name"] = json!("push");
    let outcome = job.run();
    assert_eq!((outcome.status, outcome.ran.join(" ")), (2, "install report summary".to_owned()), "{outcome:?}");
    let wanted = "::error title=argocd-jobs::argocd-jobs is not published yet%0Ahelp: build it in a step before this one, and set `binary` to it\n";
    assert!(outcome.log == wanted, "{}", diff::unified(wanted, &outcome.log, "wanted", "got", 2));
    assert!(job.server.methods().is_empty());
}

#[test]
fn the_archive_has_to_be_what_the_release_workflow_has_built() {
    let mut job = job("0.9.0");
    refuses(&job, "::error title=argocd-jobs::cannot download http");
    publish(&job, RELEASES, "0.9.0");
    let path = format!("{RELEASES}/v0.9.0/{}", archive("0.9.0"));
    let good = job.server.with(|content| content.files[&path].clone());
    assert_eq!(job.run().status, 0);

    // One byte more; the archive of another version under this name; the provenance of another workflow; no
    // provenance.
    let cannot =
        "cannot verify that argocd-jobs-0.9.0-x86_64-unknown-linux-gnu.tar.gz is what the release workflow of http";
    job.server.with(|content| content.files.get_mut(&path).unwrap().push(0));
    assert!(refuses(&job, cannot).log.contains("Error: no attestation for "));
    publish(&job, RELEASES, "0.8.0");
    job.server.with(|content| {
        let of = |version: &str, name: &str| format!("{RELEASES}/v{version}/{name}");
        let old = content.files[&of("0.8.0", &archive("0.8.0"))].clone();
        content.files.insert(path.clone(), old);
        let old = content.files[&of("0.8.0", "argocd-jobs-0.8.0.intoto.jsonl")].clone();
        content.files.insert(of("0.9.0", "argocd-jobs-0.9.0.intoto.jsonl"), old);
    });
    refuses(&job, cannot);
    publish(&job, RELEASES, "0.9.0");
    job.server.with(|content| {
        let provenance = content.files.get_mut(&format!("{RELEASES}/v0.9.0/argocd-jobs-0.9.0.intoto.jsonl")).unwrap();
        *provenance = String::from_utf8(provenance.clone()).unwrap().replace("release.yml", "other.yml").into();
    });
    refuses(&job, cannot);
    job.server.with(|content| content.files.retain(|path, _| !path.ends_with(".jsonl")));
    refuses(&job, "argocd-jobs-0.9.0.intoto.jsonl");

    // A mirror may be used, but only a valid URL of one.
    publish(&job, "/mirror", "0.9.0");
    job.inputs.insert("download-url".to_owned(), format!("{}/mirror", job.server.url));
    assert_eq!(job.run().status, 0);
    job.server.with(|content| content.comments.clear());
    fs::create_dir_all(job.action.join("v0.9.0")).unwrap();
    fs::write(job.action.join("v0.9.0").join(archive("0.9.0")), good).unwrap();
    job.inputs.insert("download-url".to_owned(), format!("file://{}", job.action.display()));
    refuses(&job, "cannot download file:");
}

#[test]
fn a_machine_without_gh_needs_the_checksum() {
    let mut job = job("0.9.0");
    let sum = publish(&job, RELEASES, "0.9.0");
    // All programs of this machine except `gh`.
    let tools = job.scratch.source().parent().unwrap().join("without-gh");
    fs::create_dir(&tools).unwrap();
    for entry in split_paths(&switches::path()).filter_map(|folder| fs::read_dir(folder).ok()).flatten() {
        let entry = entry.unwrap();
        if entry.file_name() != "gh" {
            drop(symlink(entry.path(), tools.join(entry.file_name())));
        }
    }
    job.path = tools.into();
    let outcome = refuses(
        &job,
        "::error title=argocd-jobs::the archive is verified with `gh`, which this machine does not have%0Ahelp: ",
    );
    assert!(outcome.log.contains("set `sha256` to the checksum of the archive"), "{outcome:?}");
    job.inputs.insert("sha256".to_owned(), sum.clone());
    assert_eq!(job.run().status, 0);
    job.server.with(|content| content.comments.clear());
    job.inputs.insert("sha256".to_owned(), sum.replace(|digit| digit != '0', "0"));
    refuses(&job, "is not the archive that you expect");
}

#[test]
fn the_version_is_that_of_the_action_unless_another_is_asked_for() {
    let mut job = job("0.10.0");
    for version in ["0.9.0", "0.10.0", "0.10.1-rc.1", "0.11.0"] {
        publish(&job, RELEASES, version);
    }
    for (asked, got) in [
        ("", "0.10.0"),
        ("0.10.1-rc.1", "0.10.1-rc.1"),
        ("0.9.0", "0.9.0"),
        ("0.1", ""),
        ("v0.9.0", ""),
        ("../v0.9.0", ""),
        ("0.9.0-x86_64/..", ""),
    ] {
        job.inputs.insert("version".to_owned(), asked.to_owned());
        let outcome = job.run();
        assert_eq!(outcome.status == 0, !got.is_empty(), "{asked}: {outcome:?}");
        assert_eq!(outcome.log.starts_with(&format!("argocd-jobs {got}\n")), !got.is_empty(), "{asked}: {outcome:?}");
    }
}

#[test]
fn a_program_of_the_machine_has_to_be_this_one() {
    for (binary, wanted) in [
        ("no/such/program", "there is no program `no/such/program`"),
        ("cd", "there is no program `cd`"),
        ("git", "is not an argocd-jobs that runs on this machine"),
        ("a/x.yaml", "there is no program `a/x.yaml`"),
    ] {
        let mut job = job("0.9.0");
        job.inputs.insert("binary".to_owned(), binary.to_owned());
        refuses(&job, wanted);
    }
    // On `PATH`, as in the documentation.
    let mut job = job("0.9.0");
    executable(&job.scratch.source().parent().unwrap().join("tools/argocd-jobs"), "#!/bin/sh\necho argocd-jobs 1\n");
    job.inputs.insert("binary".to_owned(), "argocd-jobs".to_owned());
    let outcome = job.run();
    assert!(outcome.log.starts_with("argocd-jobs 1\n") && outcome.ran.contains(&"check".to_owned()), "{outcome:?}");
}

#[test]
fn it_does_not_run_where_a_stranger_would_get_a_token() {
    let mut job = Job::new();
    job.push(&[("a/x.yaml", migration("a:1"))], &[]);
    job.github["event_name"] = json!("pull_request_target");
    let outcome = job.run();
    assert_eq!((outcome.status, outcome.ran.as_slice()), (2, &["install".to_owned()][..]), "{outcome:?}");
    assert!(outcome.log.contains("this action does not run on `pull_request_target`"), "{outcome:?}");
}

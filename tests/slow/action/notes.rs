//! The note on a merge request: there is one, which is edited later and never says what is no longer true.

use super::checkout::migration;
use super::gitlab::Pipeline;

#[test]
fn the_first_pipeline_writes_the_note_and_the_second_edits_it() {
    let pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    // Another user has copied a note.
    let (status, log) = pipeline.run_both();
    assert_eq!(status, 0, "{log}");
    let [note] = pipeline.job.server.comments().try_into().unwrap();
    assert_eq!(note.lines().next(), Some("### `a` runs 1 Job"));
    assert!(note.trim_end().lines().last().unwrap().starts_with("<!-- argocd-jobs: note "), "{note}");
    assert_eq!(pipeline.job.server.methods(), ["GET", "GET", "POST"]);
    pipeline.run_both();
    assert_eq!(pipeline.job.server.methods(), ["GET", "GET", "PUT"]);

    pipeline.job.server.with(|content| content.comments[0]["author"]["id"] = 2.into());
    pipeline.run_both();
    assert_eq!(pipeline.job.server.comments().len(), 2, "the note of another user is not edited");
}

#[test]
fn a_note_that_cannot_be_written_is_a_warning() {
    let pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    assert_eq!(pipeline.run("argocd-jobs").0, 0);
    for status in [401, 403, 404, 422] {
        pipeline.job.server.with(|content| content.refuses = Some(status));
        let (ended, log) = pipeline.run("argocd-jobs-note");
        assert!(
            ended == 0 && log.contains(&format!("warning: GitLab did not take the note (status {status})\nhelp: "))
        );
        assert_eq!(log.contains("scope `api`"), status < 405, "{log}");
        assert_eq!(pipeline.job.server.methods(), ["GET"], "{status}");
    }
    for status in [429, 503] {
        pipeline.job.server.with(|content| content.refuses = Some(status));
        let (ended, log) = pipeline.run("argocd-jobs-note");
        assert!(ended == 0 && log.contains(&format!("(status {status})")), "{log}");
        assert_eq!(pipeline.job.server.methods(), ["GET"; 3], "{status}: what is asked for is asked for again");
    }
}

#[test]
fn a_note_never_stays_when_the_next_pipeline_cannot_look() {
    let mut pipeline = Pipeline::new(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    assert_eq!(pipeline.run_both().0, 0);
    pipeline.base = "1".repeat(40);
    let (status, log) = pipeline.run_both();
    let note = pipeline.job.server.comments().remove(0);
    let wanted = "    error: the base of the merge request cannot be fetched\n    help: set `GIT_DEPTH: 0`";
    assert!(status == 2 && note.contains(wanted) && !note.contains("again"), "{note}{log}");
    // The job ends before the program is installed.
    pipeline.inputs.insert("download-url", "http://127.0.0.1:1/archive".into());
    let (status, log) = pipeline.run_both();
    let note = pipeline.job.server.comments().remove(0);
    assert!(status != 0 && note.starts_with("### argocd-jobs could not do its work\n\n    see the log"), "{note}{log}");
}

//! The examples of the page: each shows the finding that its file is named for.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use playground::{Base, Command, Format, Request, answer};

#[test]
fn each_example_shows_what_it_is_named_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/playground/examples");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
        let Some(id) = name.strip_suffix(".yaml").filter(|id| !id.ends_with(".before")) else { continue };
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let files = [("manifest.yaml".to_owned(), text)].into();
        let found = answer(&Request { format: Format::Json, files, ..Request::default() }).text;
        assert!(found.contains(&format!("\"id\": \"{id}\"")), "{name}: {found}");
        seen += 1;
    }
    assert_eq!(seen, 6);
}

/// The plan with a change is about both versions.
#[test]
fn a_version_to_compare_with_is_read() {
    let job = |image: &str| {
        let job = format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec: {{template: {{spec: {{containers: [{{name: a, image: '{image}'}}]}}}}}}\n"
        );
        [("job.yaml".to_owned(), job)].into()
    };
    let base = Some(Base { files: job("a:1"), ..Base::default() });
    let request = Request { command: Command::Preview, files: job("a:2"), base, ..Request::default() };
    let text = answer(&request).text;
    assert!(text.starts_with("The sync fails"), "{text}");
}

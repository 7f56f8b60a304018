//! What the fuzz targets have in common: the laws of the suite, a mutator that knows manifests, and inputs of several files.

#[path = "../../tests/laws/mod.rs"]
#[allow(dead_code, reason = "the suite asks for more")]
mod laws;

pub mod checked;
pub mod escapes;
pub mod globs;
pub mod input;
pub mod judge;
pub mod mutator;
pub mod numbers;
#[path = "../../crates/goyaml/tests/oracle/recorded.rs"]
pub mod recorded;
pub mod rendered;

/// The laws about `generate`.
pub mod generate {
    use kube_jobs::argocd::Application;
    use source::Source;

    use crate::input::Input;
    use crate::laws::generate as law;

    /// The first law that an input breaks.
    pub fn broken(input: &Input) -> Option<String> {
        if let Some(files) = &input.files {
            return of_files(files, input);
        }
        let bytes = &input.stream;
        let strategy = input.strategy.as_deref().unwrap_or("auto");
        [
            ("a bad end", law::ends_badly(bytes)),
            ("keep changes something", law::keep_changes(bytes)),
            ("a second run changes something", law::own_output_changes(bytes, strategy)),
            ("something outside of Jobs changes", law::line_outside_jobs_changes(bytes)),
        ]
        .into_iter()
        .find_map(|(name, complaint)| complaint.map(|complaint| format!("{name}: {complaint}")))
    }

    /// What `generate` prints for a stream, or else for a directory: status, standard output, standard error.
    pub fn run(
        stream: Option<Vec<u8>>,
        files: Vec<(String, Vec<u8>)>,
        strategy: Option<&str>,
        application: Option<String>,
    ) -> (i32, Vec<u8>, String) {
        let source = stream.map_or_else(|| Source::files(files), Source::stream);
        let application = Application { name: application, ..Application::default() };
        let output = law::generate_from(source, strategy, application);
        (output.status.unwrap_or(101), output.stdout, output.stderr)
    }

    /// The output of a directory is read by the program as what it is.
    fn of_files(files: &[(String, Vec<u8>)], input: &Input) -> Option<String> {
        let run = || {
            let application = Application { name: input.application.clone(), ..Application::default() };
            law::generate_from(Source::files(files.to_vec()), input.strategy.as_deref(), application)
        };
        let once = run();
        if once.status != Some(0) {
            return (!once.stdout.is_empty() || once.stderr.is_empty()).then(|| format!("{once:?}"));
        }
        if run().stdout != once.stdout {
            return Some("two runs differ".to_owned());
        }
        let keep = law::generate(&once.stdout, Some("keep"));
        let says_keep = memchr::memmem::find(&once.stdout, b"argocd-jobs/strategy").is_some();
        let may_be_empty = once.stdout.iter().all(u8::is_ascii_whitespace);
        (!says_keep && !may_be_empty && keep.status != Some(0))
            .then(|| format!("the output is refused: {}\n{}", keep.stderr, once.text()))
    }
}

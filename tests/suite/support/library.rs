//! `generate` through the library: thousands of inputs need no process each. [`tests`] holds that the program prints the same.

use argocd_jobs::argocd::Application;
use argocd_jobs::settings::{CliParameter, RawLayers};
use argocd_jobs::source::Source;
use argocd_jobs::version::Version;

use super::program::Output;

/// What `generate - --strategy <strategy>` prints for `bytes` on standard input, and how it ends. Without a strategy it is `generate -`.
pub(crate) fn generate(bytes: &[u8], strategy: Option<&str>) -> Output {
    match try_generate(bytes, strategy) {
        Ok(stdout) => Output { stdout, stderr: String::new(), status: Some(0) },
        Err(stderr) => Output { stdout: Vec::new(), stderr, status: Some(2) },
    }
}

fn try_generate(bytes: &[u8], strategy: Option<&str>) -> Result<Vec<u8>, String> {
    let typed =
        |value: &str| CliParameter { name: "strategy".into(), written: "--strategy".into(), value: value.into() };
    let typed: Vec<CliParameter> = strategy.map(typed).into_iter().collect();
    let texts = RawLayers { command_line: &typed, ..RawLayers::default() };
    let version =
        Version::read(Source::stream(bytes), &texts, Application::default()).map_err(|error| error.to_string())?;
    let plan = version.plan().map_err(|problems| problems[0].to_string())?;
    Ok(version.text(&plan).into_bytes())
}

mod tests {
    use super::generate;
    use crate::support::inputs::{self, Input, hold_for_all};
    use crate::support::program;

    /// How many inputs there are for each one that is run through the program too.
    const SAMPLE: usize = 25;

    #[test]
    fn the_program_prints_what_the_library_returns() {
        let sample: Vec<Input> = inputs::all().into_iter().step_by(SAMPLE).collect();
        assert!(sample.len() > 40, "only {} inputs", sample.len());
        hold_for_all(&sample, |input| {
            let (library, program) =
                (generate(&input.bytes, Some("hook")), program::generate(&input.bytes, &["--strategy", "hook"]));
            let is_same = library.stdout == program.stdout
                && library.status == program.status
                && program.stderr.trim_end().starts_with(&library.stderr);
            (!is_same).then(|| format!("{}: {library:?}\n{program:?}", input.name))
        });
    }
}

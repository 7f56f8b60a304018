//! What was typed for `argocd-jobs preview`.

use anyhow::{Result, anyhow};
use clap::{ArgMatches, ValueEnum};
use deployment::{Environment, Run, build_options};
use report::show::Show;
use text::Message;

use crate::cli::flags::{When, choice, value};
use crate::cli::{arguments, terminal};

choice! {
    /// How a preview is printed.
    pub(in crate::cli) Format { Text = "text", Json = "json", Markdown = "markdown" }
}

/// What was typed.
pub(super) struct Arguments {
    pub(super) run: Run,
    pub(super) format: Format,
    /// When the diff of the rewrite is shown.
    pub(super) diff: When,
    pub(super) all: bool,
    pub(super) color: When,
    /// Whether a change alone makes the exit status 1.
    pub(super) exit_code: bool,
}

impl Arguments {
    pub(super) fn of(matches: &ArgMatches, environment: &Environment) -> Result<Self> {
        let mut run = arguments::run(matches, environment)?;
        run.check_plugin()?;
        build_options::settle(&mut run);
        Ok(Self {
            run,
            format: value(matches, "format"),
            diff: value(matches, "diff"),
            all: matches.get_flag("all"),
            color: value(matches, "color"),
            exit_code: matches.get_flag("exit-code"),
        })
    }

    /// An error if the format is one of `refused`, which a flag does not have.
    pub(super) fn refuse_formats(&self, flag: &str, refused: &[Format], help: &str) -> Result<()> {
        let name = self.format.to_possible_value();
        let Some(name) = name.filter(|_| refused.contains(&self.format)) else { return Ok(()) };
        Err(anyhow!(Message::new(format!("`--{flag}` has no format `{}`", name.get_name())).help(help)))
    }

    /// How text looks.
    pub(super) fn show(&self) -> Show {
        Show {
            paint: terminal::paint(&self.run.environment, self.color),
            width: terminal::width(&self.run.environment),
            all: self.all,
            only_new: self.run.base.is_some(),
            ..Show::default()
        }
    }
}

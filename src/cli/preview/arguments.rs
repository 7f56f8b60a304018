//! What was typed for `argocd-jobs preview`.

use anyhow::{Result, anyhow};
use clap::{ArgMatches, ValueEnum};
use deployment::{Environment, Run, build_options};
use kube_jobs::argocd::Version as ArgoCd;
use report::paint::Ink;
use report::show::Show;
use text::Message;

use crate::cli::flags::{When, choice, value};
use crate::cli::{arguments, terminal};

choice! {
    /// How a preview is printed.
    pub(in crate::cli) Format { Text = "text", Json = "json", Markdown = "markdown" }
}

/// What was typed.
pub(in crate::cli) struct Arguments {
    pub(super) run: Run,
    pub(super) format: Format,
    /// When the diff of the rewrite is shown.
    pub(super) diff: When,
    pub(super) all: bool,
    pub(super) color: When,
    /// Whether a change alone makes the exit status 1.
    pub(super) exit_code: bool,
    /// The old version of Argo CD and the new one, if they are compared.
    pub(super) upgrade: Option<[ArgoCd; 2]>,
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
            upgrade: None,
        })
    }

    /// What was typed for `upgrade` from the first of these versions to the second.
    pub(in crate::cli) fn of_upgrade(matches: &ArgMatches, run: Run, versions: [ArgoCd; 2]) -> Self {
        let base_called = Some(format!("Argo CD {}", versions[0]));
        Self {
            run: Run { base_called, ..run },
            format: value(matches, "format"),
            diff: When::Never,
            all: matches.get_flag("all"),
            color: value(matches, "color"),
            exit_code: false,
            upgrade: Some(versions),
        }
    }

    /// Whether two versions are compared.
    pub(super) fn is_compared(&self) -> bool {
        self.run.base.is_some() || self.upgrade.is_some()
    }

    /// The line above the preview of an upgrade: the versions of Argo CD.
    pub(super) fn heading(&self) -> String {
        match (self.upgrade, self.format) {
            (Some([old, new]), Format::Text) => self.show().inked(Ink::Faint, &format!("Argo CD {old} → {new}")),
            (Some([old, new]), _) => format!("**Argo CD {old} → {new}**\n\n"),
            (None, _) => String::new(),
        }
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
            only_new: self.is_compared(),
            ..Show::default()
        }
    }
}

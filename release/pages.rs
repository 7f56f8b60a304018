//! Writes the manual pages that the released archives have: `cargo run --example pages -- DIR` puts one for the program and one for each
//! subcommand into DIR. The command line is compiled a second time for it, so that the program does not carry the generator.

#[allow(dead_code, unused_imports, reason = "of the program only the command line is needed here")]
#[path = "../src/cli/mod.rs"]
mod cli;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use clap::Command;
use clap_mangen::Man;
use system::PathText;

fn main() -> ExitCode {
    let written = match env::args_os().nth(1).map(PathBuf::from) {
        Some(folder) => write(&folder).map_err(|error| format!("{}: {error}", folder.shown())),
        None => Err("name a folder: `cargo run --example pages -- DIR`".to_owned()),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nothing can be done about a closed standard error.
            let _ = writeln!(io::stderr(), "{message}");
            ExitCode::from(2)
        }
    }
}

/// Writes `argocd-jobs.1`, `argocd-jobs-check.1` and so on into a folder.
fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut program = cli::command();
    program.build();
    for subcommand in program.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        let name = format!("argocd-jobs-{}", subcommand.get_name());
        fs::write(folder.join(format!("{name}.1")), page(subcommand.clone(), &name)?)?;
    }
    fs::write(folder.join("argocd-jobs.1"), page(program, "argocd-jobs")?)
}

/// The page of a command. `Man::render` would name every flag in the synopsis, and `check` has more than seventy.
fn page(mut command: Command, name: &str) -> io::Result<Vec<u8>> {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
    let has_subcommands = command.has_subcommands();
    let man = Man::new(command.display_name(name.to_owned()))
        .title(name.to_uppercase())
        .source(concat!("argocd-jobs ", env!("CARGO_PKG_VERSION")))
        .manual("argocd-jobs");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    writeln!(text, ".SH SYNOPSIS\n{usage}")?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if has_subcommands {
        man.render_subcommands_section(&mut text)?;
    }
    let mut end = Vec::new();
    man.render_extra_section(&mut end)?;
    let end = String::from_utf8_lossy(&end).replacen(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n", 1);
    text.extend_from_slice(end.as_bytes());
    Ok(text)
}

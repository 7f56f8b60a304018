#![doc = include_str!("../README.md")]
//!
//! A text is split into tokens (`lex.rs`) and parsed into nodes (`parse.rs`), and the nodes are executed (`exec.rs`). Values are
//! those of Go (`value.rs`), such as maps that `set` changes. The limits are in `error.rs`.

mod error;
mod exec;
mod format;
mod functions;
mod lex;
mod literal;
mod nodes;
mod parameters;
mod parse;
pub mod semver;
#[cfg(test)]
mod tests;
mod value;

use std::cell::Cell;

pub use self::error::{Error, WORK_OF_A_SET};
use self::error::{Result, Work, failed};
use self::exec::{Execution, Missing};
pub use self::parameters::Parameters;
use self::value::Value;

/// The output of `template` for `parameters`, in Argo CD 3.`minor` with `goTemplate: true` and these
/// `goTemplateOptions`. Subtracts its work from the work `left` for the set.
pub fn render(
    template: &str,
    parameters: &Parameters,
    options: &[String],
    minor: u16,
    left: &Cell<u64>,
) -> Result<String> {
    let work = Work::new(left.get());
    let printed = run(template, parameters, options, minor, &work);
    left.set(left.get() - work.spent());
    printed
}

fn run(template: &str, parameters: &Parameters, options: &[String], minor: u16, work: &Work) -> Result<String> {
    let missing = missing_key(options)?;
    work.text(template.len(), 16)?;
    let mut templates = nodes::Templates::new();
    let is_function = if minor < 6 { |name: &str| name != "tpl" && functions::exists(name) } else { functions::exists };
    parse::parse(template, &mut templates, is_function)?;
    Execution::new(&templates, missing, work).run(Value::from_parameters(parameters))
}

/// The last option wins. Go panics on an unknown option.
fn missing_key(options: &[String]) -> Result<Missing> {
    let mut missing = Missing::Invalid;
    for option in options {
        missing = match option.as_str() {
            "missingkey=default" | "missingkey=invalid" => Missing::Invalid,
            "missingkey=zero" => Missing::Zero,
            "missingkey=error" => Missing::Error,
            other => return failed(format!("unrecognized option: {other}")),
        };
    }
    Ok(missing)
}

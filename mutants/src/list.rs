//! The mutants: what cargo-mutants lists, with names that stay when lines move, and the fixed sample.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// The version whose list of mutants the sample is made of. Another one may know other mutants.
const TOOL: &str = "27.1.0";

/// How many mutants of each module of `src/` are in the sample; `usize::MAX` for all.
const SAMPLE: [(&str, usize); 8] = [
    ("src/hash.rs", usize::MAX),
    ("src/kubernetes/immutability.rs", usize::MAX),
    ("src/kubernetes/", 100),
    ("src/plan/", 100),
    ("src/settings/", 100),
    ("src/source/", 100),
    ("src/strategy/", 100),
    ("src/yaml/", 100),
];

/// A line and a column, from 1.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Span {
    pub start: Position,
    pub end: Position,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Function {
    pub return_type: String,
}

/// A mutant, as cargo-mutants describes it.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    /// With line and column.
    pub name: String,
    pub file: String,
    pub genre: String,
    pub replacement: String,
    pub span: Span,
    pub function: Option<Function>,
    /// Without line and column, and numbered where a function has more of the kind: it stays when other code changes.
    #[serde(default)]
    pub key: String,
}

/// All mutants of the project at `root`, in the order of the files. `kept` holds the list of the last time, for as long as `sources` is
/// what it is of: listing takes seconds.
pub fn all(root: &Path, kept: &Path, sources: u64) -> Result<Vec<Mutant>, Box<dyn Error>> {
    let version = cargo_mutants(root, &["--version"])?;
    if version.trim() != format!("cargo-mutants {TOOL}") {
        eprintln!("warning: the sample is made with cargo-mutants {TOOL}, and this is {}", version.trim());
    }
    let kept = kept.join(format!("list-{sources:016x}.json"));
    let text = match fs::read_to_string(&kept) {
        Ok(text) => text,
        Err(_) => cargo_mutants(root, &["--list", "--json"])?,
    };
    let mut found: Vec<Mutant> = serde_json::from_str(&text)?;
    fs::write(kept, text)?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    for mutant in &mut found {
        let place = format!("{}:{}:{}: ", mutant.file, mutant.span.start.line, mutant.span.start.column);
        let what = mutant.name.strip_prefix(&place).ok_or_else(|| format!("no place in {:?}", mutant.name))?;
        let plain = format!("{}: {}", mutant.file, what.split_whitespace().collect::<Vec<_>>().join(" "));
        let count = seen.entry(plain.clone()).or_default();
        *count += 1;
        mutant.key = if *count == 1 { plain } else { format!("{plain} #{count}") };
    }
    Ok(found)
}

fn cargo_mutants(root: &Path, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new("cargo").arg("mutants").args(arguments).current_dir(root).output()?;
    if !output.status.success() {
        let needed = format!("this needs cargo-mutants: cargo install cargo-mutants --locked --version {TOOL}");
        return Err(format!("{}\n{needed}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The fixed sample: of each module the mutants whose names have the smallest hashes. A change of the code takes the mutants of what it
/// removes out and may put some of its own in; the others stay. First the modules of which all are in it, and then in the order of the
/// hashes, so that a part of it is a sample too.
pub fn sample(all: &[Mutant]) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut whole = 0;
    for (place, count) in SAMPLE {
        let mut of_module: Vec<usize> =
            (0..all.len()).filter(|index| all[*index].file.starts_with(place) && !chosen.contains(index)).collect();
        of_module.sort_by_key(|index| hash(&all[*index].key));
        of_module.truncate(count);
        chosen.extend(of_module);
        if count == usize::MAX {
            whole = chosen.len();
        }
    }
    in_order_of_hashes(all, &mut chosen[whole..]);
    chosen
}

pub fn in_order_of_hashes(all: &[Mutant], chosen: &mut [usize]) {
    chosen.sort_by_key(|index| hash(&all[*index].key));
}

/// FNV-1a with a last mixing: the same on every machine and with every compiler.
pub fn hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

/// The files below `src/` that differ from the revision `base`.
pub fn changed_files(root: &Path, base: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let output = Command::new("git").args(["diff", "--name-only", base, "--", "src"]).current_dir(root).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

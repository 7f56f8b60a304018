//! The program with mutants in it: a copy of the project, and how cargo builds it.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::list::{self, Mutant};
use crate::switch::{self, BEGIN, END, Offsets};

/// What is written into the copy as `src/mutant.rs`.
const SWITCH: &str = include_str!("mutant.rs.txt");
/// What is not copied, or copied in another way.
const NOT_LINKED: [&str; 5] = ["src", "target", ".git", "mutants", "mutants.out"];

/// The programs that are run.
pub struct Program {
    pub program: PathBuf,
    pub unit_tests: PathBuf,
    /// `tests/suite/`, once it is needed.
    pub suite: Option<PathBuf>,
}

/// A copy of the project, in which only `src/` is a copy and all else are links.
pub struct Copy {
    root: PathBuf,
    dir: PathBuf,
    target: PathBuf,
}

/// What is not behind a switch.
pub struct LeftOut {
    /// What does not compile in any other way either.
    pub unviable: BTreeSet<usize>,
    /// What has to be compiled alone.
    pub alone: BTreeSet<usize>,
}

/// The mutants that an error of the compiler is about.
enum At {
    /// The error is in the text of this one.
    Innermost(usize),
    /// One of these seems to be the cause.
    Near(Vec<usize>),
}

/// What a build came to.
enum Built {
    Yes,
    /// The places of the errors: file, first and last byte, and the message.
    No(Vec<(String, usize, usize, String)>),
}

impl Copy {
    pub fn new(root: &Path, dir: PathBuf, target: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&dir)?;
        for entry in fs::read_dir(root)? {
            let name = entry?.file_name();
            let link = dir.join(&name);
            if !NOT_LINKED.iter().any(|other| name == *other) && fs::symlink_metadata(&link).is_err() {
                symlink(root.join(&name), link)?;
            }
        }
        Ok(Self { root: root.to_owned(), dir, target })
    }

    /// Writes all mutants of `chosen` that compile behind a switch, builds the program, and returns it with those that do not compile.
    pub fn with_switches(&self, all: &[Mutant], chosen: &[usize]) -> Result<(Program, LeftOut), Box<dyn Error>> {
        let mut left_out: BTreeSet<usize> = BTreeSet::new();
        let mut unviable: BTreeSet<usize> = BTreeSet::new();
        for round in 1.. {
            let written = self.write(all, chosen, &mut left_out)?;
            // The unit tests last: what compiles without them compiles with them.
            let Built::No(errors) = self.cargo(&["check", "--bins"])? else { break };
            let before = left_out.len();
            for (file, start, end, message) in &errors {
                let place = written.get(file).map_or(At::Near(Vec::new()), |text| mutants_at(text, *start, *end));
                match place {
                    // A value of a wrong type is one without a switch, too. A constant function may be right without one.
                    At::Innermost(mutant) if all[mutant].genre == "FnValue" && !message.contains("in constant ") => {
                        unviable.insert(mutant);
                        left_out.insert(mutant);
                    }
                    At::Innermost(mutant) => {
                        left_out.insert(mutant);
                    }
                    At::Near(found) if found.is_empty() => {
                        eprintln!("{file}: an error outside of all mutants: {message}");
                    }
                    At::Near(found) => left_out.extend(found),
                }
            }
            eprintln!("round {round}: {} mutants do not compile behind a switch", left_out.len());
            if left_out.len() == before {
                return Err("the program with mutants does not compile".into());
            }
        }
        let alone = left_out.difference(&unviable).copied().collect();
        Ok((self.build()?.ok_or("the program with mutants does not compile")?, LeftOut { unviable, alone }))
    }

    /// Writes one mutant as cargo-mutants would, and builds the program; `None` when it does not compile.
    pub fn with_one(&self, mutant: &Mutant) -> Result<Option<Program>, Box<dyn Error>> {
        self.write(&[], &[], &mut BTreeSet::new())?;
        let text = fs::read_to_string(self.root.join(&mutant.file))?;
        let offsets = Offsets::of(&text);
        let (start, end) = (offsets.byte(&text, mutant.span.start), offsets.byte(&text, mutant.span.end));
        write_if_other(
            &self.dir.join(&mutant.file),
            &format!("{}{}{}", &text[..start], mutant.replacement, &text[end..]),
        )?;
        if matches!(self.cargo(&["check", "--bins"])?, Built::No(_)) {
            return Ok(None);
        }
        self.build()
    }

    /// Builds both programs, with what is in the copy.
    fn build(&self) -> Result<Option<Program>, Box<dyn Error>> {
        for arguments in [["build", "--bins"].as_slice(), &["test", "--lib", "--no-run"]] {
            if let Built::No(errors) = self.cargo(arguments)? {
                errors.iter().for_each(|(file, _, _, message)| eprintln!("{file}: {message}"));
                return Ok(None);
            }
        }
        let debug = self.target.join("debug");
        let unit_tests = newest(&debug.join("deps"), "argocd_jobs-")?;
        Ok(Some(Program { program: debug.join("argocd-jobs"), unit_tests, suite: None }))
    }

    /// Builds the suite, with what is in the copy.
    pub fn suite(&self) -> Result<PathBuf, Box<dyn Error>> {
        match self.cargo(&["test", "--test", "suite", "--no-run"])? {
            Built::Yes => Ok(newest(&self.target.join("debug/deps"), "suite-")?),
            Built::No(_) => Err("the suite does not compile".into()),
        }
    }

    /// Writes `src/`, and returns what is in each file.
    fn write(
        &self,
        all: &[Mutant],
        chosen: &[usize],
        left_out: &mut BTreeSet<usize>,
    ) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
        let mut written = BTreeMap::new();
        let mut files = Vec::new();
        walk(&self.root.join("src"), &mut files)?;
        for path in files {
            let name = path.strip_prefix(&self.root)?.display().to_string();
            if !name.ends_with(".rs") {
                let bytes = fs::read(&path)?;
                let target = self.dir.join(&name);
                if fs::read(&target).ok().as_ref() != Some(&bytes) {
                    fs::create_dir_all(target.parent().ok_or("no folder")?)?;
                    fs::write(target, bytes)?;
                }
                continue;
            }
            let mut text = fs::read_to_string(&path)?;
            let here: Vec<(usize, &Mutant)> = chosen
                .iter()
                .filter(|number| !left_out.contains(number) && all[**number].file == name)
                .map(|number| (*number, &all[*number]))
                .collect();
            if !here.is_empty() {
                let is_program = name == "src/main.rs" || name.starts_with("src/cli/");
                let done = switch::write(&text, &here, if is_program { "argocd_jobs" } else { "crate" })?;
                text = done.text;
                left_out.extend(done.left_out);
            }
            if name == "src/lib.rs" {
                text.push_str("\n#[doc(hidden)]\npub mod mutant;\n");
            }
            write_if_other(&self.dir.join(&name), &text)?;
            written.insert(name, text);
        }
        let count = all.len().max(1);
        write_if_other(&self.dir.join("src/mutant.rs"), &format!("{SWITCH}\nconst COUNT: usize = {count};\n"))?;
        Ok(written)
    }

    fn cargo(&self, arguments: &[&str]) -> Result<Built, Box<dyn Error>> {
        let mut cargo = Command::new("cargo");
        cargo.args(arguments).args(["--locked", "--message-format=json"]).current_dir(&self.dir);
        cargo.env("CARGO_TARGET_DIR", &self.target).env("RUSTFLAGS", "-Awarnings").stderr(Stdio::null());
        let output = cargo.output()?;
        if output.status.success() {
            return Ok(Built::Yes);
        }
        let mut errors = Vec::new();
        for line in String::from_utf8(output.stdout)?.lines() {
            let message: Value = serde_json::from_str(line)?;
            let message = &message["message"];
            if message["level"] != "error" {
                continue;
            }
            let text = message["message"].as_str().unwrap_or_default();
            for span in message["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true) {
                let byte = |name: &str| span[name].as_u64().unwrap_or_default() as usize;
                let file = span["file_name"].as_str().unwrap_or_default().to_owned();
                errors.push((file, byte("byte_start"), byte("byte_end"), text.to_owned()));
            }
        }
        if errors.is_empty() {
            return Err(format!(
                "cargo {} failed in {} without an error that has a place",
                arguments.join(" "),
                self.dir.display()
            )
            .into());
        }
        Ok(Built::No(errors))
    }
}

/// The mutants in whose text the place is, the innermost; else those that begin in the place, as in an expression around them; else the
/// last one before it, as the value of the function whose last line it is.
fn mutants_at(text: &str, start: usize, end: usize) -> At {
    let number = |rest: &str| rest.split('*').next().and_then(|number| number.parse::<usize>().ok());
    let mut open: Vec<usize> = Vec::new();
    let mut inside: Vec<usize> = Vec::new();
    let mut closed: Vec<usize> = Vec::new();
    for (at, _) in text.match_indices("/*mutant") {
        if at > end {
            break;
        }
        let rest = &text[at..];
        if let Some(found) = rest.strip_prefix(BEGIN).and_then(number) {
            if at < start {
                open.push(found);
            } else {
                inside.push(found);
            }
        } else if let Some(found) = rest.strip_prefix(END).and_then(number).filter(|_| at < start) {
            open.retain(|other| *other != found);
            closed.push(found);
        }
    }
    match open.pop() {
        Some(innermost) => At::Innermost(innermost),
        None if inside.is_empty() => At::Near(closed.pop().into_iter().collect()),
        None => At::Near(inside),
    }
}

/// The program in `dir` whose name begins so that was written last.
fn newest(dir: &Path, begin: &str) -> io::Result<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(begin) && path.extension().is_none() {
            found.push(path);
        }
    }
    found.sort_by_key(|path| fs::metadata(path).and_then(|found| found.modified()).ok());
    found.pop().ok_or_else(|| io::Error::other(format!("cargo has built no {begin}")))
}

/// Another number when a file of `src/` is another.
pub fn hash_of_sources(root: &Path) -> io::Result<u64> {
    let mut files = Vec::new();
    walk(&root.join("src"), &mut files)?;
    files.sort();
    let mut all = String::new();
    for file in files {
        all.push_str(&format!("{} {:x}\n", file.display(), list::hash(&String::from_utf8_lossy(&fs::read(&file)?))));
    }
    Ok(list::hash(&all))
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Cargo builds what is newer than before.
fn write_if_other(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

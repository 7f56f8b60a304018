//! Judges mutants of argocd-jobs; see README.md beside `src/`.

mod judge;
mod list;
mod program;
mod results;
mod switch;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use argocd_jobs::source::Tools;
use judge::{Outcome, Tests};
use list::Mutant;
use program::{Copy, Program};
use results::{Explained, Results, Summary};

const USAGE: &str = "\
usage: mutants/run WHAT [--quick] [--shard K/N]

WHAT is
  sample          the fixed sample
  changed [BASE]  the mutants in the files of src/ that differ from BASE (main)
  in TEXT         the mutants whose names contain TEXT
  all             all of them

--quick leaves out the tests of tests/suite/ and the mutants that have to be compiled alone.

What was judged is kept in the target directory, in a file for each shard: a run that was ended goes on where it was. Delete the
folder `judged` there to judge all mutants again; those that were missed are always judged again.

Exit status: 0 all mutants are caught or explained, 1 some are missed, 2 error.";

/// The environment, which is read here alone.
struct Environment(BTreeMap<String, String>);

impl Environment {
    #[expect(clippy::disallowed_methods, reason = "this is the entrance")]
    fn read() -> Self {
        Self(std::env::vars().collect())
    }

    /// The programs that the golden cases may start.
    fn tools(&self) -> Tools {
        Tools::of(&self.0)
    }

    /// Where cargo writes.
    fn target(&self, root: &Path) -> PathBuf {
        self.0.get("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
    }
}

/// What to judge.
struct Wanted {
    numbers: Vec<usize>,
    /// K of N, from 0.
    shard: (usize, usize),
    quick: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<usize, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no project")?;
    let environment = Environment::read();
    let target = environment.target(root).join("mutants");
    if arguments.is_empty() {
        return Err(USAGE.into());
    }
    std::fs::create_dir_all(&target)?;
    let all = list::all(root, &target, program::hash_of_sources(root)?)?;
    let explained = Explained::read(&root.join("mutants/explained.txt"))?;
    for name in explained.stale(&all) {
        eprintln!("explained.txt: this mutant no longer exists: {name}");
    }
    let Wanted { numbers, shard: (shard, shards), quick } = wanted(root, &all, arguments)?;
    let mut results = Results::read(root, &all, &target.join("judged"), &format!("{}-of-{shards}.tsv", shard + 1))?;
    let of_shard: Vec<usize> = numbers.into_iter().skip(shard).step_by(shards).collect();
    let mut new = Vec::new();
    let mut summary = Summary::default();
    for number in &of_shard {
        let mutant = &all[*number];
        match results.get(mutant) {
            Some(outcome) => summary.add(mutant, outcome, false),
            None if explained.has(mutant) => summary.add(mutant, &Outcome::Missed(0), true),
            None => new.push(*number),
        }
    }
    println!("{} mutants, {} of them to be judged", of_shard.len(), new.len());
    if !new.is_empty() {
        judge_all(root, &target, &environment, &all, (&new, quick), |mutant, outcome| {
            results.put(mutant, outcome)?;
            summary.add(mutant, outcome, false);
            if let Outcome::Missed(reaching) = outcome {
                println!("missed, run by {reaching} tests: {} ({})", mutant.key, mutant.name);
            }
            Ok(())
        })?;
    }
    summary.print();
    Ok(summary.missed())
}

/// The tests of `tests/suite/`, which take minutes to record: for what the others miss.
struct Suite<'c> {
    root: &'c Path,
    copy: &'c Copy,
    tests: Option<Tests>,
}

impl Suite<'_> {
    /// Those that pass in the program with switches.
    fn tests(&mut self, program: &mut Program) -> Result<&mut Tests, Box<dyn Error>> {
        if self.tests.is_none() {
            program.suite = Some(self.copy.suite()?);
            self.tests = Some(Tests::record_suite(self.root, program)?);
        }
        self.tests.as_mut().ok_or_else(|| "no suite".into())
    }
}

fn judge_all(
    root: &Path,
    target: &Path,
    environment: &Environment,
    all: &[Mutant],
    (new, quick): (&[usize], bool),
    mut done: impl FnMut(&Mutant, &Outcome) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let copy = Copy::new(root, target.join("switched"), target.join("build"))?;
    let (mut program, left_out) = copy.with_switches(all, new)?;
    println!("built after {} s", start.elapsed().as_secs());
    let mut tests = Tests::record(root, &program, environment.tools())?;
    println!("all tests were run after {} s", start.elapsed().as_secs());
    for number in &left_out.unviable {
        done(&all[*number], &Outcome::Unviable)?;
    }
    let mut missed = Vec::new();
    let is_switched = |number: &usize| !left_out.alone.contains(number) && !left_out.unviable.contains(number);
    for number in new.iter().filter(|number| is_switched(number)) {
        match tests.judge(&program, *number, &all[*number].file, false)? {
            Outcome::Missed(reaching) => {
                println!("missed by the {reaching} unit tests and cases that run it: {}", all[*number].name);
                missed.push(*number);
            }
            outcome => done(&all[*number], &outcome)?,
        }
    }
    println!(
        "{} mutants behind a switch after {} s: {} missed",
        new.iter().filter(|number| is_switched(number)).count(),
        start.elapsed().as_secs(),
        missed.len()
    );
    if quick {
        println!("{} mutants have to be compiled alone: left out", left_out.alone.len());
        return missed.iter().try_for_each(|number| done(&all[*number], &Outcome::Missed(0)));
    }
    let mut suite = Suite { root, copy: &copy, tests: None };
    for number in missed {
        let outcome = suite.tests(&mut program)?.judge(&program, number, &all[number].file, false)?;
        done(&all[number], &outcome)?;
    }
    println!("{} mutants have to be compiled alone, after {} s", left_out.alone.len(), start.elapsed().as_secs());
    let alone = Copy::new(root, target.join("alone"), target.join("build-alone"))?;
    for number in new.iter().filter(|number| left_out.alone.contains(number)) {
        let mutant = &all[*number];
        let Some(mut its_program) = alone.with_one(mutant)? else {
            done(mutant, &Outcome::Unviable)?;
            continue;
        };
        let mut outcome = tests.judge(&its_program, *number, &mutant.file, true)?;
        if matches!(outcome, Outcome::Missed(_)) {
            println!("missed by all unit tests and cases: {}", mutant.name);
            its_program.suite = Some(alone.suite()?);
            outcome = suite.tests(&mut program)?.judge(&its_program, *number, &mutant.file, true)?;
        }
        done(mutant, &outcome)?;
    }
    println!("judged all after {} s", start.elapsed().as_secs());
    Ok(())
}

fn wanted(root: &Path, all: &[Mutant], arguments: &[String]) -> Result<Wanted, Box<dyn Error>> {
    let mut words = arguments.to_vec();
    let quick = words.iter().any(|word| word == "--quick");
    words.retain(|word| word != "--quick");
    let mut shard = (0, 1);
    if let Some(at) = words.iter().position(|word| word == "--shard") {
        let value = words.get(at + 1).and_then(|value| value.split_once('/')).ok_or("--shard takes K/N")?;
        let (k, n): (usize, usize) = (value.0.parse()?, value.1.parse()?);
        if k == 0 || k > n {
            return Err("--shard takes K/N with K from 1 to N".into());
        }
        shard = (k - 1, n);
        words.drain(at..at + 2);
    }
    let of = |is_wanted: &dyn Fn(&Mutant) -> bool| {
        let mut chosen: Vec<usize> = (0..all.len()).filter(|number| is_wanted(&all[*number])).collect();
        list::in_order_of_hashes(all, &mut chosen);
        chosen
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let numbers = match words.as_slice() {
        ["sample"] => list::sample(all),
        ["all"] => of(&|_| true),
        ["in", text] => of(&|mutant| mutant.name.contains(text) || mutant.key.contains(text)),
        ["changed", base @ ..] if base.len() < 2 => {
            let files = list::changed_files(root, base.first().copied().unwrap_or("main"))?;
            of(&|mutant| files.contains(&mutant.file))
        }
        _ => return Err(USAGE.into()),
    };
    Ok(Wanted { numbers, shard, quick })
}

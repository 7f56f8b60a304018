//! Runs the unit tests and the golden cases over a mutant, as far as they reach it.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use argocd_jobs::golden::{self, Request, case};
use argocd_jobs::source::Tools;

use crate::program::Program;

/// A test that takes longer than this comes last.
const SLOW: Duration = Duration::from_millis(400);
/// How many cases are run before the unit tests of other files.
const FIRST: usize = 6;
/// A case takes milliseconds, and a unit test rarely a second.
const CASE_LIMIT: Duration = Duration::from_secs(20);
const RECORD_LIMIT: Duration = Duration::from_secs(40);
const TESTS_LIMIT: Duration = Duration::from_secs(60);

/// What of the suite is left out: the golden cases have been run, and the inputs that are too big take minutes.
const LEFT_OUT: [&str; 2] = ["golden::", "hostile::"];

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With the test or case that fails.
    Caught(String),
    /// With the test or case that does not end.
    Endless(String),
    /// With the number of tests and cases that run its place.
    Missed(usize),
    Unviable,
}

/// A unit test or a golden case, with the mutants whose places it reaches.
#[derive(Debug)]
struct Test {
    name: String,
    kind: Kind,
    is_slow: bool,
    reaches: BTreeSet<usize>,
    /// How many mutants it has caught.
    caught: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unit,
    Case,
    /// One of `tests/suite/`, of which the golden cases are left out.
    Suite,
}

/// All tests that pass without a mutant.
pub struct Tests {
    root: PathBuf,
    tools: Tools,
    tests: Vec<Test>,
}

enum Ended {
    Well,
    Badly(String),
    Never(String),
}

impl Tests {
    /// Runs each unit test and each golden case alone, to see which mutants it reaches.
    pub fn record(root: &Path, program: &Program, tools: Tools) -> Result<Self, Box<dyn Error>> {
        let mut tests = Self { root: root.to_owned(), tools, tests: Vec::new() };
        for name in names(&program.unit_tests)? {
            tests.record_one(program, name, Kind::Unit)?;
        }
        for case in case::find(&root.join("testdata"), "").map_err(|errors| format!("{errors:?}"))? {
            tests.record_one(program, case.name, Kind::Case)?;
        }
        Ok(tests)
    }

    /// The same for the suite, which takes minutes: for what the others miss.
    pub fn record_suite(root: &Path, program: &Program) -> Result<Self, Box<dyn Error>> {
        let mut tests = Self { root: root.to_owned(), tools: Tools::default(), tests: Vec::new() };
        for name in names(program.suite.as_deref().ok_or("no suite")?)?
            .into_iter()
            .filter(|name| !LEFT_OUT.iter().any(|module| name.starts_with(module)))
        {
            tests.record_one(program, name, Kind::Suite)?;
        }
        Ok(tests)
    }

    fn record_one(&mut self, program: &Program, name: String, kind: Kind) -> Result<(), Box<dyn Error>> {
        let reached = program.program.with_extension("reached");
        fs::write(&reached, "")?;
        switch(program, &reached.display().to_string())?;
        let start = Instant::now();
        let ended = self.run(program, kind, &name, RECORD_LIMIT)?;
        let is_slow = start.elapsed() > SLOW;
        let reaches = fs::read_to_string(&reached)?.lines().filter_map(|line| line.parse().ok()).collect();
        match ended {
            Ended::Well => self.tests.push(Test { name, kind, is_slow, reaches, caught: 0 }),
            Ended::Badly(_) => eprintln!("{name} fails without a mutant: left out"),
            Ended::Never(_) => eprintln!("{name} takes too long: left out"),
        }
        Ok(())
    }

    fn run(&self, program: &Program, kind: Kind, name: &str, limit: Duration) -> Result<Ended, Box<dyn Error>> {
        match kind {
            Kind::Unit => self.run_tests(&program.unit_tests, &[name], limit),
            Kind::Case => self.run_case(program, name),
            Kind::Suite => self.run_tests(program.suite.as_deref().ok_or("no suite")?, &[name], limit),
        }
    }

    /// Judges a mutant in `file`. `everything` runs all tests, because nobody knows which of them reach it.
    pub fn judge(
        &mut self,
        program: &Program,
        number: usize,
        file: &str,
        everything: bool,
    ) -> Result<Outcome, Box<dyn Error>> {
        switch(program, &if everything { String::new() } else { number.to_string() })?;
        let mut reaching: Vec<usize> =
            (0..self.tests.len()).filter(|at| everything || self.tests[*at].reaches.contains(&number)).collect();
        // What has caught others catches this one too, more often than not; and what reaches little is about it.
        reaching.sort_by_key(|at| (Reverse(self.tests[*at].caught), self.tests[*at].reaches.len()));
        let of = |wanted: &dyn Fn(&Test) -> bool| -> Vec<usize> {
            reaching.iter().copied().filter(|at| wanted(&self.tests[*at])).collect()
        };
        // The unit tests of the file, a few cases, the other quick unit tests in one process, and then one after the other.
        let own = module(file);
        let is_quick = |test: &Test| test.kind == Kind::Unit && !test.is_slow;
        let of_file = of(&|test| is_quick(test) && test.name.starts_with(&own));
        let of_others = of(&|test| is_quick(test) && !test.name.starts_with(&own));
        let mut single = of(&|test| !is_quick(test));
        single.sort_by_key(|at| self.tests[*at].is_slow);
        let last = single.split_off(single.len().min(FIRST));
        let mut ended = Ended::Well;
        for (together, alone) in [(of_file, single), (of_others, last)] {
            if matches!(ended, Ended::Well) && !together.is_empty() {
                let names: Vec<&str> = together.iter().map(|at| self.tests[*at].name.as_str()).collect();
                ended = self.run_tests(&program.unit_tests, &names, TESTS_LIMIT)?;
            }
            for at in alone {
                if !matches!(ended, Ended::Well) {
                    break;
                }
                ended = self.run(program, self.tests[at].kind, &self.tests[at].name, TESTS_LIMIT)?;
            }
        }
        switch(program, "")?;
        Ok(match ended {
            Ended::Well => Outcome::Missed(reaching.len()),
            Ended::Never(name) => Outcome::Endless(name),
            Ended::Badly(name) => {
                if let Some(test) = self.tests.iter_mut().find(|test| test.name == name) {
                    test.caught += 1;
                }
                Outcome::Caught(name)
            }
        })
    }

    fn run_tests(&self, tests: &Path, names: &[&str], limit: Duration) -> Result<Ended, Box<dyn Error>> {
        let mut command = Command::new(tests);
        command.arg("--exact").args(names).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Where cargo runs them, so that they find their files.
        let mut child = command.current_dir(&self.root).spawn()?;
        let mut stdout = child.stdout.take().ok_or("no output")?;
        let reader = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stdout.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let start = Instant::now();
        let status = loop {
            match child.try_wait()? {
                Some(status) => break Some(status),
                None if start.elapsed() > limit => break None,
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        if status.is_none() {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::Never(format!("one of {} tests", names.len())));
        }
        let text = reader.join().unwrap_or_default();
        if status.is_some_and(|status| status.success()) {
            return Ok(Ended::Well);
        }
        let failed = text.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        Ok(Ended::Badly(failed.unwrap_or("the tests end early").to_owned()))
    }

    fn run_case(&self, program: &Program, name: &str) -> Result<Ended, Box<dyn Error>> {
        let request = Request {
            dir: &self.root.join("testdata").join(name),
            filter: "",
            program: &program.program,
            tools: &self.tools,
            limit: CASE_LIMIT,
            update: false,
            in_a_case: false,
        };
        let report = golden::run(&request)?;
        Ok(if report.is_good() {
            Ended::Well
        } else if report.to_string().contains(": killed, because") {
            Ended::Never(name.to_owned())
        } else {
            Ended::Badly(name.to_owned())
        })
    }
}

/// What the names of the unit tests of a file begin with.
fn module(file: &str) -> String {
    let path = file.strip_prefix("src/").unwrap_or(file).trim_end_matches(".rs").trim_end_matches("/mod");
    format!("{}::", path.replace('/', "::"))
}

fn names(tests: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let listed = Command::new(tests).args(["--list", "--format=terse"]).output()?;
    let names = String::from_utf8(listed.stdout)?;
    Ok(names.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Tells the programs what to do: the number of a mutant, a file for what they reach, or nothing.
fn switch(program: &Program, text: &str) -> Result<(), Box<dyn Error>> {
    for path in [&program.program, &program.unit_tests].into_iter().chain(&program.suite) {
        fs::write(path.with_extension("mutant"), text)?;
    }
    Ok(())
}

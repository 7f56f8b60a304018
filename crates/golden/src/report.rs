//! The report on all cases: every case that did not pass, and the number of cases of each kind.

use std::fmt::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::error::Error;
use super::{Outcome, shown};

/// The results of the cases, sorted by name. Displays as [`Report::text`] without the cases that passed.
#[derive(Debug)]
pub struct Report {
    pub(super) cases: Vec<Tested>,
    pub(super) limit: Duration,
}

/// A case and its outcome.
#[derive(Debug)]
pub(super) struct Tested {
    pub(super) dir: PathBuf,
    pub(super) outcome: Outcome,
}

impl Report {
    /// Whether every case passed or was updated.
    pub fn is_good(&self) -> bool {
        self.count(|outcome| matches!(outcome, Outcome::AsExpected | Outcome::Updated(_))) == self.cases.len()
    }

    /// The errors of the cases that are broken or could not run.
    pub fn errors(&self) -> Vec<&Error> {
        let error = |tested| match tested {
            &Tested { outcome: Outcome::Broken(ref error), .. } => Some(error),
            _ => None,
        };
        self.cases.iter().filter_map(error).collect()
    }

    /// The report for users. `verbose` adds a line for each case that passed. The errors of broken cases are in
    /// [`Report::errors`] instead.
    pub fn text(&self, verbose: bool) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut out, verbose);
        out
    }

    fn count(&self, is_one: impl Fn(&Outcome) -> bool) -> usize {
        self.cases.iter().filter(|tested| is_one(&tested.outcome)).count()
    }

    fn write(&self, f: &mut impl Write, verbose: bool) -> fmt::Result {
        for Tested { dir, outcome, .. } in &self.cases {
            let dir = shown(dir);
            match outcome {
                Outcome::AsExpected if verbose => writeln!(f, "{dir}: as expected")?,
                Outcome::AsExpected | Outcome::Broken(_) => {}
                Outcome::Differs(differences) => writeln!(f, "{dir}: differs (- expected, + got)\n{differences}")?,
                Outcome::New => writeln!(f, "{dir}: no expectation yet; `--update` writes it")?,
                Outcome::Updated(changes) => changes.iter().try_for_each(|change| writeln!(f, "{change}"))?,
                Outcome::Endless => {
                    let limit = self.limit.as_secs();
                    writeln!(f, "{dir}: killed, because it took more than {limit} seconds\n")?;
                }
            }
        }
        self.write_summary(f)
    }

    fn write_summary(&self, f: &mut impl Write) -> fmt::Result {
        let all = self.cases.len();
        let good = self.count(|outcome| matches!(outcome, Outcome::AsExpected));
        write!(f, "{all} {}: {good} as expected", if all == 1 { "case" } else { "cases" })?;
        let differs = self.count(|outcome| matches!(outcome, Outcome::Differs(_)));
        let verb = if differs == 1 { "differs" } else { "differ" };
        let new = self.count(|outcome| matches!(outcome, Outcome::New));
        let updated = self.count(|outcome| matches!(outcome, Outcome::Updated(_)));
        let endless = self.count(|outcome| matches!(outcome, Outcome::Endless));
        let broken = self.count(|outcome| matches!(outcome, Outcome::Broken(_)));
        let counts = [
            (differs, verb),
            (new, "without expectation"),
            (updated, "updated"),
            (endless, "killed"),
            (broken, "broken"),
        ];
        for (count, what) in counts {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        f.write_str("\n")?;
        if differs > 0 {
            let help = "if this is intended, run with `--update` to accept it; read the changes before you commit them";
            writeln!(f, "help: {help}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use text::Message;

    fn report(cases: Vec<(&str, Outcome)>) -> Report {
        let tested = |(name, outcome): (&str, Outcome)| Tested { dir: PathBuf::from(name), outcome };
        let cases = cases.into_iter().map(tested).collect();
        Report { cases, limit: Duration::from_secs(60) }
    }

    #[test]
    fn a_case_that_hangs_is_reported() {
        let report = report(vec![("a", Outcome::Endless), ("b", Outcome::AsExpected)]);
        let summary = "2 cases: 1 as expected, 1 killed\n";
        assert_eq!(report.text(false), format!("a: killed, because it took more than 60 seconds\n\n{summary}"));
        assert_eq!(
            report.text(true),
            format!("a: killed, because it took more than 60 seconds\n\nb: as expected\n{summary}")
        );
        assert!(!report.is_good());
    }

    #[test]
    fn a_broken_case_is_counted_and_is_not_good() {
        let report =
            report(vec![("a", Outcome::Broken(Error::about(Path::new("a/in"), Message::new("not a directory"))))]);
        assert_eq!(report.to_string(), "1 case: 0 as expected, 1 broken\n");
        assert_eq!((report.errors().len(), report.is_good()), (1, false));
    }

    #[test]
    fn one_case_is_no_plural() {
        let report = report(vec![("a", Outcome::AsExpected)]);
        assert_eq!((report.to_string(), report.is_good()), ("1 case: 1 as expected\n".to_owned(), true));
    }
}

//! The report on all cases: each that is not as expected, and how many there are of each kind.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::Outcome;

/// The results of the cases, in the order of their names.
#[derive(Debug)]
pub struct Report {
    pub(super) outcomes: Vec<(PathBuf, Outcome)>,
    pub(super) limit: Duration,
}

impl Report {
    /// True when every case is as expected, or was made so.
    pub fn is_good(&self) -> bool {
        self.outcomes.iter().all(|(_, outcome)| matches!(outcome, Outcome::AsExpected | Outcome::Updated(_)))
    }

    fn count(&self, is_one: impl Fn(&Outcome) -> bool) -> usize {
        self.outcomes.iter().filter(|(_, outcome)| is_one(outcome)).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (dir, outcome) in &self.outcomes {
            let dir = dir.display();
            match outcome {
                Outcome::AsExpected => {}
                Outcome::Differs(differences) => writeln!(f, "{dir}: differs (- expected, + got)\n{differences}")?,
                Outcome::Updated(changes) => changes.iter().try_for_each(|change| writeln!(f, "{change}"))?,
                Outcome::Endless => {
                    writeln!(f, "{dir}: killed, because it took more than {} seconds\n", self.limit.as_secs())?;
                }
            }
        }
        let all = self.outcomes.len();
        let good = self.count(|outcome| matches!(outcome, Outcome::AsExpected));
        write!(f, "{all} {}: {good} as expected", if all == 1 { "case" } else { "cases" })?;
        let differs = self.count(|outcome| matches!(outcome, Outcome::Differs(_)));
        let verb = if differs == 1 { "differs" } else { "differ" };
        let updated = self.count(|outcome| matches!(outcome, Outcome::Updated(_)));
        let endless = self.count(|outcome| matches!(outcome, Outcome::Endless));
        for (count, what) in [(differs, verb), (updated, "updated"), (endless, "killed")] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        f.write_str("\n")?;
        if differs > 0 {
            f.write_str("help: if it is meant, `--update` writes it down; read the changes before you commit them\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(outcomes: Vec<(&str, Outcome)>) -> (String, bool) {
        let outcomes = outcomes.into_iter().map(|(dir, outcome)| (PathBuf::from(dir), outcome)).collect();
        let report = Report { outcomes, limit: Duration::from_secs(60) };
        (report.to_string(), report.is_good())
    }

    #[test]
    fn a_case_that_hangs_is_reported() {
        let (text, good) = printed(vec![("a", Outcome::Endless), ("b", Outcome::AsExpected)]);
        assert_eq!(text, "a: killed, because it took more than 60 seconds\n\n2 cases: 1 as expected, 1 killed\n");
        assert!(!good);
    }

    #[test]
    fn one_case_is_no_plural() {
        assert_eq!(printed(vec![("a", Outcome::AsExpected)]), ("1 case: 1 as expected\n".to_owned(), true));
    }
}

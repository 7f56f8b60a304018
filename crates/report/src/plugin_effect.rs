//! The last line of a report on Jobs as they are written: what the plugin would change.

use text::plural;

/// The flag that shows it.
const FLAG: &str = "`--plugin`";

/// The line where no error goes away.
pub const OTHERWISE: &str = "`--plugin` shows what the plugin would do";

/// How many of the errors go away with the plugin; `None` if none does.
pub fn of_errors(errors: usize, gone: usize) -> Option<String> {
    line(errors, gone, "error", ["goes away", "go away"])
}

/// How many of the Jobs that make a sync fail do not with the plugin; `None` if none is.
pub fn of_failing_jobs(failing: usize, gone: usize) -> Option<String> {
    line(failing, gone, "failing Job", ["would not fail", "would not fail"])
}

fn line(all: usize, gone: usize, noun: &str, [one, several]: [&str; 2]) -> Option<String> {
    let subject = if all == 1 { format!("the {noun}") } else { format!("{gone} of {}", plural(all, noun)) };
    let verb = if gone == 1 { one } else { several };
    (gone > 0).then(|| format!("{subject} {verb} with the argocd-jobs plugin: {FLAG} shows it"))
}

#[cfg(test)]
mod tests {
    use super::{of_errors, of_failing_jobs};

    #[test]
    fn the_line_counts_what_goes_away() {
        assert_eq!(of_errors(3, 0), None);
        assert_eq!(
            of_errors(1, 1).as_deref(),
            Some("the error goes away with the argocd-jobs plugin: `--plugin` shows it")
        );
        assert_eq!(
            of_errors(3, 1).as_deref(),
            Some("1 of 3 errors goes away with the argocd-jobs plugin: `--plugin` shows it")
        );
        assert_eq!(
            of_failing_jobs(2, 2).as_deref(),
            Some("2 of 2 failing Jobs would not fail with the argocd-jobs plugin: `--plugin` shows it")
        );
    }
}

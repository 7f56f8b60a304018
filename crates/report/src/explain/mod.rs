//! The long texts of findings, for a terminal and for the page docs/findings.md, and their list.

pub mod finding;
mod list;
mod text;

pub use list::all;

#[cfg(test)]
mod tests {
    use lint::RULES;

    use super::{finding, text};
    use crate::paint::Paint;

    #[test]
    fn every_finding_has_a_text_without_a_long_line_or_a_blank_at_the_end() {
        for rule in RULES {
            let text = finding::text(rule, Paint::Plain);
            assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
            assert!(!text.contains("\n\n\n") && text.ends_with('\n') && !text.ends_with("\n\n"), "{text}");
            // YAML, commands and addresses are never broken.
            let is_long = |line: &&str| line.chars().count() > text::WIDTH && !line.starts_with("    ");
            let long: Vec<&str> = text.lines().filter(is_long).collect();
            assert!(long.iter().all(|line| line.contains("https://")), "{long:?}");
        }
    }
}

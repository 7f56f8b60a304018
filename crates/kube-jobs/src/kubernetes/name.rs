//! The length of Job names, and how they are shortened.

use super::Job;
use crate::argocd::Phase;

/// The maximum length of a Job's name in bytes: the name becomes the label `job-name` of its pods, and a label value has at most 63 bytes
/// (`pkg/apis/batch/validation` in Kubernetes).
pub const MAX_JOB_NAME: usize = 63;

/// The maximum length of a `generateName` in bytes: Argo CD appends up to 27 bytes, `<7 of the revision>-postsync-<10 digits>`
/// (`gitops-engine/pkg/sync/sync_context.go`).
pub const MAX_GENERATE_NAME: usize = 36;

/// The number of bytes that Argo CD appends to the `generateName` of a hook in `phase`.
pub fn generated_suffix(phase: Phase) -> usize {
    "1234567--1700000000".len() + phase.as_str().len()
}

/// The number of bytes of `-<completions - 1>`, which the pods of an Indexed Job append. The result must still be a label value. 0 for other Jobs.
pub fn index_suffix(job: &Job) -> usize {
    match job.indexed_completions() {
        Some(completions) => 1 + (completions.max(1) - 1).to_string().len(),
        None => 0,
    }
}

/// Cuts `base` so that it has at most `most` bytes together with `suffix`, and does not end with a dash or dot before the suffix. None if nothing of
/// `base` is left.
pub fn shorten(base: &str, suffix: &str, most: usize) -> Option<String> {
    let mut end = base.len().min(most.checked_sub(suffix.len())?);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    let base = base[..end].trim_end_matches(['-', '.']);
    (!base.is_empty()).then(|| format!("{base}{suffix}"))
}

/// The longest beginning of `text` that is a valid label value: at most 63 bytes, with letters and digits at both ends and `-`, `_`, `.` between.
/// Other characters become `-`.
pub fn label_value(text: &str) -> String {
    let valid: String = text
        .chars()
        .map(|found| if found.is_ascii_alphanumeric() || matches!(found, '-' | '_' | '.') { found } else { '-' })
        .collect();
    let outer = ['-', '_', '.'];
    let start = valid.trim_start_matches(outer);
    start[..start.len().min(MAX_JOB_NAME)].trim_end_matches(outer).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_cut_and_the_suffix_never() {
        assert_eq!(shorten("migrate", "-abc", 63).as_deref(), Some("migrate-abc"));
        assert_eq!(shorten("migrate-db", "-abc", 12).as_deref(), Some("migrate-abc"));
        assert_eq!(shorten("job-", "-abc", 63).as_deref(), Some("job-abc"));
        assert_eq!(shorten("--", "-abc", 63), None);
        assert_eq!(shorten("aé", "-b", 4).as_deref(), Some("a-b"));
        for length in 1..=253 {
            assert!(shorten(&"a".repeat(length), "-0123456789", 63).is_some_and(|name| name.len() <= 63));
        }
    }

    #[test]
    fn labels_are_valid_values() {
        assert_eq!(label_value("job-test-"), "job-test");
        assert_eq!(label_value("ä.b"), "b");
        assert_eq!(label_value(&"a.".repeat(40)).len(), 63);
        assert_eq!(label_value("---"), "");
    }
}

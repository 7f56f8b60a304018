//! Whether the revision of an Application (`targetRevision`) contains a change that is merged into a branch.

use std::collections::BTreeSet;
use std::sync::Arc;

/// The branch that a change is merged into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetBranch {
    /// The branch with this name.
    Named(String),
    /// An unknown branch. Commits, versions and these tags of the repository are certainly not branches.
    Unknown(Arc<BTreeSet<String>>),
}

impl TargetBranch {
    /// Whether an Application at this revision gets the merged change. An empty revision and `HEAD` mean the default branch, which counts as reached.
    pub fn is_reached(&self, revision: &str) -> bool {
        let name = revision.strip_prefix("refs/heads/").unwrap_or(revision);
        match self {
            _ if matches!(name, "" | "HEAD") => true,
            Self::Named(branch) => name == branch,
            Self::Unknown(tags) => {
                !(revision.starts_with("refs/tags/") || tags.contains(name) || is_commit(name) || is_version(name))
            }
        }
    }
}

fn is_commit(name: &str) -> bool {
    name.len() >= 7
        && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        && name.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a revision is a version or a constraint such as `1.x` or `>=1.2`. Argo CD resolves it to the newest tag (`versions.IsConstraint` in
/// `util/versions`).
fn is_version(name: &str) -> bool {
    let number = name.trim_start_matches(['^', '~', '>', '<', '=', ' ']);
    let is_constraint = number.len() < name.len();
    let number = number.strip_prefix('v').unwrap_or(number);
    let parts = number.split(['.', '-', '+']).collect::<Vec<_>>();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_wild = |part: &&str| matches!(*part, "x" | "X" | "*");
    let dotted = parts.len() > 1 && parts.iter().take(2).all(|part| is_number(part) || is_wild(part));
    name == "*" || dotted || is_constraint && parts.first().is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_and_a_version_do_not_follow_a_branch() {
        for (revision, by_name, unknown) in [
            ("", true, true),
            ("HEAD", true, true),
            ("main", true, true),
            ("refs/heads/main", true, true),
            ("release", false, true),
            ("v1.0", false, false),
            ("v1.2.3-rc.1", false, false),
            ("1.*", false, false),
            (">=1.2", false, false),
            ("^2", false, false),
            ("*", false, false),
            ("refs/tags/main", false, false),
            ("811399ac7b", false, false),
            ("2024", false, true),
            ("deadbeef", false, true),
            ("feature-1.2", false, true),
        ] {
            assert_eq!(TargetBranch::Named("main".to_owned()).is_reached(revision), by_name, "{revision}");
            assert_eq!(TargetBranch::Unknown(Arc::default()).is_reached(revision), unknown, "{revision}");
        }
    }
}

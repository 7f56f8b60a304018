//! What `adopt` prints below the change and the preview: the next steps.

use std::collections::BTreeSet;

use text::visible;

/// What brings the change into the cluster, in this order. `is_by_live` says that the baseline comes from the live Jobs; the revisions are those
/// that the Applications name.
pub fn next_steps(is_written: bool, is_by_live: bool, names: &BTreeSet<&str>, revisions: &BTreeSet<&str>) -> String {
    let mut steps = vec!["see that the sidecar of the plugin is installed (deploy/README.md)".to_owned()];
    if !revisions.is_empty() {
        let revisions: Vec<String> = revisions.iter().map(|revision| format!("`{}`", visible(revision))).collect();
        steps.push(format!("see that this checkout is at the revision of the Application: {}", revisions.join(", ")));
    }
    if !is_by_live {
        let step = "see that the Application is Synced: the baseline assumes that each Job has run as it is in Git. With `--live` it has only Jobs \
                    that are live and unchanged: `kubectl get jobs -A -o json | argocd-jobs adopt … --live -`";
        steps.push(step.to_owned());
    }
    if !is_written {
        steps.push("run this command again with `--write`".to_owned());
    }
    let step = "commit the change, or put it in place with `kubectl replace`; an Application with automated sync then syncs as shown above";
    steps.push(step.to_owned());
    // A shell reads the command: a name that no Application can have is not printed.
    let is_name = |name: &&&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if let Some(name) = names.first().filter(|_| names.len() == 1).filter(is_name) {
        // Outside of the namespace of Argo CD.
        let name = name.replacen('_', "/", 1);
        steps.push(format!("without automated sync: `argocd app diff {name}`, then `argocd app sync {name}`"));
    }
    let steps = steps.iter().enumerate().map(|(index, step)| format!("{}. {step}\n", index + 1));
    format!("\nNEXT STEPS\n{}", steps.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_cannot_add_lines_or_commands() {
        let printed =
            next_steps(true, true, &BTreeSet::from(["a; rm"]), &BTreeSet::from(["x\n- forged\u{1b}[31m\u{2028}"]));
        assert!(printed.contains("Application: `x\\n- forged\\u{1b}[31m\\u{2028}`\n"), "{printed}");
        assert!(!printed.contains("rm"), "{printed}");
        let printed = next_steps(true, true, &BTreeSet::from(["team_shop"]), &BTreeSet::new());
        assert!(printed.ends_with("`argocd app diff team/shop`, then `argocd app sync team/shop`\n"), "{printed}");
    }
}

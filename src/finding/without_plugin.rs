//! The help of a finding or an error without what it says of the plugin, for somebody who does not use it.

/// The beginnings of what is said to users of the plugin, in the middle of a clause.
const ASIDES: [&str; 3] = [", or, with the plugin, ", ", or let the plugin ", "; or, with the plugin, "];

/// What a clause says only to users of the plugin.
const OF_PLUGIN: [&str; 4] = ["with the plugin", "of the plugin", "in a plugin", "let the plugin"];

/// The help without its clauses about the plugin; empty if there is no other.
pub fn without_plugin(help: &str) -> String {
    let clauses = help.split("; ").filter_map(|clause| {
        let clause = clause.strip_prefix("without the plugin, ").unwrap_or(clause);
        let end = ASIDES.iter().filter_map(|aside| clause.find(aside)).min();
        let clause = end.map_or(clause, |end| &clause[..end]);
        // The other choice.
        let clause = clause.split_once(" of the plugin, or ").map_or(clause, |(_, other)| other);
        (!OF_PLUGIN.iter().any(|words| clause.contains(words))).then_some(clause)
    });
    clauses.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::without_plugin;

    #[test]
    fn only_what_is_about_the_plugin_is_left_out() {
        for (help, left) in [
            ("rename the Job; with the plugin, the strategy `hash-name` does this", "rename the Job"),
            (
                "set `spec` on the Job, or, with the plugin, the parameter `deadline` for all hooks",
                "set `spec` on the Job",
            ),
            ("add a ConfigMap, or let the plugin render this Application: it adds such a one", "add a ConfigMap"),
            ("use the strategy `hash-name` of the plugin, or set `a: b`", "set `a: b`"),
            ("use the strategy `hash-name` of the plugin", ""),
            ("with the plugin, set `x`; without the plugin, make the Job a hook", "make the Job a hook"),
            (
                "allow it with `--enable-helm`; in a plugin with `A`: Argo CD's options are not for it",
                "allow it with `--enable-helm`",
            ),
            ("no plugin of kustomize is run here", "no plugin of kustomize is run here"),
        ] {
            assert_eq!(without_plugin(help), left, "{help}");
        }
    }
}

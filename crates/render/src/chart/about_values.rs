//! Whether the values of a chart alone decide a condition of a template.

/// Functions and literals whose result depends on nothing but their arguments.
const PURE: [&str; 35] = [
    "and",
    "coalesce",
    "contains",
    "default",
    "dict",
    "dig",
    "empty",
    "eq",
    "false",
    "ge",
    "get",
    "gt",
    "has",
    "hasKey",
    "hasPrefix",
    "hasSuffix",
    "index",
    "int",
    "kindIs",
    "le",
    "len",
    "list",
    "lower",
    "lt",
    "ne",
    "nil",
    "not",
    "or",
    "quote",
    "ternary",
    "toString",
    "trim",
    "true",
    "typeIs",
    "upper",
];

/// True if the condition asks for nothing but values. False for what may ask for the release, the cluster or the time: a variable, a named template,
/// and any function that is unknown here.
pub(super) fn is_about_values(condition: &str) -> bool {
    let condition = condition.trim().trim_end_matches('-');
    // Every second part is inside quotes.
    let outside = condition.split(['"', '`']).step_by(2).collect::<Vec<_>>().join(" ");
    let mut words = outside
        .split(|found: char| found.is_whitespace() || matches!(found, '(' | ')' | '|'))
        .filter(|word| !word.is_empty());
    words.all(|word| {
        let is_value = word.strip_prefix('$').unwrap_or(word).starts_with(".Values");
        is_value || PURE.contains(&word) || word.parse::<f64>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::is_about_values;

    #[test]
    fn a_condition_is_about_values_or_may_ask_for_more() {
        for condition in [
            ".Values.migrate",
            " and .Values.migrate (not $.Values.off) -",
            "eq .Values.mode \"a b\"",
            "gt (int .Values.replicas) 1",
            "default false .Values.a.b",
            "hasKey .Values \"now\"",
        ] {
            assert!(is_about_values(condition), "{condition}");
        }
        for condition in [
            "eq .Release.Name \"prod\"",
            "and .Values.migrate (eq .Release.Namespace \"prod\")",
            "gt (now | unixEpoch | int64) 1900000000",
            ".Capabilities.APIVersions.Has \"a/v1\"",
            "$on",
            "include \"shop.on\" .",
            ".on",
        ] {
            assert!(!is_about_values(condition), "{condition}");
        }
    }
}

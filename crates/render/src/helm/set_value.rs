//! Values of `--set`, `--set-string` and `--set-file`: how Argo CD escapes them, and how helm parses them.

use std::borrow::Cow;

/// Escapes a value as Argo CD does (`cleanSetParameters` in `util/helm/cmd.go`): a backslash before each comma,
/// except where there is one already, and inside a list `{…}`. Nothing else is escaped: backslashes, `=` and `.` keep
/// their meaning for helm.
pub(super) fn escaped(value: &str) -> Cow<'_, str> {
    // A single `{` starts and ends with a brace, but contains no comma.
    if !value.contains(',') || value.starts_with('{') && value.ends_with('}') {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len() + 8);
    let mut before = '\0';
    for found in value.chars() {
        if found == ',' && before != '\\' {
            out.push('\\');
        }
        out.push(found);
        before = found;
    }
    Cow::Owned(out)
}

/// The path that helm reads from `--set-file NAME=VALUE`, if `value` does not begin with `{` (`runesUntil` in
/// `pkg/strvals/parser.go`): the text up to a comma, in which a backslash stands for the character after it.
pub(super) fn read_by_helm(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(found) = chars.next() {
        match found {
            ',' => break,
            '\\' => out.extend(chars.next()),
            found => out.push(found),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of the table: an input text, and the output of Argo CD.
    #[derive(serde::Deserialize)]
    struct Row {
        r#in: String,
        out: String,
    }

    #[test]
    fn escapes_what_argo_cd_escapes() {
        let table = include_str!("../../testdata/set-value.jsonl");
        assert!(table.lines().count() > 30);
        for Row { r#in, out } in table.lines().map(|line| serde_json::from_str(line).unwrap()) {
            assert_eq!(escaped(&r#in), out, "{:?}", r#in);
        }
    }

    #[test]
    fn helm_reads_a_path_up_to_a_comma_and_takes_backslashes_away() {
        for (value, path) in [("/a", "/a"), ("/a\\,b", "/a,b"), ("/a,b", "/a"), ("/a\\b\\\\c\\", "/ab\\c"), ("", "")] {
            assert_eq!(read_by_helm(value), path, "{value}");
        }
    }
}

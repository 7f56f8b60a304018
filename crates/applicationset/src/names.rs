//! Paths and names in the form that parameters have.

/// `SanitizeName`: lower case, other characters than letters, digits, `-` and `.` replaced by `-`, at most 253
/// characters, no `-` or `.` at the ends.
pub(super) fn normalized(name: &str) -> String {
    let allowed = |char: char| matches!(char, 'a'..='z' | '0'..='9' | '-' | '.');
    let lower = name.chars().flat_map(char::to_lowercase);
    let text: String = lower.map(|char| if allowed(char) { char } else { '-' }).take(253).collect();
    text.trim_matches(['-', '.']).to_owned()
}

/// The folder of a file; `.` for a file at the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, base)| base)
}

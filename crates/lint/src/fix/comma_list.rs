//! Changes one item of a comma-separated value. The rest of the value keeps its spelling.

use std::borrow::Cow;

/// The value with `new` in place of each item `old`.
pub(super) fn replaced(text: &str, old: &str, new: &str) -> String {
    let part = |part: &'_ str| {
        let item = part.trim();
        if item != old {
            return part.to_owned();
        }
        let start = part.len() - part.trim_start().len();
        format!("{}{new}{}", &part[..start], &part[start + item.len()..])
    };
    text.split(',').map(part).collect::<Vec<_>>().join(",")
}

/// The value without the items `old`. None if no item is left.
pub(super) fn without(text: &str, old: &str) -> Option<String> {
    let mut parts: Vec<Cow<'_, str>> = Vec::new();
    let mut is_first = true;
    for part in text.split(',').filter(|part| part.trim() != old) {
        // The first remaining item begins where the value began.
        let is_new_first = is_first && !text.starts_with(part);
        parts.push(if is_new_first { Cow::Borrowed(part.trim_start()) } else { Cow::Borrowed(part) });
        is_first = false;
    }
    let rest = parts.join(",");
    (!rest.split(',').all(|part| part.trim().is_empty())).then_some(rest)
}

/// The value with one more item at its end, after a comma and a space if the other items have spaces.
pub(super) fn with(text: &str, item: &str) -> String {
    let begin = text.trim_end().trim_end_matches(',').trim_end();
    let comma = if begin.contains(", ") { ", " } else { "," };
    if begin.is_empty() { item.to_owned() } else { format!("{begin}{comma}{item}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_item_changes() {
        assert_eq!(replaced("a,  presync ,Sync", "presync", "PreSync"), "a,  PreSync ,Sync");
        assert_eq!(replaced("presync", "presync", "PreSync"), "PreSync");
        assert_eq!(replaced("xpresync,presync,", "presync", "PreSync"), "xpresync,PreSync,");
    }

    #[test]
    fn an_item_goes_with_its_comma() {
        assert_eq!(without("A=1, Replace=true, B=2", "Replace=true").as_deref(), Some("A=1, B=2"));
        assert_eq!(without("Replace=true, B=2", "Replace=true").as_deref(), Some("B=2"));
        assert_eq!(without("A=1,Replace=true", "Replace=true").as_deref(), Some("A=1"));
        assert_eq!(without("Replace=true,Replace=true", "Replace=true"), None);
        assert_eq!(without("Replace=true, ", "Replace=true"), None);
    }

    #[test]
    fn an_item_is_added_as_the_others_are_written() {
        assert_eq!(with("HookFailed", "X"), "HookFailed,X");
        assert_eq!(with("HookFailed, HookSucceeded", "X"), "HookFailed, HookSucceeded, X");
        assert_eq!(with("HookFailed, ", "X"), "HookFailed,X");
        assert_eq!(with("", "X"), "X");
    }
}

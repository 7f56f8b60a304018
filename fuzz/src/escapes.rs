//! Texts in quotes, to be read again as they are, and in messages, to be harmless.

use goyaml::Value;
use goyaml::json::{self, Form, quote};
use report::paint::Paint;
use report::table::{self, Column, Narrow};
use text::visible;

use crate::laws::unseen::is_hidden;

/// The first law that a text breaks.
pub fn broken(text: &str) -> Option<String> {
    let quoted = quote(text);
    if quoted.chars().any(|found| found.is_control() || "\u{2028}\u{2029}\u{feff}\u{fffe}\u{ffff}".contains(found)) {
        return Some(format!("{text:?} is quoted as {quoted:?}"));
    }
    let value = Value::String(text.into());
    for printed in [&quoted, &json::print(&value, Form::Canonical)] {
        let read: Result<String, _> = serde_json::from_str(printed);
        if read.as_ref().ok().map(String::as_str) != Some(text) {
            return Some(format!("{text:?} is quoted as {printed:?}, which is {read:?} as JSON"));
        }
    }
    for document in
        [quoted.clone(), format!("{{a: {quoted}}}"), format!("a: {quoted} # b\n"), format!("{{{quoted}: 1}}")]
    {
        let read = Value::read(&document);
        let found = match &read {
            Ok(Value::String(found)) => Some(found),
            Ok(Value::Map(map)) => match map.get("a") {
                Some(Value::String(found)) => Some(found),
                _ => map.keys().next(),
            },
            _ => None,
        };
        // A scalar of more than 1024 characters cannot be a key. Argo CD prints what it has read, and reads it again: what YAML refuses or takes for
        // a line break is not escaped then.
        let is_known = |found: char| {
            matches!(found, '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        };
        if found.map(|found| found.as_str()) != Some(text) && quoted.chars().count() < 1000 && !text.contains(is_known)
        {
            return Some(format!("{document:?} is read as {read:?}"));
        }
    }
    let shown = visible(text);
    if shown.contains(is_hidden) {
        return Some(format!("{text:?} is shown as {shown:?}"));
    }
    if visible(&shown) != shown {
        return Some(format!("{shown:?} is shown as {:?}", visible(&shown)));
    }
    // A text of printable characters is shown as it is.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && shown != text {
        return Some(format!("{text:?} is shown as {shown:?}"));
    }
    let rows = [vec![(shown.clone().into_owned(), None), ("b".to_owned(), None)]];
    let columns = ["A", "B"].map(|heading| Column { heading, narrow: Narrow::Keep });
    let lines = table::fitted(&columns, &rows, None, Paint::Plain);
    (lines.lines().count() != 2).then(|| format!("a table of two lines has {}: {lines:?}", lines.lines().count()))
}

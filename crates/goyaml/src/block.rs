//! Prints values in block style, byte for byte as `sigs.k8s.io/yaml` (go-yaml v2.4) does. Only for the template function `toYaml`, whose text is
//! compared and read again; this program never emits its own output in this way.

use std::cmp::Ordering;

use libyaml_safer::{Emitter, Encoding, Event, MappingStyle, ScalarStyle, SequenceStyle};

use super::number;
use super::resolve::{Scalar, is_timestamp, plain};
use super::value::Value;

/// `value` in block style, with a newline at its end. None if a text contains characters beyond U+FFFF, which go-yaml escapes, or ends with a
/// line break other than a newline, after which go-yaml writes no indentation.
pub fn print(value: &Value) -> Option<String> {
    let mut events = vec![Event::stream_start(Encoding::Utf8), Event::document_start(None, &[], true)];
    push(value, &mut events)?;
    events.extend([Event::document_end(true), Event::stream_end()]);
    let mut out = Vec::new();
    let mut emitter = Emitter::new();
    emitter.set_unicode(true);
    emitter.set_output_string(&mut out);
    for event in events {
        emitter.emit(event).ok()?;
    }
    drop(emitter);
    let text = String::from_utf8(out).ok()?;
    // go-yaml does not mark the end of a document that ends with a block scalar.
    Some(text.strip_suffix("...\n").map_or(text.clone(), str::to_owned))
}

fn push(value: &Value, events: &mut Vec<Event>) -> Option<()> {
    match value {
        Value::Null => scalar("null", ScalarStyle::Plain, events),
        Value::Bool(found) => scalar(if *found { "true" } else { "false" }, ScalarStyle::Plain, events),
        Value::Int(found) => scalar(&found.to_string(), ScalarStyle::Plain, events),
        // An integer that fits only a `uint64`.
        Value::Float(found) if found.fract() == 0.0 && (2_f64.powi(63)..2_f64.powi(64)).contains(found) => {
            scalar(&number::print_float(*found), ScalarStyle::Plain, events);
        }
        Value::Float(found) => scalar(&number::print_shortest(*found), ScalarStyle::Plain, events),
        Value::String(text) => push_text(text, events)?,
        Value::List(items) => {
            events.push(Event::sequence_start(None, None, true, SequenceStyle::Block));
            items.iter().try_for_each(|item| push(item, events))?;
            events.push(Event::sequence_end());
        }
        Value::Map(map) => {
            events.push(Event::mapping_start(None, None, true, MappingStyle::Block));
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|one, two| compare_keys(one.0, two.0));
            for (key, value) in entries {
                push_text(key, events)?;
                push(value, events)?;
            }
            events.push(Event::mapping_end());
        }
    }
    Some(())
}

fn scalar(text: &str, style: ScalarStyle, events: &mut Vec<Event>) {
    events.push(Event::scalar(None, None, text, true, true, style));
}

fn push_text(text: &str, events: &mut Vec<Event>) -> Option<()> {
    let is_plain = matches!(plain(text), Scalar::Text(_)) && text != "<<" && !is_timestamp(text) && !is_base_60(text);
    let style = if text.contains('\n') {
        ScalarStyle::Literal
    } else if is_plain {
        ScalarStyle::Plain
    } else {
        ScalarStyle::DoubleQuoted
    };
    scalar(text, style, events);
    let is_odd =
        text.ends_with(['\r', '\u{85}', '\u{2028}', '\u{2029}']) || text.chars().any(|found| found > '\u{ffff}');
    (!is_odd).then_some(())
}

/// Whether go-yaml quotes the text because it looks like a base-60 number of YAML 1.1, such as `1:30`. go-yaml itself reads it as a text.
fn is_base_60(text: &str) -> bool {
    let mut parts = text.strip_prefix(['-', '+']).unwrap_or(text).split(':');
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let first = parts.next().is_some_and(|part| part.starts_with(|first: char| first.is_ascii_digit()) && digits(part));
    let rest: Vec<_> = parts.collect();
    let Some((last, middle)) = rest.split_last() else { return false };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    let is_sixtieth =
        |part: &str| part.len() < 3 && part.parse::<u8>().is_ok_and(|found| found < 60) && !part.starts_with('+');
    first && middle.iter().all(|part| is_sixtieth(part)) && is_sixtieth(last) && digits(fraction)
}

/// go-yaml's order of keys: other characters before letters, numbers by value.
fn compare_keys(one: &str, two: &str) -> Ordering {
    let (first, second): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    let Some(at) = first.iter().zip(&second).position(|(one, two)| one != two) else {
        return first.len().cmp(&second.len());
    };
    let (left, right) = (first[at], second[at]);
    match (left.is_alphabetic(), right.is_alphabetic()) {
        (true, true) => return left.cmp(&right),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // If a nonzero digit comes before a zero, both are part of one number.
    let digits_before = first[..at].iter().rev().take_while(|found| found.is_ascii_digit());
    let starts = i64::from((left == '0' || right == '0') && digits_before.clone().any(|found| *found != '0'));
    let number = |chars: &[char]| {
        let digits = chars[at..].iter().map_while(|found| found.to_digit(10));
        digits.fold((starts, 0), |(sum, count), digit| (sum.wrapping_mul(10).wrapping_add(i64::from(digit)), count + 1))
    };
    number(&first).cmp(&number(&second)).then(left.cmp(&right))
}

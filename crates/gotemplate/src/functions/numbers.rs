//! Sprig's functions for numbers (`numeric.go`), with the conversions of `spf13/cast`.

use super::{Call, Function, function};
use crate::error::{Result, failed};
use crate::format::print;
use crate::value::{Of, Value};

pub(super) const TABLE: &[Function] = &[
    function("add", "a*", |call| Ok(Value::Int64(call.arguments.iter().map(to_int).fold(0, i64::wrapping_add)))),
    function("add1", "a", |call| Ok(Value::Int64(to_int(call.any(0)).wrapping_add(1)))),
    function("atoi", "s", |call| Ok(Value::Int(atoi(call.text(0))))),
    function("biggest", "aa*", |call| Ok(Value::Int64(call.arguments.iter().map(to_int).max().unwrap_or(0)))),
    function("ceil", "a", |call| Ok(Value::Float(to_float(call.any(0)).ceil()))),
    function("div", "aa", |call| divided(call, i64::wrapping_div)),
    function("float64", "a", |call| Ok(Value::Float(to_float(call.any(0))))),
    function("floor", "a", |call| Ok(Value::Float(to_float(call.any(0)).floor()))),
    function("int", "a", |call| Ok(Value::Int(to_int(call.any(0))))),
    function("int64", "a", |call| Ok(Value::Int64(to_int(call.any(0))))),
    function("max", "aa*", |call| Ok(Value::Int64(call.arguments.iter().map(to_int).max().unwrap_or(0)))),
    function("maxf", "aa*", |call| Ok(Value::Float(extreme(call, |one, two| two > one)))),
    function("min", "aa*", |call| Ok(Value::Int64(call.arguments.iter().map(to_int).min().unwrap_or(0)))),
    function("minf", "aa*", |call| Ok(Value::Float(extreme(call, |one, two| two < one)))),
    function("mod", "aa", |call| divided(call, i64::wrapping_rem)),
    function("mul", "aa*", |call| Ok(Value::Int64(call.arguments.iter().map(to_int).fold(1, i64::wrapping_mul)))),
    function("round", "aif*", round),
    function("seq", "i*", seq),
    function("sub", "aa", |call| Ok(Value::Int64(to_int(call.any(0)).wrapping_sub(to_int(call.any(1)))))),
    function("toDecimal", "a", |call| Ok(Value::Int64(i64::from_str_radix(&print(call.any(0)), 8).unwrap_or(0)))),
    function("until", "i", |call| numbers(call, 0, call.int(0), if call.int(0) < 0 { -1 } else { 1 })),
    function("untilStep", "iii", |call| numbers(call, call.int(0), call.int(1), call.int(2))),
];

/// The value of an integer of any size; 0 for other values.
pub(crate) fn integer(value: &Value) -> i64 {
    match value {
        Value::Int(found) | Value::Int64(found) => *found,
        Value::Uint64(found) => i64::try_from(*found).unwrap_or(i64::MAX),
        Value::Uint8(found) => i64::from(*found),
        _ => 0,
    }
}

/// `number` with the integer type of `value`.
pub(crate) fn alike(value: &Value, number: i64) -> Value {
    match value {
        Value::Int64(_) => Value::Int64(number),
        Value::Uint64(_) => Value::Uint64(number.unsigned_abs()),
        Value::Uint8(_) => Value::Uint8(u8::try_from(number).unwrap_or(u8::MAX)),
        _ => Value::Int(number),
    }
}

/// `cast.ToInt64`.
pub(super) fn to_int(value: &Value) -> i64 {
    match value {
        Value::Bool(found) => i64::from(*found),
        // On a 64-bit machine, Go converts a float that is out of range to the smallest integer.
        Value::Float(found) if (-2_f64.powi(63)..2_f64.powi(63)).contains(found) => *found as i64,
        Value::Float(_) => i64::MIN,
        Value::Text(text) => literal_int(without_zero_decimals(text)).unwrap_or(0),
        Value::Uint64(found) => *found as i64,
        other => integer(other),
    }
}

/// `cast.ToFloat64`.
fn to_float(value: &Value) -> f64 {
    match value {
        Value::Bool(found) => f64::from(u8::from(*found)),
        Value::Float(found) => *found,
        Value::Text(text) => text
            .parse()
            .ok()
            .filter(|found: &f64| found.is_finite() || !text.contains(|digit: char| digit.is_ascii_digit()))
            .unwrap_or(0.0),
        Value::Uint64(found) => *found as f64,
        other => integer(other) as f64,
    }
}

/// `strconv.ParseInt(text, 0, 64)`.
fn literal_int(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, bare) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        _ if lower.starts_with('0') && lower.len() > 1 => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let stands_well =
        (bare.len() < lower.len() || !bare.starts_with('_')) && !bare.ends_with('_') && !bare.contains("__");
    if bare.starts_with(['+', '-']) || !stands_well {
        return None;
    }
    i64::from_str_radix(&format!("{sign}{}", bare.replace('_', "")), radix).ok()
}

/// `12.00` without its decimals.
fn without_zero_decimals(text: &str) -> &str {
    let bare = text.trim_end_matches(['0', '.']);
    let mut has_zero = false;
    for (at, found) in text.char_indices().rev().take_while(|(at, _)| *at >= bare.len()) {
        match found {
            '.' if has_zero => return &text[..at],
            _ => has_zero |= found == '0',
        }
    }
    text
}

/// `strconv.Atoi`; 0 for a text that is not a number.
fn atoi(text: &str) -> i64 {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    text.parse().unwrap_or_else(|error: std::num::ParseIntError| match error.kind() {
        PosOverflow => i64::MAX,
        NegOverflow => i64::MIN,
        _ => 0,
    })
}

fn divided(call: &Call<'_>, divide: fn(i64, i64) -> i64) -> Result<Value> {
    match to_int(call.any(1)) {
        0 => failed("runtime error: integer divide by zero"),
        divisor => Ok(Value::Int64(divide(to_int(call.any(0)), divisor))),
    }
}

fn extreme(call: &Call<'_>, is_further: fn(f64, f64) -> bool) -> f64 {
    let pick = |one: f64, two: f64| {
        if one.is_nan() || two.is_nan() {
            f64::NAN
        } else if is_further(one, two) {
            two
        } else {
            one
        }
    };
    call.arguments.iter().map(to_float).reduce(pick).unwrap_or(0.0)
}

fn round(call: &Call<'_>) -> Result<Value> {
    let value = to_float(call.any(0));
    let on = if let Value::Float(on) = call.any(2) { *on } else { 0.5 };
    let power = 10_f64.powi(i32::try_from(call.int(1)).unwrap_or(i32::MAX));
    let digit = power * value;
    let rounded = if digit.fract() >= on { digit.ceil() } else { digit.floor() };
    Ok(Value::Float(rounded / power))
}

/// The numbers of `untilStep`. Subtracts the work for them first.
fn range(call: &Call<'_>, start: i64, stop: i64, step: i64) -> Result<Vec<i64>> {
    if stop < start && step >= 0 || stop >= start && step <= 0 {
        return Ok(Vec::new());
    }
    let count = (i128::from(stop) - i128::from(start)).unsigned_abs().div_ceil(u128::from(step.unsigned_abs()));
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    call.work.text(count, 32)?;
    Ok((0..count as i64).map(|at| start.wrapping_add(at.wrapping_mul(step))).collect())
}

fn numbers(call: &Call<'_>, start: i64, stop: i64, step: i64) -> Result<Value> {
    Ok(Value::list_of(Of::Int, range(call, start, stop, step)?.into_iter().map(Value::Int).collect()))
}

fn seq(call: &Call<'_>) -> Result<Value> {
    let sign = |start: i64, end: i64| if end < start { -1 } else { 1 };
    let (start, step, end) = match call.arguments.len() {
        1 => (1, sign(1, call.int(0)), call.int(0)),
        2 => (call.int(0), sign(call.int(0), call.int(1)), call.int(1)),
        3 if call.int(2) >= call.int(0) || call.int(1) <= 0 => (call.int(0), call.int(1), call.int(2)),
        _ => return Ok(Value::text("")),
    };
    let found = range(call, start, end.wrapping_add(sign(start, end)), step)?;
    Ok(Value::text(found.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")))
}

//! Numbers as Go reads and prints them (`strconv`, `encoding/json`).

/// `strconv.ParseInt(text, 0, 64)` without underscores. Where it overflows, `ParseUint`: a number above `i64::MAX`.
pub(super) fn parse_integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let signed = text.starts_with(['-', '+']);
    in_range(digits_value(digits, radix)?, negative, signed)
}

/// `strconv.ParseInt(text, 2, 64)`. Where it overflows, `ParseUint`.
pub(super) fn parse_binary(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    in_range(digits_value(digits, 2)?, negative, text.starts_with(['-', '+']))
}

/// None if the value does not fit. A text with a sign must fit an `int64`, because `ParseUint` accepts no sign.
fn in_range(value: i128, negative: bool, signed: bool) -> Option<i128> {
    let value = if negative { -value } else { value };
    let fits_signed = i64::try_from(value).is_ok();
    (fits_signed || (!signed && u64::try_from(value).is_ok())).then_some(value)
}

fn digits_value(digits: &str, radix: u32) -> Option<i128> {
    if digits.is_empty() {
        return None;
    }
    let mut value: i128 = 0;
    for found in digits.chars() {
        value = value * i128::from(radix) + i128::from(found.to_digit(radix)?);
        if value > i128::from(u64::MAX) {
            return None;
        }
    }
    Some(value)
}

/// go-yaml's `yamlStyleFloat`: `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`.
pub(super) fn is_yaml_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_is_one = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    mantissa_is_one && exponent.is_none_or(|part| digits(part.strip_prefix(['-', '+']).unwrap_or(part)))
}

/// `strconv.ParseFloat` of a text that passed [`is_yaml_float`]; None where Go reports a range error.
pub(super) fn parse_float(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// `strconv.ParseFloat` of a text that begins with `.`, with underscores allowed between digits.
pub(super) fn parse_float_after_dot(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let between_digits = |at: usize| at > 0 && digit(at - 1) && digit(at + 1);
    if text.bytes().enumerate().any(|(at, byte)| byte == b'_' && !between_digits(at)) {
        return None;
    }
    let plain = text.replace('_', "");
    is_yaml_float(&plain).then(|| parse_float(&plain)).flatten()
}

/// A float as `encoding/json` prints it. `value` is finite.
pub fn print_float(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{value:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
            _ => text,
        };
    }
    format!("{value}")
}

/// The text that sigs.k8s.io/yaml makes of a float key: `strconv.FormatFloat(key, 'g', -1, 32)`.
pub(super) fn print_float_key(value: f64) -> String {
    let short = value as f32;
    if !short.is_finite() {
        return print_shortest(f64::from(short));
    }
    shortest(short.to_string(), &format!("{short:e}"))
}

/// A float as `strconv.FormatFloat(value, 'g', -1, 64)` prints it; infinity and NaN as YAML spells them.
pub fn print_shortest(value: f64) -> String {
    match value {
        f64::INFINITY => ".inf".to_owned(),
        f64::NEG_INFINITY => "-.inf".to_owned(),
        _ if value.is_nan() => ".nan".to_owned(),
        _ => shortest(value.to_string(), &format!("{value:e}")),
    }
}

fn shortest(plain: String, scientific: &str) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    match exponent.parse().unwrap_or(0) {
        -4..6 => plain,
        exponent => with_exponent(digits, exponent),
    }
}

/// `digits` with an exponent of at least two digits, as Go prints it: `1.5e+06`.
pub fn with_exponent(digits: &str, exponent: i32) -> String {
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// The integer that the repo-server reads where the cmp-server printed this float, if it prints as one.
pub(super) fn as_integer(value: f64) -> Option<i64> {
    print_float(value).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_go_integers() {
        let read = |text| parse_integer(text);
        assert_eq!(read("0755"), Some(493));
        assert_eq!(read("0o755"), Some(493));
        assert_eq!(read("-0755"), Some(-493));
        assert_eq!(read("08"), None);
        assert_eq!(read("0x1F"), Some(31));
        assert_eq!(read("+1"), Some(1));
        assert_eq!(read("18446744073709551615"), Some(i128::from(u64::MAX)));
        assert_eq!(read("+18446744073709551615"), None);
        assert_eq!(read("18446744073709551616"), None);
        assert_eq!(read("0x"), None);
    }

    #[test]
    fn floats_print_as_in_go() {
        for (value, text) in [
            (1.5, "1.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1e-7, "1e-7"),
            (0.000_001, "0.000001"),
            (-0.0, "-0"),
        ] {
            assert_eq!(print_float(value), text);
        }
        assert_eq!(as_integer(1e3), Some(1000));
        assert_eq!(as_integer(-0.0), Some(0));
        for none in [1.5, 1e19, 1e21, 1e-7] {
            assert_eq!(as_integer(none), None, "{none}");
        }
        assert_eq!(print_float_key(1e6), "1e+06");
        for (key, text) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (999_999.0, "999999"),
            (1.5e21, "1.5e+21"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (1e300, ".inf"),
            (-1e300, "-.inf"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(print_float_key(key), text);
        }
    }
}

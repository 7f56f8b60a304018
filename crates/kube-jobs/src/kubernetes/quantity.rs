//! Amounts of resources (`k8s.io/apimachinery/pkg/api/resource`). One amount can be written in many ways.

use std::cmp::Ordering;

use goyaml::Value;

/// The suffixes for powers of 1024, and those for powers of 1000, which begin at nano.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/// Replaces an amount by one text for all ways to write it: its thousandths, rounded up as in the API server (`SetDefaults_ResourceList`). Other
/// values stay.
pub(super) fn normalize(value: &mut Value) {
    if let Some(thousandths) = written(value).and_then(|written| thousandths(&written)) {
        *value = Value::String(format!("{thousandths}m").into());
    }
}

/// Whether a text may be an amount. False only if `ParseQuantity` certainly rejects it.
pub(super) fn may_be(text: &str) -> bool {
    let text = text.trim();
    let end = text.find(|found: char| !matches!(found, '0'..='9' | '.' | '+' | '-')).unwrap_or(text.len());
    let suffix = &text[end..];
    let is_exponent = || {
        suffix.strip_prefix(['e', 'E']).is_some_and(|power| power.trim_start_matches(['+', '-']).parse::<u64>().is_ok())
    };
    let is_suffix = BINARY.contains(&suffix) || DECIMAL.contains(&suffix) || is_exponent();
    !text.is_empty() && is_suffix
}

/// Compares two amounts. None if one of the values is not an amount.
pub(super) fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    let amount = |value: &Value| thousandths(&written(value)?);
    Some(amount(one)?.cmp(&amount(other)?))
}

fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

fn thousandths(text: &str) -> Option<i128> {
    let end = text.find(|found: char| !matches!(found, '0'..='9' | '.' | '+' | '-')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let (factor, exponent) = if let Some(power) = BINARY.iter().position(|known| *known == suffix) {
        (1024_i128.pow(u32::try_from(power).ok()? + 1), 3)
    } else if let Some(power) = DECIMAL.iter().position(|known| *known == suffix) {
        (1, i32::try_from(power).ok()? * 3 - 6)
    } else {
        (1, suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?.checked_add(3)?)
    };
    let amount = digits.checked_mul(factor)?;
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
    if exponent >= 0 {
        return amount.checked_mul(power);
    }
    // Round away from zero, as Go's `RoundUp` does.
    let rest = amount % power;
    Some(amount / power + rest.signum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_write_an_amount_are_one() {
        for (written, expected) in [
            ("1", Some(1000)),
            ("1000m", Some(1000)),
            ("0.5", Some(500)),
            (".5", Some(500)),
            ("1k", Some(1_000_000)),
            ("1e3", Some(1_000_000)),
            ("1Ki", Some(1_024_000)),
            ("1.5Gi", Some(1_610_612_736_000)),
            ("1u", Some(1)),
            ("2n", Some(1)),
            ("12e-1", Some(1200)),
            ("x", None),
            ("1Q", None),
            ("1e99", None),
        ] {
            assert_eq!(thousandths(written), expected, "{written}");
        }
    }
}

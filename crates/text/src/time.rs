//! Points in time, as the API server writes them.

use std::fmt;

/// A point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// Whole seconds since 1970 in UTC.
    seconds: i64,
    text: String,
}

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

impl Time {
    /// Parses a time of RFC 3339, such as `2026-11-26T10:00:00Z`. Fractions of a second are dropped. None for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_once(['T', 't'])?;
        let zone = rest.find(['Z', 'z', '+', '-'])?;
        let (clock, zone) = rest.split_at(zone);
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
        let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
        let is_valid = (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second <= 60
            && !fraction.is_empty()
            && fraction.bytes().all(|byte| byte.is_ascii_digit());
        let seconds = days(year, month, day) * DAY + (hour * 60 + minute) * 60 + second;
        is_valid.then_some(Self { seconds: seconds - offset(zone)?, text: text.to_owned() })
    }

    /// How long after `earlier` it is, in one unit: `12 min`. None if it is before `earlier`.
    pub fn since(&self, earlier: &Self) -> Option<String> {
        let seconds = self.seconds - earlier.seconds;
        let (unit, name) = match seconds {
            ..0 => return None,
            0..120 => (1, "s"),
            120..7_200 => (60, "min"),
            7_200..172_800 => (60 * 60, "h"),
            _ => (DAY, "days"),
        };
        Some(format!("{} {name}", seconds / unit))
    }
}

/// The numbers between the separators, each with so many digits.
fn numbers(text: &str, separator: char, digits: [usize; 3]) -> Option<[i64; 3]> {
    let parts: [&str; 3] = text.split(separator).collect::<Vec<_>>().try_into().ok()?;
    let is_number =
        |(part, count): (&&str, usize)| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().zip(digits).all(is_number).then(|| parts.map(|part| part.parse().unwrap_or_default()))
}

/// The seconds of `Z`, `+01:00` or `-01:00`.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, hours) = zone.split_at_checked(1)?;
    let [hours, minutes, _] = numbers(&format!("{hours}:00"), ':', [2, 2, 2])?;
    let seconds = (hours < 24 && minutes < 60).then_some((hours * 60 + minutes) * 60)?;
    Some(if sign == "-" { -seconds } else { seconds })
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1970-01-01 to a date. Years are counted from March, so that a leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 153 + 2) / 5 + day
        - 719_469
}

/// Displays as it was written.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-26T10:00:00Z", 1_795_687_200),
            ("2024-02-29T23:59:59.123456Z", 1_709_251_199),
            ("2000-03-01T00:30:00+01:00", 951_867_000),
            ("1969-12-31T23:00:00-01:30", 1_800),
        ] {
            let read = Time::parse(text).unwrap();
            assert_eq!((read.seconds, read.to_string().as_str()), (seconds, text));
        }
        for text in [
            "",
            "2026-11-26",
            "2026-11-26 10:00:00Z",
            "2026-11-26T10:00:00",
            "2026-02-29T10:00:00Z",
            "2026-13-01T10:00:00Z",
            "2026-11-26T24:00:00Z",
            "2026-11-26T10:00:00.Z",
            "2026-11-26T10:00:00+1:00",
            "+026-11-26T10:00:00Z",
            "2026-11-26T10:00:00Zé",
            "2026-11-26T10:00:00+é",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }

    #[test]
    fn ages_have_one_unit() {
        let at = |text: &str| Time::parse(text).unwrap();
        let start = at("2026-11-26T10:00:00Z");
        for (later, age) in [
            ("2026-11-26T10:00:00Z", Some("0 s")),
            ("2026-11-26T10:01:59Z", Some("119 s")),
            ("2026-11-26T10:02:00Z", Some("2 min")),
            ("2026-11-26T11:59:59Z", Some("119 min")),
            ("2026-11-26T12:00:00Z", Some("2 h")),
            ("2026-11-28T10:00:00Z", Some("2 days")),
            ("2026-11-26T09:59:59Z", None),
        ] {
            assert_eq!(at(later).since(&start).as_deref(), age);
        }
    }
}

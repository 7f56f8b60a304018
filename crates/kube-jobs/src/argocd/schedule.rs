//! The schedules and durations of sync windows.

/// The minimum and maximum of each field of a schedule, and the names of its values.
const FIELDS: [(u32, u32, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

/// The longest time between two starts of a schedule within a week, in minutes. The inner value is None if that is unknown. Returns None for a
/// schedule that Argo CD cannot read (`parser.go` of `github.com/robfig/cron/v3`, without descriptors).
pub fn longest_pause(schedule: &str) -> Option<Option<u32>> {
    let zoned = schedule.strip_prefix("CRON_TZ=").or_else(|| schedule.strip_prefix("TZ="));
    let rest = zoned.map_or(Some(schedule), |zoned| zoned.split_once(' ').map(|(_, rest)| rest))?;
    let words: [&str; 5] = rest.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
    let mut values = Vec::new();
    for (word, field) in words.iter().zip(FIELDS) {
        values.push(field_values(word, field)?);
    }
    let [minutes, hours, days, months, weekdays] = values.try_into().ok()?;
    // In a time zone that changes its clocks twice a year, pauses can be longer. With days or months, they can be longer than a week.
    if zoned.is_some() || days.len() < 31 || months.len() < 12 {
        return Some(None);
    }
    let mut starts: Vec<u32> = Vec::new();
    for hour in weekdays.iter().flat_map(|day| hours.iter().map(move |hour| day * 24 + hour)) {
        starts.extend(minutes.iter().map(|minute| hour * 60 + minute));
    }
    let next = starts.iter().skip(1).copied().chain(starts.first().map(|first| first + 7 * 24 * 60));
    Some(next.zip(&starts).map(|(next, start)| next - start).max())
}

/// When a window opens and closes, if it does so at one minute of some days of the week, and lasts less than a day: `daily 07:00–08:00`. `duration` is in
/// seconds.
pub fn in_words(schedule: &str, duration: f64) -> Option<String> {
    let words: [&str; 5] = schedule.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
    let [minute, hour, day, month, weekday] = words;
    let is_any = |word: &str| ["*", "?"].contains(&word);
    let minutes = duration / 60.0;
    if !is_any(day) || !is_any(month) || minutes.fract() != 0.0 || !(1.0..24.0 * 60.0).contains(&minutes) {
        return None;
    }
    let [minute] = field_values(minute, FIELDS[0])?.try_into().ok()?;
    let [hour] = field_values(hour, FIELDS[1])?.try_into().ok()?;
    let start: u32 = hour * 60 + minute;
    // It is less than a day.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let end = (start + minutes as u32) % (24 * 60);
    let [start, end] = [start, end].map(|time| format!("{:02}:{:02}", time / 60, time % 60));
    Some(format!("{} {start}–{end}", weekdays(&field_values(weekday, FIELDS[4])?)))
}

/// `daily`, `on Mondays`, `on Mondays to Fridays`, `on Saturdays and Sundays`
fn weekdays(days: &[u32]) -> String {
    const NAMES: [&str; 7] = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];
    let name = |day: &u32| NAMES.get(*day as usize).copied().unwrap_or_default();
    match days {
        [_, _, _, _, _, _, _] => "daily".to_owned(),
        [0, 6] => "on Saturdays and Sundays".to_owned(),
        [first, .., last] if days.len() > 2 && (last - first) as usize == days.len() - 1 => {
            format!("on {} to {}", name(first), name(last))
        }
        [all @ .., last] if !all.is_empty() => {
            format!("on {} and {}", all.iter().map(name).collect::<Vec<_>>().join(", "), name(last))
        }
        days => format!("on {}", days.iter().map(name).collect::<String>()),
    }
}

/// The values of a field of a schedule, sorted. None if Argo CD cannot read the field.
fn field_values(word: &str, (min, max, names): (u32, u32, &[&str])) -> Option<Vec<u32>> {
    let number = |text: &str| {
        let named = names.iter().position(|name| text.eq_ignore_ascii_case(name)).and_then(|at| u32::try_from(at).ok());
        named.map(|at| at + min).or_else(|| text.parse().ok())
    };
    let mut values = Vec::new();
    for range in word.split(',').filter(|range| !range.is_empty()) {
        let (range, step) = range.split_once('/').map_or((range, None), |(range, step)| (range, Some(step)));
        let (low, high) = range.split_once('-').map_or((range, None), |(low, high)| (low, Some(high)));
        let (start, end) = match (low, high) {
            ("*" | "?", _) => (min, max),
            (low, None) => (number(low)?, if step.is_some() { max } else { number(low)? }),
            (low, Some(high)) => (number(low)?, number(high)?),
        };
        let step: u32 = step.map_or(Some(1), |step| step.parse().ok())?;
        if start < min || end > max || start > end || step == 0 {
            return None;
        }
        values.extend((start..=end).step_by(step as usize));
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// A duration as Go reads it (`time.ParseDuration`), in seconds. None if Go cannot read it.
pub fn go_duration(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 8] =
        [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("μs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Some(0.0);
    }
    let (mut rest, mut sum) = (Some(unsigned).filter(|text| !text.is_empty())?, 0.0);
    while !rest.is_empty() {
        let is_digit = |found: char| found.is_ascii_digit() || found == '.';
        let end = rest.find(|found| !is_digit(found))?;
        let number: f64 = rest[..end].parse().ok()?;
        let unit = &rest[end..];
        let unit = &unit[..unit.find(is_digit).unwrap_or(unit.len())];
        sum += number * UNITS.iter().find(|(name, _)| *name == unit)?.1;
        rest = &rest[end + unit.len()..];
    }
    // Go fails if the nanoseconds do not fit into 64 bits.
    (sum < 9.223_372e9).then_some(if text.starts_with('-') { -sum } else { sum })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_argo_cd_reads_them() {
        for (schedule, pause) in [
            ("* * * * *", Some(Some(1))),
            ("? */15 * * ?", Some(Some(14 * 60 + 1))),
            ("0 0 * * *", Some(Some(24 * 60))),
            ("0 10-16 * * 2-4", Some(Some(114 * 60))),
            ("0 0 * * mon", Some(Some(7 * 24 * 60))),
            ("5/20 23 * JAN-dec *", Some(Some(24 * 60 - 40))),
            (" 0  0 1-31/1 * *", Some(Some(24 * 60))),
            ("0 0 1 * *", Some(None)),
            ("0 0 * 2 *", Some(None)),
            ("TZ=Asia/Tokyo 0 0 * * *", Some(None)),
            ("@daily", None),
            ("", None),
            ("* * * *", None),
            ("* * * * * *", None),
            ("60 * * * *", None),
            ("* * 0 * *", None),
            ("* * * * 7", None),
            ("5-1 * * * *", None),
            ("*/0 * * * *", None),
            ("1-2-3 * * * *", None),
            ("1/2/3 * * * *", None),
            ("* * * * someday", None),
            ("TZ=UTC", None),
        ] {
            assert_eq!(longest_pause(schedule), pause, "{schedule}");
        }
    }

    #[test]
    fn plain_schedules_are_told_in_words() {
        for (schedule, duration, words) in [
            ("0 7 * * *", "1h", Some("daily 07:00–08:00")),
            ("30 22 ? * ?", "4h", Some("daily 22:30–02:30")),
            ("0 7 * * 0-6", "90m", Some("daily 07:00–08:30")),
            ("0 7 * * mon", "1h", Some("on Mondays 07:00–08:00")),
            ("0 7 * * 1-5", "1h", Some("on Mondays to Fridays 07:00–08:00")),
            ("0 7 * * 6,0", "1h", Some("on Saturdays and Sundays 07:00–08:00")),
            ("0 7 * * 1,3,5", "1h", Some("on Mondays, Wednesdays and Fridays 07:00–08:00")),
            ("0 7,9 * * *", "1h", None),
            ("*/5 7 * * *", "1m", None),
            ("0 7 1 * *", "1h", None),
            ("0 7 * 2 *", "1h", None),
            ("0 7 * * *", "24h", None),
            ("0 7 * * *", "30s", None),
            ("TZ=UTC 0 7 * * *", "1h", None),
        ] {
            assert_eq!(in_words(schedule, go_duration(duration).unwrap()).as_deref(), words, "{schedule} {duration}");
        }
    }

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, expected) in [
            ("1h", Some(3600.0)),
            ("1h30m", Some(5400.0)),
            ("1.5h", Some(5400.0)),
            (".5m", Some(30.0)),
            ("-1h", Some(-3600.0)),
            ("+1h", Some(3600.0)),
            ("0", Some(0.0)),
            ("500ms", Some(0.5)),
            ("", None),
            ("-", None),
            ("1", None),
            ("1d", None),
            ("h", None),
            (".h", None),
            ("1h 30m", None),
            ("9999999h", None),
        ] {
            assert_eq!(go_duration(text), expected, "{text}");
        }
    }
}

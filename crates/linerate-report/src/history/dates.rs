//! Instants as dates and times of day, all in UTC.

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// `2026-03-02`. Unit of `us`: microseconds since 1970-01-01 UTC.
pub(super) fn day(us: i64) -> String {
    let [year, month, day] = civil(us.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-03-02 14:05`.
pub(super) fn minute(us: i64) -> String {
    let [hour, minute, ..] = of_day(us);
    format!("{} {hour:02}:{minute:02}", day(us))
}

/// `2026-03-02T14:05:06.000007Z`, as RFC 3339 has it.
pub(super) fn instant(us: i64) -> String {
    let [hour, minute, second, fraction] = of_day(us);
    format!("{}T{hour:02}:{minute:02}:{second:02}.{fraction:06}Z", day(us))
}

/// Hour, minute, second and microsecond of the day.
fn of_day(us: i64) -> [i64; 4] {
    let us = us.rem_euclid(DAY);
    let seconds = us / 1_000_000;
    [seconds / 3_600, seconds / 60 % 60, seconds % 60, us % 1_000_000]
}

/// Year, month and day of the Gregorian calendar, so many days after 1970-01-01.
///
/// Years begin in March here, so that a leap day is the last of its year, and 400 years have 146,097
/// days. Five months from March or August on have 153 days.
fn civil(days: i64) -> [i64; 3] {
    let since_march_0 = days + 719_468;
    let cycle = since_march_0.div_euclid(146_097);
    let left = since_march_0.rem_euclid(146_097);
    let year = (left - left / 1_460 + left / 36_524 - left / 146_096) / 365;
    let of_year = left - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    [cycle * 400 + year + i64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `date --utc --date=@SECONDS`.
    #[test]
    fn dates_are_those_of_the_system() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00"),
            (-1, "1969-12-31 23:59"),
            (951_782_399, "2000-02-28 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (951_868_800, "2000-03-01 00:00"),
            (1_709_251_199, "2024-02-29 23:59"),
            (1_735_689_600, "2025-01-01 00:00"),
            (4_107_542_400, "2100-03-01 00:00"),
            (1_772_460_306, "2026-03-02 14:05"),
        ] {
            assert_eq!(minute(seconds * 1_000_000), expected, "{seconds}");
        }
        assert_eq!(instant(1_772_460_306_000_007), "2026-03-02T14:05:06.000007Z");
        assert_eq!(day(1_772_460_306_000_007), "2026-03-02");
    }

    #[test]
    fn a_day_follows_a_day_for_centuries() {
        let mut before = civil(-200_000);
        for days in -199_999..200_000 {
            let next = civil(days);
            let follows = next[2] == before[2] + 1 && next[..2] == before[..2];
            let month = next[2] == 1 && (28..=31).contains(&before[2]);
            assert!(follows || month, "{before:?} {next:?}");
            before = next;
        }
    }

    #[test]
    fn no_instant_is_too_far() {
        for us in [i64::MIN, i64::MAX] {
            assert!(instant(us).ends_with('Z'));
        }
    }
}

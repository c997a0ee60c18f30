//! CPU quotas of control groups, and for how long they stopped this process.

use linerate_core::environment::Fact;
use linerate_core::observation::Throttled;
use linerate_core::units::Span;

use super::Unread;
use super::cgroup::Groups;
use super::proc_text::{number, read};

/// Why nothing is throttled.
const WITHOUT_QUOTA: &str = "no CPU quota";

/// The quotas of the group of the calling thread and of those above it, with what their counters say now.
#[derive(Debug)]
pub(super) struct Quotas(Result<Vec<Throttled>, Unread>);

impl Quotas {
    /// Reads them.
    pub(super) fn read() -> Self {
        Self(Groups::of("cpu").map(|groups| {
            let quotas = groups.levels.iter().filter_map(|level| quota_of(&groups, level));
            quotas.collect()
        }))
    }

    /// What the quota that throttled most has done since `before`; of those that did nothing, the tightest.
    pub(super) fn since(&self, before: &Self) -> Fact<Throttled> {
        let (now, before) = match (&self.0, &before.0) {
            (Ok(now), Ok(before)) => (now, before),
            (Err(why), _) | (_, Err(why)) => return Fact::unknown(why.to_string()),
        };
        let grown = now.iter().filter_map(|now| {
            let before = before.iter().find(|before| before.group == now.group)?;
            Some(Throttled {
                periods: now.periods.saturating_sub(before.periods),
                throttled_periods: now.throttled_periods.saturating_sub(before.throttled_periods),
                throttled: now.throttled.saturating_sub(before.throttled),
                ..now.clone()
            })
        });
        let tightness = |quota: &Throttled| -quota.processors();
        let order = |one: &Throttled, other: &Throttled| {
            one.throttled.cmp(&other.throttled).then(tightness(one).total_cmp(&tightness(other)))
        };
        grown.max_by(order).map_or_else(|| Fact::unknown(WITHOUT_QUOTA), Fact::Known)
    }
}

/// The quota of one group. Absent if it has none.
fn quota_of(groups: &Groups, level: &str) -> Option<Throttled> {
    let file = |name: &str| read(groups.folder(level).join(name)).ok();
    let limit = if groups.unified {
        file("cpu.max")?
    } else {
        format!("{} {}", file("cpu.cfs_quota_us")?.trim(), file("cpu.cfs_period_us")?)
    };
    quota(&limit, &file("cpu.stat")?).map(|quota| Throttled { group: format!("{level}/"), ..quota })
}

/// Of a `cpu.max` (`15000 100000`; `max` or -1 is no quota) and a `cpu.stat`, whose throttled time is in microseconds
/// in version 2 and in nanoseconds in version 1. Absent without a quota.
///
/// Source: kernel documentation, admin-guide/cgroup-v2 and scheduler/sched-bwc.
pub(super) fn quota(limit: &str, stat: &str) -> Option<Throttled> {
    let (quota, period) = limit.trim().split_once(' ')?;
    let us = |text: &str| number(text).ok().filter(|us| *us > 0).map(Span::from_us);
    let count = |name: &str| {
        let line = stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| number(value).ok())
    };
    let throttled = count("throttled_usec").map(Span::from_us);
    Some(Throttled {
        group: String::new(),
        quota: us(quota)?,
        period: us(period)?,
        periods: count("nr_periods")?,
        throttled_periods: count("nr_throttled")?,
        throttled: throttled.or_else(|| count("throttled_time").map(Span::from_ns))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(group: &str, quota_ms: u64, throttled_ms: u64) -> Throttled {
        Throttled {
            group: group.to_owned(),
            quota: Span::from_ms(quota_ms),
            period: Span::from_ms(100),
            periods: throttled_ms,
            throttled_periods: throttled_ms / 2,
            throttled: Span::from_ms(throttled_ms),
        }
    }

    #[test]
    fn either_version_gives_its_quota_and_what_it_did() {
        let new = "usage_usec 12\nnr_periods 40\nnr_throttled 31\nthrottled_usec 1500000\nnr_bursts 0\n";
        let old = "nr_periods 40\nnr_throttled 31\nthrottled_time 1500000000\nnr_bursts 0\n";
        let expected = Throttled {
            group: String::new(),
            quota: Span::from_ms(15),
            period: Span::from_ms(100),
            periods: 40,
            throttled_periods: 31,
            throttled: Span::from_ms(1_500),
        };
        assert_eq!(quota("15000 100000\n", new), Some(expected.clone()));
        assert_eq!(quota("15000 100000", old), Some(expected));
        for limit in ["max 100000\n", "-1 100000", "15000", "0 100000", "15000 0", ""] {
            assert_eq!(quota(limit, new), None, "{limit}");
        }
        assert_eq!(quota("15000 100000", "usage_usec 12\n"), None);
    }

    #[test]
    fn the_group_that_throttled_most_is_named() {
        let quotas = |all: &[Throttled]| Quotas(Ok(all.to_vec()));
        let before = quotas(&[at("/a/b/", 50, 10), at("/a/", 20, 10), at("/", 80, 0)]);
        let after = quotas(&[at("/a/b/", 50, 90), at("/a/", 20, 30), at("/", 80, 5)]);
        assert_eq!(after.since(&before), Fact::Known(at("/a/b/", 50, 80)));
        assert_eq!(
            before.since(&before).known().map(|quota| quota.group.as_str()),
            Some("/a/"),
            "the tightest"
        );
        assert_eq!(quotas(&[]).since(&before), Fact::unknown(WITHOUT_QUOTA));
    }
}

//! Where the processors' time went.

use super::super::Unread;

/// Ticks of each kind that every processor has counted.
#[derive(Debug, Default)]
pub(in super::super) struct Processors(Vec<Ticks>);

/// Unit: clock ticks (`sysconf(_SC_CLK_TCK)`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ticks {
    processor: u64,
    pub(super) user: u64,
    pub(super) system: u64,
    pub(super) irq: u64,
    pub(super) softirq: u64,
    pub(super) steal: u64,
    pub(super) idle: u64,
}

/// What the processors did between two moments.
#[derive(Debug, Default)]
pub(super) struct Busy {
    pub(super) all: Ticks,
    /// The busiest processor's share of time not idle.
    pub(super) busiest: f64,
    /// The largest share of one processor's time in interrupts of both kinds.
    pub(super) interrupts: f64,
}

impl Processors {
    /// The lines `cpu0`, `cpu1`, ... of `/proc/stat`; other lines are left out.
    ///
    /// User is `user` and `nice`, of which time in guests is a part; idle is `idle` and `iowait`.
    /// Source: proc_stat(5).
    pub(in super::super) fn of(text: &str) -> Self {
        Self(text.lines().filter_map(Ticks::of).collect())
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// What one processor did from `before` to now: its share of time not idle, and of that in
    /// interrupts.
    pub(super) fn of_one(&self, before: &Self, processor: u64) -> Option<[f64; 2]> {
        let [then, now] = [before, self].map(|all| all.0.iter().find(|one| one.processor == processor));
        let spent = now?.less(then?);
        Some([spent.share(spent.work()), spent.share(spent.in_interrupts())])
    }

    /// From `before` to now. A processor that is new is left out: it came online, and its counters
    /// cover another time. A counter that fell, as `iowait` may, counts as unchanged.
    pub(super) fn since(&self, before: &Self) -> Busy {
        let mut busy = Busy::default();
        for now in &self.0 {
            let Some(then) = before.0.iter().find(|then| then.processor == now.processor) else { continue };
            let spent = now.less(then);
            busy.all = busy.all.plus(&spent);
            busy.busiest = busy.busiest.max(spent.share(spent.work()));
            busy.interrupts = busy.interrupts.max(spent.share(spent.in_interrupts()));
        }
        busy
    }
}

impl Ticks {
    fn of(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("cpu")?.split_ascii_whitespace();
        // The sum of all has a space where the others have their number.
        let processor = if line.starts_with("cpu ") { None } else { words.next()?.parse().ok() }?;
        let mut number = || words.next()?.parse::<u64>().ok();
        let (user, nice, system, idle) = (number()?, number()?, number()?, number()?);
        // Columns that old kernels do not have.
        let mut later = || number().unwrap_or(0);
        let (iowait, irq, softirq, steal) = (later(), later(), later(), later());
        Some(Self {
            processor,
            user: user.saturating_add(nice),
            system,
            irq,
            softirq,
            steal,
            idle: idle.saturating_add(iowait),
        })
    }

    fn each(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            processor: self.processor,
            user: of(self.user, other.user),
            system: of(self.system, other.system),
            irq: of(self.irq, other.irq),
            softirq: of(self.softirq, other.softirq),
            steal: of(self.steal, other.steal),
            idle: of(self.idle, other.idle),
        }
    }

    fn less(&self, before: &Self) -> Self {
        self.each(before, u64::saturating_sub)
    }

    fn plus(&self, other: &Self) -> Self {
        self.each(other, u64::saturating_add)
    }

    fn work(&self) -> u64 {
        [self.user, self.system, self.irq, self.softirq, self.steal].into_iter().fold(0, u64::saturating_add)
    }

    fn in_interrupts(&self) -> u64 {
        self.irq.saturating_add(self.softirq)
    }

    /// What share of all its time `ticks` of it are, to the four digits that ticks are worth.
    fn share(&self, ticks: u64) -> f64 {
        let whole = self.work().saturating_add(self.idle);
        if whole > 0 { (ticks as f64 / whole as f64 * 1e4).round() / 1e4 } else { 0.0 }
    }
}

/// The first number of `/proc/loadavg`: tasks that run or wait, averaged over a minute.
///
/// Source: proc_loadavg(5).
pub(in super::super) fn load_average(text: &str) -> Result<f64, Unread> {
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    let load = word.parse::<f64>().ok().filter(|load| load.is_finite() && *load >= 0.0);
    load.ok_or_else(|| Unread::Number(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "\
cpu  150 10 60 900 20 1 5 18 0 0
cpu0 100 10 40 400 10 1 5 9 0 0
cpu1 50 0 20 500 10 0 0 9 0 0
intr 1 2 3
cpus 1 2 3 4
";

    #[test]
    fn every_processor_has_its_line_and_the_sum_is_none() {
        let read = Processors::of(STAT);
        assert_eq!(read.count(), 2);
        let first = Ticks { processor: 0, user: 110, system: 40, irq: 1, softirq: 5, steal: 9, idle: 410 };
        assert_eq!(read.0[0], first);
        assert_eq!(Processors::of("cpu0 1 2 3 4\n").0[0].softirq, 0, "an old kernel has four columns");
        assert_eq!(Processors::of("cpu0 1 2 3\ncpu1 1 2 x 4 5\ncpu").count(), 0, "fewer are no line");
    }

    #[test]
    fn the_busiest_processor_is_found_among_those_that_were_there_before() {
        let before = Processors::of("cpu0 10 0 0 90\ncpu2 0 0 0 100\n");
        let after = Processors::of("cpu0 20 0 0 180\ncpu1 500 0 0 0\ncpu2 75 0 0 125\n");
        let busy = after.since(&before);
        assert_eq!(busy.busiest, 0.75, "75 of 100 ticks of the third");
        assert_eq!((busy.all.user, busy.all.idle), (85, 115));
    }

    #[test]
    fn interrupts_are_those_of_one_processor_and_no_other_work() {
        let before = Processors::of("cpu0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0\n");
        let after = Processors::of("cpu0 95 0 0 0 0 0 5\ncpu1 0 0 40 20 0 10 30\n");
        let busy = after.since(&before);
        assert_eq!((busy.busiest, busy.interrupts), (1.0, 0.4));
        assert_eq!(after.of_one(&before, 1), Some([0.8, 0.4]));
        assert_eq!(after.of_one(&before, 2), None);
    }

    #[test]
    fn counters_that_fall_or_stand_still_are_no_work() {
        let (low, high) = (Processors::of("cpu0 1 0 0 1 1\n"), Processors::of("cpu0 1 0 0 1 9\n"));
        assert_eq!(low.since(&high).busiest, 0.0);
        assert_eq!(low.since(&low).all, Ticks::default());
    }

    #[test]
    fn a_load_average_is_a_number_or_said_to_be_none() {
        assert_eq!(load_average("1.25 0.35 0.11 1/279 11336\n").expect("a load"), 1.25);
        for text in ["", "inf 1", "NaN", "-1.0", "one"] {
            assert!(load_average(text).is_err(), "{text}");
        }
    }
}

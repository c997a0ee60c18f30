//! Processors: for how long they work for a message, and what that grows with.

use super::bound::{Bound, Cost, Which};
use super::candidate::Candidate;
use super::facts::{Facts, Observed, Setting};
use super::words::{percent, us};

/// A thread that runs, or is ready to, for this share of the time has none left,
pub(super) const SATURATED: f64 = 0.9;
/// and its own work is what binds if it runs for this share.
const ALMOST: f64 = 0.8;
/// One that has less waits for something else, however busy it looks: its share counts for this part.
const NOT_SATURATED: f64 = 0.5;
/// Segments that hold less than this many times the segment size were sent one by one,
const ONE_BY_ONE: f64 = 1.5;
/// and none of them is larger than an Ethernet frame can be. Unit: bytes.
const FRAME: f64 = 9_216.0;
/// Where this part of the work for a message is there for the smallest message too, it is for each message.
const MOSTLY: f64 = 0.5;

/// How much of the time of a message the processors of both ends are on its way. They work one after the other for
/// the first segment of it, and at the same time for those that follow; on one processor always in turns.
pub(super) fn on_the_way(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> f64 {
    let [ours, theirs] = observed.cpu;
    let segments = observed.segment_bytes.map_or(1.0, |bytes| (facts.size as f64 / bytes).max(1.0));
    if observed.share_a_processor(setting) {
        return ours + theirs;
    }
    let first = 1.0 / segments;
    let all = (ours + theirs) * first + ours.max(theirs) * (1.0 - first);
    // Work that grows by more than the time does overlaps with something else.
    let least = facts.least_work.map_or(0.0, |least| least.iter().sum::<f64>()).min(all);
    least + (all - least).min(facts.growing_at_most())
}

/// Both processors, one after the other, or the one that both ends share.
///
/// Where the hosts were asked what copies cost, as much of the work as these take is memory's.
pub(super) fn serial(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> Vec<Candidate> {
    let [ours, theirs] = observed.cpu;
    let work = ours + theirs;
    let cost = cost(observed, work, facts.least_work.map(|least| least.iter().sum()));
    let which = if observed.share_a_processor(setting) { Which::Shared } else { Which::Both };
    // Known of hosts and not of models, and told apart where the host was asked what a wake-up takes.
    let wakes = which == Which::Both
        && setting.wake_up().is_none()
        && observed.turns.iter().flatten().any(|it| *it > 0.0);
    let says = format!(
        "{} of {} here and {} there{}{}",
        us(ours),
        us(observed.base),
        us(theirs),
        in_units(facts, observed, work, cost),
        if wakes { "; waking the other end is a part of it (--host-limits says how much)" } else { "" },
    );
    let share = observed.share(on_the_way(setting, facts, observed));
    let (memory, copies) = memory(setting, facts, work, share);
    vec![Candidate::new(Bound::Processor(which, cost), share - copies, says), memory]
}

/// The part of `work` for a message that is copies at the speed of memory, of processors that account for this
/// `share` of the time; and that part.
fn memory(setting: &Setting<'_>, facts: &Facts, work: f64, share: f64) -> (Candidate, f64) {
    let Some(copies) = setting.copies(facts.size).filter(|_| work > 0.0) else {
        let why = "no host was asked what copies cost (--host-limits)";
        return (Candidate::unknown(Bound::Memory, why), 0.0);
    };
    let part = share.min(1.0) * (copies / work).min(1.0);
    let says = format!("this host copies {} B into the kernel and out of it in {}", facts.size, us(copies));
    (Candidate::new(Bound::Memory, part, says), part)
}

/// The processors of messages that overlap. One binds only if it is saturated; if both are, each holds the other's messages
/// back, and to make one faster gains nothing.
pub(super) fn pipelined(facts: &Facts, observed: &Observed) -> Vec<Candidate> {
    let [ours, theirs] = [0, 1].map(|end| Worked::at(facts, observed, end));
    let both = ours.share.min(theirs.share);
    let of = |which, cost, share, says| Candidate::new(Bound::Processor(which, cost), share, says);
    if both >= SATURATED {
        let cost = if ours.share >= theirs.share { ours.cost } else { theirs.cost };
        return vec![of(Which::Both, cost, both, format!("here {}; there {}", ours.says, theirs.says))];
    }
    vec![
        of(Which::Sender, ours.cost, ours.share, ours.says),
        of(Which::Receiver, theirs.cost, theirs.share, theirs.says),
    ]
}

/// What the processor of one end of messages that overlap worked.
struct Worked {
    cost: Cost,
    share: f64,
    says: String,
}

impl Worked {
    fn at(facts: &Facts, observed: &Observed, end: usize) -> Self {
        let (cpu, waited) = (observed.cpu[end], observed.waited[end].unwrap_or(0.0));
        let busy = observed.share_of_mean(cpu);
        let all = busy + observed.share_of_mean(waited);
        let share = if all >= SATURATED && busy >= ALMOST { busy } else { busy * NOT_SATURATED };
        let cost = cost(observed, cpu, facts.least_work.map(|least| least[end]));
        let says =
            format!("it worked for {} of the time{}", percent(busy), in_units(facts, observed, cpu, cost));
        Self { cost, share, says }
    }
}

/// What the work of `cpu` for a message grows with.
fn cost(observed: &Observed, cpu: f64, least: Option<f64>) -> Cost {
    let Some(least) = least else { return Cost::Unknown };
    if least >= cpu * MOSTLY {
        return Cost::Message;
    }
    match (observed.segment_bytes, observed.largest_segment()) {
        (Some(bytes), Some(largest)) if bytes <= FRAME.min(largest * ONE_BY_ONE) => Cost::Segment,
        _ => Cost::Byte,
    }
}

fn in_units(facts: &Facts, observed: &Observed, cpu: f64, cost: Cost) -> String {
    let each = cpu / facts.size.max(1) as f64;
    match (cost, observed.segment_bytes) {
        (Cost::Message, _) => format!(", {} a message", us(cpu)),
        (Cost::Segment, Some(bytes)) => format!(", {} a segment of {bytes:.0} B", us(each * bytes)),
        (Cost::Byte, Some(bytes)) => format!(", {each:.0} ps a byte in segments of {bytes:.0} B"),
        (Cost::Byte, None) => format!(", {each:.0} ps a byte"),
        (Cost::Segment, None) | (Cost::Unknown, _) => String::new(),
    }
}

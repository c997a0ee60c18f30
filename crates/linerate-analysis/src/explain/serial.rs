//! Ping-pong: one message is under way at a time, so the parts of its time add up.

use linerate_core::units::Rate;

use super::bound::Bound;
use super::candidate::Candidate;
use super::facts::{Facts, Observed, Setting};
use super::words::us;
use super::{processors, tcp};

/// Waking a thread takes no longer, also from a processor's deepest sleep. Unit: picoseconds.
const LONGEST_WAKE_UP: f64 = 1e9;
/// Ends that are given a processor less often than this for each message were not asleep when it came.
const ASLEEP: f64 = 0.2;

/// The share of every bound in the time of a message.
pub(super) fn candidates(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> Vec<Candidate> {
    let mut all = vec![link(setting, facts, observed), others(setting, facts, observed)];
    all.extend(processors::serial(setting, facts, observed));
    let cpu = processors::on_the_way(setting, facts, observed);
    let left =
        (observed.base - cpu - others_wait(facts, observed).map_or(0.0, |[_, waited]| waited)).max(0.0);
    let wire = facts.wire(setting);
    let delay = delay(setting, facts, observed).unwrap_or(0.0);
    // The delay of the path is there whatever the size. Where no other size tells how much grows, all may that wake-ups do not
    // take: between nothing and the longest.
    let growing = match facts.growing {
        Some(growing) => left * (growing / facts.time),
        None if facts.fits_the_shortest_frame() || setting.nagle == Some(true) => 0.0,
        None => left - delay - (left - delay).clamp(0.0, longest_wake_ups(observed)) / 2.0,
    };
    let growing = growing.max(facts.passing).min(left - delay);
    let growing = (growing + hop_frame(setting, facts, observed)).max(wire).min(left);
    let (by_tcp, left) = tcp::stalls(setting, facts, observed, left, left - growing - delay);
    all.extend(by_tcp);
    let growing = growing.min(left);
    let fixed_part = (left - growing).min(facts.least_time);
    let flights = tcp::flights(facts, observed, left - fixed_part, wire.max(facts.passing));
    all.push(rate(setting, facts, observed, growing - flights.as_ref().map_or(0.0, |(_, waits)| *waits)));
    if let Some((candidate, _)) = flights {
        merge(&mut all, candidate);
    }
    all.extend(fixed(setting, facts, observed, fixed_part));
    tell_wake_ups(setting, observed, &mut all);
    all
}

/// Waking a processor is partly work of the one that wakes it, and then in the processors' share. Where the host was
/// asked what it takes, as much of that share is the wake-ups'.
fn tell_wake_ups(setting: &Setting<'_>, observed: &Observed, all: &mut [Candidate]) {
    let turns: Option<f64> = observed.turns.iter().copied().sum();
    let (Some(each), Some(turns)) = (setting.wake_up(), turns) else { return };
    if !asleep(setting, observed) || observed.share_a_processor(setting) {
        return;
    }
    let place = |of: fn(Bound) -> bool| all.iter().position(|it| of(it.bound));
    let woken = place(|bound| bound == Bound::WakeUp);
    let working = place(|bound| matches!(bound, Bound::Processor(..)));
    let (Some(woken), Some(working)) = (woken, working) else { return };
    let known = observed.share(each * turns);
    let moved = (known - all[woken].known_share()).clamp(0.0, all[working].known_share());
    for (place, by) in [(woken, moved), (working, -moved)] {
        all[place].share = all[place].share.map(|share| share + by);
    }
}

/// One way of the least round trip, without what its frames took of the link and of a slower hop. Absent if no round trip is known.
fn delay(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> Option<f64> {
    let half = observed.least_round_trip()? / 2.0;
    Some((half - setting.wire(1, Some(1.0)) - hop_frame(setting, facts, observed)).max(0.0))
}

/// What the shortest frame takes of a hop that is slower than the link.
fn hop_frame(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> f64 {
    let half = observed.least_round_trip().unwrap_or(0.0) / 2.0;
    (facts.shortest_frame.min(half) - setting.wire(1, Some(1.0))).max(0.0)
}

/// What both waited for a processor, in the mean and of a message. While a message of several segments passes, an end may
/// wait without losing time.
fn others_wait(facts: &Facts, observed: &Observed) -> Option<[f64; 2]> {
    let most = (observed.base - facts.passing).max(0.0);
    observed.waited().map(|[mean, waited]| [mean, waited.min(most)])
}

/// Whether the ends were asleep when a message came, as far as is known.
fn asleep(setting: &Setting<'_>, observed: &Observed) -> bool {
    !setting.spins && observed.turns.iter().all(|turns| turns.is_none_or(|it| it >= ASLEEP))
}

/// What the wake-ups of a message take at most: while it passes, one at each end.
fn longest_wake_ups(observed: &Observed) -> f64 {
    observed.turns.iter().map(|turns| turns.unwrap_or(1.0).min(1.0) * LONGEST_WAKE_UP).sum()
}

/// Adds a candidate, or keeps the larger share of the two that there are then of its bound.
fn merge(all: &mut Vec<Candidate>, candidate: Candidate) {
    match all.iter_mut().find(|it| it.bound == candidate.bound) {
        Some(it) if it.share < candidate.share => *it = candidate,
        Some(_) => {}
        None => all.push(candidate),
    }
}

fn link(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> Candidate {
    match setting.link {
        Some(_) => {
            let wire = facts.wire(setting);
            let says = format!("{} of {} on the link, with framing", us(wire), us(observed.base));
            Candidate::new(Bound::Link, observed.share(wire), says)
        }
        None => Candidate::unknown(Bound::Link, setting.no_link),
    }
}

fn others(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> Candidate {
    if setting.modelled {
        return Candidate::new(Bound::Others, 0.0, "a model runs no other program");
    }
    match others_wait(facts, observed) {
        Some([mean, waited]) => {
            let [median, mean] = [waited, mean].map(us);
            let says = format!(
                "both ends waited {median} for a processor that another thread had ({mean} in the mean of all messages)"
            );
            Candidate::new(Bound::Others, observed.share(waited), says)
        }
        None => {
            Candidate::unknown(Bound::Others, "a host does not say how long threads waited for a processor")
        }
    }
}

/// What grows with the size, and no processor, window or known link accounts for.
fn rate(setting: &Setting<'_>, facts: &Facts, observed: &Observed, growing: f64) -> Candidate {
    let wire = facts.wire(setting);
    let rest = (growing - wire).max(0.0);
    let rate =
        Rate::from_bits_per_second(facts.size as f64 * 8e12 / facts.growing.unwrap_or(growing).max(1.0));
    let says =
        format!("{} grow with the size and are neither a processor's nor a window's: as at {rate}", us(rest));
    Candidate::new(Bound::PathRate, observed.share(rest), says)
}

/// What does not grow with the size, and no processor accounts for: `left` of a message's time.
fn fixed(setting: &Setting<'_>, facts: &Facts, observed: &Observed, left: f64) -> [Candidate; 3] {
    let delay = delay(setting, facts, observed);
    let slept = asleep(setting, observed);
    let timer = setting.timer.unwrap_or(0.0).min(left);
    let path = match delay {
        // Nobody sleeps, so it is on its way.
        _ if !slept => left - timer,
        Some(delay) => (delay - timer).clamp(0.0, left - timer),
        None if setting.one_host => 0.0,
        // It may be either's.
        None => (left - timer) / 2.0,
    };
    let woken = if slept { (left - timer - path).min(longest_wake_ups(observed)) } else { 0.0 };
    [
        Candidate::new(Bound::PathDelay, observed.share(path), path_says(observed, path, delay)),
        Candidate::new(Bound::WakeUp, observed.share(woken), woken_says(setting, observed, woken, slept)),
        match setting.timer {
            Some(timer) => {
                let says = format!("rx-usecs are {} in the mean of both ends", us(timer));
                Candidate::new(Bound::Coalescing, observed.share(timer.min(left)), says)
            }
            None => Candidate::unknown(Bound::Coalescing, "no interface states its rx-usecs"),
        },
    ]
}

fn path_says(observed: &Observed, path: f64, delay: Option<f64>) -> String {
    match delay {
        Some(delay) => format!("half of the least round trip is {}", us(delay)),
        None => format!("up to {} of {}; no round trip is known", us(path), us(observed.base)),
    }
}

fn woken_says(setting: &Setting<'_>, observed: &Observed, woken: f64, slept: bool) -> String {
    if setting.spins {
        return "receivers spin, so nobody is woken".to_owned();
    }
    let turns: Vec<String> = observed.turns.iter().flatten().map(|turns| format!("{turns:.1}")).collect();
    let turns = if turns.is_empty() { "an unknown number of".to_owned() } else { turns.join(" and ") };
    if slept {
        let [left, whole] = [woken, observed.base].map(us);
        let known = setting.wake_up().map_or(String::new(), |wake_up| {
            format!(
                "; on another, idle processor this host wakes a thread {} later than on the same",
                us(wake_up)
            )
        });
        format!(
            "{left} of {whole} are left beside processors and path; the ends slept {turns} times a message{known}"
        )
    } else {
        format!("the ends hardly slept: {turns} times a message")
    }
}

//! What cautions say, and advise.

use std::borrow::Cow;
use std::fmt;

use super::Caution;

impl Caution {
    /// What was seen.
    #[must_use]
    pub fn finding(&self) -> String {
        match self {
            Self::SameHost { apart: false } => {
                "both ends run on one host: this measures its memory and scheduler, not a network".into()
            }
            Self::SameHost { apart: true } => {
                "both ends, and the virtual network between them, share the processors and memory of one host"
                    .into()
            }
            Self::SameCpu { cpu } => format!("both ends ran on processor {cpu} and took turns"),
            Self::SlowClock { side, clocksource } => {
                format!("{side} reads the time from `{clocksource}`, not from the processor's counter")
            }
            Self::ClockBackwards { side, times } => {
                format!("the clock of {side} stepped back {}", count(*times, "time", "times"))
            }
            Self::Noisy { side, share, longest } => format!(
                "{side} lost {:.1} % of its time to other work, up to {longest} at a time",
                share * 100.0
            ),
            Self::Crowded { side, share } => {
                format!(
                    "the measuring thread of {side} waited for a processor {:.1} % of the run",
                    share * 100.0
                )
            }
            Self::Throttled { side, group, quota, period, share } => format!(
                "a CPU quota of {quota} every {period} (cgroup {group}) stopped {side} for {:.1} % of the run",
                share * 100.0
            ),
            Self::BlackHole { side, largest, mtu } => format!(
                "packets of {mtu} B from {side} vanish on the path, and those of {largest} B arrive: a hop has a smaller MTU, and its ICMP does not come back"
            ),
            Self::PaceMissed { asked, got } => {
                format!("a rate of {asked} was requested and {got} was achieved")
            }
            Self::CutOff { bytes } => format!(
                "{bytes} B still waited in buffers and queues when the time was over: discarded, and not counted"
            ),
            Self::AccountLate { side, gone } => format!(
                "the account of {side} {}: its counts are those that it last reported, and what its host did is missing",
                if *gone { "never came" } else { "came too late" }
            ),
            Self::Brief { bytes, messages, span } => format!(
                "a flow moved only {bytes} B in {} within {span}: its rate is that of a burst",
                count(*messages, "message", "messages")
            ),
            Self::Omitted { longest, requests } => format!(
                "a closed loop waited {longest} for one response and sent nothing meanwhile: some {} are missing from the percentiles (coordinated omission)",
                count(*requests, "request", "requests")
            ),
            Self::BeganFaster { whole, later } => {
                format!("bulk began faster than it went on: {whole} over all, {later} in the second half")
            }
            Self::Silent { silent } => format!("no byte moved for {silent}, until the time was over"),
            Self::LinkDown { side, down } => format!("the link of {side} was down for {down}"),
            Self::Nagle { share } => format!(
                "requests waited for the acknowledgement of earlier ones at {:.0} % of the looks (Nagle's algorithm)",
                share * 100.0
            ),
            Self::Unsent { requests } => {
                let due = count(*requests, "request was", "requests were");
                format!("{due} due but never sent, so the percentiles look too good")
            }
            Self::Foreign { datagrams } => {
                let came = count(*datagrams, "datagram arrived that does", "datagrams arrived that do");
                format!("{came} not belong to this load (not counted in its result)")
            }
            Self::Bleached { side, datagrams, arrived } => format!(
                "a hop on the path from {side} clears or changes ECN: {datagrams} of {} arrived without the code point that they left with",
                count(*arrived, "datagram", "datagrams")
            ),
            Self::Governor { side, governor } => {
                format!("{side} varies its processor frequency (governor `{governor}`)")
            }
            Self::NotGranted { side, option, asked, granted } => {
                format!("{side} was asked for {option} {asked} and granted {granted}")
            }
            Self::PathNotProven { side, interface, payload, counted } => format!(
                "{payload} B of payload passed, but `{interface}` of {side} counted {counted} B: the payload did not cross it"
            ),
            Self::OtherTraffic { side, interface, extra } => {
                format!("`{interface}` of {side} carried {extra} B besides the measurement")
            }
            Self::Retransmitted { side, segments, of } => {
                format!("{side} retransmitted {segments} of {of} segments")
            }
            Self::FewRounds { sizes, from } => {
                let were = if *sizes == 1 { "was" } else { "were" };
                let sizes = count(*sizes, "size", "sizes");
                format!("{sizes} from {from} B {were} measured too few times for an interval")
            }
            Self::WideIntervals { sizes, of, target } => {
                let have = if *sizes == 1 { "has" } else { "have" };
                format!("{sizes} of {of} sizes {have} an interval wider than +-{} %", target * 100.0)
            }
            Self::NotTimed { sizes, from, needed } => {
                let were = if *sizes == 1 { "was" } else { "were" };
                let needed = needed.map(|needed| format!(": one round of all takes about {needed}"));
                let needed = needed.unwrap_or_default();
                format!("{} from {from} B {were} not timed{needed}", count(*sizes, "size", "sizes"))
            }
            Self::WakeUpsDrift { ratio } => format!(
                "small messages took up to {ratio:.1} times longer in some rounds than in others, as waking the receivers does"
            ),
            Self::InBursts { sizes, from } => {
                let were = if *sizes == 1 { "was" } else { "were" };
                let sizes = count(*sizes, "size", "sizes");
                format!(
                    "{sizes} from {from} B {were} not timed for long enough: in short bursts, faster than the path carries for long"
                )
            }
            Self::SustainedUnknown { .. } => {
                "no peak: the time was not enough to see what the path sustains one way".to_owned()
            }
            Self::AboveSustained { size, rate, sustained } => format!(
                "messages of {size} B went to and fro at {rate}, and messages one way after them at {sustained}: a shaper lets bursts pass, or the way back is faster"
            ),
            Self::Late { size, after } => {
                format!(
                    "a trial of {size} B was ended after {after}, when the time was over; nothing of it is counted"
                )
            }
            Self::AboveLink { size, throughput, link } => {
                format!("{size} B measured {throughput}, above the link's {link}")
            }
            Self::IllegalDiameter { round_trip_bits, slot_bits } => format!(
                "the collision domain is too wide: the round trip takes {round_trip_bits} bit times, and the slot time is {slot_bits}"
            ),
            Self::DuplexMismatch { cable } => {
                format!("{cable} is full duplex at one end and half duplex at the other")
            }
            Self::FramesLost { lost, offered, cause } => format!(
                "{:.1} % of the frames were lost ({cause}), and the delays do not count them",
                *lost as f64 / (*offered).max(1) as f64 * 100.0
            ),
            Self::WithoutEffect { key, why } => format!("`{key}` has no effect: {why}"),
            Self::RanksShareHost { ranks, of } => format!(
                "{ranks} of {of} ranks share a host with another: what passes between those crosses no network"
            ),
            Self::MoreRanksThanProcessors { host, ranks, processors } => {
                let processors = count(*processors, "processor", "processors");
                format!(
                    "{host} has {ranks} ranks on {processors}: they wait for each other, and the times are not the network's"
                )
            }
            Self::RanksShareProcessor { host, ranks, cpu } => {
                format!("{ranks} ranks of {host} ran on processor {cpu} only, and took turns")
            }
            Self::RanksTookAnotherWay { host, more, interface, payload, counted } => {
                let others = if *more == 0 { String::new() } else { format!(" (and {more} more like it)") };
                format!(
                    "{payload} B passed between {host}{others} and other hosts, but its `{interface}` counted {counted} B: the payload took another way"
                )
            }
            Self::NoisyHosts { hosts, of, worst, share } => {
                let lost = count(*hosts, "host", "hosts");
                format!("{lost} of {of} lost time to other work; {worst} lost {:.1} %", share * 100.0)
            }
            Self::ThrottledHosts { hosts, of, worst, share } => {
                let stopped = count(*hosts, "host", "hosts");
                format!("CPU quotas stopped {stopped} of {of}; {worst} for {:.1} % of the run", share * 100.0)
            }
            Self::MeshInBursts { size, rate, largest, largest_rate } => {
                format!("messages of {size} B came out at {rate}, and those of {largest} B at {largest_rate}")
            }
            Self::Incomplete { reason } => format!("the run did not end as planned: {reason}"),
            Self::Later => "a newer linerate recorded a caution that this version does not know".into(),
            Self::LinesSkipped { lines, which } => {
                let more = lines.saturating_sub(which.len() as u64);
                let more = if more > 0 { format!("; and {more} more") } else { String::new() };
                let were = count(*lines, "line was", "lines were");
                format!("{were} skipped: {}{more}", which.join("; "))
            }
            Self::Imported { program } => {
                format!("{program} recorded no hosts, link, options or spread")
            }
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn advice(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::SameHost { apart: false } => {
                "run `linerate serve` on a second host and `linerate measure HOST` here"
            }
            Self::SameHost { apart: true } => {
                "compare only with runs on this host: where a processor is the limit, two hosts carry more"
            }
            Self::SameCpu { .. } => "pin the ends to two processors with --pin LOCAL,REMOTE",
            Self::SlowClock { .. } => {
                "choose another clock source in /sys/devices/system/clocksource, or trust only long times"
            }
            Self::ClockBackwards { .. } => "do not trust these times; use a host with a steady clock",
            Self::Noisy { .. } => {
                "stop other work on that host, or pin the thread to a quiet processor with --pin"
            }
            Self::Crowded { .. } => {
                "stop other work on that host, or give the measurement a processor of its own"
            }
            Self::Throttled { .. } | Self::ThrottledHosts { .. } => {
                "raise the quota (cpu.max; --cpus of a container, the CPU limit of a pod), or read the result as that of the quota"
            }
            Self::BlackHole { .. } => {
                "let ICMP \"fragmentation needed\" and \"packet too big\" pass the firewalls, or lower the interface's MTU to what arrives"
            }
            Self::PaceMissed { .. } => {
                "request a rate that the path, the hosts and the message size can sustain"
            }
            Self::Silent { .. } => "check the path and the server, and measure again",
            Self::LinkDown { .. } => {
                "find out what switched it off or unplugged it (`ip link`, `dmesg`), and measure again"
            }
            Self::Nagle { .. } => "leave --nodelay on, as it is by default",
            Self::CutOff { .. } => "nothing needs to be done; a longer --time makes its share smaller",
            Self::AccountLate { gone: true, .. } => {
                "find out what ended the server or the connection (its log, `dmesg`, a firewall), and measure again"
            }
            Self::AccountLate { gone: false, .. } => {
                "nothing needs to be done for the rate; a lower --rate or fewer flows leave room for the account"
            }
            Self::Brief { .. } => "send more: --bytes 100MB, or --time 5s",
            Self::Omitted { .. } => "send at a fixed rate (--rate), which counts the wait of every request",
            Self::BeganFaster { .. } => {
                "the first part may be what buffers or a shaper let through at once; leave it out with --warm-up"
            }
            Self::Unsent { .. } => "ask for a lower --rate, or for more --flows",
            Self::Foreign { .. } => "find out who else sends to these ports",
            Self::Bleached { .. } => {
                "find the hop that rewrites the octet (a router that sets DSCP as a whole, a tunnel); behind it no queue can mark"
            }
            Self::Governor { .. } => "set the governor to `performance` for steady small-message times",
            Self::NotGranted { .. } => {
                "raise the host's limit (sysctl net.core.rmem_max, wmem_max, allowed congestion controls) or ask for what it grants"
            }
            Self::PathNotProven { .. } => "check the routes, or name the interface with --bind-dev",
            Self::OtherTraffic { .. } => "measure when the interface is idle",
            Self::Retransmitted { .. } => {
                "large-message results include loss recovery; look for drops on the path"
            }
            Self::FewRounds { .. } | Self::NotTimed { .. } | Self::Late { .. } | Self::InBursts { .. } => {
                "allow more --time, or lower --max-size"
            }
            Self::SustainedUnknown { needed: Some(needed) } => {
                return format!(
                    "allow --time {:.0}s or more; --pattern one-way spends all of it on that",
                    needed.as_seconds()
                )
                .into();
            }
            Self::SustainedUnknown { needed: None } => {
                "measure with --pattern one-way, which spends all of --time on that"
            }
            Self::AboveSustained { .. } => {
                "the peak is the rate one way; --pattern one-way shows it for every size"
            }
            Self::WideIntervals { .. } => {
                "allow more --time, more passes if they differ (--repeat), or use a quieter host"
            }
            Self::WakeUpsDrift { .. } => {
                "measure with --wait spin to leave that out, or with --repeat 8 to cover it"
            }
            Self::AboveLink { .. } => "suspect a cache, a wrong link speed, or a batch that ended early",
            Self::Incomplete { .. } => "the results so far are kept; measure again for the rest",
            Self::Later => "read the file with that version",
            Self::IllegalDiameter { .. } => {
                "shorten the cables (length-m, diameter-bits), or read the result as that of an illegal network"
            }
            Self::DuplexMismatch { .. } => "set both ends to negotiate, or both to the same duplex",
            Self::FramesLost { .. } => {
                "offer less or allow more room, or read the result as that of an overloaded network"
            }
            Self::RanksShareHost { .. } => {
                "start one rank on each host, unless memory is what you want to see"
            }
            Self::MoreRanksThanProcessors { .. } => {
                "start fewer ranks there; do not take these times for the network's"
            }
            Self::RanksShareProcessor { .. } => {
                "let the launcher bind ranks to different processors, or to none (mpirun --bind-to none)"
            }
            Self::RanksTookAnotherWay { .. } => {
                "check the routes and the addresses of the ranks (--bind), and whether something offloads the traffic"
            }
            Self::NoisyHosts { .. } => "stop other work on those hosts, or leave them out",
            Self::MeshInBursts { .. } => {
                "the small ones may have passed in the burst of a shaper; trust the largest, or allow a longer --visit"
            }
            Self::WithoutEffect { .. } => "leave it out, or choose a network or a load that uses it",
            Self::LinesSkipped { .. } => "look at these lines of the file; the others are shown",
            Self::Imported { .. } => "read the curve as one sample of an unknown set-up",
        })
    }
}

/// `1 size`, `2 sizes`.
fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

impl fmt::Display for Caution {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}; {}", self.finding(), self.advice())
    }
}

//! The host's UDP counters: the proof of where a datagram was lost.

use super::Unread;
use super::counters::grown;
use super::proc_text::{number, read};

/// Counters of UDP over IPv4 and IPv6 together, of all sockets in a network namespace.
///
/// `in_errors` counts what was dropped for any reason; the errors of buffers, checksums and memory
/// are a part of it. A datagram that was dropped by a full buffer is counted once for the host here
/// and once for the socket in `SO_RXQ_OVFL`.
///
/// Source: `Udp` of `/proc/net/snmp` and `Udp6` of `/proc/net/snmp6`; RFC 4113 for the first four;
/// kernel documentation, networking/snmp_counter. `/proc/net/netstat` has no UDP counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UdpCounters {
    /// Datagrams that applications have read.
    pub in_datagrams: u64,
    /// Datagrams to a port that nobody listened on.
    pub no_ports: u64,
    /// Datagrams that could not be delivered.
    pub in_errors: u64,
    /// Datagrams that were sent.
    pub out_datagrams: u64,
    /// Of the errors, those of a full receive buffer.
    pub receive_buffer_errors: u64,
    /// Datagrams that were not sent, because a send buffer or a queue was full.
    pub send_buffer_errors: u64,
    /// Of the errors, those of a wrong checksum.
    pub checksum_errors: u64,
    /// Of the errors, those of too little memory for all UDP sockets (`udp_mem`); from Linux 5.11.
    pub memory_errors: u64,
}

impl UdpCounters {
    /// Reads the counters of the calling thread's network namespace. Without IPv6 its counters are
    /// zero.
    ///
    /// Errors: no `/proc`, or a text without UDP.
    pub fn read() -> Result<Self, Unread> {
        // `/proc/net` is that of the process's first thread; before Linux 3.17 there is no other.
        let net = |name: &str| {
            read(format!("/proc/thread-self/net/{name}")).or_else(|_| read(format!("/proc/net/{name}")))
        };
        let four = Self::four(&net("snmp")?)?;
        let six = net("snmp6").map(|text| Self::six(&text)).unwrap_or_default();
        Ok(four.each(&six, u64::saturating_add))
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        before.each(self, grown)
    }

    /// The counters in the text of `/proc/net/snmp`: a line of names, and one of numbers below it.
    pub(super) fn four(text: &str) -> Result<Self, Unread> {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp: "));
        let (Some(names), Some(values)) = (lines.next(), lines.next()) else {
            return Err(Unread::Field("Udp".to_owned()));
        };
        let counters: Vec<(&str, u64)> = names
            .split_ascii_whitespace()
            .zip(values.split_ascii_whitespace())
            .map(|(name, value)| Ok((name, number(value)?)))
            .collect::<Result<_, Unread>>()?;
        let known = counters.iter().any(|(name, _)| *name == "InDatagrams");
        if !known {
            return Err(Unread::Field("Udp InDatagrams".to_owned()));
        }
        Ok(Self::named(&counters))
    }

    /// The counters in the text of `/proc/net/snmp6`: a line of a name and a number for each.
    pub(super) fn six(text: &str) -> Self {
        let counters: Vec<(&str, u64)> = text
            .lines()
            .filter_map(|line| {
                let (name, value) = line.strip_prefix("Udp6")?.split_once(char::is_whitespace)?;
                Some((name, number(value).ok()?))
            })
            .collect();
        Self::named(&counters)
    }

    /// What is not counted is zero.
    fn named(counters: &[(&str, u64)]) -> Self {
        let counter = |wanted: &str| {
            let found = counters.iter().find(|(name, _)| *name == wanted);
            found.map_or(0, |(_, value)| *value)
        };
        Self {
            in_datagrams: counter("InDatagrams"),
            no_ports: counter("NoPorts"),
            in_errors: counter("InErrors"),
            out_datagrams: counter("OutDatagrams"),
            receive_buffer_errors: counter("RcvbufErrors"),
            send_buffer_errors: counter("SndbufErrors"),
            checksum_errors: counter("InCsumErrors"),
            memory_errors: counter("MemErrors"),
        }
    }

    fn each(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            in_datagrams: of(self.in_datagrams, other.in_datagrams),
            no_ports: of(self.no_ports, other.no_ports),
            in_errors: of(self.in_errors, other.in_errors),
            out_datagrams: of(self.out_datagrams, other.out_datagrams),
            receive_buffer_errors: of(self.receive_buffer_errors, other.receive_buffer_errors),
            send_buffer_errors: of(self.send_buffer_errors, other.send_buffer_errors),
            checksum_errors: of(self.checksum_errors, other.checksum_errors),
            memory_errors: of(self.memory_errors, other.memory_errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNMP: &str = "\
Tcp: RtoAlgorithm RtoMin
Tcp: 1 200
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
Udp: 1882 3 12 1886 8 1 2 99 2
UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
UdpLite: 7 7 7 7 7 7 7 7 7
";
    const COUNTED: UdpCounters = UdpCounters {
        in_datagrams: 1_882,
        no_ports: 3,
        in_errors: 12,
        out_datagrams: 1_886,
        receive_buffer_errors: 8,
        send_buffer_errors: 1,
        checksum_errors: 2,
        memory_errors: 2,
    };

    #[test]
    fn counters_are_found_by_their_names() {
        assert_eq!(UdpCounters::four(SNMP).expect("counters"), COUNTED);
        let older = "Udp: NoPorts InDatagrams\nUdp: 3 1882\n";
        let few = UdpCounters { in_datagrams: 1_882, no_ports: 3, ..UdpCounters::default() };
        assert_eq!(UdpCounters::four(older).expect("fewer, in another order"), few);
        let six = "Ip6InReceives  \t12\nUdp6InDatagrams   \t40\nUdp6RcvbufErrors\t5\nUdpLite6InErrors\t9\n";
        let six_only = UdpCounters { in_datagrams: 40, receive_buffer_errors: 5, ..UdpCounters::default() };
        assert_eq!(UdpCounters::six(six), six_only);
    }

    #[test]
    fn what_is_missing_is_named() {
        let why = |text: &str| UdpCounters::four(text).expect_err(text).to_string();
        assert_eq!(why("Tcp: A\nTcp: 1\n"), "no `Udp` in it");
        assert_eq!(why("Udp: InDatagrams\n"), "no `Udp` in it");
        assert_eq!(why("Udp: NoPorts\nUdp: 1\n"), "no `Udp InDatagrams` in it");
        assert_eq!(why("Udp: InDatagrams NoPorts\nUdp: 1 -\n"), "`-` is not a number");
    }

    #[test]
    fn only_what_was_counted_since_is_left() {
        let later = UdpCounters { in_datagrams: 2_000, receive_buffer_errors: 9, ..COUNTED };
        let since = UdpCounters { in_datagrams: 118, receive_buffer_errors: 1, ..UdpCounters::default() };
        assert_eq!(later.since(&COUNTED), since);
    }
}

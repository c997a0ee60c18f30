//! What the host counts of datagrams that its sockets had no room for.

use std::fs;

/// `UdpRcvbufErrors` of this network namespace: what all its sockets of the family dropped because
/// they were full, since it was made. None where the kernel does not tell.
///
/// Source: /proc/net/snmp and /proc/net/snmp6, of the calling thread's namespace.
pub(in crate::transport) fn buffer_errors(ipv6: bool) -> Option<u64> {
    if ipv6 {
        row(&fs::read_to_string("/proc/thread-self/net/snmp6").ok()?, "Udp6RcvbufErrors")
    } else {
        column(&fs::read_to_string("/proc/thread-self/net/snmp").ok()?, "Udp:", "RcvbufErrors")
    }
}

/// The value of `name` in a text of two lines for each protocol: names, and values.
fn column(text: &str, protocol: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.split_whitespace().next() == Some(protocol));
    let place = lines.next()?.split_whitespace().position(|word| word == name)?;
    lines.next()?.split_whitespace().nth(place)?.parse().ok()
}

/// The value of `name` in a text of a name and a value a line.
fn row(text: &str, name: &str) -> Option<u64> {
    let mut words = text.lines().map(str::split_whitespace);
    words.find_map(|mut line| (line.next() == Some(name)).then(|| line.next())??.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNMP: &str = "Tcp: RtoMin RcvbufErrors\nTcp: 1 2\n\
                        Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n\
                        Udp: 10 20 30 40 50 60\n\
                        UdpLite: InDatagrams RcvbufErrors\nUdpLite: 7 8\n";

    #[test]
    fn the_count_is_that_of_udp() {
        assert_eq!(column(SNMP, "Udp:", "RcvbufErrors"), Some(50));
        assert_eq!(row("Udp6InDatagrams 1\nUdp6RcvbufErrors   \t 9\n", "Udp6RcvbufErrors"), Some(9));
    }

    #[test]
    fn a_text_that_says_nothing_is_no_count() {
        for text in ["", "Udp:", "Udp: RcvbufErrors", "Udp: RcvbufErrors\nUdp: x", "Udp: A\nUdp: 1", "\n\n"] {
            assert_eq!(column(text, "Udp:", "RcvbufErrors"), None, "{text:?}");
            assert_eq!(row(text, "Udp6RcvbufErrors"), None, "{text:?}");
        }
    }

    #[test]
    fn this_host_counts() {
        assert!(buffer_errors(false).is_some());
    }
}

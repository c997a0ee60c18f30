//! The counters of an interface: the proof that the bytes crossed it.

use linerate_core::observation::Counters;

use super::Unread;
use super::proc_text::{number, read};

/// The counters of one interface since it came up, as its driver keeps them.
///
/// Bytes are of whole frames without preamble and checksum (the loopback and veth: IP packet and
/// 14 bytes); with segmentation offload, a driver may count the headers of a large send once.
///
/// Source: `/proc/net/dev`, proc_pid_net(5); kernel documentation, networking/statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceCounters {
    counted: Counters,
}

impl InterfaceCounters {
    /// Reads the counters of `interface` in the calling thread's network namespace.
    ///
    /// Errors: no such interface, or no `/proc`.
    pub fn read(interface: &str) -> Result<Self, Unread> {
        // `/proc/net` is that of the process's first thread; before Linux 3.17 there is no other.
        let text = read("/proc/thread-self/net/dev").or_else(|_| read("/proc/net/dev"))?;
        Ok(Self { counted: counters(&text, interface)? })
    }

    /// The name of the interface.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.counted.interface
    }

    /// What was counted since `before`.
    ///
    /// A counter that is less than before started from zero again (the interface was made anew),
    /// or, if it had passed 2^31, wrapped at 2^32, as old drivers' do.
    #[must_use]
    pub fn since(&self, before: &Self) -> Counters {
        let (now, then) = (&self.counted, &before.counted);
        Counters {
            interface: now.interface.clone(),
            rx_bytes: grown(then.rx_bytes, now.rx_bytes),
            tx_bytes: grown(then.tx_bytes, now.tx_bytes),
            rx_packets: grown(then.rx_packets, now.rx_packets),
            tx_packets: grown(then.tx_packets, now.tx_packets),
            rx_dropped: grown(then.rx_dropped, now.rx_dropped),
            tx_dropped: grown(then.tx_dropped, now.tx_dropped),
        }
    }
}

/// From `then` to `now`, across a wrap or a reset.
pub(super) fn grown(then: u64, now: u64) -> u64 {
    const WRAP: u64 = 1 << 32;
    match now.checked_sub(then) {
        Some(difference) => difference,
        None if (WRAP / 2..WRAP).contains(&then) => WRAP - then + now,
        None => now,
    }
}

/// The counters of `interface` in the text of `/proc/net/dev`.
///
/// Lost on receipt are errors (of which `fifo` and `frame` are a part) and drops, and likewise on sending.
pub(super) fn counters(text: &str, interface: &str) -> Result<Counters, Unread> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, values) = lines
        .into_iter()
        .find(|(name, _)| name.trim() == interface)
        .ok_or_else(|| Unread::Interface(interface.to_owned()))?;
    let columns: Vec<u64> = values.split_whitespace().map(number).collect::<Result<_, _>>()?;
    // bytes packets errs drop fifo frame compressed multicast, bytes packets errs drop ...
    let [rx_bytes, rx_packets, rx_errs, rx_drop, _, _, _, _, tx_bytes, tx_packets, tx_errs, tx_drop, ..] =
        columns[..]
    else {
        return Err(Unread::Field(format!("{interface}: 12 columns")));
    };
    Ok(Counters {
        interface: interface.to_owned(),
        rx_bytes,
        tx_bytes,
        rx_packets,
        tx_packets,
        rx_dropped: rx_errs.saturating_add(rx_drop),
        tx_dropped: tx_errs.saturating_add(tx_drop),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEV: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
  eth0:213555864    5693    2    3    0     1          0         0   338445    3227    5    6    0     0       0          0
";

    #[test]
    fn an_interface_is_found_even_without_a_space_after_its_name() {
        let eth0 = counters(DEV, "eth0").expect("eth0");
        assert_eq!((eth0.rx_bytes, eth0.rx_packets, eth0.rx_dropped), (213_555_864, 5_693, 5));
        assert_eq!((eth0.tx_bytes, eth0.tx_packets, eth0.tx_dropped), (338_445, 3_227, 11));
    }

    #[test]
    fn what_is_missing_is_named() {
        let why = |text: &str, name: &str| counters(text, name).expect_err(text).to_string();
        assert_eq!(why(DEV, "eth"), "no interface `eth`");
        assert_eq!(why("eth0: 1 2 3\n", "eth0"), "no `eth0: 12 columns` in it");
        assert_eq!(why("eth0: 1 two 3\n", "eth0"), "`two` is not a number");
    }

    #[test]
    fn counters_grow_wrap_and_start_again() {
        assert_eq!(grown(100, 350), 250);
        assert_eq!(grown((1 << 32) - 10, 5), 15, "a 32-bit counter wrapped");
        assert_eq!(grown(1 << 40, 5), 5, "a 64-bit counter does not wrap: it started again");
        assert_eq!(grown(1_000, 5), 5, "the interface was made anew");
    }
}

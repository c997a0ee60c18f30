//! The time of each piece of a processor's work, from a host's parameters.

use linerate_core::units::Span;

use super::Profile;

/// Size of a page. Unit: bytes. Source: IA-32 and x86-64.
const PAGE_BYTES: u64 = 4096;

/// The times of a host's processor, clock and kernel taken into account.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// A call of send without its copies.
    pub system_call: Span,
    /// A call of receive.
    pub receive_call: Span,
    /// A data segment, from the socket to the ring.
    pub transmit: Span,
    /// A data segment, from the ring to the socket.
    pub receive: Span,
    /// A bare acknowledgement to the ring.
    pub transmit_acknowledgement: Span,
    /// A bare acknowledgement from the ring.
    pub receive_acknowledgement: Span,
    /// An interrupt.
    pub interrupt: Span,
    /// From a wake-up until the sleeper runs.
    pub wake_up: Span,
    /// A wake-up, for the processor that wakes.
    pub wake: Span,
    /// From a wake-up on another processor until that begins with it.
    pub wake_up_delay: Span,
    /// Beginning to send.
    pub push: Span,
    /// A segment's worth of payload that a call takes.
    pub take: Span,
    /// A data segment from the ring that is merged with the one before it.
    merge: Span,
    /// The protocol's work on what is handed over at once, without its pages, and a page of it.
    hand_over: Span,
    page: Span,
    copy_in: Bytes,
    copy_out: Bytes,
    /// Checksum of a byte that arrived, if the adaptor did not check it. Unit: picoseconds.
    checksum_out: f64,
}

/// What a byte of a message costs, by how large the message is. Unit: picoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bytes {
    cached: f64,
    uncached: f64,
    paged: f64,
    /// The last cache, and the memory. Unit: bytes.
    cache: u64,
    memory: u64,
}

impl Times {
    /// The times of a host.
    #[must_use]
    pub fn of(profile: &Profile, mtu: u32) -> Self {
        let Profile { processor, costs, memory, adaptor, .. } = profile;
        let clock = clock_factor(processor);
        let locks = if processor.count > 1 { processor.multiprocessor_factor } else { 1.0 };
        let kernel = |cost: Span| scaled(cost, clock * locks);
        let byte = |ns: f64| ns * 1000.0 * clock;
        let checksum_in = if adaptor.checksum_transmit { 0.0 } else { memory.checksum_in_ns };
        let checksum_out = if adaptor.checksum_receive { 0.0 } else { memory.checksum_out_ns };
        let bytes = |ns: f64| Bytes {
            cached: byte(ns),
            uncached: byte(memory.uncached_ns),
            // A disk is not faster with a faster processor.
            paged: memory.paging_ns * 1000.0,
            cache: memory.cache.bytes(),
            memory: memory.size.bytes(),
        };
        let pages =
            |buffer: u64| kernel(costs.allocate_page) * (buffer.div_ceil(PAGE_BYTES).next_power_of_two() - 1);
        let largest = u64::from(mtu);
        let (apart, apart_segment, apart_ns) = match processor.ends {
            Some([first, last]) if first != last => {
                (kernel(costs.apart), kernel(costs.apart_segment), memory.apart_ns)
            }
            _ => (Span::ZERO, Span::ZERO, 0.0),
        };
        Self {
            system_call: kernel(costs.system_call),
            receive_call: kernel(costs.system_call) + apart,
            transmit: kernel(costs.transmit) + pages(largest),
            receive: kernel(costs.receive) + pages(profile.receive_buffer(mtu)) + apart_segment,
            transmit_acknowledgement: kernel(costs.transmit_acknowledgement),
            receive_acknowledgement: kernel(costs.receive_acknowledgement),
            interrupt: kernel(costs.interrupt),
            wake_up: kernel(costs.wake_up),
            wake: kernel(costs.wake),
            // Nobody's processor, and so nobody's clock.
            wake_up_delay: costs.wake_up_delay,
            push: kernel(costs.push) + apart,
            take: kernel(costs.take) + apart_segment,
            merge: kernel(costs.merge) + pages(profile.receive_buffer(mtu)),
            hand_over: kernel(costs.transmit),
            page: kernel(costs.allocate_page),
            copy_in: bytes(memory.copy_in_ns + checksum_in + apart_ns),
            copy_out: bytes(memory.copy_out_ns + apart_ns),
            checksum_out: byte(checksum_out),
        }
    }

    /// Copying `bytes` of a message of `message` bytes into the kernel, and their checksum.
    #[must_use]
    pub fn copy_in(&self, bytes: u64, message: u64) -> Span {
        self.copy_in.of(bytes, message)
    }

    /// Copying `bytes` of a message of `message` bytes out of the kernel.
    #[must_use]
    pub fn copy_out(&self, bytes: u64, message: u64) -> Span {
        self.copy_out.of(bytes, message)
    }

    /// This much payload for several segments, from the socket to the ring: once, and its pages, which
    /// need not lie together.
    #[must_use]
    pub fn transmit_at_once(&self, bytes: u64) -> Span {
        self.hand_over + self.page * (bytes.div_ceil(PAGE_BYTES).max(1) - 1)
    }

    /// A data segment with this much payload that is merged with the one before it.
    #[must_use]
    pub fn merge_data(&self, bytes: u32) -> Span {
        self.merge + Span::from_ps_rounded(self.checksum_out * f64::from(bytes))
    }

    /// A data segment with this much payload, from the ring to the socket.
    #[must_use]
    pub fn receive_data(&self, bytes: u32) -> Span {
        self.receive + Span::from_ps_rounded(self.checksum_out * f64::from(bytes))
    }
}

impl Bytes {
    fn of(self, bytes: u64, message: u64) -> Span {
        let uncached = if message > self.cache { self.uncached } else { 0.0 };
        let mut byte = self.cached + uncached;
        if message > self.memory {
            // Only the part that does not fit memory pages.
            byte += self.paged * ((message - self.memory) as f64 / message as f64);
        }
        Span::from_ps_rounded(byte * bytes as f64)
    }
}

/// What a cost at the reference clock is multiplied by: a share of it follows the clock; the rest
/// depends on memory and stays. Source: Farrell & Ong's two clocks, 320 and 348 Mb/s at 350 and 450
/// MHz.
fn clock_factor(processor: &super::Processor) -> f64 {
    let share = processor.clock_share;
    1.0 - share + share * processor.reference_mhz / processor.clock_mhz
}

fn scaled(span: Span, factor: f64) -> Span {
    Span::from_ps_rounded(span.as_ps() as f64 * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        Profile::find("pentium-ii-350").expect("it is shipped")
    }

    #[test]
    fn a_share_of_each_cost_follows_the_clock() {
        let mut profile = profile();
        let slow = Times::of(&profile, 1500);
        profile.processor.clock_mhz = 450.0;
        let fast = Times::of(&profile, 1500);
        let share = profile.processor.clock_share;
        let expected = 1.0 - share + share * 350.0 / 450.0;
        for (slow, fast) in
            [(slow.transmit, fast.transmit), (slow.copy_in(1 << 20, 1), fast.copy_in(1 << 20, 1))]
        {
            let ratio = fast.as_seconds() / slow.as_seconds();
            assert!((ratio - expected).abs() < 1e-6, "{ratio} is not {expected}");
        }
    }

    #[test]
    fn a_second_processor_costs_locks() {
        let mut profile = profile();
        profile.processor.multiprocessor_factor = 1.5;
        let one = Times::of(&profile, 1500).receive;
        profile.processor.count = 2;
        assert_eq!(Times::of(&profile, 1500).receive, one * 3 / 2);
    }

    #[test]
    fn an_adaptor_that_computes_checksums_spares_the_processor() {
        let mut profile = profile();
        let with = Times::of(&profile, 1500).receive_data(1448);
        profile.adaptor.checksum_receive = true;
        let without = Times::of(&profile, 1500).receive_data(1448);
        let spared = profile.memory.checksum_out_ns * 1448.0 * 1000.0;
        assert_eq!((with - without).as_ps(), spared.round() as u64);
    }

    #[test]
    fn a_copy_of_what_does_not_fit_costs_more() {
        let mut profile = profile();
        (profile.memory.copy_out_ns, profile.memory.uncached_ns, profile.memory.paging_ns) =
            (5.0, 4.0, 100.0);
        let times = Times::of(&profile, 1500);
        let cache = profile.memory.cache.bytes();
        let memory = profile.memory.size.bytes();
        assert_eq!(times.copy_out(1000, cache), Span::from_ns(5000));
        assert_eq!(times.copy_out(1000, cache + 1), Span::from_ns(9000));
        assert_eq!(times.copy_out(1000, 2 * memory), Span::from_ns(59_000), "half of it pages");
    }

    #[test]
    fn what_is_handed_over_at_once_costs_the_protocol_once_and_its_pages() {
        let mut profile = profile();
        profile.costs.allocate_page = Span::from_us(1);
        let times = Times::of(&profile, 1500);
        let pages = |bytes| times.transmit_at_once(bytes) - profile.costs.transmit;
        assert_eq!([1448, 4096, 4097, 65_536].map(pages), [0, 0, 1, 15].map(Span::from_us));
        profile.costs.merge = Span::from_ns(300);
        profile.adaptor.checksum_receive = true;
        assert_eq!(Times::of(&profile, 1500).merge_data(1448), Span::from_ns(300));
    }

    #[test]
    fn larger_buffers_cost_pages_by_powers_of_two() {
        let mut profile = profile();
        profile.costs.allocate_page = Span::from_us(1);
        let transmit = |mtu| Times::of(&profile, mtu).transmit - profile.costs.transmit;
        assert_eq!([1500, 8160, 9000, 16_000].map(transmit), [0, 1, 3, 3].map(Span::from_us));
    }
}

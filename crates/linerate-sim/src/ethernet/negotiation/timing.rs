//! How long it takes until the ends of a link have agreed. The training of 1000BASE-T and faster
//! comes after that and is not counted here.

use linerate_core::units::Span;

/// From the start of a burst of fast link pulses, which carries a page, to the next: shortest,
/// usual, longest. Source: IEEE 802.3, table 28-9 (16 +- 8 ms; from memory).
pub const FLP_BURST_INTERVAL: [Span; 3] = [Span::from_ms(8), Span::from_ms(16), Span::from_ms(24)];

/// How long an end is silent before it negotiates, so that its partner drops the link: shortest,
/// longest. Source: IEEE 802.3, table 28-9 (`break_link_timer`; from memory).
pub const BREAK_LINK: [Span; 2] = [Span::from_ms(1_200), Span::from_ms(1_500)];

/// How long a 1000BASE-X end sends each configuration before it goes on: shortest, longest. Source:
/// IEEE 802.3, 37.3.1.4 (`link_timer`, 10 ms +10 ms -0; from memory). SGMII has 1.6 ms.
pub const CLAUSE_37_LINK_TIMER: [Span; 2] = [Span::from_ms(10), Span::from_ms(20)];

/// Bursts that a page takes: 3 alike until it is believed, 3 with the acknowledge bit, then 6 to
/// 8 more. Source: IEEE 802.3, 28.2.1.2 and 28.3.1 (from memory).
const BURSTS_PER_PAGE: [u64; 2] = [12, 14];

/// From the start of negotiation until both ends have each other's pages, shortest and longest;
/// `pages` counts the base page: 1 for 10/100, 4 where 1000BASE-T is offered (a message page and
/// two unformatted pages follow).
#[must_use]
pub fn clause_28_time(pages: u64) -> [Span; 2] {
    let [short, _, long] = FLP_BURST_INTERVAL;
    [BREAK_LINK[0] + short * BURSTS_PER_PAGE[0] * pages, BREAK_LINK[1] + long * BURSTS_PER_PAGE[1] * pages]
}

/// From the start of negotiation of 1000BASE-X until the link is up, shortest and longest: three
/// link timers (restart, complete acknowledge, idle detect).
#[must_use]
pub fn clause_37_time() -> [Span; 2] {
    CLAUSE_37_LINK_TIMER.map(|timer| timer * 3)
}

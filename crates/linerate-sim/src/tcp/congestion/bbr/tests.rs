use super::*;
use crate::tcp::delivery::RateSample;

const MSS: u64 = 1000;
const RTT: Span = Span::from_ms(10);

/// A path of 80 Mb/s and 10 ms, on which BBR sends what it may: a fluid, in steps of a round trip.
/// Gives what it did in each.
struct Path {
    bbr: Bbr,
    window: u64,
    total: u64,
    now: Time,
}

/// What the path delivers in a round trip. Unit: bytes.
const PIPE: u64 = 100_000;

impl Path {
    fn new() -> Self {
        let bbr = Bbr::new(MSS, 10 * MSS, Some(RTT), Time::ZERO);
        Self { bbr, window: 10 * MSS, total: 0, now: Time::ZERO }
    }

    /// One round trip: `delivered` bytes arrive, with the round trip `rtt`.
    fn round(&mut self, delivered: u64, rtt: Span, lost: u64) {
        self.now = self.now + rtt;
        let before = self.total;
        self.total += delivered;
        let rate = Rate::of(delivered, rtt).expect("it takes time");
        let sample = Some(RateSample { rate, before, limited: false });
        let report = Report {
            now: self.now,
            delivered,
            total: self.total,
            lost,
            pipe_before: self.window,
            pipe: self.window.min(delivered),
            rtt: Some(rtt),
            sample,
        };
        self.window = self.bbr.learn(&report, self.window);
    }

    /// Rounds at the path's rate.
    fn fill(&mut self, rounds: u32) {
        for _ in 0..rounds {
            self.round(self.window.min(PIPE), RTT, 0);
        }
    }
}

#[test]
fn startup_doubles_until_three_rounds_bring_no_more_4_3_2() {
    let mut path = Path::new();
    let mut windows = vec![path.window];
    while path.bbr.state == State::Startup {
        path.fill(1);
        windows.push(path.window);
        assert!(windows.len() < 20, "{windows:?}");
    }
    assert!(windows[1..4].windows(2).all(|pair| pair[1] == 2 * pair[0]), "{windows:?}");
    assert!(path.bbr.filled);
    let bandwidth = path.bbr.bandwidth.get();
    assert!((bandwidth - 80e6).abs() < 1e3, "{bandwidth}");
}

#[test]
fn it_paces_a_percent_below_the_rate_of_the_path_and_allows_two_pipes_4_2() {
    let mut path = Path::new();
    path.fill(40);
    assert_eq!(path.bbr.state, State::ProbeBandwidth);
    let gain = path.bbr.cycle.gain();
    let Pacing { rate, quantum } = path.bbr.pacing().expect("it paces");
    assert!((rate.bits_per_second() - gain * 80e6 * 0.99).abs() < 1e3, "{rate}");
    // A millisecond's worth (4.2.2).
    assert_eq!(quantum, (rate.bits_per_second() / 8e3) as u64);
    assert_eq!(path.window, 2 * PIPE + 3 * quantum);
}

#[test]
fn after_ten_seconds_without_a_lower_round_trip_it_probes_with_four_segments_4_3_5() {
    let mut path = Path::new();
    path.fill(40);
    let longer = Span::from_ms(12);
    let mut rounds = 0;
    while path.bbr.state != State::ProbeRoundTrip {
        path.round(PIPE, longer, 0);
        rounds += 1;
        assert!(rounds < 1000, "it never probes");
    }
    assert!(path.now.since(Time::ZERO) > Span::from_ms(10_000));
    assert_eq!(path.window, 4 * MSS);
    let began = path.now;
    while path.bbr.state == State::ProbeRoundTrip {
        path.round(4 * MSS, RTT, 0);
    }
    let lasted = path.now.since(began);
    assert!((Span::from_ms(200)..Span::from_ms(240)).contains(&lasted), "{lasted}");
    assert!(path.window > PIPE, "the window is back: {}", path.window);
}

#[test]
fn a_loss_conserves_packets_for_a_round_and_then_restores_the_window_4_2_3_4() {
    let mut path = Path::new();
    path.fill(40);
    let before = path.window;
    path.window = path.bbr.recovers(before, (50_000, 2 * MSS, path.total));
    assert_eq!(path.window, 52_000);
    assert_eq!(path.bbr.recovered(path.window), before);
}

//! Ours against smoltcp: the same path, windows, segment size and acknowledgement rule.

use linerate_core::units::{Size, Span};
use linerate_sim::tcp::Settings;
use rstest::rstest;

use super::path::Way;
use super::settings::{self, Recovery};
use super::smoltcp_pair::{self, Outcome, Transfer};
use super::task::Step;
use super::world::{CLIENT, SERVER, World};

fn ours(transfer: &Transfer, settings: &Settings) -> Outcome {
    let way = Way::new(smoltcp_pair::RATE, Span::from_us(transfer.delay_us));
    let mut world = World::even(settings, &way);
    world.task(CLIENT, vec![Step::Write(transfer.bytes)]).task(SERVER, vec![Step::Read(transfer.bytes)]);
    world.run(Span::from_ms(100_000));
    let counters = world.server().counters();
    assert_eq!(world.client().counters().retransmitted, 0, "nothing was lost");
    Outcome {
        took_us: world.now.as_ps() / 1_000_000,
        data_segments: world.ends[CLIENT].sent_data,
        acknowledgements: counters.bare_segments_sent,
    }
}

fn settings(transfer: &Transfer) -> Settings {
    let mut settings = settings::textbook(Recovery::NewReno);
    settings.mtu = transfer.mtu;
    settings.mss = None;
    settings.receive_buffer = Some(Size(transfer.window));
    settings.send_buffer = Some(Size(transfer.send_buffer));
    if let Some(ms) = transfer.delayed_ack_ms {
        settings = settings::delaying(settings, Span::from_ms(ms));
    }
    // smoltcp begins with 2048 bytes.
    settings::with_initial_window(settings, if transfer.reno { 1 } else { 1000 })
}

#[track_caller]
fn agree(transfer: Transfer) {
    let settings = settings(&transfer);
    let [theirs, ours] = [smoltcp_pair::run(transfer), ours(&transfer, &settings)];
    let near = |ours: u64, theirs: u64| (ours as f64 / theirs as f64 - 1.0).abs() <= 0.005;
    assert!(near(ours.took_us, theirs.took_us), "time: ours {ours:?}, theirs {theirs:?}, {transfer:?}");
    let counts = [ours.data_segments, theirs.data_segments];
    assert!(near(counts[0], counts[1]), "segments: ours {ours:?}, theirs {theirs:?}, {transfer:?}");
}

/// Throughput and segment counts of a bulk transfer within 0.5 %: windows of this many segments of each MTU
/// on a short and on a long path, with delayed acknowledgements of 10 ms and without.
#[rstest]
fn bulk_transfers_are_those_of_smoltcp(
    #[values(576, 1500, 4352, 9000)] mtu: u32,
    #[values(2, 5, 7)] segments: u64,
    #[values(100, 20_000)] delay_us: u64,
    #[values(None, Some(10))] delayed_ack_ms: Option<u64>,
) {
    let window = segments * u64::from(mtu - 40);
    let send_buffer = 4 * window;
    agree(Transfer { bytes: 1_500_000, mtu, window, send_buffer, delay_us, delayed_ack_ms, reno: false });
}

/// With the largest window that needs no scaling, and with slow start.
#[rstest]
fn slow_start_is_that_of_smoltcp(
    #[values(1500, 9000)] mtu: u32,
    #[values(100, 5_000)] delay_us: u64,
    #[values(None, Some(10))] delayed_ack_ms: Option<u64>,
) {
    let mss = u64::from(mtu - 40);
    let window = 65_535 / mss * mss;
    let send_buffer = 4 * window;
    agree(Transfer { bytes: 4_000_000, mtu, window, send_buffer, delay_us, delayed_ack_ms, reno: true });
}

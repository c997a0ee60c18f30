//! What every transport must do, real or modelled: one body for all.
//!
//! A transport's test gives [`endpoints`] a way to make connected [`Pair`]s, and [`bench`] its
//! `Bench`. This file uses nothing but `linerate-core`, so that other crates can include it by path.

use linerate_core::bench::Bench;
use linerate_core::endpoint::{Endpoint, LinkError};
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::{Tally, Trial};
use linerate_core::units::{Span, Time};

/// More than any socket buffer: an exchange of it deadlocks unless both directions move at once.
const LARGE: usize = 8 << 20;

/// Two connected ends, not yet used, and the way to run a program at each.
pub(crate) trait Pair {
    /// Either end.
    type End: Endpoint;

    /// Runs both programs at once to their ends. A program that drops its end closes the channel.
    fn run<A: Send, B: Send>(
        self,
        one: impl AsyncFnOnce(Self::End) -> A + Send,
        other: impl AsyncFnOnce(Self::End) -> B + Send,
    ) -> (A, B);
}

/// Everything that an endpoint promises.
pub(crate) fn endpoints<P: Pair>(mut connect: impl FnMut() -> P) {
    bytes_keep_their_order_however_they_are_cut(connect());
    large_messages_pass_both_ways_at_once(connect());
    large_messages_pass_one_after_the_other(connect());
    the_clock_never_steps_back_and_a_wait_lasts(connect());
    closing_gives_closed(connect());
}

/// Bytes that differ at every place, the two directions from each other.
fn message(len: usize, salt: u64) -> Vec<u8> {
    let byte = |place: u64| (place.wrapping_add(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8;
    (0..len as u64).map(byte).collect()
}

fn bytes_keep_their_order_however_they_are_cut<P: Pair>(pair: P) {
    // The same 70,000 bytes, cut differently at each end.
    let sent = message(70_000, 1);
    let (cuts, other_cuts) = ([1, 2, 1448, 65_536, 3_013], [65_536, 3, 4_461]);
    assert_eq!(cuts.iter().sum::<usize>(), sent.len());
    assert_eq!(other_cuts.iter().sum::<usize>(), sent.len());
    let (ours, theirs) = pair.run(
        async |mut end| {
            let mut rest = &sent[..];
            for cut in cuts {
                let (now, later) = rest.split_at(cut);
                end.send(now).await?;
                rest = later;
            }
            // Kept open until the other end has all.
            end.recv(&mut [0]).await
        },
        async |mut end| {
            let mut received = Vec::new();
            for cut in other_cuts {
                let mut piece = vec![0; cut];
                end.recv(&mut piece).await?;
                received.append(&mut piece);
            }
            end.send(&[0]).await?;
            Ok::<_, LinkError>(received)
        },
    );
    ours.expect("all is sent");
    assert!(theirs.expect("all is received") == sent, "bytes were lost, changed or out of order");
}

fn large_messages_pass_both_ways_at_once<P: Pair>(pair: P) {
    async fn program<E: Endpoint>(mut end: E, ours: u64, theirs: u64) -> Result<(), LinkError> {
        let mut into = vec![0; LARGE];
        end.exchange(&message(LARGE, ours), &mut into).await?;
        assert!(into == message(LARGE, theirs), "bytes were lost, changed or out of order");
        end.exchange(&[1], &mut [0]).await
    }
    let (one, other) = pair.run(async |end| program(end, 1, 2).await, async |end| program(end, 2, 1).await);
    one.and(other).expect("both directions move at once");
}

fn large_messages_pass_one_after_the_other<P: Pair>(pair: P) {
    let (one, other) = pair.run(
        async |mut end| {
            end.send(&message(LARGE, 1)).await?;
            let mut into = vec![0; LARGE];
            end.recv(&mut into).await?;
            Ok::<_, LinkError>(into)
        },
        async |mut end| {
            let mut into = vec![0; LARGE];
            end.recv(&mut into).await?;
            end.send(&into).await?;
            end.recv(&mut [0]).await
        },
    );
    assert!(one.expect("all comes back") == message(LARGE, 1), "bytes were lost, changed or out of order");
    assert!(matches!(other, Err(LinkError::Closed | LinkError::Reset)), "{other:?}");
}

fn the_clock_never_steps_back_and_a_wait_lasts<P: Pair>(pair: P) {
    async fn program<E: Endpoint>(mut end: E) -> Result<Vec<Time>, LinkError> {
        let mut readings = vec![end.now()];
        for _ in 0..100 {
            end.exchange(&[1; 100], &mut [0; 100]).await?;
            readings.push(end.now());
        }
        let before = end.now();
        end.wait(Span::from_us(200)).await;
        readings.push(end.now());
        assert!(end.now().since(before) >= Span::from_us(200), "a wait of 200 us was shorter");
        end.exchange(&[1], &mut [0]).await?;
        Ok(readings)
    }
    let (one, other) = pair.run(async |end| program(end).await, async |end| program(end).await);
    for readings in [one, other] {
        let readings = readings.expect("the exchanges pass");
        assert!(readings.is_sorted(), "the clock stepped back");
        assert!(readings.first() < readings.last(), "the clock stands still");
    }
}

fn closing_gives_closed<P: Pair>(pair: P) {
    let (sent, received) = pair.run(
        async |mut end| end.send(&[7; 3]).await,
        async |mut end| {
            let mut data = [0; 3];
            let first = end.recv(&mut data).await;
            (first, data, end.recv(&mut [0]).await)
        },
    );
    sent.expect("three bytes fit");
    let (first, data, second) = received;
    first.expect("what was sent before the close arrives");
    assert_eq!(data, [7; 3]);
    assert!(matches!(second, Err(LinkError::Closed)), "{second:?}");
}

/// Everything that a bench promises: each pattern at sizes around the usual boundaries, every byte
/// compared, counts that fit, and times within the time spent.
pub(crate) fn bench<B: Bench>(bench: &mut B) {
    let cases = [(1, 5, 1), (3, 2, 100), (1448, 4, 2), (1449, 4, 2), (65_539, 4, 1), (LARGE as u64, 4, 1)];
    bench_of(bench, &cases);
}

/// The same at sizes, with samples and batches, of the caller's.
pub(crate) fn bench_of<B: Bench>(bench: &mut B, cases: &[(u64, u32, u32)]) {
    for pattern in Pattern::ALL {
        for &(size, samples, batch) in cases {
            let trial = Trial { pattern, size, samples, batch, lead: 0, seed: size, check: Check::Full };
            let sample = bench.run(&trial).unwrap_or_else(|error| panic!("{pattern}, {size} B: {error}"));
            // The receiver of messages one way may need up to half of them to catch up.
            let spare = if pattern == Pattern::OneWay { samples / 2 } else { 0 };
            let timed = (samples - spare) as usize..=samples as usize;
            assert!(timed.contains(&sample.times.len()), "{pattern}, {size} B: {}", sample.times.len());
            let messages = trial.messages();
            let back = if pattern == Pattern::OneWay { 0 } else { messages };
            let expected = Tally {
                sent_bytes: messages * size,
                received_bytes: back * size,
                sent: messages,
                received: back,
            };
            assert_eq!(sample.tally, expected, "{pattern}, {size} B");
            let timed: Span = sample.times.iter().map(|time| *time * pattern.legs() * u64::from(batch)).sum();
            // One way, the times are those of what arrived, which may be a quarter less than what was read.
            let longest = if pattern == Pattern::OneWay { sample.spent * 4 / 3 } else { sample.spent };
            assert!(timed <= longest, "{pattern}, {size} B: {timed} timed in {}", sample.spent);
        }
    }
}

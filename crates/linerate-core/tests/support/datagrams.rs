//! What every datagram transport must do where nothing is lost: one body for all.
//!
//! As `conformance.rs`, whose `Pair` it uses, but for messages that keep their boundaries.

use linerate_core::endpoint::{Endpoint, LinkError};
use linerate_core::units::{Span, Time};

use super::conformance::Pair;

/// Message sizes around the lengths of headers and of usual packets, and the smallest.
const SIZES: [usize; 12] = [1, 2, 23, 24, 25, 39, 40, 41, 64, 1000, 1448, 1472];

/// Everything that a datagram endpoint promises; `largest` is the largest message of the transport.
pub(crate) fn datagrams<P: Pair>(largest: usize, mut connect: impl FnMut() -> P) {
    messages_keep_their_order_and_their_boundaries(connect());
    messages_pass_both_ways_at_once(connect());
    the_largest_message_passes_and_a_larger_one_is_refused(largest, connect());
    another_length_than_awaited_is_an_error(connect());
    the_clock_never_steps_back_and_a_wait_lasts(connect());
    what_never_comes_is_lost_and_no_wait_for_ever(connect());
    closing_gives_closed(connect());
}

fn message(len: usize, salt: usize) -> Vec<u8> {
    (0..len).map(|place| (place.wrapping_mul(31) ^ salt.wrapping_mul(7)) as u8).collect()
}

fn messages_keep_their_order_and_their_boundaries<P: Pair>(pair: P) {
    let (ours, theirs) = pair.run(
        async |mut end| {
            for (salt, size) in SIZES.into_iter().enumerate() {
                // Two, so that their boundary is there to be lost.
                end.send(&message(size, salt)).await?;
                end.send(&message(size, salt + 100)).await?;
                end.recv(&mut [0]).await?;
            }
            Ok::<_, LinkError>(())
        },
        async |mut end| {
            for (salt, size) in SIZES.into_iter().enumerate() {
                for salt in [salt, salt + 100] {
                    let mut into = vec![0; size];
                    end.recv(&mut into).await?;
                    assert!(into == message(size, salt), "{size} B were changed or out of order");
                }
                end.send(&[0]).await?;
            }
            Ok::<_, LinkError>(())
        },
    );
    ours.and(theirs).expect("everything passes");
}

fn messages_pass_both_ways_at_once<P: Pair>(pair: P) {
    async fn program<E: Endpoint>(mut end: E, ours: usize, theirs: usize) -> Result<(), LinkError> {
        for round in 0..200 {
            let mut into = vec![0; 1400];
            end.exchange(&message(1400, ours + round), &mut into).await?;
            assert!(into == message(1400, theirs + round), "bytes were changed or out of order");
        }
        Ok(())
    }
    let (one, other) =
        pair.run(async |end| program(end, 0, 1000).await, async |end| program(end, 1000, 0).await);
    one.and(other).expect("both directions move at once");
}

fn the_largest_message_passes_and_a_larger_one_is_refused<P: Pair>(largest: usize, pair: P) {
    let (sent, received) = pair.run(
        async |mut end| {
            let refused = end.send(&vec![1; largest + 1]).await;
            end.send(&message(largest, 3)).await?;
            end.recv(&mut [0]).await?;
            Ok::<_, LinkError>(refused)
        },
        async |mut end| {
            let mut into = vec![0; largest];
            end.recv(&mut into).await?;
            end.send(&[0]).await?;
            Ok::<_, LinkError>(into)
        },
    );
    match sent.expect("the largest passes") {
        Err(LinkError::TooLong { size, largest: said }) => {
            assert_eq!((size, said), (largest as u64 + 1, largest as u64));
        }
        other => panic!("a message above the limit: {other:?}"),
    }
    assert!(received.expect("the largest arrives") == message(largest, 3));
}

fn another_length_than_awaited_is_an_error<P: Pair>(pair: P) {
    let lengths = [(100, 50), (50, 100), (1, 2), (40, 24), (24, 40)];
    let (sent, received) = pair.run(
        async |mut end| {
            for (sent, _) in lengths {
                end.send(&message(sent, 1)).await?;
                end.recv(&mut [0]).await?;
            }
            Ok::<_, LinkError>(())
        },
        async |mut end| {
            let mut said = Vec::new();
            for (_, awaited) in lengths {
                said.push(end.recv(&mut vec![0; awaited]).await);
                end.send(&[0]).await?;
            }
            Ok::<_, LinkError>(said)
        },
    );
    sent.expect("it is sent");
    for (said, (sent, awaited)) in received.expect("it is answered").into_iter().zip(lengths) {
        let error = said.expect_err("the length is another").to_string();
        let text = format!("receive: a datagram of {sent} B came where one of {awaited} B was awaited");
        assert_eq!(error, text);
    }
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
        assert!(end.now().since(before) >= Span::from_us(200), "a wait of 200 us was shorter");
        end.exchange(&[1], &mut [0]).await?;
        Ok(readings)
    }
    let (one, other) = pair.run(async |end| program(end).await, async |end| program(end).await);
    for readings in [one, other] {
        let readings = readings.expect("the exchanges pass");
        assert!(readings.is_sorted() && readings.first() < readings.last(), "the clock must go on");
    }
}

fn what_never_comes_is_lost_and_no_wait_for_ever<P: Pair>(pair: P) {
    let (said, _) = pair.run(
        async |mut end| {
            let said = end.recv(&mut [0; 100]).await;
            end.send(&[0]).await?;
            Ok::<_, LinkError>(said)
        },
        async |mut end| loop {
            // Kept open until the other end has waited without success.
            match end.recv(&mut [0]).await {
                Err(LinkError::Stalled(_)) => {}
                said => return said,
            }
        },
    );
    let said = said.expect("it is sent");
    assert!(matches!(said, Err(LinkError::Stalled(_))), "{said:?}");
}

fn closing_gives_closed<P: Pair>(pair: P) {
    let (sent, received) = pair.run(
        async |mut end| end.send(&[7; 3]).await,
        async |mut end| {
            let mut data = [0; 3];
            let first = end.recv(&mut data).await;
            (first, data, end.recv(&mut [0]).await, end.recv(&mut [0; 2000]).await)
        },
    );
    sent.expect("three bytes fit");
    let (first, data, second, third) = received;
    first.expect("what was sent before the close arrives");
    assert_eq!(data, [7; 3]);
    assert!(matches!(second, Err(LinkError::Closed)), "{second:?}");
    assert!(matches!(third, Err(LinkError::Closed)), "it stays closed: {third:?}");
}

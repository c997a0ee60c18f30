//! A reader who stops, and how his window opens again.

use linerate_core::units::{Size, Span};

use super::path::Way;
use super::settings::{self, Recovery};
use super::task::{stopped_reader, writer};
use super::trace::What;
use super::world::{CLIENT, SERVER, World};

const BYTES: u64 = 500_000;
const PAUSE: Span = Span::from_ms(20_000);

fn stopped(drop_bare: &[u64]) -> World {
    let mut settings = settings::textbook(Recovery::Sack);
    settings.receive_buffer = Some(Size(44 * 1460));
    let way = Way::new(100_000_000, Span::from_ms(1));
    let mut world = World::pair([&settings, &settings], [way.clone(), way.drop_bare(drop_bare)]);
    world.traced().task(CLIENT, writer(1, BYTES)).task(SERVER, stopped_reader(BYTES, PAUSE));
    world.run(Span::from_ms(300_000));
    world
}

/// Which of the server's bare segments, counted from 1, tells of the window that opens.
fn update(world: &World) -> u64 {
    let trace = world.trace.as_ref().expect("it is traced");
    let mut bare = 0;
    let mut was_closed = false;
    for row in trace.iter().filter(|row| row.end == SERVER) {
        if let What::Sent { segment, window, .. } = &row.what
            && segment.is_bare()
        {
            bare += 1;
            if was_closed && *window > 0 {
                return bare;
            }
            was_closed = *window == 0;
        }
    }
    panic!("the window did not close and open");
}

/// RFC 9293, 3.8.6.1: the sender asks at growing intervals, of which the first is a retransmission
/// timeout, and goes on when the window opens.
#[test]
fn a_stopped_reader_is_asked_and_resumes() {
    let world = stopped(&[]);
    let counters = world.client().counters();
    assert_eq!(counters.probes, 4, "after 1, 3, 7 and 15 of 20 s: {counters:?}");
    let end = world.done(SERVER)[1];
    assert!(end.since(world.done(SERVER)[0]) < Span::from_ms(100), "it goes on at once: {end:?}");
}

/// What opens the window may be lost: then a probe finds it open.
#[test]
fn a_lost_window_update_is_found_by_a_probe() {
    let update = update(&stopped(&[]));
    let world = stopped(&[update]);
    let late = world.done(SERVER)[1].since(world.done(SERVER)[0]);
    assert!(late > Span::from_ms(100) && late < Span::from_ms(60_000), "{late}");
}

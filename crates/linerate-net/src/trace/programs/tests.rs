//! The programs in this kernel. Each costs a second at most; without the rights for them they are skipped by name.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd as _;

use linerate_core::trace::Point;

use super::*;
use crate::trace::layout::Kind;

fn connected() -> [TcpStream; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let ours = TcpStream::connect(listener.local_addr().expect("it is bound")).expect("the loopback");
    let (theirs, _) = listener.accept().expect("it came");
    ours.set_nodelay(true).expect("TCP");
    [ours, theirs]
}

fn programs(socket: &TcpStream) -> Option<Programs> {
    match Programs::load(socket.as_fd()) {
        Ok(programs) => Some(programs),
        Err(error @ (NoPrograms::Refused | NoPrograms::NoBtf)) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{error}");
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn pass(from: &mut TcpStream, to: &mut TcpStream, messages: usize) {
    for _ in 0..messages {
        from.write_all(&[7; 100]).expect("the loopback takes it");
        to.read_exact(&mut [0; 100]).expect("it came");
    }
}

fn count(events: &[Event], kind: Kind) -> usize {
    events.iter().filter(|event| event.kind == kind).count()
}

#[test]
fn they_see_their_own_connection_and_no_other() {
    let [mut ours, mut theirs] = connected();
    let [mut other, mut peer] = connected();
    let Some(mut programs) = programs(&ours) else { return };
    pass(&mut ours, &mut theirs, 5);
    programs.attach().expect("they can be attached");
    assert!(programs.is_attached());
    pass(&mut ours, &mut theirs, 10);
    pass(&mut other, &mut peer, 10);
    pass(&mut theirs, &mut ours, 10);
    let (events, lost) = programs.detach().expect("they can be detached");
    pass(&mut ours, &mut theirs, 5);
    assert_eq!(lost, 0);
    assert!(events.is_sorted_by_key(|event| event.ns));
    // What it sent while they were attached, and what came for it.
    assert_eq!(count(&events, Kind::At(Point::Queued)), 10, "{events:?}");
    assert_eq!(count(&events, Kind::At(Point::Driven)), 10);
    assert_eq!(count(&events, Kind::At(Point::Arrived)), 10);
    assert_eq!(count(&events, Kind::At(Point::Ready)), 10);
    assert!(
        events.iter().filter(|event| event.kind == Kind::At(Point::Queued)).all(|event| event.length == 100)
    );
    let (again, _) = {
        programs.attach().expect("again");
        programs.detach().expect("again")
    };
    assert_eq!(count(&again, Kind::At(Point::Queued)), 0, "nothing passed meanwhile: {again:?}");
}

#[test]
fn what_finds_no_room_is_counted() {
    // An event takes 32 bytes of 4 MiB, and a message has four events or more at its sender.
    const MESSAGES: usize = 40_000;
    let [mut ours, mut theirs] = connected();
    let Some(mut programs) = programs(&ours) else { return };
    programs.attach().expect("they can be attached");
    pass(&mut ours, &mut theirs, MESSAGES);
    let (events, lost) = programs.detach().expect("they can be detached");
    assert!(lost > 0, "{} events", events.len());
    let room = (4 << 20) / 32;
    assert!(events.len() <= room && events.len() > room / 2, "{} events of {room}", events.len());
    // What was lost before is not counted again.
    programs.attach().expect("again");
    pass(&mut ours, &mut theirs, 10);
    assert_eq!(programs.detach().expect("again").1, 0);
}

#[test]
fn others_are_counted() {
    let [ours, theirs] = connected();
    let Some(first) = programs(&ours) else { return };
    let Some(second) = programs(&theirs) else { return };
    assert!(second.others >= first.others + first.count() / 2, "{} then {}", first.others, second.others);
}

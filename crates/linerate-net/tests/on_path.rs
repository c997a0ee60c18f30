//! Somebody on the path, who can change, repeat and make control messages, and does not have the key.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use linerate_core::bench::{Bench, RunError};
use linerate_net::control::{CODE_LEN, GREETING_LEN, Key, PACKED, PROTOCOL, SEALED_SINCE};
use linerate_net::observe::HostClock;
use linerate_net::pair::{Pair, PairError, Target};
use linerate_net::serve::{Limits, Server};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rstest::rstest;

use crate::support::rude::trial;
use crate::support::{TestServer, plan};

const WELCOME_LEN: usize = 44;
/// Of a greeting and a welcome: the newest version, and how many before it.
const VERSION: usize = 9;
const EARLIER: usize = 11;

/// What is done to one frame behind the proofs.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// A bit of its content or its code is turned: this part of the way through.
    Flip(f64),
    /// It is sent again.
    Repeat,
    /// The first of its direction is sent instead.
    Replay,
    /// It becomes a refusal or an end, with a code of zeros.
    Forge,
    /// It goes back to where it came from instead.
    Reflect,
}

/// Who is on the path.
struct Attacker {
    address: SocketAddr,
    /// Whether there was something to do.
    done: Arc<AtomicBool>,
}

/// One frame, to its code if it has one.
fn frame(from: &mut TcpStream, sealed: bool) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    from.read_exact(&mut frame)?;
    let length = u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]) & !PACKED;
    let rest = length as usize + if sealed { CODE_LEN } else { 0 };
    frame.resize(4 + rest, 0);
    from.read_exact(&mut frame[4..])?;
    Ok(frame)
}

impl Attacker {
    /// Does `deed` to frame `nth` of what the client or the server says after the proofs; and makes both believe that the other
    /// speaks no version after `newest`.
    fn before(server: &TestServer, newest: u16, (from_client, nth, deed): (bool, usize, Deed)) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let (server, done) = (server.address, Arc::new(AtomicBool::new(false)));
        let told = Arc::clone(&done);
        std::thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                let server = TcpStream::connect(server).expect("it listens");
                let told = Arc::clone(&told);
                std::thread::spawn(move || pass(client, server, newest, (from_client, nth, deed), &told));
            }
        });
        Self { address, done }
    }
}

/// Passes one connection, until an end closes it.
fn pass(
    mut client: TcpStream,
    mut server: TcpStream,
    newest: u16,
    (from_client, nth, deed): (bool, usize, Deed),
    done: &Arc<AtomicBool>,
) -> io::Result<()> {
    let lower = |greeting: &mut [u8]| {
        greeting[EARLIER] -= greeting[VERSION] - newest as u8;
        greeting[VERSION] = newest as u8;
    };
    let mut greeting = [0; GREETING_LEN];
    client.read_exact(&mut greeting)?;
    lower(&mut greeting);
    server.write_all(&greeting)?;
    let conversation = greeting[10] == 1;
    if conversation {
        let mut welcome = [0; WELCOME_LEN];
        server.read_exact(&mut welcome)?;
        lower(&mut welcome);
        client.write_all(&welcome)?;
        server.write_all(&frame(&mut client, false)?)?;
        client.write_all(&frame(&mut server, false)?)?;
    }
    let sealed = conversation && newest >= SEALED_SINCE;
    let (forth, back) = ([client.try_clone()?, server.try_clone()?], [server, client]);
    std::thread::scope(|scope| {
        for ([mut from, to], acts) in [(forth, from_client), (back, !from_client)] {
            let deed = (sealed && acts).then_some((nth, deed));
            scope.spawn(move || {
                let to = Mutex::new(to);
                let ended = match deed {
                    Some(deed) => frames(&mut from, &to, deed, done),
                    None => io::copy(&mut from, &mut *to.lock().expect("no panic")).map(drop),
                };
                drop(ended);
                to.lock().expect("no panic").shutdown(Shutdown::Write).unwrap_or(());
            });
        }
    });
    Ok(())
}

/// Passes the frames of one direction, but for what is done to one.
fn frames(
    from: &mut TcpStream,
    to: &Mutex<TcpStream>,
    (nth, deed): (usize, Deed),
    done: &AtomicBool,
) -> io::Result<()> {
    let mut first = None;
    for place in 0.. {
        let mut frame = frame(from, true)?;
        let first = first.get_or_insert_with(|| frame.clone());
        let mut to = to.lock().expect("no panic");
        if place == nth {
            done.store(true, Ordering::SeqCst);
            match deed {
                Deed::Flip(part) => {
                    let place = 4 + ((frame.len() - 4) as f64 * part) as usize;
                    frame[place] ^= 1 << (place % 8);
                }
                Deed::Repeat => to.write_all(&frame)?,
                Deed::Replay => frame.clone_from(first),
                Deed::Forge => {
                    let content = if nth.is_multiple_of(2) { "\"finish\"" } else { "{\"refused\":\"no\"}" };
                    frame =
                        [&(content.len() as u32).to_be_bytes(), content.as_bytes(), &[0; CODE_LEN]].concat();
                }
                Deed::Reflect => {
                    from.write_all(&frame)?;
                    continue;
                }
            }
        }
        to.write_all(&frame)?;
    }
    Ok(())
}

/// Measures a trial at `address`, from the first word to the last.
fn measures(address: SocketAddr, key: &Key) -> Result<(), RunError> {
    let target = Target::parse(&address.to_string()).expect("an address");
    let failed = |error: PairError| RunError::Control { size: 0, source: Box::new(error) };
    let met = plan("schedule = 'list:100000'\ntime = '10ms'");
    let pair = Pair::open(&target, Some(key), &met, HostClock::start(), |_| ControlFlow::Continue(()));
    let mut pair = pair.map_err(failed)?;
    pair.run(&trial())?;
    pair.finish().map(drop).map_err(failed)
}

#[test]
fn what_is_changed_on_the_path_is_never_believed() {
    let server = TestServer::start(Limits { slots: 16, ..Limits::default() });
    let seed = rand::random();
    println!("seed {seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    for turn in 0..30 {
        let part = random.random_range(0.0..1.0);
        let deed = [Deed::Flip(part), Deed::Repeat, Deed::Replay, Deed::Forge, Deed::Reflect][turn % 5];
        let act = (random.random(), random.random_range(0..7), deed);
        let attacker = Attacker::before(&server, PROTOCOL, act);
        let measured = measures(attacker.address, &server.key);
        let done = attacker.done.load(Ordering::SeqCst);
        // What is the first frame anyway changes nothing, nor does a word after the last.
        let harmless = match act {
            (_, 0, Deed::Replay) | (.., Deed::Repeat) => true,
            _ => !done,
        };
        match measured {
            Ok(()) => assert!(harmless, "{act:?} was not noticed"),
            Err(error) => {
                let text =
                    std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source())
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join(": ");
                // Who hears itself may be gone by then.
                let named = matches!(deed, Deed::Reflect) || text.contains("is not what the peer sent");
                assert!(done && named, "{act:?}: {text}");
            }
        }
    }
    server.still_serves();
}

#[rstest]
fn an_older_version_is_spoken_only_if_both_ends_accept_that(
    #[values(false, true)] here: bool,
    #[values(false, true)] there: bool,
) {
    let key = Key::fresh().expect("random numbers");
    let served = key.clone().allow_unauthenticated_control(there);
    let server = Server::bind((Ipv4Addr::LOCALHOST, 0).into(), Some(served), Limits::default());
    let server = TestServer::of(server.expect("a free port"), key.clone());
    let nothing = (true, usize::MAX, Deed::Repeat);
    let attacker = Attacker::before(&server, SEALED_SINCE - 1, nothing);
    let measured = measures(attacker.address, &key.clone().allow_unauthenticated_control(here));
    match measured {
        Ok(()) => assert!(here && there),
        Err(error) => {
            assert!(!(here && there), "{error}");
            assert!(error.to_string().contains("protect control messages"), "{error}");
        }
    }
    assert!(measures(server.address, &key).is_ok(), "of the newest version");
}

//! Peers that are silent in the middle of requests, above all of a connection for each: neither end
//! waits for them beyond its patience, and the user can end it at once.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linerate_core::observation::Clock;
use linerate_core::plan::Plan;
use linerate_core::traffic::{Ended, Load, RrPlan, Transfer};
use linerate_core::units::{Size, Span};
use linerate_net::control::{
    Ask, CHALLENGE_LEN, ChannelAddress, ChannelToken, GREETING_LEN, Opening, Reply, Welcome, read_frame,
    write_frame,
};
use linerate_net::observe::HostClock;
use linerate_net::pair::{Loads, PairError, Peers, Target};
use linerate_net::serve::Limits;
use rstest::rstest;

use crate::support::rude::{Rude, Stage, data_connection, dribble, rest};
use crate::support::{self, TestServer};

/// How long a false server waits for its client.
const PATIENCE: Duration = Duration::from_secs(30);
const TOKEN: ChannelToken = [9; 16];
/// This many times the user's wish is looked for, a tenth of a second apart, before a run that it ends
/// took too long: twice the two seconds that are meant, and less than any patience.
const MOST_LOOKS: u32 = 40;

fn plan_of(rr: RrPlan, time: Span) -> (Plan, Load) {
    let load = Load { rr: Some(rr), time, ..Load::default() };
    (support::plan_for(&load), load)
}

/// What a client does in the middle of its transaction.
#[derive(Clone, Copy, Debug)]
enum Midway {
    /// It says no more.
    Silent,
    /// It goes on, a byte every tenth of a second.
    Dribbling,
}

#[rstest]
fn a_client_that_does_not_end_its_transaction_is_cut_when_its_time_is_over(
    #[values(Midway::Silent, Midway::Dribbling)] midway: Midway,
) {
    let server =
        TestServer::start(Limits { grace: Duration::from_millis(500), slots: 1, ..Limits::default() });
    let request = Size(100_000);
    let (plan, load) = plan_of(RrPlan { connect: true, request, ..RrPlan::default() }, Span::from_ms(100));
    let (_rude, token) = begun(&server, plan, load);
    let mut data = data_connection(&server, &token);
    data.read_exact(&mut [0]).expect("it is taken");
    data.write_all(&[0; 10]).expect("a part of a request");
    match midway {
        Midway::Silent => assert!(rest(&mut data).is_empty(), "nothing was asked"),
        Midway::Dribbling => dribble(&mut data, std::iter::repeat_n(0, 50_000)),
    }
    // Its slot is free again.
    server.still_serves();
}

/// A client whose load of connections for each transaction has just started.
fn begun(server: &TestServer, plan: Plan, load: Load) -> (Rude, ChannelToken) {
    let mut rude = Rude::at(server, Stage::Plan);
    rude.say(&Ask::Offer(Box::new(plan)));
    while !matches!(rude.hear().expect("its turn comes"), Reply::Admitted { .. }) {}
    rude.say(&Ask::Open(Opening::Load(Box::new(load))));
    let Ok(Reply::Rendezvous { token, .. }) = rude.hear() else { panic!("a place to meet is due") };
    rude.await_ready();
    rude.say(&Ask::Start);
    assert!(matches!(rude.hear(), Ok(Reply::Go)));
    (rude, token)
}

/// How far a false server goes before it is silent.
#[derive(Clone, Copy, Debug)]
enum Until {
    /// The kernel has accepted the connection of a transaction.
    Connected,
    /// It takes the connection, and the request.
    Asked,
    /// The same on a channel that stands.
    AskedOnStanding,
}

#[rstest]
fn the_user_can_end_it_while_the_peer_is_silent(
    #[values(Until::Connected, Until::Asked, Until::AskedOnStanding)] until: Until,
) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("it listens");
    let silent = AtomicBool::new(false);
    let mut looks = 0;
    let (transfer, broken) = std::thread::scope(|scope| {
        scope.spawn(|| impostor(&listener, until, &silent));
        run_watched(address, !matches!(until, Until::AskedOnStanding), || {
            if !silent.load(Ordering::Relaxed) {
                return ControlFlow::Continue(());
            }
            looks += 1;
            ControlFlow::Break(())
        })
    });
    assert!(looks <= MOST_LOOKS, "{looks}");
    assert!(matches!(broken, Some(PairError::Interrupted)), "{broken:?}");
    let [latency] = transfer.latencies.as_slice() else { panic!("one flow: {transfer:?}") };
    assert!(matches!(latency.ended, Ended::Failed(_)) && latency.transactions == 0, "{latency:?}");
}

/// Runs requests of minutes and then ends the conversation.
fn run_watched(
    address: SocketAddr,
    connect: bool,
    watch: impl FnMut() -> ControlFlow<()>,
) -> (Transfer, Option<PairError>) {
    let (plan, load) = plan_of(RrPlan { connect, ..RrPlan::default() }, Span::from_ms(120_000));
    let target = Target::parse(&address.to_string()).expect("an address");
    let go_on = |_| ControlFlow::Continue(());
    let peers = Peers { targets: std::slice::from_ref(&target), key: None, first: Some(&load) };
    let mut loads = Loads::open(peers, &plan, HostClock::start(), go_on).expect("it behaves so far");
    let ended = support::run(&mut loads, &load, watch).expect("it behaves until the requests");
    loads.finish().expect_err("the conversation was broken off");
    ended
}

/// Behaves as a server as far as `until`, says so in `silent`, and waits until its client hangs up.
fn impostor(listener: &TcpListener, until: Until, silent: &AtomicBool) {
    let accept = || {
        let (stream, _) = listener.accept().expect("the client comes");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream
    };
    let mut control = accept();
    control.read_exact(&mut [0; GREETING_LEN]).expect("the client greets");
    control.write_all(&Welcome::new(true, [3; CHALLENGE_LEN]).encode()).expect("it listens");
    assert!(matches!(hear(&mut control), Ask::Offer(_)));
    say(&mut control, &Reply::Admitted { environment: Box::default(), clock: clock(), reflector: None });
    assert!(matches!(hear(&mut control), Ask::Open(Opening::Alone(_))));
    say(&mut control, &Reply::Rendezvous { token: TOKEN, rendezvous: ChannelAddress::Conversation.into() });
    let take = || {
        let mut data = accept();
        let mut opening = [0; GREETING_LEN + TOKEN.len() + 4];
        data.read_exact(&mut opening).expect("a greeting, a token and a number");
        data.write_all(&[6]).expect("the client listens");
        data
    };
    let standing = matches!(until, Until::AskedOnStanding).then(take);
    assert!(matches!(hear(&mut control), Ask::Start));
    say(&mut control, &Reply::Ready(Box::default()));
    let data = match until {
        Until::Connected => accept(),
        Until::Asked => asked(take()),
        Until::AskedOnStanding => asked(standing.expect("it was taken")),
    };
    silent.store(true, Ordering::Relaxed);
    while control.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {}
    drop(data);
}

/// A channel whose first request has come.
fn asked(mut data: TcpStream) -> TcpStream {
    data.read_exact(&mut [0]).expect("a request");
    data
}

fn say(control: &mut TcpStream, reply: &Reply) {
    write_frame(control, reply).expect("the client listens");
}

fn hear(control: &mut TcpStream) -> Ask {
    read_frame(control).expect("the client asks")
}

fn clock() -> Clock {
    let cost = Span::from_ns(30);
    let name = "CLOCK_MONOTONIC_RAW".to_owned();
    Clock { name, reads: 1, cost, resolution: Span::from_ns(1), backwards: 0 }
}

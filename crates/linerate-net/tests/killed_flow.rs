//! A flow that is killed in the middle of a load: the others go on, and the account says so.

use std::io::copy;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use linerate_core::traffic::{Class, Direction, Load, StreamPlan};
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use linerate_net::pair::{Loads, Peers, Target};
use linerate_net::serve::Limits;
use rstest::rstest;

use crate::support::{self, TestServer};

const STALL: Span = Span::from_ms(60_000);

/// Forwards every connection, and keeps hold of all, in the order in which they came.
struct Middle {
    address: SocketAddr,
    passing: Arc<Mutex<Vec<TcpStream>>>,
}

impl Middle {
    fn before(server: SocketAddr) -> Self {
        let accepting = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let middle = Self { address: accepting.local_addr().expect("it listens"), passing: Arc::default() };
        let passing = Arc::clone(&middle.passing);
        std::thread::spawn(move || {
            for arrived in accepting.incoming() {
                let near = arrived.expect("a connection");
                let far = TcpStream::connect(server).expect("the server listens");
                let again = |end: &TcpStream| end.try_clone().expect("a descriptor");
                passing.lock().expect("no panic").push(again(&near));
                for (from, to) in [(again(&near), again(&far)), (far, near)] {
                    std::thread::spawn(move || forward(from, to));
                }
            }
        });
        middle
    }

    /// Kills the connection of this number, at once.
    fn kill(&self, number: usize) {
        let passing = self.passing.lock().expect("no panic");
        passing[number].shutdown(Shutdown::Both).expect("it is connected");
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream) {
    // However it ends, both ends are to see it.
    copy(&mut from, &mut to).unwrap_or(0);
    to.shutdown(Shutdown::Write).unwrap_or(());
}

#[rstest]
fn the_others_go_on_and_the_account_says_so(
    #[values(Direction::Send, Direction::Receive)] direction: Direction,
    #[values(None, Some(1))] threads: Option<u32>,
) {
    let server = TestServer::start(Limits::default());
    let middle = Middle::before(server.address);
    let stream = StreamPlan { flows: 3, direction, threads, stall: STALL, ..StreamPlan::default() };
    let load = Load { stream: Some(stream), time: Span::from_ms(1_500), ..Load::default() };
    let plan = support::plan_for(&load);
    let target = Target::parse(&middle.address.to_string()).expect("an address");
    let go_on = |_| ControlFlow::Continue(());
    let targets = std::slice::from_ref(&target);
    let peers = Peers { targets, key: Some(&server.key), first: Some(&load) };
    let mut loads = Loads::open(peers, &plan, HostClock::start(), go_on).expect("admitted");
    let mut looks = 0;
    let watch = || {
        looks += 1;
        if looks == 5 {
            // The conversation is the first, then the flows.
            middle.kill(2);
        }
        ControlFlow::Continue(())
    };
    let (transfer, broken) = support::run(&mut loads, &load, watch).expect("a load");
    assert!(broken.is_none(), "{broken:?}");
    loads.finish().expect("the conversation stands");
    // Several are opened at the same time, so it may be any of them.
    let (whole, killed): (Vec<_>, Vec<_>) =
        transfer.flows.iter().partition(|flow| transfer.class(flow) == Class::Complete);
    let [killed] = killed[..] else { panic!("one was killed: {:?}", transfer.flows) };
    assert!(matches!(transfer.class(killed), Class::Failed(_)), "{killed:?}");
    assert!(killed.sender.bytes > 0 && killed.receiver.bytes > 0, "what passed is kept: {killed:?}");
    for flow in whole {
        assert_eq!(flow.sender.bytes, flow.receiver.bytes);
    }
    let summaries = transfer.summaries();
    assert_eq!((summaries[0].complete, summaries[0].failed), (2, 1));
}

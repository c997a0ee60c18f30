//! Ranks over TCP, each a thread here: what every carrier of ranks promises, how they find each other, and who is kept
//! out. About 15 s.

use std::io::{Read, Write};
use std::net::{Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use linerate_core::comm::{Comm, CommError};
use linerate_core::endpoint::run_ready;
use linerate_core::units::Span;
use linerate_net::control::Key;
use linerate_net::observe::HostClock;
use linerate_net::ranks::{Absent, Attendance, JoinError, Joining, Meeting, Oversight, TcpComm, join, lead};

use crate::support::comm_conformance::{self, Ranks};

const WITHIN: Duration = Duration::from_secs(30);

fn key() -> Key {
    "abcd-efgh-2345".parse().expect("it is long enough")
}

fn joining(rank: usize, size: usize) -> Joining {
    Joining {
        rank,
        size,
        first: 0,
        name: format!("n{rank}"),
        plan: "the plan".to_owned(),
        key: key(),
        within: WITHIN,
        patience: Span::from_ms(60_000),
        clock: HostClock::start(),
        oversight: Oversight::default(),
    }
}

fn listener(address: &str) -> (TcpListener, String) {
    let listener = TcpListener::bind(address).expect("a port is free");
    let address = listener.local_addr().expect("it is bound").to_string();
    (listener, address)
}

/// Where rank 0 is.
fn at(address: &str, key: &Key) -> Result<Meeting, String> {
    Ok(Meeting { addresses: vec![address.to_owned()], key: key.clone() })
}

/// Joins rank 0 at this address with its own key.
fn going(address: &str, joining: Joining) -> Result<TcpComm, JoinError> {
    let key = joining.key.clone();
    join(|| at(address, &key), joining)
}

/// All ranks, each as `change` has it, until each has joined or has failed to.
fn joined(at: &str, size: usize, change: impl Fn(&mut Joining) + Sync) -> Vec<Result<TcpComm, JoinError>> {
    let (listener, address) = listener(at);
    thread::scope(|scope| {
        let others = (1..size).map(|rank| {
            let (address, change) = (&address, &change);
            scope.spawn(move || {
                let mut joining = joining(rank, size);
                change(&mut joining);
                going(address, joining)
            })
        });
        let others: Vec<_> = others.collect();
        let mut first = joining(0, size);
        change(&mut first);
        let first = lead(listener, first, &Attendance::default(), || Ok(Vec::new()));
        let others = others.into_iter().map(|rank| rank.join().expect("it does not panic"));
        std::iter::once(first).chain(others).collect()
    })
}

fn all(at: &str, size: usize) -> Vec<TcpComm> {
    let joined = joined(at, size, |_| {}).into_iter();
    joined.map(|rank| rank.unwrap_or_else(|error| panic!("failed to {error}"))).collect()
}

/// Runs `program` on ranks that have joined, each on a thread.
fn on<T: Send>(
    ranks: Vec<TcpComm>,
    program: impl AsyncFn(TcpComm) -> Result<T, CommError> + Sync,
) -> Vec<Result<T, CommError>> {
    thread::scope(|scope| {
        let run = |comm| {
            let program = &program;
            scope.spawn(move || run_ready(program(comm)))
        };
        let running: Vec<_> = ranks.into_iter().map(run).collect();
        running.into_iter().map(|rank| rank.join().expect("a rank does not panic")).collect()
    })
}

/// New ranks at this address for every program.
struct At(&'static str);

impl Ranks for At {
    type Comm = TcpComm;

    fn run<T: Send>(
        &self,
        size: usize,
        program: impl AsyncFn(TcpComm) -> Result<T, CommError> + Sync,
    ) -> Vec<Result<T, CommError>> {
        on(all(self.0, size), program)
    }
}

#[test]
fn ranks_over_ipv4_keep_every_promise() {
    comm_conformance::comm(&At("127.0.0.1:0"));
}

#[test]
fn ranks_over_ipv6_keep_every_promise() {
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        comm_conformance::comm(&At("[::1]:0"));
    } else {
        assert!(std::env::var_os("CI").is_none(), "this host has no IPv6");
    }
}

#[test]
fn everybody_has_the_same_table() {
    for comm in all("127.0.0.1:0", 300) {
        let expected = (0..300).map(|rank| format!("n{rank}"));
        assert!(comm.names().map(str::to_owned).eq(expected), "rank {}", comm.rank());
    }
}

fn said(joined: Vec<Result<TcpComm, JoinError>>) -> Vec<String> {
    joined.into_iter().map(|rank| rank.map_or_else(|error| error.to_string(), |_| String::new())).collect()
}

#[test]
fn ranks_that_were_told_otherwise_are_named_to_all() {
    let said = said(joined("127.0.0.1:0", 2, |joining| {
        if joining.rank == 1 {
            joining.plan = "another".to_owned();
        }
    }));
    let reason = "rank 1 on n1 was started with another plan than rank 0: give all ranks the same options";
    assert_eq!(said, [format!("join all ranks: {reason}"), format!("join rank 0: {reason}")]);
}

#[test]
fn ranks_that_count_otherwise_are_named() {
    let said = said(joined("127.0.0.1:0", 2, |joining| {
        if joining.rank == 1 {
            joining.size = 3;
        }
    }));
    assert_eq!(said[0], "join all ranks: rank 1 on n1 was started as one of 3 ranks, and rank 0 as one of 2");
}

#[test]
fn a_rank_that_is_there_twice_is_named() {
    let said = said(joined("127.0.0.1:0", 3, |joining| {
        if joining.rank == 2 {
            joining.rank = 1;
        }
    }));
    assert!(said[0].contains("rank 1 on n") && said[0].contains("is there twice"), "{}", said[0]);
}

#[test]
fn ranks_that_never_come_are_named_after_the_deadline() {
    let (listener, address) = listener("127.0.0.1:0");
    let within = Duration::from_secs(2);
    let (first, second) = thread::scope(|scope| {
        let second = scope.spawn(|| going(&address, Joining { within, ..joining(1, 4) }));
        (
            lead(listener, Joining { within, ..joining(0, 4) }, &Attendance::default(), || Ok(Vec::new())),
            second.join().expect("it does not panic"),
        )
    });
    let reason = "find all 4 ranks: ranks 2 and 3 did not come within 2s";
    assert_eq!(first.expect_err("two are missing").to_string(), reason);
    let told = second.expect_err("two are missing").to_string();
    assert_eq!(told, format!("join rank 0: rank 0 failed to {reason}"));
}

/// One that will not come and one that does not: the others are ranks, as long as they are enough.
#[test]
fn ranks_that_never_come_are_absent_and_the_others_talk() {
    for fewest in [3, 4] {
        let (listener, address) = listener("127.0.0.1:0");
        let next_within = Some(Duration::from_secs(1));
        let names = (0..5).map(|rank| format!("host {rank}")).collect();
        let attendance = Attendance { fewest: Some(fewest), next_within, names };
        let off = || Ok(vec![Absent { rank: 2, reason: "it is off".to_owned() }]);
        let (first, others) = thread::scope(|scope| {
            let others = [1, 3].map(|rank| {
                let address = &address;
                scope.spawn(move || going(address, joining(rank, 5)))
            });
            let first = lead(listener, joining(0, 5), &attendance, off);
            (first, others.map(|rank| rank.join().expect("it does not panic")))
        });
        if fewest == 4 {
            let reason = first.expect_err("three are too few").to_string();
            assert_eq!(reason, "find all 5 ranks: rank 4 did not come within 1s");
            for told in others {
                assert_eq!(
                    told.expect_err("it is over").to_string(),
                    format!("join rank 0: rank 0 failed to {reason}")
                );
            }
            continue;
        }
        let first = first.expect("three are enough");
        assert_eq!(
            [2, 4].map(|rank| first.absence(rank)),
            [Some("it is off"), Some("it did not come within 1s")]
        );
        assert_eq!(first.names().collect::<Vec<_>>(), ["n0", "n1", "host 2", "n3", "host 4"]);
        // The loopback has one, and what never came has said nothing.
        assert!([1, 3].iter().all(|rank| first.mtu(*rank) > Some(1_500)) && first.mtu(2).is_none());
        let ranks = std::iter::once(first).chain(others.map(|rank| rank.expect("it has joined")));
        let passed = on(ranks.collect(), async |mut comm: TcpComm| {
            let present = [0, 1, 3];
            let here = present.iter().position(|rank| *rank == comm.rank()).expect("it is one of them");
            let (next, before) = (present[(here + 1) % 3], present[(here + 2) % 3]);
            let mut from = [0];
            comm.sendrecv(next, &[comm.rank() as u8], before, &mut from).await?;
            let sent = comm.sent_segments(0);
            Ok((before, usize::from(from[0]), sent.is_some_and(|sent| sent.sent > 0)))
        });
        for passed in passed {
            let (before, from, counted) = passed.expect("they are there");
            assert!(before == from && counted);
        }
    }
}

#[test]
fn a_rank_with_another_key_is_refused_and_never_counts() {
    let other: Key = "zzzz-yyyy-xxxx-wwww".parse().expect("it is long enough");
    let (listener, address) = listener("127.0.0.1:0");
    let within = Duration::from_secs(3);
    let (first, stranger) = thread::scope(|scope| {
        let stranger = scope.spawn(|| going(&address, Joining { key: other, within, ..joining(1, 2) }));
        (
            lead(listener, Joining { within, ..joining(0, 2) }, &Attendance::default(), || Ok(Vec::new())),
            stranger.join().expect("it does not panic"),
        )
    });
    assert_eq!(
        first.expect_err("nobody with the key came").to_string(),
        "find all 2 ranks: rank 1 did not come within 3s"
    );
    let reason = "join rank 0: it has another key: give all ranks the same one (LINERATE_KEY or --key)";
    assert_eq!(stranger.expect_err("it has another key").to_string(), reason);
}

#[test]
fn nobody_at_the_rendezvous_is_said_with_its_address() {
    let (listener, address) = listener("127.0.0.1:0");
    drop(listener);
    let error = going(&address, Joining { within: Duration::from_millis(300), ..joining(1, 2) });
    let said = error.expect_err("nobody is there").to_string();
    assert!(said.starts_with(&format!("reach rank 0 at {address} within 300ms: ")), "{said}");
    let error =
        going("no-such-host.invalid:1", joining(1, 2)).expect_err("there is no such host").to_string();
    assert!(error.starts_with("find rank 0 at no-such-host.invalid:1: "), "{error}");
}

/// Strangers with the port and without the key: silent, chatty, many.
#[test]
fn strangers_do_not_stop_a_rendezvous() {
    let (listener, address) = listener("127.0.0.1:0");
    let to: SocketAddr = address.parse().expect("an address");
    let mut idle = Vec::new();
    let size = 4;
    let ended = thread::scope(|scope| {
        let first =
            scope.spawn(|| lead(listener, joining(0, size), &Attendance::default(), || Ok(Vec::new())));
        for number in 0..600 {
            let Ok(mut stream) = TcpStream::connect(to) else { continue };
            // Half of a greeting, garbage, an oversized frame after a good greeting, or nothing.
            let said: &[u8] = match number % 4 {
                0 => b"linerate",
                1 => b"GET / HTTP/1.1\r\n\r\n",
                2 => b"linerate\0\x05\x03\x01\r\n\r\n\xff\xff\xff\xff",
                _ => b"",
            };
            let _ = stream.write_all(said);
            idle.push(stream);
        }
        let begun = Instant::now();
        let others: Vec<_> = (1..size)
            .map(|rank| {
                scope.spawn({
                    let address = address.clone();
                    move || going(&address, joining(rank, size))
                })
            })
            .collect();
        let others: Vec<_> = others.into_iter().map(|rank| rank.join().expect("it does not panic")).collect();
        assert!(begun.elapsed() < WITHIN, "the strangers held them up");
        std::iter::once(first.join().expect("it does not panic")).chain(others).collect::<Vec<_>>()
    });
    assert_eq!(said(ended), [""; 4]);
    // Those that were silent for too long were shown out.
    let mut first = idle.swap_remove(0);
    first.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
    assert!(matches!(first.read(&mut [0; 64]), Ok(0) | Err(_)));
}

#[test]
fn a_rank_that_is_gone_costs_its_own_messages_only() {
    let ready = Barrier::new(3);
    let ended = on(all("127.0.0.1:0", 4), async |mut comm| {
        match comm.rank() {
            // Gone in the middle of a message.
            3 => {
                comm.send_to(2, &[7; 10]).await?;
                return Ok(String::new());
            }
            2 => {
                comm.recv_from(3, &mut [0; 10]).await?;
                let lost = comm.recv_from(3, &mut [0; 10]).await.expect_err("nothing more comes");
                let again = comm.send_to(3, &[1]).await.expect_err("nor goes");
                assert_eq!(lost.to_string(), again.to_string());
                ready.wait();
                comm.sendrecv(1, &[2], 1, &mut [0]).await?;
                return Ok(lost.to_string());
            }
            _ => {}
        }
        ready.wait();
        let other = 3 - comm.rank();
        if comm.rank() == 1 {
            comm.sendrecv(other, &[1], other, &mut [0]).await?;
        }
        Ok(String::new())
    });
    let said: Vec<String> = ended.into_iter().map(|ended| ended.expect("all others go on")).collect();
    assert_eq!(said[2], "reach rank 3: the peer closed the connection");
}

#[test]
fn a_rank_that_neither_reads_nor_writes_is_lost_after_a_while() {
    let ended = on(all("127.0.0.1:0", 2), async |mut comm| {
        if comm.rank() == 1 {
            // Rank 0 closes when it has given up.
            let _ = comm.recv_from(0, &mut [0]).await;
            return Ok(Vec::new());
        }
        comm.patience(Span::from_ms(200));
        let received = comm.recv_from(1, &mut [0]).await.expect_err("it never sends").to_string();
        Ok(vec![received])
    });
    let said = ended.into_iter().next().expect("rank 0").expect("it gives up");
    assert_eq!(said, ["reach rank 1: no byte moved for 200 ms"]);
    let ended = on(all("127.0.0.1:0", 2), async |mut comm| {
        if comm.rank() == 1 {
            thread::sleep(Duration::from_secs(2));
            return Ok(String::new());
        }
        comm.patience(Span::from_ms(200));
        let large = vec![0; 64 << 20];
        Ok(comm.sendrecv(1, &large, 1, &mut [0]).await.expect_err("it never reads").to_string())
    });
    let said = ended.into_iter().next().expect("rank 0").expect("it gives up");
    assert_eq!(said, "reach rank 1: no byte moved for 200 ms");
}

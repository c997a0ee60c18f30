//! Clients that have the key and make a server a rank: whatever they order, the slot is free again once they have gone,
//! nothing panics, and nobody learns from the server what is at an address.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use linerate_core::comm::Comm as _;
use linerate_core::endpoint::run_ready;
use linerate_core::mesh::MOST_RANKS;
use linerate_core::plan::Plan;
use linerate_core::units::{Size, Span};
use linerate_net::control::{
    Ask, CODE_LEN, FrameError, GREETING_LEN, Greeting, Key, PROTOCOL, Purpose, RankOrder, Reply, Seals,
    Welcome, encode, read_frame, write_frame, write_sealed,
};
use linerate_net::observe::HostClock;
use linerate_net::ranks::{
    Attendance, Comes, Introduction, Joining, Oversight, Reception, Row, TcpComm, Told, lead,
};
use linerate_net::serve::Limits;
use rand::{RngExt, SeedableRng, rngs::SmallRng};

use crate::support::TestServer;
use crate::support::rude::{PATIENCE, Rude, Stage};

const WELCOME_LEN: usize = 44;
/// An hour, which no test waits for.
const HOUR_MS: u64 = 3_600_000;

fn mesh() -> Plan {
    let text = "[mesh]\nschedules = ['serial']\nlatency = [1]\nthroughput = [1024]\nvisit = '10us'";
    Plan::from_toml(text).expect("a plan")
}

fn order(size: usize) -> RankOrder {
    let (name, plan) = ("n1".to_owned(), Box::new(mesh()));
    RankOrder { rank: 1, size, first: 1, name, plan, within_ms: HOUR_MS, patience_ms: HOUR_MS }
}

fn server(memory: u64) -> TestServer {
    TestServer::start(Limits { slots: 1, memory: Size(memory), ..Limits::default() })
}

/// Asks for a rank; whether it sets out, or why it refuses.
fn asked(server: &TestServer, port: u16, order: RankOrder) -> Result<Rude, String> {
    let mut rude = Rude::at(server, Stage::Plan);
    rude.say(&Ask::Rank { port, order: Box::new(order) });
    let mut waited = 0;
    loop {
        match rude.hear() {
            Ok(Reply::Rank) => return Ok(rude),
            Ok(Reply::Refused(reason)) => return Err(reason),
            // One heartbeat a second.
            Ok(Reply::Queued(_)) if waited < PATIENCE.as_secs() => waited += 1,
            other => panic!("{waited} s in the queue, then {other:?}"),
        }
    }
}

/// The only slot is free, or is soon: nothing but a client that has gone holds it.
fn is_free(server: &TestServer) {
    let (listener, port) = listener();
    drop(asked(server, port, order(2)).expect("an honest order"));
    drop(listener);
}

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    (listener, port)
}

fn leading(key: &Key, size: usize) -> Joining {
    Joining {
        rank: 0,
        size,
        first: 0,
        name: "n0".to_owned(),
        plan: mesh().question(),
        key: key.clone(),
        within: PATIENCE,
        patience: Span::from_ms(30_000),
        clock: HostClock::start(),
        oversight: Oversight::default(),
    }
}

/// The server as rank 1 of two, and rank 0 that orders what it likes.
fn conducted(server: &TestServer) -> (Rude, TcpComm) {
    let (listener, port) = listener();
    let rude = asked(server, port, order(2)).expect("an honest order");
    let comm = lead(listener, leading(&server.key, 2), &Attendance::default(), || Ok(Vec::new()));
    (rude, comm.unwrap_or_else(|error| panic!("failed to {error}")))
}

fn words(words: [u64; 5]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A small number, any number, or one with all bits set up to some place.
fn number(random: &mut SmallRng) -> u64 {
    match random.random_range(0..3) {
        0 => random.random_range(0..4),
        1 => random.random(),
        _ => u64::MAX >> random.random_range(0..64_u32),
    }
}

#[test]
fn no_order_of_a_mesh_holds_the_slot_when_its_client_has_gone() {
    let seed = 38_002;
    println!("seed {seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let server = server(1 << 30);
    // Passes to nobody, 2^63 times, and fans of nobody are among what is tried first.
    let spins = [[2, u64::MAX, u64::MAX, 8, 1 << 63], [4, 0, 1, 1 << 63, 0], [5, 0, 1, 1 << 63, 0]];
    let drawn = (0..40).map(|_| {
        let kind = random.random_range(0..10);
        let mut draw = || number(&mut random);
        [kind, draw(), draw(), draw(), draw()]
    });
    for order in spins.into_iter().chain(drawn.collect::<Vec<_>>()) {
        println!("{order:?}");
        let (rude, mut comm) = conducted(&server);
        run_ready(comm.send_to(1, &words(order))).expect("it is there");
        // Who computes has the time to begin.
        thread::sleep(Duration::from_millis(5));
        // Its client's word alone is enough, and so is rank 0's.
        if random.random() {
            drop(rude);
            is_free(&server);
        } else {
            drop(comm);
            drop(rude);
            is_free(&server);
        }
    }
    server.still_serves();
}

#[test]
fn a_client_that_has_gone_is_noticed_while_its_rank_waits_for_an_hour() {
    let server = server(1 << 30);
    // Rank 0 is not there; it says nothing; it does not send the table.
    for stage in 0..3 {
        let (listener, port) = listener();
        let listener = (stage > 0).then_some(listener);
        let rude = asked(&server, port, order(2)).expect("an honest order");
        let held = listener.map(|listener| {
            let (mut stream, _) = listener.accept().expect("the server comes");
            if stage == 2 {
                received(&mut stream, &server.key);
            }
            stream
        });
        drop(rude);
        is_free(&server);
        drop(held);
    }
    server.still_serves();
}

/// As rank 0, by hand, up to the table: the codes of what follows.
fn received(stream: &mut TcpStream, key: &Key) -> Seals {
    let mut greeting = [0; GREETING_LEN];
    stream.read_exact(&mut greeting).expect("a greeting");
    stream.write_all(&Welcome::new(false, [7; 32]).encode()).expect("it listens");
    let introduction: Introduction = read_frame(stream).expect("an introduction");
    let proof = key.prove_server(PROTOCOL, &[7; 32], &introduction.challenge);
    write_frame(stream, &Reception::Received { proof }).expect("it listens");
    let seals = key.seals(PROTOCOL, &[7; 32], &introduction.challenge).expect("it is the newest");
    seals.expect("it has codes").turned()
}

#[test]
fn an_order_out_of_bounds_is_refused_in_a_sentence() {
    let seed = 38_003;
    println!("seed {seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let server = server(1 << 30);
    for _ in 0..60 {
        let mut wrong = order(random.random_range(2..9));
        let large = u64::MAX >> random.random_range(0..8_u32);
        match random.random_range(0..7) {
            0 => wrong.rank = wrong.size + random.random_range(0..3_usize),
            1 => wrong.rank = 0,
            2 => wrong.size = MOST_RANKS + random.random_range(1..1 << 40_usize),
            3 => wrong.first = wrong.size + random.random_range(0..2_usize),
            4 => wrong.size = random.random_range(0..2),
            5 => wrong.within_ms = large,
            _ => wrong.patience_ms = large,
        }
        let shown = format!("{wrong:?}");
        let reason = asked(&server, 9, wrong).err().unwrap_or_else(|| panic!("it accepted {shown}"));
        assert!(reason.contains("of the rank is") && !reason.contains('\n'), "{shown}: {reason}");
    }
    is_free(&server);
    server.still_serves();
}

#[test]
fn a_table_is_counted_as_memory_before_any_of_it_is_held() {
    let server = server(64 << 20);
    let reason = asked(&server, 9, order(MOST_RANKS)).err().expect("its table does not fit");
    assert!(reason.contains("--max-memory"), "{reason}");
    let reason = asked(&server, 9, order(3_000_000)).err().expect("there are never so many");
    assert!(reason.contains("size of the rank is 3000000"), "{reason}");
    is_free(&server);
}

/// Rows of a table that are not what was agreed.
fn tables(address: SocketAddr) -> Vec<Vec<Told>> {
    let row = |name: &str| Row { name: name.to_owned(), address };
    let table = |rows: Vec<Row>, more| Told::Table { session: "00".repeat(16), rows, more };
    vec![
        vec![table(vec![row("n0"); 500], true)],
        vec![table(vec![row(&"n".repeat(60_000)), row("n1")], false)],
        vec![table(vec![], true)],
        vec![table(vec![row("n0")], false)],
    ]
}

#[test]
fn a_table_that_is_wrong_or_not_rank_0s_leads_nowhere() {
    let server = server(1 << 30);
    let (bait, port) = listener();
    bait.set_nonblocking(true).expect("an option");
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let rows = ["n0", "n1"].map(|name| Row { name: name.to_owned(), address });
    let good = Told::Table { session: "00".repeat(16), rows: rows.to_vec(), more: false };
    let forged = [encode(&good).expect("it is short"), vec![0; CODE_LEN]].concat();
    for table in tables(address).into_iter().map(Some).chain([None]) {
        let (listener, port) = listener();
        let mut rude = asked(&server, port, order(2)).expect("an honest order");
        let (mut stream, _) = listener.accept().expect("the server comes");
        let mut seals = received(&mut stream, &server.key);
        for told in table.iter().flatten() {
            write_sealed(&mut stream, told, PROTOCOL, Some(&mut seals.says)).expect("it listens");
        }
        let why = if table.is_some() { "table" } else { "is not what the peer sent" };
        if table.is_none() {
            stream.write_all(&forged).expect("it listens");
        }
        let reply = rude.hear();
        assert!(matches!(&reply, Ok(Reply::Refused(reason)) if reason.contains(why)), "{reply:?}");
        assert!(bait.accept().is_err(), "it connected where the table said");
        is_free(&server);
    }
}

/// As another rank, by hand, joins rank 0 and says that it awaits others at `port`.
fn joined(at: SocketAddr, key: &Key, port: u16) -> TcpStream {
    let mut stream = TcpStream::connect(at).expect("rank 0 listens");
    stream.write_all(&Greeting::new(Purpose::Rank).encode()).expect("it listens");
    let mut welcome = [0; WELCOME_LEN];
    stream.read_exact(&mut welcome).expect("a welcome");
    let theirs = Welcome::decode(&welcome).expect("of a linerate").challenge;
    let challenge = [9; 32];
    let proof = key.prove_client(PROTOCOL, &theirs, &challenge);
    let comes = Comes::ToJoin { size: 3, name: "n2".to_owned(), plan: mesh().question(), port, mtu: None };
    write_frame(&mut stream, &Introduction { challenge, proof, rank: 2, comes }).expect("it listens");
    let reception: Result<Reception, FrameError> = read_frame(&mut stream);
    assert!(matches!(reception, Ok(Reception::Received { .. })), "{reception:?}");
    stream
}

/// What the server says of its connection with rank 2, which is said to be at `port`.
fn said_of(port: u16) -> String {
    let server = server(1 << 30);
    let (listener, own) = listener();
    let at = listener.local_addr().expect("it is bound");
    let _rude = asked(&server, own, order(3)).expect("an honest order");
    let (mut comm, _third) = thread::scope(|scope| {
        let third = scope.spawn(|| joined(at, &server.key, port));
        let comm = lead(listener, leading(&server.key, 3), &Attendance::default(), || Ok(Vec::new()));
        (comm.unwrap_or_else(|error| panic!("failed to {error}")), third.join().expect("it joins"))
    });
    // Short round trips with the second of those that are measured.
    run_ready(comm.send_to(1, &words([3, 1, 1, 0, 0]))).expect("it is there");
    let mut numbers = [0; 40];
    run_ready(comm.recv_from(1, &mut numbers)).expect("an answer");
    let length = u64::from_le_bytes(*numbers.last_chunk().expect("its last word"));
    let mut reason = vec![0; usize::try_from(length).expect("it is short")];
    run_ready(comm.recv_from(1, &mut reason)).expect("a reason");
    String::from_utf8(reason).expect("text")
}

#[test]
fn a_server_says_of_a_failed_connection_only_that_it_failed() {
    // Nobody; somebody who says nothing; somebody who says something else; a service of the system.
    let closed = listener().1;
    let (_silent, silent) = listener();
    let (other, others) = listener();
    let _answers = thread::spawn(move || {
        while let Ok((mut stream, _)) = other.accept() {
            stream.write_all(b"220 mail.example.org ESMTP\r\n").unwrap_or(());
        }
    });
    let said: Vec<String> = thread::scope(|scope| {
        let asking = [closed, silent, others, 22].map(|port| scope.spawn(move || said_of(port)));
        asking.into_iter().map(|one| one.join().expect("it does not panic")).collect()
    });
    assert_eq!(said, vec!["reach rank 1: the connection failed"; 4]);
}

#[test]
fn a_long_order_ends_on_every_server_when_its_client_has_gone() {
    let key = Key::fresh().expect("random numbers");
    let servers = [(); 2].map(|()| TestServer::start_with(&key, Limits { slots: 1, ..Limits::default() }));
    let (listener, port) = listener();
    let rudes = servers.iter().enumerate().map(|(place, server)| {
        asked(server, port, RankOrder { rank: place + 1, ..order(3) }).expect("an honest order")
    });
    let rudes: Vec<Rude> = rudes.collect();
    let mut comm = lead(listener, leading(&key, 3), &Attendance::default(), || Ok(Vec::new()))
        .unwrap_or_else(|error| panic!("failed to {error}"));
    // As many messages as an order may have, of the longest kind.
    let (bytes, times) = (16 << 20, 1 << 20);
    run_ready(comm.send_to(1, &words([2, 1, 1, bytes, times]))).expect("it is there");
    run_ready(comm.send_to(2, &words([2, 0, 0, bytes, times]))).expect("it is there");
    thread::sleep(Duration::from_millis(100));
    drop(rudes);
    servers.iter().for_each(is_free);
    drop(comm);
}

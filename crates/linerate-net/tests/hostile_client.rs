//! Clients that do not behave: whatever they do, and however far they behaved before, the server
//! ends their conversation in bounded time, gives back what they held, and serves others meanwhile.
//!
//! The test list is iperf3's history of advisories and open issues.

use std::io::{ErrorKind, Read as _, Write};
use std::net::TcpStream;
use std::time::Duration;

use flate2::{Compression, read::DeflateEncoder};
use linerate_core::bench::{Bench, RunError};
use linerate_core::pattern::Pattern;
use linerate_core::trial::{MAX_SAMPLES, Trial};
use linerate_core::units::{Size, Span};
use linerate_net::control::{
    Ask, FrameError, GREETING_LEN, Greeting, MAX_FRAME, Opening, PACKED, PROTOCOL, Purpose, Reply, Welcome,
};
use linerate_net::serve::Limits;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use rstest::rstest;

use crate::support::rude::{
    PATIENCE, Rude, Stage, TRIAL_BYTES, data_connection, dribble, frame, framed, reset, rest, trial,
};
use crate::support::{TestServer, one_trial, plan};

/// Deadlines that a test can wait for, and that a good client on a busy host still meets.
fn quick() -> Limits {
    let brief = Duration::from_millis(700);
    Limits { slots: 2, handshake: brief, idle: brief, grace: brief, ..Limits::default() }
}

/// One slot, and deadlines that no test waits for: a slot that is free again was given back.
fn single() -> Limits {
    Limits { slots: 1, ..Limits::default() }
}

/// A good client is served while `rude` holds what it holds.
fn serves_beside(server: &TestServer) {
    one_trial(&mut server.pair(&plan("schedule = 'list:64'")).expect("the server admits a good client"));
}

/// What the server says to whoever is at a stage and does not go on.
fn told_nothing_or_that_data_did_not_come(stage: Stage, farewell: Option<&str>) {
    match (stage, farewell) {
        (Stage::ChannelToken, Some(reason)) => assert!(reason.contains("did not come in time"), "{reason}"),
        (Stage::Trial, Some(reason)) => assert!(reason.contains("failed to run a trial"), "{reason}"),
        (_, farewell) => assert_eq!(farewell, None),
    }
}

#[rstest]
fn a_silent_client_is_not_waited_for(
    #[values(Stage::Greeting, Stage::Proof, Stage::Plan, Stage::ChannelToken, Stage::Idle, Stage::Trial)]
    stage: Stage,
) {
    let server = TestServer::start(quick());
    let rude = Rude::at(&server, stage);
    serves_beside(&server);
    told_nothing_or_that_data_did_not_come(stage, rude.farewell().as_deref());
    server.still_serves();
}

#[rstest]
fn a_dribbling_client_has_no_more_time_than_others(
    #[values(Stage::Greeting, Stage::Proof, Stage::Plan, Stage::ChannelToken, Stage::Idle, Stage::Trial)]
    stage: Stage,
) {
    let server = TestServer::start(quick());
    let mut rude = Rude::at(&server, stage);
    serves_beside(&server);
    let greeting = |purpose| Greeting::new(purpose).encode();
    match stage {
        Stage::Greeting => dribble(&mut rude.control, greeting(Purpose::Control)),
        // Blanks before a message are JSON: there is always more to come.
        Stage::Proof | Stage::Plan | Stage::Idle => dribble(&mut rude.control, framed(&[b' '; MAX_FRAME])),
        Stage::ChannelToken => {
            let token = rude.token;
            dribble(&mut server.connect(), greeting(Purpose::Data).into_iter().chain(token).chain([0; 4]));
        }
        Stage::Trial => dribble(rude.data.as_mut().expect("a data connection"), [0; TRIAL_BYTES]),
    }
    rude.control.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    told_nothing_or_that_data_did_not_come(stage, rude.farewell().as_deref());
    server.still_serves();
}

#[rstest]
fn garbage_ends_the_conversation(
    #[values(Stage::Greeting, Stage::Proof, Stage::Plan, Stage::ChannelToken, Stage::Idle)] stage: Stage,
    #[values(1, 16, 1 << 20)] length: usize,
) {
    let seed = 20_160_926 + length as u64;
    println!("seed {seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let garbage: Vec<u8> = (0..length).map(|_| random.random()).collect();
    let server = TestServer::start(quick());
    let mut rude = Rude::at(&server, stage);
    rude.blurt(&garbage);
    serves_beside(&server);
    rude.farewell();
    server.still_serves();
}

#[rstest]
fn a_half_closed_connection_gives_its_slot_back_at_once(
    #[values(Stage::Greeting, Stage::Proof, Stage::Plan, Stage::ChannelToken, Stage::Idle, Stage::Trial)]
    stage: Stage,
) {
    let server = TestServer::start(single());
    let rude = Rude::at(&server, stage);
    rude.half_close();
    rude.farewell();
    server.still_serves();
}

#[rstest]
fn a_reset_connection_gives_its_slot_back_at_once(
    #[values(Stage::Greeting, Stage::Proof, Stage::Plan, Stage::ChannelToken, Stage::Idle, Stage::Trial)]
    stage: Stage,
) {
    let server = TestServer::start(single());
    Rude::at(&server, stage).reset();
    server.still_serves();
}

#[rstest]
fn a_length_out_of_range_is_refused_by_its_number(
    #[values(Stage::Proof, Stage::Plan, Stage::Idle)] stage: Stage,
    #[values(0, MAX_FRAME as u32 + 1, u32::MAX >> 1)] length: u32,
) {
    let server = TestServer::start(single());
    let mut rude = Rude::at(&server, stage);
    rude.blurt_frame(&frame(length, b"\"finish\""));
    let reason = rude.farewell().expect("a reason");
    assert!(reason.contains(&format!("a control message of {length} B")), "{reason}");
    server.still_serves();
}

#[rstest]
fn a_packed_frame_that_holds_too_much_or_nothing_is_refused(
    #[values(Stage::Proof, Stage::Plan, Stage::Idle)] stage: Stage,
) {
    let mut bomb = Vec::new();
    let blanks = std::io::repeat(b' ').take(1 << 24);
    DeflateEncoder::new(blanks, Compression::best()).read_to_end(&mut bomb).expect("a Vec takes every byte");
    for (content, why) in [(bomb, "it holds more than 65536 B"), (vec![0xff; 9], "unpack")] {
        let server = TestServer::start(single());
        let mut rude = Rude::at(&server, stage);
        rude.blurt_frame(&frame(content.len() as u32 | PACKED, &content));
        let reason = rude.farewell().expect("a reason");
        assert!(reason.contains(why), "{reason}");
        server.still_serves();
    }
}

#[rstest]
fn content_that_is_no_message_is_refused(#[values(Stage::Proof, Stage::Plan, Stage::Idle)] stage: Stage) {
    let server = TestServer::start(single());
    let deep = format!("{{\"offer\":{}{}}}", "[".repeat(20_000), "]".repeat(20_000));
    for content in [
        "{",
        "null",
        "[]",
        "7",
        "\"\"",
        "\"prove\"",
        "{\"frobnicate\":1}",
        "{\"finish\":{\"a\":1}}",
        "{\"offer\":{},\"finish\":null}",
        "{\"offer\":7}",
        "{\"offer\":{\"pattern\":7}}",
        "{\"offer\":{\"schedule\":[1,2]}}",
        "{\"offer\":{\"socket\":null}}",
        "{\"offer\":{\"ci\":NaN}}",
        "{\"offer\":{\"ci\":1e999}}",
        "{\"offer\":{\"rounds\":-1}}",
        "{\"offer\":{\"rounds\":99999999999999999999999}}",
        "{\"offer\":{\"time\":\"99999999999999999h\"}}",
        "{\"offer\":{\"time\":-20}}",
        "{\"trial\":{\"pattern\":\"stream\",\"size\":1.5,\"samples\":1,\"batch\":1,\"seed\":1,\"check\":\"full\"}}",
        "{\"trial\":{\"pattern\":\"stream\",\"size\":1}}",
        "{\"prove\":{\"challenge\":[1],\"proof\":[2]}}",
        "{\"prove\":{\"challenge\":\"x\",\"proof\":{}}}",
        "\"\u{0}\"",
        &deep,
    ] {
        let mut rude = Rude::at(&server, stage);
        rude.blurt_frame(&framed(content.as_bytes()));
        let reason = rude.farewell().unwrap_or_else(|| panic!("no reason for {content}"));
        assert!(reason.contains("does not understand the message"), "{content}: {reason}");
    }
    let mut rude = Rude::at(&server, stage);
    rude.blurt_frame(&framed(b"\"\xff\xfe\""));
    assert!(rude.farewell().is_some_and(|reason| reason.contains("does not understand")));
    server.still_serves();
}

#[test]
fn an_unknown_option_is_refused_by_name_with_advice() {
    let server = TestServer::start(single());
    for (offer, field) in [
        ("{\"offer\":{\"frobnicate\":1}}", "`frobnicate`"),
        ("{\"offer\":{\"socket\":{\"zerocopy\":true}}}", "`zerocopy`"),
        ("{\"offer\":{\"remote\":{\"nice\":1}}}", "`nice`"),
    ] {
        let mut rude = Rude::at(&server, Stage::Plan);
        rude.blurt_frame(&framed(offer.as_bytes()));
        let reason = rude.farewell().expect("a reason");
        for words in [field, "unknown field", env!("CARGO_PKG_VERSION"), "the same version of linerate"] {
            assert!(reason.contains(words), "{reason}");
        }
    }
    server.still_serves();
}

#[test]
fn messages_out_of_order_are_refused_by_what_is_due() {
    let server = TestServer::start(single());
    let ask = |kind: &str| match kind {
        "prove" => {
            Ask::Prove { challenge: [0; 32], proof: server.key.prove_client(PROTOCOL, &[0; 32], &[0; 32]) }
        }
        "offer" => Ask::Offer(Box::new(plan("schedule = 'list:1'"))),
        "trial" => Ask::Trial(trial()),
        "open" => Ask::Open(Opening::Trials),
        "start" => Ask::Start,
        "collect" => Ask::Collect,
        _ => Ask::Finish,
    };
    for (stage, kinds, due) in [
        (Stage::Proof, ["offer", "trial", "finish"].as_slice(), "the server requires a key first"),
        (Stage::Plan, &["prove", "trial", "finish"], "the plan must come first"),
        (Stage::Idle, &["prove", "offer", "open", "start", "collect"], "is not allowed at this point"),
    ] {
        for kind in kinds {
            let mut rude = Rude::at(&server, stage);
            rude.say(&ask(kind));
            let reason = rude.farewell().expect("a reason");
            assert!(reason.contains(due), "{kind} at {stage:?}: {reason}");
        }
    }
    server.still_serves();
}

#[test]
fn another_version_hears_which_one_would_do_and_unknown_peers_hear_nothing() {
    let server = TestServer::start(single());
    let answer = |greeting: &[u8]| {
        let mut stream = server.connect();
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream.write_all(greeting).expect("it listens");
        rest(&mut stream)
    };
    let good = Greeting::new(Purpose::Control).encode();
    let with = |place: usize, byte: u8| {
        let mut greeting = good;
        greeting[place] = byte;
        greeting
    };
    let said = answer(&with(9, 9));
    let welcome = said.first_chunk().expect("a welcome of full length");
    assert!(Welcome::decode(welcome).is_ok(), "version {PROTOCOL} says its own");
    assert_eq!(said.len(), welcome.len());
    assert!(matches!(answer(&[0xff; GREETING_LEN]).as_slice(), []));
    for greeting in
        [with(10, 77), with(10, 0), with(0, b'L'), *b"GET / HTTP/1.1\r\n", *b"SyncMe\0SyncMe\0\0\0"]
    {
        assert_eq!(answer(&greeting), b"", "{}", greeting.escape_ascii());
    }
    server.still_serves();
}

#[test]
fn a_flood_of_scanners_leaves_the_server_whole() {
    let server = TestServer::start(Limits { connections_per_address: 64, ..single() });
    for _ in 0..300 {
        // Turned away or not: the scanner does not care.
        let mut scanner = server.connect();
        scanner.write_all(b"GET /admin HTTP/1.1\r\n\r\n").unwrap_or(());
        reset(scanner);
    }
    // Whoever was let in before is gone when its connection is closed.
    let mut last = server.connect();
    last.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    last.write_all(b"GET /admin HTTP/1.1\r\n\r\n").unwrap_or(());
    rest(&mut last);
    server.still_serves();
}

#[test]
fn a_data_connection_needs_the_pass_that_is_expected() {
    let server = TestServer::start(single());
    assert_eq!(rest(&mut data_connection(&server, &[0; 16])), b"", "nobody expects any");
    let mut rude = Rude::at(&server, Stage::ChannelToken);
    let mut guess = rude.token;
    guess[15] ^= 1;
    assert_eq!(rest(&mut data_connection(&server, &guess)), b"", "a guess");
    rude.open_data(&server);
    rude.await_ready();
    assert_eq!(rest(&mut data_connection(&server, &rude.token)), b"", "used once");
    rude.say(&Ask::Trial(trial()));
    rude.send_data(&message());
    rude.send_data(&message());
    assert!(matches!(rude.hear(), Ok(Reply::Go)));
    assert!(matches!(rude.hear(), Ok(Reply::Half(half)) if half.corruption.is_none()));
    let token = rude.token;
    drop(rude);
    assert_eq!(rest(&mut data_connection(&server, &token)), b"", "of a conversation that is over");
    server.still_serves();
}

/// The message of [`trial`].
fn message() -> Vec<u8> {
    let mut buffers = linerate_core::payload::Buffers::new(TRIAL_BYTES);
    let trial = trial();
    buffers.prepare(TRIAL_BYTES, trial.seed, trial.check);
    buffers.message(TRIAL_BYTES).0.to_vec()
}

#[test]
fn a_proof_is_good_for_one_connection_and_one_direction() {
    let server = TestServer::start(single());
    let client = [5; 32];
    let mut honest = Rude::greet(&server);
    let proof = server.key.prove_client(PROTOCOL, &honest.challenge, &client);
    honest.say(&Ask::Prove { challenge: client, proof });
    let Ok(Reply::Proof(servers)) = honest.hear() else { panic!("the key is right") };

    let mut replayed = Rude::greet(&server);
    assert_ne!(replayed.challenge, honest.challenge);
    replayed.say(&Ask::Prove { challenge: client, proof });
    let mut reflected = Rude::greet(&server);
    reflected.say(&Ask::Prove { challenge: client, proof: servers });
    // The server's own challenge, given back, must not make it prove anything.
    let mut mirror = Rude::greet(&server);
    let challenge = mirror.challenge;
    mirror.say(&Ask::Prove { challenge, proof: servers });
    for mut rude in [replayed, reflected, mirror] {
        let Ok(Reply::Refused(reason)) = rude.hear() else { panic!("it was believed") };
        assert!(reason.contains("the key is wrong") && reason.contains("--key"), "{reason}");
        assert!(matches!(rude.hear(), Err(FrameError::Stream(_))), "nothing follows");
    }
    drop(honest);
    server.still_serves();
}

#[test]
fn a_plan_above_the_limits_is_refused_with_both_flags() {
    let server = TestServer::start(Limits {
        size: Size(1 << 20),
        time: Span::from_ms(60_000),
        memory: Size(1 << 20),
        ..single()
    });
    for (text, lower, raise) in [
        ("schedule = 'list:1,2MiB'", "--max-size", "--max-size"),
        ("schedule = 'list:1,700KiB'", "--max-size", "--max-memory"),
        ("schedule = 'list:1'\ntime = '61s'", "--time", "--max-time"),
        ("to = '18446744073709551615'", "--max-size", "--max-size"),
        ("schedule = 'octave:64'\nto = '18446744073709551615'", "--max-size", "--max-size"),
        (&format!("schedule = 'list:1{}'", ",1".repeat(4096)), "more than 4096 sizes", "coarser"),
    ] {
        let mut rude = Rude::at(&server, Stage::Plan);
        rude.say(&Ask::Offer(Box::new(plan(text))));
        let reason = rude.farewell().expect("a reason");
        assert!(reason.contains(lower) && reason.contains(raise), "{text}: {reason}");
    }
    server.still_serves();
}

#[test]
fn a_plan_outside_its_ranges_is_refused_by_the_field() {
    let server = TestServer::start(single());
    for (offer, words) in [
        ("{\"rounds\":0}", "rounds is 0"),
        ("{\"rounds\":4294967295}", "rounds is 4294967295"),
        ("{\"ci\":-1.0}", "ci is -1"),
        ("{\"ci\":1e308}", "ci is 1"),
        ("{\"time\":\"0s\"}", "time is"),
        ("{\"seed\":18446744073709551615}", "seed is"),
        ("{\"from\":0}", "0 B"),
        ("{\"from\":9,\"to\":8}", "from (9 B) is above to (8 B)"),
        ("{\"schedule\":\"list:0\"}", "0 B"),
        ("{\"socket\":{\"mss\":1}}", "mss is 1"),
        ("{\"socket\":{\"sndbuf\":18446744073709551615}}", "sndbuf is"),
        ("{\"socket\":{\"dscp\":255}}", "dscp is 255"),
        ("{\"socket\":{\"congestion\":\"\\u0000\"}}", "congestion"),
        ("{\"socket\":{\"congestion\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}", "congestion"),
        ("{\"remote\":{\"pin\":65535}}", "processor 65535"),
    ] {
        let mut rude = Rude::at(&server, Stage::Plan);
        rude.blurt_frame(&framed(format!("{{\"offer\":{offer}}}").as_bytes()));
        // What depends on the host is known only when the data connection is there.
        if offer.contains("congestion") {
            rude.await_admission();
            rude.open_data(&server);
        }
        let reason = rude.farewell().unwrap_or_else(|| panic!("no reason for {offer}"));
        assert!(reason.contains(words), "{offer}: {reason}");
    }
    server.still_serves();
}

#[test]
fn the_largest_numbers_in_a_plan_harm_nobody() {
    let server = TestServer::start(single());
    let (most, half) = (u64::MAX.to_string(), (1_u64 << 63).to_string());
    for offer in [
        format!("{{\"perturb\":{most}}}"),
        format!("{{\"perturb\":{most},\"from\":{most},\"to\":{most}}}"),
        format!(
            "{{\"schedule\":\"octave:1\",\"from\":{half},\"to\":{most},\"perturb\":{}}}",
            (1_u64 << 63) - 1
        ),
        format!("{{\"schedule\":\"octave:64\",\"from\":{most},\"to\":{most},\"perturb\":1}}"),
    ] {
        let mut rude = Rude::at(&server, Stage::Plan);
        rude.blurt_frame(&framed(format!("{{\"offer\":{offer}}}").as_bytes()));
        // Refused, or measured like any plan: it is told one or the other.
        let reply = rude.hear().unwrap_or_else(|error| panic!("{offer}: failed to {error}"));
        assert!(matches!(reply, Reply::Refused(_) | Reply::Admitted { .. }), "{offer}: {reply:?}");
        rude.reset();
    }
    server.still_serves();
}

#[test]
fn a_trial_outside_its_plan_is_refused() {
    let server = TestServer::start(single());
    let good = trial();
    for trial in [
        Trial { size: 0, ..good },
        Trial { size: good.size + 1, ..good },
        Trial { size: u64::MAX, ..good },
        Trial { samples: 0, ..good },
        Trial { samples: MAX_SAMPLES + 1, pattern: Pattern::PingPong, ..good },
        // The server times a stream, and could not report this many times in one message.
        Trial { samples: 3073, ..good },
        Trial { samples: u32::MAX, batch: u32::MAX, ..good },
        Trial { batch: 0, ..good },
        Trial { lead: 1, pattern: Pattern::PingPong, ..good },
    ] {
        let mut rude = Rude::at(&server, Stage::Idle);
        rude.say(&Ask::Trial(trial));
        let reason = rude.farewell().expect("a reason");
        let bounded = reason.contains("outside its plan") || reason.contains("of the trial is");
        assert!(bounded, "{trial:?}: {reason}");
    }
    server.still_serves();
}

#[test]
fn a_trial_of_endless_messages_ends_with_the_time_of_the_plan() {
    // The flood takes a whole processor: a good client beside it may be slow to shake hands.
    let server = TestServer::start(Limits { handshake: Duration::from_secs(10), ..quick() });
    let mut rude = Rude::at(&server, Stage::Idle);
    rude.say(&Ask::Trial(Trial { samples: 3072, batch: u32::MAX, ..trial() }));
    let data = rude.data.take().expect("a data connection");
    let flood = std::thread::spawn(move || {
        let message = message();
        while (&data).write_all(&message).is_ok() {}
    });
    serves_beside(&server);
    rude.farewell();
    flood.join().expect("it only writes");
    server.still_serves();
}

#[rstest]
fn a_trial_with_too_few_bytes_is_named(
    #[values(Pattern::PingPong, Pattern::OneWay, Pattern::Exchange)] pattern: Pattern,
) {
    let server = TestServer::start(single());
    let mut rude = Rude::at(&server, Stage::Idle);
    rude.say(&Ask::Trial(Trial { pattern, ..trial() }));
    rude.send_data(&[0; TRIAL_BYTES - 1]);
    drop(rude.data.take());
    let reason = rude.farewell().expect("a reason");
    assert!(reason.contains(&format!("failed to run a trial of {TRIAL_BYTES} B: the ")), "{reason}");
    server.still_serves();
}

#[test]
fn bytes_beyond_a_trial_are_seen_as_corruption_of_the_next() {
    let server = TestServer::start(single());
    let mut rude = Rude::at(&server, Stage::Idle);
    let message = message();
    for extra in [7, 0] {
        rude.say(&Ask::Trial(trial()));
        rude.send_data(&message);
        rude.send_data(&message);
        rude.send_data(&message[..extra]);
        assert!(matches!(rude.hear(), Ok(Reply::Go)));
        let Ok(Reply::Half(half)) = rude.hear() else { panic!("the trial ends") };
        assert_eq!(half.tally.received_bytes, 2 * TRIAL_BYTES as u64);
        assert_eq!(half.corruption.is_some(), extra == 0, "{half:?}");
    }
    drop(rude);
    server.still_serves();
}

/// The server puts the connection out before it proved anything.
fn left_for_another(rude: &mut Rude) -> bool {
    matches!(rude.hear(), Err(FrameError::Stream(_)))
}

#[test]
fn the_oldest_without_the_key_leaves_for_a_newcomer() {
    let server = TestServer::start(Limits { connections: 3, ..single() });
    let mut held: Vec<Rude> = (0..3).map(|_| Rude::greet(&server)).collect();
    serves_beside(&server);
    assert!(left_for_another(&mut held[0]), "the oldest leaves");
    // The good client had proved the key when its data connection came.
    held[1].prove(&server.key);
    held[2].prove(&server.key);
}

#[test]
fn an_address_displaces_its_own_connections_and_not_those_of_others() {
    let server = TestServer::start(Limits { connections: 3, connections_per_address: 2, ..single() });
    let mut other = Rude::greet_from(&server, "127.0.0.9");
    let mut own: Vec<Rude> = (0..3).map(|_| Rude::greet(&server)).collect();
    assert!(left_for_another(&mut own[0]), "two from one address");
    // All three places are taken, and the crowd is at this address.
    let mut third = Rude::greet_from(&server, "127.0.0.8");
    assert!(left_for_another(&mut own[1]), "the crowded address gives way");
    other.prove(&server.key);
    third.prove(&server.key);
    own[2].prove(&server.key);
}

#[test]
fn a_full_server_says_so() {
    let server = TestServer::start(Limits { connections: 2, ..single() });
    let held = [Rude::at(&server, Stage::Plan), Rude::at(&server, Stage::Plan)];
    let refused =
        server.pair(&plan("schedule = 'list:64'")).expect_err("two have proved the key").to_string();
    assert!(refused.contains("the server is full: it holds 2 clients; try again later"), "{refused}");
    drop(held);
    server.still_serves();
}

#[test]
fn a_client_with_the_key_measures_beside_a_crowd_without_it() {
    // Connections of two other addresses and of the client's own are held and opened anew all the
    // time, as from behind one translated address.
    let server = TestServer::start(single());
    let (crowd, over) = (["127.0.0.2", "127.0.0.3", "127.0.0.1"], std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        for from in crowd {
            let (server, over) = (&server, &over);
            scope.spawn(move || {
                let mut held = std::collections::VecDeque::new();
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    let mut stream = server.connect_from(from);
                    let garbage: &[u8] = if held.len() % 2 == 0 { b"GET / HTTP/1.1\r\n\r\n" } else { b"" };
                    stream.write_all(garbage).unwrap_or(());
                    held.push_back(stream);
                    if held.len() > 70 {
                        held.pop_front();
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
        let measured: Vec<Result<(), String>> = (0..50)
            .map(|_| {
                let mut pair =
                    server.pair(&plan("schedule = 'list:64'")).map_err(|error| error.to_string())?;
                one_trial(&mut pair);
                Ok(())
            })
            .collect();
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(measured, vec![Ok(()); 50]);
    });
}

#[test]
fn the_queue_is_in_order_moves_up_and_forgets_who_leaves() {
    let server = TestServer::start(Limits { waiting: 3, ..single() });
    let first = Rude::at(&server, Stage::Idle);
    let mut waiting: Vec<Rude> = Vec::new();
    for place in 1..=3 {
        let mut rude = Rude::at(&server, Stage::Plan);
        rude.say(&Ask::Offer(Box::new(plan("schedule = 'list:1'"))));
        assert!(matches!(rude.hear(), Ok(Reply::Queued(told)) if told.number() == place));
        waiting.push(rude);
    }
    let refused = server.pair(&plan("schedule = 'list:1'")).expect_err("the queue is full").to_string();
    assert!(refused.contains("too many clients are waiting"), "{refused}");

    let [second, mut third, mut fourth] = <[Rude; 3]>::try_from(waiting).ok().expect("three");
    second.reset();
    await_place(&mut third, 1);
    await_place(&mut fourth, 2);
    drop(first);
    third.await_admission();
    await_place(&mut fourth, 1);
    drop(third);
    fourth.await_admission();
    fourth.open_data(&server);
    fourth.await_ready();
    drop(fourth);
    server.still_serves();
}

/// Hears places until `place`: the server repeats them while nothing changes.
fn await_place(rude: &mut Rude, place: u32) {
    loop {
        match rude.hear() {
            Ok(Reply::Queued(told)) if told.number() == place => return,
            Ok(Reply::Queued(told)) => assert!(told.number() > place, "moved back from {place} to {told:?}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_client_that_talks_while_it_waits_still_loses_its_place_when_it_leaves() {
    let server = TestServer::start(single());
    let first = Rude::at(&server, Stage::Idle);
    let mut second = Rude::at(&server, Stage::Plan);
    second.say(&Ask::Offer(Box::new(plan("schedule = 'list:1'"))));
    assert!(matches!(second.hear(), Ok(Reply::Queued(place)) if place.number() == 1));
    second.say(&Ask::Finish);
    let mut third = Rude::at(&server, Stage::Plan);
    third.say(&Ask::Offer(Box::new(plan("schedule = 'list:1'"))));
    assert!(matches!(third.hear(), Ok(Reply::Queued(place)) if place.number() == 2));
    drop(second);
    await_place(&mut third, 1);
    drop((first, third));
    server.still_serves();
}

#[test]
fn two_slots_run_two_measurements_at_once() {
    let server = TestServer::start(Limits { slots: 2, ..Limits::default() });
    let mut pairs = [(); 2].map(|()| server.pair(&plan("schedule = 'list:64'")).expect("a slot each"));
    pairs.iter_mut().for_each(one_trial);
    let mut third = Rude::at(&server, Stage::Plan);
    third.say(&Ask::Offer(Box::new(plan("schedule = 'list:1'"))));
    assert!(matches!(third.hear(), Ok(Reply::Queued(place)) if place.number() == 1));
    drop(pairs);
    third.await_admission();
}

#[test]
fn a_slot_without_memory_for_a_second_measurement_waits() {
    let server = TestServer::start(Limits { slots: 2, memory: Size(3 << 20), ..Limits::default() });
    let large = plan("schedule = 'list:1MiB'");
    let first = server.pair(&large).expect("there is memory for one");
    let mut second = Rude::at(&server, Stage::Plan);
    second.say(&Ask::Offer(Box::new(large)));
    assert!(matches!(second.hear(), Ok(Reply::Queued(place)) if place.number() == 1));
    drop(first);
    second.await_admission();
}

#[test]
fn a_server_that_stops_ends_every_conversation() {
    let mut server = TestServer::start(single());
    let mut pair = server.pair(&plan("schedule = 'list:100000'")).expect("the slot is free");
    let mut waits = Rude::at(&server, Stage::Plan);
    waits.say(&Ask::Offer(Box::new(plan("schedule = 'list:1'"))));
    assert!(matches!(waits.hear(), Ok(Reply::Queued(place)) if place.number() == 1));
    let others = [Stage::Greeting, Stage::Proof, Stage::Plan].map(|stage| Rude::at(&server, stage));
    server.stop();
    for rude in others {
        assert_eq!(rude.farewell(), None);
    }
    assert!(waits.farewell().is_none_or(|reason| reason.contains("stopping")));
    let error = pair.run(&trial()).expect_err("the server is gone");
    assert!(matches!(error, RunError::Control { .. } | RunError::Link { .. }), "{error}");
    let refused = TcpStream::connect(server.address).expect_err("nobody listens");
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn a_server_that_stops_ends_a_trial_that_runs() {
    let mut server = TestServer::start(single());
    let rude = Rude::at(&server, Stage::Trial);
    server.stop();
    rude.farewell();
}

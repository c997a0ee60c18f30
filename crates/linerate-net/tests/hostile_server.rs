//! Servers that do not behave, and things that are no servers: whatever answers, the client ends
//! in bounded time with an error that names what was wrong, and never with a number.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::thread::JoinHandle;
use std::time::Duration;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::LinkError;
use linerate_core::observation::{Clock, Observation};
use linerate_core::pattern::Pattern;
use linerate_core::payload::{Check, Corruption};
use linerate_core::trial::{Half, Sample, Tally, Trial};
use linerate_core::units::Span;
use linerate_net::control::{
    Ask, CHALLENGE_LEN, ChannelAddress, ChannelToken, FrameError, GREETING_LEN, GreetingError, Key,
    MAX_FRAME, Opening, PROTOCOL, QueuePlace, Reply, Versions, Welcome, read_frame, write_frame,
};
use linerate_net::observe::HostClock;
use linerate_net::pair::{Pair, PairError, Target};
use linerate_net::transport::DialError;
use rstest::rstest;

use crate::support::plan;
use crate::support::rude::{frame, framed, is_timeout, reset};

/// How long a false server waits for its client. Far longer than any step takes.
const PATIENCE: Duration = Duration::from_secs(30);
const TOKEN: ChannelToken = [9; 16];
/// Message size of the trials here. Unit: bytes.
const SIZE: u64 = 1000;

/// What listens instead of a server: one client's worth of it.
struct Impostor {
    address: SocketAddr,
    thread: JoinHandle<()>,
}

/// One client, as the impostor sees it.
struct Victim {
    listener: TcpListener,
    control: TcpStream,
    data: Option<TcpStream>,
}

impl Impostor {
    /// Listens, and does `act` to the first client that comes.
    fn that(act: impl FnOnce(&mut Victim) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let thread = std::thread::spawn(move || {
            let (control, _) = listener.accept().expect("the client comes");
            control.set_read_timeout(Some(PATIENCE)).expect("a time limit");
            act(&mut Victim { listener, control, data: None });
        });
        Self { address, thread }
    }

    /// Behaves until the data connection stands, then does `act`.
    fn once_ready(act: impl FnOnce(&mut Victim) + Send + 'static) -> Self {
        Self::that(|victim| {
            victim.admit();
            act(victim);
        })
    }

    /// Has a client meet it; what the client was told of its place.
    fn meet(&self, key: Option<&Key>) -> (Result<Pair, PairError>, Vec<u32>) {
        let mut places = Vec::new();
        let target = Target::parse(&self.address.to_string()).expect("an address");
        let met = plan("schedule = 'list:1000'");
        let pair = Pair::open(&target, key, &met, HostClock::start(), |place| {
            places.extend(place.map(QueuePlace::number));
            ControlFlow::Continue(())
        });
        (pair, places)
    }

    /// Has a client without a key fail at it.
    fn fails(self) -> PairError {
        let error = self.meet(None).0.expect_err("it is no server");
        self.ends();
        error
    }

    /// Has a client run `trial`.
    fn runs(self, trial: &Trial) -> Result<Sample, RunError> {
        let mut pair = self.meet(None).0.expect("it behaves so far");
        let sample = pair.run(trial);
        drop(pair);
        self.ends();
        sample
    }

    fn ends(self) {
        self.thread.join().expect("the impostor did what it should");
    }
}

impl Victim {
    fn write(&mut self, bytes: &[u8]) {
        // The client may be gone already, which is its right.
        self.control.write_all(bytes).unwrap_or(());
    }

    fn say(&mut self, reply: &Reply) {
        write_frame(&mut self.control, reply).unwrap_or(());
    }

    fn hear(&mut self) -> Ask {
        read_frame(&mut self.control).expect("the client asks")
    }

    fn hear_greeting(&mut self) {
        self.control.read_exact(&mut [0; GREETING_LEN]).expect("the client greets");
    }

    /// Greets as a server that is open, or is not.
    fn welcome(&mut self, open: bool) {
        self.hear_greeting();
        self.write(&Welcome::new(open, [3; CHALLENGE_LEN]).encode());
    }

    /// Greets as an open server and hears the plan, and what channels are wanted first.
    fn hear_plan(&mut self) {
        self.welcome(true);
        assert!(matches!(self.hear(), Ask::Offer(_)));
        assert!(matches!(self.hear(), Ask::Open(Opening::Trials)));
    }

    /// Behaves until the data connection stands.
    fn admit(&mut self) {
        self.hear_plan();
        self.say(&admitted());
        self.meet();
        self.say(&Reply::Ready(Box::default()));
    }

    /// Says where the data connection is to come, and takes it.
    fn meet(&mut self) {
        self.say(&Reply::Rendezvous { token: TOKEN, rendezvous: ChannelAddress::Conversation.into() });
        self.take_data();
    }

    fn take_data(&mut self) {
        let (mut data, _) = self.listener.accept().expect("the data connection comes");
        data.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let mut opening = [0; GREETING_LEN + TOKEN.len() + 4];
        data.read_exact(&mut opening).expect("a greeting, a token and a number");
        assert!(opening[GREETING_LEN..].starts_with(&TOKEN));
        data.write_all(&[6]).expect("the client listens");
        self.data = Some(data);
    }

    /// Takes part in a trial of a stream as far as its bytes go.
    fn take_stream(&mut self) -> Trial {
        let Ask::Trial(trial) = self.hear() else { panic!("a trial is due") };
        self.say(&Reply::Go);
        let mut bytes = vec![0; usize::try_from(trial.messages() * trial.size).expect("few")];
        self.data.as_ref().expect("a data connection").read_exact(&mut bytes).expect("the messages");
        trial
    }

    /// Waits until the client hangs up.
    fn linger(&mut self) {
        let mut ignored = [0; 4096];
        while self.control.read(&mut ignored).is_ok_and(|read| read > 0) {}
    }
}

fn clock() -> Clock {
    let cost = Span::from_ns(30);
    Clock {
        name: "CLOCK_MONOTONIC_RAW".to_owned(),
        reads: 1,
        cost,
        resolution: Span::from_ns(1),
        backwards: 0,
    }
}

fn admitted() -> Reply {
    Reply::Admitted { environment: Box::default(), clock: clock(), reflector: None }
}

/// What an honest responder says of `trial`.
fn honest(trial: &Trial) -> Half {
    let received = trial.messages();
    let tally = Tally { received, received_bytes: received * trial.size, ..Tally::default() };
    Half {
        elapsed: vec![Span::from_ns(100); trial.samples as usize],
        tally,
        waiting: [0, 0],
        corruption: None,
        effort: None,
    }
}

const STREAM: Trial = Trial {
    pattern: Pattern::OneWay,
    size: SIZE,
    samples: 3,
    batch: 2,
    lead: 0,
    seed: 1,
    check: Check::Marks,
};

#[test]
fn nothing_listens() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("it listens");
    drop(listener);
    let target = Target::parse(&address.to_string()).expect("an address");
    let error = Pair::open(&target, None, &plan(""), HostClock::start(), |_| ControlFlow::Continue(()))
        .expect_err("nobody is there");
    assert!(
        matches!(&error, PairError::Dial(DialError::Connect { address: tried, .. }) if *tried == address),
        "{error:?}"
    );
    assert!(error.to_string().contains("refused"), "{error}");
}

#[test]
fn something_that_never_answers_is_given_up() {
    // As long as the client's patience for one step: the one slow test of its kind.
    let error = Impostor::that(Victim::linger).fails();
    assert!(matches!(&error, PairError::Silent { source } if is_timeout(source)), "{error:?}");
    assert!(error.to_string().contains("took too long"), "{error}");
}

#[rstest]
#[case::web_server(
    b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 400 Bad Request"
)]
#[case::short_web_server(b"HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1.1 400 Bad Request")]
#[case::nptcp_receiver(b"SyncMe", "`SyncMe`")]
#[case::ssh(b"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n", "SSH-2.0-OpenSSH_9.2p1")]
#[case::half_a_name(b"line", "`line`")]
#[case::escapes(b"\x1b[2J\x1b]0;owned\x07\r\n", "`\\x1b[2J\\x1b]0;owned\\x07\\r\\n`")]
fn something_else_that_answers_is_quoted(#[case] said: &'static [u8], #[case] quoted: &str) {
    let error = Impostor::that(|victim| {
        victim.hear_greeting();
        victim.write(said);
    })
    .fails();
    assert!(matches!(&error, PairError::Greeting(GreetingError::Foreign { .. })), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("find linerate at the peer") && text.contains(quoted), "{text}");
    assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
}

#[test]
fn a_greeting_that_is_cut_is_none() {
    let error = Impostor::that(|victim| {
        victim.hear_greeting();
        victim.write(&Welcome::new(true, [3; CHALLENGE_LEN]).encode()[..43]);
    })
    .fails();
    assert!(matches!(&error, PairError::Greeting(GreetingError::Foreign { .. })), "{error:?}");
}

#[test]
fn another_version_is_named() {
    let error = Impostor::that(|victim| {
        victim.hear_greeting();
        let mut welcome = Welcome::new(true, [3; CHALLENGE_LEN]).encode();
        (welcome[9], welcome[11]) = (99, 0);
        victim.write(&welcome);
    })
    .fails();
    assert!(
        matches!(
            &error,
            PairError::Greeting(GreetingError::Version { theirs: Versions { oldest: 99, newest: 99 } })
        ),
        "{error:?}"
    );
    assert!(error.to_string().contains("version 99"), "{error}");
}

#[test]
fn a_greeting_that_is_neither_open_nor_keyed_is_refused() {
    let error = Impostor::that(|victim| {
        victim.hear_greeting();
        let mut welcome = Welcome::new(true, [3; CHALLENGE_LEN]).encode();
        welcome[10] = 77;
        victim.write(&welcome);
    })
    .fails();
    assert!(matches!(&error, PairError::Greeting(GreetingError::Purpose(77))), "{error:?}");
}

#[rstest]
#[case::closed(|victim: &mut Victim| victim.hear_greeting())]
#[case::closed_unheard(|_: &mut Victim| ())]
fn something_that_hangs_up_said_nothing(#[case] act: fn(&mut Victim)) {
    let error = Impostor::that(act).fails();
    assert!(matches!(&error, PairError::Silent { .. }), "{error:?}");
    assert!(error.to_string().contains("receive a greeting from the peer"), "{error}");
}

#[test]
fn something_that_resets_at_once_said_nothing() {
    let error = Impostor::that(|victim| reset(victim.control.try_clone().expect("a descriptor"))).fails();
    // The reset may come before connect(2) has looked.
    let text = error.to_string();
    assert!(
        matches!(&error, PairError::Silent { .. } | PairError::Dial(DialError::Connect { .. })),
        "{error:?}"
    );
    assert!(text.contains("receive a greeting from the peer") || text.contains("reset"), "{text}");
}

#[test]
fn a_refusal_is_told_with_its_reason() {
    let error = Impostor::that(|victim| {
        victim.hear_plan();
        victim.say(&Reply::Refused("no room".to_owned()));
    })
    .fails();
    assert!(matches!(&error, PairError::Refused { reason } if reason == "no room"), "{error:?}");
    assert!(error.to_string().contains("the peer refused: no room"), "{error}");
}

#[test]
fn a_refusal_cannot_write_to_the_users_terminal() {
    let error = Impostor::that(|victim| {
        victim.hear_plan();
        victim.say(&Reply::Refused(format!("\u{1b}[2J\u{9b}0m\nlinerate: done{}", "x".repeat(60_000))));
    })
    .fails();
    let text = error.to_string();
    assert!(text.contains("linerate: done"), "{text}");
    assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
    assert!(text.len() < 4096, "{} B", text.len());
}

#[rstest]
#[case::another_key(|victim: &mut Victim| {
    let Ask::Prove { challenge, .. } = victim.hear() else { panic!("a proof is due") };
    let other = Key::fresh().expect("random numbers");
    victim.say(&Reply::Proof(other.prove_server(PROTOCOL, &[3; CHALLENGE_LEN], &challenge)));
})]
#[case::the_clients_own_proof(|victim: &mut Victim| {
    let Ask::Prove { proof, .. } = victim.hear() else { panic!("a proof is due") };
    victim.say(&Reply::Proof(proof));
})]
fn a_server_that_does_not_know_the_key_is_not_believed(#[case] act: fn(&mut Victim)) {
    let key = Key::fresh().expect("random numbers");
    let impostor = Impostor::that(move |victim| {
        victim.welcome(false);
        act(victim);
        // Nothing that the plan says may reach it.
        assert!(read_frame::<Ask>(&mut victim.control).is_err());
    });
    let error = impostor.meet(Some(&key)).0.expect_err("it has no proof");
    assert!(matches!(error, PairError::FalseServer), "{error:?}");
    assert!(error.to_string().contains("does not know the key"), "{error}");
    impostor.ends();
}

#[rstest]
#[case::without_a_proof(|victim: &mut Victim| victim.say(&admitted()), "admitted")]
#[case::ready(|victim: &mut Victim| victim.say(&Reply::Ready(Box::default())), "ready")]
fn a_server_that_skips_its_proof_is_not_believed(#[case] act: fn(&mut Victim), #[case] said: &str) {
    let key = Key::fresh().expect("random numbers");
    let impostor = Impostor::that(move |victim| {
        victim.welcome(false);
        drop(victim.hear());
        act(victim);
    });
    let error = impostor.meet(Some(&key)).0.expect_err("it has no proof");
    assert!(matches!(&error, PairError::Unexpected { said: found } if found == said), "{error:?}");
    impostor.ends();
}

#[test]
fn a_server_that_asks_for_no_key_gets_no_proof() {
    let key = Key::fresh().expect("random numbers");
    let impostor = Impostor::that(|victim| {
        victim.welcome(true);
        assert!(read_frame::<Ask>(&mut victim.control).is_err(), "not a word is said to it");
    });
    let error = impostor.meet(Some(&key)).0.expect_err("it cannot prove that it has the key");
    assert!(matches!(error, PairError::KeyUnwanted), "{error:?}");
    impostor.ends();
}

/// Says `frame` where an admission is due.
fn answering_the_plan_with(frame: Vec<u8>) -> PairError {
    Impostor::that(move |victim| {
        victim.hear_plan();
        victim.write(&frame);
        victim.linger();
    })
    .fails()
}

#[rstest]
fn a_length_out_of_range_is_named(#[values(0, MAX_FRAME as u32 + 1, u32::MAX >> 1)] length: u32) {
    let error = answering_the_plan_with(frame(length, b"\"go\""));
    assert!(
        matches!(&error, PairError::Frame(FrameError::Length(found)) if *found == length as usize),
        "{error:?}"
    );
    assert!(error.to_string().contains(&format!("{length} B")), "{error}");
}

#[rstest]
fn content_that_is_no_reply_is_named(
    #[values(
        "{",
        "null",
        "{\"frobnicate\":1}",
        "{\"queued\":-1}",
        "{\"queued\":1e999}",
        "{\"queued\":{\"a\":1}}",
        "{\"admitted\":{\"pass\":[1],\"environment\":{},\"clock\":{}}}",
        "{\"proof\":[1,2,3]}",
        "{\"refused\":7}"
    )]
    content: &str,
) {
    let error = answering_the_plan_with(framed(content.as_bytes()));
    assert!(matches!(&error, PairError::Frame(FrameError::Content(_))), "{error:?}");
    assert!(error.to_string().contains("understand a control message"), "{error}");
}

#[test]
fn a_deep_reply_is_refused_without_recursion() {
    let deep = format!("{{\"ready\":{}{}}}", "[".repeat(30_000), "]".repeat(30_000));
    let error = answering_the_plan_with(framed(deep.as_bytes()));
    assert!(matches!(&error, PairError::Frame(FrameError::Content(_))), "{error:?}");
}

#[test]
fn a_reply_out_of_order_is_named() {
    for (reply, name) in [
        (Reply::Ready(Box::default()), "ready"),
        (Reply::Go, "go"),
        (Reply::Half(Box::default()), "half"),
        (Reply::Observed(Box::default(), Box::default()), "observed"),
    ] {
        let error = Impostor::that(move |victim| {
            victim.hear_plan();
            victim.say(&reply);
        })
        .fails();
        assert!(matches!(&error, PairError::Unexpected { said } if said == name), "{error:?}");
        assert!(error.to_string().contains(&format!("unexpected `{name}`")), "{error}");
    }
    let twice = Impostor::that(|victim| {
        victim.hear_plan();
        victim.say(&admitted());
        victim.meet();
        victim.say(&admitted());
    });
    assert!(matches!(twice.fails(), PairError::Unexpected { said } if said == "admitted"));
}

#[test]
fn a_place_in_the_queue_is_told_until_the_admission_and_then_all_works() {
    let impostor = Impostor::that(|victim| {
        victim.hear_plan();
        for place in [2, 2, 1] {
            victim.say(&Reply::Queued(QueuePlace::Number(place)));
        }
        victim.say(&admitted());
        victim.meet();
        victim.say(&Reply::Ready(Box::default()));
        let trial = victim.take_stream();
        victim.say(&Reply::Half(Box::new(honest(&trial))));
        assert!(matches!(victim.hear(), Ask::Finish));
        victim.say(&Reply::Observed(Box::default(), Box::default()));
    });
    let (pair, places) = impostor.meet(None);
    assert_eq!(places, [2, 2, 1]);
    let mut pair = pair.expect("it behaves");
    let sample = pair.run(&STREAM).expect("it behaves");
    assert_eq!(sample.times, [Span::from_ns(50); 3]);
    pair.finish().expect("it behaves");
    impostor.ends();
}

#[test]
fn a_turn_that_comes_after_the_wish_to_end_is_not_taken() {
    let impostor = Impostor::that(|victim| {
        victim.hear_plan();
        victim.say(&Reply::Queued(QueuePlace::Number(1)));
        victim.say(&admitted());
    });
    let target = Target::parse(&impostor.address.to_string()).expect("an address");
    let met = plan("schedule = 'list:1000'");
    let wish = |place: Option<QueuePlace>| match place {
        Some(_) => ControlFlow::Continue(()),
        None => ControlFlow::Break(()),
    };
    let ended = Pair::open(&target, None, &met, HostClock::start(), wish).map(drop);
    assert!(matches!(ended, Err(PairError::Interrupted)), "{ended:?}");
    impostor.ends();
}

#[test]
fn a_server_that_does_not_take_the_data_connection_is_left() {
    let refuses = Impostor::that(|victim| {
        victim.hear_plan();
        victim.say(&admitted());
        victim.meet();
        victim.say(&Reply::Refused("the data connection did not come in time".to_owned()));
    });
    assert!(matches!(refuses.fails(), PairError::Refused { .. }));
    let closes = Impostor::that(|victim| {
        victim.hear_plan();
        victim.say(&admitted());
        victim.meet();
    });
    let error = closes.fails();
    assert!(matches!(&error, PairError::Frame(FrameError::Stream(_))), "{error:?}");
}

/// Has a stream of [`STREAM`] answered with a half that `lie` made of the honest one.
fn lying(lie: fn(&mut Half)) -> RunError {
    Impostor::once_ready(move |victim| {
        let trial = victim.take_stream();
        let mut half = honest(&trial);
        lie(&mut half);
        victim.say(&Reply::Half(Box::new(half)));
        victim.linger();
    })
    .runs(&STREAM)
    .expect_err("it lies")
}

#[rstest]
#[case::bytes(|half: &mut Half| half.tally.received_bytes += 1)]
#[case::messages(|half: &mut Half| half.tally.received -= 1)]
#[case::direction(|half: &mut Half| half.tally.sent = 1)]
#[case::nothing(|half: &mut Half| half.tally = Tally::default())]
#[case::everything(|half: &mut Half| half.tally.received_bytes = u64::MAX)]
fn a_lie_about_what_passed_is_a_disagreement(#[case] lie: fn(&mut Half)) {
    let error = lying(lie);
    assert!(matches!(&error, RunError::Disagree { .. }), "{error:?}");
    assert!(error.to_string().contains("agree with the peer on what passed"), "{error}");
}

#[rstest]
#[case::none(|half: &mut Half| half.elapsed.clear(), 0)]
#[case::too_few(|half: &mut Half| half.elapsed.truncate(1), 1)]
#[case::too_many(|half: &mut Half| half.elapsed.push(Span::ZERO), 4)]
fn a_wrong_number_of_times_is_named(#[case] lie: fn(&mut Half), #[case] number: usize) {
    let error = lying(lie);
    assert!(matches!(&error, RunError::Untimed { expected: 3, found } if *found == number), "{error:?}");
    assert!(error.to_string().contains("for 3 samples"), "{error}");
}

#[rstest]
#[case::ages(|half: &mut Half| half.elapsed[0] = Span::MAX)]
#[case::all_ages(|half: &mut Half| half.elapsed.fill(Span::MAX))]
#[case::longer_than_the_trial(|half: &mut Half| half.elapsed[2] = Span::from_ms(3_600_000))]
fn times_longer_than_the_trial_are_not_believed(#[case] lie: fn(&mut Half)) {
    let error = lying(lie);
    assert!(matches!(&error, RunError::Peer { size: SIZE, .. }), "{error:?}");
    assert!(error.to_string().contains("for the samples, but"), "{error}");
}

#[test]
fn corruption_that_the_peer_saw_is_named() {
    let error = lying(|half| half.corruption = Some(Corruption { offset: 7, expected: 1, found: 2 }));
    assert!(matches!(&error, RunError::Corrupt { size: SIZE, .. }), "{error:?}");
    assert!(error.to_string().contains("byte 7"), "{error}");
}

#[rstest]
#[case::half_for_go(|victim: &mut Victim| { drop(victim.hear()); victim.say(&Reply::Half(Box::default())); }, "half")]
#[case::queued_for_go(|victim: &mut Victim| { drop(victim.hear()); victim.say(&Reply::Queued(QueuePlace::Number(1))); }, "queued")]
#[case::observed_for_half(|victim: &mut Victim| { victim.take_stream(); victim.say(&Reply::Observed(Box::default(), Box::default())); }, "observed")]
#[case::go_twice(|victim: &mut Victim| { victim.take_stream(); victim.say(&Reply::Go); }, "go")]
fn a_reply_out_of_order_in_a_trial_is_named(#[case] act: fn(&mut Victim), #[case] said: &str) {
    let error = Impostor::once_ready(act).runs(&STREAM).expect_err("it is out of order");
    assert!(matches!(&error, RunError::Control { size: SIZE, .. }), "{error:?}");
    assert!(error.to_string().contains(&format!("sent an unexpected `{said}`")), "{error}");
}

#[rstest]
#[case::before_the_trial(|_: &mut Victim| ())]
#[case::instead_of_go(|victim: &mut Victim| drop(victim.hear()))]
#[case::instead_of_its_half(|victim: &mut Victim| { victim.take_stream(); })]
fn a_server_that_vanishes_between_messages_is_named(#[case] act: fn(&mut Victim)) {
    let error = Impostor::once_ready(act).runs(&STREAM).expect_err("it is gone");
    assert!(matches!(&error, RunError::Control { size: SIZE, .. }), "{error:?}");
    assert!(error.to_string().contains("agree with the peer on a trial of 1000 B"), "{error}");
}

/// A round trip, which the impostor does not answer.
const PING: Trial = Trial { pattern: Pattern::PingPong, ..STREAM };

/// Has a client run [`PING`]; once it may begin, `act` is done.
fn once_going(act: fn(&mut Victim)) -> RunError {
    Impostor::once_ready(move |victim| {
        assert!(matches!(victim.hear(), Ask::Trial(_)));
        victim.say(&Reply::Go);
        act(victim);
        victim.linger();
    })
    .runs(&PING)
    .expect_err("it does not answer")
}

#[test]
fn a_data_connection_that_ends_in_a_trial_is_named() {
    let closed = once_going(|victim| {
        let data = victim.data.take().expect("a data connection");
        // All that comes is read, so that the end is a close and not a reset.
        (&data).read_exact(&mut [0; SIZE as usize]).expect("the first message");
        data.shutdown(Shutdown::Write).expect("it is open");
        victim.data = Some(data);
    });
    assert!(matches!(&closed, RunError::Link { size: SIZE, source: LinkError::Closed }), "{closed:?}");
    assert!(closed.to_string().contains("the peer closed the connection"), "{closed}");

    let broken = once_going(|victim| {
        let data = victim.data.take().expect("a data connection");
        (&data).read_exact(&mut [0; SIZE as usize]).expect("the first message");
        reset(data);
    });
    assert!(matches!(&broken, RunError::Link { size: SIZE, source: LinkError::Reset }), "{broken:?}");
}

#[test]
fn the_servers_own_reason_is_better_than_a_closed_connection() {
    let error = once_going(|victim| {
        victim.say(&Reply::Refused("no bytes came".to_owned()));
        drop(victim.data.take());
    });
    assert!(
        matches!(&error, RunError::Peer { size: SIZE, reason } if reason == "no bytes came"),
        "{error:?}"
    );
}

#[test]
fn a_wrong_byte_from_the_peer_is_corruption() {
    let error = Impostor::once_ready(|victim| {
        assert!(matches!(victim.hear(), Ask::Trial(_)));
        victim.say(&Reply::Go);
        let messages = usize::try_from(PING.messages()).expect("few");
        let mut data = victim.data.take().expect("a data connection");
        for _ in 0..messages {
            let mut message = [0; SIZE as usize];
            data.read_exact(&mut message).expect("a message");
            data.write_all(&message).expect("the client listens");
        }
        let both = honest(&PING).tally;
        let tally = Tally { sent: both.received, sent_bytes: both.received_bytes, ..both };
        victim.say(&Reply::Half(Box::new(Half { tally, ..Half::default() })));
        victim.linger();
    })
    .runs(&PING)
    .expect_err("an echo is no reply");
    assert!(matches!(&error, RunError::Corrupt { size: SIZE, .. }), "{error:?}");
}

#[test]
fn a_server_that_observes_nothing_leaves_what_this_end_observed() {
    let impostor = Impostor::once_ready(|victim| {
        let trial = victim.take_stream();
        victim.say(&Reply::Half(Box::new(honest(&trial))));
        assert!(matches!(victim.hear(), Ask::Finish));
    });
    let mut pair = impostor.meet(None).0.expect("it behaves");
    pair.run(&STREAM).expect("it behaves");
    let error = pair.finish().expect_err("it said nothing");
    assert!(matches!(&error, PairError::Frame(FrameError::Stream(_))), "{error:?}");
    let (local, remote, _) = pair.ends();
    assert_eq!(local.observation.tally.sent, STREAM.messages());
    assert_eq!(remote.observation, Observation::default());
    impostor.ends();
}

//! Servers that answer like iperf3's and then do harm: whatever they say, this end ends in time, says why, and keeps what
//! it counted.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::ops::ControlFlow;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use linerate_core::carrier::{CarriedLoad, Carrier, LoadWatch, Look};
use linerate_core::plan::Plan;
use linerate_core::traffic::{Direction, Ended, Load, Transfer};
use linerate_net::observe::HostClock;
use linerate_net::peers::{Iperf3, ToolError};
use rstest::rstest;

const TEST_START: u8 = 1;
const TEST_RUNNING: u8 = 2;
const TEST_END: u8 = 4;
const PARAM_EXCHANGE: u8 = 9;
const CREATE_STREAMS: u8 = 10;
const SERVER_TERMINATE: u8 = 11;
const EXCHANGE_RESULTS: u8 = 13;
const DISPLAY_RESULTS: u8 = 14;
const ACCESS_DENIED: u8 = 0xff;
const SERVER_ERROR: u8 = 0xfe;

/// What a server does wrong.
#[derive(Clone, Debug)]
enum Harm {
    /// Nothing.
    None,
    /// It takes the connection and says nothing.
    Silent,
    /// It closes the connection when it has the cookie.
    Closes,
    /// It has another client, and goes on to have.
    Busy,
    /// The first thing that it says is this.
    Says(&'static [u8]),
    /// It closes the connection when it has the parameters.
    ClosesOnParameters,
    /// It asks for streams and takes none.
    TakesNone,
    /// In the middle of the test it says this, or closes the conversation if it is nothing.
    Meanwhile(&'static [u8]),
    /// In the middle of the test it resets every stream.
    Resets,
    /// It never answers the end of the test.
    Unended,
    /// Its results are these bytes, with their length before them.
    Results(&'static [u8]),
    /// It announces results of this length.
    Length(u32),
    /// It sends its results a byte at a time and never ends.
    Dribbles,
}

/// A server that takes one test with `streams` and does harm.
fn serve(streams: usize, harm: Harm) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let server = std::thread::spawn(move || {
        if matches!(harm, Harm::Busy) {
            // For as long as it is asked.
            listener.set_nonblocking(true).expect("it can");
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(8) {
                if let Ok((mut client, _)) = listener.accept() {
                    client.write_all(&[ACCESS_DENIED]).unwrap_or(());
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            return;
        }
        // A client that ends early leaves errors here, which are none of the test.
        test(&listener, streams, &harm).unwrap_or(());
    });
    (address, server)
}

fn test(listener: &TcpListener, streams: usize, harm: &Harm) -> std::io::Result<()> {
    let (mut control, _) = listener.accept()?;
    control.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut cookie = [0; 37];
    control.read_exact(&mut cookie)?;
    match harm {
        Harm::Silent => return wait_for_the_end(control),
        Harm::Closes => return Ok(()),
        Harm::Says(bytes) => {
            control.write_all(bytes)?;
            return wait_for_the_end(control);
        }
        _ => control.write_all(&[PARAM_EXCHANGE])?,
    }
    let parameters = text(&mut control)?;
    assert!(parameters.starts_with(b"{") && parameters.ends_with(b"}"), "an object of JSON");
    if matches!(harm, Harm::ClosesOnParameters) {
        return Ok(());
    }
    control.write_all(&[CREATE_STREAMS])?;
    if matches!(harm, Harm::TakesNone) {
        return wait_for_the_end(control);
    }
    let mut flows = Vec::new();
    for _ in 0..streams {
        let (mut flow, _) = listener.accept()?;
        let mut said = [0; 37];
        flow.read_exact(&mut said)?;
        assert_eq!(said, cookie, "a stream is of its test");
        flows.push(flow);
    }
    control.write_all(&[TEST_START, TEST_RUNNING])?;
    let readers: Vec<_> =
        flows.iter().map(|flow| read_all(flow.try_clone().expect("a descriptor"))).collect();
    match harm {
        Harm::Meanwhile(bytes) => {
            std::thread::sleep(Duration::from_millis(100));
            if bytes.is_empty() {
                return Ok(());
            }
            control.write_all(bytes)?;
            return wait_for_the_end(control);
        }
        Harm::Resets => {
            std::thread::sleep(Duration::from_millis(100));
            flows.iter().for_each(|flow| flow.shutdown(Shutdown::Both).expect("it is open"));
        }
        _ => {}
    }
    let mut byte = [0];
    control.read_exact(&mut byte)?;
    assert_eq!(byte, [TEST_END]);
    if matches!(harm, Harm::Unended) {
        return wait_for_the_end(control);
    }
    control.write_all(&[EXCHANGE_RESULTS])?;
    let theirs = text(&mut control)?;
    assert!(theirs.starts_with(b"{"), "an object of JSON");
    flows.iter().for_each(|flow| flow.shutdown(Shutdown::Both).unwrap_or(()));
    let bytes: Vec<u64> = readers.into_iter().map(|reader| reader.join().expect("it reads")).collect();
    let results = match harm {
        Harm::Results(bytes) => bytes.to_vec(),
        Harm::Length(length) => {
            control.write_all(&length.to_be_bytes())?;
            return wait_for_the_end(control);
        }
        Harm::Dribbles => {
            control.write_all(&60_000_u32.to_be_bytes())?;
            while control.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
            return Ok(());
        }
        _ => {
            let stream = |(place, bytes): (usize, &u64)| {
                let id = if place == 0 { 1 } else { place + 2 };
                format!(r#"{{"id":{id},"bytes":{bytes},"end_time":0.3}}"#)
            };
            let streams: Vec<_> = bytes.iter().enumerate().map(stream).collect();
            format!(r#"{{"cpu_util_total":1.0,"streams":[{}]}}"#, streams.join(",")).into_bytes()
        }
    };
    let length = u32::try_from(results.len()).expect("it is short");
    control.write_all(&[&length.to_be_bytes(), results.as_slice(), &[DISPLAY_RESULTS]].concat())?;
    wait_for_the_end(control)
}

/// Reads until the client has gone.
fn wait_for_the_end(mut control: TcpStream) -> std::io::Result<()> {
    let mut rest = Vec::new();
    control.read_to_end(&mut rest).map(drop)
}

fn text(control: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    control.read_exact(&mut length)?;
    let mut text = vec![0; u32::from_be_bytes(length) as usize];
    control.read_exact(&mut text)?;
    Ok(text)
}

fn read_all(mut flow: TcpStream) -> JoinHandle<u64> {
    std::thread::spawn(move || {
        let (mut bytes, mut buffer) = (0, vec![0; 1 << 17]);
        loop {
            match flow.read(&mut buffer) {
                Ok(0) | Err(_) => return bytes,
                Ok(more) => bytes += more as u64,
            }
        }
    })
}

/// A user who goes on, or who wishes to end after so many questions.
struct User {
    patience: u32,
}

impl LoadWatch for User {
    fn interval(&mut self, _: &Look) {}

    fn go_on(&mut self) -> ControlFlow<()> {
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Sends two flows for 300 ms to a server that does `harm`, for a user of so much patience.
fn carry(harm: Harm, patience: u32) -> (Option<Transfer>, Option<ToolError>) {
    let (address, server) = serve(2, harm);
    let text = format!("host = 'iperf3://{address}'\ntime = '300ms'\n[stream]\nflows = 2");
    let plan = Plan::from_toml(&text).expect("a plan");
    plan.check().expect("iperf3 carries it");
    let load: Load = plan.loads().expect("loads").remove(0).load;
    let mut user = User { patience };
    let opened = Iperf3::open(&address, &plan, HostClock::start(), || user.go_on());
    let carried = match opened {
        Ok(mut client) => {
            let CarriedLoad { transfer, ended } = client.carry(&load, &mut user);
            client.finish();
            (transfer, ended.err())
        }
        Err(error) => (None, Some(error)),
    };
    server.join().expect("the server found nothing wrong");
    carried
}

const LONG: u32 = u32::MAX;

#[test]
fn a_server_that_does_no_harm_counts_what_was_sent() {
    let (transfer, error) = carry(Harm::None, LONG);
    assert!(error.is_none(), "{error:?}");
    let flows = transfer.expect("a transfer").flows;
    assert_eq!(flows.len(), 2);
    for flow in &flows {
        assert_eq!((&flow.sender.ended, &flow.receiver.ended), (&Ended::Complete, &Ended::Complete));
        assert_eq!(flow.direction, Direction::Send);
        assert!(flow.sender.bytes > 0 && flow.sender.bytes == flow.receiver.bytes, "{flow:?}");
    }
}

#[rstest]
#[case::silent(Harm::Silent, 5, "interrupted")]
#[case::closes(Harm::Closes, LONG, "closed the conversation")]
#[case::busy(Harm::Busy, LONG, "busy with another test")]
#[case::out_of_turn(Harm::Says(&[TEST_RUNNING]), LONG, "out of turn")]
#[case::unknown(Harm::Says(&[77]), LONG, "the state 77")]
#[case::another_protocol(Harm::Says(b"HTTP/1.1 400"), LONG, "the state 72")]
#[case::terminates(Harm::Says(&[SERVER_TERMINATE]), LONG, "ended there")]
#[case::fails(Harm::Says(&[SERVER_ERROR, 0, 0, 0, 21, 0, 0, 0, 107]), LONG, "its error 21")]
#[case::fails_without_number(Harm::Says(&[SERVER_ERROR]), LONG, "refused or failed")]
#[case::refuses(Harm::ClosesOnParameters, LONG, "refuses what was asked")]
#[case::takes_none(Harm::TakesNone, 8, "interrupted")]
fn a_test_that_never_begins_says_why(#[case] harm: Harm, #[case] patience: u32, #[case] says: &str) {
    let (transfer, error) = carry(harm, patience);
    let error = error.expect("it fails").to_string();
    assert!(error.contains(says), "{error}");
    assert!(transfer.is_none());
}

#[rstest]
#[case::vanishes(Harm::Meanwhile(&[]), LONG, "closed the conversation")]
#[case::terminates(Harm::Meanwhile(&[SERVER_TERMINATE]), LONG, "ended there")]
#[case::fails(Harm::Meanwhile(&[SERVER_ERROR, 0, 0, 0, 1, 0, 0, 0, 2]), LONG, "its error 1")]
#[case::out_of_turn(Harm::Meanwhile(&[DISPLAY_RESULTS]), LONG, "out of turn")]
#[case::unended(Harm::Unended, 40, "interrupted")]
#[case::too_long(Harm::Length(u32::MAX), LONG, "a text of 4294967295 B")]
#[case::no_json(Harm::Results(b"bytes: 7"), LONG, "understand the server")]
#[case::no_object(Harm::Results(b"[1, 2]"), LONG, "understand the server")]
#[case::dribbles(Harm::Dribbles, 60, "interrupted")]
fn what_was_sent_before_the_harm_is_kept(#[case] harm: Harm, #[case] patience: u32, #[case] says: &str) {
    let (transfer, error) = carry(harm, patience);
    let error = error.expect("it fails").to_string();
    assert!(error.contains(says), "{error}");
    let flows = transfer.expect("what was counted").flows;
    assert_eq!(flows.len(), 2);
    for flow in &flows {
        assert!(flow.sender.bytes > 0, "{flow:?}");
        assert!(matches!(flow.receiver.ended, Ended::Failed(_)), "nobody says what arrived: {flow:?}");
        let acknowledged = flow.receiver.bytes;
        assert!(acknowledged > 0 && acknowledged <= flow.sender.bytes, "but TCP does: {flow:?}");
    }
}

/// Numbers that no honest server says: the run has them or none, and nothing panics.
#[rstest]
#[case::none(br#"{"streams":[]}"#)]
#[case::of_others(br#"{"streams":[{"id":2,"bytes":7},{"id":99,"bytes":7}]}"#)]
#[case::below_zero(
    br#"{"streams":[{"id":1,"bytes":-9},{"id":3,"bytes":-9223372036854775808,"end_time":-1}]}"#
)]
#[case::too_large(br#"{"cpu_util_total":1e308,"streams":[{"id":1,"bytes":9223372036854775808,"end_time":1e300},{"id":3,"bytes":18446744073709551615,"start_time":-1e300}]}"#)]
#[case::other_kinds(br#"{"cpu_util_total":"much","sender_has_retransmits":[],"streams":[{"id":"1","bytes":null},{"id":3,"bytes":true},7]}"#)]
#[case::no_streams(br#"{"streams":"none"}"#)]
fn numbers_that_cannot_be_are_not_taken_for_what_arrived(#[case] results: &'static [u8]) {
    let (transfer, error) = carry(Harm::Results(results), LONG);
    assert!(error.is_none(), "{error:?}");
    let transfer = transfer.expect("a transfer");
    for flow in &transfer.flows {
        let class = format!("{:?}", transfer.class(flow));
        assert!(class.starts_with("Failed"), "{class}");
    }
}

#[test]
fn a_server_that_resets_its_streams_is_the_reason() {
    let (transfer, _) = carry(Harm::Resets, LONG);
    for flow in &transfer.expect("what was counted").flows {
        assert!(matches!(flow.sender.ended, Ended::Failed(_)), "{flow:?}");
    }
}

#[test]
fn a_user_who_ends_the_load_has_what_was_counted() {
    let (transfer, error) = carry(Harm::None, 3);
    assert!(error.is_none(), "{error:?}");
    for flow in &transfer.expect("a transfer").flows {
        assert!(flow.sender.bytes > 0 && flow.sender.bytes == flow.receiver.bytes, "{flow:?}");
    }
}

/// The answer to a flow's first datagram is lost. Its server takes the next ones for datagrams of the flow.
#[test]
fn a_flow_whose_first_answer_was_lost_begins_all_the_same() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let flow = UdpSocket::bind(address).expect("nobody has the same port of UDP");
    let server = std::thread::spawn(move || -> std::io::Result<u64> {
        let (mut control, _) = listener.accept()?;
        control.read_exact(&mut [0; 37])?;
        control.write_all(&[PARAM_EXCHANGE])?;
        text(&mut control)?;
        control.write_all(&[CREATE_STREAMS])?;
        let mut datagram = vec![0; 2_000];
        flow.recv_from(&mut datagram)?;
        control.write_all(&[TEST_START, TEST_RUNNING])?;
        control.set_nonblocking(true)?;
        flow.set_read_timeout(Some(Duration::from_millis(20)))?;
        let (mut bytes, mut byte) = (0, [0]);
        // Greetings that came again are shorter.
        while control.read(&mut byte).is_err() {
            bytes += flow.recv(&mut datagram).map_or(0, |length| if length == 500 { 500 } else { 0 });
        }
        assert_eq!(byte, [TEST_END]);
        control.set_nonblocking(false)?;
        control.write_all(&[EXCHANGE_RESULTS])?;
        text(&mut control)?;
        let results = format!(r#"{{"streams":[{{"id":1,"bytes":{bytes},"packets":{}}}]}}"#, bytes / 500);
        let length = u32::try_from(results.len()).expect("it is short");
        control.write_all(&[&length.to_be_bytes(), results.as_bytes(), &[DISPLAY_RESULTS]].concat())?;
        wait_for_the_end(control)?;
        Ok(bytes)
    });
    let text = format!(
        "host = 'iperf3://{address}'\ntransport = 'udp'\ntime = '300ms'\n[stream]\nmessage = 500\nrate = '400k'"
    );
    let plan = Plan::from_toml(&text).expect("a plan");
    let load: Load = plan.loads().expect("loads").remove(0).load;
    let mut user = User { patience: LONG };
    let opened = Iperf3::open(&address.to_string(), &plan, HostClock::start(), || user.go_on());
    let CarriedLoad { transfer, ended } = opened.expect("it answers").carry(&load, &mut user);
    ended.expect("the test ends");
    let flow = &transfer.expect("a transfer").flows[0];
    let counted = server.join().expect("it runs").expect("it reads");
    assert_eq!(flow.receiver.bytes, counted);
    let datagrams = flow.receiver.datagrams.as_ref().expect("they are counted");
    assert!(datagrams.sent > 0 && datagrams.received == counted / 500, "{datagrams:?}");
}
